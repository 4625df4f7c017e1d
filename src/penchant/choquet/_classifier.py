"""Choquet integrals that sort items into grades or classes."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils import Tags
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_consistent_length

from penchant.choquet._base import (
    ChoquetEstimator,
    bend,
    keep_weighted,
    make_loss,
    merge_equal,
)
from penchant.choquet._fit import ChoquetRows
from penchant.encoding import check_items
from penchant.exceptions import DataError, NotAnswerableError
from penchant.typing import ArrayLike, FloatArray, IntArray

__all__ = ["ChoquetClassifier"]


def _has_probabilities(estimator: "ChoquetClassifier") -> bool:
    return estimator.loss == "logistic"


class ChoquetClassifier(ClassifierMixin, ChoquetEstimator):
    r"""Learn a Choquet integral from class labels.

    With the logistic loss this is choquistic regression. Classes are grades from the
    worst to the best by default, in sorted order: one utility u and rising
    thresholds, with :math:`P(y > t) = 1 / (1 + \exp(\theta_t - u))`, so that a better
    value of any criterion never leads to a worse grade. With ``ordered=False`` each
    class has a utility of its own against the rest.

    Parameters
    ----------
    k : int, "auto" or None, default=2
        Largest number of criteria that interact; None: all. "auto" compares 1 to 4
        by the loss on held-out folds.
    monotone : bool, default=True
        Whether capacities must be monotone.
    alpha : float, default=1e-4
        Strength of the penalty.
    domain : "data", (low, high) or list, default="data"
        The values that criteria can take, see `ChoquetRegressor`.
    directions : sequence of {"up", "down"}, optional
        Whether more or less of each criterion is better; None: more of all.
    marginals : {"spline"} or None, default=None
        "spline" also learns a rising curve per criterion, see `ChoquetRegressor`.
    n_knots : int, default=5
        Knots per curve.
    loss : {"logistic", "hinge"}, default="logistic"
        Loss of each label, or of each threshold between grades.
    ordered : bool, default=True
        Whether three or more classes are grades. With False and `monotone`, every
        class's own utility rises in every criterion; that is rarely meant, so
        consider ``monotone=False``.
    representation : {"auto", "exact", "inner"}, default="auto"
        Cone of capacities for k >= 3, see `ChoquetRegressor`.
    n_folds : int, default=5
        Folds for ``k="auto"``.
    tol : float, default=1e-7
        Largest gap between primal and dual objective, relative to the first.
    max_iter : int, default=100
        Largest number of steps of one run of the interior-point solver.
    random_state : int, RandomState or None, default=None
        Shuffles the folds of ``k="auto"``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    capacity_ : Capacity, or list of Capacity with ``ordered=False``
        Not normalised; one per class where classes are not grades.
    intercept_ : ndarray of shape (1,), (n_classes - 1,) or (n_classes,)
        What is added to the integral: for two classes; for each threshold between
        grades (the thresholds are its negatives); for each class.
    k_, order_losses_, marginals_, representation_, dual_gap_, n_iter_, solver_status_
        As in `ChoquetRegressor`; of several fits the largest order, gap and steps,
        the mean losses, and a list of curves.
    domain_, is_down_ : Domain, ndarray of bool
        How criteria are mapped to [0, 1].

    References
    ----------
    A. Fallah Tehrani, W. Cheng, K. Dembczynski, E. Hüllermeier, "Learning monotone
    nonlinear models using the Choquet integral", Machine Learning 89, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import ChoquetClassifier
    >>> X = np.random.default_rng(0).random((200, 3))
    >>> grade = np.digitize(np.minimum(X[:, 0], X[:, 1]), [0.3, 0.6])
    >>> model = ChoquetClassifier(domain=(0, 1)).fit(X, grade)
    >>> model.predict([[0.9, 0.1, 0.9], [0.9, 0.9, 0.1]]).tolist()
    [0, 2]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ChoquetEstimator._parameter_constraints,
        "loss": [StrOptions({"logistic", "hinge"})],
        "ordered": ["boolean"],
    }

    _learned: ClassVar[tuple[str, ...]] = (
        *ChoquetEstimator._learned,
        "classes_",
        "intercept_",
    )

    capacity_: Any
    marginals_: Any

    def __init__(
        self,
        *,
        k: int | str | None = 2,
        monotone: bool = True,
        alpha: float = 1e-4,
        domain: Any = "data",
        directions: Any = None,
        marginals: str | None = None,
        n_knots: int = 5,
        loss: str = "logistic",
        ordered: bool = True,
        representation: str = "auto",
        n_folds: int = 5,
        tol: float = 1e-7,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.monotone = monotone
        self.alpha = alpha
        self.domain = domain
        self.directions = directions
        self.marginals = marginals
        self.n_knots = n_knots
        self.loss = loss
        self.ordered = ordered
        self.representation = representation
        self.n_folds = n_folds
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # scikit-learn's check draws classes that no rising function separates.
        tags.classifier_tags.poor_score = True
        return tags

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the capacity.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)
            Items.
        y : array-like of shape (n_items,)
            Labels; grades in sorted order.
        sample_weight : array-like of shape (n_items,), optional
            How much each label counts.

        Returns
        -------
        self
        """
        items, labels = check_labelled(self, X, y)
        kept, weights = keep_weighted(sample_weight, labels.size)
        self.classes_, codes = np.unique(labels[kept], return_inverse=True)
        n_classes = self.classes_.size
        if n_classes < 2:
            raise DataError(
                f"{type(self).__name__} needs at least 2 classes. Got 1 class: "
                f"{self.classes_[0]!r}."
            )
        unit = self._encode_for_fit(X, items[kept])
        first, weights = merge_equal(unit, codes, weights / weights.sum())
        unit, codes = unit[first], codes[first]
        if self._is_graded():
            rows = self._rows(unit, codes, np.arange(n_classes - 1), weights)
            fit, self.marginals_ = self._learn(rows)
            self.capacity_, self.intercept_ = self._capacity(fit), fit.intercepts
            return self
        return self._fit_each_class(unit, codes, weights)

    def utility(self, X: Any) -> FloatArray:
        """Give the utility of each item: larger leads to a better grade.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
            The Choquet integral.
        """
        unit = self._encode(X)
        if not self._is_graded():
            raise NotAnswerableError(
                "Classes that are not ordered have no common utility. Use "
                "decision_function, or fit with ordered=True."
            )
        integral: FloatArray = self.capacity_.choquet(bend(unit, self.marginals_))
        return integral

    def decision_function(self, X: Any) -> FloatArray:
        """Give the evidence for the second class, or for each of several.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,) or (n_items, n_classes)
            Its largest entry is the predicted class.
        """
        above = self._scores(X)
        if self.classes_.size == 2:
            return above[:, 0]
        if not self._is_graded():
            return above
        if self.loss == "logistic":
            return np.log(np.maximum(_grade_probabilities(above), 1e-300))
        # Passing threshold t adds u - theta_t: the sum is largest at the last
        # threshold that u exceeds.
        steps = np.cumsum(above, axis=1)
        return np.concatenate([np.zeros((above.shape[0], 1)), steps], axis=1)

    def predict(self, X: Any) -> Any:
        """Give the most probable class of each item.

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

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Give the probability of each class, with the logistic loss only.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items, n_classes)
        """
        above = self._scores(X)
        if self._is_graded():
            return _grade_probabilities(above)
        each = expit(above)
        shares: FloatArray = each / each.sum(axis=1, keepdims=True)
        return shares

    def _is_graded(self) -> bool:
        return self.ordered or self.classes_.size == 2

    def _scores(self, X: Any) -> FloatArray:
        """Give u - theta_t for each threshold, or u_c for each class."""
        unit = self._encode(X)
        if self._is_graded():
            u: FloatArray = self.capacity_.choquet(bend(unit, self.marginals_))
            return u[:, np.newaxis] + self.intercept_
        columns = [
            capacity.choquet(bend(unit, heights))
            for capacity, heights in zip(self.capacity_, self.marginals_, strict=True)
        ]
        return np.column_stack(columns) + self.intercept_

    def _rows(
        self,
        unit: FloatArray,
        codes: IntArray,
        thresholds: IntArray,
        weights: FloatArray,
    ) -> ChoquetRows:
        """Ask of every item and threshold whether its grade lies above."""
        above = codes[:, np.newaxis] > thresholds
        n_items, n_thresholds = above.shape
        first = np.repeat(np.arange(n_items), n_thresholds)
        spread = np.repeat(weights, n_thresholds)
        loss = make_loss(self.loss, np.where(above, 1.0, -1.0).ravel(), spread)
        groups = np.tile(np.arange(n_thresholds), n_items)
        return ChoquetRows(unit, loss, first, first, groups=groups, strata=codes[first])

    def _fit_each_class(
        self, unit: FloatArray, codes: IntArray, weights: FloatArray
    ) -> Self:
        fits, capacities, curves, orders, losses = [], [], [], [], []
        for label in range(self.classes_.size):
            is_label = (codes == label).astype(np.int64)
            rows = self._rows(unit, is_label, np.zeros(1, dtype=np.int64), weights)
            fit, heights = self._learn(rows)
            fits.append(fit)
            capacities.append(self._capacity(fit))
            curves.append(heights)
            orders.append(self.k_)
            losses.append(self.order_losses_)
        self.capacity_, self.marginals_ = capacities, curves
        self.intercept_ = np.array([fit.intercepts[0] for fit in fits])
        self.k_ = max(orders)
        self.order_losses_ = {
            k: float(np.mean([d[k] for d in losses])) for k in losses[0]
        }
        self.dual_gap_ = max(fit.gap for fit in fits)
        self.n_iter_ = max(fit.n_iter for fit in fits)
        if any(fit.status != "optimal" for fit in fits):
            self.solver_status_ = "stopped"
        return self


def check_labelled(estimator: Any, X: Any, y: Any) -> tuple[FloatArray, Any]:
    """Return items and labels as arrays of equal length."""
    if y is None:
        raise DataError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is "
            "None."
        )
    items = check_items(estimator, X, reset=True)
    labels = _check_y(y, estimator=estimator)
    check_classification_targets(labels)
    check_consistent_length(items, labels)
    return items, labels


def _grade_probabilities(above: FloatArray) -> FloatArray:
    """Turn u - theta_t into the probability of each grade, as differences of tails."""
    # Thresholds rise at the optimum; the running minimum guards against rounding.
    tails = expit(np.minimum.accumulate(above, axis=1))
    ends = np.ones((above.shape[0], 1))
    return -np.diff(np.concatenate([ends, tails, 0 * ends], axis=1), axis=1)
