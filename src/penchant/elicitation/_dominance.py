"""What is known without asking: items that are at least as good in every respect."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from penchant._cached import cached_property
from penchant._validation import frozen_array, set_fields
from penchant.data import Items
from penchant.exceptions import DataError, FormatError
from penchant.typing import ArrayLike, BoolArray, FloatArray, IntArray

LARGE = 2000
"""Above so many items only leading ones are looked at."""

_CHUNK = 4_000_000
"""Comparisons of two items that are held at once."""


@dataclass(frozen=True, eq=False)
class Dominance:
    """Which items are at least as good as others by the known directions.

    Item i dominates j when it is at least as good on every attribute with a
    declared direction, better on one of them, and equal on all others. Where a
    value is missing nothing is known.

    Parameters
    ----------
    X : array-like of shape (n_items, n_attributes)
        Values of the items.
    directions : sequence of {"up", "down", "unknown"}
        One per attribute.
    allowed : ndarray of int, optional
        The items that may be chosen; what no longer can be had dominates nothing.
        Default: all.
    """

    X: FloatArray
    directions: tuple[str, ...]
    allowed: IntArray | None = None
    _whole: "Dominance | None" = field(default=None, repr=False)
    _dominated: dict[int, bool] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        values = np.asarray(self.X, dtype=np.float64)
        directions = tuple(self.directions)
        if values.ndim != 2 or values.shape[1] != len(directions):
            raise DataError(
                "X must have one column per direction. Got shape "
                f"{values.shape} and {len(directions)} directions."
            )
        strange = set(directions) - {"up", "down", "unknown"}
        if strange:
            raise DataError(
                "directions must be 'up', 'down' or 'unknown'. "
                f"Got {', '.join(sorted(map(repr, strange)))}."
            )
        set_fields(self, X=frozen_array(values), directions=directions)

    @classmethod
    def from_table(
        cls,
        n_items: int,
        items: Items | None,
        X: ArrayLike | None,
        directions: Sequence[str] | None,
    ) -> Self | None:
        """Read what is known from items or arrays; None if nothing was given."""
        if items is None and X is None and directions is None:
            return None
        if items is not None and (X is not None or directions is not None):
            raise DataError("Give either items, or X with directions. Got both.")
        if items is not None:
            ways = [
                "up" if a.direction == "down" else a.direction for a in items.attributes
            ]  # encode() has flipped "down"
            known = cls(items.encode(missing="keep"), tuple(ways))
        elif X is None or directions is None:
            raise DataError("X and directions must be given together. One is missing.")
        else:
            known = cls(np.asarray(X, dtype=np.float64), tuple(directions))
        if len(known.X) != n_items:
            raise DataError(
                f"The posterior is about {n_items} items. The known directions are "
                f"about {len(known.X)}; give the same items in the same order."
            )
        return known

    def among(self, allowed: IntArray | None) -> "Dominance":
        """Give what is known when only these items may be chosen; None: all."""
        whole = self if self._whole is None else self._whole
        if allowed is None:
            return whole
        return Dominance(whole.X, whole.directions, allowed, whole)

    @property
    def _rivals(self) -> IntArray:
        return np.arange(len(self.X)) if self.allowed is None else self.allowed

    @cached_property
    def relation(self) -> BoolArray:
        """Whether item i dominates item j; for tables that are not large."""
        everyone = np.arange(len(self.X))
        if self._whole is None:
            relation = self.between(everyone, everyone)
        else:
            relation = self._whole.relation.copy()
        if self.allowed is not None:
            relation[np.setdiff1d(everyone, self.allowed)] = False
        relation.setflags(write=False)
        return relation

    @cached_property
    def undominated(self) -> IntArray:
        """The allowed items that none dominates, of a table that is not large."""
        rivals = self._rivals
        return rivals[~self.relation[:, rivals].any(axis=0)]

    def between(self, items: IntArray, others: IntArray) -> BoolArray:
        """Tell whether items[i] dominates others[j], shape (k, m)."""
        shape = items.size, others.size
        at_least, better = np.ones(shape, bool), np.zeros(shape, bool)
        for column, direction in zip(self.X.T, self.directions, strict=True):
            ours, theirs = column[items][:, None], column[others][None, :]
            if direction == "unknown":
                at_least &= ours == theirs
                continue
            if direction == "down":
                ours, theirs = -ours, -theirs
            at_least &= ours >= theirs
            better |= ours > theirs
        return at_least & better

    def dominators(self, item: int) -> IntArray:
        """Give all items that dominate one."""
        rivals = self._rivals
        return rivals[self.between(rivals, np.array([item]))[:, 0]]

    def is_dominated(self, items: IntArray) -> BoolArray:
        """Tell which items another one dominates; remembered from call to call."""
        new = np.array([i for i in items.tolist() if i not in self._dominated], int)
        rivals = self._rivals
        step = max(1, _CHUNK // len(self.X))
        for start in range(0, new.size, step):
            part = new[start : start + step]
            found: BoolArray = np.any(self.between(rivals, part), axis=0)
            self._dominated.update(zip(part.tolist(), found.tolist(), strict=True))
        return np.array([self._dominated[i] for i in items.tolist()], bool)

    def to_dict(self) -> dict[str, Any]:
        """Give the values and directions as plain values for JSON."""
        rows = [[None if v != v else v for v in row] for row in self.X.tolist()]
        return {"X": rows, "directions": list(self.directions)}

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """Make it of what `to_dict` gave."""
        try:
            return cls(np.array(values["X"], dtype=np.float64), values["directions"])
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(
                f"The known directions of a saved elicitor are damaged: {error}."
            ) from error
