"""Models of part of the attributes: d=30 with 512 models in 3 s, d=9 complete in 1 s.

One thread; kernel ridge and Gaussian processes of d=9 take half of that. With equally
many models, least squares are at most half as far from the complete method as
coalitions by Spearman. Two processes are at least 1.6 times as fast as one, by the
clock, with the same numbers; this claim needs two free cores.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_wine,
    make_classification,
    make_friedman1,
)
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from threadpoolctl import threadpool_limits

from benchmarks._measure import Budget, Case
from penchant.explanation import (
    Attribution,
    CoalitionalExplainer,
    CompleteExplainer,
    LeastSquaresExplainer,
)

PACKAGES = ("joblib", "scikit-learn")
SEEDS = range(2)
Data = tuple[np.ndarray, np.ndarray]


@contextmanager
def cases() -> Iterator[list[Budget | Case]]:
    """Yield the limits of time, the comparison of errors, and the two processes."""
    with threadpool_limits(1):
        yield [
            *(complete(name, *kind) for name, kind in kernel_models().items()),
            against_refitting(),
            many_attributes(),
            *(nearer(name, data) for name, data in small_data().items()),
            two_processes(),
        ]


def kernel_models() -> dict[str, tuple[Any, int, float]]:
    """Give models, the number of classes that they tell apart (0: of numbers), limits.

    A support vector machine is fitted by scikit-learn, whose checks take about as long
    as the fit.
    """
    ridge = KernelRidge(kernel="rbf", gamma=0.1, alpha=0.5)
    process = GaussianProcessRegressor(alpha=0.1, optimizer=None)
    return {
        "kernel ridge": (ridge, 0, 0.5),
        "Gaussian process": (process, 0, 0.5),
        "scaled kernel ridge": (
            make_pipeline(StandardScaler(), KernelRidge(kernel="rbf")),
            0,
            0.5,
        ),
        "SVR": (SVR(), 0, 1.0),
        "SVC of two classes": (SVC(), 2, 1.0),
        "SVC of three classes": (SVC(), 3, 1.0),
    }


def scaled(X: np.ndarray) -> np.ndarray:
    scaled: np.ndarray = (X - X.mean(axis=0)) / X.std(axis=0)
    return scaled


def nine_attributes() -> Data:
    X, y = load_diabetes(return_X_y=True)
    return scaled(X)[:250, :9], y[:250] / y.std()


def adds_up(found: Attribution) -> bool:
    return bool(np.abs(found.gap).max() <= 1e-9)


def complete(name: str, model: Any, n_classes: int, seconds: float) -> Budget:
    """All 511 models of 9 attributes, and the influences at the 250 training rows."""
    X, y = nine_attributes()
    if n_classes:
        y = np.searchsorted(np.quantile(y, np.arange(1, n_classes) / n_classes), y)
    fitted = model.fit(X, y)
    return Budget(
        name=f"{name}, complete, d=9, 250 rows",
        ours=lambda: CompleteExplainer().fit(fitted, X, y).explain(),
        seconds=seconds,
        check=adds_up,
    )


def against_refitting() -> Case:
    """Compare with a loop that refits scikit-learn's model on each set."""
    X, y = nine_attributes()
    X = X[:, :8]
    model = kernel_models()["kernel ridge"][0].fit(X, y)

    def loop() -> np.ndarray:
        worths = []
        for mask in range(1, 2**8):
            columns = [c for c in range(8) if mask >> c & 1]
            part = clone(model).fit(X[:, columns], y)
            worths.append(part.predict(X[:, columns]) - y.mean())
        return np.array(worths)

    def ours() -> np.ndarray:
        game = CompleteExplainer().fit(model, X, y).game_
        return game.worths(list(range(1, 2**8)), game.table, game.target_of(X)).T

    return Case(
        name="kernel ridge, 255 sets of 8 attributes, 250 rows",
        ours=ours,
        theirs=loop,
        peer="refitting by scikit-learn",
        at_most=0.5,
        agree=lambda a, b: bool(np.allclose(a, b, atol=1e-10, rtol=0)),
    )


def many_attributes() -> Budget:
    """30 attributes, 512 models, 250 rows to learn from and 100 others to explain."""
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scaled(X), y.astype(float)
    model = KernelRidge(kernel="rbf", gamma=1 / 30, alpha=0.5).fit(X[:250], y[:250])
    explainer = LeastSquaresExplainer(512, random_state=0)
    return Budget(
        name="kernel ridge, least squares, d=30, 512 models, 100 rows",
        ours=lambda: explainer.fit(model, X[:250], y[:250]).explain(X[250:350]),
        seconds=3.0,
        check=adds_up,
    )


