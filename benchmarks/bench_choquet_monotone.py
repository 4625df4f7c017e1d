"""Monotone Choquet models: k=2, n=20 in 1 CPU s and k=3, n=12, exact, in 6 CPU s.

500 rows, hinge loss. Where a general solver can list all conditions of monotonicity it
does the same work: both reach the same minimum.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from benchmarks._measure import Budget, Case
from benchmarks.peers import cvxpy_choquet
from penchant.models import ChoquetClassifier

PACKAGES = ("cvxpy", "clarabel")
SEEDS = "the number of criteria"
N_ROWS, ALPHA = 500, 1e-3


@contextmanager
def cases() -> Iterator[list[Case | Budget]]:
    """Yield the two limits, then the comparisons."""
    yield [
        _limit(20, 2, 1.0),
        _limit(12, 3, 6.0),
        _pairs(20, at_most=0.5),
        _all(10, 2, at_most=0.3),
        _all(12, 3, at_most=0.3),
    ]


def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows in [0, 1] and labels of which one in ten is wrong."""
    rng = np.random.default_rng(n)
    X = rng.random((N_ROWS, n))
    first, second = rng.integers(0, n, size=(2, 3 * n))
    weights = rng.exponential(size=3 * n)
    utility = np.minimum(X[:, first], X[:, second]) @ weights
    signs = np.where(utility > np.median(utility), 1.0, -1.0)
    return X, np.where(rng.random(N_ROWS) < 0.1, -signs, signs)


def fit(X: np.ndarray, signs: np.ndarray, k: int) -> ChoquetClassifier:
    """Fit our classifier."""
    model = ChoquetClassifier(
        k=k, loss="hinge", alpha=ALPHA, domain=(0, 1), directions="up"
    )
    return model.fit(X, signs)


def minimum(model: ChoquetClassifier, X: np.ndarray, signs: np.ndarray) -> float:
    """Return the objective at a fitted model."""
    mobius = np.array(list(model.capacity_.mobius.values()))
    loss = np.maximum(0.0, 1.0 - signs * model.decision_function(X)).mean()
    return float(loss + ALPHA / 2 * mobius @ mobius)


def is_monotone(model: ChoquetClassifier) -> bool:
    """Tell whether no set of attributes is worth less than a subset of it."""
    return model.representation_ == "exact" and bool(
        model.capacity_.monotonicity(tol=1e-9) == 1.0
    )


def _limit(n: int, k: int, seconds: float) -> Budget:
    X, signs = draw(n)
    return Budget(
        name=f"k={k}, n={n}, {N_ROWS} rows, D_mu = 1 at 1e-9",
        ours=lambda: fit(X, signs, k),
        seconds=seconds,
        check=is_monotone,
    )


def _pairs(n: int, at_most: float) -> Case:
    X, signs = draw(n)
    return Case(
        name=f"k=2, n={n}, {N_ROWS} rows",
        ours=lambda: fit(X, signs, 2),
        theirs=lambda: cvxpy_choquet.classify_by_pairs(X, signs, alpha=ALPHA),
        peer=cvxpy_choquet.PAIRS,
        at_most=at_most,
        agree=lambda model, value: np.isclose(
            minimum(model, X, signs), value, rtol=1e-5, atol=0.0
        ),
    )


def _all(n: int, k: int, at_most: float) -> Case:
    X, signs = draw(n)
    features = cvxpy_choquet.minima(X, k)
    rows = cvxpy_choquet.conditions(n, k)
    return Case(
        name=f"k={k}, n={n}, {N_ROWS} rows, {rows.shape[0]:,} conditions",
        ours=lambda: fit(X, signs, k),
        theirs=lambda: cvxpy_choquet.classify(features, signs, alpha=ALPHA, rows=rows),
        peer=cvxpy_choquet.ALL,
        at_most=at_most,
        agree=lambda model, value: np.isclose(
            minimum(model, X, signs), value, rtol=1e-5, atol=0.0
        ),
    )
