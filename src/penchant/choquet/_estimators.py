"""Choquet integrals that are monotone for certain, from ratings or comparisons."""

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from penchant.choquet._base import Answers, RatingMixin
from penchant.choquet._directions import correlate_outcomes
from penchant.choquet._explicit import ChoquetEstimator, integrate
from penchant.choquet._fit import ChoquetRows
from penchant.choquet.solver._losses import HingeLoss, SquaredLoss
from penchant.encoding import Pairs, RankerMixin, check_pairs
from penchant.typing import ArrayLike, FloatArray


@dataclass(kw_only=True, eq=False, repr=False)
class ChoquetRegressor(RatingMixin, ChoquetEstimator):
    """Learn a Choquet integral from ratings.

    Use it when a better value of any criterion must never lower the prediction,
    and when criteria may support or replace each other. It minimises the mean loss
    plus ``alpha / 2`` times the squared norm of the Möbius coefficients, with
    ratings scaled to the range 1, over all monotone capacities with
    interactions of at most `k` criteria (CH-6), and says how far from the optimum it
    may be.

    Parameters
    ----------
    k : int, "auto" or None, default=2
        Largest number of criteria that interact; None: all. "auto" compares 1 to 4
        by the loss on held-out folds and takes the smallest within one standard
        error of the best.
    monotone : bool, default=True
        Whether the capacity must be monotone. False gives ridge regression on
        minima.
    alpha : float, default=1e-4
        Strength of the penalty.
    domain : "data", (low, high) or list, default="data"
        The values that criteria can take, mapped to [0, 1]: the range of the
        training data (later values outside are clamped), two ends for all criteria,
        or two ends or the levels of each.
    directions : "auto", "up", mapping or sequence, default="auto"
        Which way each criterion is better. "auto" learns it in `fit` from the sign of
        its rank correlation with the answers, or where that is not sure, of its slope
        when all criteria are regarded; "up": more of all; a mapping from names
        or positions to "up" or "down" leaves the others to the data; a sequence has
        one entry per criterion. `Items` bring theirs, and the data decide about those
        that are unknown. What is stated or declared is kept even if the data clearly
        contradict it, with a `DirectionWarning`.
    marginals : {"spline"} or None, default=None
        "spline" also learns a rising piecewise linear curve per criterion, so that
        the criteria need not be commensurate. This is not convex: the certificate
        then holds for the capacity given the curves.
    n_knots : int, default=5
        Knots per curve.
    loss : {"squared", "epsilon_insensitive"}, default="squared"
        Loss of the ratings.
    epsilon : float, default=0.01
        Errors that cost nothing under "epsilon_insensitive", as a share of the range
        of the ratings.
    fit_intercept : bool, default=True
        Whether to add a constant.
    normalized : bool, default=False
        Whether mu(N) must be 1, so that predictions span one unit.
    representation : {"auto", "exact", "inner"}, default="auto"
        For k >= 3: "exact" generates constraints and reaches all monotone
        capacities; "inner" only those with non-negative weights on minima and
        maxima, which scales. "auto" is exact for up to 16 criteria and 800
        coefficients (k=3: 16 criteria, k=4: 11, all: 9).
    n_folds : int, default=5
        Folds for ``k="auto"``.
    tol : float, default=1e-7
        Largest gap between primal and dual objective, relative to the first.
    max_iter : int, default=100
        Largest number of steps of one run of the interior-point solver.
    max_time : float or None, default=None
        Seconds after which the fit ends with the best so far, its gap and a warning.
        Of ``k="auto"`` folds that are not begun by then are left out.
    verbose : int, default=0
        Whether to tell of each step on standard error.
    callback : callable or None, default=None
        Called after each step with a dict of "step", "seconds" and "gap".
    random_state : int, RandomState or None, default=None
        Shuffles the folds of ``k="auto"``.

    Attributes
    ----------
    capacity_ : Capacity
        In the units of the ratings.
    intercept_ : float
        Prediction where all criteria are at their worst.
    k_ : int
        Order that was used.
    order_losses_ : dict from int to float
        Held-out loss of each order under ``k="auto"``, else empty.
    marginals_ : ndarray of shape (n_features, n_knots) or None
        Heights of the curves at equally spaced knots of [0, 1].
    representation_ : {"exact", "inner", "free"}
        What was searched; "free" without monotonicity.
    dual_gap_ : float
        Objective minus a lower bound of the optimum, for ratings scaled to the
        range 1.
    n_iter_ : int
        Steps of the solver.
    solver_status_ : str
        "optimal" or "stopped".
    domain_, is_down_ : Domain, ndarray of bool of shape (n_features,)
        How criteria are mapped to [0, 1]: by `domain_`, then 1 minus that where less
        is better. `capacity_` speaks of the result.
    directions_ : dict from str to CriterionDirection
        For each criterion its ``direction``, its ``correlation`` with the answers and
        whether that ``is_sure``.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import ChoquetRegressor
    >>> X = np.random.default_rng(0).random((100, 3))
    >>> y = X[:, 0] + 2 * np.minimum(X[:, 1], X[:, 2])
    >>> model = ChoquetRegressor(domain=(0, 1)).fit(X, y)
    >>> model.capacity_.shapley().round(2).tolist()
    [1.0, 1.0, 1.0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ChoquetEstimator._parameter_constraints,
        "loss": [StrOptions({"squared", "epsilon_insensitive"})],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "normalized": ["boolean"],
    }

    loss: str = "squared"
    epsilon: float = 0.01
    fit_intercept: bool = True
    normalized: bool = False

    def _fit_ratings(self, answers: Answers) -> None:
        low, scale = float(answers.y.min()), float(np.ptp(answers.y)) or 1.0
        if not self.fit_intercept:
            low = 0.0
        weights = answers.weights / answers.weights.sum()
        rows = self._rows(answers.unit, (answers.y - low) / scale, weights)
        fit, self.marginals_ = self._learn(rows, 1 / scale if self.normalized else None)
        self.capacity_ = self._capacity(fit, scale)
        self.intercept_ = low + scale * float(fit.intercepts.sum())

    def _scores(self, X: Any) -> FloatArray:
        unit = self._encode(X)
        integral = integrate(self.capacity_, unit, self.marginals_)
        return integral[:, np.newaxis] + self.intercept_

    def _rows(
        self, unit: FloatArray, y: FloatArray, weights: FloatArray
    ) -> ChoquetRows:
        index = np.arange(y.size)
        if self.loss == "squared":
            loss: Any = SquaredLoss(y, weights)
        else:
            index = np.concatenate([index, index])
            up = np.ones(y.size)
            loss = HingeLoss(
                np.concatenate([up, -up]),
                np.concatenate([y - self.epsilon, -y - self.epsilon]),
                np.concatenate([weights, weights]),
            )
        groups = np.zeros(index.size, dtype=np.int64) if self.fit_intercept else None
        return ChoquetRows(unit, loss, index, index, groups=groups)


class ChoquetRanker(RankerMixin, ChoquetEstimator):
    """Learn a Choquet integral from comparisons.

    The utility of the preferred item should exceed that of the other; a tie counts
    half for either side. Otherwise as `ChoquetRegressor`: monotone for certain, with
    interactions of at most `k` criteria and a certificate.

    Parameters
    ----------
    k, monotone, alpha, domain, directions, marginals, n_knots
        As in `ChoquetRegressor`. Directions are learned from the mean difference
        between the preferred items and the others.
    loss : {"logistic", "hinge"}, default="logistic"
        Loss of a difference of utilities.
    representation, n_folds, tol, max_iter, max_time, verbose, callback, random_state
        As in `ChoquetRegressor`.

    Attributes
    ----------
    capacity_ : Capacity
        Not normalised: under the logistic loss a difference of utilities is the
        logarithm of the odds.
    k_, order_losses_, marginals_, representation_, dual_gap_, n_iter_, solver_status_
        As in `ChoquetRegressor`.
    domain_, is_down_, directions_
        As in `ChoquetRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.data import Comparisons
    >>> from penchant.models import ChoquetRanker
    >>> X = np.random.default_rng(0).random((20, 2))
    >>> answers = Comparisons.from_ratings(X.min(axis=1))
    >>> model = ChoquetRanker(domain=(0, 1)).fit(X, answers)
    >>> model.score(X, answers) > 0.97
    True
    """

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the capacity.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, n_features), or items
            Pairs; or Items or an array of shape (n_items, n_features).
        y : array-like of shape (n_pairs,), or Comparisons
            1 where the first of the pair is preferred, 0 where the second is; or
            comparisons between the items.
        sample_weight : array-like of shape (n_pairs,), optional
            How much each pair counts.

        Returns
        -------
        self
        """
        pairs = check_pairs(self, X, y, sample_weight)
        wins = np.bincount(pairs.winners, pairs.weights, len(pairs.items))
        losses = np.bincount(pairs.losers, pairs.weights, len(pairs.items))
        unit = self._fit_domain(pairs.items, (wins - losses) / (wins + losses + 1e-300))
        evidence = correlate_outcomes(unit, pairs)
        self.is_down_, self.directions_ = self._find_directions(X, evidence)
        fit, self.marginals_ = self._learn(self._rows(self._turn(unit), pairs))
        self.capacity_ = self._capacity(fit)
        return self

    def _rows(self, unit: FloatArray, pairs: Pairs) -> ChoquetRows:
        """Give a row for each comparison, and another, the other way, for a tie."""
        n_pairs = pairs.winners.size
        index = np.concatenate([np.arange(n_pairs), np.flatnonzero(pairs.ties)])
        sign = np.where(np.arange(index.size) < n_pairs, 1.0, -1.0)
        weights = np.where(pairs.ties, 0.5, 1.0)[index] * pairs.weights[index]
        loss = self._signed_loss(sign, weights / weights.sum())
        first, second = pairs.winners[index], pairs.losers[index]
        return ChoquetRows(unit, loss, first, index, second=second)

    def utility(self, X: Any) -> FloatArray:
        """Give the utility of each item, 0 where all criteria are at their worst.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        unit = self._encode(X)
        return integrate(self.capacity_, unit, self.marginals_)
