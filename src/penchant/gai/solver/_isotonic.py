"""Tables that rise or fall along some of their axes."""

from collections.abc import Sequence

import numpy as np

from penchant._compiled import compiled
from penchant.typing import FloatArray, IntArray

_TOLERANCE = 1e-6
_MAX_ROUNDS = 50


def nearest_monotone(
    table: FloatArray, weights: Sequence[FloatArray], signs: Sequence[int]
) -> FloatArray:
    """Project a table onto those that are monotone along some of its axes.

    One axis: isotonic regression of every line, exact. Several axes: Dykstra's
    alternating projections, whose limit is the exact projection; a running maximum
    then takes away what is left, so that the result is monotone in any case.

    Parameters
    ----------
    table : ndarray
    weights : sequence of ndarray
        Positive weights of the positions along each axis; a cell weighs their
        product.
    signs : sequence of {+1, -1, 0}
        Direction along each axis; 0: free.

    Returns
    -------
    ndarray
        Of the same shape.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.solvers import nearest_monotone
    >>> nearest_monotone(np.array([1.0, 3.0, 2.0, 4.0]), [np.ones(4)], [1])
    array([1. , 2.5, 2.5, 4. ])
    """
    flips = tuple(axis for axis, sign in enumerate(signs) if sign < 0)
    rising = np.flip(table, flips)
    lines = [w[::-1] if sign < 0 else w for w, sign in zip(weights, signs, strict=True)]
    axes = [axis for axis, sign in enumerate(signs) if sign]
    if len(axes) == 1:
        rising = _isotonic(rising, lines[axes[0]], axes[0])
    elif axes:
        rising = _alternate(rising, lines, axes)
    return np.flip(rising, flips)


def _alternate(
    table: FloatArray, lines: Sequence[FloatArray], axes: Sequence[int]
) -> FloatArray:
    """Project along one axis after the other with Dykstra's corrections."""
    corrections = {axis: np.zeros_like(table) for axis in axes}
    slack = _TOLERANCE * np.ptp(table)
    for _ in range(_MAX_ROUNDS):
        before = table
        for axis in axes:
            corrected = table + corrections[axis]
            table = _isotonic(corrected, lines[axis], axis)
            corrections[axis] = corrected - table
        if np.abs(table - before).max() <= slack:
            break
    # A running maximum along one axis keeps what is monotone along the others.
    for axis in axes:
        table = np.maximum.accumulate(table, axis=axis)
    return table


def _isotonic(table: FloatArray, weights: FloatArray, axis: int) -> FloatArray:
    """Regress all lines along an axis."""
    lines = np.moveaxis(table, axis, -1)
    flat = np.ascontiguousarray(lines.reshape(-1, lines.shape[-1]))
    fitted, (means, masses) = np.empty(flat.shape), np.empty((2, flat.shape[1]))
    ends = np.empty(flat.shape[1], dtype=np.int64)
    _pool(flat, np.ascontiguousarray(weights), means, masses, ends, fitted)
    return np.moveaxis(fitted.reshape(lines.shape), -1, axis)


@compiled(cache=True, error_model="numpy")
def _pool(
    lines: FloatArray,
    weights: FloatArray,
    means: FloatArray,
    masses: FloatArray,
    ends: IntArray,
    fitted: FloatArray,
) -> None:
    """Pool adjacent violators: merge blocks until their computed means rise."""
    for row in range(len(lines)):
        n_blocks = 0
        for position in range(len(weights)):
            mean, mass = lines[row, position], weights[position]
            while n_blocks and means[n_blocks - 1] >= mean:
                n_blocks -= 1
                total = masses[n_blocks] + mass
                mean = (masses[n_blocks] * means[n_blocks] + mass * mean) / total
                mass = total
            means[n_blocks], masses[n_blocks] = mean, mass
            ends[n_blocks] = position + 1
            n_blocks += 1
        start = 0
        for block in range(n_blocks):
            for position in range(start, ends[block]):
                fitted[row, position] = means[block]
            start = ends[block]
