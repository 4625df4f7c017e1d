"""Support vector machines with the Choquet kernel, read as capacities (CH-4)."""

import time
import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.svm import SVC, SVR
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from penchant._progress import Progress
from penchant._validation import check_memory, warn_user
from penchant.choquet._base import Answers, ChoquetModel, LabelMixin, RatingMixin
from penchant.choquet._capacity import Capacity
from penchant.choquet._kernel_capacity import KernelCapacity
from penchant.exceptions import ConvergenceWarning, NotAnswerableError
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
        # Once for all classes, and for every run while there is time.
        gram = self._gram(unit)
        # All items at their worst: no scale, and nothing but a constant to learn.
        scale = float(np.average(np.diag(gram), weights=weights)) or 1.0
        self.C_ = self.C / scale
        machine.set_params(kernel="precomputed", C=self.C_, tol=self.tol)
        self.solver_status_ = "optimal"
        progress = self._progress()
        found = [self._solve(machine, gram, y, weights, progress) for y in targets]
        # What any function uses is kept: one Gram matrix then serves all in prediction.
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
        # LIBSVM tells no gap: both objectives from its coefficients, whatever it
        # stopped at.
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
        # Listed coefficients are easier to read, and cheaper while they are few.
        if count_subsets(self.support_vectors_.shape[1], self.k) > _MAX_LISTED:
            return implicit
        return [capacity.to_capacity() for capacity in implicit]


def _run(machine: Any, gram: FloatArray, y: FloatArray, weights: FloatArray) -> bool:
    """Run LIBSVM; tell whether it converged."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine.fit(gram, y, sample_weight=weights)
    return not any(issubclass(w.category, ConvergenceWarning) for w in caught)


class ChoquetSVC(LabelMixin, ChoquetMachine):
    """Classify with a support vector machine on the Choquet kernel.

    The machine of the paper. Its decision function is a Choquet integral plus a
    constant, but nothing forces the capacity to be monotone: `monotonicity_` says
    how nearly it is. See `ChoquetClassifier` for one that is monotone for certain.
    Several classes are fitted one against the rest.

    Parameters
    ----------
    k : int, optional
        Largest number of criteria that interact; None: all.
    damping : float or "auto", default="auto"
        Weight ``damping ** s`` of interactions of s criteria; "auto" is 1 over the
        number of criteria. 1.0 is the paper's kernel: it grows like 2^n, and with
        more than ten criteria hardly generalises.
    C : float, default=10.0
        Cost of errors, over the mean of K(x, x) of the training items; so it means
        the same for every kernel. `C_` is what LIBSVM gets. For a cost c as in the
        paper, give c times that mean, which is ``C / C_`` of any fit to the items.
    domain : "data", (low, high) or list, default="data"
        The values that criteria can take, see `ChoquetRegressor`.
    directions : "auto", "up", mapping or sequence, default="auto"
        Which way each criterion is better, see `ChoquetRegressor`. It decides which
        end of a criterion minima look at. Of three or more classes the sorted order
        counts: nothing is constrained, so that it costs little if it has no meaning.
    tol : float, default=1e-5
        Tolerance of LIBSVM's stopping rule.
    max_iter : int, default=-1
        Largest number of LIBSVM's steps; -1: no limit.
    max_time : float or None, default=None
        Seconds after which the fit ends with the best so far, its gap and a warning.
        LIBSVM cannot be interrupted: it is run with more and more steps while there
        is time, which takes up to a third longer in all.
    verbose : int, default=0
        Whether to tell of each run on standard error.
    callback : callable or None, default=None
        Called after each run with a dict of "step", "seconds" and "gap".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    support_ : ndarray of shape (n_support,)
        Rows of the training data that any function uses.
    support_vectors_ : ndarray of shape (n_support, n_features)
        These rows, in [0, 1].
    dual_coef_ : ndarray of shape (n_functions, n_support)
        Their coefficients; one function for two classes, else one per class.
    intercept_ : ndarray of shape (n_functions,)
        Constants.
    capacity_ : Capacity or KernelCapacity, or list of these for several classes
        Not normalised. Up to 4096 Möbius coefficients they are listed; with more, the
        capacity is read off the dual coefficients.
    monotonicity_ : float, or ndarray of shape (n_classes,)
        Share of pairs of sets on which the capacity rises.
    dual_gap_ : float
        Largest gap between primal and dual objective, relative to the first.
    damping_, C_ : float
        Damping and cost that were used.
    domain_, is_down_, directions_
        As in `ChoquetRegressor`.
    n_iter_, solver_status_ : int, str
        LIBSVM's steps, and "optimal" or "stopped".

    References
    ----------
    A. Fallah Tehrani, M. Strickert, E. Hüllermeier, "The Choquet kernel for
    monotone data", ESANN 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import ChoquetSVC
    >>> X = np.random.default_rng(0).random((100, 3))
    >>> y = np.minimum(X[:, 0], X[:, 1]) > 0.4
    >>> model = ChoquetSVC(C=100).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> int(model.capacity_.shapley().argmin())
    2
    """

    def _fit_codes(self, X: Any, answers: Answers) -> None:
        n_classes = self.classes_.size
        turned = self._turn_answers(X, answers, warns=n_classes == 2)
        positive = [1] if n_classes == 2 else range(n_classes)
        signs = [np.where(answers.y == code, 1.0, -1.0) for code in positive]
        self._fit_machines(SVC(), turned, signs)

    def _errors(self, y: FloatArray, values: FloatArray) -> tuple[FloatArray, float]:
        return 1 - y * values, 0.0

    def utility(self, X: Any) -> FloatArray:
        """Give the decision function of two classes: the second one is the better.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        values = self.decision_function(X)
        if values.ndim == 2:
            raise NotAnswerableError(
                "Three or more classes have no common utility. Use decision_function."
            )
        return values


