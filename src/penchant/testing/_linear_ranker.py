"""LinearRanker: the smallest complete ranker, to use, to test with and to copy."""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, _fit_context
from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from penchant._validation import warn_user
from penchant.encoding import Pairs, RankerMixin, check_items, check_pairs
from penchant.exceptions import ConvergenceWarning
from penchant.typing import FloatArray


class LinearRanker(RankerMixin, BaseEstimator):
    """Learn a linear utility from comparisons.

    This is the minimal example of the contract that `check_ranker` checks. To write
    a ranker of your own, keep this shape: a constructor that only stores, `fit` that
    starts with ``check_pairs``, `utility`, and learned names that end in ``_``.
    `predict`, `score` and the rest come from ``RankerMixin``.

    The utility is ``w @ x``, where w minimises ::

        sum_k c_k log(1 + exp(-w @ (winner_k - loser_k))) + alpha/2 ||w||^2

    with c_k the weight of pair k (Bradley-Terry with features). A tie counts as half
    an answer each way. scikit-learn's Newton method finds w. The objective is
    alpha-strongly convex, so ``||gradient||^2 / (2 alpha)`` bounds its distance from
    the minimum. Cost per iteration: O(n_pairs n_features^2 + n_features^3).

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty; larger means smaller differences of utility.
    tol : float, default=1e-12
        Stop when the gap is at most `tol` times the objective of w = 0.
    max_iter : int, default=100
        Stop after so many Newton steps with a ConvergenceWarning.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights w.
    gap_ : float
        The objective is at most this far above its minimum.
    n_iter_ : int
        Newton steps made.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Their names, if the items had any.

    Examples
    --------
    A flat is described by size and quietness. Size wins twice, quietness once.

    >>> from penchant.testing import LinearRanker
    >>> pairs = [[[3, 1], [1, 2]], [[2, 0], [1, 1]], [[1, 1], [1, 3]]]
    >>> ranker = LinearRanker().fit(pairs, [1, 1, 0])
    >>> ranker.utility([[2, 2], [1, 3]]).round(3)
    array([1.989, 1.427])
    >>> ranker.predict([[[2, 2], [1, 3]]])
    array([1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, *, alpha: float = 1.0, tol: float = 1e-12, max_iter: int = 100
    ) -> None:
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, n_features), or items
            Pairs; or Items or an array of shape (n_items, n_features).
        y : array-like of shape (n_pairs,), or Comparisons
            1 where the first of the pair is preferred, 0 where the second is; or
            the comparisons between the items.
        sample_weight : array-like of shape (n_pairs,), optional
            How much each pair counts.

        Returns
        -------
        self
        """
        pairs = check_pairs(self, X, y, sample_weight)
        differences, weights = _differences(pairs)
        half = np.concatenate([weights, weights]) / 2
        sides = np.repeat([1, 0], len(weights))
        allowed = self.tol * np.log(2) * weights.sum()
        # What scikit-learn looks at: the largest slope of the mean loss.
        slope = np.sqrt(2 * self.alpha * allowed / differences.shape[1])
        solver = LogisticRegression(
            C=1 / self.alpha,
            fit_intercept=False,
            solver="newton-cholesky",
            tol=slope / weights.sum(),
            max_iter=self.max_iter,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            solver.fit(np.concatenate([differences, -differences]), sides, half)
        w, n_iter = solver.coef_[0], int(solver.n_iter_[0])
        surprise = weights * expit(-(differences @ w))
        gradient = self.alpha * w - surprise @ differences
        # The objective is alpha-strongly convex, which bounds the distance.
        gap = float(gradient @ gradient) / (2 * self.alpha)
        if gap > allowed:
            warn_user(
                f"LinearRanker stopped after {n_iter} steps with a gap of {gap:.2g}; "
                f"{allowed:.2g} is allowed. Increase max_iter, tol or alpha.",
                ConvergenceWarning,
            )
        self.coef_, self.gap_, self.n_iter_ = w, gap, n_iter
        return self

    def utility(self, X: Any) -> FloatArray:
        """Give the utility of items; larger is better.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        check_is_fitted(self)
        items = check_items(self, X, reset=False)
        return items @ self.coef_


def _differences(pairs: Pairs) -> tuple[FloatArray, FloatArray]:
    """Give winner minus loser and the weight of each answer; ties count both ways."""
    forward = pairs.items[pairs.winners] - pairs.items[pairs.losers]
    differences = np.concatenate([forward, -forward[pairs.ties]])
    halves = np.where(pairs.ties, 0.5, 1.0) * pairs.weights
    return differences, np.concatenate([halves, halves[pairs.ties]])
