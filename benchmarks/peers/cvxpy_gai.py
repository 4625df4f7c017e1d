"""The paper's own route: one quadratically constrained program over all subsets.

Needs cvxpy, which brings Clarabel (extra ``dev``).
"""

from collections.abc import Sequence
from itertools import combinations

import cvxpy as cp
import numpy as np

NAME = "cvxpy + Clarabel"


def solve(
    grams: Sequence[np.ndarray], y: np.ndarray, *, C: float, epsilon: float
) -> float:
    """Maximise the dual over all non-empty subsets (GAI-2); return the objective.

    Parameters
    ----------
    grams : sequence of ndarray of shape (n_items, n_items)
        Zero-mean kernel matrix of each attribute.
    y : ndarray of shape (n_items,)
    C, epsilon : float
        Cost of a unit of loss (lambda is 1/2) and half-width of the tube.
    """
    z = cp.Variable(len(y))
    constraints = [cp.sum(z) == 0, cp.abs(z) <= C]
    for order in range(1, len(grams) + 1):
        for subset in combinations(grams, order):
            root = _square_root(np.prod(subset, axis=0))
            constraints.append(cp.norm2(root.T @ z) <= 1.0)
    problem = cp.Problem(cp.Maximize(y @ z - epsilon * cp.norm1(z)), constraints)
    return float(problem.solve(solver=cp.CLARABEL))


def _square_root(gram: np.ndarray) -> np.ndarray:
    """Return L of low rank with L L' = K: rounding leaves K a little indefinite."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-12 * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept])
