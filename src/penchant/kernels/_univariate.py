"""Kernels on one attribute: what each offers, and those of numbers in [0, 1]."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from math import comb, factorial
from typing import ClassVar

import numpy as np
from scipy.special import erf

from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray

_EIGENVALUE_CUT = 1e-12
"""Features whose eigenvalue is below this share of the largest are left out."""


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """Finite features of a zero-mean kernel: phi(x) = k0(x, nodes) projection.

    Learning, certificate and prediction all use phi(x)'phi(y) as *the* kernel, so
    they speak about the same object. The map depends on no data and is described by
    two small arrays, which is all that a saved model needs.

    Parameters
    ----------
    kernel : UnivariateKernel
        The kernel whose zero-mean form is expanded.
    nodes : ndarray of shape (n_nodes,)
        Quadrature nodes, or the levels of a discrete attribute.
    projection : ndarray of shape (n_nodes, n_features)
        Takes kernel values at the nodes to features.
    """

    kernel: "UnivariateKernel"
    nodes: FloatArray
    projection: FloatArray

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.projection.shape[1])

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Give the features of each value.

        Parameters
        ----------
        x : array-like of shape (n_values,)
            Values of the attribute: in [0, 1], or category codes.

        Returns
        -------
        ndarray of shape (n_values, n_features)
        """
        return self.kernel.k0(x, self.nodes) @ self.projection

    def second_moments(self) -> FloatArray:
        """Give the mean of phi(x)phi(x)' over the attribute's measure.

        With it the variance of a factor follows from its weights (GAI-3).

        Returns
        -------
        ndarray of shape (n_features, n_features)
        """
        # By the kernel's own quadrature, the one that centres it.
        points, weights = self.kernel.measure()
        features = self(points)
        return features.T @ (weights[:, None] * features)


