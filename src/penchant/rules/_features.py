"""Features on the items of a fit: pricing them all without listing them (PRL-4)."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Protocol, runtime_checkable

import numpy as np

from penchant.rules._conditions import ALWAYS, Condition, Conjunction, Vocabulary
from penchant.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "Feature",
    "FeatureList",
    "FeatureSet",
    "HistogramFeatures",
    "JoinedFeatures",
    "ListedFeatures",
    "PricedFeatures",
]

_DIGITS = 12
"""Payoffs that agree to so many digits of the largest are equal."""

_SHORT_LIST = 200
"""A list of no more features is tried as a whole, see `FeatureSet.basis`."""


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

    def basis(self) -> list[Feature]:
        """Give simple features that are worth a try whatever the program finds."""
        return []


class ListedFeatures(FeatureSet):
    """Features that can all be summed up at once; their keys are 0, 1, ... .

    Attributes
    ----------
    n_features : int
    """

    n_features: int

    @abstractmethod
    def sums(self, channels: FloatArray) -> FloatArray:
        """Give the totals of all features, shape (n_features, n_channels).

        Parameters
        ----------
        channels : ndarray of shape (n_items, n_channels)
        """

    def price(self, channels: FloatArray, n_best: int) -> PricedFeatures:
        """Find the features with the largest payoff, by their totals."""
        return _best_of_sums(self.sums(channels), n_best)

    def sample(self, n_features: int, rng: np.random.Generator) -> list[Any]:
        """Draw keys independently, each with equal probability."""
        drawn: list[Any] = rng.integers(0, self.n_features, n_features).tolist()
        return drawn

    def basis(self) -> list[Feature]:
        """Give all of a short list, but for what always holds."""
        if self.n_features > _SHORT_LIST:
            return []
        features = [self.feature(key) for key in range(self.n_features)]
        return [feature for feature in features if feature != ALWAYS]


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

    def sums(self, channels: FloatArray) -> FloatArray:
        """Multiply the table of values with the channels."""
        totals: FloatArray = self._table @ channels
        return totals

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Give some columns of the table."""
        return self._table[list(keys)].T

    def feature(self, key: Any) -> Feature:
        """Give a feature of the list."""
        found: Feature = self.features[key]
        return found


