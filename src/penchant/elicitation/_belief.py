"""What asking, recommending and telling need to know of a person: one protocol."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, Self, TypeAlias

import numpy as np

from penchant.gp import Answer, Draws
from penchant.typing import FloatArray, IntArray

__all__ = ["Belief", "Moments", "Pair"]

Pair: TypeAlias = tuple[int, int]


class Moments(Protocol):
    """Means and covariances of what the items are worth: what scores of pairs need."""

    @property
    def n_items(self) -> int:
        """Number of items."""
        ...

    @property
    def mean(self) -> FloatArray:
        """Mean utility of each item, shape (n_items,)."""
        ...

    @property
    def variance(self) -> FloatArray:
        """Variance of each utility, shape (n_items,)."""
        ...

    @property
    def noise(self) -> float:
        """Standard deviation sigma of an answer (GP-1)."""
        ...

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The evidence so far, in order."""
        ...

    def block(self, items: IntArray) -> FloatArray:
        """Give the covariance among some items, shape (k, k)."""
        ...

    def cross(self, items: IntArray) -> FloatArray:
        """Give columns of the covariance, shape (n_items, k)."""
        ...

    def update(self, winner: int, loser: int) -> Self:
        """Give the belief after one item was preferred to another."""
        ...


class Belief(Moments, Protocol):
    """The belief about one person; it never changes, what is learned gives a new one.

    `Posterior` is that of GPPE, `LapsePosterior` the one of the app, which allows for
    slips. Whatever is asked, recommended or told goes through these methods only.
    """

    @property
    def negligible(self) -> float:
        """Share of the largest expected gain below which an item cannot matter."""
        ...

    def with_answers(self, answers: Iterable[Answer]) -> Self:
        """Learn from evidence of any kind."""
        ...

    def without(self, k: int) -> Self:
        """Forget the k-th piece of evidence."""
        ...

    def draw(self, items: IntArray) -> Draws:
        """Draw utilities of some items; every draw has a weight."""
        ...

    def sample(
        self, n: int, rng: np.random.Generator, items: IntArray | None = None
    ) -> Iterator[FloatArray]:
        """Yield utilities of n people of whom the same is believed."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Give the belief as plain values for JSON."""
        ...
