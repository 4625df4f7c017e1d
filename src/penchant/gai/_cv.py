"""GAI estimators that choose their kernel, its scales and costs by themselves."""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self, cast

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from penchant._parallel import one_thread
from penchant._validation import warn_user
from penchant.encoding import RankerMixin, check_pairs
from penchant.exceptions import DataError
from penchant.gai._base import BaseGAI, check_ratings
from penchant.gai._choice import GAIChoice
from penchant.gai._fit import ComparedItems, Fold, JudgedItems, LearnedGAI, RatedItems
from penchant.gai._selection import COMPARISONS, RATINGS, Recipe, Selection, snap
from penchant.typing import BoolArray, FloatArray
from penchant.utility import DualGAI

_N_FOLDS = {"fast": 5, "paper": 3}
_FEW_ATTRIBUTES = 6
_MIN_ROWS = 3
_MAX_GRADES = 20
_ROWS_PER_GRADE = 5


class BaseGAICV(BaseGAI):
    """Parameters of GAI estimators that choose for themselves."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "preset": [StrOptions({"fast", "accurate", "paper"})],
        "sparse": [StrOptions({"auto"}), "boolean"],
        "max_order": [Interval(Integral, 1, None, closed="left"), None],
        "domain": [StrOptions({"data"}), "array-like"],
        "categorical_features": ["array-like", None],
        "monotone": [dict, StrOptions({"directions"}), None],
        "cv": ["cv_object"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    # The published kernels; those of the candidates have the same measures.
    kernel = "rbf"
    sigma = 1.0
    solver = "exact"

    def __init__(
        self,
        *,
        preset: str = "fast",
        sparse: str | bool = "auto",
        max_order: int | None = None,
        domain: Any = "data",
        categorical_features: Any = None,
        monotone: Mapping[int | str, int] | str | None = None,
        cv: Any = None,
        tol: float = 1e-5,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.preset = preset
        self.sparse = sparse  # type: ignore[assignment]  # wider than in BaseGAI
        self.max_order = max_order
        self.domain = domain
        self.categorical_features = categorical_features
        self.monotone = monotone
        self.cv = cv
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def _preset(self) -> str:
        return "paper" if self.preset == "paper" else "fast"

    @property
    def _own_folds(self) -> bool:
        """Whether the folds are ours, so that the order of rows must not matter."""
        return self.cv is None or isinstance(self.cv, Integral)

    def _folds(self, kept: BoolArray) -> list[Fold]:
        """Split the rows that were kept; equal rows are not kept together.

        Splitters of the user see the number of all rows.
        """
        from sklearn.model_selection import (
            KFold,
            check_cv,
        )  # late: it takes long to import

        n_rows = int(kept.sum())
        if not self._own_folds:
            place = np.where(kept, np.cumsum(kept) - 1, -1)
            moved = [
                tuple(place[rows][place[rows] >= 0] for rows in fold)
                for fold in check_cv(self.cv).split(place[:, None])
            ]
            return cast(list[Fold], [fold for fold in moved if all(map(len, fold))])
        n_folds = _N_FOLDS[self._preset] if self.cv is None else int(self.cv)
        state = check_random_state(self.random_state)
        folds = KFold(min(n_folds, n_rows), shuffle=True, random_state=state)
        return list(folds.split(np.zeros((n_rows, 1))))

    def _sparse_order(self) -> int:
        """Search orders up to 3, or 2 when the attributes are many, unless told."""
        if self.max_order is not None:
            return self._order()
        few = len(self.encoding_.active) <= _FEW_ATTRIBUTES
        return min(3 if few else 2, self._order())

    def _select(
        self, items: JudgedItems, kept: BoolArray, recipe: Recipe
    ) -> LearnedGAI:
        """Choose, keep what was chosen, and give the model."""
        if self.preset == "accurate":
            warn_user(
                "preset='accurate' is gone: it was reliably better than 'fast' on one "
                "of ten data sets, at twice the time. This fit is 'fast'.",
                FutureWarning,
            )
        selection = Selection(
            items=items,
            folds=self._folds(kept),
            recipe=recipe,
            preset=self._preset,
            sparse=True if self.monotone else self.sparse,
            sparse_order=self._sparse_order(),
            tol=self._gap_to_reach("exact"),
            n_jobs=self.n_jobs,
        )
        learned, self.choice_ = selection.run()
        return learned


class GAIRegressorCV(RegressorMixin, BaseGAICV):
    """Learn a utility from ratings, with all settings chosen by cross-validation.

    Candidates are kernel machines over all factors: product kernels with one scale,
    with and without a logarithmic warp of skewed attributes. A few of them are
    blended; the sum is again a GAI utility with an exact decomposition. A sparse model
    with a certificate takes their place if its error is at most 5 % larger. `choice_`
    tells what was chosen and why (GAI-6).

    Parameters
    ----------
    preset : {"fast", "paper"}, default="fast"
        "fast": product kernels and the sparse path. "paper": the published settings
        (Gaussian kernel with scale 1, epsilon .01), C by 3 folds on the certified
        sparse path. "accurate", which is gone, means "fast".
    sparse : "auto" or bool, default="auto"
        True: always keep the sparse model; False: do not try it. "paper" is always
        sparse.
    max_order : int or None, default=None
        Largest number of attributes in a factor; None: no limit for dense models
        and "paper", and for sparse ones 3, or 2 with more than 6 attributes.
    domain : "data", (low, high) or sequence, default="data"
        What maps to [0, 1], as in `GAIRegressor`.
    categorical_features : array-like or None, default=None
        Attributes whose values are names without an order: a mask, indices or
        names. Items bring theirs.
    monotone : dict, "directions" or None, default=None
        {attribute index or name: +1 or -1}, as in `GAIRegressor`; the model is then
        sparse.
    cv : int, splitter or None, default=None
        Number of shuffled folds, or what splits the rows; None: 5 folds, 3 for
        "paper".
    tol : float, default=1e-5
        Relative duality gap to reach.
    n_jobs : int or None, default=None
        Processes for the candidates; None: 1, or what `joblib.parallel_config` says.
    random_state : int, RandomState or None, default=0
        For the folds.

    Attributes
    ----------
    choice_ : GAIChoice
        What was chosen; ``print(model.choice_)`` tells it in words.
    factors_, factor_weights_, variance_shares_, intercept_
        As in `GAIRegressor`. For a blend the weights are standard deviations.
    dual_gap_ : float
        Certified relative gap of the model that was chosen; for a blend, the
        largest one of its parts; NaN with `monotone`, which is imposed afterwards.
    solver_status_, n_iter_, utility_, encoding_, n_features_in_, feature_names_in_
        As in `GAIRegressor`.

    Notes
    -----
    Ratings with up to 20 distinct values, each of which occurs often, may be grades.
    `predict` then rounds the utility to the nearest grade if that lowers the error
    out of fold (``choice_.grades``); `utility` never rounds.

    The time grows with the cube of the number of distinct items. Errors out of fold
    of a blend are a little too good, as those of any chosen model.

    References
    ----------
    Herin, Perny and Sokolovska, "Learning GAI-decomposable utility models for
    multiattribute decision making", AAAI 2024.

    Examples
    --------
    >>> from penchant.datasets import make_gai
    >>> from penchant.models import GAIRegressorCV
    >>> sample = make_gai(80, 3, n_factors=2, noise=0.01, random_state=0)
    >>> model = GAIRegressorCV(cv=3).fit(sample.X, sample.y)
    >>> model.choice_.preset, len(model.choice_.candidates) >= 33
    ('fast', True)
    >>> round(model.score(sample.X, sample.y), 1)
    1.0
    """

    @one_thread()
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose and learn the utility.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)
            Rated items.
        y : array-like of shape (n_items,)
            Their ratings; larger is better.
        sample_weight : array-like of shape (n_items,), optional
            How much each rating counts, in fits and in errors.

        Returns
        -------
        self
        """
        items, ratings, weights = check_ratings(self, X, y, sample_weight)
        counted = np.ones(len(ratings), dtype=np.bool_)
        if sample_weight is not None:  # rows of weight 0 are gone already
            counted = np.asarray(sample_weight, dtype=np.float64) > 0
        if self._own_folds:  # the order of the rows must not matter
            order = np.lexsort((weights, ratings, *items.T))
            items, ratings, weights = items[order], ratings[order], weights[order]
        prepared = self._prepare(X, items)
        mean = float(np.average(ratings, weights=weights))
        spread = float(np.sqrt(np.average((ratings - mean) ** 2, weights=weights)))
        if len(ratings) < _MIN_ROWS or not self.encoding_.active or spread == 0.0:
            learned, self.choice_ = _constant(mean, self._preset)
            return self._finish(learned, prepared, 0.0, 1.0)
        standardised = (ratings - mean) / spread
        rated = RatedItems(
            U=prepared.U,
            encoding=self.encoding_,
            max_order=self._order(),
            offset=mean,
            unit=spread,
            grades=_grades(standardised),
            y=standardised,
            weights=weights,
        )
        learned = self._select(rated, counted, RATINGS)
        return self._finish(learned, prepared, mean, spread)

    def predict(self, X: Any) -> FloatArray:
        """Predict ratings: the utility of items, or the nearest grade.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        utility = self.utility(X)
        grades = self.choice_.grades
        return utility if grades is None else snap(utility, grades)


class GAIRankerCV(RankerMixin, BaseGAICV):
    """Learn a utility from comparisons, with settings chosen by cross-validation.

    Candidates are kernel machines over all factors, with product kernels of several
    scales, with and without a logarithmic warp of skewed attributes. A sparse model
    with a certificate, on the kernel of the best one, takes its place if its error
    is at most 5 % larger. `choice_` tells what was chosen
    and why (GAI-6, GAI-7).

    Parameters
    ----------
    preset : {"fast", "paper"}, default="fast"
        "fast": two scales. "paper": the published settings (Gaussian kernel with
        scale 1), C by 3 folds on the certified sparse path. "accurate", which is gone,
        means "fast".
    sparse : "auto" or bool, default="auto"
        True: always keep the sparse model; False: do not try it. "paper" is always
        sparse.
    max_order : int or None, default=None
        Largest number of attributes in a factor; None: no limit for dense models
        and "paper", and for sparse ones 3, or 2 with more than 6 attributes.
    domain : "data", (low, high) or sequence, default="data"
        What maps to [0, 1], as in `GAIRanker`.
    categorical_features : array-like or None, default=None
        Attributes whose values are names without an order: a mask, indices or
        names. Items bring theirs.
    monotone : dict, "directions" or None, default=None
        {attribute index or name: +1 or -1}, as in `GAIRanker`; the model is then
        sparse.
    cv : int, splitter or None, default=None
        Number of shuffled folds, or what splits the comparisons of positive weight
        between different items; None: 5 folds, 3 for "paper".
    tol : float, default=1e-5
        Relative duality gap to reach.
    n_jobs : int or None, default=None
        Processes for the candidates; None: 1, or what `joblib.parallel_config` says.
    random_state : int, RandomState or None, default=0
        For the folds.

    Attributes
    ----------
    choice_ : GAIChoice
        What was chosen; ``print(model.choice_)`` tells it in words. Errors are
        shares of comparisons that are predicted wrong.
    factors_, factor_weights_, variance_shares_, intercept_
        As in `GAIRanker`.
    dual_gap_, solver_status_, n_iter_, utility_, encoding_
        As in `GAIRanker`.
    n_features_in_, feature_names_in_
        As in `GAIRanker`.

    Examples
    --------
    >>> from penchant.data import Comparisons
    >>> from penchant.datasets import make_gai
    >>> from penchant.models import GAIRankerCV
    >>> sample = make_gai(60, 3, n_factors=2, noise=0.0, random_state=0)
    >>> pairs = sample.X.reshape(30, 2, 3)
    >>> first = sample.y[::2] > sample.y[1::2]
    >>> ranker = GAIRankerCV(cv=3).fit(pairs, first)
    >>> bool(ranker.score(pairs, first) > 0.9)
    True
    """

    @one_thread()
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose and learn the utility.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, n_features), or items
            Pairs; or Items or an array of shape (n_items, n_features).
        y : array-like of shape (n_pairs,), or Comparisons
            1 where the first of the pair is preferred, 0 where the second is; or
            the comparisons between the items.
        sample_weight : array-like of shape (n_pairs,), optional
            How much each pair counts, in fits and in errors.

        Returns
        -------
        self
        """
        pairs = check_pairs(self, X, y, sample_weight)
        if self._own_folds:  # the order of the pairs must not matter
            columns = (pairs.weights, pairs.ties, pairs.losers, pairs.winners)
            order = np.lexsort(columns)
            pairs = replace(
                pairs,
                winners=pairs.winners[order],
                losers=pairs.losers[order],
                ties=pairs.ties[order],
                weights=pairs.weights[order],
            )
        prepared = self._prepare(X, pairs.items)
        n_pairs = len(pairs.winners)
        if n_pairs < _MIN_ROWS or pairs.ties.all():
            raise DataError(
                f"{type(self).__name__} needs {_MIN_ROWS} comparisons or more, not "
                f"all of them ties. Got {n_pairs}. Use GAIRanker for so few."
            )
        compared = ComparedItems(
            U=prepared.U,
            weights=pairs.weights,
            encoding=self.encoding_,
            max_order=self._order(),
            pairs=pairs,
        )
        counted = np.ones(n_pairs, dtype=np.bool_)
        learned = self._select(compared, counted, COMPARISONS)
        return self._finish(learned, prepared, 0.0, 1.0)


def _grades(y: FloatArray) -> tuple[float, ...] | None:
    """Give the values of ratings that seem to be grades."""
    values = np.unique(y)
    few = len(values) <= min(_MAX_GRADES, len(y) // _ROWS_PER_GRADE)
    return tuple(values.tolist()) if few else None


def _constant(value: float, preset: str) -> tuple[LearnedGAI, GAIChoice]:
    """Give the only model for ratings or items that do not vary."""
    nothing = np.zeros(0)
    utility = DualGAI((), (), nothing.reshape(0, 0), nothing, (), value)
    choice = GAIChoice(
        preset=preset,
        candidates=(),
        sparse=False,
        cv_error=0.0,
        dense_error=None,
        sparse_error=None,
        grades=None,
        n_folds=0,
        reason="Items or ratings do not vary (or are fewer than 3): a constant.",
    )
    return LearnedGAI(utility, 0.0, "optimal", 0), choice
