"""Weights of columns: their soft margin, at a vertex, and simple ones (PRL-3)."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from penchant.typing import BoolArray, FloatArray, IntArray

_MAX_CORRELATION = 0.98
"""Columns that are more alike than this add little to each other."""

_MOST_COLUMNS, _MOST_ENTRIES, _MOST_PIVOTS = 600, 500_000, 5_000
"""Up to this size the last step is the simplex method."""

_MOST_ROUNDS, _MOST_NEW = 20, 100
"""How often rows are added to the programs of ties, and how many at once."""

_ROUNDING = 1e-9
"""Margins that differ by no more are equal; weights up to this are none."""

_GAIN = 1e-6
"""Cost that must be saved at least: a single solution comes back as it was."""

_Solve = Callable[[FloatArray], tuple[FloatArray, float] | None]
"""Weights for some rows, and the margin that they have there."""


def soft_margin(margins: FloatArray, upper: FloatArray) -> tuple[float, float]:
    """Find the best soft margin for given margins of the rows (PRL-3).

    It is ``max over rho of rho - sum(upper * max(rho - margins, 0))``, or nature's
    ``min p @ margins subject to 0 <= p <= upper, sum(p) = 1``. Cost: one sort.

    Parameters
    ----------
    margins : ndarray of shape (n_rows,)
    upper : ndarray of shape (n_rows,)
        Not negative, of sum at least 1.

    Returns
    -------
    float
        The soft margin: a lower bound of the program's value.
    float
        The rho that attains it.
    """
    order = np.argsort(margins)
    filled = np.cumsum(upper[order])
    last = min(int(np.searchsorted(filled, 1.0)), len(order) - 1)
    rho = float(margins[order[last]])
    return rho - float(upper @ np.maximum(rho - margins, 0.0)), rho


def prune(
    columns: FloatArray, weights: FloatArray, upper: FloatArray, floor: float
) -> BoolArray:
    """Find the columns that can go while the soft margin stays at least floor.

    Drops the longest run of smallest weights, found by bisection; the other weights
    are to be divided by their sum.

    Parameters
    ----------
    columns : ndarray of shape (n_columns, n_rows)
    weights : ndarray of shape (n_columns,)
        Not negative, of sum 1, with a soft margin of at least floor.
    upper : ndarray of shape (n_rows,)
    floor : float

    Returns
    -------
    ndarray of bool of shape (n_columns,)
        Which columns stay.
    """
    order = np.argsort(weights)
    safe, unsafe = 0, len(order)
    while unsafe - safe > 1:
        middle = (safe + unsafe) // 2
        kept = order[middle:]
        shares = weights[kept] / weights[kept].sum()
        enough = soft_margin(shares @ columns[kept], upper)[0] >= floor
        safe, unsafe = (middle, unsafe) if enough else (safe, middle)
    stays = np.ones(len(order), dtype=np.bool_)
    stays[order[:safe]] = False
    return stays


def diverse(columns: FloatArray, n_wanted: int) -> list[int]:
    """Choose columns from the first on, none nearly parallel to one chosen before.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
    n_wanted : int
        Most columns that are chosen.

    Returns
    -------
    list of int
        Their numbers.
    """
    length = np.linalg.norm(columns, axis=0)
    unit = columns / np.where(length > 0.0, length, 1.0)
    alike = np.abs(unit.T @ unit) > _MAX_CORRELATION
    chosen: list[int] = []
    blocked = np.zeros(len(length), dtype=np.bool_)
    for column in range(len(length)):
        if len(chosen) == n_wanted:
            break
        if not blocked[column]:
            chosen.append(column)
            blocked |= alike[column]
    return chosen


class Vertex(NamedTuple):
    """An exact solution: weights of the columns and of the rows."""

    weights: FloatArray
    p: FloatArray
    n_iter: int


def simplex(columns: Any, upper: FloatArray, max_iter: int) -> Vertex | None:
    """Solve ``min v subject to C'p <= v, sum(p) = 1, 0 <= p <= upper`` at a vertex.

    The basis has the size of the columns, not of the rows (PRL-5).

    Parameters
    ----------
    columns : ndarray or sparse array of shape (n_columns, n_rows)
        C', one column after the other.
    upper : ndarray of shape (n_rows,)
    max_iter : int
        Largest number of pivots.

    Returns
    -------
    Vertex or None
        None if the pivots did not suffice.
    """
    k, n = columns.shape
    stack = sparse.hstack if sparse.issparse(columns) else np.hstack
    result = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=stack([columns, np.full((k, 1), -1.0)]),
        b_ub=np.zeros(k),
        A_eq=np.append(np.ones(n), 0.0)[None],
        b_eq=[1.0],
        bounds=np.vstack([np.c_[np.zeros(n), upper], [[-np.inf, np.inf]]]),
        method="highs-ds",
        options={"maxiter": max_iter},
    )
    if result.status != 0:
        return None
    # Rounding leaves entries of size 1e-17 on either side of 0.
    weights = np.maximum(-result.ineqlin.marginals, 0.0)
    p = np.clip(result.x[:-1], 0.0, upper)
    return Vertex(weights / weights.sum(), p / p.sum(), int(result.nit))


def sharpen(lines: FloatArray, weights: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the weights of a vertex if the program is small and it is no worse.

    Parameters
    ----------
    lines : ndarray of shape (n_columns, n_rows)
        One column of the margin program after the other.
    weights : ndarray of shape (n_columns,)
        Not negative, of sum 1.
    upper : ndarray of shape (n_rows,)
        Most weight that nature may give to each row.

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    if len(lines) > _MOST_COLUMNS or lines.size > _MOST_ENTRIES:
        return weights
    vertex = simplex(lines, upper, _MOST_PIVOTS)
    if vertex is None:
        return weights
    reached, _ = soft_margin(vertex.weights @ lines, upper)
    before, _ = soft_margin(weights @ lines, upper)
    return vertex.weights if reached >= before else weights


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
