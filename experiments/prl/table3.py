"""Table 3: feature selection on dorothea and madelon, with an SVM beside.

dorothea: 70/30 splits of the 800 training substances, attributes as they are; linear
SVM. madelon: products of two of 500 attributes, never listed; the 2,000 training rows
divided 70/30 as in the paper, and in a row of its own all of them for learning and the
600 validation rows for testing; polynomial SVM of degree 2. nu is chosen by 5 folds of
the training rows, as is the SVM's C among powers of 10 from 1e-4 to 1e5 (madelon: to
1e2).

What was settled without the test rows stands in the rows named after the data. On
madelon the program stops at a gap of 3e-3, which had the best accuracy in 5 folds of
the training file. Rows with a further name show how much such a decision matters. They
are no results of a choice: all that was tried stands there, and the best of them is
best by luck in part. On dorothea: the splits of seeds 0 to 4, stratified by class or
not, with labels balanced or as the estimator decides; and 20 more splits. On madelon:
the other gaps.

gisette is not available: two sets of the same shape are generated, and only time, gap
(at most 1e-3, as in all timed fits) and memory are told. "few useful" is the one of
``benchmarks/bench_margin.py``, which measures the solver alone against a limit of 2 CPU
seconds; here the estimator around it, which copies the table, counts as well. In "many
useful" a tenth of the attributes bear on the class a little, which is harder.
"""

import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from experiments._outcome import Measurement, Outcome
from experiments.prl._margins import choose_margin
from experiments.prl._tasks import dorothea, madelon
from penchant._parallel import track
from penchant.models import RuleClassifier

SEEDS = tuple(range(1000, 1005))
OTHER_SEEDS, MORE_SEEDS = tuple(range(5)), tuple(range(4000, 4020))
MADELON_SEEDS = SEEDS[:2]
TEST_SHARE = 0.3
N_FOLDS = 5
TOLERANCES = {1: "auto", 2: 3e-3}
GAP = 1e-3
GISETTE_SHAPE = (4200, 5000)
QUICK_SHAPE = (300, 500)

Split = tuple[Any, Any, np.ndarray, np.ndarray]
Result = tuple[float, int, float, float, str]


def run(*, quick: bool) -> Outcome:
    """Measure all rows (if quick, one split of dorothea and a small generated set)."""
    parts: list[Callable[[], Iterator[Measurement]]] = [
        lambda: _dorothea(SEEDS[:1] if quick else SEEDS, with_svm=not quick),
        lambda: _generated(QUICK_SHAPE if quick else GISETTE_SHAPE),
    ]
    if not quick:
        parts += [_other_dorothea, _madelon, _madelon_validation]
    cells = [cell for part in track(parts, "Table 3") for cell in part()]
    return Outcome("table3", tuple(cells), SEEDS)


def _dorothea(seeds: tuple[int, ...], *, with_svm: bool) -> Iterator[Measurement]:
    data = dorothea()
    if data is None:
        yield from _missing("dorothea")
        return
    splits = [_split(*data, seed) for seed in seeds]
    yield from _cells("dorothea", splits, degree=1, nus=(0.2,))
    if with_svm:
        machine = LinearSVC(dual=True)
        yield _svm_cell("dorothea", splits, machine, "C", np.logspace(-4, 5, 10))


def _other_dorothea() -> Iterator[Measurement]:
    """Show what splits and balance do; none of these was chosen by anything."""
    data = dorothea()
    if data is None:
        return
    for stratified, balance in product((True, False), (True, "auto")):
        splits = [_split(*data, seed, stratified=stratified) for seed in OTHER_SEEDS]
        row = f"dorothea, seeds 0 to 4, {'' if stratified else 'not '}stratified"
        row += ", balanced" if balance is True else ""
        results = [score_rules(split, 1, balance=balance) for split in splits]
        yield _accuracy_cell(row, results, in_paper=False)
    results = [score_rules(_split(*data, seed), 1) for seed in MORE_SEEDS]
    row = f"dorothea, seeds {MORE_SEEDS[0]} to {MORE_SEEDS[-1]}"
    yield _accuracy_cell(row, results, in_paper=False)


def _madelon() -> Iterator[Measurement]:
    train = madelon("train")
    if train.X is None or train.y is None:
        yield from _missing("madelon")
        return
    splits = [_split(train.X.to_numpy(), train.y, seed) for seed in MADELON_SEEDS]
    yield from _cells("madelon", splits, degree=2, nus=())
    yield _madelon_svm("madelon", splits)


def _madelon_validation() -> Iterator[Measurement]:
    train, valid = madelon("train"), madelon("valid")
    row = "madelon, validation file"
    if train.X is None or valid.X is None:
        return
    splits = [(train.X.to_numpy(), valid.X.to_numpy(), train.y, valid.y)]
    yield from _cells(row, splits, degree=2, nus=(0.8, 0.3), in_paper=False)
    for tol in (GAP, "auto"):
        results = [score_rules(splits[0], 2, tol=tol)]
        yield _accuracy_cell(f"{row}, gap {tol}", results, in_paper=False)
    yield _madelon_svm(row, splits, in_paper=False)


def _madelon_svm(
    row: str, splits: list[Split], *, in_paper: bool = True
) -> Measurement:
    machine = make_pipeline(
        StandardScaler(), SVC(kernel="poly", degree=2, coef0=1.0, cache_size=500)
    )
    grid = np.logspace(-4, 2, 7)
    return _svm_cell(row, splits, machine, "svc__C", grid, in_paper=in_paper)