def small_data() -> dict[str, Data]:
    """Six data sets with 8 attributes and 120 rows."""
    rng = np.random.default_rng(0)

    def some(X: np.ndarray, y: np.ndarray) -> Data:
        kept = rng.choice(len(X), 120, replace=False)
        return scaled(X)[kept, :8], y[kept]

    diabetes, progress = load_diabetes(return_X_y=True)
    digits, digit = load_digits(return_X_y=True)
    digits = digits[:, np.argsort(-digits.var(axis=0))[:8]]
    return {
        "wine": some(*load_wine(return_X_y=True)),
        "breast cancer": some(*load_breast_cancer(return_X_y=True)),
        "diabetes": some(diabetes, progress / progress.std()),
        "digits": some(digits, digit),
        "generated classes": some(
            *make_classification(120, 8, n_informative=4, n_redundant=3, random_state=1)
        ),
        "Friedman": some(*make_friedman1(120, 8, random_state=0)),
    }


def mean_distance(found: Attribution, exact: Attribution) -> float:
    return float(np.linalg.norm(found.values - exact.values, axis=1).mean())


class Rivals(NamedTuple):
    """A model, the complete method on it, and coalitions by Spearman."""

    fitted: Any
    target: np.ndarray
    exact: Attribution
    n_models: list[int]
    distance: float


def rivals(model: Any, X: np.ndarray, target: np.ndarray) -> Rivals:
    """Explain with all sets, and by coalitions with 10, 25 and 50 % of them."""
    fitted = clone(model).fit(X, target)
    exact = CompleteExplainer().fit(fitted, X, target).explain()
    found = [
        CoalitionalExplainer(complexity=share).fit(fitted, X, target)
        for share in (0.1, 0.25, 0.5)
    ]
    distance = np.mean([mean_distance(each.explain(), exact) for each in found])
    n_models = [max(each.n_models_, 17) for each in found]
    return Rivals(fitted, target, exact, n_models, float(distance))


def nearer(name: str, data: Data) -> Budget:
    """Half the distance of Spearman coalitions to complete, and nearer than zero.

    For a kernel ridge of the (first) class and a forest. The time is that of least
    squares, with as many models as the coalitions had.
    """
    X, y = data
    labels = len(np.unique(y)) < 12
    ridge = KernelRidge(kernel="rbf", gamma=1 / 8, alpha=0.3)
    forest = (RandomForestClassifier if labels else RandomForestRegressor)(
        5, random_state=0
    )
    tasks = [(ridge, (y == y[0]) * 1.0 if labels else y), (forest, y)]

    @cache
    def known() -> list[Rivals]:
        return [rivals(model, X, target) for model, target in tasks]

    def distances() -> list[float]:
        return [
            float(np.mean([distance(each, budget) for budget in each.n_models]))
            for each in known()
        ]

    def distance(rival: Rivals, budget: int) -> float:
        squares = LeastSquaresExplainer(budget, random_state=0)
        found = squares.fit(rival.fitted, X, rival.target).explain()
        return mean_distance(found, rival.exact)

    def check(found: list[float]) -> bool:
        zeros = [np.linalg.norm(each.exact.values, axis=1).mean() for each in known()]
        halves = [each.distance / 2 for each in known()]
        return all(np.less_equal(found, halves) & np.less_equal(found, zeros))

    return Budget(
        name=f"{name}: half the error of coalitions, kernel ridge and forest",
        ours=distances,
        seconds=60.0,
        check=check,
    )


def two_processes() -> Budget:
    """Train 25 trees on all sets of 8 attributes, by one process and by two."""
    X, y = load_wine(return_X_y=True)
    X = X[:, :8]
    forest = RandomForestClassifier(25, random_state=0).fit(X, y)

    def explained(n_jobs: int) -> Attribution:
        return CompleteExplainer(n_jobs=n_jobs).fit(forest, X, y).explain()

    def timed(n_jobs: int) -> tuple[float, Attribution]:
        start = time.perf_counter()
        found = explained(n_jobs)
        return time.perf_counter() - start, found

    def check(found: Attribution) -> bool:
        alone, together = ([timed(n) for _ in range(2)] for n in (1, 2))
        same = all(np.array_equal(found.values, each.values) for _, each in alone)
        gain = min(took for took, _ in alone) / min(took for took, _ in together)
        return same and gain >= 1.6

    return Budget(
        name="forest of 25 trees, complete, d=8: two processes 1.6 times as fast",
        ours=lambda: explained(2),
        seconds=60.0,
        check=check,
    )
