"""Preferences between labels or items as the rows of a margin program (PRL-2)."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.rules._sources import FeatureSet
from penchant.rules.margin._column_source import Priced
from penchant.typing import FloatArray, IntArray

__all__ = [
    "ItemPreferences",
    "LabelPreferences",
    "Preferences",
    "RuleColumns",
    "RuleKey",
]

RuleKey = tuple[Any, int, int]
"""Key of a feature, the label that it speaks for, the label that it speaks against."""


class Preferences(ABC):
    """What is preferred to what: one row per preference.

    Attributes
    ----------
    n_rows : int
    n_items : int
        Number of items that features are evaluated on.
    n_labels : int
        Labels that a rule can speak for; 2 also for preferences between items, where
        1 means "better" and 0 "worse".
    scale : float
        What a rule of weight 1 counts in the margins.
    """

    n_items: int
    n_labels: int
    scale: float = 1.0

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of preferences."""

    @abstractmethod
    def channels(self, weights: FloatArray) -> FloatArray:
        """Give the weight of each item in each label, shape (n_items, n_channels).

        The payoff of a rule is its total in one channel minus that in another; with
        two labels a single channel holds the difference.
        """

    @abstractmethod
    def curvatures(self, weights: FloatArray, better: int, worse: int) -> FloatArray:
        """Give the weight of each item in the squares of a rule's margins.

        The sum of squared values with these weights is at least the sum over the rows
        of squared margins times `weights`; exactly that for preferences of labels.
        """

    @abstractmethod
    def margins(
        self, values: FloatArray, better: IntArray, worse: IntArray
    ) -> FloatArray:
        """Tell by how much rules speak for each preference, shape (n_rows, k).

        Parameters
        ----------
        values : ndarray of shape (n_items, k)
            The features of the rules.
        better, worse : ndarray of shape (k,)
            The labels that they speak for and against.
        """

    @abstractmethod
    def draw_labels(
        self, size: int, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        """Draw pairs of labels to speak for and against, as they are preferred."""


@dataclass(frozen=True, eq=False)
class LabelPreferences(Preferences):
    """For items: one label rather than another.

    A rule that speaks for label a and against b adds half its value to the score of a
    and takes half from b (PRL-2: the preference index of a column collapses).

    Parameters
    ----------
    items, preferred, others : ndarray of shape (n_rows,)
        Item, and codes of the two labels.
    n_items, n_labels : int
    """

    items: IntArray
    preferred: IntArray
    others: IntArray
    n_items: int
    n_labels: int

    @property
    def n_rows(self) -> int:
        """Number of preferences."""
        return self.items.size

    def channels(self, weights: FloatArray) -> FloatArray:
        """Add the weights of the rows to their items and labels."""
        if self.n_labels == 2:
            signed = np.where(self.preferred == 1, weights, -weights)
            return _totals(self.items, signed, self.n_items)[:, np.newaxis]
        size = self.n_items * self.n_labels
        place = self.items * self.n_labels
        gained = _totals(place + self.preferred, weights, size)
        lost = _totals(place + self.others, weights, size)
        return 0.5 * (gained - lost).reshape(-1, self.n_labels)

    def curvatures(self, weights: FloatArray, better: int, worse: int) -> FloatArray:
        """Add the weights times the squared agreement of rule and preference."""
        agreement = self._agreement(np.array([better]), np.array([worse]))[0]
        return _totals(self.items, weights * agreement**2, self.n_items)

    def margins(
        self, values: FloatArray, better: IntArray, worse: IntArray
    ) -> FloatArray:
        """Multiply each value with the agreement of rule and preference."""
        columns: FloatArray = np.empty((self.n_rows, len(better)), order="F")
        if self.n_labels == 2:
            signs = np.where(self.preferred == 1, 1.0, -1.0)
            for j, column in enumerate(values.T):
                turned = signs if better[j] == 1 else -signs
                np.multiply(column[self.items], turned, out=columns[:, j])
        else:
            agreement = self._agreement(better, worse).T
            np.multiply(values[self.items], agreement, out=columns)
        return columns

    def draw_labels(
        self, size: int, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        """Draw rows, each with equal probability."""
        rows = rng.integers(0, self.n_rows, size)
        return self.preferred[rows], self.others[rows]

    def _agreement(self, better: IntArray, worse: IntArray) -> FloatArray:
        """Give half the product of the two differences of labels, shape (k, n_rows)."""
        half = 0.5 * np.eye(self.n_labels)
        votes = half[better] - half[worse]
        agreement: FloatArray = votes[:, self.preferred] - votes[:, self.others]
        return agreement


@dataclass(frozen=True, eq=False)
class ItemPreferences(Preferences):
    """One item rather than another, by a utility that adds up the rules.

    Parameters
    ----------
    winners, losers : ndarray of shape (n_rows,)
        Items.
    n_items : int
    scale : float
        Multiplies differences of values, so that they stay in [-1, 1].
    """

    winners: IntArray
    losers: IntArray
    n_items: int
    scale: float = 1.0
    n_labels: int = 2

    @property
    def n_rows(self) -> int:
        """Number of preferences."""
        return self.winners.size

    def channels(self, weights: FloatArray) -> FloatArray:
        """Add the weights of the rows to winners, and take them from losers."""
        gained = _totals(self.winners, weights, self.n_items)
        lost = _totals(self.losers, weights, self.n_items)
        return (self.scale * (gained - lost))[:, np.newaxis]

    def curvatures(self, weights: FloatArray, better: int, worse: int) -> FloatArray:
        """Add the weights to both items; (a - b)^2 <= a^2 + b^2 for 0 <= a, b."""
        gained = _totals(self.winners, weights, self.n_items)
        lost = _totals(self.losers, weights, self.n_items)
        return self.scale**2 * (gained + lost)

    def margins(
        self, values: FloatArray, better: IntArray, worse: IntArray
    ) -> FloatArray:
        """Give differences of values, with the sign of the rule."""
        columns: FloatArray = np.empty((self.n_rows, len(better)), order="F")
        np.subtract(values[self.winners], values[self.losers], out=columns)
        np.multiply(columns, self.scale * (better - worse), out=columns)
        return columns

    def draw_labels(
        self, size: int, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        """Draw "better" or "worse" with equal probability."""
        better = rng.integers(0, 2, size)
        return better, 1 - better


class RuleColumns:
    """All rules of a set of features, as the columns of a margin program.

    Parameters
    ----------
    features : FeatureSet
    preferences : Preferences
        Over the same items.
    """

    def __init__(self, features: FeatureSet, preferences: Preferences) -> None:
        self.features = features
        self.preferences = preferences

    @property
    def n_rows(self) -> int:
        """Number of preferences."""
        return self.preferences.n_rows

    def price(self, weights: FloatArray, n_best: int) -> Priced:
        """Find the rules with the largest payoff, see `ColumnSource`."""
        channels = self.preferences.channels(weights)
        priced = self.features.price(channels, n_best)
        labels = zip(priced.better.tolist(), priced.worse.tolist(), strict=True)
        keys = [(key, *pair) for key, pair in zip(priced.keys, labels, strict=True)]
        return Priced(priced.bound, keys, priced.payoffs)

    def columns(self, keys: Sequence[Any]) -> FloatArray:
        """Tell by how much rules speak for each preference, see `ColumnSource`."""
        values = self.features.values([key for key, _, _ in keys])
        better = np.array([better for _, better, _ in keys], dtype=np.int64)
        worse = np.array([worse for _, _, worse in keys], dtype=np.int64)
        return self.preferences.margins(values, better, worse)

    def sample(self, n_columns: int, rng: np.random.Generator) -> list[RuleKey]:
        """Draw features, and for each a preference that it speaks for."""
        keys = self.features.sample(n_columns, rng)
        better, worse = self.preferences.draw_labels(n_columns, rng)
        return list(zip(keys, better.tolist(), worse.tolist(), strict=True))


def _totals(places: IntArray, weights: FloatArray, size: int) -> FloatArray:
    """Add up weights by place."""
    return np.bincount(places, weights, size).astype(np.float64, copy=False)
