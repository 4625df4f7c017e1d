"""Choquet integrals that sort items into grades or classes."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if

from penchant.choquet._base import Answers, LabelMixin
from penchant.choquet._explicit import ChoquetEstimator, integrate
from penchant.choquet._fit import ChoquetRows
from penchant.exceptions import NotAnswerableError
from penchant.typing import FloatArray, IntArray


@dataclass(kw_only=True, eq=False, repr=False)
class ChoquetClassifier(LabelMixin, ChoquetEstimator):
    r"""Learn a Choquet integral from class labels.

    With the logistic loss this is choquistic regression. Classes are grades from the
    worst to the best by default, in sorted order: one utility u and rising
    thresholds, with :math:`P(y > t) = 1 / (1 + \exp(\theta_t - u))`, so that a better
    value of any criterion never leads to a worse grade. With ``ordered=False`` each
    class has a utility of its own against the rest.

    Parameters
    ----------
    k, monotone, alpha, domain, directions, marginals, n_knots
        As in `ChoquetRegressor`. Directions are learned from the order of the
        classes; with ``ordered=False``, for each of three or more classes anew.
    loss : {"logistic", "hinge"}, default="logistic"
        Loss of each label, or of each threshold between grades.
    ordered : bool, default=True
        Whether three or more classes are grades. With False and `monotone`, every
        class's own utility moves one way in every criterion; that is not always
        meant, so consider ``monotone=False``.
    representation, n_folds, tol, max_iter, max_time, verbose, callback, random_state
        As in `ChoquetRegressor`.

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
    domain_, is_down_, directions_
        As in `ChoquetRegressor`; with ``ordered=False`` and three or more classes one
        row of `is_down_`, and one dict of `directions_`, per class.

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
        "ordered": ["boolean"],
    }

    ordered: bool = True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # scikit-learn's check draws classes that no rising function separates.
        tags.classifier_tags.poor_score = True
        return tags

    def _fit_codes(self, X: Any, answers: Answers) -> None:
        if not self._is_graded():
            self._fit_each_class(X, answers)
            return
        turned = self._turn_answers(X, answers)
        thresholds = np.arange(self.classes_.size - 1)
        fit, self.marginals_ = self._learn(self._rows(turned, thresholds))
        self.capacity_, self.intercept_ = self._capacity(fit), fit.intercepts

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
        return integrate(self.capacity_, unit, self.marginals_)

    def _decide(self, above: FloatArray) -> FloatArray:
        if not self._is_graded():
            return above
        if self.loss == "logistic":
            return np.log(np.maximum(_grade_probabilities(above), 1e-300))
        # Passing threshold t adds u - theta_t: the sum is largest at the last
        # threshold that u exceeds.
        steps = np.cumsum(above, axis=1)
        return np.concatenate([np.zeros((above.shape[0], 1)), steps], axis=1)

    @available_if(lambda model: model.loss == "logistic")  # type: ignore[untyped-decorator]
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
        return each / each.sum(axis=1, keepdims=True)

    def _is_graded(self) -> bool:
        return self.ordered or self.classes_.size == 2

    def _scores(self, X: Any) -> FloatArray:
        """Give u - theta_t for each threshold, or u_c for each class."""
        unit = self._encode(X)
        if self._is_graded():
            u = integrate(self.capacity_, unit, self.marginals_)
            return u[:, np.newaxis] + self.intercept_
        # Files of version 0.1.0 have one set of directions for all classes.
        units = np.broadcast_to(unit, (self.classes_.size, *unit.shape[-2:]))
        functions = zip(self.capacity_, units, self.marginals_, strict=True)
        columns = [integrate(*function) for function in functions]
        return np.column_stack(columns) + self.intercept_

    def _rows(self, answers: Answers, thresholds: IntArray) -> ChoquetRows:
        """Ask of every item and threshold whether its grade lies above."""
        above = answers.y[:, np.newaxis] > thresholds
        n_items, n_thresholds = above.shape
        first = np.repeat(np.arange(n_items), n_thresholds)
        weights = np.repeat(answers.weights / answers.weights.sum(), n_thresholds)
        loss = self._signed_loss(np.where(above, 1.0, -1.0).ravel(), weights)
        groups = np.tile(np.arange(n_thresholds), n_items)
        strata = answers.y[first]
        return ChoquetRows(
            answers.unit, loss, first, first, groups=groups, strata=strata
        )

    def _fit_each_class(self, X: Any, answers: Answers) -> None:
        """Tell each class from the rest, with directions of its own."""
        members = [(answers.y == c).astype(np.int64) for c in range(self.classes_.size)]
        found = [
            self._find_directions(X, answers.correlate(y), warns=False) for y in members
        ]
        self.is_down_ = np.array([is_down for is_down, _ in found])
        self.directions_ = [directions for _, directions in found]
        parts, progress = [], self._progress()
        for y, unit in zip(members, self._turn(answers.unit), strict=True):
            rows = self._rows(answers._replace(unit=unit, y=y), np.zeros(1, np.int64))
            fit, heights = self._learn(rows, progress=progress)
            capacity = self._capacity(fit)
            parts.append((fit, capacity, heights, self.k_, self.order_losses_))
        fits, capacities, curves, orders, losses = zip(*parts, strict=True)
        self.capacity_, self.marginals_ = list(capacities), list(curves)
        self.intercept_ = np.array([fit.intercepts[0] for fit in fits])
        self.k_ = max(orders)
        self.order_losses_ = {
            k: float(np.mean([d[k] for d in losses])) for k in losses[0]
        }
        self.dual_gap_ = max(fit.gap for fit in fits)
        self.n_iter_ = max(fit.n_iter for fit in fits)
        if any(fit.status != "optimal" for fit in fits):
            self.solver_status_ = "stopped"


def _grade_probabilities(above: FloatArray) -> FloatArray:
    """Turn u - theta_t into the probability of each grade, as differences of tails."""
    # Thresholds rise at the optimum; the running minimum guards against rounding.
    tails = expit(np.minimum.accumulate(above, axis=1))
    ends = np.ones((above.shape[0], 1))
    return -np.diff(np.concatenate([ends, tails, 0 * ends], axis=1), axis=1)
