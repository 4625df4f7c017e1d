"""The data sets, every attribute turned so that more of it is better."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from experiments._data import read_shared
from penchant.datasets import load_era, load_esl, load_lev, load_swd

__all__ = ["Task", "den_bosch", "esl_suitable", "monotone_tasks"]

_CAR_LEVELS = {
    "buying": ("vhigh", "high", "med", "low"),
    "maint": ("vhigh", "high", "med", "low"),
    "doors": ("2", "3", "4", "5more"),
    "persons": ("2", "4", "more"),
    "lug_boot": ("small", "med", "big"),
    "safety": ("low", "med", "high"),
    "class": ("unacc", "acc", "good", "vgood"),
}


@dataclass(frozen=True)
class Task:
    """A data set and what is learned from it.

    Parameters
    ----------
    name : str
        Its name in the report.
    kind : {"classes", "grades", "ratings"}
        Two classes, three or more grades, or numbers.
    X : ndarray of shape (n_samples, n_features) or None
        Attributes, more is better; None when the data are not here.
    y : ndarray of shape (n_samples,) or None
        Classes 0 and 1, grades in order, or numbers.
    """

    name: str
    kind: str
    X: np.ndarray | None = None
    y: np.ndarray | None = None


def den_bosch() -> Task:
    """Houses of Den Bosch: price high or low; all attributes lie in [0, 1]."""
    data = read_shared("monotone/den_bosch_housing", target="price_high")
    return _task("DenBosch", "classes", data)


def esl_suitable() -> Task:
    """Select employees, as in the paper: a score of 6 to 9 against 1 to 5."""
    data = load_esl()
    suitable = (data.target.to_numpy() >= 6).astype(np.int64)
    return Task("ESL", "classes", data.data.to_numpy(float), suitable)


def monotone_tasks() -> Iterator[Task]:
    """Yield all tasks of the comparison of monotone models."""
    graded = {"ESL": load_esl, "SWD": load_swd, "LEV": load_lev, "ERA": load_era}
    for name, load in graded.items():
        yield _task(name, "grades", load())
    yield _car()
    yield den_bosch()
    yield _mammographic()
    yield _breast_cancer()
    cpu = read_shared("regression/cpu", target="perf", drop=["name", "estperf"])
    yield _task("CPU", "ratings", cpu, down=["syct"])
    mpg = read_shared("regression/auto_mpg", target="mpg", drop=["name"])
    costs = ["cylinders", "displacement", "horsepower", "weight"]
    yield _task("MPG", "ratings", mpg, down=costs)


def _car() -> Task:
    data = read_shared("monotone/car_evaluation", target="class")
    return _task("car evaluation", "grades", data, change=_grade_cars)


def _grade_cars(frame: pd.DataFrame) -> pd.DataFrame:
    codes = {
        column: pd.Categorical(frame[column].astype(str), levels, ordered=True).codes
        for column, levels in _CAR_LEVELS.items()
    }
    return pd.DataFrame(codes)


def _mammographic() -> Task:
    """Masses: density 1 is the highest; a BI-RADS of 55 is a typing error for 5."""
    data = read_shared("monotone/mammographic_mass", target="malignant")

    def correct(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(bi_rads=frame["bi_rads"].replace(55, 5))

    return _task("mammographic", "classes", data, down=["density"], change=correct)


def _breast_cancer() -> Task:
    """Wisconsin's original samples without the 16 incomplete ones."""
    name = "rules/wisconsin_breast_cancer"
    data = read_shared(name, target="class", drop=["id"])

    def complete(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.dropna().replace({"class": _DIAGNOSES}).astype(float)

    return _task("breast cancer", "classes", data, change=complete)


_DIAGNOSES: Mapping[str, str] = {"benign": "0", "malignant": "1"}


def _task(
    name: str,
    kind: str,
    data: Bunch | None,
    down: Sequence[str] = (),
    change: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
) -> Task:
    """Make arrays of a table: inputs, then the target."""
    if data is None:
        return Task(name, kind)
    frame = data.frame if change is None else change(data.frame)
    target = data.target.name
    inputs = frame.drop(columns=target)
    signs = np.where(inputs.columns.isin(list(down)), -1.0, 1.0)
    y = frame[target].to_numpy(float if kind == "ratings" else np.int64)
    return Task(name, kind, signs * inputs.to_numpy(float), y)
