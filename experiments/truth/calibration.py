"""Learn how sure to say that one is: ``python -m experiments.truth.calibration``.

Simulated people on tables that the page about truth never uses are asked 20 questions;
after each from the third on, what the draws say, ties at the top and whether the
recommended item was as good as the best are kept. A logistic regression on ties, with
what the draws say as it is, has one constant. People of a family on small tables, on
larger ones, or with taps of any kind who are told more than is true by over .05 cost
extra: families which nothing tells apart must not be told what is true of others. What
a family is told by a constant that was learned without it is stored beside.
"""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from experiments.truth._conversations import Tally, talk
from experiments.truth._people import FAMILIES, POPULATED
from experiments.truth._store import RESULTS, circumstances
from experiments.truth._worlds import make_world, people_of
from penchant._parallel import one_thread
from penchant.elicitation import Elicitor
from penchant.elicitation.person import _utilities

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
constant, and with one that was learned without the family."""

_N_PEOPLE = 6
_MOST_SURE = 0.9995
_TOO_SURE = 0.05
_PENALTY = 20.0


class _Watch(Tally):
    """Keeps, per statement: logit of the draws' share, ties, and whether right."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[float]] = []

    def look(self, elicitor: Elicitor, right: bool) -> None:
        belief: Any = elicitor.posterior
        ties = _utilities.ties_at_the_top(belief.answers, belief.mean)
        raw = logit(elicitor.certainty()) - _utilities.TIES * ties
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


def learn(keys: Sequence[Key], cells: Sequence[np.ndarray]) -> float:
    """Give what ties add to the logit."""
    names = [_group(*key) for key in keys]
    groups = list(dict.fromkeys(names))
    of = np.repeat([groups.index(name) for name in names], [len(c) for c in cells])
    x, ties, right = np.concatenate(cells).T

    def loss(beta: float) -> float:
        logits = x + beta * ties
        over = np.bincount(of, expit(logits) - right) / np.bincount(of) - _TOO_SURE
        cost = (np.logaddexp(0.0, logits) - right * logits).mean()
        return float(cost + _PENALTY / 2 * (np.maximum(over, 0.0) ** 2).sum())

    return float(minimize_scalar(loss, bounds=(0.0, 3.0), method="bounded").x)


def _group(family: str, n_items: int, variant: str, tables: range) -> tuple[str, str]:
    """Name the people who must not be told too much on average."""
    size = "few items" if n_items == 40 else "many items"
    return family, size if variant == "none" else "taps"


def _too_sure(cell: np.ndarray, beta: float) -> float:
    """Give what is said less what is right."""
    x, ties, right = cell.T
    return float((expit(x + beta * ties) - right).mean())


def main(path: Path = PATH) -> None:
    """Record, learn, and store the constant with what they do to each cell."""
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
    beta, rows = learn(keys, cells), []
    for (family, n_items, variant, tables), cell in both:
        columns = (0.0, beta, without[family])
        over = [round(_too_sure(cell, values), 3) for values in columns]
        rows.append([family, n_items, variant, _N_PEOPLE * len(tables), *over])
    found: dict[str, Any] = {"ties": round(beta, 2), "cells": rows}
    found["columns"] = ["family", "items", "taps", "people", *_COLUMNS]
    path.write_text(json.dumps(found | circumstances(), indent=1) + "\n", "utf-8")
    print(path.read_text("utf-8"))


if __name__ == "__main__":
    main()
