"""Monotone Choquet models and their peers on the same folds of ten data sets.

Not in the paper. Two classes are judged by the 0/1 loss, grades by the mean absolute
error and the 0/1 loss, ratings by the mean absolute error. Each note gives the
difference to the 2-additive model and the p-value of a corrected resampled t-test.
"""

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from experiments._outcome import Measurement, Outcome
from experiments._paired import corrected_t_test
from experiments.choquet._methods import METHODS, REFERENCE, WHY_ABSENT, is_absent
from experiments.choquet._p_values import holm, show_p
from experiments.choquet._tasks import Task, monotone_tasks
from penchant._parallel import track
from penchant.exceptions import ConvergenceWarning

PACKAGES = ("xgboost",)
SEED = 0
N_FOLDS = 5
QUICK_TASKS = ("ESL", "DenBosch")
MEASURES = {"classes": ("loss %",), "grades": ("MAE", "loss %"), "ratings": ("MAE",)}


class Remark(NamedTuple):
    """What a fitted model tells about itself.

    The order that ``k="auto"`` chose, D_mu of a kernel machine, and whether the
    solver stopped before its tolerance.
    """

    order: int | None
    degree: float | None
    is_stopped: bool


@dataclass(frozen=True)
class Result:
    """Errors of the methods on the test folds of one task.

    Parameters
    ----------
    task : Task
        The task.
    errors : dict from str to ndarray of shape (n_folds, n_measures)
        By method; the first measure decides.
    details : dict from str to str
        What a method chose, in a few words.
    """

    task: Task
    errors: dict[str, np.ndarray]
    details: dict[str, str]

    def p_value(self, column: str, measure: int = 0) -> float:
        """Compare a method with the reference."""
        gaps = self.errors[column] - self.errors[REFERENCE]
        return corrected_t_test(gaps[:, measure], 1 / (N_FOLDS - 1))

    def means(self) -> dict[str, float]:
        """Return the mean of the first measure of each method."""
        return {column: errors[:, 0].mean() for column, errors in self.errors.items()}


def run(*, quick: bool) -> Outcome:
    """Cross-validate all methods on all tasks (3 times; quick: once, 2 tasks)."""
    tasks = [task for task in monotone_tasks() if not quick or task.name in QUICK_TASKS]
    n_repeats = 1 if quick else 3
    results, cells = [], []
    for task in track(tasks, "Monotone models"):
        if task.X is None:
            cells += missing(task)
            continue
        results.append(cross_validate(task, n_repeats))
        cells += measurements(results[-1])
    cells += summary(results)
    return Outcome("monotone", tuple(cells), (SEED,))


def cross_validate(task: Task, n_repeats: int) -> Result:
    """Fit and test every method on every fold."""
    splitter = RepeatedStratifiedKFold if task.kind == "classes" else RepeatedKFold
    folds = splitter(n_splits=N_FOLDS, n_repeats=n_repeats, random_state=SEED)
    splits = list(folds.split(task.X, task.y))
    errors, details = {}, {}
    for column in METHODS:
        if is_absent(column):
            continue
        outcomes = Parallel()(delayed(fold)(task, column, *split) for split in splits)
        scores, remarks = zip(*outcomes, strict=True)
        errors[column] = np.array(scores)
        details[column] = _describe(remarks)
    return Result(task, errors, details)


def fold(
    task: Task, column: str, train: np.ndarray, test: np.ndarray
) -> tuple[list[float], Remark]:
    """Return the errors on the test rows, and a remark."""
    X, y = task.X, task.y
    assert X is not None
    assert y is not None
    model = METHODS[column](task.kind, X.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the chosen ones count
        model.fit(X[train], y[train])
    predicted = model.predict(X[test])
    if task.kind == "grades":
        predicted = np.clip(np.rint(predicted), y.min(), y.max())
    measured = {
        "loss %": 100 * float(np.mean(predicted != y[test])),
        "MAE": float(np.mean(np.abs(predicted - y[test]))),
    }
    best = getattr(model, "best_estimator_", model)
    return [measured[name] for name in MEASURES[task.kind]], remark(best)


def remark(model: object) -> Remark:
    """Say what is worth a note about a fitted model."""
    status = getattr(model, "solver_status_", "optimal")
    order = model.k_ if getattr(model, "k", None) == "auto" else None
    return Remark(order, getattr(model, "monotonicity_", None), status != "optimal")


def measurements(result: Result) -> Iterator[Measurement]:
    """Yield the cells of one task."""
    for index, measure in enumerate(MEASURES[result.task.kind]):
        for column in METHODS:
            if column not in result.errors:
                yield Measurement(
                    _row(result.task, measure), column, note=WHY_ABSENT, in_paper=False
                )
                continue
            notes = [result.details[column]]
            if column != REFERENCE:
                notes.insert(0, show_p(result.p_value(column, index)))
            yield Measurement.from_scores(
                _row(result.task, measure),
                column,
                result.errors[column][:, index].tolist(),
                note=", ".join(filter(None, notes)),
                in_paper=False,
            )


def missing(task: Task) -> Iterator[Measurement]:
    """Yield the cells of a task whose data are not here."""
    for measure in MEASURES[task.kind]:
        for column in METHODS:
            row = _row(task, measure)
            yield Measurement(row, column, note="data not here", in_paper=False)


def summary(results: list[Result]) -> Iterator[Measurement]:
    """Yield the mean rank of each method, and how often it beats the reference."""
    columns = list(results[0].errors)
    table = np.array([[result.means()[c] for c in columns] for result in results])
    ranks = rankdata(table, axis=1)
    for index, column in enumerate(columns):
        note = f"of {len(columns)}, on {len(results)} tasks"
        if column != REFERENCE:
            gaps = table[:, index] - table[:, columns.index(REFERENCE)]
            certain = holm([result.p_value(column) for result in results]) < 0.05
            better, worse = np.sum(certain & (gaps < 0)), np.sum(certain & (gaps > 0))
            note += f"; better than k=2 on {better}, worse on {worse} (Holm, 5 %)"
        yield Measurement.from_scores(
            "mean rank", column, ranks[:, index].tolist(), note=note, in_paper=False
        )


def _row(task: Task, measure: str) -> str:
    return f"{task.name} ({task.kind}), {measure}"


def _describe(remarks: tuple[Remark, ...]) -> str:
    """Summarise chosen orders by their counts, degrees of monotonicity by the mean."""
    notes = []
    if remarks[0].order is not None:
        counts = sorted(Counter(remark.order for remark in remarks).items())
        notes.append("; ".join(f"k={k} in {count}" for k, count in counts))
    if remarks[0].degree is not None:
        mean = np.mean([remark.degree for remark in remarks])
        notes.append(f"D_mu {mean:.3f}")
    n_stopped = sum(remark.is_stopped for remark in remarks)
    if n_stopped:
        notes.append(f"solver stopped early in {n_stopped} folds")
    return ", ".join(notes)
