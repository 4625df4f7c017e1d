"""Monotone Choquet models as quadratic programs for a general solver.

Needs cvxpy, which brings Clarabel (extra ``dev``). Either all n 2^(n-1) conditions of
monotonicity are listed, or, for k = 2, the non-negative form is used (CH-6).
"""

from itertools import combinations

import cvxpy as cp
import numpy as np
from scipy.sparse import csr_array

ALL = "cvxpy + Clarabel, all conditions"
PAIRS = "cvxpy + Clarabel, non-negative form"


def subsets_up_to(n: int, k: int) -> list[tuple[int, ...]]:
    """List the non-empty subsets of at most k attributes, small ones first."""
    return [T for size in range(1, k + 1) for T in combinations(range(n), size)]


def minima(X: np.ndarray, k: int) -> np.ndarray:
    """Return the minimum of each row over each subset."""
    subsets = subsets_up_to(X.shape[1], k)
    return np.column_stack([X[:, list(T)].min(axis=1) for T in subsets])


def conditions(n: int, k: int) -> csr_array:
    """Return the rows mu(A + i) - mu(A) >= 0 of all A and i, in Möbius coefficients."""
    subsets = subsets_up_to(n, k)
    masks = np.array([sum(1 << i for i in T) for T in subsets])
    blocks = []
    for i in range(n):
        others = np.array([A for A in range(1 << n) if not A >> i & 1])
        with_i = masks & ~(1 << i)
        is_inside = (with_i & ~others[:, np.newaxis]) == 0
        blocks.append(is_inside & (masks >> i & 1 == 1))
    return csr_array(np.concatenate(blocks).astype(float))


def classify(
    features: np.ndarray, signs: np.ndarray, *, alpha: float, rows: csr_array
) -> float:
    """Minimise mean hinge loss and penalty under all conditions; return the minimum."""
    mobius, constant = cp.Variable(features.shape[1]), cp.Variable()
    scores = features @ mobius + constant
    objective = _hinge(scores, signs) + alpha / 2 * cp.sum_squares(mobius)
    return _solve(objective, [rows @ mobius >= 0])


def classify_by_pairs(X: np.ndarray, signs: np.ndarray, *, alpha: float) -> float:
    """Minimise the same for k = 2 by non-negative weights on minima and maxima."""
    pairs = list(combinations(range(X.shape[1]), 2))
    first, second = np.array(pairs).T
    low = np.minimum(X[:, first], X[:, second])
    high = np.maximum(X[:, first], X[:, second])
    single = cp.Variable(X.shape[1], nonneg=True)
    on_low = cp.Variable(len(pairs), nonneg=True)
    on_high = cp.Variable(len(pairs), nonneg=True)
    constant = cp.Variable()
    scores = X @ single + low @ on_low + high @ on_high + constant
    # max(a, b) = a + b - min(a, b)
    member = np.zeros((X.shape[1], len(pairs)))
    member[first, np.arange(len(pairs))] = member[second, np.arange(len(pairs))] = 1.0
    penalty = cp.sum_squares(single + member @ on_high)
    penalty += cp.sum_squares(on_low - on_high)
    return _solve(_hinge(scores, signs) + alpha / 2 * penalty, [])


def identify(
    features: np.ndarray, y: np.ndarray, *, alpha: float, rows: csr_array
) -> float:
    """Fit a normalised capacity by least squares; return the minimum."""
    mobius = cp.Variable(features.shape[1])
    loss = cp.sum_squares(features @ mobius - y) / (2 * len(y))
    objective = loss + alpha / 2 * cp.sum_squares(mobius)
    return _solve(objective, [rows @ mobius >= 0, cp.sum(mobius) == 1])


def _hinge(scores: cp.Expression, signs: np.ndarray) -> cp.Expression:
    return cp.sum(cp.pos(1 - cp.multiply(signs, scores))) / len(signs)


def _solve(objective: cp.Expression, constraints: list[cp.Constraint]) -> float:
    return float(cp.Problem(cp.Minimize(objective), constraints).solve(cp.CLARABEL))
