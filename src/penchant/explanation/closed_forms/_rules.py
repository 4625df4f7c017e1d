"""Rules: what a rule adds is shared out among the attributes it speaks of (EX-10)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.explanation.closed_forms._closed_form import (
    ClosedForm,
    Shares,
    closed_form,
)
from penchant.explanation.closed_forms._paths import combine, path_values
from penchant.rules import (
    Conjunction,
    Monomial,
    RuleClassifier,
    RuleRanker,
    check_rule_items,
)
from penchant.typing import FloatArray

_PRODUCT = np.empty(0)


@dataclass(frozen=True, eq=False)
class RuleForm(ClosedForm):
    """A weighted sum of rules, each a product of functions of single attributes.

    Parameters
    ----------
    model : RuleRanker or RuleClassifier
    weights : ndarray of shape (n_rules,)
        What each rule adds where it holds.
    intercept : float
    output : callable
        The model's own score.
    """

    model: Any
    weights: FloatArray
    intercept: float
    output: Callable[[Any], FloatArray]
    game = "a rule counts once all its attributes are known"
    takes_background = True

    def encode(self, rows: Any) -> FloatArray:
        items = check_rule_items(self.model, rows, reset=False)
        if not isinstance(items, np.ndarray):
            items = items.toarray()
        return np.asarray(items, dtype=np.float64)

    def predict(self, rows: Any) -> FloatArray:
        return self.output(rows)

    def contrast(self, item: FloatArray, rival: FloatArray) -> Shares:
        at_item, at_rival = self._factors(np.stack([item, rival]))
        return Shares((self.weights @ path_values(at_item, at_rival, _PRODUCT))[None])

    def explain(self, items: FloatArray, reference: FloatArray | None) -> Shares:
        if reference is None:
            start = np.ones((len(self.weights), items.shape[1]))
            for j, rule in enumerate(self.model.rules_):
                start[j, _attributes(rule.feature)] = 0.0
        else:
            start = self._factors(reference).mean(axis=0)
        values = np.empty(items.shape)
        for k, at_item in enumerate(self._factors(items)):
            values[k] = self.weights @ path_values(at_item, start, _PRODUCT)
        base = self.intercept + self.weights @ combine(start, _PRODUCT)
        return Shares(values, np.full(len(items), base))

    def _factors(self, items: FloatArray) -> FloatArray:
        """Give each rule as a product over attributes, (n, n_rules, d)."""
        factors = np.ones((len(items), len(self.weights), items.shape[1]))
        for j, rule in enumerate(self.model.rules_):
            feature = rule.feature
            if isinstance(feature, Conjunction):
                for condition in feature.conditions:
                    factors[:, j, condition.attribute] *= condition.holds(items)
            else:
                for k, center in zip(feature.attributes, feature.centers, strict=True):
                    factors[:, j, k] *= items[:, k] - center
        return factors


def _attributes(feature: Any) -> list[int]:
    if isinstance(feature, Conjunction):
        return [condition.attribute for condition in feature.conditions]
    return list(feature.attributes)


def _weights(model: Any, better: Any) -> FloatArray | None:
    """Give what each rule adds, for one of two labels; None: not all are products."""
    known = (Conjunction, Monomial)
    if not all(isinstance(rule.feature, known) for rule in model.rules_):
        return None
    signs = np.array([1.0 if rule.target == better else -1.0 for rule in model.rules_])
    sizes = np.array([rule.weight for rule in model.rules_])
    factors = np.array([getattr(rule.feature, "factor", 1.0) for rule in model.rules_])
    return np.asarray(signs * sizes * factors)


@closed_form.register(RuleRanker)
def _of_ranker(model: RuleRanker) -> ClosedForm | None:
    weights = _weights(model, "better")
    return None if weights is None else RuleForm(model, weights, 0.0, model.utility)


@closed_form.register(RuleClassifier)
def _of_classifier(model: RuleClassifier) -> ClosedForm | None:
    if len(model.classes_) > 2:  # votes for each: no common score
        return None
    weights = _weights(model, model.classes_.tolist()[1])
    if weights is None:
        return None
    return RuleForm(model, weights, float(model.intercept_[0]), model.decision_function)
