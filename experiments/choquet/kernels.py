"""Support vector machines with Choquet, RBF and polynomial kernels (section 4).

Nested 5-fold cross-validation, 20 times. Attributes are scaled to [0, 1] once, from the
range of all rows, which needs no labels; so each Gram matrix is computed once and cut.
Each is divided by its mean diagonal: one grid of C then suits all kernels. The notes
give the p-value of a corrected resampled t-test against the paper's Choquet kernel.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC

from experiments._outcome import Measurement, Outcome
from experiments._paired import corrected_t_test
from experiments.choquet._p_values import show_p
from experiments.choquet._tasks import Task, den_bosch, esl_suitable
from penchant._parallel import track
from penchant.kernels import choquet_kernel
from penchant.models import KernelCapacity

REFERENCE = "Choquet"
N_FOLDS = 5
SEED = 0
COSTS = np.logspace(-1, 3, 5)
GAMMAS = np.logspace(-2, 2, 5)
MAX_ITER = 100_000


@dataclass(frozen=True)
class Machine:
    """A column of the table: its Gram matrices, one per value of its parameter.

    A Choquet kernel has one matrix, and the options that read its capacity.
    """

    column: str
    grams: tuple[np.ndarray, ...]
    options: dict[str, float] | None = None
    in_paper: bool = False


@dataclass
class Scores:
    """Figures of the test folds of one machine."""

    losses: list[float] = field(default_factory=list)
    degrees: list[float] = field(default_factory=list)
    n_stopped: int = 0


def run(*, quick: bool) -> Outcome:
    """Measure 0/1 loss and monotonicity (1 repetition if quick, else 20)."""
    seeds = tuple(range(SEED, SEED + (1 if quick else 20)))
    cells = [
        cell for task in (den_bosch(), esl_suitable()) for cell in measure(task, seeds)
    ]
    return Outcome("kernels", tuple(cells), seeds)


def measure(task: Task, seeds: tuple[int, ...]) -> Iterator[Measurement]:
    """Yield the loss of every kernel on one task, then the degrees of monotonicity."""
    if task.X is None or task.y is None:
        yield from missing(task)
        return
    unit = minmax_scale(task.X)
    columns = list(machines(unit))
    results = {
        machine.column: score(machine, unit, task.y, seeds)
        for machine in track(columns, f"Kernels on {task.name}")
    }
    for machine in columns:
        yield loss_cell(task, machine, results)
    for machine in columns:
        if machine.options is not None:
            yield Measurement.from_scores(
                f"{task.name}, D_mu",
                machine.column,
                results[machine.column].degrees,
                note="training folds",
                in_paper=machine.in_paper,
            )


def missing(task: Task) -> Iterator[Measurement]:
    """Yield the cells of a task whose data are not here."""
    for machine in machines(np.eye(8)):
        rows = ["loss %"] if machine.options is None else ["loss %", "D_mu"]
        for row in rows:
            yield Measurement(
                f"{task.name}, {row}",
                machine.column,
                note="data not here",
                in_paper=machine.in_paper,
            )


def machines(unit: np.ndarray) -> Iterator[Machine]:
    """Yield the kernels: the paper's three, then ours."""
    n = unit.shape[1]
    forms: dict[str, dict[str, float]] = {
        REFERENCE: {},
        "Choquet, damped 1/n": {"damping": 1 / n},
        "Choquet, k=2": {"k": 2},
    }
    rbf = tuple(rbf_kernel(unit, gamma=gamma) for gamma in GAMMAS)
    poly = polynomial_kernel(unit, degree=n, gamma=1.0, coef0=1.0)
    first, *others = (
        Machine(column, (_normed(choquet_kernel(unit, **options)),), options)
        for column, options in forms.items()
    )
    yield Machine(first.column, first.grams, first.options, in_paper=True)
    yield Machine("RBF", rbf, in_paper=True)
    yield Machine("polynomial", (_normed(poly),), in_paper=True)
    yield from others


def score(
    machine: Machine, unit: np.ndarray, y: np.ndarray, seeds: tuple[int, ...]
) -> Scores:
    """Run the nested cross-validation once per seed."""
    jobs = [
        (train, test, seed)
        for seed in seeds
        for train, test in StratifiedKFold(
            N_FOLDS, shuffle=True, random_state=seed
        ).split(unit, y)
    ]
    outcomes = Parallel()(delayed(fold)(machine, unit, y, *job) for job in jobs)
    scores = Scores()
    for loss, degree, is_stopped in outcomes:
        scores.losses.append(loss)
        scores.degrees.append(degree)
        scores.n_stopped += is_stopped
    return scores


def fold(
    machine: Machine,
    unit: np.ndarray,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    seed: int,
) -> tuple[float, float, bool]:
    """Choose parameters on the training rows; return loss in %, D_mu and a flag.

    The flag says that LIBSVM stopped the chosen machine at its limit of steps.
    """
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    inner = list(folds.split(train, y[train]))
    choices = [(gram, cost) for gram in machine.grams for cost in COSTS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the flag says it
        scores = [
            np.mean([accuracy(*choice, y, train[i], train[j])[0] for i, j in inner])
            for choice in choices
        ]
        gram, cost = choices[int(np.argmax(scores))]
        share, model = accuracy(gram, cost, y, train, test)
    is_stopped = bool(np.max(model.n_iter_) >= MAX_ITER)
    return 100 * (1 - share), _degree(machine, unit[train], model), is_stopped


def accuracy(
    gram: np.ndarray, cost: float, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> tuple[float, SVC]:
    """Fit on the training rows; return the accuracy on the others and the machine."""
    model = SVC(kernel="precomputed", C=cost, max_iter=MAX_ITER)
    model.fit(gram[np.ix_(train, train)], y[train])
    predicted = model.predict(gram[np.ix_(test, train)])
    return float(np.mean(predicted == y[test])), model


def loss_cell(task: Task, machine: Machine, results: dict[str, Scores]) -> Measurement:
    """Summarise the losses; the note compares them with the paper's kernel."""
    scores = results[machine.column]
    notes = []
    if machine.column != REFERENCE:
        gaps = np.subtract(scores.losses, results[REFERENCE].losses)
        notes.append(show_p(corrected_t_test(gaps, 1 / (N_FOLDS - 1))))
    if scores.n_stopped:
        notes.append(f"{scores.n_stopped} folds stopped at {MAX_ITER:,} steps")
    return Measurement.from_scores(
        f"{task.name}, loss %",
        machine.column,
        scores.losses,
        note=", ".join(notes),
        in_paper=machine.in_paper,
    )


def _degree(machine: Machine, unit: np.ndarray, model: SVC) -> float:
    """Read the capacity off the dual coefficients (CH-4, CH-5)."""
    if machine.options is None:
        return float("nan")
    support, coefficients = unit[model.support_], model.dual_coef_[0]
    options = machine.options
    capacity = KernelCapacity(support, coefficients, **options).to_capacity()
    return float(capacity.monotonicity())


def _normed(gram: np.ndarray) -> np.ndarray:
    return gram / np.diag(gram).mean()
