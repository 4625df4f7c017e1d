"""Moments of a normal variable that is known to lie in an interval, compiled.

Everything that a site of evidence needs (GP-3, GP-8, GP-10) is a cumulant of a
standard normal e given a < e <= b. Each of the four regimes below subtracts no two
numbers that are nearly equal, so that far tails and narrow intervals lose nothing.
Helpers are inlined: compiled on their own they would make the first use wait.
"""

from math import erfc, exp, inf, log, log1p, pi, sqrt

import numpy as np
from numba import njit

from penchant.typing import FloatArray

_SQRT2 = sqrt(2.0)
_LOG_SQRT_2PI = 0.5 * log(2.0 * pi)
_TAIL = 5.0
"""Beyond this the continued fraction of the Mills ratio takes over."""
_N_TERMS = 40
_WIDE = 2.0
"""Intervals around 0 that are wider are a difference of two tails."""
_NEGLIGIBLE = 38.0
"""Where the density has fallen by exp(-38), the upper end makes no difference."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(28)


@njit(cache=True)
def truncated_normal(
    a: float, width: float
) -> tuple[float, float, float, float, float, float, float]:
    """Describe a standard normal e given a < e <= a + width.

    Parameters
    ----------
    a : float
        Lower end; may be -inf.
    width : float
        Positive; may be inf. Given apart from a, so that narrow intervals far from
        0 keep it. With a = -inf it is the upper end instead.

    Returns
    -------
    log_mass : float
        Logarithm of the probability of the interval.
    mean, variance, third : float
        First three cumulants of e.
    shrinkage : float
        1 - variance, to full relative precision.
    at_lower, at_upper : float
        Density of e at the two ends; 0 at infinite ones.
    """
    if a == -inf and width == inf:
        return 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0
    # The mirror image of an interval below 0 lies above it.
    mirrored = a == -inf or a + 0.5 * width < 0.0
    if mirrored:
        a, width = (-width, inf) if a == -inf else (-(a + width), width)
    fall = width * (a + 0.5 * width)
    if width == inf or (a > 0.0 and fall > _NEGLIGIBLE):
        log_mass, mean, variance, third, shrinkage, low = _upper_tail(a)
        high = 0.0
    elif a <= 1.0 and width > _WIDE:
        log_mass, mean, variance, third, shrinkage, low, high = _difference_of_tails(
            a, a + width
        )
    else:
        log_mass, mean, variance, third, shrinkage, low, high = _by_quadrature(
            a, width, fall
        )
    if mirrored:
        return log_mass, -mean, variance, -third, shrinkage, high, low
    return log_mass, mean, variance, third, shrinkage, low, high


@njit(inline="always")
def _upper_tail(a: float) -> tuple[float, float, float, float, float, float]:
    """Describe e given e > a: log mass, three cumulants, shrinkage, density at a."""
    if a <= _TAIL:
        # The smaller of the two tails is exact to the last digit, the larger follows.
        tail = 0.5 * erfc(abs(a) / _SQRT2)
        log_mass = log(tail) if a > 0.0 else log1p(-tail)
        mean = exp(-0.5 * a * a - _LOG_SQRT_2PI - log_mass)
        # mean > a always: both factors are positive, and 1 - variance keeps its digits.
        shrinkage = mean * (mean - a)
        third = mean * ((mean - a) * (2.0 * mean - a) - 1.0)
        return log_mass, mean, 1.0 - shrinkage, third, shrinkage, mean
    # mean = a + 1/(a + 2/(a + 3/(a + ...))); first, second and third are the
    # fractions that start at 1, 2 and 3.
    third_fraction = 0.0
    for k in range(_N_TERMS, 2, -1):
        third_fraction = k / (a + third_fraction)
    second = 2.0 / (a + third_fraction)
    first = 1.0 / (a + second)
    mean = a + first
    variance = first * (second - first)
    third = mean * first * first * second * (third_fraction - second)
    log_mass = -0.5 * a * a - _LOG_SQRT_2PI - log(mean)
    return log_mass, mean, variance, third, 1.0 - variance, mean


@njit(inline="always")
def _difference_of_tails(
    a: float, b: float
) -> tuple[float, float, float, float, float, float, float]:
    """Describe e in a wide interval that starts at 1 or lower."""
    outside_high = 0.5 * erfc(b / _SQRT2)
    if a > 0.0:
        log_mass = log(0.5 * erfc(a / _SQRT2) - outside_high)
    else:
        log_mass = log1p(-0.5 * erfc(-a / _SQRT2) - outside_high)
    low = exp(-0.5 * a * a - _LOG_SQRT_2PI - log_mass)
    high = exp(-0.5 * b * b - _LOG_SQRT_2PI - log_mass)
    mean = low - high
    slope = a * low - b * high if high > 0.0 else a * low
    shrinkage = mean * mean - slope
    third = (a * a - 1.0) * low + mean * (2.0 * mean * mean - 3.0 * slope)
    if high > 0.0:
        third -= (b * b - 1.0) * high
    return log_mass, mean, 1.0 - shrinkage, third, shrinkage, low, high


@njit(inline="always")
def _by_quadrature(
    a: float, width: float, fall: float
) -> tuple[float, float, float, float, float, float, float]:
    """Describe e in an interval over which the density falls by exp(-fall)."""
    total, first = 0.0, 0.0
    for k in range(len(_NODES)):
        t = 0.5 * width * (1.0 + _NODES[k])
        mass = 0.5 * width * _WEIGHTS[k] * exp(-t * (a + 0.5 * t))
        total += mass
        first += mass * t
    shift = first / total
    # About the mean in a second pass: differences of raw moments would lose the
    # digits of narrow intervals far from 0.
    second, third = 0.0, 0.0
    for k in range(len(_NODES)):
        t = 0.5 * width * (1.0 + _NODES[k])
        mass = 0.5 * width * _WEIGHTS[k] * exp(-t * (a + 0.5 * t)) / total
        away = t - shift
        second += mass * away * away
        third += mass * away * away * away
    log_mass = -0.5 * a * a - _LOG_SQRT_2PI + log(total)
    low, high = 1.0 / total, exp(-fall) / total
    return log_mass, a + shift, second, third, 1.0 - second, low, high


@njit(inline="always")
def standardised(
    lower: float, upper: float, s: float, scale: float
) -> tuple[float, float]:
    """Give the interval of e = (x - s)/scale as `truncated_normal` takes it."""
    if lower == -np.inf:
        return -np.inf, (upper - s) / scale
    return (lower - s) / scale, (upper - lower) / scale


@njit(cache=True)
def truncated_normals(
    lower: FloatArray, upper: FloatArray, scale: FloatArray, s: FloatArray
) -> FloatArray:
    """Describe each e = (x - s)/scale given lower < x <= upper, shape (7, n)."""
    found = np.empty((7, len(s)))
    for k in range(len(s)):
        a, width = standardised(lower[k], upper[k], s[k], scale[k])
        told = truncated_normal(a, width)
        for r in range(7):
            found[r, k] = told[r]
    return found
