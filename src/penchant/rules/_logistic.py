"""Few rules with logistic weights, chosen one by one among all rules (PRL-6)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import expit

from penchant.rules._preferences import Preferences, RuleColumns, RuleKey
from penchant.rules._sources import ListedFeatures
from penchant.typing import FloatArray

__all__ = [
    "LogisticFit",
    "LogisticModel",
    "LogisticStep",
    "choose_greedily",
    "fit_logistic",
    "follow_doubts",
]

_N_SCORED, _N_REFITTED = 64, 8
"""How many candidates get exact scores, and how many of these are fitted."""

_BIAS_PENALTY = 1e-3
"""Of the bias, as a share of the penalty of the rules."""

_N_PASSES = 2
"""How often each of few rules may be exchanged for a better one."""

_MAX_STEPS, _MAX_HALVINGS = 50, 30
_DECREMENT = 1e-12


class LogisticFit(NamedTuple):
    """Coefficients, and the loss with its penalty."""

    coef: FloatArray
    objective: float


class LogisticStep(NamedTuple):
    """The rules chosen so far and their weights; negative: the other way round."""

    keys: tuple[RuleKey, ...]
    weights: FloatArray
    bias: FloatArray


def fit_logistic(
    columns: FloatArray,
    weights: FloatArray,
    penalties: FloatArray,
    start: FloatArray | None = None,
    doubts: FloatArray | None = None,
) -> LogisticFit:
    """Minimise ``sum_i weights_i loss(m_i) + sum_j penalties_j b_j^2 / 2``.

    The loss of a margin m is ``log(1 + exp(-m)) + doubt m``, the cross-entropy of its
    probability. Newton's method with halved steps; m = columns b.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, k)
    weights : ndarray of shape (n_rows,)
    penalties : ndarray of shape (k,)
        Positive, so that there is a minimum whatever the columns are.
    start : ndarray of shape (k,), optional
    doubts : ndarray of shape (n_rows,), optional
        How probably each row should not hold; 0 if not given.
    """
    coef = np.zeros(columns.shape[1]) if start is None else start
    doubted = np.zeros(len(columns)) if doubts is None else doubts

    def objective_of(coef: FloatArray) -> float:
        margins = columns @ coef
        loss = weights @ (np.logaddexp(0.0, -margins) + doubted * margins)
        return float(loss + 0.5 * penalties @ coef**2)

    objective = objective_of(coef)
    for _ in range(_MAX_STEPS if coef.size else 0):
        miss = expit(-(columns @ coef))
        gradient = penalties * coef - columns.T @ (weights * (miss - doubted))
        curvature = weights * miss * (1 - miss)
        hessian = (columns.T * curvature) @ columns + np.diag(penalties)
        _, step, _ = dposv(hessian, gradient)  # by Cholesky, without checks
        decrement = float(gradient @ step)
        if decrement <= _DECREMENT * max(objective, 1.0):
            break
        for _ in range(_MAX_HALVINGS):
            trial = objective_of(coef - step)
            if trial <= objective - 1e-4 * decrement:
                break
            step, decrement = step / 2, decrement / 2
        coef, objective = coef - step, trial
    return LogisticFit(coef, objective)


@dataclass(frozen=True, eq=False)
class LogisticModel:
    """Some columns with logistic weights, and what further ones would gain.

    Parameters
    ----------
    design : ndarray of shape (n_rows, k)
    weights : ndarray of shape (n_rows,)
        Of the rows in the loss.
    doubts : ndarray of shape (n_rows,)
        See `fit_logistic`.
    penalties : ndarray of shape (k,)
    fit : LogisticFit
    ridge : float
        Penalty of a further column.
    """

    design: FloatArray
    weights: FloatArray
    doubts: FloatArray
    penalties: FloatArray
    fit: LogisticFit
    ridge: float

    @classmethod
    def of_bias(
        cls,
        bias: FloatArray,
        weights: FloatArray,
        ridge: float,
        doubts: FloatArray | None = None,
    ) -> "LogisticModel":
        """Begin with columns that are nearly without penalty."""
        doubts = np.zeros(weights.size) if doubts is None else doubts
        penalties = np.full(bias.shape[1], _BIAS_PENALTY * ridge)
        fit = fit_logistic(bias, weights, penalties, doubts=doubts)
        return cls(bias, weights, doubts, penalties, fit, ridge)

    def extend(self, columns: FloatArray) -> "LogisticModel":
        """Add a column, or several, and fit all weights anew."""
        design = np.column_stack([self.design, columns])
        n_new = design.shape[1] - self.design.shape[1]
        penalties = np.append(self.penalties, np.full(n_new, self.ridge))
        start = np.append(self.fit.coef, np.zeros(n_new))
        fit = fit_logistic(design, self.weights, penalties, start, self.doubts)
        return replace(self, design=design, penalties=penalties, fit=fit)

    def extend_best(
        self, table: FloatArray, taken: Sequence[int] = ()
    ) -> "tuple[int, LogisticModel]":
        """Add the column that helps most, of the most promising ones not `taken`."""
        gains = self.gains(table)
        gains[list(taken)] = -1.0
        order = np.argsort(-gains, kind="stable")[:_N_REFITTED]
        order = order[gains[order] >= 0]
        models = {int(j): self.extend(table[:, j]) for j in order}
        best = min(models, key=lambda j: models[j].fit.objective)
        return best, models[best]

    def without(self, place: int) -> "LogisticModel":
        """Take out a column and fit the other weights anew."""
        design = np.delete(self.design, place, axis=1)
        penalties = np.delete(self.penalties, place)
        start = np.delete(self.fit.coef, place)
        fit = fit_logistic(design, self.weights, penalties, start, self.doubts)
        return replace(self, design=design, penalties=penalties, fit=fit)

    def gains(self, table: FloatArray) -> FloatArray:
        """Give what one Newton step on each of some columns promises, shape (m,)."""
        slope, curvature = self.slope_and_curvature()
        products = table.T @ np.column_stack(
            [slope, curvature[:, np.newaxis] * self.design]
        )
        return self.gains_of_sums(products, (table**2).T @ curvature)

    def gains_of_sums(self, products: FloatArray, squares: FloatArray) -> FloatArray:
        """Do so by sums over the rows, the other weights being adjusted.

        Parameters
        ----------
        products : ndarray of shape (m, 1 + k)
            Of the columns with the slope, and with the design times the curvature.
        squares : ndarray of shape (m,)
            Of the columns, times the curvature.
        """
        _, curvature = self.slope_and_curvature()
        hessian = (self.design.T * curvature) @ self.design + np.diag(self.penalties)
        slopes, crossed = products[:, 0], products[:, 1:]
        explained = np.einsum("ij,ji->i", crossed, np.linalg.solve(hessian, crossed.T))
        curvatures = np.maximum(squares - explained + self.ridge, self.ridge)
        gains: FloatArray = slopes**2 / curvatures
        return gains

    def miss(self) -> FloatArray:
        """Give how probably each row does not hold, by the model."""
        probability: FloatArray = expit(-(self.design @ self.fit.coef))
        return probability

    def slope_and_curvature(self) -> tuple[FloatArray, FloatArray]:
        """Give minus the gradient and the curvature of the loss by row."""
        miss = self.miss()
        return self.weights * (miss - self.doubts), self.weights * miss * (1 - miss)


def choose_greedily(
    features: ListedFeatures,
    preferences: Preferences,
    bias: FloatArray,
    weights: FloatArray,
    *,
    max_rules: int,
    ridge: float,
) -> list[LogisticStep]:
    """Add the rule that lowers the logistic loss most, again and again.

    Every rule gets the decrease that one Newton step on its weight promises, the
    others being adjusted; the most promising are fitted, and the best is kept.

    Parameters
    ----------
    features : ListedFeatures
    preferences : Preferences
    bias : ndarray of shape (n_rows, n_bias)
        Columns that are there from the beginning and nearly without penalty.
    weights : ndarray of shape (n_rows,)
        Of the rows in the loss.
    max_rules : int
    ridge : float
        Penalty of a squared weight.

    Returns
    -------
    list of LogisticStep
        With 0, 1, ... rules; fewer than asked for if no rule helps.
    """
    model = LogisticModel.of_bias(bias, weights, ridge)
    search = _GreedySearch(features, preferences, bias.shape[1], model)
    steps = [search.step]
    while len(steps) <= max_rules and search.advance():
        steps.append(search.step)
    return steps


def follow_doubts(
    features: ListedFeatures,
    preferences: Preferences,
    bias: FloatArray,
    weights: FloatArray,
    doubts: FloatArray,
    *,
    max_rules: int,
    ridge: float,
) -> LogisticStep:
    """Choose few rules that come close to given probabilities.

    Rules are added one by one, then each is exchanged for a better one if there is any.

    Parameters
    ----------
    features, preferences, bias, weights, max_rules, ridge
        As `choose_greedily` takes them.
    doubts : ndarray of shape (n_rows,)
        How probably each preference does not hold.
    """
    model = LogisticModel.of_bias(bias, weights, ridge, doubts)
    search = _GreedySearch(features, preferences, bias.shape[1], model)
    while len(search.keys) < max_rules and search.advance():
        pass
    for _ in range(_N_PASSES * len(search.keys)):
        search.exchange_oldest()
    return search.step


@dataclass(eq=False)
class _GreedySearch:
    """The rules so far, and the search for the next one."""

    features: ListedFeatures
    preferences: Preferences
    n_bias: int
    model: LogisticModel
    keys: tuple[RuleKey, ...] = ()

    @property
    def step(self) -> LogisticStep:
        coef = self.model.fit.coef
        return LogisticStep(self.keys, coef[self.n_bias :], coef[: self.n_bias])

    def advance(self) -> bool:
        """Add the best rule; tell whether there was one."""
        keys = self._promising()
        if not keys:
            return False
        table = RuleColumns(self.features, self.preferences).columns(keys)
        best, model = self.model.extend_best(table)
        if model.fit.objective >= self.model.fit.objective:
            return False
        self.keys, self.model = (*self.keys, keys[best]), model
        return True

    def exchange_oldest(self) -> None:
        """Let the oldest rule leave; its successor, or itself, comes last."""
        self.keys, self.model = self.keys[1:], self.model.without(self.n_bias)
        self.advance()

    def _promising(self) -> list[RuleKey]:
        """Score all rules by sums over items, and give the best."""
        preferences = self.preferences
        slope, curvature = self.model.slope_and_curvature()
        weighted = curvature[:, np.newaxis] * self.model.design
        channels = [preferences.channels(v) for v in (slope, *weighted.T)]
        totals = self.features.sums(np.hstack(channels))
        totals = totals.reshape(len(totals), len(channels), -1)
        taken = [key for key, _, _ in self.keys]
        found: list[tuple[float, RuleKey]] = []
        for better in range(preferences.n_labels):
            for worse in range(better):
                products = totals[:, :, 0]
                if totals.shape[2] > 1:
                    products = totals[:, :, better] - totals[:, :, worse]
                item_weights = preferences.curvatures(curvature, better, worse)
                squares = self.features.sums(item_weights[:, np.newaxis], squared=True)
                gains = self.model.gains_of_sums(products, squares[:, 0])
                gains[taken] = 0.0
                n_kept = min(_N_SCORED, gains.size)
                for k in np.argpartition(-gains, n_kept - 1)[:n_kept].tolist():
                    if gains[k] > 0:
                        found.append((float(gains[k]), (k, better, worse)))
        found.sort(key=lambda entry: (-entry[0], entry[1]))
        return [key for _, key in found[:_N_SCORED]]
