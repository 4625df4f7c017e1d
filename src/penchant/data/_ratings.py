"""Ratings, rankings and choices: evidence that reduces to comparisons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from penchant._validation import (
    check_indices,
    check_weights,
    frozen_array,
    set_fields,
)
from penchant.data._by_name import NameFinder
from penchant.data._comparisons import Comparisons, check_users
from penchant.data._reductions import (
    check_ranking,
    pairs_of_best_worst,
    pairs_of_ratings,
)
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray, IntArray


@dataclass(frozen=True, eq=False, init=False)
class BestWorst:
    """The best and the worst of several items, each time.

    Parameters
    ----------
    sets : sequence of array-like of int
        The items shown each time.
    best, worst : array-like of int of shape (n_answers,)
        The items (not their positions) that were called best and worst.
    users : array-like of shape (n_answers,), optional
        Who answered. None: one person.

    Examples
    --------
    The best wins against all others, the worst loses to all others:

    >>> from penchant.data import BestWorst
    >>> answers = BestWorst([[0, 1, 2, 3]], best=[2], worst=[0]).to_comparisons()
    >>> list(zip(answers.winners.tolist(), answers.losers.tolist()))
    [(2, 0), (2, 1), (2, 3), (1, 0), (3, 0)]
    """

    sets: tuple[IntArray, ...]
    best: IntArray
    worst: IntArray
    users: Any

    def __init__(
        self,
        sets: Sequence[ArrayLike],
        best: ArrayLike,
        worst: ArrayLike,
        users: ArrayLike | None = None,
    ) -> None:
        tops, bottoms = check_indices(best, "best"), check_indices(worst, "worst")
        if not len(sets) == tops.size == bottoms.size:
            raise DataError(
                "sets, best and worst must be equally long. "
                f"Got {len(sets)}, {tops.size} and {bottoms.size}."
            )
        set_fields(
            self,
            sets=tuple(check_indices(s, f"sets[{row}]") for row, s in enumerate(sets)),
            best=tops,
            worst=bottoms,
            users=check_users(users, len(sets)),
        )
        for row in range(len(self)):
            self._pairs(row)

    @classmethod
    def from_names(
        cls,
        sets: Sequence[Sequence[Any]],
        best: Sequence[Any],
        worst: Sequence[Any],
        items: Any,
        *,
        users: ArrayLike | None = None,
    ) -> Self:
        """Make answers of item names.

        Parameters
        ----------
        sets, best, worst
            As for the class, with names in the place of indices.
        items : Items or sequence of str
            The table of items, or their names in its order.
        users : array-like of shape (n_answers,), optional
            Who answered.
        """
        finder = NameFinder(items)
        shown = finder.find_sets(sets, "sets")
        tops, bottoms = finder.find_all(best, "best"), finder.find_all(worst, "worst")
        return cls(shown, tops, bottoms, users)

    def __len__(self) -> int:
        return len(self.sets)

    def _pairs(self, row: int) -> Any:
        ends = int(self.best[row]), int(self.worst[row])
        return pairs_of_best_worst(self.sets[row], *ends, row)

    def with_users(self, users: ArrayLike) -> Self:
        """Give the same answers, of these people."""
        return type(self)(self.sets, self.best, self.worst, users)

    def to_comparisons(self) -> Comparisons:
        """Compare the best with all others, and all others with the worst."""
        groups = [self._pairs(row) for row in range(len(self))]
        single = self.users is None
        return Comparisons._from_groups(groups, self.users, single=single)

    def take(self, rows: ArrayLike) -> Self:
        """Keep the given answers."""
        index = np.arange(len(self))[np.asarray(rows)]
        users = None if self.users is None else self.users[index]
        return type(self)(
            [self.sets[row] for row in index],
            self.best[index],
            self.worst[index],
            users,
        )


@dataclass(frozen=True, eq=False, init=False)
class Ratings:
    """Values that people gave to items; larger is better.

    Parameters
    ----------
    items : array-like of int of shape (n_ratings,)
        Rated item of each row. An item may be rated more than once.
    values : array-like of float of shape (n_ratings,)
        Its value.
    users : array-like of shape (n_ratings,), optional
        Who rated. None: one person.
    weights : array-like of float of shape (n_ratings,), optional
        How much each row counts.

    Examples
    --------
    >>> from penchant.data import Ratings
    >>> len(Ratings([0, 1, 2], [3, 5, 5]).to_comparisons())
    3
    """

    items: IntArray
    values: FloatArray
    users: Any
    weights: FloatArray

    def __init__(
        self,
        items: ArrayLike,
        values: ArrayLike,
        users: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        rated = check_indices(items, "items")
        numbers = np.asarray(values, dtype=np.float64)
        if numbers.shape != rated.shape:
            raise DataError(
                "items and values must be equally long. "
                f"Got {rated.size} items and values of shape {numbers.shape}."
            )
        bad = np.flatnonzero(~np.isfinite(numbers))
        if bad.size:
            raise DataError(
                f"Ratings must be finite. Got {numbers[bad[0]]} in row {bad[0]}."
            )
        set_fields(
            self,
            items=rated,
            values=frozen_array(numbers),
            users=check_users(users, rated.size),
            weights=check_weights(weights, rated.size, "weights"),
        )

    @classmethod
    def from_names(
        cls,
        names: Sequence[Any],
        values: ArrayLike,
        items: Any,
        *,
        users: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Self:
        """Make ratings of items that are named.

        Parameters
        ----------
        names : sequence of str
            The rated item of each row.
        values, users, weights
            As for the class.
        items : Items or sequence of str
            The table of items, or their names in its order.
        """
        finder = NameFinder(items)
        rated = [finder.find(name, f"names[{row}]") for row, name in enumerate(names)]
        return cls(rated, values, users, weights)

    def __len__(self) -> int:
        return int(self.items.size)

    def to_comparisons(self) -> Comparisons:
        """Compare all pairs of different items that the same person rated."""
        who = np.zeros(len(self), np.int64) if self.users is None else self.users
        groups = [np.flatnonzero(who == user) for user in np.unique(who)]
        parts = [pairs_of_ratings(self.values[g], self.items[g]) for g in groups]
        winners, losers, ties = (np.concatenate(p) for p in zip(*parts, strict=True))
        sizes = [part[0].size for part in parts]
        users = None if self.users is None else np.repeat(np.unique(who), sizes)
        return Comparisons(winners, losers, ties=ties, users=users)


@dataclass(frozen=True, eq=False, init=False)
class Rankings:
    """Orders of items, best first, each by one person.

    Parameters
    ----------
    orders : sequence of array-like of int
        Items from best to worst; they need not be all items.
    users : array-like of shape (n_rankings,), optional
        Who ranked; by default 0, 1, ... .

    Examples
    --------
    >>> from penchant.data import Rankings
    >>> Rankings([[2, 0, 1], [1, 2]]).to_comparisons()
    Comparisons(4 rows, 0 ties, 2 users)
    """

    orders: tuple[IntArray, ...]
    users: Any

    def __init__(
        self, orders: Sequence[ArrayLike], users: ArrayLike | None = None
    ) -> None:
        checked = tuple(check_ranking(order, row) for row, order in enumerate(orders))
        labels = np.arange(len(checked)) if users is None else users
        set_fields(self, orders=checked, users=check_users(labels, len(checked)))

    @classmethod
    def from_names(
        cls,
        orders: Sequence[Sequence[Any]],
        items: Any,
        *,
        users: ArrayLike | None = None,
    ) -> Self:
        """Make rankings of item names; `items` has the table, or all names."""
        return cls(NameFinder(items).find_sets(orders, "orders"), users)

    def with_users(self, users: ArrayLike) -> Self:
        """Give the same rankings, of these people."""
        return type(self)(self.orders, users)

    def __len__(self) -> int:
        return len(self.orders)

    def to_comparisons(self, pairs: str = "all") -> Comparisons:
        """Compare all pairs of each ranking, or adjacent ones only."""
        return Comparisons.from_rankings(self.orders, users=self.users, pairs=pairs)


@dataclass(frozen=True, eq=False, init=False)
class Choices:
    """Choices of one item out of several.

    Parameters
    ----------
    sets : sequence of array-like of int
        The items offered each time.
    chosen : array-like of int of shape (n_choices,)
        The item (not its position) that was chosen each time.
    users : array-like of shape (n_choices,), optional
        Who chose. None: one person.

    Examples
    --------
    >>> from penchant.data import Choices
    >>> len(Choices([[0, 1, 2], [3, 4]], [1, 4]).to_comparisons())
    3
    """

    sets: tuple[IntArray, ...]
    chosen: IntArray
    users: Any

    def __init__(
        self,
        sets: Sequence[ArrayLike],
        chosen: ArrayLike,
        users: ArrayLike | None = None,
    ) -> None:
        # from_choices checks each set against its choice
        Comparisons.from_choices(sets, chosen, users=users)
        set_fields(
            self,
            sets=tuple(check_indices(s, f"sets[{row}]") for row, s in enumerate(sets)),
            chosen=check_indices(chosen, "chosen"),
            users=check_users(users, len(sets)),
        )

    @classmethod
    def from_names(
        cls,
        sets: Sequence[Sequence[Any]],
        chosen: Sequence[Any],
        items: Any,
        *,
        users: ArrayLike | None = None,
    ) -> Self:
        """Make choices of item names; `items` has the table, or all names."""
        finder = NameFinder(items)
        offered = finder.find_sets(sets, "sets")
        return cls(offered, finder.find_all(chosen, "chosen"), users)

    def with_users(self, users: ArrayLike) -> Self:
        """Give the same choices, of these people."""
        return type(self)(self.sets, self.chosen, users)

    def __len__(self) -> int:
        return len(self.sets)

    def to_comparisons(self) -> Comparisons:
        """Compare each chosen item with those that it was chosen over."""
        return Comparisons.from_choices(self.sets, self.chosen, users=self.users)
