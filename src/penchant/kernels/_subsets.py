"""Subsets of attributes up to a size, and the minimum of a row over each of them.

All functions list the non-empty subsets in binary order: {0}, {1}, {0, 1}, {2}, ...
"""

from itertools import combinations
from math import comb

import numpy as np

from penchant.typing import FloatArray


def count_subsets(n: int, k: int | None = None) -> int:
    """Count the non-empty subsets of n attributes with at most k members."""
    top = n if k is None else min(k, n)
    return sum(comb(n, size) for size in range(1, top + 1))


def list_subsets(n: int, k: int | None = None) -> list[frozenset[int]]:
    """List the non-empty subsets of n attributes with at most k members.

    Examples
    --------
    >>> [sorted(subset) for subset in list_subsets(3, 2)]
    [[0], [1], [0, 1], [2], [0, 2], [1, 2]]
    """
    top = n if k is None else min(k, n)
    found = (
        members
        for size in range(1, top + 1)
        for members in combinations(range(n), size)
    )
    in_order = sorted(found, key=lambda members: sum(1 << i for i in members))
    return [frozenset(members) for members in in_order]


def subset_sizes(n: int, k: int | None = None) -> FloatArray:
    """Give the sizes of the subsets of `list_subsets`, as floats."""
    sizes, _ = _grow(np.zeros((1, n)), n if k is None else min(k, n))
    return sizes


def subset_minima(X: FloatArray, k: int | None = None) -> FloatArray:
    """Give min_T x for every row x and every subset T of at most k attributes.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
        Rows.
    k : int, optional
        Largest size of a subset; None: all subsets.

    Returns
    -------
    ndarray of shape (n_items, n_subsets)
        Columns in the order of `list_subsets`.

    Examples
    --------
    >>> import numpy as np
    >>> subset_minima(np.array([[0.5, 0.2, 0.9]]), 2).tolist()
    [[0.5, 0.2, 0.2, 0.9, 0.5, 0.2]]
    """
    _, minima = _grow(X, X.shape[1] if k is None else min(k, X.shape[1]))
    return minima.T


def _grow(X: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Add one attribute at a time to all subsets that have room for it."""
    n = X.shape[1]
    sizes = np.empty(count_subsets(n, k))
    minima = np.empty((sizes.size, X.shape[0]))
    count = 0
    for i in range(n):
        room = np.flatnonzero(sizes[:count] < k)
        end = count + 1 + room.size
        sizes[count], sizes[count + 1 : end] = 1, sizes[room] + 1
        minima[count] = X[:, i]
        np.minimum(minima[room], X[:, i], out=minima[count + 1 : end])
        count = end
    return sizes, minima
