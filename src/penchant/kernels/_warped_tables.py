"""Zero-mean Gaussian kernels of warped attributes, and their derivatives, as tables."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from penchant.typing import FloatArray

__all__ = ["AttributeTable", "attribute_table"]


class AttributeTable(NamedTuple):
    """What a pair of items needs: T_i = a_i exp(-(p_r - p_c)^2/2) - m_r m_c.

    Parameters
    ----------
    places : ndarray of shape (n_items, n_features)
        Warped values over length scales.
    amplitudes : ndarray of shape (n_features,)
        Weight over the mean diagonal of the centred kernel.
    means : ndarray of shape (n_items, n_features)
        Mean of the kernel over the measure, scaled so that products centre it.
    scale_amplitudes, scale_means : ndarray
        Derivatives of amplitudes and means by the logarithm of the scale.
    warp_places, warp_amplitudes, warp_means : ndarray
        Derivatives by the logarithm of the rate; 0 without a warp.
    """

    places: FloatArray
    amplitudes: FloatArray
    means: FloatArray
    scale_amplitudes: FloatArray
    scale_means: FloatArray
    warp_places: FloatArray
    warp_amplitudes: FloatArray
    warp_means: FloatArray


def attribute_table(
    items: FloatArray,
    measures: Sequence[tuple[FloatArray, FloatArray]],
    scales: FloatArray,
    weights: FloatArray,
    rates: FloatArray,
) -> AttributeTable:
    """Compute the tables of all attributes."""
    columns = [
        _column(items[:, i], *measures[i], scales[i], weights[i], rates[i])
        for i in range(items.shape[1])
    ]
    arrays = [np.stack(parts, axis=-1) for parts in zip(*columns, strict=True)]
    return AttributeTable(*(np.ascontiguousarray(array) for array in arrays))


def _column(
    values: FloatArray,
    points: FloatArray,
    shares: FloatArray,
    scale: float,
    weight: float,
    rate: float,
) -> tuple[FloatArray, ...]:
    """Compute the table of one attribute, in the order of AttributeTable."""
    x, dx = _warp(values, rate)
    s, ds = _warp(points, rate)
    x, dx, s, ds = x / scale, dx / scale, s / scale, ds / scale
    m, m_scale, m_warp = _mean(x, dx, s, ds, shares)
    g, g_scale, g_warp = _mean(s, ds, s, ds, shares)
    # k0 = k - m m'/M, M the mean of m; its mean diagonal is 1 - mean(m^2)/M (GAI-1).
    total, square = shares @ g, shares @ g**2
    diagonal = 1.0 - square / total
    amplitude = weight / diagonal
    root = np.sqrt(amplitude / total)
    derivatives = []
    for m_by, g_by in ((m_scale, g_scale), (m_warp, g_warp)):
        total_by, square_by = shares @ g_by, 2.0 * shares @ (g * g_by)
        diagonal_by = (square * total_by / total - square_by) / total
        amplitude_by = -amplitude * diagonal_by / diagonal
        log_root_by = 0.5 * (amplitude_by / amplitude - total_by / total)
        derivatives.append((amplitude_by, root * (m_by + m * log_root_by)))
    (scale_amplitude, scale_mean), (warp_amplitude, warp_mean) = derivatives
    return (
        x,
        np.asarray(amplitude),
        root * m,
        np.asarray(scale_amplitude),
        scale_mean,
        dx,
        np.asarray(warp_amplitude),
        warp_mean,
    )


def _warp(x: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
    """Give log(1 + rate x)/log(1 + rate) and its derivative by log rate."""
    if rate == 0.0:
        return x, np.zeros_like(x)
    height = np.log1p(rate)
    warped = np.log1p(rate * x) / height
    inner = rate * x / (1.0 + rate * x)
    return warped, (inner - warped * rate / (1.0 + rate)) / height


def _mean(
    x: FloatArray, dx: FloatArray, s: FloatArray, ds: FloatArray, shares: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the kernel's mean at x, and its derivatives by log scale and log rate."""
    distance = np.subtract.outer(x, s)
    kernel = np.exp(-0.5 * distance**2) * shares
    by_place = kernel * distance
    by_scale = np.einsum("ij,ij->i", by_place, distance)
    by_warp = by_place @ ds - dx * by_place.sum(axis=1)
    return kernel.sum(axis=1), by_scale, by_warp
