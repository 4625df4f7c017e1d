"""Small data on which the checks run."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from penchant.data import Attribute, Comparisons, Items
from penchant.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers about a few items, in every form that rankers take.

    Attributes
    ----------
    values : ndarray of shape (n_items, n_features)
        The items: all zeros first, all ones second, then points between.
    comparisons : Comparisons
        Answers about pairs of them, without noise. Every item occurs.
    pairs : ndarray of shape (n_comparisons, 2, n_features)
        The same answers as pairs of items.
    y : ndarray of shape (n_comparisons,)
        1 where the first item of the pair is preferred, else 0.
    """

    values: FloatArray
    comparisons: Comparisons
    pairs: FloatArray
    y: IntArray

    @property
    def items(self) -> Items:
        """The items with names and domains; their encoding is `values` again."""
        names = [f"quality {j}" for j in range(self.values.shape[1])]
        attributes = [Attribute(name, domain=(0.0, 1.0)) for name in names]
        return Items.from_frame(pd.DataFrame(self.values, columns=names), attributes)

    def take(self, rows: Any) -> tuple[FloatArray, IntArray]:
        """Give some rows of pairs and y."""
        return self.pairs[rows], self.y[rows]


def make_answers(
    n_items: int = 12, n_features: int = 3, n_extra: int = 24, seed: int = 0
) -> Answers:
    """Make answers of one person whose utility increases with every feature.

    The corners of the unit cube are compared in the first row, so that models that
    take the range of their features from the data see [0, 1] as long as that row is
    kept. The next rows compare each item with the following one.
    """
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.05, 0.95, size=(n_items, n_features))
    values[0], values[1] = 0.0, 1.0
    utility = values @ np.arange(1, n_features + 1) + values.prod(axis=1)
    chain = np.arange(n_items)
    extra = [rng.choice(n_items, size=2, replace=False) for _ in range(n_extra)]
    sides = np.vstack([np.column_stack([chain, np.roll(chain, -1)]), extra])
    first, second = rng.permuted(sides, axis=1).T
    wins = utility[first] > utility[second]
    return Answers(
        values,
        Comparisons(np.where(wins, first, second), np.where(wins, second, first)),
        np.stack([values[first], values[second]], axis=1),
        wins.astype(np.int64),
    )
