"""Pairs of items, of which one is preferred or neither, as a rule ranker takes them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from penchant.encoding import Pairs
from penchant.rules._data import RuleData, stack_items
from penchant.typing import BoolArray, FloatArray, IntArray


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
        gained = np.bincount(winners, weights, n_items)
        lost = np.bincount(losers, weights, n_items)
        channels: FloatArray = self.scale * (gained - lost).astype(np.float64)
        return channels[:, np.newaxis]

    def margins(
        self, values: FloatArray, rules: Sequence[tuple[Any, int, int]]
    ) -> FloatArray:
        """Give differences of values, with the sign of the rule."""
        winners, losers = self._rows()
        columns: FloatArray = np.empty((self.n_rows, len(rules)), order="F")
        np.subtract(values[winners], values[losers], out=columns)
        signs = np.array([better - worse for _, better, worse in rules], dtype=float)
        np.multiply(columns, self.scale * signs, out=columns)
        return columns

    def gaps(self, scores: FloatArray) -> FloatArray:
        """Subtract the utility of the other item from that of the preferred one."""
        utility = scores[:, 1] - scores[:, 0]
        winners, losers = self._rows()
        return utility[winners] - utility[losers]

    def draw_labels(
        self, size: int, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        """Draw "better" or "worse" with equal probability."""
        better = rng.integers(0, 2, size)
        return better, 1 - better

    def row_weights(
        self, *, balanced: bool = False, strict: bool = False
    ) -> FloatArray:
        """Share the weight of a tie between its two rows.

        If strict ties have none, unless there is nothing else.
        """
        share = 0.0 if strict and not self.ties.all() else 0.5
        each = np.where(self.ties, share * self.weights, self.weights)
        both = np.concatenate([each, each[self.ties]])
        return both / (each.sum() if share == 0 else self.weights.sum())

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
            X=stack_items(self.X, other.X),
            weights=np.concatenate([self.weights, other.weights]),
            winners=np.concatenate([self.winners, other.winners + n_items]),
            losers=np.concatenate([self.losers, other.losers + n_items]),
            ties=np.concatenate([self.ties, other.ties]),
        )


def pair_data(pairs: Pairs, *, with_ties: bool) -> tuple[PairData, IntArray]:
    """Merge equal pairs, in an order that the order of the pairs cannot change.

    Returns
    -------
    PairData
    ndarray of shape (n_pairs,)
        The unit of each pair; -1 if left out.
    """
    low = np.minimum(pairs.winners, pairs.losers)
    high = np.maximum(pairs.winners, pairs.losers)
    winners = np.where(pairs.ties, low, pairs.winners)
    losers = np.where(pairs.ties, high, pairs.losers)
    table = np.column_stack([winners, losers, pairs.ties])
    kept = ~pairs.ties | with_ties | pairs.ties.all()
    units = np.full(kept.size, -1)
    distinct, unit_of = np.unique(table[kept], axis=0, return_inverse=True)
    units[kept] = unit_of.ravel()
    weights = np.bincount(units[kept], pairs.weights[kept]).astype(np.float64)
    data = PairData(
        pairs.items, weights, distinct[:, 0], distinct[:, 1], distinct[:, 2] == 1
    )
    return data.take(weights), units
