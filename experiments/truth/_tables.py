"""Tables of alternatives: correlated columns, two of names, some with a direction."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr

from penchant.data import Attribute, Items

__all__ = ["SIZES", "Table", "make_list", "make_table", "plain_items", "standardised"]

SIZES = {40: 6, 100: 7, 200: 8, 2000: 8}
"""Attributes of a table by its number of items."""

_N_NAMES = 2
_LEVELS = (3, 5)


@dataclass(frozen=True, eq=False)
class Table:
    """Alternatives as the app takes them and as the simulation computes with them.

    Parameters
    ----------
    items : Items
        The alternatives.
    columns : tuple of ndarray of shape (n_items,) or (n_items, n_levels)
        Per attribute the numbers, larger is better if directed, or indicators of
        the levels.
    directed : ndarray of bool of shape (n_attributes,)
        Whether everybody wants more of it.
    """

    items: Items
    columns: tuple[np.ndarray, ...]
    directed: np.ndarray

    @property
    def names(self) -> list[str]:
        """Names of the attributes; of a plain list none."""
        return [a.name for a in self.items.attributes][: len(self.columns)]

    @property
    def n_attributes(self) -> int:
        return len(self.columns)

    def differing(self, i: int, j: int) -> np.ndarray:
        """Give the attributes in which two items differ: those that can be tapped."""
        differs = [np.any(column[i] != column[j]) for column in self.columns]
        return np.flatnonzero(differs)

    def salience(self, i: int, j: int) -> np.ndarray:
        """Give how large each attribute's difference looks, in the usual spread."""
        return np.array([_distance(column, i, j) for column in self.columns])


def _distance(column: np.ndarray, i: int, j: int) -> float:
    spread = np.sqrt(np.var(column, axis=0).sum())
    return float(np.linalg.norm(np.atleast_1d(column[i] - column[j])) / spread)


def standardised(values: np.ndarray) -> np.ndarray:
    """Give values with mean 0 and standard deviation 1 over the items."""
    centred = values - values.mean(axis=0)
    spread = centred.std(axis=0)
    return centred / np.where(spread > 0, spread, 1.0)


def make_table(n_items: int, rng: np.random.Generator) -> Table:
    """Draw a table; about 60 % of its numbers have a direction."""
    d = SIZES[n_items]
    hidden = rng.normal(size=(n_items, 2)) @ rng.normal(size=(2, d))
    X = ndtr(standardised(0.7 * hidden + rng.normal(size=(n_items, d))))
    directed = np.append(rng.random(d - _N_NAMES) < 0.6, [False] * _N_NAMES)
    frame, attributes, columns = {}, [], []
    for k in range(d):
        name = f"attribute {k + 1}"
        if k < d - _N_NAMES:
            down = directed[k] and rng.random() < 0.5
            # Every third column is skewed, as rents and distances are.
            frame[name] = np.round(100 * (X[:, k] if k % 3 else X[:, k] ** 3), 1)
            direction = ("down" if down else "up") if directed[k] else "unknown"
            attributes.append(Attribute(name, "numeric", direction))
            columns.append(-frame[name] if down else frame[name])
            continue
        n_levels = int(rng.integers(*_LEVELS))
        level = np.minimum((X[:, k] * n_levels).astype(int), n_levels - 1)
        frame[name] = [f"kind {j + 1}" for j in level]
        attributes.append(Attribute(name, "categorical", "unknown"))
        columns.append((level[:, None] == np.unique(level)).astype(float))
    names = [f"item {j + 1}" for j in range(n_items)]
    items = Items.from_frame(pd.DataFrame(frame), attributes, names=names)
    return Table(items, tuple(columns), directed)


def make_list(n_items: int) -> Table:
    """Give a plain list."""
    items = plain_items([f"item {j + 1}" for j in range(n_items)])
    return Table(items, (), np.empty(0))


def plain_items(names: Sequence[str]) -> Items:
    """Give items of which nothing is known: their one column never varies."""
    attribute = Attribute("note", "categorical", "unknown", ("none",))
    frame = pd.DataFrame({"note": ["none"] * len(names)})
    return Items.from_frame(frame, [attribute], names=list(names))
