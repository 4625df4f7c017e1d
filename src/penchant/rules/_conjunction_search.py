"""The best conjunctions of conditions for given weights of the rows (PRL-4)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from penchant.rules._features import Feature, FeatureSet, PricedFeatures
from penchant.typing import BoolArray, FloatArray, IntArray

__all__ = ["BestConjunctions", "SearchedFeatures", "best_conjunctions"]


class SearchedFeatures(FeatureSet):
    """Conjunctions too many to be listed: priced by branch and bound.

    Keys are the sorted numbers of the conditions.

    Parameters
    ----------
    covers : ndarray of bool of shape (n_conditions, n_items)
    degree : int
    make : callable
        Makes a feature of the numbers of its conditions.
    """

    _MOST = 64
    """Features per call: more of them make the bound weaker, hence the search long."""

    def __init__(
        self,
        covers: BoolArray,
        degree: int,
        make: Callable[[tuple[int, ...]], Feature],
    ) -> None:
        self.covers = covers
        self.degree = degree
        self.n_items = covers.shape[1]
        self._make = make

    def price(self, channels: FloatArray, n_best: int) -> PricedFeatures:
        """Search every pair of channels."""
        n_channels = channels.shape[1]
        pairs = [(a, b) for a in range(n_channels) for b in range(a)] or [(1, 0)]
        found: list[tuple[float, tuple[int, ...], int, int]] = []
        for a, b in pairs:
            one = n_channels == 1
            weights = channels[:, 0] if one else channels[:, a] - channels[:, b]
            best = best_conjunctions(
                self.covers, weights, self.degree, min(n_best, self._MOST)
            )
            for total, key in zip(best.totals, best.conditions, strict=True):
                found.append((abs(total), key, *((a, b) if total > 0 else (b, a))))
        found.sort(key=lambda entry: -entry[0])
        found = found[:n_best]
        payoffs = np.array([entry[0] for entry in found])
        return PricedFeatures(
            float(payoffs.max(initial=0.0)),
            [entry[1] for entry in found],
            np.array([entry[2] for entry in found], dtype=np.int64),
            np.array([entry[3] for entry in found], dtype=np.int64),
            payoffs,
        )

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Intersect what the conditions cover."""
        columns = [self.covers[list(key)].all(axis=0) for key in keys]
        table = np.array(columns, dtype=np.float64).reshape(-1, self.n_items)
        return table.T

    def feature(self, key: Any) -> Feature:
        """Make the conjunction of some conditions."""
        return self._make(key)

    def sample(self, n_features: int, rng: np.random.Generator) -> list[Any]:
        """Draw a degree, then as many conditions."""
        n_conditions = len(self.covers)
        degrees = rng.integers(1, min(self.degree, n_conditions) + 1, n_features)
        return [
            tuple(sorted(rng.choice(n_conditions, degree, replace=False).tolist()))
            for degree in degrees
        ]


@dataclass(frozen=True, eq=False)
class BestConjunctions:
    """The conjunctions whose rows have the largest total weight in size.

    Parameters
    ----------
    totals : ndarray of shape (n_found,)
        Sum of the weights of the rows covered, sorted by falling size.
    conditions : tuple of tuple of int
        The conditions of each, sorted.
    n_nodes : int
        Conjunctions that were looked at.
    """

    totals: FloatArray
    conditions: tuple[tuple[int, ...], ...]
    n_nodes: int


def best_conjunctions(
    covers: BoolArray, weights: FloatArray, degree: int, n_best: int
) -> BestConjunctions:
    """Find the best conjunctions without listing them all, by branch and bound.

    No extension of a conjunction has a larger total than the sum of the positive (or,
    for the other side, negative) weights that it covers, so a branch whose bound does
    not exceed the `n_best`-th total found so far is cut. Exact; exponential in the
    degree at worst.

    Parameters
    ----------
    covers : ndarray of bool of shape (n_conditions, n_rows)
    weights : ndarray of shape (n_rows,)
        Any signs.
    degree : int
        Largest number of conditions.
    n_best : int
        How many are wanted; conjunctions with the same rows count once.

    Returns
    -------
    BestConjunctions
    """
    signed = np.where(covers, weights, 0.0)
    up, down = np.maximum(signed, 0).sum(axis=1), np.maximum(-signed, 0).sum(axis=1)
    order = np.argsort(-np.maximum(up, down), kind="stable")
    tags = np.random.default_rng(0).integers(1, 2**63, covers.shape[1])
    totals, chosen, n_nodes = _branch(
        np.ascontiguousarray(covers[order]),
        np.ascontiguousarray(weights, dtype=np.float64),
        np.asarray(tags, dtype=np.int64),
        degree,
        n_best,
    )
    rank = np.argsort(-np.abs(totals), kind="stable")
    conditions = tuple(
        tuple(sorted(order[row[row >= 0]].tolist())) for row in chosen[rank]
    )
    return BestConjunctions(totals[rank], conditions, int(n_nodes))


@njit(cache=True)
def _cover(
    covers: BoolArray,
    weights: FloatArray,
    tags: IntArray,
    given: IntArray,
    out: IntArray,
) -> tuple[int, int, float, float]:
    """Keep the given rows that a condition covers: number, mark, sums by sign."""
    n, mark, up, down = 0, 0, 0.0, 0.0
    for row in given:
        if covers[row]:
            out[n] = row
            n += 1
            mark ^= tags[row]
            up += max(weights[row], 0.0)
            down += max(-weights[row], 0.0)
    return n, mark, up, down


@njit(cache=True)
def _branch(
    covers: BoolArray, weights: FloatArray, tags: IntArray, degree: int, n_best: int
) -> tuple[FloatArray, IntArray, int]:
    """Search depth first; conditions come in the order of their own bounds."""
    n_conditions, n_rows = covers.shape
    totals, marks = np.zeros(n_best), np.zeros(n_best, np.int64)
    chosen = np.full((n_best, degree), -1)
    rows = np.empty((degree + 1, n_rows), np.int64)
    rows[0] = np.arange(n_rows)
    n_covered = np.full(degree + 1, n_rows)
    path = np.full(degree + 1, -1)
    depth, n_nodes = 0, 0
    while depth >= 0:
        path[depth] += 1
        if path[depth] == n_conditions:
            depth -= 1
            continue
        n_nodes += 1
        given = rows[depth, : n_covered[depth]]
        n, mark, up, down = _cover(
            covers[path[depth]], weights, tags, given, rows[depth + 1]
        )
        if n == 0 or n == given.size:
            continue
        weakest = np.argmin(np.abs(totals))
        if abs(up - down) > abs(totals[weakest]) and not (marks == mark).any():
            totals[weakest], marks[weakest] = up - down, mark
            chosen[weakest] = -1
            chosen[weakest, : depth + 1] = path[: depth + 1]
        if depth + 1 < degree and max(up, down) > np.abs(totals).min():
            n_covered[depth + 1], path[depth + 1] = n, path[depth]
            depth += 1
    found = chosen[:, 0] >= 0
    return totals[found], chosen[found], n_nodes
