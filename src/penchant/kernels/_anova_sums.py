"""Sums over the pairs of items: the ANOVA kernel and its derivatives, compiled."""

import numpy as np
from numba import njit

from penchant.kernels._warped_tables import AttributeTable
from penchant.typing import FloatArray

__all__ = ["anova_gram", "anova_slopes"]


@njit(cache=True, fastmath=True, error_model="numpy")
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


@njit(cache=True, fastmath=True, error_model="numpy")
def anova_slopes(
    table: AttributeTable, orders: FloatArray, kernels: FloatArray, slope: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Give half the sum of slope * dK for log scale, log weight, order, log rate."""
    places, amplitudes, means, scale_amplitudes, scale_means = table[:5]
    warp_places, warp_amplitudes, warp_means = table[5:]
    n, d = places.shape
    scale, weight, warp = np.zeros(d), np.zeros(d), np.zeros(d)
    order, sums, terms = np.zeros(len(orders)), np.empty(len(orders)), np.empty(d)
    pair = 0
    for r in range(n):
        for c in range(r + 1):
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
                moved = distance * (warp_places[r, i] - warp_places[c, i])
                warp[i] += share * (
                    (warp_amplitudes[i] - amplitudes[i] * moved) * k
                    - warp_means[r, i] * means[c, i]
                    - means[r, i] * warp_means[c, i]
                )
            pair += 1
    return scale, weight, order, warp
