"""The people who are asked: those of the Sushi data, or generated ones."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from experiments._data import data_folder
from experiments.gppe._sushi import read_sushi
from penchant.data import Comparisons
from penchant.datasets import make_population
from penchant.exceptions import DataError

__all__ = ["HOW_TO_OBTAIN", "People", "flip", "made_people", "sushi_people"]

HOW_TO_OBTAIN = (
    "data not here: get them from https://www.kamishima.net/sushi/, lay them out as "
    "experiments/gppe/_sushi.py says, and let PENCHANT_DATA name the folder above "
    "restricted/sushi"
)

_ITEM_GROUPS = ("style", "major_group", "minor_group")
_ITEM_NUMBERS = ("oiliness", "eat_frequency", "price", "sold_frequency")
_USER_GROUPS = (
    "gender",
    "age",
    "prefecture_until15",
    "region_until15",
    "eastwest_until15",
    "region_now",
    "eastwest_now",
    "moved",
)


@dataclass(frozen=True, eq=False)
class People:
    """People with features who rank the same items.

    Parameters
    ----------
    name : str
        Name in the report.
    X_items : ndarray of shape (n_items, n_item_features)
        Features of the items.
    X_users : ndarray of shape (n_people, n_user_features)
        Features of the people.
    rankings : ndarray of int of shape (n_people, n_items)
        The items of each person, best first.
    """

    name: str
    X_items: np.ndarray
    X_users: np.ndarray
    rankings: np.ndarray

    def __len__(self) -> int:
        return len(self.rankings)

    def take(self, rows: np.ndarray) -> Self:
        """Give some of the people."""
        return type(self)(
            self.name, self.X_items, self.X_users[rows], self.rankings[rows]
        )

    def comparisons(
        self, rng: np.random.Generator, *, n_pairs: int | None = None, wrong: float = 0
    ) -> Comparisons:
        """Give what the people said about all pairs, or about some random ones.

        Parameters
        ----------
        rng : Generator
            Draws pairs and wrong answers.
        n_pairs : int, optional
            Pairs per person; default: all.
        wrong : float, default=0
            Share of wrong answers.
        """
        answers = Comparisons.from_rankings(self.rankings)
        winners, losers = answers.winners, answers.losers
        n_all = len(answers) // len(self)
        kept = np.arange(len(answers))
        if n_pairs is not None:
            places = rng.random((len(self), n_all)).argsort(axis=1)[:, :n_pairs]
            kept = (places + n_all * np.arange(len(self))[:, None]).ravel()
        winners, losers = flip(winners[kept], losers[kept], wrong, rng)
        return Comparisons(winners, losers, users=answers.users[kept])


def flip(
    winners: np.ndarray, losers: np.ndarray, wrong: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Turn a share of the answers around."""
    turned = rng.random(winners.size) < wrong
    return np.where(turned, losers, winners), np.where(turned, winners, losers)


def sushi_people() -> People | None:
    """Read the 5000 people who ranked set A; None when the data are not here."""
    try:
        sushi = read_sushi(data_folder() / "restricted" / "sushi")
    except DataError:
        return None
    numbers = sushi.items_a[list(_ITEM_NUMBERS)].to_numpy(np.float64)
    X_items = np.hstack([_dummies(sushi.items_a, _ITEM_GROUPS), numbers])
    X_users = _dummies(sushi.users, _USER_GROUPS)
    return People("sushi", X_items, X_users, sushi.rankings_a)


def made_people(n_people: int = 1000, seed: int = 0) -> People:
    """Draw people whose tastes resemble each other, with ten items."""
    drawn = make_population(
        n_people, 10, n_comparisons=1, agreement=0.5, random_state=seed
    )
    rankings = np.argsort(-drawn.utilities, axis=1)
    return People("made people", drawn.X_items, drawn.X_users, rankings)


def _dummies(frame: pd.DataFrame, columns: tuple[str, ...]) -> np.ndarray:
    table = pd.get_dummies(frame[list(columns)].astype(str))
    return table.to_numpy(np.float64)
