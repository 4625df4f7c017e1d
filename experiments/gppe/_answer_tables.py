"""People who compared all pairs of some items, whether or not that makes a ranking."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd

from experiments._data import data_folder
from experiments.gppe._people import People, sushi_people
from penchant.data import Comparisons
from penchant.exceptions import DataError

__all__ = ["AnswerTable", "answer_tables"]


@dataclass(frozen=True, eq=False)
class AnswerTable:
    """Answers of people to all pairs of items.

    Parameters
    ----------
    name : str
        Name in the report.
    X_items : ndarray of shape (n_items, n_item_features)
        Features of the items; the identity where nothing is known of them.
    X_users : ndarray of shape (n_people, n_user_features)
        Features of the people.
    answers : ndarray of int of shape (n_people, n_items, n_items)
        1 where the row item is preferred to the column item, -1 the other way
        round, 0 where the person is undecided.
    groups : ndarray of int of shape (n_people,)
        Rows of the same person have the same number.
    """

    name: str
    X_items: np.ndarray
    X_users: np.ndarray
    answers: np.ndarray
    groups: np.ndarray

    def __len__(self) -> int:
        return len(self.answers)

    @classmethod
    def of_rankings(cls, people: People) -> Self:
        """Compare all items of rankings."""
        places = np.argsort(people.rankings, axis=1)
        answers = np.sign(places[:, None, :] - places[:, :, None])
        rows = np.arange(len(people))
        return cls(people.name, people.X_items, people.X_users, answers, rows)

    def take(self, rows: np.ndarray) -> Self:
        """Give some of the people."""
        kept = (each[rows] for each in (self.X_users, self.answers, self.groups))
        return type(self)(self.name, self.X_items, *kept)

    def comparisons(self) -> Comparisons:
        """Give all answers; undecided ones are ties."""
        first, second = np.triu_indices(self.answers.shape[1], k=1)
        said = self.answers[:, first, second]
        users = np.repeat(np.arange(len(self)), first.size)
        winners = np.where(said >= 0, first, second).ravel()
        losers = np.where(said >= 0, second, first).ravel()
        return Comparisons(winners, losers, ties=said.ravel() == 0, users=users)


def answer_tables() -> Iterator[AnswerTable]:
    """Yield the populations whose data are here."""
    sushi = sushi_people()
    if sushi is not None:
        yield AnswerTable.of_rankings(sushi)
    try:
        folder = data_folder() / "pairwise"
    except DataError:
        return
    if folder.is_dir():
        yield _read(folder, "soundquality", ["time", "progmat"], "id")
        columns = ["gender", "age", "education", "crisis"]
        yield _read(folder, "germanparties2009", columns, "judge")


def _read(folder: Path, name: str, columns: Sequence[str], person: str) -> AnswerTable:
    """Read comparisons and judges of the package psychotools."""
    judges = pd.read_csv(folder / f"{name}_judges.csv")
    frame = pd.read_csv(folder / f"{name}_comparisons.csv")
    items = sorted({*frame["item_a"], *frame["item_b"]})
    first = frame["item_a"].map(items.index).to_numpy()
    second = frame["item_b"].map(items.index).to_numpy()
    answers = np.zeros((len(judges), len(items), len(items)), dtype=np.int64)
    answers[frame["judge"], first, second] = frame["preference"]
    answers[frame["judge"], second, first] = -frame["preference"]
    X_users = pd.get_dummies(judges[list(columns)]).to_numpy(np.float64)
    scale = X_users.std(axis=0)
    X_users = (X_users - X_users.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    groups = pd.factorize(judges[person])[0]
    return AnswerTable(name, np.eye(len(items)), X_users, answers, groups)
