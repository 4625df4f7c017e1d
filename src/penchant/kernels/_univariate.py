"""Kernels on one attribute: continuous, ordered or categorical."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cache
from math import comb, factorial
from typing import ClassVar

import numpy as np
from scipy.special import erf

from penchant.exceptions import DataError
from penchant.kernels._kernel import UnivariateKernel
from penchant.typing import ArrayLike, FloatArray


class _CentredKernel(UnivariateKernel):
    """A kernel k with known means: k0 = k - m m'/M (GAI-1)."""

    def k0(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        left = np.asarray(x, dtype=np.float64)
        right = np.asarray(y, dtype=np.float64)
        centre = np.outer(self._mean(left), self._mean(right)) / self._grand_mean()
        return self.k(left, right) - centre

    @abstractmethod
    def k(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        """Give the Gram matrix before centring, shape (n, m)."""

    @abstractmethod
    def _mean(self, x: FloatArray) -> FloatArray:
        """Give m(x), the mean of k(x, s) over s."""

    @abstractmethod
    def _grand_mean(self) -> float:
        """Give M, the mean of m."""


class _ContinuousKernel(_CentredKernel):
    """A kernel on [0, 1] with the uniform measure."""

    _n_nodes: ClassVar[int] = 64

    def measure(self) -> tuple[FloatArray, FloatArray]:
        nodes, weights = _gauss_legendre(self._n_nodes)
        return (nodes + 1.0) / 2.0, weights / 2.0


@dataclass(frozen=True)
class RBF(_ContinuousKernel):
    """The Gaussian kernel exp(-(x-y)^2/(2 sigma^2)) on [0, 1].

    Parameters
    ----------
    sigma : float, default=1.0
        Length scale.

    Examples
    --------
    >>> from penchant.kernels import RBF
    >>> round(float(RBF(1.0).k0([0.0], [0.0])[0, 0]), 4)
    0.208
    """

    sigma: float = 1.0

    def __post_init__(self) -> None:
        if not self.sigma > 0:
            raise DataError(f"sigma must be positive. Got {self.sigma}.")

    def k(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        scaled = np.subtract.outer(np.asarray(x), np.asarray(y)) / self.sigma
        gram: FloatArray = np.exp(-0.5 * scaled**2)
        return gram

    def _mean(self, x: FloatArray) -> FloatArray:
        width = self.sigma * np.sqrt(2.0)
        mean: FloatArray = (
            self.sigma * np.sqrt(np.pi / 2) * (erf(x / width) + erf((1 - x) / width))
        )
        return mean

    def _grand_mean(self) -> float:
        tail = self.sigma**2 * np.expm1(-0.5 / self.sigma**2)
        reach = self.sigma * np.sqrt(np.pi / 2) * erf(1 / (self.sigma * np.sqrt(2)))
        return float(2.0 * (reach + tail))


@dataclass(frozen=True)
class Spline(_ContinuousKernel):
    """The first-order infinite spline kernel on [0, 1].

    ``1 + x y + |x-y| min(x,y)^2/2 + min(x,y)^3/3``: functions with a square
    integrable second derivative, rougher than those of the RBF.
    """

    _n_nodes: ClassVar[int] = 32

    def k(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        left, right = np.asarray(x)[:, None], np.asarray(y)[None, :]
        low = np.minimum(left, right)
        gram: FloatArray = (
            1.0 + left * right + np.abs(left - right) * low**2 / 2 + low**3 / 3
        )
        return gram

    def _mean(self, x: FloatArray) -> FloatArray:
        return 1.0 + x / 2 + x**2 / 4 - x**3 / 6 + x**4 / 24

    def _grand_mean(self) -> float:
        return 1.3


@dataclass(frozen=True)
class BSpline(_ContinuousKernel):
    """The B-spline kernel of odd order, B(x-y), on [0, 1].

    B is the centred B-spline of the given degree with unit knots: order 1 gives
    ``1-|x-y|``, order 3 a cubic, and so on; smoother with the order.

    Parameters
    ----------
    order : int, default=3
        Odd and positive.
    """

    _n_nodes: ClassVar[int] = 32

    order: int = 3

    def __post_init__(self) -> None:
        if self.order < 1 or self.order % 2 == 0:
            raise DataError(
                "order must be odd and positive, or the kernel is not positive "
                f"semi-definite. Got {self.order}."
            )

    def k(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        return self._integral(np.subtract.outer(np.asarray(x), np.asarray(y)), 0)

    def _mean(self, x: FloatArray) -> FloatArray:
        return self._integral(x, 1) - self._integral(x - 1.0, 1)

    def _grand_mean(self) -> float:
        left, middle, right = self._integral(np.array([-1.0, 0.0, 1.0]), 2)
        return float(left - 2.0 * middle + right)

    def _integral(self, t: FloatArray, times: int) -> FloatArray:
        """Integrate the B-spline `times` times, by its truncated powers."""
        degree = self.order + times
        total = np.zeros_like(t)
        for j in range(self.order + 2):
            shifted = np.maximum(t + (self.order + 1) / 2 - j, 0.0)
            total += (-1) ** j * comb(self.order + 1, j) * shifted**degree
        return total / factorial(degree)


class _DiscreteKernel(_CentredKernel):
    """A kernel on finitely many levels with weights: k0 = k - (Kw)(Kw)'/(w'Kw)."""

    def _mean(self, x: FloatArray) -> FloatArray:
        levels, weights = self.measure()
        mean: FloatArray = self.k(x, levels) @ weights
        return mean

    def _grand_mean(self) -> float:
        levels, weights = self.measure()
        return float(weights @ self._mean(levels))

    def _expansion_nodes(self) -> tuple[FloatArray, FloatArray]:
        levels, _ = self.measure()  # levels of weight 0 keep their features
        return levels, np.ones_like(levels)


@dataclass(frozen=True)
class Ordinal(_DiscreteKernel):
    """The Gaussian kernel on ordered levels, centred on the levels' weights.

    Parameters
    ----------
    levels : tuple of float
        Encoded levels, in [0, 1]; at least two.
    sigma : float, default=1.0
        Length scale.
    weights : tuple of float or None, default=None
        One non-negative weight per level; None: equal weights.
    """

    levels: tuple[float, ...]
    sigma: float = 1.0
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not self.sigma > 0:
            raise DataError(f"sigma must be positive. Got {self.sigma}.")
        if len(set(self.levels)) < max(2, len(self.levels)):
            raise DataError(f"levels must be two or more, distinct. Got {self.levels}.")
        _level_weights(self.weights, len(self.levels))

    def k(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        return RBF(self.sigma).k(x, y)

    def measure(self) -> tuple[FloatArray, FloatArray]:
        return np.array(self.levels), _level_weights(self.weights, len(self.levels))


@dataclass(frozen=True)
class Categorical(_DiscreteKernel):
    """The delta kernel on category codes 0, 1, ..., n_levels - 1.

    An unknown code has k0 = 0 with everything: it gets the mean utility.

    Parameters
    ----------
    n_levels : int
        Number of categories; at least two.
    weights : tuple of float or None, default=None
        One non-negative weight per category; None: equal weights.
    """

    n_levels: int
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.n_levels < 2:
            raise DataError(f"n_levels must be at least 2. Got {self.n_levels}.")
        _level_weights(self.weights, self.n_levels)

    def k(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        gram: FloatArray = np.equal.outer(np.asarray(x), np.asarray(y)).astype(float)
        return gram

    def measure(self) -> tuple[FloatArray, FloatArray]:
        codes = np.arange(self.n_levels, dtype=np.float64)
        return codes, _level_weights(self.weights, self.n_levels)


def zero_mean_rbf(x: ArrayLike, y: ArrayLike, sigma: float = 1.0) -> FloatArray:
    """Give the zero-mean Gaussian Gram matrix on [0, 1] in closed form (GAI-1).

    Parameters
    ----------
    x : array-like of shape (n,)
        Values in [0, 1].
    y : array-like of shape (m,)
        Values in [0, 1].
    sigma : float, default=1.0
        Length scale of exp(-(x-y)^2/(2 sigma^2)).

    Returns
    -------
    ndarray of shape (n, m)
        Each row integrates to 0 over y in [0, 1].

    Examples
    --------
    >>> from penchant.kernels import zero_mean_rbf
    >>> zero_mean_rbf([0.0, 0.5, 1.0], [0.0]).round(3).ravel()
    array([ 0.208, -0.006, -0.186])
    """
    return RBF(sigma).k0(x, y)


@cache
def _gauss_legendre(n_nodes: int) -> tuple[FloatArray, FloatArray]:
    """Give nodes and weights of the quadrature on [-1, 1]: not to be written to."""
    return np.polynomial.legendre.leggauss(n_nodes)


def _level_weights(weights: tuple[float, ...] | None, n_levels: int) -> FloatArray:
    """Give the weights of the levels, summing to 1."""
    if weights is None:
        return np.full(n_levels, 1.0 / n_levels)
    values = np.array(weights, dtype=np.float64)
    if len(values) != n_levels or not (values >= 0).all() or values.sum() == 0:
        raise DataError(
            f"weights must be {n_levels} non-negative numbers with a positive sum, "
            f"one per level. Got {weights}."
        )
    normalised: FloatArray = values / values.sum()
    return normalised
