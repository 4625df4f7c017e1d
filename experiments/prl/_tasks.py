"""The data sets: two classes each, attributes with their own names."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from experiments._data import data_folder, read_shared
from penchant.exceptions import DataError

__all__ = [
    "Task",
    "breast_cancer",
    "dorothea",
    "few_rules_tasks",
    "madelon",
    "uci_poker_hands",
]


class Task(NamedTuple):
    """A data set: a row per case, and whether the case is of the named class.

    `X` and `y` are None when the data are not on this machine.
    """

    name: str
    X: pd.DataFrame | None = None
    y: np.ndarray | None = None


def few_rules_tasks() -> Iterator[Task]:
    """Yield the three medical data sets on which few rules should do."""
    yield breast_cancer()
    yield _table("mammographic", "monotone/mammographic_mass", "malignant", _masses)
    yield _table("pima", "small_classification/diabetes", "class", _diabetes)


def breast_cancer() -> Task:
    """Read Wisconsin's original samples without the 16 incomplete ones."""
    name = "rules/wisconsin_breast_cancer"
    return _table("breast cancer", name, "class", _samples)


def uci_poker_hands() -> np.ndarray | None:
    """Read suits and ranks of the 25,010 hands of the UCI training file."""
    path = _rules_file("poker_hand_train")
    if path is None:
        return None
    return pd.read_csv(path).drop(columns="hand").to_numpy(np.int64)


def madelon(part: str) -> Task:
    """Read the "train" or the "valid" part of madelon."""
    path = _rules_file(f"madelon_{part}")
    if path is None:
        return Task("madelon")
    frame = pd.read_csv(path)
    inputs = frame.drop(columns="class").astype(float)
    return Task("madelon", inputs, (frame["class"] == 1).to_numpy(np.int64))


def dorothea() -> tuple[csr_array, np.ndarray] | None:
    """Read dorothea: which of 88,119 properties each of 800 substances has."""
    path = _rules_file("dorothea_train_sparse")
    if path is None:
        return None
    frame = pd.read_csv(path)
    # 32 bits, since the SVM takes no larger numbers.
    lists = [np.array(text.split(), np.int32) for text in frame["feature_indices"]]
    starts = np.cumsum([0, *(each.size for each in lists)], dtype=np.int32)
    places = np.concatenate(lists)
    matrix = csr_array(
        (np.ones(places.size), places, starts), shape=(len(lists), 88_119)
    )
    return matrix, frame["active"].to_numpy(np.int64)


def _rules_file(name: str) -> Path | None:
    try:
        path = data_folder() / "rules" / f"{name}.csv.gz"
    except DataError:
        return None
    return path if path.is_file() else None


def _samples(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    frame = frame.drop(columns="id").dropna()
    return frame.drop(columns="class"), frame["class"] == "malignant"


def _masses(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """Correct a BI-RADS of 55, a typing error for 5."""
    inputs = frame.drop(columns="malignant")
    inputs["bi_rads"] = inputs["bi_rads"].replace(55, 5)
    return inputs, frame["malignant"] == 1


def _diabetes(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    return frame.drop(columns="class"), frame["class"] == "tested_positive"


def _table(
    name: str,
    path: str,
    target: str,
    split: Callable[[pd.DataFrame], tuple[pd.DataFrame, pd.Series]],
) -> Task:
    data = read_shared(path, target=target)
    if data is None:
        return Task(name)
    inputs, is_positive = split(data.frame)
    X = inputs.astype(float).reset_index(drop=True)
    return Task(name, X, is_positive.to_numpy(np.int64))
