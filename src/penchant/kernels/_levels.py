"""Kernels on an attribute with finitely many levels, ordered or not."""

from dataclasses import dataclass

import numpy as np

from penchant.exceptions import DataError
from penchant.kernels._univariate import RBF, CentredKernel
from penchant.typing import ArrayLike, FloatArray


class _DiscreteKernel(CentredKernel):
    """A kernel on finitely many levels with weights: k0 = k - (Kw)(Kw)'/(w'Kw)."""

    def _mean(self, x: FloatArray) -> FloatArray:
        levels, weights = self.measure()
        return self.k(x, levels) @ weights

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
        # A code that is no level equals none of them: k, m and k0 with all are 0.
        return np.equal.outer(np.asarray(x), np.asarray(y)).astype(float)

    def measure(self) -> tuple[FloatArray, FloatArray]:
        codes = np.arange(self.n_levels, dtype=np.float64)
        return codes, _level_weights(self.weights, self.n_levels)


def _level_weights(weights: tuple[float, ...] | None, n_levels: int) -> FloatArray:
    """Give the weights of the levels, summing to 1."""
    if weights is None:
        return np.full(n_levels, 1.0 / n_levels)
    # A weight may be 0: a level that no item has still gets a utility.
    values = np.array(weights, dtype=np.float64)
    if len(values) != n_levels or not (values >= 0).all() or values.sum() == 0:
        raise DataError(
            f"weights must be {n_levels} non-negative numbers with a positive sum, "
            f"one per level. Got {weights}."
        )
    return values / values.sum()