class UnivariateKernel(ABC):
    """A kernel on one attribute, centred on the attribute's measure (GAI-1)."""

    @abstractmethod
    def k0(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        """Give the zero-mean Gram matrix.

        Parameters
        ----------
        x : array-like of shape (n,)
        y : array-like of shape (m,)

        Returns
        -------
        ndarray of shape (n, m)
        """

    @abstractmethod
    def measure(self) -> tuple[FloatArray, FloatArray]:
        """Give points and weights (summing to 1) of the centring measure."""

    def mean_diagonal(self) -> float:
        """Give the mean of k0(x, x) over the attribute's measure."""
        points, weights = self.measure()
        return float(weights @ np.diagonal(self.k0(points, points)))

    def scaled(self, amplitude: float) -> "ScaledKernel":
        """Give amplitude times this kernel."""
        return ScaledKernel(self, amplitude)

    def feature_map(self) -> FeatureMap:
        """Give a finite, data-independent feature map with k0 = phi phi'.

        Continuous attributes: eigenvectors of the kernel at Gauss-Legendre nodes,
        extended to all x. This is exact to rounding for the RBF, and a low-rank
        version for the spline kernels. Discrete attributes: exact on the levels.
        """
        nodes, weights = self._expansion_nodes()
        # The roots of the weights make the integral operator a symmetric matrix, whose
        # eigenvectors are its eigenfunctions at the nodes.
        roots = np.sqrt(weights)
        values, vectors = np.linalg.eigh(
            roots[:, None] * self.k0(nodes, nodes) * roots[None, :]
        )
        # Smaller ones are rounding, and dividing by their roots would blow it up.
        keep = np.flatnonzero(values > _EIGENVALUE_CUT * values[-1])[::-1]
        projection = roots[:, None] * vectors[:, keep] / np.sqrt(values[keep])
        return FeatureMap(self, nodes, projection)

    def _expansion_nodes(self) -> tuple[FloatArray, FloatArray]:
        """Give the nodes and positive weights of the feature expansion."""
        return self.measure()


@dataclass(frozen=True)
class ScaledKernel(UnivariateKernel):
    """A kernel times an amplitude.

    Parameters
    ----------
    kernel : UnivariateKernel
    amplitude : float
        Positive factor of k0.
    """

    kernel: UnivariateKernel
    amplitude: float

    def __post_init__(self) -> None:
        if not self.amplitude > 0:
            raise DataError(f"amplitude must be positive. Got {self.amplitude}.")

    def k0(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        return self.amplitude * self.kernel.k0(x, y)

    def measure(self) -> tuple[FloatArray, FloatArray]:
        return self.kernel.measure()

    def _expansion_nodes(self) -> tuple[FloatArray, FloatArray]:
        return self.kernel._expansion_nodes()


@dataclass(frozen=True)
class KernelSum(UnivariateKernel):
    """A sum of kernels on one attribute, such as several length scales.

    Parameters
    ----------
    kernels : tuple of UnivariateKernel
        At least one, all with the same measure.
    """

    kernels: tuple[UnivariateKernel, ...]

    def __post_init__(self) -> None:
        if not self.kernels:
            raise DataError("A kernel sum needs at least one kernel. Got none.")
        first = self.kernels[0].measure()
        # Parts centred on different measures would not add up to one centred kernel.
        for other in self.kernels[1:]:
            if not all(map(np.array_equal, first, other.measure())):
                raise DataError(
                    "Kernels in a sum must share one measure (the same levels and "
                    f"weights, or all continuous). Got {self.kernels}."
                )

    def k0(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        return np.sum([kernel.k0(x, y) for kernel in self.kernels], axis=0)

    def measure(self) -> tuple[FloatArray, FloatArray]:
        return self.kernels[0].measure()

    def _expansion_nodes(self) -> tuple[FloatArray, FloatArray]:
        return self.kernels[0]._expansion_nodes()


class CentredKernel(UnivariateKernel):
    """A kernel k with known means: k0 = k - m m'/M (GAI-1)."""

    def k0(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        left = np.asarray(x, dtype=np.float64)
        right = np.asarray(y, dtype=np.float64)
        # m(x) m(y) / M, not the double centring K - m1' - 1m' + M: what is taken off
        # has rank one, and k0 is the kernel of all f with mean 0 in the space of k
        # (GAI-1).
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


class _ContinuousKernel(CentredKernel):
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
        return np.exp(-0.5 * scaled**2)

    def _mean(self, x: FloatArray) -> FloatArray:
        width = self.sigma * np.sqrt(2.0)
        return self.sigma * np.sqrt(np.pi / 2) * (erf(x / width) + erf((1 - x) / width))

    def _grand_mean(self) -> float:
        # expm1: of a wide kernel, 1 - exp(...) would lose the digits.
        tail = self.sigma**2 * np.expm1(-0.5 / self.sigma**2)
        reach = self.sigma * np.sqrt(np.pi / 2) * erf(1 / (self.sigma * np.sqrt(2)))
        return float(2.0 * (reach + tail))


@dataclass(frozen=True)
class WarpedRBF(_ContinuousKernel):
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
    >>> from penchant.kernels import WarpedRBF
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

    def k(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        return RBF(self.sigma).k(self._warp(x), self._warp(y))

    def _warp(self, x: ArrayLike) -> FloatArray:
        values = np.asarray(x, dtype=np.float64)
        return np.log1p(self.rate * values) / np.log1p(self.rate)

    def _mean(self, x: FloatArray) -> FloatArray:
        points, weights = self.measure()
        # The warp leaves no closed form.
        return self.k(x, points) @ weights

    def _grand_mean(self) -> float:
        points, weights = self.measure()
        return float(weights @ self._mean(points))


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
        return 1.0 + left * right + np.abs(left - right) * low**2 / 2 + low**3 / 3

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
            # Truncated powers cancel where many overlap; orders here are small.
            shifted = np.maximum(t + (self.order + 1) / 2 - j, 0.0)
            total += (-1) ** j * comb(self.order + 1, j) * shifted**degree
        return total / factorial(degree)


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
