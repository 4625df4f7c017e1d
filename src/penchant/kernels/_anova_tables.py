"""ANOVA kernels of many attributes over pairs of items, with slopes, compiled.

Fits to few answers spend most of their time here.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from penchant._compiled import compiled
from penchant.typing import FloatArray

_N_NODES = ((0.2, 16), (0.06, 40), (0.016, 128), (0.0, 512))
"""So many Gauss-Legendre nodes centre Gaussian kernels of at least these scales."""


class AttributeTable(NamedTuple):
    """What a pair of items needs: T_i = a_i exp(-(p_r - p_c)^2/2) - m_r m_c.

    Parameters
    ----------
    places : ndarray of shape (n_items, n_features)
        Values over length scales.
    amplitudes : ndarray of shape (n_features,)
        Weight over the mean diagonal of the centred kernel.
    means : ndarray of shape (n_items, n_features)
        Mean of the kernel over the measure, scaled so that products centre it.
    scale_amplitudes, scale_means : ndarray
        Derivatives of amplitudes and means by the logarithm of the scale.
    """

    places: FloatArray
    amplitudes: FloatArray
    means: FloatArray
    scale_amplitudes: FloatArray
    scale_means: FloatArray


def centred_table(
    items: FloatArray,
    measures: Sequence[tuple[FloatArray, FloatArray] | None],
    scales: FloatArray,
    weights: FloatArray,
) -> AttributeTable:
    """Compute the tables of zero-mean Gaussian kernels of all attributes.

    Parameters
    ----------
    items : ndarray of shape (n_items, n_features)
        Encoded items.
    measures : sequence of (ndarray, ndarray) or None
        Points and weights (summing to 1) that centre each kernel (GAI-1); None: the
        uniform measure on [0, 1], by as many nodes as the scale needs.
    scales, weights : ndarray of shape (n_features,)
        Length scale, and mean of the centred kernel's diagonal.
    """
    tables = np.empty((3, *items.shape))  # places, means and their derivatives
    amplitudes, scale_amplitudes = np.empty((2, items.shape[1]))
    for i, measure in enumerate(measures):
        nodes = measure or _unit_interval(_count_nodes(scales[i]))
        amplitudes[i], scale_amplitudes[i] = _fill_column(
            items, i, nodes, scales[i], weights[i], tables
        )
    places, means, scale_means = tables
    return AttributeTable(places, amplitudes, means, scale_amplitudes, scale_means)


@lru_cache
def _unit_interval(n_nodes: int) -> tuple[FloatArray, FloatArray]:
    """Give points and weights of the uniform measure on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    return 0.5 + 0.5 * nodes, 0.5 * weights


def _count_nodes(scale: float) -> int:
    return next(count for least, count in _N_NODES if scale >= least)


@compiled(cache=True)
def _fill_column(
    items: FloatArray,
    i: int,
    measure: tuple[FloatArray, FloatArray],
    scale: float,
    weight: float,
    tables: FloatArray,
) -> tuple[float, float]:
    """Fill column i of the tables; give the amplitude and its derivative."""
    points, shares = measure
    places, means, scale_means = tables[0], tables[1], tables[2]
    # k0 = k - m m'/M, M the mean of m; its mean diagonal is 1 - mean(m^2)/M (GAI-1).
    total, total_by, square, square_by = 0.0, 0.0, 0.0, 0.0
    for point, share in zip(points, shares):  # noqa: B905  # compiled: no strict
        m, m_by = _mean(point, points, shares, scale)
        total += share * m
        total_by += share * m_by
        square += share * m * m
        square_by += 2.0 * share * m * m_by
    diagonal = 1.0 - square / total
    diagonal_by = (square * total_by / total - square_by) / total
    # Scaled to a mean diagonal of `weight`: then the parameter is the variance of
    # this attribute alone, whatever the length scale does.
    amplitude = weight / diagonal
    amplitude_by = -amplitude * diagonal_by / diagonal
    root = np.sqrt(amplitude / total)
    log_root_by = 0.5 * (amplitude_by / amplitude - total_by / total)
    for r in range(len(items)):
        m, m_by = _mean(items[r, i], points, shares, scale)
        places[r, i] = items[r, i] / scale
        means[r, i] = root * m
        scale_means[r, i] = root * (m_by + m * log_root_by)
    return amplitude, amplitude_by


@compiled(cache=True)
def _mean(
    x: float, points: FloatArray, shares: FloatArray, scale: float
) -> tuple[float, float]:
    """Give the mean of the Gaussian kernel at x, and its derivative by log scale."""
    mean, by_scale = 0.0, 0.0
    for k in range(len(points)):
        away = (x - points[k]) / scale
        part = shares[k] * np.exp(-0.5 * away * away)
        mean += part
        by_scale += part * away * away
    return mean, by_scale


@compiled(cache=True, fastmath=True, error_model="numpy")
def anova_gram(
    table: AttributeTable, orders: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give the lower triangle of K, and of the Gaussian kernels before centring."""
    places, amplitudes, means = table.places, table.amplitudes, table.means
    n, d = places.shape
    K, kernels = np.zeros((n, n)), np.empty((n * (n + 1) // 2, d))
    sums = np.empty(len(orders))
    pair = 0
    for r in range(n):
        for c in range(r + 1):
            for q in range(len(orders)):
                sums[q] = 0.0
            sums[0] = 1.0
            for i in range(d):
                distance = places[r, i] - places[c, i]
                k = np.exp(-0.5 * distance * distance)
                kernels[pair, i] = k
                term = amplitudes[i] * k - means[r, i] * means[c, i]
                for q in range(len(orders) - 1, 0, -1):
                    sums[q] += term * sums[q - 1]
            total = 0.0
            for q in range(len(orders)):
                total += orders[q] * sums[q]
            K[r, c] = total
            pair += 1
    return K, kernels


@compiled(cache=True, fastmath=True, error_model="numpy")
def anova_slopes(
    table: AttributeTable, orders: FloatArray, kernels: FloatArray, slope: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give half the sum of slope * dK for log scale, log weight and order."""
    places, amplitudes, means, scale_amplitudes, scale_means = table
    n, d = places.shape
    scale, weight = np.zeros(d), np.zeros(d)
    order, sums, terms = np.zeros(len(orders)), np.empty(len(orders)), np.empty(d)
    pair = 0
    for r in range(n):
        for c in range(r + 1):
            # A pair below the diagonal stands for its mirror image, too.
            twice = slope[r, c] * (0.5 if r == c else 1.0)
            for q in range(len(orders)):
                sums[q] = 0.0
            sums[0] = 1.0
            for i in range(d):
                k = kernels[pair, i]
                terms[i] = amplitudes[i] * k - means[r, i] * means[c, i]
                for q in range(len(orders) - 1, 0, -1):
                    sums[q] += terms[i] * sums[q - 1]
            for q in range(len(orders)):
                order[q] += twice * sums[q]
            for i in range(d):
                # e_q of the other attributes, by dividing (1 + terms[i] t) out of
                # the polynomial whose coefficients are the sums.
                others, rest = 1.0, orders[1]
                for q in range(1, len(orders) - 1):
                    others = sums[q] - terms[i] * others
                    rest += orders[q + 1] * others
                k, share = kernels[pair, i], twice * rest
                weight[i] += share * terms[i]
                distance = places[r, i] - places[c, i]
                scale[i] += share * (
                    (amplitudes[i] * distance * distance + scale_amplitudes[i]) * k
                    - scale_means[r, i] * means[c, i]
                    - means[r, i] * scale_means[c, i]
                )
            pair += 1
    return scale, weight, order
