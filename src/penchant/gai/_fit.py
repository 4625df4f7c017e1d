"""From encoded items and evidence to a learned GAI utility."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from penchant.gai._dense import DenseResult, fit_comparisons, fit_ratings
from penchant.gai._hierarchy import solve_hierarchical
from penchant.gai.solver._evidence import Evidence
from penchant.gai.solver._sparse_gai import SparseGAIProblem
from penchant.kernels import UnivariateKernel
from penchant.typing import FloatArray, IntArray
from penchant.utility import DualGAI, GAIUtility, TensorGAI, sum_orders

__all__ = ["DenseMachine", "LearnedGAI", "constant_utility", "learn_sparse"]


@dataclass(frozen=True, eq=False)
class LearnedGAI:
    """A utility and how well it solves its problem.

    Parameters
    ----------
    utility : GAIUtility
    gap : float
        Relative duality gap.
    status : str
        "optimal" if the gap is at most the tolerance.
    n_iter : int
    solver : {"exact", "binned", "linear"}
        Which problem was solved.
    """

    utility: GAIUtility
    gap: float
    status: str
    n_iter: int
    solver: str = "exact"


def constant_utility() -> LearnedGAI:
    """Give the utility 0, which is exact when all items are equally good."""
    return LearnedGAI(TensorGAI({}, (), (), 0.0), 0.0, "optimal", 0)


def learn_sparse(
    U: FloatArray,
    kernels: Sequence[UnivariateKernel],
    active: Sequence[int],
    evidence: Evidence,
    *,
    C: float,
    tol: float,
    max_order: int | None = None,
    hierarchical: bool = False,
) -> LearnedGAI:
    """Learn a sparse utility with the certified solver (GAI-3).

    Parameters
    ----------
    U : ndarray of shape (n_items, n_features)
        Encoded items.
    kernels : sequence of UnivariateKernel
        One per attribute.
    active : sequence of int
        Attributes that may occur in factors.
    evidence : Evidence
        About the rows of U.
    C, tol : float
    max_order : int or None
    hierarchical : bool
        Whether a factor may enter only with all its parts.
    """
    items, item_of = np.unique(U, axis=0, return_inverse=True)
    evidence = evidence.merged(item_of.ravel())
    maps = {i: kernels[i].feature_map() for i in active}
    features = [maps[i](items[:, i]) for i in active]
    if not features:  # the solver then finds the best constant
        features = [np.zeros((len(items), 1))]
    if hierarchical:
        result = solve_hierarchical(features, evidence, C, tol, max_order)
    else:
        problem = SparseGAIProblem(features, evidence, max_order=max_order)
        result = problem.solve(C, tol=tol)
    subsets = tuple(tuple(active[k] for k in subset) for subset in result.factors)
    utility = TensorGAI(dict(maps), subsets, result.tensors, result.intercept)
    return LearnedGAI(utility, result.gap, result.status, result.n_iter)


class DenseMachine:
    """One kernel over all subsets up to an order, on the distinct items (GAI-9).

    Parameters
    ----------
    U : ndarray of shape (n_items, n_features)
        Encoded items.
    kernels : sequence of UnivariateKernel
        One per attribute.
    active : sequence of int
        Attributes that take part.
    order_weights : sequence of float
        Weights of the subsets with 1, 2, ... attributes.
    """

    def __init__(
        self,
        U: FloatArray,
        kernels: Sequence[UnivariateKernel],
        active: Sequence[int],
        order_weights: Sequence[float],
    ) -> None:
        self._active = tuple(active)
        self._kernels = tuple(kernels[i] for i in active)
        self._order_weights = tuple(order_weights)
        self._items, item_of = np.unique(
            U[:, list(active)], axis=0, return_inverse=True
        )
        self._item_of: IntArray = item_of.ravel()
        columns = zip(self._kernels, self._items.T, strict=True)
        grams = [kernel.k0(column, column) for kernel, column in columns]
        size = len(self._items)
        self._gram = (
            sum_orders(grams, self._order_weights) if grams else np.zeros((size, size))
        )

    def fit_ratings(
        self,
        y: FloatArray,
        weights: FloatArray,
        *,
        C: float,
        epsilon: float,
        tol: float,
    ) -> LearnedGAI:
        """Fit a support vector regression to the ratings of the items."""
        result = fit_ratings(
            self._gram,
            self._item_of,
            y,
            C=C,
            epsilon=epsilon,
            weights=weights,
            tol=tol,
        )
        return self._learned(result)

    def fit_comparisons(
        self, evidence: Evidence, *, C: float, tol: float
    ) -> LearnedGAI:
        """Fit a ranking machine to comparisons and ties of the items."""
        merged = evidence.merged(self._item_of)
        return self._learned(fit_comparisons(self._gram, merged, C=C, tol=tol))

    def _learned(self, result: DenseResult) -> LearnedGAI:
        used = result.coef != 0
        utility = DualGAI(
            self._active,
            self._kernels,
            self._items[used],
            result.coef[used],
            self._order_weights,
            result.intercept,
        )
        return LearnedGAI(utility, result.gap, result.status, result.n_iter)
