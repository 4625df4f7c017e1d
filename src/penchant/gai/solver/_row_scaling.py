"""Rows of evidence seen from the items: E^(1/2) Q = O R, O with orthonormal columns."""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.linalg import lapack

from penchant.gai.solver._cones import dot
from penchant.gai.solver._evidence import Evidence, net_pull, row_difference
from penchant.typing import FloatArray, IntArray


class RowScaling(NamedTuple):
    """The factors O and R of the scaled evidence matrix.

    Newton directions are solved for in the space of O and taken back to the rows
    through O: forming them row by row would multiply rounding errors by E, which
    reaches 1e10 on rows that lie on a kink of the loss.

    Rows with one item each (ratings) have a diagonal R and need no factorisation;
    others have Householder reflectors, with the rows sorted by falling size.

    Parameters
    ----------
    raised, lowered : ndarray of shape (n_rows,)
    roots : ndarray of shape (n_rows,)
        E^(1/2).
    diagonal : ndarray of shape (n_items,)
        Of R, if it is diagonal; else empty, and the last four are not.
    order : ndarray of shape (n_rows,)
    reflectors : ndarray of shape (rank, n_rows)
        Below its diagonal, R' lies instead of them.
    factors : ndarray of shape (rank,)
    triangle : ndarray of shape (rank, n_items)
        R.
    """

    raised: IntArray
    lowered: IntArray
    roots: FloatArray
    diagonal: FloatArray
    order: IntArray
    reflectors: FloatArray
    factors: FloatArray
    triangle: FloatArray


_NONE, _NO_ORDER, _NO_MATRIX = np.empty(0), np.empty(0, np.int64), np.empty((0, 0))


def row_scaling(evidence: Evidence, roots: FloatArray, n_items: int) -> RowScaling:
    """Factor the evidence's rows, each times its root.

    Parameters
    ----------
    evidence : Evidence
    roots : ndarray of shape (n_rows,)
        E^(1/2).
    n_items : int
    """
    rows = evidence.raised, evidence.lowered, roots
    if evidence.one_sided:
        sums = evidence.pull(roots**2 * evidence.levels, n_items)
        return RowScaling(
            *rows, np.sqrt(sums), _NO_ORDER, _NO_MATRIX, _NONE, _NO_MATRIX
        )
    order = np.argsort(-roots, kind="stable")
    position = np.arange(len(roots))
    matrix = np.zeros((len(roots), n_items + 1), order="F")
    matrix[position, evidence.raised[order]] = roots[order]
    matrix[position, evidence.lowered[order]] -= roots[order]
    reflectors, factors, _, _ = lapack.dgeqrf(matrix[:, :n_items], overwrite_a=True)
    rank = min(len(roots), n_items)
    triangle = np.triu(reflectors[:rank])
    return RowScaling(
        *rows,
        _NONE,
        order,
        reflectors.T[:rank],
        factors,
        np.ascontiguousarray(triangle),
    )


def sandwich(scaling: RowScaling, kernel: FloatArray) -> FloatArray:
    """Give R K R' from the symmetric K."""
    if len(scaling.diagonal):
        scaled: FloatArray = _scaled_both_ways(scaling.diagonal, kernel)
    else:
        scaled = scaling.triangle @ kernel @ scaling.triangle.T
    return scaled


@njit(cache=True)
def _scaled_both_ways(diagonal: FloatArray, square: FloatArray) -> FloatArray:
    scaled = np.empty_like(square)
    for i in range(len(diagonal)):
        for j in range(len(diagonal)):
            scaled[i, j] = diagonal[i] * square[i, j] * diagonal[j]
    return scaled


def scaled_columns(scaling: RowScaling, columns: FloatArray) -> FloatArray:
    """Give R L, shape (rank, n_columns)."""
    if len(scaling.diagonal):
        return scaling.diagonal[:, None] * columns
    product: FloatArray = scaling.triangle @ columns
    return product


@njit(cache=True)
def scale(scaling: RowScaling, items: FloatArray) -> FloatArray:
    """Give R f."""
    if len(scaling.diagonal):
        return scaling.diagonal * items
    product: FloatArray = np.dot(scaling.triangle, items)
    return product


@njit(cache=True)
def scale_back(scaling: RowScaling, scaled: FloatArray) -> FloatArray:
    """Give R'x."""
    if len(scaling.diagonal):
        return scaling.diagonal * scaled
    product: FloatArray = np.dot(scaled, scaling.triangle)
    return product


@njit(cache=True)
def from_rows(scaling: RowScaling, rows: FloatArray) -> FloatArray:
    """Give O'r."""
    n_items = len(scaling.diagonal)
    if n_items:
        pushed = scaling.roots * rows
        net = net_pull(scaling.raised, scaling.lowered, pushed, n_items)
        return net / scaling.diagonal
    reflected = np.empty_like(rows)
    for k in range(len(rows)):
        reflected[k] = rows[scaling.order[k]]
    for j in range(len(scaling.factors)):
        _reflect(scaling, j, reflected)
    return reflected[: len(scaling.factors)]


@njit(cache=True)
def to_rows(scaling: RowScaling, scaled: FloatArray) -> FloatArray:
    """Give O x."""
    rows = np.zeros(len(scaling.roots))
    if len(scaling.diagonal):
        utilities = scaled / scaling.diagonal
        for k in range(len(rows)):
            gap = row_difference(scaling.raised[k], scaling.lowered[k], utilities)
            rows[k] = scaling.roots[k] * gap
        return rows
    reflected = np.zeros(len(rows))
    for j in range(len(scaled)):
        reflected[j] = scaled[j]
    for j in range(len(scaling.factors) - 1, -1, -1):
        _reflect(scaling, j, reflected)
    for k in range(len(rows)):
        rows[scaling.order[k]] = reflected[k]
    return rows


@njit(cache=True)
def _reflect(scaling: RowScaling, j: int, vector: FloatArray) -> None:
    """Apply the reflection I - factor u u' with u = (0, ..., 0, 1, reflector)."""
    tail, rest = scaling.reflectors[j, j + 1 :], vector[j + 1 :]
    along = scaling.factors[j] * (vector[j] + dot(tail, rest))
    vector[j] -= along
    for e in range(len(rest)):
        rest[e] -= along * tail[e]
