"""Some rules against the preferences of a fit, and what their weights reach (PRL-3)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from penchant.rules._logistic import fit_logistic
from penchant.rules._sources import Feature
from penchant.rules.margin._column_source import Priced
from penchant.rules.margin._program import MarginSolution, solve_margin
from penchant.typing import FloatArray, IntArray

__all__ = ["Certificate", "RuleGame", "RuleVotes", "margin_bounds", "vote_matrix"]

_ZERO_MARGIN = 1e-6
"""A margin up to this is none."""

_STEPS = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)
"""Soft margins to go up to if rules have none."""

_BIAS_PENALTY = 1e-3
"""Of the bias in the logistic loss, as a share of the penalty of the rules."""


@dataclass(frozen=True)
class Certificate:
    """What a margin program reached.

    Parameters
    ----------
    value : float
        The soft margin of the rules.
    bound : float
        No weights of any features of the generator have a larger one.
    status : str
    n_iter : int
    history : tuple of (int, float, float)
        Number of columns and both bounds after each round.
    nu : float or None
        The soft margin that was asked for; None: the hard one.
    """

    value: float
    bound: float
    status: str
    n_iter: int
    history: tuple[tuple[int, float, float], ...] = ()
    nu: float | None = None

    @property
    def has_margin(self) -> bool:
        """Whether the rules say more for the preferences than against them."""
        return self.value > _ZERO_MARGIN

    @classmethod
    def of(cls, solution: MarginSolution, nu: float | None = None) -> "Certificate":
        """Read it off a solution."""
        history = tuple((int(k), float(a), float(b)) for k, a, b in solution.history)
        return cls(
            float(solution.lower_bound),
            float(solution.upper_bound),
            solution.status,
            solution.n_iter,
            history,
            nu,
        )


@dataclass(frozen=True, eq=False)
class RuleGame:
    """Some rules against the preferences of a fit: enough to weigh them anew.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, k)
        By how much each rule speaks for each preference.
    bias : ndarray of shape (n_rows, n_bias)
        The same of the bias, in either direction.
    bias_votes : ndarray of shape (n_bias, n_labels)
        What a unit of each adds to the scores.
    weights : ndarray of shape (n_rows,)
        Of the preferences; they add up to 1.
    strict_weights : ndarray of shape (n_rows,)
        The same without ties.
    total : float
        Sum of the weights of the sample.
    scale : float
        What a rule of weight 1 counts in the columns.
    """

    columns: FloatArray
    bias: FloatArray
    bias_votes: FloatArray
    weights: FloatArray
    strict_weights: FloatArray
    total: float
    scale: float = 1.0

    def take(self, rules: Sequence[int]) -> "RuleGame":
        """Keep some rules."""
        return replace(self, columns=self.columns[:, list(rules)])

    def margin_weights(
        self, nu: float | None, tol: Any, *, climb: bool
    ) -> tuple[FloatArray, FloatArray, Certificate]:
        """Solve the margin program on these rules alone; the bias has both signs.

        If the hard margin has several solutions, rules get little weight, and the bias
        the rest.

        Few rules may have no margin where many have one, and their weights would be
        arbitrary. With `climb` nu is raised until they have; the certificate tells.
        """
        found = self._margin_weights(nu, tol)
        for step in _STEPS:
            if not climb or found[2].has_margin:
                break
            if nu is None or step > nu:
                found = self._margin_weights(step, tol)
        return found

    def _margin_weights(
        self, nu: float | None, tol: Any
    ) -> tuple[FloatArray, FloatArray, Certificate]:
        k, n_bias = self.columns.shape[1], self.bias.shape[1]
        table = np.hstack([self.columns, self.bias, -self.bias])
        solution = solve_margin(
            _ColumnTable(table),
            margin_bounds(self.strict_weights, nu),
            tol=tol,
            cost=(lambda key: float(key < k)) if nu is None else None,
        )
        weights = np.zeros(table.shape[1])
        weights[np.array(solution.keys, dtype=np.int64)] = solution.weights
        bias = weights[k : k + n_bias] - weights[k + n_bias :]
        return weights[:k], bias @ self.bias_votes, Certificate.of(solution, nu)

    def logistic_weights(self, ridge: float) -> tuple[FloatArray, FloatArray]:
        """Minimise the logistic loss; a negative weight turns a rule round."""
        k, n_bias = self.columns.shape[1], self.bias.shape[1]
        penalties = np.full(k + n_bias, ridge)
        penalties[k:] *= _BIAS_PENALTY
        table = np.hstack([self.columns, self.bias])
        coef = fit_logistic(table, self.total * self.weights, penalties).coef
        return coef[:k], coef[k:] @ self.bias_votes


@dataclass(frozen=True, eq=False)
class RuleVotes:
    """Features, what they vote for, and a bias: all that predictions need.

    Parameters
    ----------
    features : tuple of Feature
    votes : ndarray of shape (n_features, n_labels)
    bias : ndarray of shape (n_labels,)
    """

    features: tuple[Feature, ...]
    votes: FloatArray
    bias: FloatArray

    def values(self, X: Any) -> FloatArray:
        """Evaluate the features, shape (n_items, n_features)."""
        X = X.tocsc() if sparse.issparse(X) else X
        table = np.empty((X.shape[0], len(self.features)), order="F")
        for j, feature in enumerate(self.features):
            table[:, j] = feature.evaluate(X)
        return table

    def scores(self, X: Any) -> FloatArray:
        """Add up the votes, shape (n_items, n_labels)."""
        total: FloatArray = self.values(X) @ self.votes + self.bias
        return total


def vote_matrix(
    better: IntArray, worse: IntArray, weights: FloatArray, n_labels: int
) -> FloatArray:
    """Give what each rule adds to the score of each label, shape (k, n_labels)."""
    half = 0.5 * np.eye(n_labels)
    votes: FloatArray = (half[better] - half[worse]) * weights[:, np.newaxis]
    return votes


def margin_bounds(weights: FloatArray, nu: float | None) -> FloatArray:
    """Give the largest p of each row: D of PRL-3; 1 for the hard margin."""
    return (weights > 0).astype(np.float64) if nu is None else weights / nu


class _ColumnTable:
    """A few columns as the source of a margin program; keys are their numbers."""

    def __init__(self, table: FloatArray) -> None:
        self._table = table
        self.n_rows = len(table)

    def price(self, weights: FloatArray, n_best: int) -> Priced:
        payoffs = self._table.T @ weights
        best = np.argsort(-payoffs, kind="stable")[:n_best]
        return Priced(float(payoffs[best[0]]), best.tolist(), payoffs[best])

    def columns(self, keys: Sequence[Any]) -> FloatArray:
        return np.asfortranarray(self._table[:, list(keys)])
