"""Learn from everyone who answered before, for the next person (GP-1 to GP-11)."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from penchant._progress import PROGRESS, Progress
from penchant._validation import warn_user
from penchant.data import Comparisons, check_items_exist
from penchant.encoding import Encoding, check_items, make_encoding
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.gp._covariance import as_covariance
from penchant.gp._hierarchical import fit_hierarchy
from penchant.gp._kernels import kernel_family
from penchant.gp._kronecker import KroneckerData, Scales, fit_kronecker
from penchant.gp._posterior import Posterior
from penchant.gp._user_features import UserEncoding
from penchant.gp.inference._grouped_sites import GroupedSites
from penchant.typing import FloatArray

_PAPER_NOISE = 0.1  # sigma^2 = 0.01, where the paper starts


@dataclass(kw_only=True, eq=False, repr=False)
class PopulationGP(BaseEstimator):
    """Learn what people's utilities have in common, to ask the next person less.

    With ``prior="hierarchical"`` every person's utilities are ::

        f_u = B't_u + h_u,   h_u ~ N(0, S)

    where t_u are features of the person, if there are any, and the covariance S
    between items is free, but shrunk to one that comes from features of the items,
    if there are any (GP-11). Time is linear in the number of people. With
    ``prior="kronecker"`` and ``inference="laplace"`` it is the model of the paper:
    ``cov(f_u(x), f_v(y)) = k_t(t_u, t_v) k_x(x, y)``, both squared-exponential, in
    time cubic in the number of pairs (person, item) that occur; for about fifty
    people.

    `for_user` gives the belief about a new person. What an answer then costs does
    not depend on the number of people that the model has learned from.

    Parameters
    ----------
    prior : {"hierarchical", "kronecker"}, default="hierarchical"
        How people resemble each other.
    inference : {"ep", "laplace"}, default="ep"
        Expectation propagation (GP-10) or Laplace's approximation (GP-4), for the
        answers of a new person and, with "kronecker", of the training people.
        Laplace gets worse as the noise falls, so that "hierarchical" always learns
        by expectation propagation.
    item_kernel : {"anova", "rbf"}, default="anova"
        How features of items tell of utilities, for ``prior="hierarchical"``: a sum
        of zero-mean functions of up to `max_order` attributes, or the
        squared-exponential kernel. Its scales follow the learned S.
    max_order : int, default=2
        Largest number of attributes in a term of "anova".
    noise : float or None, default=None
        Standard deviation of the noise in a comparison, in units in which items
        have variance 1 between people ("hierarchical") or in those of the start
        values ("kronecker"). None: learned from the answers; with "kronecker" 0.1,
        as in the paper, and the variance of the utility is learned instead.
    tie_width : float, default=0.1
        Two items are called equally good if their noisy utilities differ by less.
    shrinkage : float or None, default=None
        How many people the covariance from item features counts for; None: as many
        as there are items. For ``prior="hierarchical"``.
    optimize : bool, default=True
        Whether scales are learned by evidence; False: they stay at their start,
        which is 1 with "kronecker", as in the paper.
    domain : "data", (low, high) or sequence, default="data"
        What maps to [0, 1] in attributes of items, for ``prior="hierarchical"``;
        Items bring their own.
    categorical_features : array-like or None, default=None
        Attributes of items whose values are names without an order: a mask, indices
        or names. For ``prior="hierarchical"``; Items bring theirs.
    rank : int, default=100
        Above 500 items with features, S is written as features of this number plus
        a diagonal.
    tol : float, default=0.007
        Relative change of the prior per step at which learning stops.
    max_iter : int, default=100
        Largest number of steps.
    max_time : float or None, default=None
        Seconds after which the fit ends with the best so far, and a warning.
    verbose : int, default=0
        Above 0 each step is told on standard error.
    callback : callable or None, default=None
        Called after each step with a dict: step, seconds, and the gap, see `gap_`.
    random_state : int, RandomState or None, default=0
        Draws 2000 items among which those that features are made of are chosen, if
        there are more.

    Attributes
    ----------
    noise_ : float
        Noise in a comparison.
    log_evidence_ : float
        Logarithm of the probability of all answers.
    solver_status_ : {"optimal", "iteration_limit", "time_limit"}
        Whether the gap fell below the tolerance.
    n_iter_ : int
        Steps that were made with all people.
    gap_ : float
        Change of the prior in the last step: the largest of its covariance, relative
        to the largest entry, of the common mean likewise, and of the logarithm of the
        noise. With "kronecker" the largest slope of the log evidence that is left.
    n_items_ : int
        Number of items.
    model_ : DenseHierarchy, LowRankHierarchy or KroneckerModel
        What was learned.
    like_earlier_ : float
        How likely the next person is like these, where a study has learned it from
        those who came after earlier models; else it is not there.
    user_encoding_ : UserEncoding or None
        How features of people become numbers; None: there are none.
    item_encoding_ : Encoding or None
        How items become numbers, with features and ``prior="hierarchical"``.

    Notes
    -----
    Utilities are measured from the average item, so that `threshold` 0 of a
    posterior means "not worse than the average item".

    The noise is learned between 0.1 and 10. Answers that never contradict each
    other, such as those made from rankings, bring it down to 0.1; if the next
    person answers less carefully, say so: ``for_user(x, noise=1.0)``.

    Answers without users are those of one person.

    A small `gap_` says that steps have become short, not that nothing is left: at the
    default tolerance the prior was still 2 to 6 % from where the steps lead, on three
    simulated populations, which moved no chance of a comparison by more than .01. A
    smaller `tol` gets closer.

    People are worked on in blocks of 500 by joblib, so that more than 500 can be
    looked at by several processes or, see :doc:`the guide on clusters
    </course/09_large>`, by a Dask cluster; what is learned is the same to the last bit.

    References
    ----------
    Bonilla, Guo and Sanner, "Gaussian process preference elicitation", NIPS 2010.

    Examples
    --------
    >>> from penchant.datasets import make_population
    >>> from penchant.models import PopulationGP
    >>> people = make_population(n_users=60, n_items=8, random_state=0)
    >>> model = PopulationGP().fit(people.X_items, people.comparisons, people.X_users)
    >>> belief = model.for_user(people.X_users[0])
    >>> told = belief.update(3, 5)
    >>> bool(told.probability(3, 5) > belief.probability(3, 5))
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "prior": [StrOptions({"hierarchical", "kronecker"})],
        "inference": [StrOptions({"ep", "laplace"})],
        "item_kernel": [StrOptions({"anova", "rbf"})],
        "max_order": [Interval(Integral, 1, None, closed="left")],
        "noise": [Interval(Real, 0, None, closed="neither"), None],
        "tie_width": [Interval(Real, 0, None, closed="neither")],
        "shrinkage": [Interval(Real, 0, None, closed="neither"), None],
        "optimize": ["boolean"],
        "domain": [str, tuple, list],
        "categorical_features": ["array-like", None],
        "rank": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        **PROGRESS,
        "random_state": ["random_state"],
    }

    @property
    def _takes_blanks(self) -> bool:
        """Whether a blank number may count as the median: where items are encoded."""
        return bool(self.prior == "hierarchical")

    prior: str = "hierarchical"
    inference: str = "ep"
    item_kernel: str = "anova"
    max_order: int = 2
    noise: float | None = None
    tie_width: float = 0.1
    shrinkage: float | None = None
    optimize: bool = True
    domain: Any = "data"
    categorical_features: Any = None
    rank: int = 100
    tol: float = 0.007
    max_iter: int = 100
    max_time: float | None = None
    verbose: int = 0
    callback: Callable[[dict[str, Any]], Any] | None = None
    random_state: Any = 0

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X_items: Any, comparisons: Comparisons, X_users: Any = None) -> Self:
        """Learn from the answers of many people.

        Parameters
        ----------
        X_items : Items, array-like of shape (n_items, n_features) or None
            Features of the items; None: nothing is known of them
            (``prior="hierarchical"``).
        comparisons : Comparisons
            Answers. With `X_users`, users are numbers of its rows, from 0 on, or
            labels of its index if it is a data frame whose index holds them.
            Without `X_users` they are any labels.
        X_users : array-like or DataFrame of shape (n_users, n_columns), optional
            What is known of the people. Columns that do not hold numbers are taken
            for categories. People may be without answers.

        Returns
        -------
        self
        """
        if not isinstance(comparisons, Comparisons):
            raise DataError(
                "comparisons must be penchant.data.Comparisons. "
                f"Got {type(comparisons).__name__}."
            )
        items = None if X_items is None else check_items(self, X_items, reset=True)
        self.n_items_ = comparisons.n_items if items is None else len(items)
        check_items_exist(comparisons.n_items, self.n_items_)
        if self.n_items_ < 1:
            raise DataError("There must be an item. Got no items and no comparisons.")
        self.user_encoding_ = (
            None if X_users is None else UserEncoding.from_features(X_users)
        )
        self.item_encoding_: Encoding | None = None
        sites = GroupedSites.from_comparisons(
            comparisons, X_users, n_items=self.n_items_, tie_width=self.tie_width
        )
        progress = Progress(
            type(self).__name__, self.max_time, self.verbose, self.callback
        )
        if self.prior == "kronecker":
            self._fit_kronecker(items, X_users, sites, progress)
        else:
            self._fit_hierarchy(items, X_users, sites, progress)
        return self

    def _fit_kronecker(
        self,
        items: FloatArray | None,
        X_users: Any,
        sites: GroupedSites,
        progress: Progress,
    ) -> None:
        if items is None or self.user_encoding_ is None:
            raise DataError(
                "prior='kronecker' needs features of items and of people. Give "
                "X_items and X_users to fit, or use prior='hierarchical'."
            )
        users = self.user_encoding_.numbers(X_users)
        data = KroneckerData.from_answers(items, users, sites)
        start = Scales(1.0, np.ones(items.shape[1]), np.ones(users.shape[1]))
        self.noise_ = _PAPER_NOISE if self.noise is None else float(self.noise)
        self.model_: Any
        self.model_, search = fit_kronecker(
            data,
            start,
            self.noise_,
            inference=self.inference,
            max_iter=self.max_iter if self.optimize else 0,
            go_on=lambda gap: progress.step(gap=gap),
        )
        self.log_evidence_ = self.model_.log_evidence
        self.n_iter_, self.gap_ = search.n_iter, search.gap
        self._certify(search.is_optimal, progress, "the largest slope of the evidence")

    def _fit_hierarchy(
        self,
        items: FloatArray | None,
        X_users: Any,
        sites: GroupedSites,
        progress: Progress,
    ) -> None:
        design = np.ones((sites.n_users, 1))
        if self.user_encoding_ is not None:
            features = self.user_encoding_.standardised(X_users)
            design = np.column_stack([design, features])
        known = None
        if items is not None:
            names = getattr(self, "feature_names_in_", None)
            encoding = make_encoding(
                self,
                items,
                self.domain,
                self.categorical_features,
                names,
                fills_blanks=True,
            )
            self.item_encoding_, encoded = encoding, encoding.transform(items)
            family = kernel_family(
                self.item_kernel, encoded, encoding, self.max_order, variance=1.0
            )
            known = (family, encoded)
        # A covariance of n items has as many directions: so many people make one of
        # full rank.
        shrinkage = self.n_items_ if self.shrinkage is None else self.shrinkage
        self.model_, result = fit_hierarchy(
            sites,
            design,
            known,
            options={
                "shrinkage": float(shrinkage),
                "noise": None if self.noise is None else float(self.noise),
            },
            n_kernel_fits=2 if self.optimize else 0,
            rank=self.rank,
            limits={
                "tol": self.tol,
                "max_iter": self.max_iter,
                "go_on": lambda gap: progress.step(gap=gap),
            },
            rng=check_random_state(self.random_state),
        )
        self.noise_, self.log_evidence_ = result.noise, result.log_evidence
        self.n_iter_, self.gap_ = result.n_iter, result.gap
        self._certify(result.status == "optimal", progress, "the change of the prior")

    def _certify(self, is_optimal: bool, progress: Progress, what: str) -> None:
        """Say how the fit ended; warn if it was not by its tolerance."""
        self.solver_status_ = "optimal" if is_optimal else "iteration_limit"
        if is_optimal:
            return
        if progress.is_over:
            self.solver_status_ = "time_limit"
            progress.warn(f"{what} in the last step was {self.gap_:.3g}")
            return
        warn_user(
            f"PopulationGP stopped after {self.n_iter_} steps, {what} in the last one "
            f"being {self.gap_:.3g} (tol={self.tol}). Increase max_iter or tol.",
            ConvergenceWarning,
        )

    def for_user(
        self,
        x_user: Any = None,
        X_items: Any = None,
        *,
        places: Any = None,
        noise: float | None = None,
        threshold: float = 0.0,
    ) -> Posterior:
        """Give the belief about a person who has not answered yet.

        Parameters
        ----------
        x_user : sequence, mapping or row of a data frame, optional
            What is known of the person, as in `X_users` of fit; None: nothing. With
            ``prior="hierarchical"`` a blank widens the belief, as far as the rest
            does not tell it; with "kronecker" it counts as average.
        X_items : Items or array-like of shape (n, n_features), optional
            Items to speak of, known or new; None: those of fit.
        places : array-like of int of shape (n,), optional
            Which item of fit each of `X_items` is, -1: a new one, with
            ``prior="hierarchical"``; None: those that equal one of fit are that one.
        noise : float, optional
            How carefully this person answers; None: `noise_`, as in training.
        threshold : float, default=0.0
            Utility below which an item is not acceptable.

        Returns
        -------
        Posterior
        """
        check_is_fitted(self, "model_")
        items = None if X_items is None else self._encode_items(X_items)
        known = {} if places is None else {"places": np.asarray(places)}
        mean, cov = self.model_.prior(self._person(x_user), items, **known)
        return Posterior(
            mean,
            as_covariance(cov),
            noise=float(self.noise_ if noise is None else noise),
            tie_width=float(self.tie_width),
            threshold=float(threshold),
            inference=self.inference,
        )

    def _person(self, x_user: Any) -> FloatArray | None:
        """Give a person as the model takes it; None if nothing is known."""
        if x_user is not None:
            return self._described(x_user)
        if self.prior == "kronecker":
            raise DataError(
                "prior='kronecker' needs to know the person: give x_user. With "
                "prior='hierarchical' it may be left out."
            )
        return None

    def _described(self, x_user: Any) -> FloatArray:
        """Give a person of whom something is known as numbers."""
        encoding = self.user_encoding_
        if encoding is None:
            raise DataError(
                "x_user was given, but the model was fitted without X_users. Leave "
                "x_user out, or give X_users to fit."
            )
        rows = (
            encoding.numbers(x_user)
            if self.prior == "kronecker"
            else encoding.standardised(x_user, blank=np.nan)
        )
        if len(rows) != 1:
            raise DataError(f"x_user must describe one person. Got {len(rows)}.")
        return rows[0]

    def _encode_items(self, X_items: Any) -> FloatArray:
        if not hasattr(self, "n_features_in_"):
            raise DataError(
                "New items need features, and the model was fitted without any. Give "
                "X_items to fit."
            )
        items = check_items(self, X_items, reset=False)
        encoding = self.item_encoding_
        return items if encoding is None else encoding.transform(items)
