"""A certified path of 20 costs in 3 folds takes 2.5 CPU s on LEV and 7 on MPG.

The costs run from 0.1 to 100 and every one of the 60 fits has a gap of 1e-5. MPG is
read from the folder that PENCHANT_DATA names, and left out when it is not there.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from sklearn.model_selection import KFold
from sklearn.preprocessing import minmax_scale
from sklearn.utils import Bunch

from benchmarks._measure import Budget
from experiments._data import read_shared
from penchant.datasets import load_lev
from penchant.kernels import RBF
from penchant.solvers import Evidence, SparseGAIProblem, SparseGAIResult

COSTS = np.logspace(-1.0, 2.0, 20)
EPSILON, TOL, N_FOLDS = 0.01, 1e-5, 3


@contextmanager
def cases() -> Iterator[list[Budget]]:
    """Yield LEV, and MPG if its data are here."""
    budgets = [_budget("LEV", load_lev(), 2.5)]
    mpg = read_shared("regression/auto_mpg", target="mpg", drop=["name"])
    if mpg is not None:
        budgets.append(_budget("MPG", mpg, 7.0))
    yield budgets


def paths(X: np.ndarray, y: np.ndarray) -> list[SparseGAIResult]:
    """Solve the path on the training rows of every fold."""
    feature_map = RBF(1.0).feature_map()
    features = [feature_map(column) for column in X.T]
    results: list[SparseGAIResult] = []
    folds = KFold(N_FOLDS, shuffle=True, random_state=0)
    for train, _ in folds.split(X):
        evidence = Evidence.from_ratings(y[train], epsilon=EPSILON)
        problem = SparseGAIProblem([matrix[train] for matrix in features], evidence)
        results += problem.solve_path(COSTS, tol=TOL)
    return results


def _budget(name: str, data: Bunch, seconds: float) -> Budget:
    X, y = minmax_scale(data.data), minmax_scale(data.target)
    return Budget(
        name=f"{name}, {len(y)} ratings of {X.shape[1]} attributes, 60 fits",
        ours=lambda: paths(X, y),
        seconds=seconds,
        check=lambda results: max(result.gap for result in results) <= TOL,
    )
