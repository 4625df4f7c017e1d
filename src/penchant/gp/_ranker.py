"""GaussianProcessRanker: one person's utility with its uncertainty."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import ndtr
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from penchant._progress import PROGRESS, Progress
from penchant._validation import warn_user
from penchant.encoding import RankerMixin, make_encoding
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.gp._fit import ProcessFit, fit_exactly, fit_in_features
from penchant.gp._kernels import AnovaItemKernel, kernel_family
from penchant.gp._ranker_answers import check_answers
from penchant.typing import FloatArray
from penchant.utility import DualGAI, Factor, GAIModel, GAIUtility

LARGEST_EXACT = 500
"""Items or answers, whichever are fewer, up to which nothing is approximated."""


class _NoPartsError(DataError, AttributeError):
    """A utility without parts was asked for them; so it lacks the attribute, too."""


@dataclass(kw_only=True, eq=False, repr=False)
class GaussianProcessRanker(RankerMixin, GAIModel, BaseEstimator):
    """Learn one person's utility and how sure it is, from answers of any kind.

    The utility has a Gaussian process prior; an answer is right up to normal noise
    (GP-1). Comparisons, ties, ratings, rankings and choices count together. Length
    scales, variances, the width of ties and the thresholds of ratings are learned
    by their evidence (GP-5), under weak priors that keep them off 0 and infinity.

    Parameters
    ----------
    kernel : {"anova", "rbf"}, default="anova"
        "anova": a sum of functions of few attributes each, all of zero mean, so that
        the posterior is a GAI utility that can be read part by part (`decompose`).
        "rbf": the squared-exponential kernel with a length scale per attribute.
    max_order : int, default=2
        Largest number of attributes in a part of "anova".
    inference : {"laplace", "ep"}, default="laplace"
        Laplace's approximation (GP-4), or expectation propagation (GP-10): closer
        where the noise is small against the utilities, and slower.
    length_scale : float, array-like of shape (n_features,) or None, default=None
        Centre of the prior of the length scales on [0, 1]; None: 0.7 for "anova",
        0.3 sqrt(n_features) for "rbf".
    variance : float or None, default=None
        Centre of the prior of the variance of the utility: all of "rbf", that of
        the parts of single attributes together for "anova". None: 4 noise^2.
    noise : float, default=1.0
        Standard deviation of the noise: the unit of the utility. It is not learned,
        since answers tell its ratio to the utilities only.
    tie_width : float or None, default=None
        Centre of the prior of the difference below which items are tied. None:
        half the noise.
    learn : bool, default=True
        Whether to learn by evidence; False: all stay at the centres of their priors.
    domain : "data", (low, high) or sequence, default="data"
        What maps to [0, 1]: the range of the training data; two ends for all
        attributes; or for each attribute its two ends or, if more than two, its
        levels in order. Later values outside are clamped. Items bring their own.
    categorical_features : array-like or None, default=None
        Attributes whose values are names without an order: a mask, indices or
        names. Items bring theirs.
    tol : float, default=0.05
        Learning stops where no slope of the log evidence is larger.
    max_iter : int, default=100
        Largest number of steps of learning.
    approximation : {"auto", "none", "nystrom"}, default="auto"
        "none": the posterior of all items that answers speak of. "nystrom": learn
        by evidence from 300 answers drawn at random, then the utility from all
        answers, in features of few items. "auto": "nystrom" with
        ``inference="laplace"`` and more than 500 items and answers.
    n_inducing : int, default=200
        Largest number of items that features of "nystrom" are made of.
    max_time : float or None, default=None
        Seconds after which the fit ends with the best so far, and a warning.
    verbose : int, default=0
        Above 0 each step is told on standard error.
    callback : callable or None, default=None
        Called after each step with a dict: step, seconds, and the gap: the largest
        slope of the log evidence while learning, that of `gap_` afterwards.
    random_state : int, RandomState or None, default=0
        Draws answers and items for "nystrom".

    Attributes
    ----------
    log_evidence_ : float
        Logarithm of the probability of the answers, to compare models of the same
        answers.
    process_ : GaussianProcess
        The posterior as plain arrays, with its kernel.
    hyper_parameters_ : HyperParameters
        Tie width and thresholds, and all parameters as they were optimised.
    solver_status_ : {"optimal", "stalled", "time_limit"}
        Whether learning and inference reached their tolerances.
    n_iter_ : int
        Steps of learning.
    gap_ : float
        What the inference left: the length of its next step, in standard deviations
        of the posterior.
    approximation_ : {"none", "nystrom"}
        Which one was used.
    n_inducing_ : int or None
        Items that stand for all; None without approximation.
    residual_ : float or None
        Share of the prior variance of the items that features of these leave out,
        and that stays as it was; None without approximation.
    encoding_ : Encoding
        What the attributes are and how they are encoded.
    n_features_in_ : int
        Number of attributes.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Their names, if the items had any.

    Notes
    -----
    Attributes with a single value in the training data take no part. Without
    approximation a step costs O(n^3 + n_answers) with Laplace's approximation, and
    O(n^2 n_answers) with expectation propagation, n the smaller of the number of
    answers and that of the items they speak of. With "nystrom" it is
    O(n_answers n_inducing^2).

    References
    ----------
    Chu and Ghahramani, "Preference learning with Gaussian processes", ICML 2005.

    Examples
    --------
    >>> from penchant.data import Choices, Comparisons
    >>> from penchant.models import GaussianProcessRanker
    >>> flats = [[30, 1], [55, 3], [70, 2], [45, 5]]  # size, quietness
    >>> answers = [Comparisons([1, 2], [0, 0]), Choices([[0, 1, 2]], [2])]
    >>> model = GaussianProcessRanker().fit(flats, answers)
    >>> mean, deviation = model.utility(flats, return_std=True)
    >>> mean.argmax(), bool(deviation[3] > deviation[2])
    (np.int64(2), True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"anova", "rbf"})],
        "max_order": [Interval(Integral, 1, None, closed="left")],
        "inference": [StrOptions({"laplace", "ep"})],
        "length_scale": [Interval(Real, 0, None, closed="neither"), "array-like", None],
        "variance": [Interval(Real, 0, None, closed="neither"), None],
        "noise": [Interval(Real, 0, None, closed="neither")],
        "tie_width": [Interval(Real, 0, None, closed="neither"), None],
        "learn": ["boolean"],
        "domain": [StrOptions({"data"}), "array-like"],
        "categorical_features": ["array-like", None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "approximation": [StrOptions({"auto", "none", "nystrom"})],
        "n_inducing": [Interval(Integral, 1, None, closed="left")],
        **PROGRESS,
        "random_state": ["random_state"],
    }

    _takes_blanks = True  # a blank number counts as the median

    kernel: str = "anova"
    max_order: int = 2
    inference: str = "laplace"
    length_scale: float | Sequence[float] | None = None
    variance: float | None = None
    noise: float = 1.0
    tie_width: float | None = None
    learn: bool = True
    domain: Any = "data"
    categorical_features: Any = None
    tol: float = 0.05
    max_iter: int = 100
    approximation: str = "auto"
    n_inducing: int = 200
    max_time: float | None = None
    verbose: int = 0
    callback: Callable[[dict[str, Any]], Any] | None = None
    random_state: Any = 0

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the utility and its uncertainty.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, n_features), or items
            Pairs; or Items or an array of shape (n_items, n_features).
        y : array-like of shape (n_pairs,), evidence, or a list of evidence
            1 where the first of the pair is preferred, 0 where the second is; or
            Comparisons, Ratings, Rankings or Choices about the items, or a list of
            these. A rating is a level of a common scale; a ranking compares each
            item with the next. Where Comparisons hold ties, the others among them
            say that the difference exceeds the tie width.
        sample_weight : array-like of shape (n_pairs,), optional
            How much each pair counts; for pairs or Comparisons alone.

        Returns
        -------
        self
        """
        items, answers = check_answers(self, X, y, sample_weight)
        names = getattr(self, "feature_names_in_", None)
        self.encoding_ = make_encoding(
            self,
            items,
            self.domain,
            self.categorical_features,
            names,
            fills_blanks=True,
        )
        U = self.encoding_.transform(answers.items)
        ratio = None if self.variance is None else self.variance / self.noise**2
        make_family = partial(
            kernel_family,
            self.kernel,
            encoding=self.encoding_,
            max_order=self.max_order,
            length_scale=self.length_scale,
            variance=ratio,
        )
        progress = Progress(
            type(self).__name__, self.max_time, self.verbose, self.callback
        )
        self.approximation_ = self._choose(min(len(U), len(answers.rows)))
        fit = fit_exactly if self.approximation_ == "none" else fit_in_features
        return self._finish(fit(make_family, answers, U, self, progress), progress)

    def _choose(self, size: int) -> str:
        """Say whether to approximate, by the size of the exact system."""
        wanted = self.approximation
        if wanted == "nystrom" and self.inference == "ep":
            raise DataError(
                "approximation='nystrom' needs inference='laplace'. Got 'ep'."
            )
        if wanted != "auto":
            return str(wanted)
        many = size > LARGEST_EXACT and self.inference == "laplace"
        return "nystrom" if many else "none"

    def _finish(self, fit: ProcessFit, progress: Progress) -> Self:
        self.process_ = fit.process
        self.hyper_parameters_ = fit.learned.hyper
        self.log_evidence_ = fit.log_evidence
        self.n_iter_ = fit.learned.n_iter
        self.gap_, self.residual_ = fit.gap, fit.residual
        self.n_inducing_ = None if fit.residual is None else len(fit.process.items)
        is_optimal = fit.learned.is_optimal and fit.is_inferred
        self.solver_status_ = "optimal" if is_optimal else "stalled"
        if not is_optimal and progress.is_over:
            self.solver_status_ = "time_limit"
            progress.warn(
                f"{self.n_iter_} steps of learning, and a gap of {fit.gap:.2g} in its "
                "inference"
            )
        elif not fit.learned.is_optimal:
            self._warn(
                f"stopped learning after {self.n_iter_} steps. Increase max_iter or tol"
            )
        elif not fit.is_inferred:
            self._warn(
                f"reached a gap of {fit.gap:.2g} in its inference. Use a larger noise "
                "or a smaller variance"
            )
        return self

    def _warn(self, message: str) -> None:
        warn_user(f"{type(self).__name__} {message}.", ConvergenceWarning)

    @property
    def utility_(self) -> GAIUtility:  # type: ignore[override]  # made when asked for
        """The posterior mean as a GAI utility of encoded items; "anova" only."""
        kernel = self._anova()
        return DualGAI(
            kernel.attributes,
            kernel.kernels,
            self.process_.items[:, list(kernel.attributes)],
            self.process_.noise * self.process_.coef,
            kernel.order_weights,
            0.0,
        )

    def _anova(self) -> AnovaItemKernel:
        check_is_fitted(self)
        kernel = self.process_.kernel
        if not isinstance(kernel, AnovaItemKernel):
            raise _NoPartsError(
                "The utility of kernel='rbf' has no parts. Fit with kernel='anova'."
            )
        return kernel

    def _with(self, utility: GAIUtility) -> Self:
        raise DataError(
            "A posterior keeps all its factors. Learn a GAIRanker from the same "
            "answers for a utility with few."
        )

    def utility(self, X: Any, return_std: bool = False) -> Any:
        """Give the posterior mean of the utility of items; larger is better.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)
            Values outside the domain are clamped to it.
        return_std : bool, default=False
            Whether to give the posterior standard deviations, too.

        Returns
        -------
        mean : ndarray of shape (n_items,)
        deviation : ndarray of shape (n_items,)
            If `return_std`.
        """
        U = self._encoded(X)
        kernel = self.process_.kernel
        gram = kernel.gram(U, self.process_.items)
        mean = self.process_.mean(gram)
        if not return_std:
            return mean
        return mean, self.process_.deviation(kernel.paired(U, U), gram)

    def posterior(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Give the joint belief about the utilities of items.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        mean : ndarray of shape (n_items,)
        cov : ndarray of shape (n_items, n_items)
        """
        U = self._encoded(X)
        kernel = self.process_.kernel
        gram = kernel.gram(U, self.process_.items)
        return self.process_.mean(gram), self.process_.cov(kernel.gram(U, U), gram)

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the probability that the second, and the first, item of pairs wins.

        Parameters
        ----------
        X : array-like of shape (n_pairs, 2, n_features)

        Returns
        -------
        ndarray of shape (n_pairs, 2)
            Columns in the order of the labels 0 and 1 (GP-6); they add up to 1.
        """
        margin = self.decision_function(X)
        pairs = np.asarray(X, dtype=np.float64)
        U, V = (self.encoding_.transform(pairs[:, side]) for side in (0, 1))
        kernel, items = self.process_.kernel, self.process_.items
        # Of the difference of two utilities, whose errors are correlated: never the sum
        # of both variances.
        gram = kernel.gram(U, items) - kernel.gram(V, items)
        prior = kernel.paired(U, U) + kernel.paired(V, V) - 2.0 * kernel.paired(U, V)
        spread = np.hypot(self.process_.deviation(prior, gram), self.noise)
        first = ndtr(margin / spread)
        return np.stack([1.0 - first, first], axis=1)

    def decompose(self, X: Any, return_std: bool = False) -> Any:
        """Give the part that every factor has in the utility of items.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)
        return_std : bool, default=False
            Whether to give the posterior standard deviation of each part, too.

        Returns
        -------
        means : dict of tuple of int to ndarray of shape (n_items,)
            The parts add up to the utility.
        deviations : dict of tuple of int to ndarray of shape (n_items,)
            If `return_std`.
        """
        kernel = self._anova()
        if not self.utility_.complete:
            raise DataError(
                "This model has too many factors to list. Fit with a smaller max_order."
            )
        U = self._encoded(X)
        process = self.process_
        means: dict[Factor, FloatArray] = {}
        deviations: dict[Factor, FloatArray] = {}
        variances = kernel.factor_variances(U) if return_std else {}
        for factor, gram in kernel.factor_grams(U, process.items):
            means[factor] = process.mean(gram)
            if return_std:
                deviations[factor] = process.deviation(variances[factor], gram)
        return (means, deviations) if return_std else means
