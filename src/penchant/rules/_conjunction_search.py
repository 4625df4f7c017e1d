"""Conjunctions of three or more conditions, too many to be listed (PRL-4)."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from penchant.rules._features import Feature, FeatureSet, PricedFeatures
from penchant.typing import BoolArray, FloatArray

_MOST = 400
"""Features per call: more of them make the bound weaker, hence the search long."""

_DIGITS = 12
"""Totals are equal if they agree to this many digits of the sum of all weights."""


class SearchedFeatures(FeatureSet):
    """Conjunctions up to a degree, priced by branch and bound; exact.

    No extension of a conjunction has a larger total than the sum of the positive (or,
    for the other side, negative) weights that it covers, so a branch whose bound does
    not exceed what was found is cut. The last two conditions are looked at all at once,
    by a product of the 0/1 table with itself. Exponential in the degree at worst.

    Keys are the sorted numbers of the conditions. Of conjunctions that cover the same
    items the shortest is given.

    Parameters
    ----------
    covers : ndarray of bool of shape (n_conditions, n_items)
    degree : int
        At least 2.
    make : callable
        Makes a feature of the numbers of its conditions.
    """

    def __init__(
        self, covers: BoolArray, degree: int, make: Callable[[tuple[int, ...]], Feature]
    ) -> None:
        self.covers = covers
        self.degree = degree
        self.n_items = covers.shape[1]
        self._make = make

    def price(self, channels: FloatArray, n_best: int) -> PricedFeatures:
        """Search every pair of channels."""
        n_channels = channels.shape[1]
        pairs = [(b, a) for a, b in combinations(range(n_channels), 2)] or [(1, 0)]
        found: list[tuple[float, tuple[int, ...], int, int]] = []
        for a, b in pairs:
            one = n_channels == 1
            weights = channels[:, 0] if one else channels[:, a] - channels[:, b]
            for total, key in self._best(weights, min(n_best, _MOST)):
                found.append((abs(total), key, *((a, b) if total > 0 else (b, a))))
        found = sorted(found, key=lambda entry: -entry[0])[:n_best]
        payoffs = np.array([entry[0] for entry in found])
        labels = np.array([entry[2:] for entry in found], dtype=np.int64).reshape(-1, 2)
        return PricedFeatures(
            float(payoffs.max(initial=0.0)),
            [entry[1] for entry in found],
            labels[:, 0],
            labels[:, 1],
            payoffs,
        )

    def _best(
        self, weights: FloatArray, n_best: int
    ) -> list[tuple[float, tuple[int, ...]]]:
        """Find the largest totals of different sets of items, largest first."""
        unit = np.abs(weights).sum() or 1.0
        # One more, since the set of all items is left out in the end.
        found = _Found(self.degree, n_best + 1, 10.0**-_DIGITS * unit)
        for prefix in self._prefixes(weights, found):
            rows = np.flatnonzero(self.covers[list(prefix)].all(axis=0))
            after = prefix[-1] + 1 if prefix else 0
            table = self.covers[after:, rows].astype(np.float64)
            found.add(prefix, after, (table * weights[rows]) @ table.T)
        seen: set[bytes] = set()
        best: list[tuple[float, tuple[int, ...]]] = []
        for total, key in found.sorted():
            covered = self.covers[list(key)].all(axis=0)
            mark = np.packbits(covered).tobytes()
            if mark not in seen and not covered.all():
                seen.add(mark)
                best.append((total, key))
            if len(best) == n_best:
                break
        return best

    def _prefixes(
        self, weights: FloatArray, found: "_Found"
    ) -> Iterator[tuple[int, ...]]:
        """Give what comes before the last two conditions, unless the bound cuts it."""
        n_conditions = len(self.covers)
        branches: list[tuple[int, ...]] = [()]
        while branches:
            prefix = branches.pop()
            own = weights[self.covers[list(prefix)].all(axis=0)]
            bound = max(own[own > 0].sum(), -own[own < 0].sum())
            after = prefix[-1] + 1 if prefix else 0
            if bound <= found.least or after == n_conditions:
                continue
            if len(prefix) < self.degree - 2:
                branches += [
                    (*prefix, c) for c in range(n_conditions - 1, after - 1, -1)
                ]
            # Each is looked at with one and with two conditions more.
            if not prefix or (self.degree - len(prefix)) % 2 == 0:
                yield prefix

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

    def basis(self) -> list[Feature]:
        """Give the conditions."""
        return [self._make((c,)) for c in range(len(self.covers))]


class _Found:
    """The best conjunctions so far; some of them may cover the same items."""

    def __init__(self, degree: int, n_best: int, unit: float) -> None:
        self.least = 0.0  # what a further total must exceed
        self._n_best, self._unit = n_best, unit
        self._totals = np.zeros(0)
        self._keys = np.zeros((0, degree), dtype=np.int64)

    def add(self, prefix: tuple[int, ...], after: int, totals: FloatArray) -> None:
        """Add two conditions to a prefix, or on the diagonal one."""
        better = np.triu(np.abs(totals)) > self.least
        first, second = np.nonzero(better)
        keys = np.full((first.size, self._keys.shape[1]), -1)
        keys[:, : len(prefix)] = prefix
        keys[:, len(prefix)] = first + after
        if keys.shape[1] > len(prefix) + 1:
            keys[:, len(prefix) + 1] = np.where(first == second, -1, second + after)
        self._keys = np.vstack([self._keys, keys])
        self._totals = np.append(self._totals, totals[first, second])
        levels = np.unique(self._levels())
        if levels.size > self._n_best:
            # Different totals belong to different sets: there are enough above these.
            kept = self._levels() >= levels[-self._n_best]
            self._keys, self._totals = self._keys[kept], self._totals[kept]
            self.least = float(np.abs(self._totals).min()) - self._unit

    def _levels(self) -> FloatArray:
        """Give sizes of totals that are equal if they differ by rounding only."""
        return np.round(np.abs(self._totals) / self._unit)

    def sorted(self) -> Iterator[tuple[float, tuple[int, ...]]]:
        """Give the largest total first, of equal ones the shortest conjunction."""
        lengths = (self._keys >= 0).sum(axis=1)
        for k in np.lexsort((*self._keys.T[::-1], lengths, -self._levels())):
            key = self._keys[k]
            yield float(self._totals[k]), tuple(key[key >= 0].tolist())
