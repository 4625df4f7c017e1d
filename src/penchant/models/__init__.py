"""Estimators in the manner of scikit-learn."""

from penchant.models._answers import Answer
from penchant.models._capacity import Capacity
from penchant.models._choquet import ChoquetRanker, ChoquetRegressor
from penchant.models._choquet_classifier import ChoquetClassifier
from penchant.models._choquet_svm import ChoquetSVC, ChoquetSVR
from penchant.models._covariance import DenseCovariance, LowRankCovariance
from penchant.models._domain import (
    Domain,
    check_domain,
    check_items,
    check_rated_items,
)
from penchant.models._gai import GAIRanker, GAIRegressor
from penchant.models._gai_choice import GAICandidate, GAIChoice
from penchant.models._gai_cv import GAIRankerCV, GAIRegressorCV
from penchant.models._gai_dual import DualGAI
from penchant.models._gai_encoding import Encoding
from penchant.models._gai_mixture import MixedGAI
from penchant.models._gai_model import FactorFunction
from penchant.models._gai_network import CompactGAI, Configuration
from penchant.models._gai_utility import GAIUtility, KnotMap, TensorGAI
from penchant.models._gaussian_process import GaussianProcessRanker
from penchant.models._gp_fit import GaussianProcess, HyperParameters
from penchant.models._kernel_capacity import KernelCapacity
from penchant.models._lapses import LapsePosterior
from penchant.models._pairs import Pairs, RankerMixin, check_pairs
from penchant.models._personal_utility import FactorTerm, PersonalUtility
from penchant.models._population_gp import PopulationGP
from penchant.models._posterior import Draws, Posterior
from penchant.models._rule_conditions import Condition, Conjunction, Vocabulary
from penchant.models._rule_games import RuleGame
from penchant.models._rule_generators import (
    AlwaysTrue,
    Conjunctions,
    GeneratorSum,
    Monomials,
    Ramps,
    RuleGenerator,
)
from penchant.models._rule_monomials import Monomial
from penchant.models._rule_ramps import Ramp
from penchant.models._rule_ranker import RuleRanker
from penchant.models._rule_selection import RuleCandidate, RuleChoice
from penchant.models._rule_sources import (
    Feature,
    FeatureList,
    FeatureSet,
    ListedFeatures,
    PricedFeatures,
)
from penchant.models._rule_text import (
    Rule,
    RuleExplanation,
    RulesTable,
    rules_table,
)
from penchant.models._rules import RuleClassifier
from penchant.models._set_readings import CapacityComparison

__all__ = [
    "AlwaysTrue",
    "Answer",
    "Capacity",
    "CapacityComparison",
    "ChoquetClassifier",
    "ChoquetRanker",
    "ChoquetRegressor",
    "ChoquetSVC",
    "ChoquetSVR",
    "CompactGAI",
    "Condition",
    "Configuration",
    "Conjunction",
    "Conjunctions",
    "DenseCovariance",
    "Domain",
    "Draws",
    "DualGAI",
    "Encoding",
    "FactorFunction",
    "FactorTerm",
    "Feature",
    "FeatureList",
    "FeatureSet",
    "GAICandidate",
    "GAIChoice",
    "GAIRanker",
    "GAIRankerCV",
    "GAIRegressor",
    "GAIRegressorCV",
    "GAIUtility",
    "GaussianProcess",
    "GaussianProcessRanker",
    "GeneratorSum",
    "HyperParameters",
    "KernelCapacity",
    "KnotMap",
    "LapsePosterior",
    "ListedFeatures",
    "LowRankCovariance",
    "MixedGAI",
    "Monomial",
    "Monomials",
    "Pairs",
    "PersonalUtility",
    "PopulationGP",
    "Posterior",
    "PricedFeatures",
    "Ramp",
    "Ramps",
    "RankerMixin",
    "Rule",
    "RuleCandidate",
    "RuleChoice",
    "RuleClassifier",
    "RuleExplanation",
    "RuleGame",
    "RuleGenerator",
    "RuleRanker",
    "RulesTable",
    "TensorGAI",
    "Vocabulary",
    "check_domain",
    "check_items",
    "check_pairs",
    "check_rated_items",
    "rules_table",
]
