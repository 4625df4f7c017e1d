"""Best and worst of several items: the answers of MaxDiff tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from penchant._validation import check_indices, set_fields
from penchant.data._by_name import NameFinder
from penchant.data._comparisons import Comparisons, check_users
from penchant.data._reductions import pairs_of_best_worst
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, IntArray


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
        shown = [finder.find_all(each, f"sets[{row}]") for row, each in enumerate(sets)]
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
