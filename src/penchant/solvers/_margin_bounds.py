"""Lower bounds of a margin program, and columns it can do without (PRL-3)."""

import numpy as np

from penchant.typing import BoolArray, FloatArray


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
