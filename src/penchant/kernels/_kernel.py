"""What every one-attribute kernel offers: zero-mean form, scaling, finite features."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

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
        features: FloatArray = self.kernel.k0(x, self.nodes) @ self.projection
        return features

    def second_moments(self) -> FloatArray:
        """Give the mean of phi(x)phi(x)' over the attribute's measure.

        With it the variance of a factor follows from its weights (GAI-3).

        Returns
        -------
        ndarray of shape (n_features, n_features)
        """
        points, weights = self.kernel.measure()
        features = self(points)
        moments: FloatArray = features.T @ (weights[:, None] * features)
        return moments


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
        roots = np.sqrt(weights)
        values, vectors = np.linalg.eigh(
            roots[:, None] * self.k0(nodes, nodes) * roots[None, :]
        )
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
        for other in self.kernels[1:]:
            if not all(map(np.array_equal, first, other.measure())):
                raise DataError(
                    "Kernels in a sum must share one measure (the same levels and "
                    f"weights, or all continuous). Got {self.kernels}."
                )

    def k0(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        gram: FloatArray = np.sum([kernel.k0(x, y) for kernel in self.kernels], axis=0)
        return gram

    def measure(self) -> tuple[FloatArray, FloatArray]:
        return self.kernels[0].measure()

    def _expansion_nodes(self) -> tuple[FloatArray, FloatArray]:
        return self.kernels[0]._expansion_nodes()
