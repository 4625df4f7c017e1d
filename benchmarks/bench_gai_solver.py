"""Sparse GAI: the QCQP's optimum 60 times faster; certified for 10 and 30 attributes.

The QCQP (GAI-2) is solved in two forms: with quadratic forms, and with every kernel
matrix factored by hand. With 30 attributes there are a billion subsets: no route that
lists them can follow.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from benchmarks._measure import Budget, Case
from benchmarks.peers import cvxpy_gai
from penchant.datasets import make_gai
from penchant.kernels import RBF
from penchant.solvers import Evidence, SparseGAIProblem, SparseGAIResult

PACKAGES = ("cvxpy", "clarabel")
EPSILON, TOL = 0.01, 1e-5
LIMITS = {(10, 1.0): 0.15, (10, 10.0): 1.0, (30, 1.0): 0.8, (30, 10.0): 1.6}


@contextmanager
def cases() -> Iterator[list[Case | Budget]]:
    """Yield the comparison with the QCQP and the larger problems."""
    yield [
        *(
            _against_qcqp(C, factored)
            for factored in (False, True)
            for C in (1.0, 10.0)
        ),
        *(_large(d, C, s) for (d, C), s in LIMITS.items()),
    ]


def draw(n_items: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Return random items and ratings of range 1."""
    sample = make_gai(n_items, n_features, max_size=3, n_basis=6, random_state=0)
    return sample.X, (sample.y - sample.y.min()) / np.ptp(sample.y)


def features_of(X: np.ndarray) -> list[np.ndarray]:
    """Give the features of the paper's kernel on every attribute."""
    feature_map = RBF(1.0).feature_map()
    return [feature_map(column) for column in X.T]


def solve(features: list[np.ndarray], y: np.ndarray, C: float) -> SparseGAIResult:
    """Solve, from features to certified factors."""
    evidence = Evidence.from_ratings(y, epsilon=EPSILON)
    return SparseGAIProblem(features, evidence).solve(C, tol=TOL)


def _against_qcqp(C: float, factored: bool) -> Case:
    X, y = draw(70, 6)
    # Both are given the kernels of single attributes, ours in the form of features.
    kernel, features = RBF(1.0), features_of(X)
    grams = [kernel.k0(column, column) for column in X.T]
    return Case(
        name=f"6 attributes, 70 ratings, 63 subsets, C={C:g}",
        ours=lambda: solve(features, y, C),
        theirs=lambda: cvxpy_gai.solve(
            grams, y, C=C, epsilon=EPSILON, factored=factored
        ),
        peer=cvxpy_gai.FACTORED if factored else cvxpy_gai.AS_WRITTEN,
        at_most=1.0 / 15.0 if factored else 1.0 / 60.0,
        agree=lambda result, optimum: bool(
            np.isclose(result.primal, optimum, rtol=2 * TOL, atol=0.0)
        ),
    )


def _large(n_features: int, C: float, seconds: float) -> Budget:
    X, y = draw(140, n_features)
    return Budget(
        name=f"{n_features} attributes, 140 ratings, C={C:g}, gap 1e-5",
        ours=lambda: solve(features_of(X), y, C),
        seconds=seconds,
        check=lambda result: result.gap <= TOL and result.max_order == n_features,
    )
