"""Least-squares identification of a capacity, n=8, k=2, 200 rows, in .05 CPU s.

The peer lists all 1,024 conditions of monotonicity for a general solver; both reach the
same minimum.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from benchmarks._measure import Budget, Case
from benchmarks.peers import cvxpy_choquet
from penchant.models import ChoquetRegressor

PACKAGES = ("cvxpy", "clarabel")
N_ROWS, N_FEATURES, K, ALPHA = 200, 8, 2, 1e-6


@contextmanager
def cases() -> Iterator[list[Case | Budget]]:
    """Yield the limit, then the comparison."""
    X, y = draw()
    features = cvxpy_choquet.minima(X, K)
    rows = cvxpy_choquet.conditions(N_FEATURES, K)
    name = f"n={N_FEATURES}, k={K}, {N_ROWS} rows, mu(N) = 1"
    yield [
        Budget(name, lambda: fit(X, y), 0.05, check=is_capacity),
        Case(
            name=name,
            ours=lambda: fit(X, y),
            theirs=lambda: cvxpy_choquet.identify(features, y, alpha=ALPHA, rows=rows),
            peer=cvxpy_choquet.ALL,
            at_most=0.5,
            agree=lambda model, value: np.isclose(
                minimum(model, X, y), value, rtol=1e-5, atol=0.0
            ),
        ),
    ]


def draw() -> tuple[np.ndarray, np.ndarray]:
    """Return rows and noisy values of a 2-additive integral, of range 1."""
    rng = np.random.default_rng(0)
    X = rng.random((N_ROWS, N_FEATURES))
    first, second = rng.integers(0, N_FEATURES, size=(2, 12))
    weights = rng.dirichlet(np.ones(12))
    y = np.minimum(X[:, first], X[:, second]) @ weights + rng.normal(0, 0.02, N_ROWS)
    return X, (y - y.min()) / np.ptp(y)


def fit(X: np.ndarray, y: np.ndarray) -> ChoquetRegressor:
    """Fit a normalised capacity and no constant."""
    return ChoquetRegressor(
        k=K,
        alpha=ALPHA,
        domain=(0, 1),
        directions="up",
        normalized=True,
        fit_intercept=False,
    ).fit(X, y)


def minimum(model: ChoquetRegressor, X: np.ndarray, y: np.ndarray) -> float:
    """Return the objective at a fitted model."""
    mobius = np.array(list(model.capacity_.mobius.values()))
    loss = np.mean((model.predict(X) - y) ** 2) / 2
    return float(loss + ALPHA / 2 * mobius @ mobius)


def is_capacity(model: ChoquetRegressor) -> bool:
    """Tell whether the capacity is monotone and normalised."""
    capacity = model.capacity_
    is_one = abs(capacity.total - 1.0) <= 1e-9
    return is_one and capacity.monotonicity(tol=1e-9) == 1.0
