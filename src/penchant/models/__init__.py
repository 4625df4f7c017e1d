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
from penchant.models._pairs import Pairs, RankerMixin, check_pairs
from penchant.models._personal_utility import FactorTerm, PersonalUtility
from penchant.models._population_gp import PopulationGP
from penchant.models._posterior import Posterior
from penchant.models._set_readings import CapacityComparison

__all__ = [
    "Answer",
    "Capacity",
    "CapacityComparison",
    "ChoquetClassifier",
    "ChoquetRanker",
    "ChoquetRegressor",
    "ChoquetSVC",
    "ChoquetSVR",
    "CompactGAI",
    "Configuration",
    "DenseCovariance",
    "Domain",
    "DualGAI",
    "Encoding",
    "FactorFunction",
    "FactorTerm",
    "GAICandidate",
    "GAIChoice",
    "GAIRanker",
    "GAIRankerCV",
    "GAIRegressor",
    "GAIRegressorCV",
    "GAIUtility",
    "GaussianProcess",
    "GaussianProcessRanker",
    "HyperParameters",
    "KernelCapacity",
    "KnotMap",
    "LowRankCovariance",
    "MixedGAI",
    "Pairs",
    "PersonalUtility",
    "PopulationGP",
    "Posterior",
    "RankerMixin",
    "TensorGAI",
    "check_domain",
    "check_items",
    "check_pairs",
    "check_rated_items",
]
