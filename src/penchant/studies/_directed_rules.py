"""Rules that never contradict what is known of an attribute: less rent is better."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from penchant.data import Comparisons, Items
from penchant.rules import (
    Condition,
    Conjunction,
    FeatureList,
    FeatureSet,
    HistogramFeatures,
    RuleRanker,
    Vocabulary,
    list_conditions,
)
from penchant.typing import FloatArray

_MOST_THRESHOLDS = 20

Kind: TypeAlias = tuple[frozenset[int], int]
"""The attributes of a rule, and whether it asks for better (1) or worse values (-1)."""


@dataclass(frozen=True)
class DirectedConjunctions:
    """Conditions, and two at once, that ask for better values or for worse ones.

    Of attributes with a known direction a rule asks for better values throughout, or
    for worse values throughout. Attributes without a direction may occur in both.

    Parameters
    ----------
    left_out : frozenset of Kind
        Rules that are not wanted.
    """

    left_out: frozenset[Kind] = frozenset()

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """Allow the rules on the items of a fit that are wanted."""
        items: FloatArray = np.asarray(X, dtype=np.float64)
        conditions = list_conditions(items, vocabulary, None, _MOST_THRESHOLDS)
        sides = np.array([side_of(each, items, vocabulary) for each in conditions])
        owners = np.array([each.attribute for each in conditions])
        allowed = np.multiply.outer(sides, sides) >= 0
        for attributes, side in self.left_out:
            ends = np.isin(owners, list(attributes))
            same = np.not_equal.outer(owners, owners) == (len(attributes) > 1)
            own = np.add.outer(sides, sides) * side >= 0
            allowed &= ~(np.logical_and.outer(ends, ends) & same & own)
        features = HistogramFeatures(items, conditions, allowed=allowed)
        if not features.n_features:
            return FeatureList([Conjunction(())], items)  # tells nothing apart
        return features


def fit_directed_rules(
    items: Items, comparisons: Comparisons, max_rules: int
) -> tuple[RuleRanker, tuple[str, ...]]:
    r"""Fit few rules, none of which contradicts the direction of an attribute.

    Rules are chosen one by one by the logistic loss, their number by folds. If one is
    against a known direction, such as a low rent that makes a flat worse, all rules on
    the same attributes and of the same side are left out, and the fit begins again. The
    utility of what remains never falls when an attribute gets better.

    Parameters
    ----------
    items : Items
        The alternatives, without gaps.
    comparisons : Comparisons
        What people prefer.
    max_rules : int
        Largest number of rules.

    Returns
    -------
    model : RuleRanker
    contradicted : tuple of str
        Attributes of rules that were left out.

    Examples
    --------
    >>> items = Items.from_csv(b"name,rent\na,500\nb,600\nc,700\nd,800\n")
    >>> told = Comparisons([0, 0, 1, 3], [2, 3, 3, 2])
    >>> model, contradicted = fit_directed_rules(items, told, 3)
    >>> {(rule.text[:7], rule.target) for rule in model.rules_}
    {('rent >=', 'worse')}
    """
    X = items.encode()
    left_out: frozenset[Kind] = frozenset()
    while True:
        model = RuleRanker(
            generator=DirectedConjunctions(left_out=left_out),
            loss="logistic",
            max_rules=max_rules,
        ).fit(items, comparisons)
        wrong = frozenset(_contradictions(model, X))
        if not wrong:
            break
        left_out |= wrong
    named = {i for attributes, _ in left_out for i in attributes}
    directed = [i for i in sorted(named) if items.attributes[i].direction != "unknown"]
    return model, tuple(items.attributes[i].name for i in directed)


def _contradictions(model: RuleRanker, X: FloatArray) -> list[Kind]:
    """Give the kinds of rules that speak against better values, or for worse ones."""
    found = []
    for rule in model.rules_:
        conditions = rule.feature.conditions
        sides = {side_of(each, X, model.vocabulary_) for each in conditions} - {0}
        wanted = 1 if rule.target == "better" else -1
        found += [
            (attributes_of(rule.feature), side) for side in sides if side != wanted
        ]
    return found


def attributes_of(feature: Conjunction) -> frozenset[int]:
    """Give the attributes that a rule asks about."""
    return frozenset(condition.attribute for condition in feature.conditions)


def side_of(condition: Condition, X: FloatArray, vocabulary: Vocabulary) -> int:
    """Tell whether a condition asks for better values (1), worse (-1) or neither (0).

    Parameters
    ----------
    condition : Condition
    X : ndarray of shape (n_items, n_features)
        Encoded items: values of attributes with a direction rise to the better end.
    vocabulary : Vocabulary
        Has the attributes.
    """
    attribute = (vocabulary.attributes or ())[condition.attribute]
    if attribute.direction == "unknown" or attribute.kind == "categorical":
        return 0
    column = X[:, condition.attribute]
    return 1 if column[condition.holds(X)].max() == column.max() else -1
