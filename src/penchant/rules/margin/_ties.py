"""The simplest of several solutions with the same hard margin (PRL-6)."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import linprog

from penchant.rules.margin._master import simplex
from penchant.typing import FloatArray, IntArray

_MOST_PIVOTS = 5_000
"""Of each linear program."""

_MOST_ROUNDS, _MOST_NEW = 20, 100
"""How often rows are added to the programs of ties, and how many at once."""

_ROUNDING = 1e-9
"""Margins that differ by no more are equal; weights up to this are none."""

_GAIN = 1e-6
"""Cost that must be saved at least: a single solution comes back as it was."""

_Solve = Callable[[FloatArray], tuple[FloatArray, float] | None]
"""Weights for some rows, and the margin that they have there."""


def least_costly(
    lines: FloatArray, costs: FloatArray, weights: FloatArray
) -> FloatArray:
    """Find cheaper weights with the largest hard margin of some columns.

    Two linear programs, solved at a vertex: the largest margin, then the least cost of
    weights that reach it. Columns with a cost are counted: cheaper weights of more
    columns are refused, as are those that rounding has cost margin. Few rows decide,
    and they are added where the margin falls short; if that takes too long, the given
    weights stay.

    Parameters
    ----------
    lines : ndarray of shape (n_columns, n_rows)
        One column of the margin program after the other.
    costs : ndarray of shape (n_columns,)
        Of a unit of weight of each column. Not negative.
    weights : ndarray of shape (n_columns,)
        Weights to improve on. Not negative, of sum 1.

    Returns
    -------
    ndarray of shape (n_columns,)
        Cheaper weights with at least the same margin, or the given ones.
    """
    lines = _distinct_rows(lines)
    before = weights @ lines
    best = _settle(_largest, lines, _lowest(before, _MOST_NEW))
    if best is None:
        return weights
    margin = float((best[0] @ lines).min())
    cheap = _settle(lambda rows: _cheapest(rows, costs, margin), lines, best[1])
    if cheap is None or not _is_simpler(costs, cheap[0], weights):
        return weights
    holds = (cheap[0] @ lines).min() >= before.min() - _ROUNDING
    return cheap[0] if holds else weights


def _distinct_rows(lines: FloatArray) -> FloatArray:
    """Keep each row of the program once."""
    table = np.ascontiguousarray(lines.T) + 0.0  # no -0.0, whose bytes are others
    places = {row.tobytes(): i for i, row in enumerate(table)}
    return lines[:, list(places.values())]


def _lowest(margins: FloatArray, n_most: int) -> IntArray:
    return np.argsort(margins, kind="stable")[:n_most]


def _settle(
    solve: _Solve, lines: FloatArray, rows: IntArray
) -> tuple[FloatArray, IntArray] | None:
    """Add rows until the weights for them have their margin in all rows."""
    for _ in range(_MOST_ROUNDS):
        found = solve(lines[:, rows])
        if found is None:
            return None
        margins = found[0] @ lines
        short = np.flatnonzero(margins < found[1] - _ROUNDING)
        if not short.size:
            return found[0], rows
        rows = np.union1d(rows, short[_lowest(margins[short], _MOST_NEW)])
    return None


def _largest(rows: FloatArray) -> tuple[FloatArray, float] | None:
    """Maximise the margin of the rows."""
    vertex = simplex(rows, np.ones(rows.shape[1]), _MOST_PIVOTS)
    if vertex is None:
        return None
    return vertex.weights, float((vertex.weights @ rows).min())


def _cheapest(
    rows: FloatArray, costs: FloatArray, margin: float
) -> tuple[FloatArray, float] | None:
    """Minimise the cost of weights with a margin."""
    n_columns, n_rows = rows.shape
    result = linprog(
        costs,
        A_ub=-rows.T,
        b_ub=np.full(n_rows, -margin),
        A_eq=np.ones((1, n_columns)),
        b_eq=[1.0],
        method="highs-ds",
        options={"maxiter": _MOST_PIVOTS, "primal_feasibility_tolerance": 1e-10},
    )
    if result.status != 0:
        return None
    weights = np.where(result.x > _ROUNDING, result.x, 0.0)
    return weights / weights.sum(), margin


def _is_simpler(costs: FloatArray, new: FloatArray, old: FloatArray) -> bool:
    """Tell whether fewer columns have a cost, or as many cost less together."""
    n_new, n_old = (
        int(np.count_nonzero(costs[weights > _ROUNDING])) for weights in (new, old)
    )
    cheaper = float(costs @ new) < float(costs @ old) - _GAIN
    return n_new < n_old or (n_new == n_old and cheaper)
