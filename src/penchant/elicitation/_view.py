"""The moments that scores of pairs need, taken from a belief once."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import ndtr

from penchant.elicitation._belief import Moments
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray, IntArray

__all__ = [
    "View",
    "all_pairs",
    "check_pairs_of",
    "density",
    "expected_excess",
    "shaped",
]

_TINY = 1e-13
"""Share of the largest variance below which a variance is rounding."""


def density(z: FloatArray) -> FloatArray:
    """Give the standard normal density."""
    values: FloatArray = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    return values


def expected_excess(mean: FloatArray, spread: FloatArray) -> FloatArray:
    """Give E max(g, 0) of g ~ N(mean, spread^2); the positive part where spread is 0.

    Written as ``max(mean, 0) + spread * (phi(a) - a Phi(-a))``, a = abs(mean)/spread,
    so that nothing cancels.
    """
    safe = np.where(spread > 0, spread, 1.0)
    a = np.abs(mean) / safe
    tail = np.maximum(density(a) - a * ndtr(-a), 0.0)
    excess: FloatArray = np.maximum(mean, 0.0) + np.where(spread > 0, spread * tail, 0)
    return excess


def all_pairs(n_items: int) -> IntArray:
    """Give every pair i < j, shape (n_items (n_items - 1) / 2, 2)."""
    pairs: IntArray = np.column_stack(np.triu_indices(n_items, k=1)).astype(np.int64)
    return pairs


def check_pairs_of(posterior: Moments, pairs: ArrayLike | None) -> IntArray:
    """Give the pairs to judge as an array; None means all of them."""
    if posterior.n_items < 2:
        raise DataError(
            f"A question needs 2 items. The posterior has {posterior.n_items}."
        )
    if pairs is None:
        return all_pairs(posterior.n_items)
    table = np.asarray(pairs)
    if table.ndim != 2 or table.shape[1] != 2 or table.dtype.kind not in "iu":
        raise DataError(
            "pairs must be item indices of shape (n_pairs, 2). Got "
            f"{table.dtype} of shape {table.shape}."
        )
    if not len(table):
        raise DataError("pairs must hold at least one pair. Got none.")
    if table.min() < 0 or table.max() >= posterior.n_items:
        raise DataError(
            f"pairs must hold items from 0 to {posterior.n_items - 1}. "
            f"Got {table.min()} to {table.max()}."
        )
    if (table[:, 0] == table[:, 1]).any():
        raise DataError("A pair must be two different items. Got an item with itself.")
    return table.astype(np.int64)


def shaped(
    scores: FloatArray, posterior: Moments, pairs: ArrayLike | None
) -> FloatArray:
    """Give scores as they are asked for: one per pair, or of all pairs as a matrix.

    The matrix is symmetric; its diagonal, where there is nothing to ask, is minus
    infinity.
    """
    if pairs is not None:
        return scores
    matrix = np.full((posterior.n_items, posterior.n_items), -np.inf)
    rows, columns = np.triu_indices(posterior.n_items, k=1)
    matrix[rows, columns] = scores
    matrix[columns, rows] = scores
    return matrix


@dataclass(frozen=True, eq=False)
class View:
    """A belief about candidate items, and how they move with the target items.

    Parameters
    ----------
    items : ndarray of shape (k,)
        The candidates for questions; `first` and `second` are positions in it.
    mean : ndarray of shape (k,)
        Their means.
    cov : ndarray of shape (k, k)
        Their covariance.
    targets : ndarray of shape (m,)
        The items that may be recommended.
    target_mean : ndarray of shape (m,)
        Their means.
    rows : ndarray of shape (k, m)
        Covariance of candidates with targets.
    noise : float
        Standard deviation of an answer.
    """

    items: IntArray
    mean: FloatArray
    cov: FloatArray
    targets: IntArray
    target_mean: FloatArray
    rows: FloatArray
    noise: float

    @classmethod
    def of(
        cls, posterior: Moments, items: IntArray, targets: IntArray | None = None
    ) -> Self:
        """Look at some items of a posterior; without targets they are the targets."""
        mean = posterior.mean
        if targets is None:
            cov = rows = posterior.block(items)
            targets = items
        else:
            columns = posterior.cross(items)
            cov, rows = columns[items], np.ascontiguousarray(columns[targets].T)
        return cls(
            items,
            mean[items],
            cov,
            targets,
            mean[targets],
            rows,
            float(posterior.noise),
        )

    @classmethod
    def of_pairs(
        cls, posterior: Moments, pairs: IntArray, targets: IntArray | None = None
    ) -> tuple[Self, IntArray, IntArray]:
        """Look at the items of some pairs; give also the pairs as positions."""
        place = np.zeros(posterior.n_items, dtype=np.int64)
        place[pairs] = 1
        items = np.flatnonzero(place)
        place[items] = np.arange(items.size)
        return cls.of(posterior, items, targets), place[pairs[:, 0]], place[pairs[:, 1]]

    def difference(
        self, first: IntArray, second: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Give mean and standard deviation of the difference of utilities."""
        variance = np.diagonal(self.cov)
        s2 = variance[first] + variance[second] - 2.0 * self.cov[first, second]
        floor = _TINY * variance.max(initial=0.0)
        spread = np.sqrt(np.where(s2 > floor, s2, 0.0))
        return self.mean[first] - self.mean[second], spread

    def answer_scale(self, spread: FloatArray) -> FloatArray:
        """Give t of GP-8, the standard deviation of a noisy difference, never 0."""
        floor = _TINY * (1.0 + np.diagonal(self.cov).max(initial=0.0))
        scale: FloatArray = np.sqrt(np.maximum(spread**2 + self.noise**2, floor))
        return scale
