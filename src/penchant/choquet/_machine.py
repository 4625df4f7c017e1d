"""What the Choquet support vector machines share: kernel, storage, capacity (CH-4)."""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from penchant.choquet._base import check_directions
from penchant.choquet._capacity import Capacity
from penchant.choquet._kernel_capacity import KernelCapacity
from penchant.encoding import Domain, check_domain, check_items
from penchant.exceptions import ConvergenceWarning
from penchant.kernels import choquet_kernel, count_subsets
from penchant.typing import FloatArray

__all__ = ["ChoquetMachine"]

_MAX_LISTED = 4096  # coefficients up to which capacity_ lists them


class ChoquetMachine(BaseEstimator):
    """What both machines share: f = sum_s a_s K(x_s, .) + b, one row per function."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 1, None, closed="left"), None],
        "damping": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "C": [Interval(Real, 0, None, closed="neither")],
        "domain": [StrOptions({"data"}), "array-like"],
        "directions": ["array-like", None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
    }

    _learned: ClassVar[tuple[str, ...]] = (
        "support_",
        "support_vectors_",
        "dual_coef_",
        "intercept_",
        "damping_",
        "domain_",
        "is_down_",
        "dual_gap_",
        "n_iter_",
        "solver_status_",
    )

    k: int | None
    damping: float | str
    C: float
    domain: Any
    directions: Any
    tol: float
    max_iter: int
    intercept_: FloatArray

    def _encode_for_fit(self, X: Any, items: FloatArray) -> FloatArray:
        self.domain_: Domain = check_domain(self.domain, X, items)
        self.is_down_ = check_directions(self.directions, X, items.shape[1])
        self.damping_ = (
            1 / items.shape[1] if self.damping == "auto" else float(self.damping)
        )
        return self._to_unit(items)

    def _to_unit(self, items: FloatArray) -> FloatArray:
        unit = self.domain_.transform(items)
        return np.where(self.is_down_, 1 - unit, unit)

    def _gram(self, X: FloatArray, Y: FloatArray | None = None) -> FloatArray:
        return choquet_kernel(X, Y, k=self.k, damping=self.damping_)

    def _functions(self, X: Any) -> FloatArray:
        """Give the value of each function at each item, (n_items, n_functions)."""
        check_is_fitted(self)
        unit = self._to_unit(check_items(self, X, reset=False))
        gram = self._gram(unit, self.support_vectors_)
        values: FloatArray = gram @ self.dual_coef_.T + self.intercept_
        return values

    def _keep_machines(
        self, unit: FloatArray, kept: Any, coefficients: list[FloatArray]
    ) -> None:
        """Store the union of the support vectors as plain arrays."""
        table = np.array(coefficients)
        used = np.flatnonzero((table != 0).any(axis=0))
        if used.size == 0:  # a constant function
            used = np.arange(1)
        self.support_ = kept[used]
        self.support_vectors_ = unit[used]
        self.dual_coef_ = table[:, used]

    def _solve(
        self, machine: Any, gram: FloatArray, y: Any, weights: FloatArray
    ) -> Any:
        """Run LIBSVM; its warning becomes ours, with what to try."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            machine.fit(gram, y, sample_weight=weights)
        if any(issubclass(w.category, ConvergenceWarning) for w in caught):
            self.solver_status_ = "stopped"
            warnings.warn(
                f"LIBSVM stopped after max_iter={self.max_iter} steps. Raise max_iter "
                "or tol, lower C, or use damping='auto'.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return machine

    def _capacities(self) -> list[Capacity | KernelCapacity]:
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        n_features = self.support_vectors_.shape[1]
        capacities: list[Capacity | KernelCapacity] = []
        for row in self.dual_coef_:
            implicit = KernelCapacity(
                self.support_vectors_,
                row,
                self.k,
                self.damping_,
                None if names is None else tuple(names),
            )
            listed = count_subsets(n_features, self.k) <= _MAX_LISTED
            capacities.append(implicit.to_capacity() if listed else implicit)
        return capacities
