"""Item names in the place of indices."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np

from penchant.exceptions import DataError
from penchant.typing import IntArray


class NameFinder:
    """Finds items by their names.

    Parameters
    ----------
    items : Items or iterable of str
        The table of items, or their names in its order.
    """

    def __init__(self, items: Any) -> None:
        names: Iterable[Any] = getattr(items, "names", items)
        self.names = tuple(map(str, names))
        self._rows = {name: row for row, name in enumerate(self.names)}
        if len(self._rows) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise DataError(f"Two items are called {twice!r}. Rename one.")

    def find(self, name: Any, place: str) -> int:
        """Give the index of an item.

        Parameters
        ----------
        name : str
        place : str
            Where it stands, for the error, such as "Row 3".
        """
        row = self._rows.get(str(name))
        if row is None:
            row = self._rows.get(str(name).strip())
        if row is not None:
            return row
        near = get_close_matches(str(name), self.names, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are: {self._some()}."
        raise DataError(f"{place}: there is no item called {str(name)!r}. {hint}")

    def find_all(self, names: Iterable[Any], place: str) -> IntArray:
        """Give the indices of several items."""
        found = [self.find(name, place) for name in names]
        return np.array(found, dtype=np.int64)

    def find_sets(self, sets: Iterable[Iterable[Any]], place: str) -> list[IntArray]:
        """Give the indices of the items of several sets; `place` is a list of them."""
        return [self.find_all(each, f"{place}[{k}]") for k, each in enumerate(sets)]

    def _some(self) -> str:
        more = f" and {len(self.names) - 5} more" if len(self.names) > 5 else ""
        return ", ".join(map(repr, self.names[:5])) + more
