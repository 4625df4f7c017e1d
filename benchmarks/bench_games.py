"""A matrix game of 5000 x 2000: saddle gap 1e-4 in 2 CPU s, also if it is pure noise.

A game of rules (do two conditions hold, against 5000 labelled rows) and one of uniform
noise, whose solutions use some 1300 rows and columns. Smaller games beside HiGHS.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from benchmarks._measure import Budget, Case
from benchmarks.peers import highs_game
from penchant.solvers import GameSolution, solve_matrix_game

PACKAGES = ("scipy", "numba")
SEEDS = range(2)
N_ROWS, N_COLUMNS, TOL, SECONDS = 5000, 2000, 1e-4, 2.0


@contextmanager
def cases() -> Iterator[list[Case | Budget]]:
    """Yield the large games, then the comparisons."""
    yield [
        _budget("rules", rules(N_ROWS, N_COLUMNS)),
        _budget("noise", noise(N_ROWS, N_COLUMNS)),
        _against_highs("rules", rules(1000, 500), at_most=1.0),
        _against_highs("noise", noise(1000, 500), at_most=0.2),
    ]


def noise(n_rows: int, n_columns: int) -> np.ndarray:
    """Return payoffs drawn evenly between -1 and 1."""
    return np.random.default_rng(0).uniform(-1.0, 1.0, (n_rows, n_columns))


def rules(n_rows: int, n_columns: int) -> np.ndarray:
    """Return votes of random rules of two conditions for or against the row's label."""
    rng = np.random.default_rng(1)
    X = rng.random((n_rows, 40)) < 0.5
    first, second = rng.integers(0, 40, (2, n_columns))
    signs = np.where(X[:, 0] & X[:, 1] | X[:, 2] & X[:, 3], 1.0, -1.0)
    votes = rng.choice([-1.0, 1.0], n_columns)
    return signs[:, None] * (X[:, first] & X[:, second]) * votes


def solve(M: np.ndarray) -> GameSolution:
    """Solve with the recommended method."""
    return solve_matrix_game(M, tol=TOL)


def _budget(name: str, M: np.ndarray) -> Budget:
    return Budget(
        name=f"{name}, {M.shape[0]} x {M.shape[1]}, saddle gap {TOL:g}",
        ours=lambda: solve(M),
        seconds=SECONDS,
        check=lambda found: (found.p @ M).max() - (M @ found.q).min() <= TOL,
    )


def _against_highs(name: str, M: np.ndarray, at_most: float) -> Case:
    return Case(
        name=f"{name}, {M.shape[0]} x {M.shape[1]}",
        ours=lambda: solve(M),
        theirs=lambda: highs_game.solve(M),
        peer=highs_game.NAME,
        at_most=at_most,
        agree=lambda found, value: abs(found.value - value) <= TOL,
    )
