"""Small margin programs and games solved exactly, by the simplex method of HiGHS."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from penchant.typing import FloatArray


class Vertex(NamedTuple):
    """An exact solution: weights of the columns and of the rows."""

    weights: FloatArray
    p: FloatArray
    n_iter: int


def simplex(columns: Any, upper: FloatArray, max_iter: int) -> Vertex | None:
    """Solve ``min v subject to C'p <= v, sum(p) = 1, 0 <= p <= upper`` at a vertex.

    The basis has the size of the columns, not of the rows (PRL-5).

    Parameters
    ----------
    columns : ndarray or sparse array of shape (n_columns, n_rows)
        C', one column after the other.
    upper : ndarray of shape (n_rows,)
    max_iter : int
        Largest number of pivots.

    Returns
    -------
    Vertex or None
        None if the pivots did not suffice.
    """
    k, n = columns.shape
    stack = sparse.hstack if sparse.issparse(columns) else np.hstack
    result = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=stack([columns, np.full((k, 1), -1.0)]),
        b_ub=np.zeros(k),
        A_eq=np.append(np.ones(n), 0.0)[None],
        b_eq=[1.0],
        bounds=np.vstack([np.c_[np.zeros(n), upper], [[-np.inf, np.inf]]]),
        method="highs-ds",
        options={"maxiter": max_iter},
    )
    if result.status != 0:
        return None
    # Rounding leaves entries of size 1e-17 on either side of 0.
    weights = np.maximum(-result.ineqlin.marginals, 0.0)
    p = np.clip(result.x[:-1], 0.0, upper)
    return Vertex(weights / weights.sum(), p / p.sum(), int(result.nit))
