"""What the Choquet support vector machines share: kernel, storage, capacity (CH-4)."""

import time
import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from penchant._progress import Progress
from penchant._validation import check_memory, warn_user
from penchant.choquet._base import Answers, ChoquetModel
from penchant.choquet._capacity import Capacity
from penchant.choquet._kernel_capacity import KernelCapacity
from penchant.exceptions import ConvergenceWarning
from penchant.kernels import choquet_kernel, count_subsets
from penchant.typing import FloatArray

_MAX_LISTED = 4096  # coefficients up to which capacity_ lists them
# If time is limited, LIBSVM starts anew with four times the steps: the runs before the
# last then take a third of its time together.
_FIRST_STEPS, _STEP_GROWTH = 1000, 4


class _Function(NamedTuple):
    """What LIBSVM found, and the gap relative to the primal objective."""

    coefficients: FloatArray
    intercept: float
    gap: float
    n_iter: int


@dataclass(kw_only=True, eq=False, repr=False)
class ChoquetMachine(ChoquetModel):
    """What both machines share: f = sum_s a_s K(x_s, .) + b, one row per function."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ChoquetModel._parameter_constraints,
        "k": [Interval(Integral, 1, None, closed="left"), None],
        "damping": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "C": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
    }

    k: int | None = None
    damping: float | str = "auto"
    C: float = 10.0
    domain: Any = "data"
    directions: Any = "auto"
    tol: float = 1e-5
    max_iter: int = -1
    max_time: float | None = None
    verbose: int = 0
    callback: Any = None

    def _gram(self, X: FloatArray, Y: FloatArray | None = None) -> FloatArray:
        return choquet_kernel(X, Y, k=self.k, damping=self.damping_)

    def _scores(self, X: Any) -> FloatArray:
        gram = self._gram(self._encode(X), self.support_vectors_)
        return gram @ self.dual_coef_.T + self.intercept_

    def _fit_machines(
        self, machine: Any, answers: Answers, targets: list[FloatArray]
    ) -> None:
        """Fit one function per target and keep the union of their support vectors."""
        unit, weights = answers.unit, answers.weights
        self.damping_ = (
            1 / unit.shape[1] if self.damping == "auto" else float(self.damping)
        )
        check_memory(
            16.0 * len(unit) ** 2,
            f"{type(self).__name__} on {len(unit)} distinct items",
            "Use ChoquetRegressor or ChoquetClassifier, whose memory grows not with "
            "the square of the items, or give fewer of them.",
        )
        gram = self._gram(unit)
        # All items at their worst: no scale, and nothing but a constant to learn.
        scale = float(np.average(np.diag(gram), weights=weights)) or 1.0
        self.C_ = self.C / scale
        machine.set_params(kernel="precomputed", C=self.C_, tol=self.tol)
        self.solver_status_ = "optimal"
        progress = self._progress()
        found = [self._solve(machine, gram, y, weights, progress) for y in targets]
        table = np.array([function.coefficients for function in found])
        used = np.flatnonzero((table != 0).any(axis=0))
        if used.size == 0:  # a constant function
            used = np.arange(1)
        self.support_ = answers.rows[used]
        self.support_vectors_ = unit[used]
        self.dual_coef_ = table[:, used]
        self.intercept_ = np.array([function.intercept for function in found])
        self.dual_gap_ = max(function.gap for function in found)
        self.n_iter_ = max(function.n_iter for function in found)

    def _solve(
        self,
        machine: Any,
        gram: FloatArray,
        y: FloatArray,
        weights: FloatArray,
        progress: Progress,
    ) -> _Function:
        """Run LIBSVM, with more and more steps if time is limited."""
        most = self.max_iter if self.max_iter >= 0 else np.inf
        steps = min(_FIRST_STEPS, most) if self.max_time is not None else most
        while True:
            machine.set_params(max_iter=-1 if np.isinf(steps) else int(steps))
            began = time.monotonic()
            is_done = _run(machine, gram, y, weights)
            found = self._function(machine, gram, y, weights)
            has_time = progress.step(gap=found.gap)
            took = time.monotonic() - began
            if is_done or steps >= most or not has_time:
                break
            # What is left allows so many times the steps of this run.
            growth = min(_STEP_GROWTH, progress.left / max(took, 1e-9))
            if growth < 1:
                break
            steps = min(growth * steps, most)
        if not is_done:
            self.solver_status_ = "stopped"
            self._warn_of_steps(found, steps >= most, progress)
        return found

    def _warn_of_steps(
        self, found: _Function, is_last: bool, progress: Progress
    ) -> None:
        """Say that LIBSVM has not finished, and what to try."""
        if not is_last:
            progress.warn(f"a relative gap of {found.gap:.1e}")
            return
        warn_user(
            f"LIBSVM stopped after max_iter={self.max_iter} steps. Raise max_iter "
            "or tol, lower C, or use damping='auto'.",
            ConvergenceWarning,
        )

    def _function(
        self, machine: Any, gram: FloatArray, y: FloatArray, weights: FloatArray
    ) -> _Function:
        """Read off what LIBSVM found, and compute its gap."""
        a = np.zeros(y.size)
        a[machine.support_] = machine.dual_coef_[0]
        b = float(machine.intercept_[0])
        score = gram @ a
        errors, free = self._errors(y, score + b)
        primal = a @ score / 2 + self.C_ * weights @ np.maximum(0, errors)
        # For labels y of -1 and 1, a'y is the sum of LIBSVM's multipliers.
        dual = a @ y - free * np.abs(a).sum() - a @ score / 2
        gap = float((primal - dual) / max(primal, 1e-300))
        return _Function(a, b, gap, int(np.max(machine.n_iter_)))

    def _errors(self, y: FloatArray, values: FloatArray) -> tuple[FloatArray, float]:
        """Give the errors, which cost where positive, and the width that is free."""
        raise NotImplementedError

    @property
    def capacity_(self) -> Any:
        """Capacity, or one per class."""
        found = self._capacities()
        return found[0] if len(found) == 1 else found

    @property
    def monotonicity_(self) -> Any:
        """Degree of monotonicity, or one per class."""
        degrees = [capacity.monotonicity() for capacity in self._capacities()]
        return degrees[0] if len(degrees) == 1 else np.array(degrees)

    def _capacities(self) -> list[KernelCapacity] | list[Capacity]:
        check_is_fitted(self)
        form = (self.k, self.damping_, self._names())
        rows = self.dual_coef_
        implicit = [KernelCapacity(self.support_vectors_, row, *form) for row in rows]
        if count_subsets(self.support_vectors_.shape[1], self.k) > _MAX_LISTED:
            return implicit
        return [capacity.to_capacity() for capacity in implicit]


def _run(machine: Any, gram: FloatArray, y: FloatArray, weights: FloatArray) -> bool:
    """Run LIBSVM; tell whether it converged."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine.fit(gram, y, sample_weight=weights)
    return not any(issubclass(w.category, ConvergenceWarning) for w in caught)
