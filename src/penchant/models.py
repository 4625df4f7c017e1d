"""Estimators in the manner of scikit-learn, whichever idea they belong to.

Each lives in the room of its idea: `penchant.gai`, `penchant.choquet`, `penchant.rules`
or `penchant.gp`. A room is imported when one of its names is asked for. What is not in
``__all__`` can be imported from here, too: parts that estimators are made of.
"""

from typing import TYPE_CHECKING

from penchant._lazy import offer

if TYPE_CHECKING:
    from penchant.choquet import *
    from penchant.encoding import *
    from penchant.gai import *
    from penchant.gp import *
    from penchant.rules import *
    from penchant.utility import *

__getattr__, __dir__ = offer(
    __name__,
    {
        "penchant.choquet": (
            "Capacity CapacityComparison ChoquetClassifier ChoquetRanker "
            "ChoquetRegressor ChoquetSVC ChoquetSVR KernelCapacity"
        ),
        "penchant.encoding": (
            "Domain Encoding Pairs RankerMixin check_domain check_items "
            "check_pairs check_rated_items"
        ),
        "penchant.gai": (
            "Band GAICandidate GAIChoice GAIClassifier GAIRanker "
            "GAIRankerCV GAIRegressor GAIRegressorCV MixedGAI curve_bands"
        ),
        "penchant.gp": (
            "Answer DenseCovariance GaussianProcess "
            "GaussianProcessRanker HyperParameters LowRankCovariance "
            "PopulationGP Posterior"
        ),
        "penchant.rules": (
            "AlwaysTrue Condition Conjunction Conjunctions Feature "
            "FeatureList FeatureSet FourierFeatures GeneratorSum ListedFeatures "
            "Monomial Monomials PricedFeatures Ramp Ramps Rule RuleCandidate "
            "RuleChoice RuleClassifier RuleExplanation RuleGame "
            "RuleGenerator RuleRanker RulesTable Vocabulary Wave rules_table"
        ),
        "penchant.utility": (
            "CompactGAI Configuration DualGAI FactorFunction GAIUtility "
            "KnotMap TensorGAI"
        ),
    },
)

__all__ = [
    "Capacity",
    "ChoquetClassifier",
    "ChoquetRanker",
    "ChoquetRegressor",
    "ChoquetSVC",
    "ChoquetSVR",
    "Condition",
    "Conjunction",
    "Conjunctions",
    "GAIClassifier",
    "GAIRanker",
    "GAIRankerCV",
    "GAIRegressor",
    "GAIRegressorCV",
    "GaussianProcessRanker",
    "Monomials",
    "PopulationGP",
    "Posterior",
    "Ramps",
    "Rule",
    "RuleClassifier",
    "RuleGenerator",
    "RuleRanker",
]
