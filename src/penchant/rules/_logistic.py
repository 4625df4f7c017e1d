"""Few rules with logistic weights, chosen one by one from a pool (PRL-6)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import expit

from penchant.typing import FloatArray

_N_REFITTED = 4
"""How many of the most promising columns are fitted."""

BIAS_PENALTY = 1e-3
"""Of the bias, as a share of the penalty of the rules."""

_MAX_STEPS, _MAX_HALVINGS = 50, 30
_DECREMENT = 1e-12


class LogisticFit(NamedTuple):
    """Coefficients, the margins of the rows, and the loss with its penalty."""

    coef: FloatArray
    margins: FloatArray
    objective: float


class LogisticStep(NamedTuple):
    """The columns chosen so far, their weights, and those of the bias."""

    places: tuple[int, ...]
    coef: FloatArray
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

    def fit_at(coef: FloatArray) -> LogisticFit:
        margins = columns @ coef
        loss = weights @ (np.logaddexp(0.0, -margins) + doubted * margins)
        return LogisticFit(coef, margins, float(loss + 0.5 * penalties @ coef**2))

    fit = fit_at(coef)
    for _ in range(_MAX_STEPS if coef.size else 0):
        coef, margins, objective = fit
        miss = expit(-margins)
        gradient = penalties * coef - columns.T @ (weights * (miss - doubted))
        curvature = weights * miss * (1 - miss)
        hessian = (columns.T * curvature) @ columns + np.diag(penalties)
        # By Cholesky, without checks: the penalties make it positive definite.
        _, step, _ = dposv(hessian, gradient)
        decrement = float(gradient @ step)
        if decrement <= _DECREMENT * max(objective, 1.0):
            break
        for _ in range(_MAX_HALVINGS):
            fit = fit_at(coef - step)
            # Armijo: a small share of the fall that the slope promises is enough.
            if fit.objective <= objective - 1e-4 * decrement:
                break
            step, decrement = step / 2, decrement / 2
    return fit


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
        penalties = np.full(bias.shape[1], BIAS_PENALTY * ridge)
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

    def gains(self, table: FloatArray, squares: FloatArray) -> FloatArray:
        """Give what one Newton step on each column of a table promises, shape (m,).

        The weights of the columns that are there already are adjusted:
        ``(c'r)^2 / (c'Wc - c'WZ (Z'WZ + L)^-1 Z'Wc + ridge)`` with the residuals r,
        the curvatures W and the design Z. `squares` is the table squared.
        """
        miss = expit(-self.fit.margins)
        slope = self.weights * (miss - self.doubts)
        curvature = self.weights * miss * (1 - miss)
        weighted = self.design * curvature[:, np.newaxis]
        products = table.T @ np.column_stack([slope, weighted])
        hessian = self.design.T @ weighted + np.diag(self.penalties)
        # The Schur complement: what a column can do that those chosen cannot.
        crossed = products[:, 1:]
        explained = (crossed * np.linalg.solve(hessian, crossed.T).T).sum(axis=1)
        rest = np.maximum(squares.T @ curvature - explained, 0.0)
        return products[:, 0] ** 2 / (rest + self.ridge)


def forward(
    table: FloatArray, start: LogisticModel, max_columns: int
) -> Iterator[LogisticStep]:
    """Add the column that lowers the logistic loss most, again and again.

    Every column gets the decrease that one Newton step promises; the most promising are
    fitted, and the best is kept. Columns like those that are there promise next to
    nothing.

    Parameters
    ----------
    table : ndarray of shape (n_rows, m)
    start : LogisticModel
        The bias.
    max_columns : int

    Yields
    ------
    LogisticStep
        With 0, 1, ... columns; fewer than asked for if none helps.
    """
    model, n_bias = start, start.design.shape[1]
    places: tuple[int, ...] = ()
    squares = table**2
    while True:
        coef = model.fit.coef
        yield LogisticStep(places, coef[n_bias:], coef[:n_bias])
        if len(places) == min(max_columns, table.shape[1]):
            return
        gains = model.gains(table, squares)
        gains[list(places)] = 0.0
        best = np.argsort(-gains, kind="stable")[:_N_REFITTED]
        tried = {int(j): model.extend(table[:, j]) for j in best if gains[j] > 0}
        if not tried:
            return
        place = min(tried, key=lambda j: tried[j].fit.objective)
        if tried[place].fit.objective >= model.fit.objective:
            return
        places, model = (*places, place), tried[place]
