"""What `compare` recommends, judged on rows that it never saw.

Not in a paper. The sets were listed before the first run, with no setting for any of
them; see README.md for what is measured.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from experiments._outcome import Measurement, Outcome
from penchant._parallel import track
from penchant.data import Comparisons
from penchant.datasets import (
    data_folder,
    load_era,
    load_esl,
    load_flats,
    load_lev,
    load_swd,
    make_flats_population,
)
from penchant.exceptions import DataError
from penchant.learning import CANDIDATES, compare, divide, find_target, judge

__all__ = ["run"]

SEED = 0
N_FOLDS = 3
Sample = tuple[Any, Any]


def _shared(name: str, target: str, drop: tuple[str, ...] = ()) -> Sample:
    frame = pd.read_csv(data_folder() / f"{name}.csv").dropna()
    return frame.drop(columns=[target, *drop]), frame[target].reset_index(drop=True)


def _wine() -> Sample:
    wine = load_wine(as_frame=True)
    return wine.data, wine.target_names[wine.target]


def _flats() -> Sample:
    population = make_flats_population(random_state=SEED)
    return load_flats(), population.comparisons


def _graded(load: Callable[[], Any]) -> Sample:
    sample = load()
    return pd.DataFrame(sample.data, columns=list(sample.feature_names)), sample.target


SETS: dict[str, Callable[[], Sample]] = {
    "diabetes": lambda: load_diabetes(return_X_y=True, as_frame=True),
    "auto_mpg": lambda: _shared("regression/auto_mpg", "mpg", ("name",)),
    "cpu": lambda: _shared("regression/cpu", "perf", ("name", "estperf")),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True, as_frame=True),
    "wine": _wine,
    "pima": lambda: _shared("small_classification/diabetes", "class"),
    "banknote": lambda: _shared(
        "small_classification/banknote-authentication", "Class"
    ),
    "ESL": lambda: _graded(load_esl),
    "LEV": lambda: _graded(load_lev),
    "SWD": lambda: _graded(load_swd),
    "ERA": lambda: _graded(load_era),
    "flats": _flats,
}
QUICK = ("diabetes",)


def run(*, quick: bool) -> Outcome:
    """Judge the recommendation on every set."""
    names = QUICK if quick else tuple(SETS)
    found = [m for name in track(names, "sets") for m in _measure(name)]
    return Outcome("recommended", tuple(found), (SEED,))


def _measure(name: str) -> list[Measurement]:
    try:
        X, y = SETS[name]()
    except DataError as error:
        return [Measurement(name, "behind the best", note=str(error), in_paper=False)]
    target = find_target(X, y)
    folds = divide(target, N_FOLDS, SEED)
    readable = [
        c for c in CANDIDATES.values() if c.readable and not c.objection(target)
    ]
    losses = {c.name: np.empty(len(target)) for c in readable}
    chosen, inside = np.empty(len(target)), np.empty(len(target))
    picks, sizes = [], []
    for fold in range(N_FOLDS):
        out, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        for candidate in readable:
            model = candidate.fit(target, rest, SEED)
            losses[candidate.name][out] = judge(model, target, out)
        told = compare(
            *_part(target, rest),
            kind=target.kind,
            candidates=[candidate.name for candidate in readable],
            random_state=SEED,
        )
        chosen[out] = losses[told.recommended.name][out]
        inside[out] = losses[told.best.name][out]
        picks.append(told.recommended.name)
        sizes.append(float(told.recommended.size or 0))
    best = min(losses, key=lambda each: losses[each].mean())
    found = [
        _paired(name, "behind the best", chosen - losses[best], f"best: {best}"),
        _paired(name, "behind the best inside", chosen - inside, ", ".join(picks)),
        Measurement.from_scores(name, "things to read", sizes, in_paper=False),
    ]
    print(*found, sep="\n", flush=True)
    return found


def _part(target: Any, rows: np.ndarray) -> Sample:
    if isinstance(target.values, Comparisons):
        return target.items, target.values.take(rows)
    values = target.values[rows]
    if target.kind == "grades":
        levels = pd.Categorical.from_codes(values, target.labels.tolist(), ordered=True)
        return target.items.take(rows), pd.Series(levels)
    is_number = target.kind == "numbers"
    return target.items.take(rows), values if is_number else target.labels[values]


def _paired(row: str, column: str, each: np.ndarray, note: str) -> Measurement:
    error = float(each.std(ddof=1) / np.sqrt(len(each)))
    mean = float(each.mean())
    ratio = mean / error if error else 0.0
    words = f"{ratio:+.2f} s.e. of {error:.4f}; {note}"
    return Measurement(row, column, mean, None, len(each), words, in_paper=False)
