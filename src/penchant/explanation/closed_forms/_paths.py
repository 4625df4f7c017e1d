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

__all__ = ["combine", "path_covariance", "path_values"]


def combine(factors: FloatArray, orders: FloatArray) -> FloatArray:
    """Give F of factors of shape (n_terms, d), shape (n_terms,)."""
    if not orders.size:
        product: FloatArray = factors.prod(axis=1)
        return product
    sums = np.zeros((orders.size + 1, len(factors)))
    sums[0] = 1.0
    for column in factors.T:
        sums[1:] += column * sums[:-1]
    total: FloatArray = orders @ sums[1:]
    return total


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
    return _integrate(
        np.ascontiguousarray(item),
        np.ascontiguousarray(reference),
        orders,
        nodes,
        weights,
    )


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
    return _integrate_twice(own, cross, reference, orders, nodes, weights)


@cache
def _line(degree: int) -> tuple[FloatArray, FloatArray]:
    """Give nodes and weights on [0, 1] that are exact up to degree - 1."""
    nodes, weights = np.polynomial.legendre.leggauss(max((degree + 1) // 2, 1))
    return (nodes + 1.0) / 2.0, weights / 2.0


@njit(cache=True)
def _slopes(
    y: FloatArray, orders: FloatArray, product: bool, sums: FloatArray, out: FloatArray
) -> None:
    """Write dF/dy_k to out: no division, and no subtraction."""
    d = y.size
    if product:
        left, right = 1.0, 1.0
        for k in range(d):
            out[k] = left
            left *= y[k]
        for k in range(d - 1, -1, -1):
            out[k] *= right
            right *= y[k]
        return
    # sums[k, q]: the sum of the products of q of the first k factors. Then backwards:
    # pull[q] is what such a sum of all factors so far is worth in the end.
    p = orders.size
    pull = np.zeros(p + 2)
    pull[1 : p + 1] = orders
    sums[0, 0] = 1.0
    for q in range(1, p + 1):
        sums[0, q] = 0.0
    for k in range(d):
        sums[k + 1, 0] = 1.0
        for q in range(1, p + 1):
            sums[k + 1, q] = sums[k, q] + y[k] * sums[k, q - 1]
    for k in range(d - 1, -1, -1):
        slope = 0.0
        for q in range(1, p + 1):
            slope += pull[q] * sums[k, q - 1]
        out[k] = slope
        for q in range(1, p + 1):
            pull[q] += y[k] * pull[q + 1]


@njit(cache=True)
def _integrate(
    item: FloatArray,
    reference: FloatArray,
    orders: FloatArray,
    nodes: FloatArray,
    weights: FloatArray,
) -> FloatArray:
    """Integrate the slopes along the line, term by term."""
    n, d = item.shape
    values = np.zeros((n, d))
    y, slope, sums = np.empty(d), np.empty(d), np.empty((d + 1, orders.size + 1))
    for j in range(n):
        for r in range(nodes.size):
            for k in range(d):
                y[k] = reference[j, k] + nodes[r] * (item[j, k] - reference[j, k])
            _slopes(y, orders, orders.size == 0, sums, slope)
            for k in range(d):
                values[j, k] += weights[r] * slope[k]
        for k in range(d):
            values[j, k] *= item[j, k] - reference[j, k]
    return values


@njit(cache=True)
def _integrate_twice(
    own: FloatArray,
    cross: FloatArray,
    reference: FloatArray,
    orders: FloatArray,
    nodes: FloatArray,
    weights: FloatArray,
) -> FloatArray:
    """Integrate over the two lines of two values whose covariance is sought."""
    d, product = own.size, orders.size == 0
    cov = np.zeros((d, d))
    y, slope, sums = np.empty(d), np.empty(d), np.empty((d + 1, orders.size + 1))
    low, high = cross - reference, own - cross  # ends of the difference on one side
    for r in range(nodes.size):
        for c in range(nodes.size):
            t, s, weight = nodes[r], nodes[c], weights[r] * weights[c]
            for k in range(d):
                start = reference[k] + s * low[k]
                y[k] = start + t * (cross[k] + s * high[k] - start)
            _slopes(y, orders, product, sums, slope)
            for i in range(d):
                cov[i, i] += weight * (high[i] - low[i]) * slope[i]
            if not product and orders.size < 2:
                continue
            for i in range(d):
                # Without factor i, F falls apart: its slope there is again of the form.
                kept, y[i] = y[i], 1.0 if product else 0.0
                _slopes(y, orders[1:], product, sums, slope)
                y[i] = kept
                first = weight * (low[i] + s * (high[i] - low[i]))
                for k in range(d):
                    if k != i:
                        cov[i, k] += (
                            first * (low[k] + t * (high[k] - low[k])) * slope[k]
                        )
    return cov
