"""Support vector machines with the Choquet kernel, read as capacities (CH-4)."""

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.svm import SVC, SVR
from sklearn.utils._param_validation import Interval

from penchant.choquet._base import Answers, LabelMixin, RatingMixin
from penchant.choquet._machine import ChoquetMachine
from penchant.exceptions import NotAnswerableError
from penchant.typing import FloatArray


class ChoquetSVC(LabelMixin, ChoquetMachine):
    """Classify with a support vector machine on the Choquet kernel.

    The machine of the paper. Its decision function is a Choquet integral plus a
    constant, but nothing forces the capacity to be monotone: `monotonicity_` says
    how nearly it is. See `ChoquetClassifier` for one that is monotone for certain.
    Several classes are fitted one against the rest.

    Parameters
    ----------
    k : int, optional
        Largest number of criteria that interact; None: all.
    damping : float or "auto", default="auto"
        Weight ``damping ** s`` of interactions of s criteria; "auto" is 1 over the
        number of criteria. 1.0 is the paper's kernel: it grows like 2^n, and with
        more than ten criteria hardly generalises.
    C : float, default=10.0
        Cost of errors, over the mean of K(x, x) of the training items; so it means
        the same for every kernel. `C_` is what LIBSVM gets. For a cost c as in the
        paper, give c times that mean, which is ``C / C_`` of any fit to the items.
    domain : "data", (low, high) or list, default="data"
        The values that criteria can take, see `ChoquetRegressor`.
    directions : "auto", "up", mapping or sequence, default="auto"
        Which way each criterion is better, see `ChoquetRegressor`. It decides which
        end of a criterion minima look at. Of three or more classes the sorted order
        counts: nothing is constrained, so that it costs little if it has no meaning.
    tol : float, default=1e-5
        Tolerance of LIBSVM's stopping rule.
    max_iter : int, default=-1
        Largest number of LIBSVM's steps; -1: no limit.
    max_time : float or None, default=None
        Seconds after which the fit ends with the best so far, its gap and a warning.
        LIBSVM cannot be interrupted: it is run with more and more steps while there
        is time, which takes up to a third longer in all.
    verbose : int, default=0
        Whether to tell of each run on standard error.
    callback : callable or None, default=None
        Called after each run with a dict of "step", "seconds" and "gap".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    support_ : ndarray of shape (n_support,)
        Rows of the training data that any function uses.
    support_vectors_ : ndarray of shape (n_support, n_features)
        These rows, in [0, 1].
    dual_coef_ : ndarray of shape (n_functions, n_support)
        Their coefficients; one function for two classes, else one per class.
    intercept_ : ndarray of shape (n_functions,)
        Constants.
    capacity_ : Capacity or KernelCapacity, or list of these for several classes
        Not normalised. Up to 4096 Möbius coefficients they are listed; with more, the
        capacity is read off the dual coefficients.
    monotonicity_ : float, or ndarray of shape (n_classes,)
        Share of pairs of sets on which the capacity rises.
    dual_gap_ : float
        Largest gap between primal and dual objective, relative to the first.
    damping_, C_ : float
        Damping and cost that were used.
    domain_, is_down_, directions_
        As in `ChoquetRegressor`.
    n_iter_, solver_status_ : int, str
        LIBSVM's steps, and "optimal" or "stopped".

    References
    ----------
    A. Fallah Tehrani, M. Strickert, E. Hüllermeier, "The Choquet kernel for
    monotone data", ESANN 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import ChoquetSVC
    >>> X = np.random.default_rng(0).random((100, 3))
    >>> y = np.minimum(X[:, 0], X[:, 1]) > 0.4
    >>> model = ChoquetSVC(C=100).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> int(model.capacity_.shapley().argmin())
    2
    """

    def _fit_codes(self, X: Any, answers: Answers) -> None:
        n_classes = self.classes_.size
        turned = self._turn_answers(X, answers, warns=n_classes == 2)
        positive = [1] if n_classes == 2 else range(n_classes)
        signs = [np.where(answers.y == code, 1.0, -1.0) for code in positive]
        self._fit_machines(SVC(), turned, signs)

    def _errors(self, y: FloatArray, values: FloatArray) -> tuple[FloatArray, float]:
        return 1 - y * values, 0.0

    def utility(self, X: Any) -> FloatArray:
        """Give the decision function of two classes: the second one is the better.

        Parameters
        ----------
        X : Items or array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        values = self.decision_function(X)
        if values.ndim == 2:
            raise NotAnswerableError(
                "Three or more classes have no common utility. Use decision_function."
            )
        return values


@dataclass(kw_only=True, eq=False, repr=False)
class ChoquetSVR(RatingMixin, ChoquetMachine):
    """Learn ratings with a support vector machine on the Choquet kernel.

    See `ChoquetSVC`; `ChoquetRegressor` is monotone for certain.

    Parameters
    ----------
    k, damping, C, domain, directions, tol, max_iter, max_time, verbose, callback
        As in `ChoquetSVC`; ratings are scaled to the range 1.
    epsilon : float, default=0.01
        Errors that cost nothing, as a share of the range of the ratings.

    Attributes
    ----------
    support_, support_vectors_, dual_coef_, intercept_
        As in `ChoquetSVC`, in the units of the ratings.
    damping_, C_, domain_, is_down_, directions_, dual_gap_, n_iter_, solver_status_
        As in `ChoquetSVC`.
    capacity_ : Capacity or KernelCapacity
        Not normalised, in the units of the ratings.
    monotonicity_ : float
        Share of pairs of sets on which the capacity rises.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import ChoquetSVR
    >>> X = np.random.default_rng(0).random((100, 3))
    >>> model = ChoquetSVR(C=100, domain=(0, 1)).fit(X, np.minimum(X[:, 0], X[:, 1]))
    >>> model.capacity_.shapley().round(1).tolist()
    [0.5, 0.5, 0.0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ChoquetMachine._parameter_constraints,
        "epsilon": [Interval(Real, 0, None, closed="left")],
    }

    epsilon: float = 0.01

    def _fit_ratings(self, answers: Answers) -> None:
        low, scale = float(answers.y.min()), float(np.ptp(answers.y)) or 1.0
        machine = SVR(epsilon=self.epsilon)
        self._fit_machines(machine, answers, [(answers.y - low) / scale])
        self.dual_coef_ = scale * self.dual_coef_
        self.intercept_ = low + scale * self.intercept_

    def _errors(self, y: FloatArray, values: FloatArray) -> tuple[FloatArray, float]:
        return np.abs(y - values) - self.epsilon, self.epsilon
