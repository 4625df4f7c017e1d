"""Comparisons: the evidence that one item is preferred to another."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from penchant._validation import (
    check_indices,
    check_weights,
    frozen_array,
    set_fields,
)
from penchant.data._by_name import NameFinder
from penchant.data._reductions import (
    check_ranking,
    pairs_of_choice,
    pairs_of_ranking,
    pairs_of_ratings,
)
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Comparisons:
    """Pairs of items, each with the preferred one first.

    Repeated and contradictory answers are kept and counted: they tell how sure a
    person is. An item compared with itself is refused.

    Parameters
    ----------
    winners, losers : array-like of int of shape (n_comparisons,)
        Row k says that item ``winners[k]`` is preferred to item ``losers[k]``.
    ties : array-like of bool of shape (n_comparisons,), optional
        True where the two items are about equally good; then the order of the
        two says nothing.
    users : array-like of shape (n_comparisons,), optional
        Who answered: numbers or strings. None: one person.
    weights : array-like of float of shape (n_comparisons,), optional
        How much each row counts; None: 1 each.

    Examples
    --------
    >>> from penchant.data import Comparisons
    >>> answers = Comparisons([0, 0, 2], [1, 2, 0])
    >>> len(answers), answers.n_contradictions
    (3, 1)
    """

    winners: IntArray
    losers: IntArray
    ties: BoolArray
    users: Any
    weights: FloatArray

    def __init__(
        self,
        winners: ArrayLike,
        losers: ArrayLike,
        ties: ArrayLike | None = None,
        users: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        first, second = (
            check_indices(winners, "winners"),
            check_indices(losers, "losers"),
        )
        size = first.size
        if second.size != size:
            raise DataError(
                "winners and losers must be equally long. "
                f"Got {size} winners and {second.size} losers."
            )
        same = np.flatnonzero(first == second)
        if same.size:
            raise DataError(
                "An item cannot be compared with itself. "
                f"Row {same[0]} compares item {first[same[0]]} with itself."
            )
        set_fields(
            self,
            winners=first,
            losers=second,
            ties=_check_ties(ties, size),
            users=check_users(users, size),
            weights=check_weights(weights, size, "weights"),
        )

    @classmethod
    def from_ratings(cls, values: ArrayLike, *, users: ArrayLike | None = None) -> Self:
        """Compare all items that one person rated.

        Parameters
        ----------
        values : array-like of shape (n_items,) or (n_users, n_items)
            Ratings, larger is better; NaN where an item was not rated. With two
            dimensions every row is one person.
        users : array-like of shape (n_users,), optional
            Labels of the rows; by default 0, 1, ... .

        Returns
        -------
        Comparisons
            One row per pair of rated items; equal ratings become ties.

        Examples
        --------
        >>> Comparisons.from_ratings([3.0, 1.0, 3.0]).to_frame().values.tolist()
        [[0, 1, False, 1.0], [0, 2, True, 1.0], [2, 1, False, 1.0]]
        """
        table = np.atleast_2d(np.asarray(values, dtype=np.float64))
        groups = [pairs_of_ratings(row) for row in table]
        return cls._from_groups(groups, users, single=np.ndim(values) == 1)

    @classmethod
    def from_rankings(
        cls,
        orders: Sequence[ArrayLike],
        *,
        users: ArrayLike | None = None,
        pairs: str = "all",
    ) -> Self:
        """Compare the items of each ranking.

        Parameters
        ----------
        orders : sequence of array-like of int
            Each lists items from best to worst. One person each; a single flat
            ranking is one person's.
        users : array-like of shape (n_orders,), optional
            Labels of the rankings; by default 0, 1, ... .
        pairs : {"all", "adjacent"}
            Whether to compare all items or each with the next only.

        Returns
        -------
        Comparisons

        Examples
        --------
        >>> len(Comparisons.from_rankings([[2, 0, 1]]))
        3
        """
        if pairs not in ("all", "adjacent"):
            raise DataError(f"pairs must be 'all' or 'adjacent'. Got {pairs!r}.")
        single = len(orders) > 0 and np.ndim(orders[0]) == 0
        rankings: list[Any] = [orders] if single else list(orders)
        groups = [
            pairs_of_ranking(check_ranking(order, row), pairs)
            for row, order in enumerate(rankings)
        ]
        return cls._from_groups(groups, users, single=single)

    @classmethod
    def from_choices(
        cls,
        sets: Sequence[ArrayLike],
        chosen: ArrayLike,
        *,
        users: ArrayLike | None = None,
    ) -> Self:
        """Compare each chosen item with those that it was chosen over.

        Parameters
        ----------
        sets : sequence of array-like of int
            The items offered each time.
        chosen : array-like of int of shape (n_choices,)
            The item (not its position) that was chosen each time.
        users : array-like of shape (n_choices,), optional
            Who chose.

        Returns
        -------
        Comparisons

        Examples
        --------
        >>> answers = Comparisons.from_choices([[0, 1, 2]], [1])
        >>> answers.winners.tolist(), answers.losers.tolist()
        ([1, 1], [0, 2])
        """
        picks = check_indices(chosen, "chosen")
        if len(sets) != picks.size:
            raise DataError(
                "sets and chosen must be equally long. "
                f"Got {len(sets)} sets and {picks.size} choices."
            )
        groups = [
            pairs_of_choice(check_indices(offered, f"sets[{row}]"), int(pick), row)
            for row, (offered, pick) in enumerate(zip(sets, picks, strict=True))
        ]
        return cls._from_groups(groups, users, single=users is None)

    @classmethod
    def from_names(
        cls,
        pairs: Iterable[tuple[Any, Any]],
        items: Any,
        *,
        ties: ArrayLike | None = None,
        users: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Self:
        """Make comparisons of item names.

        Parameters
        ----------
        pairs : iterable of (str, str)
            The name of the preferred item, and that of the other one.
        items : Items or sequence of str
            The table of items, or their names in its order.
        ties, users, weights
            As for the class.

        Examples
        --------
        >>> Comparisons.from_names([("b", "a"), ("c", "b")], "abc").winners.tolist()
        [1, 2]
        """
        both = [tuple(pair) for pair in pairs]
        for row, pair in enumerate(both):
            if len(pair) != 2:
                raise DataError(
                    f"A comparison has two names. Got {len(pair)} in pairs[{row}]."
                )
        found = NameFinder(items).find_sets(both, "pairs")
        winners, losers = np.array(found, dtype=np.int64).reshape(-1, 2).T
        return cls(winners, losers, ties=ties, users=users, weights=weights)

    @classmethod
    def _from_groups(
        cls,
        groups: list[tuple[IntArray, IntArray, BoolArray]],
        users: ArrayLike | None,
        *,
        single: bool,
    ) -> Self:
        """Join the pairs of several people."""
        sizes = [group[0].size for group in groups]
        labels = np.arange(len(groups)) if users is None else np.asarray(users)
        if labels.shape != (len(groups),):
            raise DataError(
                f"users must have one entry per row ({len(groups)}). "
                f"Got shape {labels.shape}."
            )
        empty = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, bool))
        columns = [np.concatenate(part) for part in zip(empty, *groups, strict=True)]
        owner = None if single and users is None else np.repeat(labels, sizes)
        return cls(columns[0], columns[1], ties=columns[2], users=owner)

    def to_frame(self) -> pd.DataFrame:
        """Give the comparisons as a table, one row each."""
        columns: dict[str, Any] = {"winner": self.winners, "loser": self.losers}
        columns["tie"] = self.ties
        if self.users is not None:
            columns["user"] = self.users
        columns["weight"] = self.weights
        return pd.DataFrame(columns)

    def __len__(self) -> int:
        return int(self.winners.size)

    def __repr__(self) -> str:
        people = "" if self.users is None else f", {len(set(self.users))} users"
        return f"Comparisons({len(self)} rows, {int(self.ties.sum())} ties{people})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparisons):
            return NotImplemented
        return bool(self.to_frame().equals(other.to_frame()))

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def take(self, rows: ArrayLike) -> Self:
        """Keep the given rows (indices or a boolean mask)."""
        index = np.asarray(rows)
        users = None if self.users is None else self.users[index]
        return type(self)(
            self.winners[index],
            self.losers[index],
            ties=self.ties[index],
            users=users,
            weights=self.weights[index],
        )

    def of_user(self, user: Any) -> Self:
        """Keep the answers of one person."""
        if self.users is None:
            raise DataError("These comparisons name no users; there is one person.")
        return self.take(self.users == user)

    def pooled(self) -> Self:
        """Forget who answered, to learn one utility for all people together."""
        return type(self)(
            self.winners, self.losers, ties=self.ties, weights=self.weights
        )

    def without_ties(self) -> Self:
        """Keep the rows that prefer one item."""
        return self.take(~self.ties)

    @property
    def n_items(self) -> int:
        """One more than the largest item index."""
        return 1 + int(max(self.winners.max(), self.losers.max())) if len(self) else 0

    @property
    def n_duplicates(self) -> int:
        """How many rows repeat an earlier row of the same person."""
        return len(self) - len(set(self._keys()))

    @property
    def n_contradictions(self) -> int:
        """How many pairs of items got opposite answers from the same person."""
        strict = {key[:-1] for key in self._keys() if not key[-1]}
        return sum((b, a, *who) in strict for a, b, *who in strict) // 2

    def _keys(self) -> list[tuple[Any, ...]]:
        """Give (winner, loser, user, tie) per row; ties in a fixed order."""
        first = np.where(self.ties, np.minimum(self.winners, self.losers), self.winners)
        second = np.where(self.ties, np.maximum(self.winners, self.losers), self.losers)
        who = [None] * len(self) if self.users is None else self.users.tolist()
        rows = (first.tolist(), second.tolist(), who, self.ties.tolist())
        return list(zip(*rows, strict=True))

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Refuse to be cut into rows beside a table of items, which has others."""
        raise DataError(
            "Comparisons are not one value per row of a table. To let scikit-learn "
            "split them (GridSearchCV, cross_val_score), give it pairs: "
            "X, y = comparisons.stack(items), then fit(X, y)."
        )

    def stack(self, X: Any) -> tuple[Any, IntArray]:
        """Give the pairs in the shape that rankers take, and scikit-learn cuts.

        Parameters
        ----------
        X : Items, data frame or array-like of shape (n_items, n_features)

        Returns
        -------
        pairs : ItemPairs or ndarray of shape (n_comparisons, 2, n_features)
            Winner first; ItemPairs of Items and data frames.
        y : ndarray of shape (n_comparisons,)
            All ones: the first of each pair is preferred.
        """
        if self.ties.any():
            row = int(np.flatnonzero(self.ties)[0])
            raise DataError(
                f"stack cannot show ties, and row {row} is one. "
                "Call without_ties() first, or give the Comparisons to the ranker."
            )
        y = np.ones(len(self), dtype=np.int64)
        if hasattr(X, "iloc"):
            check_items_exist(self.n_items, len(X))
            return ItemPairs(X, self.winners, self.losers), y
        items = np.asarray(X, dtype=np.float64)
        check_items_exist(self.n_items, items.shape[0])
        return np.stack([items[self.winners], items[self.losers]], axis=1), y


