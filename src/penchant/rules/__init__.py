"""Preference and rule learning: a few weighted, readable rules."""

from penchant.rules._classifier import RuleClassifier
from penchant.rules._conditions import Condition, Conjunction, Vocabulary
from penchant.rules._coverages import distinct_conjunctions
from penchant.rules._games import RuleGame
from penchant.rules._generators import (
    AlwaysTrue,
    Conjunctions,
    GeneratorSum,
    Monomials,
    Ramps,
    RuleGenerator,
)
from penchant.rules._input import check_rule_items
from penchant.rules._joins import join_features
from penchant.rules._monomials import Monomial
from penchant.rules._ramps import Ramp
from penchant.rules._ranker import RuleRanker
from penchant.rules._selection import RuleCandidate, RuleChoice
from penchant.rules._sources import (
    CoverageFeatures,
    Feature,
    FeatureList,
    FeatureSet,
    ListedFeatures,
    PricedFeatures,
)
from penchant.rules._text import Rule, RuleExplanation, RulesTable, rules_table
from penchant.rules._thresholds import list_conditions

__all__ = [
    "AlwaysTrue",
    "Condition",
    "Conjunction",
    "Conjunctions",
    "CoverageFeatures",
    "Feature",
    "FeatureList",
    "FeatureSet",
    "GeneratorSum",
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
    "check_rule_items",
    "distinct_conjunctions",
    "join_features",
    "list_conditions",
    "rules_table",
]
