"""Sums and products of one-attribute kernels over subsets of the attributes."""

from collections.abc import Iterable, Sequence

import numpy as np

from penchant.exceptions import DataError
from penchant.kernels._univariate import RBF
from penchant.typing import ArrayLike, FloatArray


def anova_kernel(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    max_order: int | None = None,
    sigma: float | Sequence[float] = 1.0,
    zero_mean: bool = True,
) -> FloatArray:
    """Sum the Gaussian product kernels of all subsets up to an order (GAI-9).

    An ordinary kernel machine with this kernel learns a utility that is a sum of
    terms with at most `max_order` attributes each; `max_order=1` is the additive
    utility. With `zero_mean` the terms are the ANOVA decomposition.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Items in [0, 1].
    Y : array-like of shape (m, n_features) or None, default=None
        Items in [0, 1]; None: X.
    max_order : int or None, default=None
        Largest size of a subset; None: all subsets.
    sigma : float or sequence of n_features floats, default=1.0
        Length scale, common or one per attribute.
    zero_mean : bool, default=True
        Whether each one-attribute kernel is centred on [0, 1] (GAI-1).

    Returns
    -------
    ndarray of shape (n, m)
        Sum over the non-empty subsets, in O(n_features max_order) per pair.

    Examples
    --------
    >>> from penchant.kernels import anova_kernel
    >>> anova_kernel([[0.0, 0.0], [1.0, 0.5]], max_order=2).round(3)
    array([[ 0.459, -0.19 ],
           [-0.19 ,  0.212]])
    """
    left = np.asarray(X, dtype=np.float64)
    right = left if Y is None else np.asarray(Y, dtype=np.float64)
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[1]:
        raise DataError(
            "X and Y must be 2-D with equally many columns. "
            f"Got shapes {left.shape} and {right.shape}."
        )
    scales = _scale_per_attribute(sigma, left.shape[1])
    kernels = (RBF(scale) for scale in scales)
    return sum_over_subsets(
        (
            kernel.k0(x, y) if zero_mean else kernel.k(x, y)
            for kernel, x, y in zip(kernels, left.T, right.T, strict=True)
        ),
        max_order=max_order,
    )


def sum_over_subsets(
    grams: Iterable[FloatArray], *, max_order: int | None = None
) -> FloatArray:
    """Sum the elementwise products of all non-empty subsets of Gram matrices.

    The sums e_1, ..., e_p of the orders are built one attribute after the other,
    e_q += K_i e_(q-1). Unlike the power sums of Newton and Girard, which give the
    same numbers at the same cost, this subtracts nothing.

    Parameters
    ----------
    grams : iterable of ndarray of shape (n, m)
        One Gram matrix per attribute; at least one.
    max_order : int or None, default=None
        Largest size of a subset; None: all subsets.

    Returns
    -------
    ndarray of shape (n, m)
    """
    if max_order is not None and max_order < 1:
        raise DataError(f"max_order must be at least 1, or None. Got {max_order}.")
    matrices = iter(grams)
    first = next(matrices, None)
    if first is None:
        raise DataError("At least one Gram matrix is needed. Got none.")
    if max_order is None:
        total = first.copy()
        for gram in matrices:
            # prod(1 + K_i) - 1, without the 1 that would swallow small kernels.
            total += gram * (1.0 + total)
        return total
    orders = np.zeros((max_order, *first.shape))
    orders[0] = first
    for gram in matrices:
        # From the largest order down: e_(q-1) must not know this attribute yet.
        for order in range(max_order - 1, 0, -1):
            orders[order] += gram * orders[order - 1]
        orders[0] += gram
    return orders.sum(axis=0)


def subset_kernel(grams: Sequence[FloatArray], subset: Sequence[int]) -> FloatArray:
    """Multiply the Gram matrices of a subset of the attributes (GAI-2).

    Parameters
    ----------
    grams : sequence of ndarray of shape (n, m)
        One Gram matrix per attribute.
    subset : sequence of int
        Indices of attributes; at least one.

    Returns
    -------
    ndarray of shape (n, m)
    """
    return np.multiply.reduce([grams[i] for i in subset])


def _scale_per_attribute(
    sigma: float | Sequence[float], n_features: int
) -> Sequence[float]:
    """Repeat a common length scale, or check that there is one per attribute."""
    if np.ndim(sigma) == 0:
        return [float(np.asarray(sigma))] * n_features
    scales = [float(scale) for scale in np.asarray(sigma)]
    if len(scales) != n_features:
        raise DataError(
            f"sigma must be one number or {n_features}, one per attribute. "
            f"Got {len(scales)}."
        )
    return scales