@dataclass(frozen=True, eq=False)
class ItemPairs:
    """Pairs of items of one table, which scikit-learn can split into folds.

    Make them with `Comparisons.stack`. Unlike an array of shape (n_pairs, 2,
    n_features) they keep what the attributes of the items are.

    Parameters
    ----------
    items : Items or DataFrame
    first, second : ndarray of int of shape (n_pairs,)
        Rows of the items.

    Examples
    --------
    >>> import pandas as pd
    >>> from penchant.data import Comparisons
    >>> X, y = Comparisons([0, 1], [2, 2]).stack(pd.DataFrame({"size": [3, 2, 1]}))
    >>> len(X), len(X.take([1]))
    (2, 1)
    """

    items: Any
    first: IntArray
    second: IntArray

    def __len__(self) -> int:
        return len(self.first)

    @property
    def iloc(self) -> Self:
        """Itself: the sign by which scikit-learn knows that it can `take` rows."""
        return self

    def take(self, rows: ArrayLike, axis: int = 0) -> Self:
        """Keep the given pairs."""
        index = np.asarray(rows)
        return type(self)(self.items, self.first[index], self.second[index])


def check_items_exist(n_needed: int, n_items: int) -> None:
    """Refuse evidence about items that the table does not have."""
    if n_needed > n_items:
        raise DataError(
            f"The evidence speaks of item {n_needed - 1}, "
            f"but there are {n_items} items (0 to {n_items - 1})."
        )


def check_users(values: Any, size: int) -> Any:
    """Return user labels as a read-only vector, or None."""
    if values is None:
        return None
    users = np.asarray(values)
    if users.dtype == object:
        users = users.astype(str)
    if users.shape != (size,):
        raise DataError(
            f"users must have one entry per row ({size}). Got shape {users.shape}."
        )
    return frozen_array(users)


def _check_ties(values: ArrayLike | None, size: int) -> BoolArray:
    ties = np.zeros(size, dtype=bool) if values is None else np.asarray(values)
    if ties.dtype != bool or ties.shape != (size,):
        raise DataError(
            f"ties must be {size} booleans, one per comparison. "
            f"Got shape {ties.shape} of type {ties.dtype}."
        )
    return frozen_array(ties)
