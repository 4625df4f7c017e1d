"""Covariances of the utilities of many items, dense or of low rank, and draws."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.linalg import LinAlgError, cholesky
from scipy.special import ndtri
from scipy.stats import qmc

from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray, IntArray

LARGEST_DENSE = 5000
"""Most items whose covariance is written out: 200 MB."""

MAX_DIMENSION = 192
"""Items whose utilities are drawn jointly, at most."""

_N_DRAWS = 4096
_NUGGET = 1e-10
"""Added to the variances of what is drawn, as a share of the largest."""


def read_only(values: ArrayLike) -> FloatArray:
    """Give a float array that nobody can write to; copy only one that can be."""
    array = np.asarray(values, dtype=np.float64)
    if array.flags.writeable:
        array = array.copy()
        array.setflags(write=False)
    return array


class Draws(NamedTuple):
    """Utilities that a person may have.

    Parameters
    ----------
    utilities : ndarray of shape (n_draws, n_items)
    weights : ndarray of shape (n_draws,)
        How much each draw counts; they sum to 1.
    """

    utilities: FloatArray
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class DenseCovariance:
    """A covariance that is written out.

    Parameters
    ----------
    matrix : ndarray of shape (n_items, n_items)
        Symmetric and positive semi-definite.
    """

    matrix: FloatArray

    def __post_init__(self) -> None:
        matrix = read_only(self.matrix)
        object.__setattr__(self, "matrix", matrix)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise DataError(f"A covariance must be square. Got shape {matrix.shape}.")

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.matrix.shape[0])

    @property
    def variance(self) -> FloatArray:
        """The diagonal, shape (n_items,)."""
        return np.diagonal(self.matrix)

    def rows(self, items: IntArray) -> FloatArray:
        """Give the rows of some items, shape (k, n_items)."""
        return self.matrix[items]

    def block(self, items: IntArray) -> FloatArray:
        """Give the covariance of some items, shape (k, k)."""
        return self.matrix[np.ix_(items, items)]

    def take(self, items: IntArray) -> "DenseCovariance":
        """Keep some items, in the given order."""
        return DenseCovariance(self.block(items))

    def dense(self) -> FloatArray:
        """Give the matrix itself."""
        return self.matrix


@dataclass(frozen=True, eq=False)
class LowRankCovariance:
    """The covariance ``factor factor' + diag(diagonal)``, never written out.

    Parameters
    ----------
    factor : ndarray of shape (n_items, rank)
    diagonal : ndarray of shape (n_items,)
        Non-negative.
    """

    factor: FloatArray
    diagonal: FloatArray

    def __post_init__(self) -> None:
        factor, diagonal = read_only(self.factor), read_only(self.diagonal)
        object.__setattr__(self, "factor", factor)
        object.__setattr__(self, "diagonal", diagonal)
        if factor.ndim != 2 or diagonal.shape != factor.shape[:1]:
            raise DataError(
                "factor must be (n_items, rank) and diagonal (n_items,). "
                f"Got shapes {factor.shape} and {diagonal.shape}."
            )

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.factor.shape[0])

    @property
    def variance(self) -> FloatArray:
        """The diagonal of the covariance, shape (n_items,)."""
        squares: FloatArray = np.einsum("ir,ir->i", self.factor, self.factor)
        return squares + self.diagonal

    def rows(self, items: IntArray) -> FloatArray:
        """Give the rows of some items, shape (k, n_items)."""
        rows: FloatArray = self.factor[items] @ self.factor.T
        # What an item is worth beyond its features varies with itself alone.
        rows[np.arange(len(items)), items] += self.diagonal[items]
        return rows

    def block(self, items: IntArray) -> FloatArray:
        """Give the covariance of some items, shape (k, k)."""
        factor = self.factor[items]
        same = np.equal.outer(items, items)
        return factor @ factor.T + same * self.diagonal[items]

    def take(self, items: IntArray) -> "LowRankCovariance":
        """Keep some items, in the given order; none twice."""
        return replace(self, factor=self.factor[items], diagonal=self.diagonal[items])

    def dense(self) -> FloatArray:
        """Write the matrix out; refused above 5000 items."""
        if self.n_items > LARGEST_DENSE:
            raise DataError(
                f"The covariance of {self.n_items} items would be too large to write "
                f"out (at most {LARGEST_DENSE} items). Use block(items), "
                "cross(items) or variance, or take(items) of a shortlist first."
            )
        matrix: FloatArray = self.factor @ self.factor.T
        matrix[np.diag_indices_from(matrix)] += self.diagonal
        return matrix


Covariance: TypeAlias = DenseCovariance | LowRankCovariance


def as_covariance(values: Any) -> Covariance:
    """Take a covariance as it is; take anything else for its matrix."""
    if isinstance(values, DenseCovariance | LowRankCovariance):
        return values
    return DenseCovariance(values)


def covariance_root(cov: FloatArray) -> FloatArray:
    """Give a lower triangular L with ``L @ L.T = cov``; the covariance may be singular.

    A little is added to the variances, which makes L a smooth function of the
    covariance. Without it, or by pivoting or eigenvectors, the last bits of a singular
    covariance would decide which draws go to which item.
    """
    largest = float(np.diagonal(cov).max(initial=0.0))
    nugget = _NUGGET * largest
    while largest > 0.0:
        try:
            root: FloatArray = cholesky(cov + nugget * np.eye(len(cov)), lower=True)
        except LinAlgError:
            nugget *= 10.0
        else:
            return root
    return np.zeros_like(cov)


@lru_cache(maxsize=1)
def normal_draws() -> FloatArray:
    """Give scrambled Sobol points of a standard normal, the same in every process.

    Returns
    -------
    ndarray of shape (4096, 192)
        Read-only. Rows are draws, and their first k entries are draws of k numbers.
    """
    sobol = qmc.Sobol(MAX_DIMENSION, scramble=True, seed=0)
    edge = 0.5 / _N_DRAWS**2  # the scrambled points may touch 0
    uniform = np.clip(sobol.random(_N_DRAWS), edge, 1.0 - edge)
    return read_only(ndtri(uniform))
