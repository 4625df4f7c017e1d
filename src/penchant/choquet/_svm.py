"""Support vector machines with the Choquet kernel, read as capacities (CH-4)."""

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, _fit_context
from sklearn.svm import SVC, SVR
from sklearn.utils._param_validation import Interval

from penchant.choquet._base import keep_weighted, merge_equal
from penchant.choquet._capacity import Capacity
from penchant.choquet._classifier import check_labelled
from penchant.choquet._estimators import check_rated
from penchant.choquet._kernel_capacity import KernelCapacity
from penchant.choquet._machine import ChoquetMachine
from penchant.exceptions import DataError, NotAnswerableError
from penchant.typing import ArrayLike, FloatArray

__all__ = ["ChoquetSVC", "ChoquetSVR"]


class ChoquetSVC(ClassifierMixin, ChoquetMachine):
    """Classify with a support vector machine on the Choquet kernel.

    The machine of the paper. Its decision function is a Choquet integral plus a
    constant, but nothing forces the capacity to be monotone: `monotonicity_` says
    how nearly it is. See `ChoquetClassifier` for one that is monotone for certain.
    Several classes are fitted one against the rest.

    Parameters
    ----------
    k : int, optional
        Largest number of criteria that interact; None: all.
    damping : float or "auto", default=1.0
        Weight ``damping ** s`` of interactions of s criteria; "auto" is 1 over the
        number of criteria. With 1.0 the kernel grows like 2^n, and C must follow.
    C : float, default=1.0
        Cost of errors.
    domain : "data", (low, high) or list, default="data"
        The values that criteria can take, see `ChoquetRegressor`.
    directions : sequence of {"up", "down"}, optional
        Whether more or less of each criterion is better; None: more of all.
    tol : float, default=1e-5
        Tolerance of LIBSVM's stopping rule.
    max_iter : int, default=-1
        Largest number of LIBSVM's steps; -1: no limit.

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
    damping_, domain_, is_down_, n_iter_, solver_status_
        Damping that was used, map to [0, 1], LIBSVM's steps, "optimal" or "stopped".

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = (
        ChoquetMachine._parameter_constraints
    )
    _learned: ClassVar[tuple[str, ...]] = (*ChoquetMachine._learned, "classes_")

    def __init__(
        self,
        *,
        k: int | None = None,
        damping: float | str = 1.0,
        C: float = 1.0,
        domain: Any = "data",
        directions: Any = None,
        tol: float = 1e-5,
        max_iter: int = -1,
    ) -> None:
        self.k = k
        self.damping = damping
        self.C = C
        self.domain = domain
        self.directions = directions
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the machine.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)
            Items.
        y : array-like of shape (n_items,)
            Labels.
        sample_weight : array-like of shape (n_items,), optional
            Factors of C.

        Returns
        -------
        self
        """
        items, labels = check_labelled(self, X, y)
        kept, weights = keep_weighted(sample_weight, labels.size)
        self.classes_, codes = np.unique(labels[kept], return_inverse=True)
        if self.classes_.size < 2:
            raise DataError(
                f"{type(self).__name__} needs at least 2 classes. Got 1 class: "
                f"{self.classes_[0]!r}."
            )
        unit = self._encode_for_fit(X, items[kept])
        first, weights = merge_equal(unit, codes, weights)
        unit, kept, codes = unit[first], kept[first], codes[first]
        positive = [1] if self.classes_.size == 2 else range(self.classes_.size)
        signs = [np.where(codes == label, 1.0, -1.0) for label in positive]
        self._fit_functions(unit, kept, signs, weights)
        return self

    def _fit_functions(
        self, unit: FloatArray, kept: Any, signs: list[FloatArray], weights: FloatArray
    ) -> None:
        gram = self._gram(unit)
        self.solver_status_ = "optimal"
        coefficients, intercepts, gaps, steps = [], [], [], []
        for sign in signs:
            machine = SVC(
                kernel="precomputed", C=self.C, tol=self.tol, max_iter=self.max_iter
            )
            self._solve(machine, gram, sign, weights)
            a = np.zeros(sign.size)
            a[machine.support_] = machine.dual_coef_[0]
            b = float(machine.intercept_[0])
            score = gram @ a
            cost = self.C * weights @ np.maximum(0, 1 - sign * (score + b))
            primal = a @ score / 2 + cost
            gaps.append(
                (primal + a @ score / 2 - np.abs(a).sum()) / max(primal, 1e-300)
            )
            coefficients.append(a)
            intercepts.append(b)
            steps.append(int(np.max(machine.n_iter_)))
        self._keep_machines(unit, kept, coefficients)
        self.intercept_ = np.array(intercepts)
        self.dual_gap_, self.n_iter_ = float(max(gaps)), max(steps)

    def decision_function(self, X: Any) -> FloatArray:
        """Give the evidence for the second class, or for each of several.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,) or (n_items, n_classes)
        """
        values = self._functions(X)
        return values[:, 0] if self.classes_.size == 2 else values

    def predict(self, X: Any) -> Any:
        """Give the class of each item.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        decision = self.decision_function(X)
        if decision.ndim == 1:
            return self.classes_[(decision > 0).astype(np.int64)]
        return self.classes_[decision.argmax(axis=1)]

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

    @property
    def capacity_(self) -> Any:
        """Capacity, or one per class."""
        capacities = self._capacities()
        return capacities[0] if self.classes_.size == 2 else capacities

    @property
    def monotonicity_(self) -> Any:
        """Degree of monotonicity, or one per class."""
        degrees = [capacity.monotonicity() for capacity in self._capacities()]
        return degrees[0] if self.classes_.size == 2 else np.array(degrees)


class ChoquetSVR(RegressorMixin, ChoquetMachine):
    """Learn ratings with a support vector machine on the Choquet kernel.

    See `ChoquetSVC`; `ChoquetRegressor` is monotone for certain.

    Parameters
    ----------
    k : int, optional
        Largest number of criteria that interact; None: all.
    damping : float or "auto", default=1.0
        Weight ``damping ** s`` of interactions of s criteria; "auto" is 1 over the
        number of criteria.
    C : float, default=1.0
        Cost of errors, for ratings scaled to the range 1.
    epsilon : float, default=0.01
        Errors that cost nothing, as a share of the range of the ratings.
    domain : "data", (low, high) or list, default="data"
        The values that criteria can take, see `ChoquetRegressor`.
    directions : sequence of {"up", "down"}, optional
        Whether more or less of each criterion is better; None: more of all.
    tol : float, default=1e-5
        Tolerance of LIBSVM's stopping rule.
    max_iter : int, default=-1
        Largest number of LIBSVM's steps; -1: no limit.

    Attributes
    ----------
    support_, support_vectors_, dual_coef_, intercept_, damping_, domain_, is_down_
        As in `ChoquetSVC`, in the units of the ratings.
    dual_gap_, n_iter_, solver_status_
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

    def __init__(
        self,
        *,
        k: int | None = None,
        damping: float | str = 1.0,
        C: float = 1.0,
        epsilon: float = 0.01,
        domain: Any = "data",
        directions: Any = None,
        tol: float = 1e-5,
        max_iter: int = -1,
    ) -> None:
        self.k = k
        self.damping = damping
        self.C = C
        self.epsilon = epsilon
        self.domain = domain
        self.directions = directions
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the machine.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)
            Items.
        y : array-like of shape (n_items,)
            Ratings.
        sample_weight : array-like of shape (n_items,), optional
            Factors of C.

        Returns
        -------
        self
        """
        items, ratings = check_rated(self, X, y)
        kept, weights = keep_weighted(sample_weight, ratings.size)
        unit = self._encode_for_fit(X, items[kept])
        ratings = ratings[kept]
        first, weights = merge_equal(unit, ratings, weights)
        unit, kept, ratings = unit[first], kept[first], ratings[first]
        low, scale = float(ratings.min()), float(np.ptp(ratings)) or 1.0
        self._fit_function(unit, kept, (ratings - low) / scale, weights)
        self.dual_coef_ = scale * self.dual_coef_
        self.intercept_ = low + scale * self.intercept_
        return self

    def _fit_function(
        self, unit: FloatArray, kept: Any, y: FloatArray, weights: FloatArray
    ) -> None:
        gram = self._gram(unit)
        self.solver_status_ = "optimal"
        machine = SVR(
            kernel="precomputed",
            C=self.C,
            epsilon=self.epsilon,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self._solve(machine, gram, y, weights)
        a = np.zeros(y.size)
        a[machine.support_] = machine.dual_coef_[0]
        self.intercept_ = np.array([float(machine.intercept_[0])])
        score = gram @ a
        error = np.abs(y - score - self.intercept_[0]) - self.epsilon
        primal = a @ score / 2 + self.C * weights @ np.maximum(0, error)
        dual = a @ y - self.epsilon * np.abs(a).sum() - a @ score / 2
        self.dual_gap_ = float((primal - dual) / max(primal, 1e-300))
        self.n_iter_ = int(np.max(machine.n_iter_))
        self._keep_machines(unit, kept, [a])

    def utility(self, X: Any) -> FloatArray:
        """Give the predicted rating of each item.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        return self._functions(X)[:, 0]

    def predict(self, X: Any) -> FloatArray:
        """Give the predicted rating of each item, the same as `utility`."""
        return self.utility(X)

    @property
    def capacity_(self) -> Capacity | KernelCapacity:
        """Capacity, in the units of the ratings."""
        return self._capacities()[0]

    @property
    def monotonicity_(self) -> float:
        """Degree of monotonicity."""
        return float(self.capacity_.monotonicity())