class HistogramFeatures(ListedFeatures):
    """Conditions and conjunctions of two, priced by histograms, never materialised.

    Conditions cut an attribute into bins between which none of them tells. With H the
    histogram of the items over the bins of two attributes, weighted, and M the 0/1
    tables of which bins a condition covers, ``M_a H_ab M_b'`` are the totals of all
    conjunctions of a and b at once: n d^2 / 2 steps for the histograms and nothing else
    that grows with the number of items. Conditions come first, so that they win against
    conjunctions that cover the same items.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
    conditions : sequence of Condition
        Sorted by attribute.
    with_pairs : bool, default=True
        Whether to join conditions.
    allowed : ndarray of bool of shape (n_conditions, n_conditions), optional
        Which conditions may be joined; on the diagonal, which may stand alone.
    """

    def __init__(
        self,
        X: FloatArray,
        conditions: Sequence[Condition],
        *,
        with_pairs: bool = True,
        allowed: BoolArray | None = None,
    ) -> None:
        self.n_items = len(X)
        self.conditions = list(conditions)
        covers = [condition.holds(X) for condition in self.conditions]
        self._covers = np.array(covers, dtype=np.bool_).reshape(-1, self.n_items)
        groups = groupby(range(len(covers)), lambda c: self.conditions[c].attribute)
        binned = [(own, *_bins(self._covers[own])) for own in map(_numbers, groups)]
        n_most = max((len(own) for own, _, _ in binned), default=0)
        n_bins = max((tells.shape[1] for _, tells, _ in binned), default=0)
        # All attributes get the same number of conditions and bins, so that one call
        # multiplies them all; what is too much covers nothing and is never looked at.
        self._tells = np.zeros((len(binned), n_most, n_bins))
        self._codes = np.empty((len(binned), self.n_items), dtype=np.int64)
        numbers = np.full((len(binned), n_most), -1)
        for a, (own, tells, codes) in enumerate(binned):
            self._tells[a, : len(own), : tells.shape[1]] = tells
            self._codes[a] = codes
            numbers[a, : len(own)] = own
        self._lay_out(numbers, with_pairs, allowed)

    def _lay_out(
        self, numbers: IntArray, with_pairs: bool, allowed: BoolArray | None
    ) -> None:
        """Give features their numbers: single conditions first, then joined ones."""
        some = others = np.arange(len(numbers))
        if with_pairs:
            some, others = np.triu_indices(len(numbers))
        shape = (some.size, numbers.shape[1], numbers.shape[1])
        first = np.broadcast_to(numbers[some][:, :, np.newaxis], shape)
        second = np.broadcast_to(numbers[others][:, np.newaxis, :], shape)
        alone = (first == second) & (first >= 0)
        joined = (first >= 0) & (second > first) & with_pairs
        for a in np.flatnonzero(some == others):
            joined[a] &= _tells_more(self._tells[some[a]])
        if allowed is not None:
            alone &= allowed[first, second]
            joined &= allowed[first, second]
        self._n_single = int(alone.sum())
        self._places = np.append(np.flatnonzero(alone), np.flatnonzero(joined))
        self._first = first.ravel()[self._places]
        self._second = second.ravel()[self._places]
        self._starts = np.flatnonzero(some == others).tolist()
        self._widths = np.diff([*self._starts, some.size]).tolist()
        self.n_features = self._places.size

    def sums(self, channels: FloatArray) -> FloatArray:
        """Multiply histograms with what conditions tell of their bins."""
        totals = np.empty((self.n_features, channels.shape[1]))
        for c, weights in enumerate(channels.T):
            blocks = [self._block(a, weights).ravel() for a in range(len(self._codes))]
            found = np.concatenate(blocks) if blocks else np.empty(0)
            totals[:, c] = found[self._places]
        return totals

    def _block(self, a: int, weights: FloatArray) -> FloatArray:
        """Give the totals of an attribute with itself and with those after it."""
        width, n_bins = self._widths[a], self._tells.shape[2]
        places = self._codes[a : a + width] + n_bins * self._codes[a]
        places += n_bins**2 * np.arange(width)[:, np.newaxis]
        counts = np.bincount(
            places.ravel(), np.tile(weights, width), width * n_bins**2
        ).reshape(width, n_bins, n_bins)
        others = self._tells[a : a + width].transpose(0, 2, 1)
        totals: FloatArray = self._tells[a] @ counts @ others
        return totals

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Intersect what the conditions cover."""
        kept = np.asarray(keys, dtype=np.int64)
        both = self._covers[self._first[kept]] & self._covers[self._second[kept]]
        return both.T.astype(np.float64)

    def feature(self, key: Any) -> Feature:
        """Make the conjunction of one or two conditions."""
        both = {int(self._first[key]), int(self._second[key])}
        return Conjunction.merge(self.conditions[j] for j in sorted(both))

    def basis(self) -> list[Feature]:
        """Give the conditions "<=" and "=": their opposites tell the same."""
        single = (self.conditions[j] for j in self._first[: self._n_single])
        return [Conjunction((c,)) for c in single if c.relation in ("<=", "=")]


class JoinedFeatures(FeatureSet):
    """The features of several sets; keys are pairs of a set's number and its key.

    Parameters
    ----------
    parts : sequence of FeatureSet
        On the same items.
    """

    def __init__(self, parts: Sequence[FeatureSet]) -> None:
        self.parts = tuple(parts)
        self.n_items = self.parts[0].n_items
        self.is_signed = any(part.is_signed for part in self.parts)

    def price(self, channels: FloatArray, n_best: int) -> PricedFeatures:
        """Price each set and keep the best of all."""
        priced = [part.price(channels, n_best) for part in self.parts]
        keys = [(i, key) for i, each in enumerate(priced) for key in each.keys]
        payoffs = np.concatenate([each.payoffs for each in priced])
        order = np.argsort(-payoffs, kind="stable")[:n_best]
        return PricedFeatures(
            max(each.bound for each in priced),
            [keys[k] for k in order],
            np.concatenate([each.better for each in priced])[order],
            np.concatenate([each.worse for each in priced])[order],
            payoffs[order],
        )

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Let each set evaluate its own."""
        columns = np.empty((self.n_items, len(keys)), order="F")
        for i, part in enumerate(self.parts):
            places = [j for j, key in enumerate(keys) if key[0] == i]
            if places:
                columns[:, places] = part.values([keys[j][1] for j in places])
        return columns

    def feature(self, key: Any) -> Feature:
        """Let its set make the feature."""
        i, own_key = key
        part: FeatureSet = self.parts[i]
        return part.feature(own_key)

    def sample(self, n_features: int, rng: np.random.Generator) -> list[Any]:
        """Draw a set, each with equal probability, then one of its features."""
        drawn = rng.integers(0, len(self.parts), n_features)
        keys: list[Any] = [None] * n_features
        for i, part in enumerate(self.parts):
            places = np.flatnonzero(drawn == i)
            for place, key in zip(places, part.sample(places.size, rng), strict=True):
                keys[place] = (i, key)
        return keys

    def basis(self) -> list[Feature]:
        """Give those of all sets."""
        return [feature for part in self.parts for feature in part.basis()]