@dataclass(kw_only=True, eq=False, repr=False)
class ChoquetSVR(RatingMixin, ChoquetMachine):
    """Learn ratings with a support vector machine on the Choquet kernel.

    See `ChoquetSVC`; `ChoquetRegressor` is monotone for certain.

    Parameters
    ----------
    k, damping, C, domain, directions, tol, max_iter, max_time, verbose, callback
        As in `ChoquetSVC`; ratings are scaled to the range 1.
    epsilon : float, default=0.01
        Errors that cost nothing, as a share of the range of the ratings.

    Attributes
    ----------
    support_, support_vectors_, dual_coef_, intercept_
        As in `ChoquetSVC`, in the units of the ratings.
    damping_, C_, domain_, is_down_, directions_, dual_gap_, n_iter_, solver_status_
        As in `ChoquetSVC`.
    capacity_ : Capacity or KernelCapacity
        Not normalised, in the units of the ratings.
    monotonicity_ : float
        Share of pairs of sets on which the capacity rises.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import ChoquetSVR
    >>> X = np.random.default_rng(0).random((100, 3))
    >>> model = ChoquetSVR(C=100, domain=(0, 1)).fit(X, np.minimum(X[:, 0], X[:, 1]))
    >>> model.capacity_.shapley().round(1).tolist()
    [0.5, 0.5, 0.0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ChoquetMachine._parameter_constraints,
        "epsilon": [Interval(Real, 0, None, closed="left")],
    }

    epsilon: float = 0.01

    def _fit_ratings(self, answers: Answers) -> None:
        low, scale = float(answers.y.min()), float(np.ptp(answers.y)) or 1.0
        machine = SVR(epsilon=self.epsilon)
        self._fit_machines(machine, answers, [(answers.y - low) / scale])
        self.dual_coef_ = scale * self.dual_coef_
        self.intercept_ = low + scale * self.intercept_

    def _errors(self, y: FloatArray, values: FloatArray) -> tuple[FloatArray, float]:
        return np.abs(y - values) - self.epsilon, self.epsilon
