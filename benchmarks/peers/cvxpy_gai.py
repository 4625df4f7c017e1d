"""The paper's own route: one quadratically constrained program over all subsets.

With quadratic forms, as the paper writes it, and with every kernel matrix factored by
hand. Needs cvxpy, which brings Clarabel (extra ``dev``).
"""

from collections.abc import Sequence
from itertools import combinations

import cvxpy as cp
import numpy as np

AS_WRITTEN = "cvxpy + Clarabel, QCQP"
FACTORED = "cvxpy + Clarabel, factored"


def solve(
    grams: Sequence[np.ndarray],
    y: np.ndarray,
    *,
    C: float,
    epsilon: float,
    factored: bool = True,
) -> float:
    """Maximise the dual over all non-empty subsets (GAI-2); return the objective.

    Parameters
    ----------
    grams : sequence of ndarray of shape (n_items, n_items)
        Zero-mean kernel matrix of each attribute.
    y : ndarray of shape (n_items,)
    C, epsilon : float
        Cost of a unit of loss (lambda is 1/2) and half-width of the tube.
    factored : bool, default=True
        Whether to bound norms of factored kernels instead of quadratic forms.
    """
    z = cp.Variable(len(y))
    constraints = [cp.sum(z) == 0, cp.abs(z) <= C]
    for order in range(1, len(grams) + 1):
        for subset in combinations(grams, order):
            gram = np.prod(subset, axis=0)
            constraints.append((_norm if factored else _square)(z, gram) <= 1.0)
    problem = cp.Problem(cp.Maximize(y @ z - epsilon * cp.norm1(z)), constraints)
    return float(problem.solve(solver=cp.CLARABEL))


def _norm(z: cp.Variable, gram: np.ndarray) -> cp.Expression:
    return cp.norm2(_square_root(gram).T @ z)


def _square(z: cp.Variable, gram: np.ndarray) -> cp.Expression:
    """Return z'Kz, with K lifted a little: rounding leaves it indefinite."""
    return cp.quad_form(z, cp.psd_wrap(gram + 1e-8 * np.eye(len(gram))))


def _square_root(gram: np.ndarray) -> np.ndarray:
    """Return L of low rank with L L' = K: rounding leaves K a little indefinite."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-12 * values[-1]
    return vectors[:, kept] * np.sqrt(values[kept])
