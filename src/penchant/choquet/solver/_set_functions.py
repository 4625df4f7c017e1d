"""Set functions as arrays of length 2^n in binary order: entry A is the set of bits."""

import numpy as np

from penchant.exceptions import DataError
from penchant.typing import FloatArray


def zeta_transform(mobius: FloatArray) -> FloatArray:
    """Sum a set function over the subsets of every set, in O(n 2^n).

    Parameters
    ----------
    mobius : ndarray of shape (..., 2^n)
        Möbius coefficients m(T) in binary order.

    Returns
    -------
    ndarray of shape (..., 2^n)
        mu(A) = sum of m(T) over the subsets T of A.

    Examples
    --------
    >>> zeta_transform(np.array([0.0, 0.5, 0.2, 0.3])).tolist()
    [0.0, 0.5, 0.2, 1.0]
    """
    values = np.array(mobius, dtype=np.float64)
    # After attribute i, entry A sums the subsets that differ from A up to i alone.
    for i in range(count_attributes(values)):
        halves = _halves(values, i)
        halves[..., 1, :] += halves[..., 0, :]
    return values


def mobius_transform(values: FloatArray) -> FloatArray:
    """Undo `zeta_transform`: m(T) = sum over A in T of (-1)^|T - A| mu(A).

    Examples
    --------
    >>> mobius_transform(np.array([0.0, 0.5, 0.2, 1.0])).round(12).tolist()
    [0.0, 0.5, 0.2, 0.3]
    """
    mobius = np.array(values, dtype=np.float64)
    for i in range(count_attributes(mobius)):
        halves = _halves(mobius, i)
        halves[..., 1, :] -= halves[..., 0, :]
    return mobius


def marginal_gains(values: FloatArray, i: int) -> FloatArray:
    """Give mu(A + i) - mu(A) for all sets A without attribute i.

    Returns
    -------
    ndarray of shape (2^(n - 1 - i), 2^i)
        Entry (a, b) belongs to the set whose bits above i are a and below i are b.
    """
    halves = _halves(values, i)
    return halves[:, 1, :] - halves[:, 0, :]


def count_attributes(values: FloatArray) -> int:
    """Return n for an array whose last axis has 2^n entries."""
    size = int(values.shape[-1])
    if size < 1 or size & (size - 1):
        raise DataError(
            "A set function on n attributes has one value per subset, 2^n in all. "
            f"Got {size} values."
        )
    return size.bit_length() - 1


def _halves(values: FloatArray, i: int) -> FloatArray:
    """View the sets without (0) and with (1) attribute i along the middle axis."""
    return values.reshape(*values.shape[:-1], -1, 2, 1 << i)
