"""The soft margin by folds of the training rows, as the stored tables were made.

nu goes down a path while each rule stands for at least four preferences. Balanced
labels and labels as they are compete where they differ. The best mean accuracy wins;
if a candidate with half as many rules or fewer is worse by less than one standard
error, that one.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from penchant.models import RuleClassifier
from penchant.rules._data import labelled_data
from penchant.rules._selection import split_codes

__all__ = ["PATH", "choose_margin"]

PATH = (0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.05)
LEAST_PER_RULE = 4
ALIKE = 0.1


class Trial(NamedTuple):
    """What one setting did in the folds."""

    nu: float
    balance: bool
    accuracies: np.ndarray
    n_rules: float

    @property
    def rank(self) -> tuple[float, float, bool]:
        """Order by accuracy; of equals the smaller nu, and balanced labels."""
        return -round(self.accuracies.mean(), 12), self.nu, not self.balance


def choose_margin(
    model: RuleClassifier, X: Any, y: np.ndarray, *, n_folds: int
) -> RuleClassifier:
    """Give the model, not fitted, with `nu` and `balance` by folds of the rows.

    A model whose `balance` is True is scored by the mean accuracy of the labels.
    """
    data, _, units = labelled_data(model, X, y, None)
    rng = np.random.RandomState(0)
    weights = np.ones(units.size)
    folds = split_codes(data.codes[units], units, weights, n_folds, rng)
    balances = (True,) if model.balance is True or _is_even(y) else (True, False)
    found: dict[tuple[float, bool], list[tuple[float, int]]] = {}
    for train, test in folds:
        rows, others = train > 0, test > 0
        for balance in balances:
            for nu in PATH:
                fitted = clone(model).set_params(nu=nu, balance=balance)
                fitted.fit(data.X[rows], data.codes[rows], train[rows])
                right = fitted.predict(data.X[others]) == data.codes[others]
                score = _score(right, data.codes[others], test[others], model.balance)
                found.setdefault((nu, balance), []).append((score, len(fitted.rules_)))
                is_long = len(fitted.rules_) > rows.sum() / LEAST_PER_RULE
                if is_long or fitted.value_ <= 1e-6:
                    break
    trials = [
        Trial(*setting, np.array([a for a, _ in each]), np.mean([n for _, n in each]))
        for setting, each in found.items()
        if len(each) == len(folds)
    ]
    chosen = _simplest(sorted(trials, key=lambda trial: trial.rank))
    return clone(model).set_params(nu=chosen.nu, balance=chosen.balance)


def _is_even(y: np.ndarray) -> bool:
    shares = np.bincount(y) / y.size
    return bool(np.allclose(shares, 1 / shares.size, rtol=ALIKE, atol=0.0))


def _score(
    right: np.ndarray, codes: np.ndarray, weights: np.ndarray, balance: Any
) -> float:
    if balance is not True:
        return float(np.average(right, weights=weights))
    totals, hits = np.bincount(codes, weights), np.bincount(codes, weights * right)
    return float(np.mean(hits[totals > 0] / totals[totals > 0]))


def _simplest(trials: list[Trial]) -> Trial:
    best = trials[0]
    error = best.accuracies.std(ddof=1) / best.accuracies.size**0.5
    gaps = [best.accuracies.mean() - trial.accuracies.mean() for trial in trials]
    level = [t for t, gap in zip(trials, gaps, strict=True) if gap < error or t is best]
    some = [trial for trial in level if trial.n_rules >= 1] or [best]
    few = min(some, key=lambda trial: trial.n_rules)
    return few if few.n_rules <= some[0].n_rules / 2 else some[0]
