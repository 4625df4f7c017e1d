"""Estimators that learn a GAI utility from ratings or comparisons."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils._param_validation import StrOptions

from penchant._parallel import one_thread
from penchant.encoding import Pairs, RankerMixin, check_pairs
from penchant.gai._base import (
    PUBLISHED_C,
    BaseGAI,
    Prepared,
    check_ratings,
    check_spread,
)
from penchant.gai._fit import ComparedItems, LearnedGAI, RatedItems
from penchant.gai.binned import (
    BinnedFit,
    Hinge,
    Loss,
    Preference,
    Squared,
    Tube,
    is_spread,
)
from penchant.typing import FloatArray
from penchant.utility import TensorGAI

_LEAST_BEND, _HINGE_BEND = 0.01, 0.1
"""Widths over which the binned solver bends tube and hinge: it needs a curvature."""
_FEW_PAIRS = 100
"""Fewer comparisons than this cannot judge each other: C is that of the paper."""


class GAIRegressor(RegressorMixin, BaseGAI):
    """Learn a utility from ratings: a curve per attribute and few interactions.

    The utility is a sum of functions of few attributes each, found among all
    subsets of attributes by minimising (GAI-3) ::

        C sum_j w_j max(0, |y_j - u(x_j)| - epsilon) + sum_S ||u_S||

    where y is scaled to its range. The functions have zero mean over the domain of
    each of their attributes, so that they are the ANOVA decomposition of u and can
    be read one by one. `dual_gap_` bounds the distance from the minimum.

    Parameters
    ----------
    C : float or "auto", default="auto"
        Cost of a unit of loss against a unit of norm: C' of GAI-3. Larger values
        fit the data more closely, with more factors. "auto": chosen along a path by
        rows that are held out, with a linear utility where that does as well.
    loss : {"auto", "squared", "tube"}, default="auto"
        What errors cost. "auto": squared errors with C="auto", the tube of the paper
        with a number for C.
    epsilon : float, default=0.01
        Half-width of the tube without loss, as a share of the range of y.
    max_order : int or None, default=None
        Largest number of attributes in a factor; None: no limit for the exact solver,
        2 for the binned one; 0: a linear utility, by the binned one. The certificate
        covers the subsets up to this order.
    solver : {"auto", "exact", "binned"}, default="auto"
        "exact": all subsets, kernels as given, up to about a thousand distinct items.
        "binned": attributes in quantile bins and factors of up to 3 attributes, to a
        million rows; blank cells (NaN) are a value of their own. "auto": the exact one
        where a number for C (up to 1,000 items), `sigma`, `kernel`, `hierarchical`,
        `sparse` or `max_order` asks for it, and nothing needs the binned one
        (`max_time`, a Dask table).
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
        Items. See Notes for what `dual_gap_` then says.
    hierarchical : bool, default=False
        Whether a factor may enter only with all its parts (strong heredity). The
        certificate then covers the subsets that this admits.
    tol : float or "auto", default="auto"
        Relative duality gap to reach. "auto": 1e-5, or 1e-3 for the binned solver.
    max_time : float or None, default=None
        Seconds after which the fit ends with the best so far, its gap and a warning;
        for the binned solver.
    verbose : int, default=0
        Whether to show the progress of the binned solver in a terminal.
    callback : callable or None, default=None
        Called with a dict after each step of the binned solver's path: "step",
        "seconds", "error" of the held-out rows and "gap".

    Attributes
    ----------
    factors_ : tuple of tuple of int
        Sets of attribute indices; by size, then by index.
    factor_weights_ : ndarray of shape (n_factors,)
        Norm d_S of each factor's function, in the units of the utility. With
        `monotone` or the binned solver: its standard deviation.
    variance_shares_ : ndarray of shape (n_factors,)
        Share of each factor in the variance of the utility over the domain.
    intercept_ : float
        Mean utility over the domain.
    dual_gap_ : float
        Certified relative distance of the objective of `solver_` from its minimum; NaN
        for the exact solver with `monotone`.
    solver_status_ : str
        "optimal", "stalled", "node_limit" or "time_limit".
    loss_ : str
        What errors cost: "squared" or "tube".
    solver_ : {"exact", "binned", "linear"}
        Which problem was solved, and what `dual_gap_` therefore covers: all subsets
        and the kernels as given; bins and all subsets up to `max_order_`; or, where
        held-out rows gained nothing from curves, a linear utility.
    tol_ : float
        The gap that was to be reached.
    max_order_ : int
        Largest number of attributes that a factor could have.
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

    With `monotone`, the binned solver minimises over sums of lines and curves that rise
    (or fall) as told and of non-negative products of them with each other and with any
    functions of other attributes, and over negative products of falling ones;
    `dual_gap_` bounds the distance from that minimum. The exact solver learns without
    directions first; the nearest sum of monotone tables over knots then takes the place
    of what it learned. That need not be the best of all monotone utilities, and nothing
    bounds its distance from it. Either way the utility is monotone everywhere in the
    domain by construction, to rounding.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseGAI._parameter_constraints,
        "loss": [StrOptions({"auto", "squared", "tube"})],
    }
    _exact_loss = "tube"

    @one_thread()
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the utility.

        Parameters
        ----------
        X : Items, array-like or Dask array of shape (n_items, n_features)
            Rated items. A Dask array or data frame stays where it is.
        y : array-like of shape (n_items,)
            Their ratings; larger is better.
        sample_weight : array-like of shape (n_items,), optional
            How much each rating counts.

        Returns
        -------
        self
        """
        check = check_spread if is_spread(X) else check_ratings
        items, ratings, weights = check(self, X, y, sample_weight)
        data = self._prepare(X, items)
        low, width = float(ratings.min()), float(np.ptp(ratings))
        self.loss_ = "squared" if self.loss == "auto" else self.loss
        if width == 0:  # epsilon is a share of the range: nothing is left to learn
            nothing = LearnedGAI(TensorGAI({}, (), (), 0.0), 0.0, "optimal", 0)
            return self._finish(nothing, data, low, 1.0)
        solver = self._choose_solver(data)
        self.loss_ = self._choose_loss(solver, "squared")
        if self.loss_ == "squared":
            low = float(np.average(ratings, weights=weights))
            width = float(np.sqrt(np.average((ratings - low) ** 2, weights=weights)))
        y = (ratings - low) / width
        learned: LearnedGAI | BinnedFit
        if solver == "binned":
            tube = Tube(self.epsilon, max(self.epsilon, _LEAST_BEND))
            loss = Squared() if self.loss_ == "squared" else tube
            said = y, weights
            learned = self._learn_binned([data.U], said, loss, data.directions, self.C)
        else:
            rated = RatedItems(
                U=data.U,
                encoding=self.encoding_,
                max_order=self._order(),
                y=y,
                weights=weights,
            )
            learned = self._learn_exact(data, rated)
        return self._finish(learned, data, low, width)

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

    A tie costs what the difference of its items exceeds `epsilon`. With C="auto" and
    enough comparisons, the logistic loss log(1 + exp(u(loser_k) - u(winner_k))) takes
    the place of the hinge, and a tie counts half in each direction. The functions
    have zero mean over the domain of each of their attributes, so that they are the
    ANOVA decomposition of u and can be read one by one; the utility has mean 0.
    `dual_gap_` bounds the distance from the minimum.

    Parameters
    ----------
    C : float or "auto", default="auto"
        Cost of a unit of loss against a unit of norm: C' of GAI-3. Larger values
        fit the data more closely, with more factors. "auto": chosen along a path by
        comparisons that are held out; fewer than 100 cannot tell, and C is 10.
    loss : {"auto", "logistic", "hinge"}, default="auto"
        What wrong comparisons cost. "auto": the logistic loss where a path chooses C,
        the hinge of the paper with a number for C. The binned solver rounds the
        hinge's corner off, over a tenth of the margin.
    epsilon : float, default=0.01
        Largest difference of utility between tied items without loss.
    max_order : int or None, default=None
        Largest number of attributes in a factor; None: no limit for the exact solver,
        2 for the binned one; 0: a linear utility, by the binned one. The certificate
        covers the subsets up to this order.
    solver : {"auto", "exact", "binned"}, default="auto"
        "exact": all subsets, kernels as given, up to about a thousand distinct items.
        "binned": attributes in quantile bins and factors of up to 3 attributes, to a
        million rows; blank cells (NaN) are a value of their own. "auto": the exact one
        where a number for C (up to 1,000 items), `sigma`, `kernel`, `hierarchical`,
        `sparse` or `max_order` asks for it, and nothing needs the binned one
        (`max_time`, a Dask table).
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
        Items. See Notes for what `dual_gap_` then says.
    hierarchical : bool, default=False
        Whether a factor may enter only with all its parts (strong heredity). The
        certificate then covers the subsets that this admits.
    tol : float or "auto", default="auto"
        Relative duality gap to reach. "auto": 1e-5, or 1e-3 for the binned solver.
    max_time : float or None, default=None
        Seconds after which the fit ends with the best so far, its gap and a warning;
        for the binned solver.
    verbose : int, default=0
        Whether to show the progress of the binned solver in a terminal.
    callback : callable or None, default=None
        Called with a dict after each step of the binned solver's path: "step",
        "seconds", "error" of the held-out rows and "gap".

    Attributes
    ----------
    factors_ : tuple of tuple of int
        Sets of attribute indices; by size, then by index.
    factor_weights_ : ndarray of shape (n_factors,)
        Norm d_S of each factor's function, in the units of the utility. With
        `monotone` or the binned solver: its standard deviation.
    variance_shares_ : ndarray of shape (n_factors,)
        Share of each factor in the variance of the utility over the domain.
    intercept_ : float
        Mean utility over the domain.
    dual_gap_ : float
        Certified relative distance of the objective of `solver_` from its minimum; NaN
        for the exact solver with `monotone`.
    solver_status_ : str
        "optimal", "stalled", "node_limit" or "time_limit".
    loss_ : str
        What wrong comparisons cost: "logistic" or "hinge".
    solver_ : {"exact", "binned", "linear"}
        Which problem was solved, and what `dual_gap_` therefore covers: all subsets
        and the kernels as given; bins and all subsets up to `max_order_`; or, where
        held-out rows gained nothing from curves, a linear utility.
    tol_ : float
        The gap that was to be reached.
    max_order_ : int
        Largest number of attributes that a factor could have.
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

    With `monotone`, the binned solver minimises over sums of lines and curves that rise
    (or fall) as told and of non-negative products of them with each other and with any
    functions of other attributes, and over negative products of falling ones;
    `dual_gap_` bounds the distance from that minimum. The exact solver learns without
    directions first; the nearest sum of monotone tables over knots then takes the place
    of what it learned. That need not be the best of all monotone utilities, and nothing
    bounds its distance from it. Either way the utility is monotone everywhere in the
    domain by construction, to rounding.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseGAI._parameter_constraints,
        "loss": [StrOptions({"auto", "logistic", "hinge"})],
    }
    _exact_loss = "hinge"

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
        self.__dict__.pop("solver_", None)  # that of an earlier fit says nothing here
        pairs = check_pairs(self, X, y, sample_weight)
        data = self._prepare(X, pairs.items)
        solver, C = self._choose_solver(data), self.C
        few = C == "auto" and len(pairs.winners) < _FEW_PAIRS and self.max_order != 0
        if few and self.solver == "auto" and not np.isnan(data.U).any():
            solver = "binned" if self.max_time else "exact"
            C = PUBLISHED_C
        self.loss_ = self._choose_loss(solver, "logistic" if C == "auto" else "hinge")
        learned: LearnedGAI | BinnedFit
        if solver == "binned":
            learned = self._learn_from_many(pairs, data, C)
        else:
            compared = ComparedItems(
                U=data.U,
                weights=pairs.weights,
                encoding=self.encoding_,
                max_order=self._order(),
                pairs=pairs,
            )
            learned = self._learn_exact(data, compared)
        return self._finish(learned, data, 0.0, 1.0)

    @property
    def _takes_blanks(self) -> bool:
        """Whether blank cells are known: not to what the exact solver has learned."""
        return super()._takes_blanks and getattr(self, "solver_", "") != "exact"

    def _learn_from_many(
        self, pairs: Pairs, data: Prepared, C: float | str
    ) -> BinnedFit:
        """Learn over bins; by logistic loss, a tie counts half in each direction."""
        first, second = pairs.winners, pairs.losers
        y, weights = np.where(pairs.ties, 0.0, 1.0), pairs.weights
        loss: Loss = Hinge(self.epsilon, _HINGE_BEND)
        if self.loss_ == "logistic":
            loss = Preference()
            first = np.concatenate([pairs.winners, pairs.losers[pairs.ties]])
            second = np.concatenate([pairs.losers, pairs.winners[pairs.ties]])
            halves = np.where(pairs.ties, 0.5, 1.0) * weights
            weights = np.concatenate([halves, halves[pairs.ties]])
            y = np.ones(len(first))
        sides = [data.U[first], data.U[second]]
        return self._learn_binned(sides, (y, weights), loss, data.directions, C)