def _missing(row: str) -> Iterator[Measurement]:
    for column in ("SVM", "PRL", "features used"):
        yield Measurement(row, column, note="data not here")


def _split(X: Any, y: np.ndarray, seed: int, *, stratified: bool = True) -> Split:
    classes = y if stratified else None
    return tuple(
        train_test_split(
            X, y, test_size=TEST_SHARE, random_state=seed, stratify=classes
        )
    )


def _cells(
    row: str,
    splits: list[Split],
    *,
    degree: int,
    nus: tuple[float, ...],
    in_paper: bool = True,
) -> Iterator[Measurement]:
    """Learn rules on each split, and measure single fits with the given nu."""
    results = [score_rules(split, degree) for split in splits]
    _, counts, _, seconds, _ = zip(*results, strict=True)
    yield _accuracy_cell(row, results, in_paper=in_paper)
    yield Measurement.from_scores(
        row, "features used", [float(count) for count in counts], in_paper=in_paper
    )
    yield Measurement.from_scores(
        row, "PRL, CPU seconds with the choice of nu", seconds, in_paper=False
    )
    for nu in nus:
        yield _fixed(row, splits[0], degree, nu)


def _accuracy_cell(
    row: str, results: Sequence[Result], *, in_paper: bool
) -> Measurement:
    accuracies, _, balanced, _, choices = zip(*results, strict=True)
    note = f"nu {', '.join(choices)}; balanced accuracy {np.mean(balanced):.2f}"
    return Measurement.from_scores(row, "PRL", accuracies, note=note, in_paper=in_paper)


def score_rules(
    split: Split,
    degree: int,
    *,
    balance: bool | str = "auto",
    tol: float | str | None = None,
) -> Result:
    """Give accuracy, number of features, balanced accuracy, CPU seconds and nu."""
    X_train, X_test, y_train, y_test = split
    model = RuleClassifier(
        generator="monomials",
        degree=degree,
        balance=balance,
        tol=TOLERANCES[degree] if tol is None else tol,
    )
    start = time.process_time()
    model = choose_margin(model, X_train, y_train, n_folds=N_FOLDS)
    model.fit(X_train, y_train)
    seconds = time.process_time() - start
    right = model.predict(X_test) == y_test
    balanced = np.mean([right[y_test == label].mean() for label in (0, 1)])
    return (
        100 * float(right.mean()),
        len(model.rules_),
        100 * float(balanced),
        seconds,
        "hard" if model.nu_ is None else f"{model.nu_:g}",
    )


def _fixed(row: str, split: Split, degree: int, nu: float) -> Measurement:
    """Tell the time of one fit, its certificate and, of a second one, the memory."""
    X_train, _, y_train, _ = split
    model = RuleClassifier(generator="monomials", degree=degree, nu=nu, tol=GAP)
    start = time.process_time()
    model.fit(X_train, y_train)
    seconds = time.process_time() - start
    tracemalloc.start()
    model.fit(X_train, y_train)
    mebibytes = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    note = (
        f"gap {model.saddle_gap_:.1e}, value {model.value_:.4f}, "
        f"{mebibytes:.0f} MiB above the data"
    )
    column = f"PRL, CPU seconds at nu = {nu:g}"
    return Measurement(row, column, seconds, None, 1, note, False)


def _generated(shape: tuple[int, int]) -> Iterator[Measurement]:
    """Learn from as many rows and attributes as 70 % of gisette has."""
    for column in ("SVM", "PRL", "features used"):
        yield Measurement("gisette", column, note="data not available")
    for name, generate in {"few": few_useful, "many": many_useful}.items():
        X, y = generate(shape)
        row = f"generated, {shape[0]} x {shape[1]}, {name} useful"
        yield _fixed(row, (X, X[:0], y, y[:0]), 1, 0.4)


def few_useful(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Draw noise; in 100 attributes the classes differ, as in bench_margin."""
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], shape[0])
    X = rng.standard_normal((shape[0], shape[1] + 1))[:, :-1]
    X[:, :100] += np.outer(signs, rng.uniform(0.0, 0.2, 100))
    return X, (signs > 0).astype(np.int64)


def many_useful(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Draw attributes in [0, 1], a tenth of which bear on the class a little."""
    rng = np.random.default_rng(SEEDS[0])
    X = rng.random(shape)
    n_useful = shape[1] // 10
    signal = (X[:, :n_useful] - 0.5) @ rng.standard_normal(n_useful)
    noise = 0.5 * signal.std() * rng.standard_normal(shape[0])
    return X, (signal + noise > 0).astype(np.int64)


def _svm_cell(
    row: str,
    splits: list[Split],
    machine: Any,
    name: str,
    grid: np.ndarray,
    *,
    in_paper: bool = True,
) -> Measurement:
    """Choose C by 3 folds, as the paper does."""
    accuracies, chosen = [], []
    for X_train, X_test, y_train, y_test in splits:
        search = GridSearchCV(machine, {name: grid}, cv=N_FOLDS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # large C: the solver stops at its limit
            search.fit(X_train, y_train)
        accuracies.append(100 * float(search.score(X_test, y_test)))
        chosen.append(f"{search.best_params_[name]:g}")
    note = f"C {', '.join(chosen)}"
    return Measurement.from_scores(row, "SVM", accuracies, note=note, in_paper=in_paper)
