"""The path of sparse GAI models over the cost, judged out of fold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from penchant.gai._fit import LearnedGAI
from penchant.gai.solver._evidence import Evidence
from penchant.gai.solver._sparse_gai import SparseGAIProblem
from penchant.kernels import UnivariateKernel
from penchant.typing import FloatArray, IntArray
from penchant.utility import TensorGAI

__all__ = ["SparsePath", "sparsest_within"]


@dataclass(frozen=True, eq=False)
class SparsePath:
    """Certified sparse models for several costs, each from the last support (GAI-3).

    Parameters
    ----------
    U : ndarray of shape (n_items, n_features)
        Encoded items.
    kernels : sequence of UnivariateKernel
        One per attribute.
    active : sequence of int
        Attributes that may occur in factors; at least one.
    costs : tuple of float
        Rising.
    max_order : int
    tol : float
    """

    U: FloatArray
    kernels: Sequence[UnivariateKernel]
    active: Sequence[int]
    costs: tuple[float, ...]
    max_order: int
    tol: float

    def models(self, evidence: Evidence, up_to: int | None = None) -> list[LearnedGAI]:
        """Learn the models of the first costs (None: of all) from all the evidence."""
        maps = {i: self.kernels[i].feature_map() for i in self.active}
        features = [maps[i](self.U[:, i]) for i in self.active]
        problem = SparseGAIProblem(features, evidence, max_order=self.max_order)
        models = []
        for result in problem.solve_path(self.costs[:up_to], tol=self.tol):
            subsets = tuple(tuple(self.active[k] for k in s) for s in result.factors)
            utility = TensorGAI(dict(maps), subsets, result.tensors, result.intercept)
            models.append(LearnedGAI(utility, result.gap, result.status, result.n_iter))
        return models

    def values(self, evidence: Evidence, rows: IntArray | slice) -> FloatArray:
        """Give the utilities of some rows for each cost, shape (n_costs, n_rows)."""
        models = self.models(evidence)
        return np.stack([model.utility.utility(self.U[rows]) for model in models])


def sparsest_within(errors: FloatArray, slack: float) -> int:
    """Give the first place whose error is within a share of the smallest one."""
    return int(np.flatnonzero(errors <= (1.0 + slack) * errors.min())[0])
