"""Kernels of skewed attributes: a logarithmic warp before the kernel."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from penchant.exceptions import DataError
from penchant.kernels import RBF, UnivariateKernel
from penchant.typing import ArrayLike, FloatArray

__all__ = ["WarpedRBF", "skewness_rate"]

_RATES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
_SKEWED = 0.5
"""Attributes with a smaller skewness are left as they are."""


@dataclass(frozen=True)
class WarpedRBF(UnivariateKernel):
    """The Gaussian kernel of log(1 + rate x)/log(1 + rate), centred on [0, 1].

    The measure stays uniform in x, so that warped and other kernels can stand side
    by side in one ANOVA decomposition. The mean is that of 64 Gauss-Legendre nodes;
    the kernel is exactly centred on these.

    Parameters
    ----------
    sigma : float
        Length scale after the warp.
    rate : float
        Positive; larger values stretch the lower end more.

    Examples
    --------
    >>> from penchant.gai._warp import WarpedRBF
    >>> kernel = WarpedRBF(0.5, 10.0)
    >>> points, weights = kernel.measure()
    >>> bool(abs(kernel.k0([0.3], points) @ weights) < 1e-12)
    True
    """

    sigma: float
    rate: float

    def __post_init__(self) -> None:
        if not self.rate > 0:
            raise DataError(f"rate must be positive. Got {self.rate}.")

    def k0(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        left, right = self._warp(x), self._warp(y)
        return self._kernel.k(left, right) - np.outer(
            self._mean(left), self._mean(right) / self._grand_mean
        )

    def measure(self) -> tuple[FloatArray, FloatArray]:
        return self._kernel.measure()

    @property
    def _kernel(self) -> RBF:
        return RBF(self.sigma)

    def _warp(self, x: ArrayLike) -> FloatArray:
        values = np.asarray(x, dtype=np.float64)
        warped: FloatArray = np.log1p(self.rate * values) / np.log1p(self.rate)
        return warped

    def _mean(self, warped: FloatArray) -> FloatArray:
        points, weights = self.measure()
        mean: FloatArray = self._kernel.k(warped, self._warp(points)) @ weights
        return mean

    @cached_property
    def _grand_mean(self) -> float:
        points, weights = self.measure()
        return float(weights @ self._mean(self._warp(points)))


def skewness_rate(x: FloatArray, weights: FloatArray) -> float:
    """Find the warp that makes the distribution of an attribute most symmetric.

    Parameters
    ----------
    x : ndarray of shape (n_items,)
        Values in [0, 1].
    weights : ndarray of shape (n_items,)

    Returns
    -------
    float
        The rate of the warp; 0 where x is not skewed to the right.
    """
    if _skewness(x, weights) < _SKEWED:
        return 0.0
    warps = [np.log1p(rate * x) for rate in _RATES]
    sizes = [abs(_skewness(warped, weights)) for warped in warps]
    return _RATES[int(np.argmin(sizes))]


def _skewness(x: FloatArray, weights: FloatArray) -> float:
    centred = x - np.average(x, weights=weights)
    variance = np.average(centred**2, weights=weights)
    if variance <= 0.0:
        return 0.0
    return float(np.average(centred**3, weights=weights) / variance**1.5)
