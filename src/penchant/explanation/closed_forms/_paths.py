"""Shapley values of products by integrals along a line: exact, without subsets.

A term is F(y_1, ..., y_d), the product of its factors or a weighted sum of their
products over subsets by size. Moving a coalition's factors from a reference to an item
is a game; its multilinear extension is F along the straight line between the two, so
that its Shapley values are integrals of polynomials, which Gauss-Legendre nodes give
exactly (EX-10).
"""

from functools import cache

import numpy as np
from numba import njit

from penchant.typing import FloatArray


def combine(factors: FloatArray, orders: FloatArray) -> FloatArray:
    """Give F of factors of shape (n_terms, d), shape (n_terms,)."""
    if not orders.size:
        return factors.prod(axis=1)
    sums = np.zeros((orders.size + 1, len(factors)))
    sums[0] = 1.0
    for column in factors.T:
        sums[1:] += column * sums[:-1]
    return orders @ sums[1:]


def path_values(
    item: FloatArray, reference: FloatArray, orders: FloatArray
) -> FloatArray:
    """Give what each factor adds to each term on the way from reference to item.

    Parameters
    ----------
    item, reference : ndarray of shape (n_terms, d)
        The factors of each term at the two ends.
    orders : ndarray of shape (max_order,)
        Weights of the products of 1, 2, ... factors; empty: the product of all.

    Returns
    -------
    ndarray of shape (n_terms, d)
        Rows add up to F(item) - F(reference). O(n_terms d^2) for products,
        O(n_terms d max_order^2) for orders.
    """
    degree = int((item != reference).any(axis=0).sum())
    nodes, weights = _line(min(degree, orders.size) if orders.size else degree)
    way = item - reference
    values = np.zeros(way.shape)
    for node, weight in zip(nodes, weights, strict=True):
        values += weight * _slopes(reference + node * way, orders)
    return values * way


def path_covariance(
    own: FloatArray, cross: FloatArray, reference: FloatArray, orders: FloatArray
) -> FloatArray:
    """Give the prior covariance of the values of a process with a product kernel.

    Parameters
    ----------
    own, cross, reference : ndarray of shape (d,)
        Factors of the kernel between the item and itself, the item and the
        reference, and the reference and itself.
    orders : ndarray of shape (max_order,)
        As in `path_values`.

    Returns
    -------
    ndarray of shape (d, d)
        O(d^4) for products, O(d^2 max_order^3) for orders.
    """
    d = len(own)
    nodes, weights = _line(min(d, orders.size) if orders.size else d)
    t, s = (grid.reshape(-1, 1) for grid in np.meshgrid(nodes, nodes))
    weight = np.outer(weights, weights).ravel()
    low, high = cross - reference, own - cross  # ends of the difference on one side
    start = reference + s * low
    y = start + t * (cross + s * high - start)
    cov = np.diag((high - low) * (weight @ _slopes(y, orders)))
    if orders.size == 1:
        return cov
    first, second = low + s * (high - low), low + t * (high - low)
    for i in range(d):
        # Without factor i, F falls apart: its slope there is again of the form.
        apart = y.copy()
        apart[:, i] = 0.0 if orders.size else 1.0
        shares = (weight * first[:, i]) @ (second * _slopes(apart, orders[1:]))
        shares[i] = cov[i, i]
        cov[i] = shares
    return cov


@cache
def _line(degree: int) -> tuple[FloatArray, FloatArray]:
    """Give nodes and weights on [0, 1] that are exact up to degree - 1."""
    nodes, weights = np.polynomial.legendre.leggauss(max((degree + 1) // 2, 1))
    return (nodes + 1.0) / 2.0, weights / 2.0


def _slopes(y: FloatArray, orders: FloatArray) -> FloatArray:
    """Give dF/dy_k of factors of shape (n_terms, d): no division, no subtraction."""
    slopes = np.empty(y.shape)
    if orders.size:
        sums, pull = np.zeros((y.shape[1], orders.size)), np.empty(orders.size)
        sums[:, 0] = 1.0
        _fill_slopes(y, orders, sums, pull, slopes)
    else:
        _fill_product_slopes(y, slopes)
    return slopes


@njit(cache=True)
def _fill_product_slopes(y: FloatArray, slopes: FloatArray) -> None:
    d = y.shape[1]
    for j in range(len(y)):
        before = after = 1.0
        for k in range(d):
            slopes[j, k] = before
            before *= y[j, k]
        for k in range(d - 1, -1, -1):
            slopes[j, k] *= after
            after *= y[j, k]


@njit(cache=True)
def _fill_slopes(
    y: FloatArray,
    orders: FloatArray,
    sums: FloatArray,
    pull: FloatArray,
    slopes: FloatArray,
) -> None:
    # sums[k, q]: the sum of the products of q of the first k factors. Then backwards:
    # pull[q] is what such a sum, times one factor more, is worth in the end.
    d, p = y.shape[1], len(orders)
    for j in range(len(y)):
        for k in range(1, d):
            for q in range(1, p):
                sums[k, q] = sums[k - 1, q] + y[j, k - 1] * sums[k - 1, q - 1]
        for q in range(p):
            pull[q] = orders[q]
        for k in range(d - 1, -1, -1):
            slope = 0.0
            for q in range(p):
                slope += pull[q] * sums[k, q]
            slopes[j, k] = slope
            for q in range(p - 1):
                pull[q] += y[j, k] * pull[q + 1]
