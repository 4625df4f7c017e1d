"""Features on the items of a fit: pricing them all without listing them (PRL-4)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from penchant.rules._conditions import Vocabulary
from penchant.rules._conjunction_search import best_conjunctions
from penchant.rules._coverages import Coverages
from penchant.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "CoverageFeatures",
    "Feature",
    "FeatureList",
    "FeatureSet",
    "ListedFeatures",
    "PricedFeatures",
    "SearchedFeatures",
]

_DIGITS = 12
"""Payoffs that agree to so many digits of the largest are equal."""


@runtime_checkable
class Feature(Protocol):
    """A function of items with values in [-1, 1], and its words; hashable."""

    def evaluate(self, X: Any) -> FloatArray:
        """Give the values of the rows of X, shape (n_items,)."""
        ...

    def text(self, vocabulary: Vocabulary) -> str:
        """Write the feature in the words and units of the data."""
        ...


@dataclass(frozen=True, eq=False)
class PricedFeatures:
    """The features with the best payoff, and for which channels.

    Parameters
    ----------
    bound : float
        No feature of the set has a larger payoff.
    keys : list of hashable
    better, worse : ndarray of shape (n_keys,)
        The channels between which the payoff lies: the total in `better` minus that
        in `worse`. With a single channel 1 stands for it and 0 for its negative.
    payoffs : ndarray of shape (n_keys,)
        Sorted, largest first.
    """

    bound: float
    keys: list[Any]
    better: IntArray
    worse: IntArray
    payoffs: FloatArray


class FeatureSet(ABC):
    """All features of a generator, on the items of a fit.

    Keys stand for features as long as the fit lasts. Sets that can list all their
    features derive from `ListedFeatures`, which prices them.

    Attributes
    ----------
    n_items : int
    is_signed : bool
        Whether values may be negative.
    """

    n_items: int
    is_signed: bool = False

    @abstractmethod
    def price(self, channels: FloatArray, n_best: int) -> PricedFeatures:
        """Find the features with the largest payoff.

        The total of feature f in channel c is the sum of ``f(x_i) channels[i, c]``.

        Parameters
        ----------
        channels : ndarray of shape (n_items, n_channels)
            One channel: the payoff is its total or the negative of that. Several: the
            difference of the totals in any two.
        n_best : int
            How many features are wanted; fewer may come back.
        """

    @abstractmethod
    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Give the values of some features, shape (n_items, n_keys), in [-1, 1]."""

    @abstractmethod
    def feature(self, key: Any) -> Feature:
        """Give a feature as something that outlives the fit."""

    @abstractmethod
    def sample(self, n_features: int, rng: np.random.Generator) -> list[Any]:
        """Draw keys independently."""


class ListedFeatures(FeatureSet):
    """Features that can all be summed up at once; their keys are 0, 1, ... .

    Attributes
    ----------
    n_features : int
    """

    n_features: int

    @abstractmethod
    def sums(self, channels: FloatArray, *, squared: bool = False) -> FloatArray:
        """Give the totals of all features, shape (n_features, n_channels).

        Parameters
        ----------
        channels : ndarray of shape (n_items, n_channels)
        squared : bool
            Whether to add up the squares of the features instead.
        """

    def price(self, channels: FloatArray, n_best: int) -> PricedFeatures:
        """Find the features with the largest payoff, by their totals."""
        return _best_of_sums(self.sums(channels), n_best)

    def sample(self, n_features: int, rng: np.random.Generator) -> list[Any]:
        """Draw keys independently, each with equal probability."""
        drawn: list[Any] = rng.integers(0, self.n_features, n_features).tolist()
        return drawn


class FeatureList(ListedFeatures):
    """A list of features, evaluated on all items: the simplest set.

    Parameters
    ----------
    features : sequence of Feature
        At least one.
    X : ndarray of shape (n_items, n_features)
    """

    def __init__(self, features: Sequence[Feature], X: Any) -> None:
        self.features = list(features)
        self.n_features = len(self.features)
        self.n_items = X.shape[0]
        table = [feature.evaluate(X) for feature in self.features]
        self._table = np.array(table, dtype=np.float64).reshape(-1, self.n_items)
        self.is_signed = bool(self._table.min(initial=0.0) < 0)

    def sums(self, channels: FloatArray, *, squared: bool = False) -> FloatArray:
        """Multiply the table of values with the channels."""
        table = self._table**2 if squared else self._table
        totals: FloatArray = table @ channels
        return totals

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Give some columns of the table."""
        return self._table[list(keys)].T

    def feature(self, key: Any) -> Feature:
        """Give a feature of the list."""
        found: Feature = self.features[key]
        return found


class CoverageFeatures(ListedFeatures):
    """Features that hold or do not hold, as the sets of items where they do.

    Parameters
    ----------
    coverages : Coverages
    make : callable
        Makes a feature of the numbers of its conditions.
    """

    def __init__(
        self, coverages: Coverages, make: Callable[[tuple[int, ...]], Feature]
    ) -> None:
        self.coverages = coverages
        self.n_items = coverages.n_rows
        self.n_features = coverages.n_sets
        self._make = make

    def sums(self, channels: FloatArray, *, squared: bool = False) -> FloatArray:
        """Add up over the items of each set; ones are their own squares."""
        return self.coverages.sums(channels)

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Give the sets as 0/1 columns."""
        return self.coverages.indicators(np.asarray(keys, dtype=np.int64))

    def feature(self, key: Any) -> Feature:
        """Make the conjunction that stands for a set."""
        return self._make(self.coverages.conditions(key))


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


def _first_of_level(level: FloatArray, value: float, n_most: int) -> IntArray:
    """Give the first features at a level, of which a partition may have any."""
    return np.flatnonzero(level == value)[:n_most]


def _best_of_sums(totals: FloatArray, n_best: int) -> PricedFeatures:
    """Find the features with the largest payoff among the totals of all.

    Of several channels a feature's best two are the one with its largest total and the
    one with its smallest.
    """
    if totals.shape[1] == 1:
        payoffs = np.abs(totals[:, 0])
    else:
        payoffs = totals.max(axis=1) - totals.min(axis=1)
    n_best = min(n_best, payoffs.size)
    if n_best == 0:
        nothing = np.zeros(0, dtype=np.int64)
        return PricedFeatures(0.0, [], nothing, nothing, np.zeros(0))
    # Features that differ by rounding only come in their order, simple ones first.
    level = np.round(payoffs / (payoffs.max() or 1.0), _DIGITS)
    best = np.argpartition(-level, n_best - 1)[:n_best]
    best = np.union1d(best, _first_of_level(level, level[best].min(), n_best))
    best = best[np.lexsort((best, -level[best]))][:n_best]
    if totals.shape[1] == 1:
        better = (totals[best, 0] > 0).astype(np.int64)
        worse = 1 - better
    else:
        better, worse = totals[best].argmax(axis=1), totals[best].argmin(axis=1)
    falling = np.minimum.accumulate(payoffs[best])
    return PricedFeatures(float(payoffs.max()), best.tolist(), better, worse, falling)
