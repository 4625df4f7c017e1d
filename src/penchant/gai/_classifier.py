"""The estimator that learns classes and ordered grades."""

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import Tags, compute_sample_weight
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from penchant._parallel import one_thread
from penchant._progress import PROGRESS
from penchant._validation import check_weights
from penchant.encoding import check_labelled_items
from penchant.exceptions import DataError
from penchant.gai._base import (
    check_spread,
    encoded,
    encoding_of,
    fit_over_bins,
    progress_of,
    warn_of_gap,
)
from penchant.gai.binned import (
    BinnedFit,
    BinnedGAI,
    Grades,
    Logistic,
    Loss,
    Spread,
    is_spread,
)
from penchant.typing import FloatArray, IntArray
from penchant.utility import GAIModel


class GAIClassifier(GAIModel, ClassifierMixin, BaseEstimator):
    """Learn classes or grades: a curve per attribute and few interactions.

    The log-odds of a class are a sum of functions of few attributes each. Two classes
    need one such utility; more classes one each, learned against all others; ordered
    grades one in all, with a threshold between neighbouring grades. The factors are
    chosen among all sets of up to `max_order` attributes by minimising the logistic
    loss plus the norms of the factors, along a path of penalties of which rows that are
    held out choose one. The utilities of several classes are then brought to one scale,
    with an offset each, at which shares of their exponentials predict the held-out
    rows best. Works from a few dozen rows to a million; blank cells (NaN) are a value
    of their own.

    Parameters
    ----------
    C : float or "auto", default="auto"
        Cost of a unit of loss against a unit of norm; "auto": chosen by held-out rows.
    ordered : bool, default=False
        Whether the classes, sorted, are grades of one quality.
    max_order : {0, 1, 2, 3}, default=2
        Largest number of attributes in a factor; 0: a linear utility.
    domain : "data", (low, high) or sequence, default="data"
        As in GAIRegressor.
    categorical_features : array-like or None, default=None
        Attributes whose values are names without an order: a mask, indices or names.
    class_weight : dict, "balanced" or None, default=None
        How much each class counts.
    tol : float, default=1e-3
        Relative duality gap to reach.
    max_time : float or None, default=None
        Seconds after which the fit ends with the best so far, its gap and a warning.
    verbose : int, default=0
        Whether to show progress in a terminal.
    callback : callable or None, default=None
        Called with a dict after each step of the path: "step", "seconds", "error" of
        the held-out rows and "gap".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    utilities_ : tuple of BinnedGAI
        The log-odds: one for two classes or grades, else one per class, whose
        differences are the log-odds of two classes.
    utility_ : BinnedGAI
        The first of them: that of the second class, or of the grades.
    thresholds_ : ndarray of shape (n_classes - 1,)
        Ordered grades: the utility at which the next grade is as likely as not; else
        empty.
    surprise_ : float or None
        Share of the chances of several classes that is spread evenly, 1 of n_items + 1:
        nobody can be surer after that many rows. None: two classes, grades or a given
        C; the chances of several classes are then those against all others, divided
        by their sum.
    factors_ : tuple of tuple of int
        Factors of `utility_`.
    dual_gap_ : float
        Certified relative distance from the minimum over all candidates; the largest
        of several, before they are brought to one scale.
    solver_ : {"binned", "linear"}
        "linear": held-out rows did not gain from curves and interactions, or none
        were asked for.
    solver_status_ : str
        "optimal", "stalled" or "time_limit".
    n_iter_ : int
        Iterations of the solver at the chosen penalty.
    encoding_ : Encoding
        What the attributes are and how they are encoded.
    n_features_in_ : int
        Number of attributes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from penchant.models import GAIClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GAIClassifier().fit(X, y)
    >>> round(model.score(X, y), 2), model.dual_gap_ < 1e-3
    (0.97, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "ordered": ["boolean"],
        "max_order": [Interval(Integral, 0, 3, closed="both")],
        "domain": [StrOptions({"data"}), "array-like"],
        "categorical_features": ["array-like", None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        **PROGRESS,
    }
    _takes_blanks = True

    classes_: Any
    utilities_: tuple[BinnedGAI, ...]
    thresholds_: FloatArray
    surprise_: float | None = None  # files of older versions have none

    def __init__(
        self,
        *,
        C: float | str = "auto",
        ordered: bool = False,
        max_order: int = 2,
        domain: Any = "data",
        categorical_features: Any = None,
        class_weight: Mapping[Any, float] | str | None = None,
        tol: float = 1e-3,
        max_time: float | None = None,
        verbose: int = 0,
        callback: Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        self.C = C
        self.ordered = ordered
        self.max_order = max_order
        self.domain = domain
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.tol = tol
        self.max_time = max_time
        self.verbose = verbose
        self.callback = callback

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @property
    def utility_(self) -> BinnedGAI:  # type: ignore[override]
        """The log-odds of the second class, or the quality that grades measure."""
        return self.utilities_[0]

    @one_thread()
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the utilities.

        Parameters
        ----------
        X : Items, array-like or Dask array of shape (n_items, n_features)
            A Dask array or data frame stays where it is.
        y : array-like of shape (n_items,)
            Classes or grades.
        sample_weight : array-like of shape (n_items,), optional
            How much each row counts.

        Returns
        -------
        self
        """
        items: Any
        if is_spread(X):
            items, labels, weights = check_spread(self, X, y, sample_weight)
        else:
            items, labels = check_labelled_items(self, X, y)
            weights = check_weights(sample_weight, len(items), "sample_weight")
        check_classification_targets(labels)
        weights = weights * compute_sample_weight(self.class_weight, labels)
        keep = weights > 0
        if not keep.any():
            raise DataError("sample_weight must not be zero for all rows.")
        if not isinstance(items, Spread):  # in pieces, rows of weight 0 stay
            items, labels, weights = items[keep], labels[keep], weights[keep]
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(
                "GAIClassifier needs rows of two classes or more. Got one class, "
                f"{self.classes_.tolist()}."
            )
        self.encoding_ = encoding_of(self, X, items)
        U = encoded(self.encoding_, items)
        self._keep(fits := self._fit_utilities(U, codes.ravel(), weights))
        if len(fits) > 1 and self.C == "auto":
            self._couple(fits, codes.ravel(), weights)
        return self

    def _fit_utilities(
        self, U: FloatArray | Spread, codes: Any, weights: FloatArray
    ) -> list[BinnedFit]:
        """Fit one utility for two classes or grades, else one per class."""
        n_classes = len(self.classes_)
        loss: Loss = Grades(n_classes) if self.ordered else Logistic()
        targets = [codes]
        if not self.ordered and n_classes > 2:
            targets = [codes == k for k in range(n_classes)]
        progress = progress_of(self)
        return [
            fit_over_bins(
                self,
                [U],
                (target.astype(np.float64), weights),
                loss,
                C=self.C,
                max_order=self.max_order,
                tol=self.tol,
                progress=progress,
                keep_scores=len(targets) > 1,
            )
            for target in targets
        ]

    def _couple(
        self, fits: list[BinnedFit], codes: IntArray, weights: FloatArray
    ) -> None:
        """Bring the utilities of several classes to one scale, by held-out rows."""
        scores = np.stack([fit.scores for fit in fits if fit.scores is not None])
        known = ~np.isnan(scores).any(axis=0) & (weights > 0)
        offsets, scale = common_scale(scores[:, known].T, codes[known], weights[known])
        self.utilities_ = tuple(
            utility.scaled(float(offset), scale)
            for utility, offset in zip(self.utilities_, offsets, strict=True)
        )
        self.surprise_ = 1.0 / (1 + np.count_nonzero(weights))

    def _keep(self, fits: list[BinnedFit]) -> None:
        """Keep what the fits say about themselves."""
        self.surprise_ = None
        self.utilities_ = tuple(fit.utility for fit in fits)
        self.thresholds_ = -fits[0].offsets if self.ordered else np.zeros(0)
        if self.ordered:  # thresholds are apart from the utility
            self.utilities_ = (self.utility_.scaled(-self.utility_.intercept, 1.0),)
        self.dual_gap_ = max(fit.gap for fit in fits)
        linear = all(fit.solver == "linear" for fit in fits)
        self.solver_ = "linear" if linear else "binned"
        worst = max(fits, key=lambda fit: (fit.status != "optimal", fit.gap))
        self.solver_status_ = worst.status
        self.n_iter_ = max(1, max(fit.n_iter for fit in fits))
        warn_of_gap(self, worst.status, worst.gap, self.tol)

    def decision_function(self, X: Any) -> FloatArray:
        """Give log-odds: of the second class, or what each class has of them.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,) or (n_items, n_classes)
            Grades: the utility that the thresholds part.
        """
        U = self._encoded(X)
        scores = np.stack([utility.utility(U) for utility in self.utilities_], axis=1)
        return scores if scores.shape[1] > 1 else scores[:, 0]

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the probability of each class.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items, n_classes)
            In the order of `classes_`.
        """
        scores = self.decision_function(X)
        if self.ordered:
            above = expit(scores[:, None] - np.sort(self.thresholds_))
            edges = np.ones((len(scores), 1))
            return -np.diff(np.hstack([edges, above, 0.0 * edges]), axis=1)
        if scores.ndim == 1:
            return np.stack([expit(-scores), expit(scores)], axis=1)
        if self.surprise_ is None:
            chances = expit(scores)
            shares: FloatArray = chances / chances.sum(axis=1, keepdims=True)
        else:
            even = self.surprise_ / scores.shape[1]
            shares = (1 - self.surprise_) * softmax(scores, axis=1) + even
        return shares

    def predict(self, X: Any) -> Any:
        """Give the most likely class of each row.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def common_scale(
    scores: FloatArray, codes: IntArray, weights: FloatArray
) -> tuple[FloatArray, float]:
    """Find offsets b and a scale a for which softmax(a scores + b) is most likely.

    log a and b are thought to be about 0 beforehand, as much as one row can tell.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_classes)
        Of rows that were held out.
    codes : ndarray of int of shape (n_rows,)
        Their classes.
    weights : ndarray of shape (n_rows,)

    Returns
    -------
    offsets : ndarray of shape (n_classes,)
    scale : float
    """
    facts = np.eye(scores.shape[1])[codes]

    def loss(values: FloatArray) -> tuple[float, FloatArray]:
        scale, offsets = np.exp(values[0]), values[1:]
        logs = log_softmax(scale * scores + offsets, axis=1)
        errors = weights[:, None] * (np.exp(logs) - facts)
        slope = np.append(scale * (errors * scores).sum(), errors.sum(axis=0))
        total = -(weights @ (facts * logs).sum(axis=1)) + values @ values
        return float(total), slope + 2 * values

    found = minimize(loss, np.zeros(1 + scores.shape[1]), jac=True, method="L-BFGS-B")
    return found.x[1:], float(np.exp(found.x[0]))