def _numbers(group: tuple[int, Any]) -> list[int]:
    return list(group[1])


def _bins(covers: BoolArray) -> tuple[FloatArray, IntArray]:
    """Put items that the same conditions cover into one bin.

    Returns which conditions cover which bins, and the bin of every item.
    """
    packed = np.packbits(covers, axis=0)
    _, first, codes = np.unique(packed, axis=1, return_index=True, return_inverse=True)
    return covers[:, first].astype(np.float64), codes.ravel()


def _tells_more(tells: FloatArray) -> BoolArray:
    """Tell of which two conditions on one attribute the conjunction says more."""
    both = tells[:, np.newaxis] * tells[np.newaxis, :]
    n_bins = both.sum(axis=2)
    own = tells.sum(axis=1)
    more: BoolArray = (n_bins > 0) & (n_bins < np.minimum.outer(own, own))
    return more


def _best_of_sums(totals: FloatArray, n_best: int) -> PricedFeatures:
    """Find the features with the largest payoff among the totals of all.

    Of several channels a feature's best two are the one with its largest total and the
    one with its smallest.
    """
    one = totals.shape[1] == 1
    payoffs = np.abs(totals[:, 0]) if one else np.ptp(totals, axis=1)
    n_best = min(n_best, payoffs.size)
    if n_best == 0:
        nothing = np.zeros(0, dtype=np.int64)
        return PricedFeatures(0.0, [], nothing, nothing, np.zeros(0))
    # Features that differ by rounding only come in their order, simple ones first.
    level = np.round(payoffs / (payoffs.max() or 1.0), _DIGITS)
    best = np.argpartition(-level, n_best - 1)[:n_best]
    # Of those at the lowest level the partition may have any.
    best = np.union1d(best, np.flatnonzero(level == level[best].min())[:n_best])
    best = best[np.lexsort((best, -level[best]))][:n_best]
    if one:
        better = (totals[best, 0] > 0).astype(np.int64)
        worse = 1 - better
    else:
        better, worse = totals[best].argmax(axis=1), totals[best].argmin(axis=1)
    falling = np.minimum.accumulate(payoffs[best])
    return PricedFeatures(float(payoffs.max()), best.tolist(), better, worse, falling)
