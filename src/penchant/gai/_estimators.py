"""Estimators that learn a GAI utility from ratings or comparisons."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from penchant._parallel import one_thread
from penchant._validation import check_weights
from penchant.encoding import (
    RankerMixin,
    check_pairs,
    check_rated_items,
    make_encoding,
    make_kernels,
)
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.gai._fit import (
    ComparedItems,
    JudgedItems,
    LearnedGAI,
    RatedItems,
    SparseMachine,
)
from penchant.gai._monotone import monotone_utility
from penchant.kernels import UnivariateKernel
from penchant.typing import FloatArray
from penchant.utility import GAIModel, TensorGAI

__all__ = ["BaseGAI", "GAIRanker", "GAIRegressor", "check_ratings"]

_ADVICE = {
    "node_limit": "Set max_order=2 or 3",
    "stalled": "Use a smaller C or a larger tol",
}


@dataclass(frozen=True, eq=False)
class _Prepared:
    """Encoded items, the kernel of each attribute, and where u must rise or fall."""

    U: FloatArray
    kernels: tuple[UnivariateKernel, ...]
    directions: dict[int, int]


class BaseGAI(GAIModel, BaseEstimator):
    """Parameters, attributes and the common course of a fit."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "max_order": [Interval(Integral, 1, None, closed="left"), None],
        "sparse": ["boolean"],
        "sigma": [Interval(Real, 0, None, closed="neither"), "array-like"],
        "domain": [StrOptions({"data"}), "array-like"],
        "categorical_features": ["array-like", None],
        "kernel": [StrOptions({"rbf", "spline", "bspline"}), "array-like"],
        "monotone": [dict, StrOptions({"directions"}), None],
        "hierarchical": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }
    _learned: ClassVar[tuple[str, ...]] = (
        "encoding_",
        "utility_",
        "dual_gap_",
        "solver_status_",
        "n_iter_",
    )

    def __init__(
        self,
        *,
        C: float = 10.0,
        epsilon: float = 0.01,
        max_order: int | None = None,
        sparse: bool = True,
        sigma: float | Sequence[float] = 1.0,
        domain: Any = "data",
        categorical_features: Any = None,
        kernel: str | Sequence[UnivariateKernel] = "rbf",
        monotone: Mapping[int | str, int] | str | None = None,
        hierarchical: bool = False,
        tol: float = 1e-5,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.max_order = max_order
        self.sparse = sparse
        self.sigma = sigma
        self.domain = domain
        self.categorical_features = categorical_features
        self.kernel = kernel
        self.monotone = monotone
        self.hierarchical = hierarchical
        self.tol = tol

    def _prepare(self, X: Any, items: FloatArray) -> _Prepared:
        """Find out what the attributes are, and encode the items."""
        names = getattr(self, "feature_names_in_", None)
        self.encoding_ = make_encoding(
            X, items, self.domain, self.categorical_features, names
        )
        return _Prepared(
            self.encoding_.transform(items),
            make_kernels(self.kernel, self.sigma, self.encoding_),
            self.encoding_.directions(self.monotone),
        )

    def _order(self) -> int:
        """Give the largest order of a factor."""
        n_active = len(self.encoding_.active)
        return min(self.max_order or n_active, n_active)

    def _learn(self, data: _Prepared, judged: JudgedItems) -> LearnedGAI:
        """Learn few factors with a certificate, or all factors up to max_order."""
        if not self.sparse:
            machine = judged.dense_machine(data.kernels)
            return judged.fit_machine(
                machine, C=self.C, epsilon=self.epsilon, tol=self.tol
            )
        # Equal items are merged before they have features: rounding may tell these
        # apart, and the solver would then take the items for different ones.
        items, item_of = np.unique(data.U, axis=0, return_inverse=True)
        evidence = judged.evidence(self.epsilon).merged(item_of.ravel())
        active = self.encoding_.active
        return SparseMachine(items, data.kernels, active, self.max_order).fit(
            evidence, C=self.C, tol=self.tol, hierarchical=self.hierarchical
        )

    def _finish(
        self, learned: LearnedGAI, data: _Prepared, offset: float, scale: float
    ) -> Self:
        """Make monotone, go back to the user's units, keep the certificate.

        The certificate is that of what was learned, before it was made monotone.
        """
        utility = learned.utility
        if data.directions:
            utility = monotone_utility(utility, data.kernels, data.U, data.directions)
        self.utility_ = utility.scaled(offset, scale)
        self.dual_gap_ = learned.gap
        self.solver_status_ = learned.status
        self.n_iter_ = learned.n_iter
        if learned.status != "optimal":
            warnings.warn(
                f"{type(self).__name__} reached a relative duality gap of "
                f"{learned.gap:.2g}; {self.tol:.2g} was asked for. "
                f"{_ADVICE[learned.status]}.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return self


class GAIRegressor(RegressorMixin, BaseGAI):
    """Learn a utility from ratings: a curve per attribute and few interactions.

    The utility is a sum of functions of few attributes each, found among all
    subsets of attributes by minimising (GAI-3) ::

        C sum_j w_j max(0, |y_j - u(x_j)| - epsilon) + sum_S ||u_S||

    where y is scaled to its range. The functions have zero mean over the domain of
    each of their attributes, so that they are the ANOVA decomposition of u and can
    be read one by one. `dual_gap_` bounds the distance from the minimum over all
    subsets, without `monotone`.

    Parameters
    ----------
    C : float, default=10.0
        Cost of a unit of loss against a unit of norm: C' of GAI-3. Larger values
        fit the data more closely, with more factors.
    epsilon : float, default=0.01
        Half-width of the tube without loss, as a share of the range of y.
    max_order : int or None, default=None
        Largest number of attributes in a factor; None: no limit. The certificate
        covers the subsets up to this order.
    sparse : bool, default=True
        True: few factors, chosen among all subsets of attributes, with a
        certificate. False: all factors up to `max_order` in one kernel machine, the
        `max_order`-additive utility (GAI-9); `C` is then that of the machine.
    sigma : float or sequence of float, default=1.0
        Length scale of "rbf" and of ordinal attributes on [0, 1]; common, or one
        per attribute.
    domain : "data", (low, high) or sequence, default="data"
        What maps to [0, 1]: the range of the training data; two ends for all
        attributes; or for each attribute its two ends or, if more than two, its
        levels in order. Later values outside are clamped. Items bring their own.
    categorical_features : array-like or None, default=None
        Attributes whose values are names without an order: a mask, indices or
        names. Values not seen in training get the mean utility. Items bring theirs.
    kernel : {"rbf", "spline", "bspline"} or sequence, default="rbf"
        Smoothness of the functions of numeric attributes; or one kernel of
        `penchant.kernels` per attribute, on encoded values.
    monotone : dict, "directions" or None, default=None
        {attribute index or name: +1 or -1}: the utility never falls (rises) when
        this attribute rises, in the units of the user. "directions": use those of
        Items. This is done after learning, and `dual_gap_` is that before: see Notes.
    hierarchical : bool, default=False
        Whether a factor may enter only with all its parts (strong heredity). The
        certificate then covers the subsets that this admits.
    tol : float, default=1e-5
        Relative duality gap to reach.

    Attributes
    ----------
    factors_ : tuple of tuple of int
        Sets of attribute indices; by size, then by index.
    factor_weights_ : ndarray of shape (n_factors,)
        Norm d_S of each factor's function, in the units of the utility. With
        `monotone`: its standard deviation.
    variance_shares_ : ndarray of shape (n_factors,)
        Share of each factor in the variance of the utility over the domain.
    intercept_ : float
        Mean utility over the domain.
    dual_gap_ : float
        Certified relative distance of the objective from its minimum; with
        `monotone`, that of the utility before it was made monotone.
    solver_status_ : str
        "optimal", "stalled" or "node_limit".
    n_iter_ : int
        Iterations of the solver.
    utility_ : GAIUtility
        The learned function of encoded items.
    encoding_ : Encoding
        What the attributes are and how they are encoded.
    n_features_in_ : int
        Number of attributes.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Their names, if the items had any.

    Notes
    -----
    Attributes with a single value in the training data take no part.

    With `monotone`, the learned utility is replaced by the nearest sum of monotone
    tables over knots, with straight lines between the knots: it is monotone
    everywhere in the domain by construction, to rounding. As a rule it fits less
    closely than the utility before this last step, of which `dual_gap_` speaks, and
    it need not be the best of all monotone utilities.

    References
    ----------
    Herin, Perny and Sokolovska, "Learning GAI-decomposable utility models for
    multiattribute decision making", AAAI 2024.

    Examples
    --------
    >>> from penchant.datasets import make_gai
    >>> from penchant.models import GAIRegressor
    >>> sample = make_gai(100, 4, n_factors=3, noise=0.01, random_state=0)
    >>> sample.factors
    ((0,), (1,), (2, 3))
    >>> model = GAIRegressor(C=3.0, sigma=0.3, max_order=2).fit(sample.X, sample.y)
    >>> model.select(min_share=0.05).factors_
    ((0,), (1,), (2, 3))
    >>> round(model.score(sample.X, sample.y), 2), model.dual_gap_ < 1e-5
    (1.0, True)
    """

    @one_thread()
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the utility.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)
            Rated items.
        y : array-like of shape (n_items,)
            Their ratings; larger is better.
        sample_weight : array-like of shape (n_items,), optional
            How much each rating counts.

        Returns
        -------
        self
        """
        items, ratings, weights = check_ratings(self, X, y, sample_weight)
        data = self._prepare(X, items)
        low, width = float(ratings.min()), float(np.ptp(ratings))
        if width == 0:  # epsilon is a share of the range: nothing is left to learn
            nothing = LearnedGAI(TensorGAI({}, (), (), 0.0), 0.0, "optimal", 0)
            return self._finish(nothing, data, low, 1.0)
        rated = RatedItems(
            U=data.U,
            encoding=self.encoding_,
            max_order=self._order(),
            y=(ratings - low) / width,
            weights=weights,
        )
        return self._finish(self._learn(data, rated), data, low, width)

    def predict(self, X: Any) -> FloatArray:
        """Predict ratings: the utility of items.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        return self.utility(X)


class GAIRanker(RankerMixin, BaseGAI):
    """Learn a utility from comparisons: a curve per attribute and few interactions.

    The utility is a sum of functions of few attributes each, found among all
    subsets of attributes by minimising (GAI-7) ::

        C sum_k w_k max(0, 1 - u(winner_k) + u(loser_k)) + sum_S ||u_S||

    A tie costs what the difference of its items exceeds `epsilon`. The functions
    have zero mean over the domain of each of their attributes, so that they are the
    ANOVA decomposition of u and can be read one by one; the utility has mean 0.
    `dual_gap_` bounds the distance from the minimum over all subsets, without
    `monotone`.

    Parameters
    ----------
    C : float, default=10.0
        Cost of a unit of loss against a unit of norm: C' of GAI-3. Larger values
        fit the data more closely, with more factors.
    epsilon : float, default=0.01
        Largest difference of utility between tied items without loss.
    max_order : int or None, default=None
        Largest number of attributes in a factor; None: no limit. The certificate
        covers the subsets up to this order.
    sparse : bool, default=True
        True: few factors, chosen among all subsets of attributes, with a
        certificate. False: all factors up to `max_order` in one kernel machine, the
        `max_order`-additive utility (GAI-9); `C` is then that of the machine.
    sigma : float or sequence of float, default=1.0
        Length scale of "rbf" and of ordinal attributes on [0, 1]; common, or one
        per attribute.
    domain : "data", (low, high) or sequence, default="data"
        What maps to [0, 1]: the range of the training data; two ends for all
        attributes; or for each attribute its two ends or, if more than two, its
        levels in order. Later values outside are clamped. Items bring their own.
    categorical_features : array-like or None, default=None
        Attributes whose values are names without an order: a mask, indices or
        names. Values not seen in training get the mean utility. Items bring theirs.
    kernel : {"rbf", "spline", "bspline"} or sequence, default="rbf"
        Smoothness of the functions of numeric attributes; or one kernel of
        `penchant.kernels` per attribute, on encoded values.
    monotone : dict, "directions" or None, default=None
        {attribute index or name: +1 or -1}: the utility never falls (rises) when
        this attribute rises, in the units of the user. "directions": use those of
        Items. This is done after learning, and `dual_gap_` is that before: see Notes.
    hierarchical : bool, default=False
        Whether a factor may enter only with all its parts (strong heredity). The
        certificate then covers the subsets that this admits.
    tol : float, default=1e-5
        Relative duality gap to reach.

    Attributes
    ----------
    factors_ : tuple of tuple of int
        Sets of attribute indices; by size, then by index.
    factor_weights_ : ndarray of shape (n_factors,)
        Norm d_S of each factor's function, in the units of the utility. With
        `monotone`: its standard deviation.
    variance_shares_ : ndarray of shape (n_factors,)
        Share of each factor in the variance of the utility over the domain.
    intercept_ : float
        Mean utility over the domain.
    dual_gap_ : float
        Certified relative distance of the objective from its minimum; with
        `monotone`, that of the utility before it was made monotone.
    solver_status_ : str
        "optimal", "stalled" or "node_limit".
    n_iter_ : int
        Iterations of the solver.
    utility_ : GAIUtility
        The learned function of encoded items.
    encoding_ : Encoding
        What the attributes are and how they are encoded.
    n_features_in_ : int
        Number of attributes.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Their names, if the items had any.

    Notes
    -----
    Attributes with a single value in the training data take no part.

    With `monotone`, the learned utility is replaced by the nearest sum of monotone
    tables over knots, with straight lines between the knots: it is monotone
    everywhere in the domain by construction, to rounding. As a rule it fits less
    closely than the utility before this last step, of which `dual_gap_` speaks, and
    it need not be the best of all monotone utilities.

    References
    ----------
    Herin, Perny and Sokolovska, "Learning GAI-decomposable utility models for
    multiattribute decision making", AAAI 2024.

    Examples
    --------
    A flat is described by size and quietness. Size wins twice, quietness once.

    >>> from penchant.models import GAIRanker
    >>> pairs = [[[3, 1], [1, 2]], [[2, 0], [1, 1]], [[1, 1], [1, 3]]]
    >>> ranker = GAIRanker().fit(pairs, [1, 1, 0])
    >>> ranker.factors_
    ((0,), (1,))
    >>> ranker.utility([[2, 2], [1, 3], [3, 0]]).round(1)
    array([ 0.2, -0.4,  0.5])
    """

    @one_thread()
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the utility.

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
        data = self._prepare(X, pairs.items)
        compared = ComparedItems(
            U=data.U,
            weights=pairs.weights,
            encoding=self.encoding_,
            max_order=self._order(),
            pairs=pairs,
        )
        return self._finish(self._learn(data, compared), data, 0.0, 1.0)


def check_ratings(
    estimator: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give items, ratings and weights without the rows of weight 0."""
    items, ratings = check_rated_items(estimator, X, y)
    weights = check_weights(sample_weight, len(items), "sample_weight")
    keep = weights > 0
    if not keep.any():
        raise DataError("sample_weight must not be zero for all rows.")
    return items[keep], ratings[keep], weights[keep]
