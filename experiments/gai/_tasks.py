"""The data sets of Table 2, in the paper's reading and in the honest one."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sklearn.preprocessing import minmax_scale
from sklearn.utils import Bunch

from experiments._data import read_shared
from penchant.datasets import load_era, load_esl, load_lev

__all__ = ["Task", "tasks"]


class Task(NamedTuple):
    """One row of the table: a data set, if it is here, and the column to learn.

    `in_paper` tells whether the paper has the row; `is_honest` whether the column is
    what the data set is about, so that its figures speak about the methods.
    """

    row: str
    data: Bunch | None
    target: str
    in_paper: bool = True
    is_honest: bool = True

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Return attributes and target, scaled to [0, 1] over all rows."""
        frame = self.data.frame
        X = minmax_scale(frame.drop(columns=self.target).to_numpy(float))
        return X, minmax_scale(frame[self.target].to_numpy(float))


def tasks() -> Iterator[Task]:
    """Yield the paper's tasks, then the honest ones."""
    graded = {"ESL": load_esl(), "LEV": load_lev(), "ERA": load_era()}
    for name, data in graded.items():
        yield Task(name, data, "in1", is_honest=False)
    yield Task("CPU", _cpu(target="estperf", drop="perf"), "estperf")
    mpg = read_shared("regression/auto_mpg", target="mpg", drop=["name"])
    yield Task("MPG", mpg, "mpg")
    rating = "movehub_rating"
    drop = ["city", "country"]
    city = read_shared("regression/movehub_city", target=rating, drop=drop)
    yield Task("CITY", city, rating)
    for name, data in graded.items():
        yield Task(f"{name}, honest", data, "out", in_paper=False)
    honest = _cpu(target="perf", drop="estperf")
    yield Task("CPU, honest", honest, "perf", in_paper=False)


def _cpu(*, target: str, drop: str) -> Bunch | None:
    """Read the processors with one of their two measures of performance."""
    return read_shared("regression/cpu", target=target, drop=["name", drop])
