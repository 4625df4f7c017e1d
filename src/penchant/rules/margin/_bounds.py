"""Lower bounds of a margin program, and columns it can do without (PRL-3)."""

import numpy as np

from penchant.typing import BoolArray, FloatArray

_MAX_CORRELATION = 0.98
"""Columns that are more alike than this add little to each other."""


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
