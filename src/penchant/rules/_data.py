"""What rules are learned from: labelled items, or pairs of items."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import sparse

from penchant.rules._preferences import ItemPreferences, LabelPreferences, Preferences
from penchant.typing import BoolArray, FloatArray, IntArray

__all__ = ["LabelData", "PairData", "RuleData"]


@dataclass(frozen=True, eq=False)
class RuleData(ABC):
    """Items and what is known about them.

    A unit is what cross-validation keeps together: a labelled item, or a pair.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n_items, n_features)
        Encoded items.
    weights : ndarray of shape (n_units,)
        How much each unit counts; positive.
    """

    X: Any
    weights: FloatArray

    @property
    @abstractmethod
    def n_labels(self) -> int:
        """Number of labels; 2 for pairs."""

    @property
    @abstractmethod
    def item_weights(self) -> FloatArray:
        """How much each item counts, shape (n_items,)."""

    @abstractmethod
    def preferences(self, *, is_signed: bool) -> Preferences:
        """Give the preferences, for features that are signed or not."""

    @abstractmethod
    def row_weights(self, *, balanced: bool) -> FloatArray:
        """Give the weights of the preferences, which add up to 1."""

    def strict_weights(self, *, balanced: bool) -> FloatArray:
        """Give the same without ties, which can have no margin."""
        return self.row_weights(balanced=balanced)

    @abstractmethod
    def take(self, weights: FloatArray) -> Self:
        """Give the units the weights, and keep those where they are positive."""

    @abstractmethod
    def join(self, other: Self) -> Self:
        """Add more units."""

    @abstractmethod
    def accuracy(
        self, scores: FloatArray, weights: FloatArray, *, balanced: bool
    ) -> float:
        """Score predictions.

        Parameters
        ----------
        scores : ndarray of shape (n_items, n_labels)
        weights : ndarray of shape (n_units,)
            How much each unit counts; may be 0.
        balanced : bool
            Whether all labels count the same.
        """


@dataclass(frozen=True, eq=False)
class LabelData(RuleData):
    """Items with preferences between their labels.

    Parameters
    ----------
    codes : ndarray of shape (n_items,) or None
        The label of each item; None if only preferences are known.
    items, preferred, others : ndarray of shape (n_rows,)
        The preferences.
    labels : int
        Number of labels.
    """

    codes: IntArray | None
    items: IntArray
    preferred: IntArray
    others: IntArray
    labels: int

    @classmethod
    def of_codes(
        cls, X: Any, weights: FloatArray, codes: IntArray, n_labels: int
    ) -> "LabelData":
        """Prefer the label of each item to all others."""
        n_items = codes.size
        items = np.repeat(np.arange(n_items), n_labels - 1)
        shifts = np.tile(np.arange(1, n_labels), n_items)
        preferred = codes[items]
        others = (preferred + shifts) % n_labels
        return cls(X, weights, codes, items, preferred, others, n_labels)

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.labels

    @property
    def item_weights(self) -> FloatArray:
        """Those of the units."""
        return self.weights

    def preferences(self, *, is_signed: bool) -> LabelPreferences:
        """Give the preferences."""
        return LabelPreferences(
            self.items, self.preferred, self.others, self.X.shape[0], self.labels
        )

    def row_weights(self, *, balanced: bool) -> FloatArray:
        """Share the weight of an item among its preferences."""
        n_rows = np.bincount(self.items, minlength=self.weights.size)
        shares = (self.weights / np.maximum(n_rows, 1))[self.items]
        if balanced:
            # PRL-3: every label counts the same, whether frequent or rare.
            totals = np.bincount(self.preferred, shares, self.labels)
            shares = shares / totals[self.preferred]
        total: FloatArray = shares / shares.sum()
        return total

    def take(self, weights: FloatArray) -> "LabelData":
        """Keep items, and number them anew."""
        kept = weights > 0
        rows = kept[self.items]
        return replace(
            self,
            X=self.X[kept],
            weights=weights[kept],
            codes=None if self.codes is None else self.codes[kept],
            items=(np.cumsum(kept) - 1)[self.items[rows]],
            preferred=self.preferred[rows],
            others=self.others[rows],
        )

    def join(self, other: "LabelData") -> "LabelData":
        """Add more items; their labels are known if all are."""
        both = self.codes is not None and other.codes is not None
        return replace(
            self,
            X=_stack(self.X, other.X),
            weights=np.concatenate([self.weights, other.weights]),
            codes=np.concatenate([self.codes, other.codes]) if both else None,
            items=np.concatenate([self.items, other.items + self.X.shape[0]]),
            preferred=np.concatenate([self.preferred, other.preferred]),
            others=np.concatenate([self.others, other.others]),
        )

    def accuracy(
        self, scores: FloatArray, weights: FloatArray, *, balanced: bool
    ) -> float:
        """Give the share of items whose label has the largest score.

        Without labels: the share of preferences that the scores follow, where equal
        scores count half.
        """
        if self.codes is None:
            n_rows = np.bincount(self.items, minlength=weights.size)
            shares = (weights / np.maximum(n_rows, 1))[self.items]
            gap = scores[self.items, self.preferred] - scores[self.items, self.others]
            return float(np.average(0.5 + 0.5 * np.sign(gap), weights=shares))
        right = scores.argmax(axis=1) == self.codes
        if not balanced:
            return float(np.average(right, weights=weights))
        totals = np.bincount(self.codes, weights, self.labels)
        hits = np.bincount(self.codes, weights * right, self.labels)
        return float(np.mean(hits[totals > 0] / totals[totals > 0]))


@dataclass(frozen=True, eq=False)
class PairData(RuleData):
    """Pairs of items, of which one is preferred or neither.

    A tie counts as two opposite preferences of half its weight in the logistic loss,
    and not at all in the margin program.

    Parameters
    ----------
    winners, losers : ndarray of shape (n_pairs,)
        Rows of X.
    ties : ndarray of bool of shape (n_pairs,)
    """

    winners: IntArray
    losers: IntArray
    ties: BoolArray

    @property
    def n_labels(self) -> int:
        """Better and worse."""
        return 2

    @property
    def item_weights(self) -> FloatArray:
        """All the same."""
        return np.ones(self.X.shape[0])

    def preferences(self, *, is_signed: bool) -> ItemPreferences:
        """Give the pairs, then the ties turned round."""
        return ItemPreferences(
            np.concatenate([self.winners, self.losers[self.ties]]),
            np.concatenate([self.losers, self.winners[self.ties]]),
            self.X.shape[0],
            scale=0.5 if is_signed else 1.0,
        )

    def row_weights(self, *, balanced: bool) -> FloatArray:
        """Share the weight of a tie between its two rows."""
        each = np.where(self.ties, 0.5 * self.weights, self.weights)
        total: FloatArray = np.concatenate([each, each[self.ties]]) / self.weights.sum()
        return total

    def strict_weights(self, *, balanced: bool) -> FloatArray:
        """Give ties no weight, unless there is nothing else."""
        if self.ties.all():
            return self.row_weights(balanced=balanced)
        strict = np.where(self.ties, 0.0, self.weights)
        both: FloatArray = np.concatenate([strict, np.zeros(self.ties.sum())])
        return both / float(strict.sum())

    def take(self, weights: FloatArray) -> "PairData":
        """Keep pairs, and the items that occur in them."""
        kept = weights > 0
        pairs = np.stack([self.winners[kept], self.losers[kept]])
        items, numbers = np.unique(pairs, return_inverse=True)
        winners, losers = numbers.reshape(pairs.shape)
        return replace(
            self,
            X=self.X[items],
            weights=weights[kept],
            winners=winners,
            losers=losers,
            ties=self.ties[kept],
        )

    def join(self, other: "PairData") -> "PairData":
        """Add more pairs, and their items."""
        n_items = self.X.shape[0]
        return replace(
            self,
            X=_stack(self.X, other.X),
            weights=np.concatenate([self.weights, other.weights]),
            winners=np.concatenate([self.winners, other.winners + n_items]),
            losers=np.concatenate([self.losers, other.losers + n_items]),
            ties=np.concatenate([self.ties, other.ties]),
        )

    def accuracy(
        self, scores: FloatArray, weights: FloatArray, *, balanced: bool
    ) -> float:
        """Give the share of pairs whose winner has the larger score; equal: half."""
        strict = np.where(self.ties, 0.0, weights)
        if strict.sum() == 0:
            return 0.5
        utility = scores[:, 1] - scores[:, 0]
        gap = utility[self.winners] - utility[self.losers]
        return float(np.average(0.5 + 0.5 * np.sign(gap), weights=strict))


def _stack(first: Any, second: Any) -> Any:
    """Put rows below each other, dense or sparse."""
    if sparse.issparse(first):
        return sparse.vstack([first, second], format="csr")
    return np.vstack([first, second])
