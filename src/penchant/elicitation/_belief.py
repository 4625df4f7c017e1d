"""What asking needs to know of a person: the shape of a posterior, not its class."""

from typing import Any, Protocol, Self, TypeAlias

from penchant.typing import FloatArray, IntArray

__all__ = ["Belief", "Evidence", "Learner", "Pair"]

Pair: TypeAlias = tuple[int, int]


class Evidence(Protocol):
    """One answer that a belief rests on."""

    @property
    def kind(self) -> str:
        """Either "comparison" (winner first), "tie" or "below"."""
        ...

    @property
    def items(self) -> tuple[int, ...]:
        """The items it is about."""
        ...


class Belief(Protocol):
    """A joint Gaussian belief about what the items are worth to one person."""

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
    def answers(self) -> tuple[Any, ...]:
        """The answers so far, each an `Evidence`."""
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


class Learner(Belief, Protocol):
    """A belief that learns from answers of all kinds; every update gives a new one."""

    def update_tie(self, i: int, j: int) -> Self:
        """Learn that two items are equally good."""
        ...

    def update_below(self, i: int) -> Self:
        """Learn that an item is not acceptable."""
        ...

    def take(self, items: IntArray) -> Self:
        """Give the belief about some of the items."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Give the belief as plain values for JSON."""
        ...
