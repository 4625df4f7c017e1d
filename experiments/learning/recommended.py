"""What `compare` recommends, judged on rows that it never saw.

Not in a paper. The sets were listed before the first run, with no setting for any of
them; see README.md for what is measured. Outer folds are kept in ``results/cache``, so
that a run can be ended and taken up again; PENCHANT_ONLY=name,name runs some of the
sets, and others come from what is kept.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Memory
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from experiments._data import data_folder
from experiments._outcome import Measurement, Outcome
from experiments.gai._scores import state_of_package
from penchant._parallel import track
from penchant.data import Comparisons
from penchant.datasets import (
    load_era,
    load_esl,
    load_flats,
    load_lev,
    load_swd,
    make_flats_population,
)
from penchant.exceptions import DataError
from penchant.learning import (
    CANDIDATES,
    ModelComparison,
    compare,
    divide,
    find_target,
    judge,
)

__all__ = ["run"]

SEED = 0
N_FOLDS = 3
SHORT = 15
BEHIND, SIZE = "behind the best", "things to read"
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
    judged = {name: _judged(name) for name in track(names, "sets")}
    found = [m for name, folds in judged.items() for m in _measure(name, folds)]
    return Outcome("recommended", (*found, *_summary(found)), (SEED,))


class Fold(NamedTuple):
    """What `compare` saw within an outer fold, and the losses of what it left out."""

    inside: dict[str, Any]
    outside: dict[str, list[float]]


def _judged(name: str) -> list[Fold]:
    """Judge all outer folds; those that are kept from a run before are not run."""
    try:
        SETS[name]()
    except DataError:  # its file is not here
        return []
    state = state_of_package("penchant")
    keys = [(name, fold, state) for fold in range(N_FOLDS)]
    only = os.environ.get("PENCHANT_ONLY", name).split(",")
    if name not in only and not all(map(_is_kept, keys)):
        return []
    return [Fold(*cached_fold(*key)) for key in keys]


def _is_kept(key: tuple[str, int, str]) -> bool:
    return bool(cached_fold.check_call_in_cache(*key))


def judge_fold(name: str, fold: int, state: str) -> tuple[dict[str, Any], Any]:
    """Compare on all outer folds but one, and judge every candidate on that one.

    `state` is that of the code: what is kept on disk is found by it.
    """
    target = find_target(*SETS[name]())
    folds = divide(target, N_FOLDS, SEED)
    out, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
    readable = [
        c for c in CANDIDATES.values() if c.readable and not c.objection(target)
    ]
    told = compare(
        *_part(target, rest),
        kind=target.kind,
        candidates=[candidate.name for candidate in readable],
        random_state=SEED,
    )
    losses = {
        c.name: judge(c.fit(target, rest, SEED), target, out).tolist() for c in readable
    }
    return told.to_dict(), losses


cached_fold = Memory(Path(__file__).parent / "results" / "cache", verbose=0).cache(
    judge_fold
)


def _measure(name: str, folds: list[Fold]) -> list[Measurement]:
    if not folds:
        why = "not run yet, or its file is not here"
        return [Measurement(name, BEHIND, note=why, in_paper=False)]
    told = [ModelComparison.from_dict(fold.inside) for fold in folds]
    losses = {
        each: np.concatenate([fold.outside[each] for fold in folds])
        for each in folds[0].outside
    }
    chosen, inside = (
        np.concatenate(
            [fold.outside[p.name] for fold, p in zip(folds, picks, strict=True)]
        )
        for picks in ([t.recommended for t in told], [t.best for t in told])
    )
    best = min(losses, key=lambda each: float(losses[each].mean()))
    picks = ", ".join(t.recommended.name for t in told)
    sizes = [float(t.recommended.size or 0) for t in told]
    return [
        _paired(name, BEHIND, chosen - losses[best], f"best: {best}"),
        _paired(name, "behind the best inside", chosen - inside, picks),
        Measurement.from_scores(name, SIZE, sizes, in_paper=False),
    ]


def _summary(found: list[Measurement]) -> list[Measurement]:
    """Sum up: by how many standard errors of a set, and on how many it is short."""
    ratios = [float(m.note.split()[0]) for m in found if m.column == BEHIND and m.n]
    sizes = [m.mean for m in found if m.column == SIZE and m.mean is not None]
    n_short = sum(size <= SHORT for size in sizes)
    note = f"in standard errors; the worst {max(ratios):.2f}"
    words = f"sets with at most {SHORT} things to read"
    return [
        Measurement.from_scores("all sets", BEHIND, ratios, note=note, in_paper=False),
        Measurement("all sets", SIZE, n_short, None, len(sizes), words, False),
    ]


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
