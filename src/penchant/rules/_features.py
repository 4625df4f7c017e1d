"""Features on the items of a fit: pricing them all without listing them (PRL-4).

A generator binds features to items; generators, and the sets that they make, can be
added.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from penchant.exceptions import DataError
from penchant.rules._conditions import ALWAYS, Condition, Conjunction, Ramp, Vocabulary
from penchant.typing import FloatArray, IntArray

_DIGITS = 12
"""Payoffs are equal if they agree to this many digits of the largest."""


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
        """Find the features with the largest payoff among the totals of all.

        Of several channels a feature's best two are the one with its largest total and
        the one with its smallest.
        """
        totals = self.sums(channels)
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
        largest = float(payoffs.max())
        return PricedFeatures(largest, best.tolist(), better, worse, falling)

    def sample(self, n_features: int, rng: np.random.Generator) -> list[Any]:
        """Draw keys independently, each with equal probability."""
        return rng.integers(0, self.n_features, n_features).tolist()

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
        return self._table @ channels

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Give some columns of the table."""
        return self._table[list(keys)].T

    def feature(self, key: Any) -> Feature:
        """Give a feature of the list."""
        return self.features[key]


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


@runtime_checkable
class RuleGenerator(Protocol):
    """What makes features out of items; write your own to learn other rules.

    A generator has one method. Most return a `FeatureList` of objects with a method
    `evaluate` and a method `text`; one that has too many features for a list derives
    its own set from `FeatureSet`, with a method `price` that finds the best of them.
    """

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """Give all features on the items of a fit.

        Parameters
        ----------
        X : ndarray or CSR array of shape (n_items, n_features)
            Encoded items.
        vocabulary : Vocabulary
            Kinds and names of the attributes.

        Returns
        -------
        FeatureSet
        """
        ...


class SummableGenerator:
    """A generator that can be added to another: the sum has the features of both."""

    def __add__(self, other: RuleGenerator) -> "GeneratorSum":
        mine = self.parts if isinstance(self, GeneratorSum) else (self,)
        theirs = other.parts if isinstance(other, GeneratorSum) else (other,)
        return GeneratorSum((*mine, *theirs))


@dataclass(frozen=True)
class AlwaysTrue(SummableGenerator):
    """The rule that always holds: the bias of a classifier (PRL-6)."""

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """Give the one feature."""
        return FeatureList([ALWAYS], X)


@dataclass(frozen=True)
class GeneratorSum(SummableGenerator):
    """The features of several generators.

    Parameters
    ----------
    parts : tuple of RuleGenerator
    """

    parts: tuple[RuleGenerator, ...]

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """Join the features of all."""
        return JoinedFeatures([part.bind(X, vocabulary) for part in self.parts])


@dataclass(frozen=True)
class Ramps(SummableGenerator):
    """Graded rules such as ``size from 40 to 80``: the larger, the more it holds.

    A ramp is 0 up to one quantile of an attribute, 1 from another one on, and rises
    evenly between them. Categories, and attributes with two values, have conditions
    instead.

    Parameters
    ----------
    n_knots : int, default=5
        Number of quantiles, the smallest and the largest value included.
    """

    n_knots: int = 5

    def __post_init__(self) -> None:
        if self.n_knots < 2:
            raise DataError(f"n_knots must be at least 2. Got {self.n_knots!r}.")

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """List the ramps of all attributes."""
        items = dense_items(X, "Ramps")
        return FeatureList(list_ramps(items, vocabulary, self.n_knots), items)


def list_ramps(X: FloatArray, vocabulary: Vocabulary, n_knots: int) -> list[Feature]:
    """List the ramps between any two of some quantiles of each attribute.

    Categories, and attributes with two values in X, get the conditions that they are
    equal to a value instead; the first of two values is left out, as the other one
    tells the same.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
        Encoded items.
    vocabulary : Vocabulary
    n_knots : int
        Number of quantiles, the smallest and the largest value included.
    """
    features: list[Feature] = []
    shares = np.linspace(0.0, 1.0, n_knots)
    for i, column in enumerate(X.T):
        values = np.unique(column)  # an unknown value comes last, and once
        numbers = column[~np.isnan(column)]
        is_graded = vocabulary.kind(i) != "categorical" and np.unique(numbers).size > 2
        if is_graded:
            knots = np.unique(np.quantile(numbers, shares, method="inverted_cdf"))
            features += [Ramp(i, *ends) for ends in combinations(knots.tolist(), 2)]
            values = values[np.isnan(values)]
        elif values.size <= 2:
            values = values[1:]
        equal = (Condition(i, "=", value) for value in values.tolist())
        features += [Conjunction((condition,)) for condition in equal]
    return features


def dense_items(X: Any, what: str) -> FloatArray:
    """Refuse a sparse table, and say what helps."""
    if sparse.issparse(X):
        raise DataError(
            f"{what} need a dense table. Got a sparse one; use X.toarray(), or "
            "generator='monomials' with degree=1."
        )
    return X
