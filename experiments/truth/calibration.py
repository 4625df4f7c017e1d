"""Learn how sure to say that one is: ``python -m experiments.truth.calibration``.

Simulated people on tables that the page about truth never uses are asked 20 questions;
after each from the third on, what the draws say, ties at the top and whether the
recommended item was as good as the best are kept. A logistic regression on them has
three constants. People of a family on small tables, on larger ones, or with
taps of any kind who are told more than is true by over .04 cost extra: families which
they do not tell apart must not be told what is true of others. What a family is
told by constants that were learned without it is stored beside.
"""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from experiments.truth._conversations import Tally, talk
from experiments.truth._people import FAMILIES, POPULATED
from experiments.truth._store import RESULTS, circumstances
from experiments.truth._worlds import make_world, people_of
from penchant._parallel import one_thread
from penchant.elicitation import Elicitor
from penchant.elicitation.person import _calibration

__all__ = ["PATH", "learn", "main", "record"]

Key = tuple[str, int, str, range]
PATH = RESULTS / "calibration.json"

CELLS = (
    (40, "none", range(400, 412)),
    (200, "none", range(400, 408)),
    (40, "truth", range(412, 416)),
    (40, "salience", range(420, 422)),
    (40, "chance", range(423, 425)),
    (100, "none", range(400, 402)),
)
"""Items, taps and tables; each family has six people on each."""

_COLUMNS = ("draws", "said", "said without family")
"""What is said less what is right, of three rules: the draws' share itself, with the
constants, and with constants that were learned without the family."""

_N_PEOPLE = 6
_MOST_SURE = 0.9995
_TOO_SURE = 0.04
_PENALTY = 20.0


class _Watch(Tally):
    """Keeps, per statement: logit of the draws' share, ties, and whether right."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[float]] = []

    def look(self, elicitor: Elicitor, right: bool) -> None:
        belief: Any = elicitor.posterior
        ties = _calibration.ties_at_the_top(belief.answers, belief.mean)
        said = logit(elicitor.certainty()) - _calibration.INTERCEPT
        raw = (said - _calibration.TIES * ties) / _calibration.SLOPE
        most = logit(_MOST_SURE)
        self.rows.append([float(np.clip(raw, -most, most)), ties, right])


def record(family: str, n_items: int, variant: str, tables: range) -> np.ndarray:
    """Talk to people of a family; one row per statement about certainty."""
    watch = _Watch()
    with one_thread():
        for number in tables:
            world = make_world(family, n_items, number)
            people = itertools.islice(people_of(world, family, number), _N_PEOPLE)
            for k, person in enumerate(people):
                talk(world, person, variant, [number, k, n_items], watch)
    return np.array(watch.rows)


def learn(keys: Sequence[Key], cells: Sequence[np.ndarray]) -> np.ndarray:
    """Give intercept, slope, and the coefficient of ties."""
    rows = np.concatenate(cells)
    inputs = np.column_stack([np.ones(len(rows)), rows[:, :-1]])
    right, names = rows[:, -1], [_group(*key) for key in keys]
    groups = list(dict.fromkeys(names))
    of = np.repeat([groups.index(name) for name in names], [len(c) for c in cells])
    share = 1.0 / np.bincount(of)[of]

    def loss(beta: np.ndarray) -> tuple[float, np.ndarray]:
        x = inputs @ beta
        p = expit(x)
        over = np.maximum(np.bincount(of, share * (p - right)) - _TOO_SURE, 0.0)
        slope = (p - right) / len(rows) + _PENALTY * share * over[of] * p * (1 - p)
        value = (np.logaddexp(0.0, x) - right * x).mean() + _PENALTY / 2 * over @ over
        return value, inputs.T @ slope

    found = minimize(loss, np.eye(inputs.shape[1])[1], jac=True, method="BFGS")
    return np.asarray(found.x)


def _group(family: str, n_items: int, variant: str, tables: range) -> tuple[str, str]:
    """Name the people who must not be told too much on average."""
    size = "few items" if n_items == 40 else "many items"
    return family, size if variant == "none" else "taps"


def _too_sure(cell: np.ndarray, beta: np.ndarray) -> float:
    """Give what is said less what is right."""
    said = expit(beta[0] + cell[:, :-1] @ beta[1:])
    return float((said - cell[:, -1]).mean())


def main(path: Path = PATH) -> None:
    """Record, learn, and store the constants with what they do to each cell."""
    keys = [
        (family, *cell)
        for cell in CELLS
        for family in (*FAMILIES, *POPULATED)
        if family != "plain" or cell[1] == "none"
    ]
    summarise(keys, [record(*key) for key in keys], path)


def summarise(keys: list[Key], cells: list[np.ndarray], path: Path) -> None:
    """Learn from recorded cells, also without each family in turn, and store it."""
    both = list(zip(keys, cells, strict=True))
    without = {
        family: learn(*zip(*(p for p in both if p[0][0] != family), strict=True))
        for family in dict.fromkeys(key[0] for key in keys)
    }
    beta, unchanged, rows = learn(keys, cells), np.eye(3)[1], []
    for (family, n_items, variant, tables), cell in both:
        columns = (unchanged, beta, without[family])
        over = [round(_too_sure(cell, values), 3) for values in columns]
        rows.append([family, n_items, variant, _N_PEOPLE * len(tables), *over])
    found = {"constants": np.round(beta, 3).tolist(), "cells": rows}
    found["columns"] = ["family", "items", "taps", "people", *_COLUMNS]
    path.write_text(json.dumps(found | circumstances(), indent=1) + "\n", "utf-8")
    print(path.read_text("utf-8"))


if __name__ == "__main__":
    main()
