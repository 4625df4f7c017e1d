"""What fits the limits of an owner and of a participant, and how to relax them."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from penchant._cached import cached_property
from penchant.data import Items, Limit, Limits, Relaxation
from penchant.exceptions import DataError
from penchant.typing import BoolArray, IntArray

NO_LIMITS: Final = Limits()


@dataclass(frozen=True, eq=False)
class WhatFits:
    """Which items fit what the owner and a person demand.

    Parameters
    ----------
    limits : Limits
        What the person demands; what cannot be applied to the table is left out.
    met : ndarray of bool of shape (n_items,)
        Which items meet the limits of both.
    open_to : ndarray of bool of shape (n_items,)
        Which items the owner's limits leave.
    relaxations : tuple of Relaxation
        The smallest change of each bound of the person that brings more items.
    drops : tuple of (Limit, int)
        How many more items fit without each limit of the person.
    """

    limits: Limits
    met: BoolArray
    open_to: BoolArray
    relaxations: tuple[Relaxation, ...]
    drops: tuple[tuple[Limit, int], ...]

    @classmethod
    def among(
        cls, items: Items, owner: Limits, own: Limits, out: frozenset[int] = frozenset()
    ) -> "WhatFits":
        """Work it out for a table.

        Parameters
        ----------
        items : Items
            The alternatives.
        owner, own : Limits
            What the owner and the person demand.
        out : frozenset of int
            Items that nobody can have.
        """
        there = ~np.isin(np.arange(len(items)), list(out))
        open_to = owner.about(items).fits(items) & there
        open_to = open_to if open_to.any() else there
        limits = own.about(items)
        return cls(
            limits,
            limits.fits(items) & open_to,
            open_to,
            tuple(limits.relaxations(items, open_to)),
            tuple(limits.drops(items, open_to)),
        )

    @cached_property
    def n_fit(self) -> int:
        """So many items fit."""
        return int(self.met.sum())

    @cached_property
    def n_items(self) -> int:
        """So many items can come into question at all."""
        return int(self.open_to.sum())

    @cached_property
    def set_aside(self) -> bool:
        """Whether nothing fits the person's limits: then they do not count."""
        return self.n_fit == 0

    @property
    def n_allowed(self) -> int:
        """So many items may be asked about and recommended."""
        return self.n_items if self.set_aside else self.n_fit

    @cached_property
    def allowed(self) -> IntArray | None:
        """The items that may be asked about and recommended; None: all."""
        chosen = self.open_to if self.set_aside else self.met
        return None if chosen.all() else np.flatnonzero(chosen)


def check_limits(
    limits: Limits, items: Items, open_to: BoolArray | None = None
) -> None:
    """Refuse limits that cannot be applied to a table, or that nothing fits.

    Parameters
    ----------
    limits : Limits
        What is demanded.
    items : Items
        The alternatives.
    open_to : ndarray of bool of shape (n_items,), optional
        Which of them can come into question; default: all.
    """
    met = limits.check(items).fits(items)
    if (met if open_to is None else met & open_to).any():
        return
    drop, more = limits.drops(items, open_to)[0]
    without = f"{more} fit without that of {drop.attribute!r}."
    raise DataError(
        "No alternative fits all limits. "
        + (without if more else "None fits without any single one of them, either.")
    )
