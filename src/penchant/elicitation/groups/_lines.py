"""One line per attribute through what a group thinks of the items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.elicitation.person import PersonSpace
from penchant.typing import FloatArray, IntArray

_SPARE = 5
"""Items that there must be beyond the coefficients of all lines."""

_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class GroupLines:
    """What other values of an item would change in the mean points of a group.

    A line per attribute, or a number per level, is put through the mean points of all
    items by least squares, in each draw. Nothing is shrunk: where two attributes go
    together in the table, as rent and size do, shrinking hides both. How far the points
    lie off the lines is doubt about these, added to that of the draws.

    Parameters
    ----------
    space : PersonSpace
        The features of the items.
    coefficients : ndarray of shape (n_draws, n_lines)
        Of the lines of all attributes, one after the other.
    """

    space: PersonSpace
    coefficients: FloatArray

    @classmethod
    def through(
        cls,
        draws: FloatArray,
        space: PersonSpace,
        random_state: int = 0,
        *,
        among: IntArray | None = None,
    ) -> "GroupLines | None":
        """Put lines through draws of mean points; None if there are too few items.

        Parameters
        ----------
        draws : ndarray of shape (n_draws, n_items)
            As `Consensus.draws`.
        space : PersonSpace
            The features of the items.
        random_state : int, default=0
            Seed.
        among : ndarray of int, optional
            The items that the draws are about; default: all.
        """
        n_items = draws.shape[1]
        rows = space.encoded if among is None else space.encoded[among]
        parts = [each.lines(rows[:, each.attribute]) for each in space.singles]
        table = np.hstack(parts) if parts else np.empty((n_items, 0))
        table = np.column_stack([np.ones(n_items), table])
        left, sizes, right = np.linalg.svd(table, full_matrices=False)
        rank = int((sizes > _TINY * sizes[0]).sum())
        n_left = n_items - rank
        if rank < 2 or n_left < _SPARE:
            return None
        seen = draws @ left[:, :rank]
        off = draws - seen @ left[:, :rank].T
        error = np.sqrt((off**2).sum(axis=1, keepdims=True) / n_left)
        noise = np.random.default_rng(random_state).standard_normal(seen.shape)
        found = ((seen + error * noise) / sizes[:rank]) @ right[:rank]
        return cls(space, found[:, 1:])

    def change(self, item: int, attribute: str, values: Sequence[Any]) -> FloatArray:
        """Draw the points that an item gains by other values, (n_draws, n_values)."""
        owner = self.space.owner(attribute)
        single = self.space.singles[owner]
        first = sum(each.centre.size for each in self.space.singles[:owner])
        own = self.coefficients[:, first : first + single.centre.size]
        now = self.space.encoded[[item], single.attribute]
        moved = single.lines(self.space.codes(owner, values)) - single.lines(now)
        return np.asarray(own @ moved.T)
