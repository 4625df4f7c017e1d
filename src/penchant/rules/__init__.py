"""Preference and rule learning: a few weighted, readable rules."""

from penchant.rules._classifier import RuleClassifier
from penchant.rules._conditions import Condition, Conjunction, Ramp, Vocabulary
from penchant.rules._conjunctions import (
    Conjunctions,
    HistogramFeatures,
    list_conditions,
)
from penchant.rules._data import check_rule_items
from penchant.rules._features import (
    AlwaysTrue,
    Feature,
    FeatureList,
    FeatureSet,
    GeneratorSum,
    ListedFeatures,
    PricedFeatures,
    Ramps,
    RuleGenerator,
)
from penchant.rules._fourier import FourierFeatures, Wave
from penchant.rules._monomials import Monomial, Monomials
from penchant.rules._program import RuleGame
from penchant.rules._ranker import RuleRanker
from penchant.rules._text import (
    Rule,
    RuleCandidate,
    RuleChoice,
    RuleExplanation,
    RulesTable,
    rules_table,
)

__all__ = [
    "AlwaysTrue",
    "Condition",
    "Conjunction",
    "Conjunctions",
    "Feature",
    "FeatureList",
    "FeatureSet",
    "FourierFeatures",
    "GeneratorSum",
    "HistogramFeatures",
    "ListedFeatures",
    "Monomial",
    "Monomials",
    "PricedFeatures",
    "Ramp",
    "Ramps",
    "Rule",
    "RuleCandidate",
    "RuleChoice",
    "RuleClassifier",
    "RuleExplanation",
    "RuleGame",
    "RuleGenerator",
    "RuleRanker",
    "RulesTable",
    "Vocabulary",
    "Wave",
    "check_rule_items",
    "list_conditions",
    "rules_table",
]
