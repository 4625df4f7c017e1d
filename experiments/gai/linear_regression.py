"""Table 2, column "Linear Regression", in the paper's reading and in the honest one.

The paper's figures for ESL, LEV and ERA come out only when the first input column is
the target and the true grade is an input, and for CPU only with the published estimate
of the performance as target. Both readings are run; the honest one is not in the paper.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import ShuffleSplit
from sklearn.preprocessing import minmax_scale
from sklearn.utils import Bunch

from experiments._data import read_shared
from experiments._outcome import Measurement, Outcome
from penchant._parallel import track
from penchant.datasets import load_era, load_esl, load_lev

COLUMN = "Linear Regression"
SEED = 0


class Task(NamedTuple):
    """One row of the table: a data set, if it is here, and the column to learn."""

    row: str
    data: Bunch | None
    target: str
    in_paper: bool = True


def run(*, quick: bool) -> Outcome:
    """Measure the mean absolute error on random 80/20 splits (3 if quick, else 20)."""
    n_splits = 3 if quick else 20
    rows = track(list(tasks()), "Linear regression, Table 2")
    return Outcome("table2", tuple(measure(task, n_splits) for task in rows), (SEED,))


def measure(task: Task, n_splits: int) -> Measurement:
    """Return the mean absolute error of linear regression on one task."""
    if task.data is None:
        note = "data not here"
        return Measurement(task.row, COLUMN, note=note, in_paper=task.in_paper)
    frame = task.data.frame
    X = minmax_scale(frame.drop(columns=task.target).to_numpy(float))
    y = minmax_scale(frame[task.target].to_numpy(float))
    splits = ShuffleSplit(n_splits, test_size=0.2, random_state=SEED).split(X)
    scores = Parallel()(delayed(error)(X, y, train, test) for train, test in splits)
    note = f"target {task.target}"
    return Measurement.from_scores(
        task.row, COLUMN, scores, note=note, in_paper=task.in_paper
    )


def error(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
    """Fit on the training rows and return the mean absolute error on the others."""
    model = LinearRegression().fit(X[train], y[train])
    return float(mean_absolute_error(y[test], model.predict(X[test])))


def tasks() -> Iterator[Task]:
    """Yield the paper's tasks, then the honest ones."""
    graded = {"ESL": load_esl(), "LEV": load_lev(), "ERA": load_era()}
    for name, data in graded.items():
        yield Task(name, data, "in1")
    yield Task("CPU", cpu(target="estperf", drop="perf"), "estperf")
    mpg = read_shared("regression/auto_mpg", target="mpg", drop=["name"])
    yield Task("MPG", mpg, "mpg")
    rating = "movehub_rating"
    drop = ["city", "country"]
    city = read_shared("regression/movehub_city", target=rating, drop=drop)
    yield Task("CITY", city, rating)
    for name, data in graded.items():
        yield Task(f"{name}, honest", data, "out", in_paper=False)
    honest = cpu(target="perf", drop="estperf")
    yield Task("CPU, honest", honest, "perf", in_paper=False)


def cpu(*, target: str, drop: str) -> Bunch | None:
    """Read the processors with one of their two measures of performance."""
    return read_shared("regression/cpu", target=target, drop=["name", drop])
