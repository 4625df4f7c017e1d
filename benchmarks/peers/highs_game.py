"""A matrix game as one linear program for HiGHS, through SciPy."""

import numpy as np
from scipy.optimize import linprog

NAME = "HiGHS (SciPy)"


def solve(M: np.ndarray) -> float:
    """Return the value of the game: max v subject to M q >= v, sum(q) = 1, q >= 0."""
    n_rows, n_columns = M.shape
    result = linprog(
        np.append(np.zeros(n_columns), -1.0),
        A_ub=np.hstack([-M, np.ones((n_rows, 1))]),
        b_ub=np.zeros(n_rows),
        A_eq=np.append(np.ones(n_columns), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n_columns + [(None, None)],
        method="highs",
    )
    return -float(result.fun)
