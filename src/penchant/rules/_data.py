"""What rules are learned from: items with preferences between labels, or pairs.

A unit is what people gave and what folds keep together: a labelled item, or a pair. A
row is a preference, and a row of the margin program: that of an item's label to another
label, or of one item to another (PRL-2).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import sparse

from penchant.typing import BoolArray, FloatArray, IntArray

__all__ = ["LabelData", "PairData", "RuleData"]


@dataclass(frozen=True, eq=False)
class RuleData(ABC):
    """Items and what is preferred to what.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n_items, n_features)
        Encoded items.
    weights : ndarray of shape (n_units,)
        How much each unit counts; positive.
    """

    X: Any
    weights: FloatArray
    scale = 1.0
    """What a rule of weight 1 counts in the margins."""
    n_labels = 2
    """Labels that a rule can speak for; of pairs 1 means better and 0 worse."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of preferences."""

    @property
    @abstractmethod
    def item_weights(self) -> FloatArray:
        """How much each item counts, shape (n_items,)."""

    def for_features(self, *, is_signed: bool) -> Self:
        """Prepare for features with values in [0, 1], or in [-1, 1]."""
        return self

    @abstractmethod
    def channels(self, weights: FloatArray) -> FloatArray:
        """Give the weight of each item in each label, shape (n_items, n_channels).

        The payoff of a rule is its total in one channel minus that in another; with
        two labels a single channel holds the difference.
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
    def gaps(self, scores: FloatArray) -> FloatArray:
        """Tell by how much scores speak for each preference, shape (n_rows,).

        Parameters
        ----------
        scores : ndarray of shape (n_items, n_labels)
        """

    @abstractmethod
    def draw_labels(
        self, size: int, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        """Draw pairs of labels to speak for and against, as they are preferred."""

    @abstractmethod
    def row_weights(self, *, balanced: bool = False) -> FloatArray:
        """Give the weights of the preferences, which add up to 1."""

    def strict_weights(self, *, balanced: bool = False) -> FloatArray:
        """Give the same without ties, which can have no margin."""
        return self.row_weights(balanced=balanced)

    @abstractmethod
    def take(self, weights: FloatArray) -> Self:
        """Give the units the weights, and keep those where they are positive."""

    @abstractmethod
    def join(self, other: Self) -> Self:
        """Add more units."""

    def thin(self, n_units: int) -> Self:
        """Keep about so many units, of every label the same share."""
        if self.weights.size <= n_units:
            return self
        drawn = np.random.default_rng(0).permutation(self.weights.size)
        order = drawn[np.argsort(self._strata()[drawn], kind="stable")]
        kept = order[np.linspace(0, order.size - 1, n_units).astype(np.int64)]
        weights = np.zeros(self.weights.size)
        weights[kept] = self.weights[kept]
        return self.take(weights)

    def _strata(self) -> IntArray:
        """Give the kind of each unit."""
        return np.zeros(self.weights.size, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class LabelData(RuleData):
    """Items with preferences between their labels.

    A rule that speaks for label a and against b adds half its value to the score of a
    and takes half from b (PRL-2: the preference index of a column collapses).

    Parameters
    ----------
    codes : ndarray of shape (n_items,) or None
        The label of each item; None if only preferences are known.
    items, preferred, others : ndarray of shape (n_rows,)
        The preferences.
    n_labels : int
    """

    codes: IntArray | None
    items: IntArray
    preferred: IntArray
    others: IntArray
    n_labels: int

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
    def n_rows(self) -> int:
        """Number of preferences."""
        return self.items.size

    @property
    def item_weights(self) -> FloatArray:
        """Those of the units."""
        return self.weights

    def channels(self, weights: FloatArray) -> FloatArray:
        """Add the weights of the rows to their items and labels."""
        n_items = self.weights.size
        if self.n_labels == 2:
            signed = np.where(self.preferred == 1, weights, -weights)
            return _totals(self.items, signed, n_items)[:, np.newaxis]
        place, size = self.items * self.n_labels, n_items * self.n_labels
        gained = _totals(place + self.preferred, weights, size)
        lost = _totals(place + self.others, weights, size)
        return 0.5 * (gained - lost).reshape(-1, self.n_labels)

    def margins(
        self, values: FloatArray, better: IntArray, worse: IntArray
    ) -> FloatArray:
        """Multiply each value with half the product of the differences of labels."""
        half = 0.5 * np.eye(self.n_labels)
        columns: FloatArray = np.empty((self.n_rows, len(better)), order="F")
        # Column by column, since all at once would take twice the memory.
        for j, column in enumerate(values.T):
            vote = half[better[j]] - half[worse[j]]
            agreement = vote[self.preferred] - vote[self.others]
            np.multiply(column[self.items], agreement, out=columns[:, j])
        return columns

    def gaps(self, scores: FloatArray) -> FloatArray:
        """Subtract the score of the other label from that of the preferred one."""
        rows = scores[self.items]
        places = np.arange(self.n_rows)
        gaps: FloatArray = rows[places, self.preferred] - rows[places, self.others]
        return gaps

    def draw_labels(
        self, size: int, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        """Draw rows, each with equal probability."""
        rows = rng.integers(0, self.n_rows, size)
        return self.preferred[rows], self.others[rows]

    def row_weights(self, *, balanced: bool = False) -> FloatArray:
        """Share the weight of an item among its preferences."""
        n_rows = np.bincount(self.items, minlength=self.weights.size)
        shares = (self.weights / np.maximum(n_rows, 1))[self.items]
        if balanced:
            # PRL-3: every label counts the same, whether frequent or rare.
            totals = np.bincount(self.preferred, shares, self.n_labels)
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

    def _strata(self) -> IntArray:
        return super()._strata() if self.codes is None else self.codes


@dataclass(frozen=True, eq=False)
class PairData(RuleData):
    """Pairs of items, of which one is preferred or neither.

    A rule that makes an item better adds its value to the item's utility. A tie counts
    as two opposite preferences of half its weight in the logistic loss, and not at all
    in the margin program; these rows come last.

    Parameters
    ----------
    winners, losers : ndarray of shape (n_pairs,)
        Rows of X.
    ties : ndarray of bool of shape (n_pairs,)
    scale : float
        1, or a half if features lie in [-1, 1], so that their differences do, too.
    """

    winners: IntArray
    losers: IntArray
    ties: BoolArray
    scale: float = 1.0

    @property
    def n_rows(self) -> int:
        """Number of pairs, and of ties once more."""
        return self.winners.size + int(self.ties.sum())

    @property
    def item_weights(self) -> FloatArray:
        """All the same."""
        return np.ones(self.X.shape[0])

    def for_features(self, *, is_signed: bool) -> "PairData":
        """Set the scale."""
        return replace(self, scale=0.5 if is_signed else 1.0)

    def _rows(self) -> tuple[IntArray, IntArray]:
        """Give the pairs, then the ties turned round."""
        return (
            np.concatenate([self.winners, self.losers[self.ties]]),
            np.concatenate([self.losers, self.winners[self.ties]]),
        )

    def channels(self, weights: FloatArray) -> FloatArray:
        """Add the weights of the rows to the preferred items, take from the others."""
        winners, losers = self._rows()
        n_items = self.X.shape[0]
        gained = _totals(winners, weights, n_items)
        lost = _totals(losers, weights, n_items)
        return self.scale * (gained - lost)[:, np.newaxis]

    def margins(
        self, values: FloatArray, better: IntArray, worse: IntArray
    ) -> FloatArray:
        """Give differences of values, with the sign of the rule."""
        winners, losers = self._rows()
        columns: FloatArray = np.empty((self.n_rows, len(better)), order="F")
        np.subtract(values[winners], values[losers], out=columns)
        np.multiply(columns, self.scale * (better - worse), out=columns)
        return columns

    def gaps(self, scores: FloatArray) -> FloatArray:
        """Subtract the utility of the other item from that of the preferred one."""
        utility = scores[:, 1] - scores[:, 0]
        winners, losers = self._rows()
        gaps: FloatArray = utility[winners] - utility[losers]
        return gaps

    def draw_labels(
        self, size: int, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        """Draw "better" or "worse" with equal probability."""
        better = rng.integers(0, 2, size)
        return better, 1 - better

    def row_weights(self, *, balanced: bool = False) -> FloatArray:
        """Share the weight of a tie between its two rows."""
        each = np.where(self.ties, 0.5 * self.weights, self.weights)
        total: FloatArray = np.concatenate([each, each[self.ties]]) / self.weights.sum()
        return total

    def strict_weights(self, *, balanced: bool = False) -> FloatArray:
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


def _stack(first: Any, second: Any) -> Any:
    """Put rows below each other, dense or sparse."""
    if sparse.issparse(first):
        return sparse.vstack([first, second], format="csr")
    return np.vstack([first, second])


def _totals(places: IntArray, weights: FloatArray, size: int) -> FloatArray:
    """Add up weights by place."""
    return np.bincount(places, weights, size).astype(np.float64, copy=False)
