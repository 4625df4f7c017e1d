"""Parameters, encoding and learned attributes that all Choquet estimators share."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from penchant._validation import check_weights
from penchant.choquet._capacity import Capacity
from penchant.choquet._fit import ChoquetOptions, ChoquetRows, choose_order, fit_rows
from penchant.choquet._marginals import apply_marginals, fit_with_marginals
from penchant.choquet.solver._losses import HingeLoss, LogisticLoss
from penchant.choquet.solver._monotone import MobiusFit
from penchant.data import Items
from penchant.encoding import Domain, check_domain, check_items
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.kernels import list_subsets
from penchant.typing import ArrayLike, FloatArray, IntArray

__all__ = [
    "ChoquetEstimator",
    "bend",
    "check_directions",
    "keep_weighted",
    "make_loss",
    "merge_equal",
]

_MAX_AUTO_ORDER = 4


class ChoquetEstimator(BaseEstimator):
    """Base of the estimators that learn an explicit capacity."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "monotone": ["boolean"],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "domain": [StrOptions({"data"}), "array-like"],
        "directions": ["array-like", None],
        "marginals": [StrOptions({"spline"}), None],
        "n_knots": [Interval(Integral, 2, None, closed="left")],
        "representation": [StrOptions({"auto", "exact", "inner"})],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    _learned: ClassVar[tuple[str, ...]] = (
        "capacity_",
        "domain_",
        "is_down_",
        "marginals_",
        "k_",
        "order_losses_",
        "representation_",
        "dual_gap_",
        "n_iter_",
        "solver_status_",
    )

    # Set by the constructors of the children.
    k: int | str | None
    monotone: bool
    alpha: float
    domain: Any
    directions: Any
    marginals: str | None
    n_knots: int
    representation: str
    n_folds: int
    tol: float
    max_iter: int
    random_state: Any

    def _encode_for_fit(self, X: Any, items: FloatArray) -> FloatArray:
        """Learn the map to [0, 1], larger is better, and apply it."""
        self.domain_: Domain = check_domain(self.domain, X, items)
        self.is_down_ = check_directions(self.directions, X, items.shape[1])
        return self._to_unit(items)

    def _to_unit(self, items: FloatArray) -> FloatArray:
        unit = self.domain_.transform(items)
        return np.where(self.is_down_, 1 - unit, unit)

    def _encode(self, X: Any) -> FloatArray:
        """Map items to [0, 1] as in fit."""
        check_is_fitted(self)
        return self._to_unit(check_items(self, X, reset=False))

    def _learn(
        self, rows: ChoquetRows, total: float | None = None
    ) -> tuple[MobiusFit, FloatArray | None]:
        """Choose k, then fit the capacity, with curves if asked for."""
        options = ChoquetOptions(
            k=1,
            monotone=self.monotone,
            alpha=self.alpha,
            cone=self.representation,
            total=total,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self.k_, self.order_losses_ = self._choose_k(rows, options)
        options = replace(options, k=self.k_)
        if self.marginals is None:
            fit, heights = fit_rows(rows, options), None
        else:
            fit, heights = fit_with_marginals(rows, options, self.n_knots)
        self._record(fit)
        return fit, heights

    def _choose_k(
        self, rows: ChoquetRows, options: ChoquetOptions
    ) -> tuple[int, dict[int, float]]:
        n = rows.items.shape[1]
        if self.k is None:
            return n, {}
        if self.k != "auto":
            return min(int(self.k), n), {}
        orders = range(1, min(n, _MAX_AUTO_ORDER) + 1)
        random_state = check_random_state(self.random_state)
        return choose_order(rows, options, orders, self.n_folds, random_state)

    def _record(self, fit: MobiusFit) -> None:
        """Keep the certificate; warn when it is not good enough."""
        self.representation_ = fit.cone
        self.dual_gap_ = fit.gap
        self.n_iter_ = fit.n_iter
        self.solver_status_ = fit.status
        if fit.status != "optimal":
            relative = fit.gap / max(abs(fit.primal), 1e-9)
            warnings.warn(
                f"The solver stopped at a relative gap of {relative:.1e} after "
                f"{fit.n_iter} steps, above tol={self.tol:g}. Raise max_iter, alpha "
                "or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _capacity(self, fit: MobiusFit, scale: float = 1.0) -> Capacity:
        names = getattr(self, "feature_names_in_", None)
        n = self.n_features_in_
        weights = (scale * fit.mobius).tolist()
        return Capacity(
            dict(zip(list_subsets(n, self.k_), weights, strict=True)),
            n,
            None if names is None else tuple(names),
        )


def check_directions(directions: Any, X: Any, n_features: int) -> Any:
    """Tell which attributes are better when lower.

    Parameters
    ----------
    directions : sequence of {"up", "down"} or None
        One entry per attribute; None: all up.
    X : Items or array-like
        Items are encoded so that larger is better; they bring their directions.
    n_features : int
        Number of attributes.

    Returns
    -------
    ndarray of bool of shape (n_features,)
    """
    if directions is None:
        return np.zeros(n_features, dtype=bool)
    if isinstance(X, Items):
        raise DataError(
            "Items bring the directions of their attributes. Leave directions=None, "
            "or change the attributes."
        )
    words: Sequence[Any] = list(directions)
    unknown = [word for word in words if word not in ("up", "down")]
    if len(words) != n_features or unknown:
        raise DataError(
            f"directions must hold 'up' or 'down' for each of the {n_features} "
            f"attributes. Got {words!r}."
        )
    return np.array([word == "down" for word in words])


def keep_weighted(
    sample_weight: ArrayLike | None, n_samples: int
) -> tuple[Any, FloatArray]:
    """Give the rows with a positive weight, and their weights."""
    weights = check_weights(sample_weight, n_samples, "sample_weight")
    kept = np.flatnonzero(weights > 0)
    if kept.size == 0:
        raise DataError(
            "At least one row must have a positive sample_weight. Got zeros only."
        )
    return kept, weights[kept]


def bend(unit: FloatArray, heights: FloatArray | None) -> FloatArray:
    """Apply marginal utilities where there are any."""
    return unit if heights is None else apply_marginals(unit, heights)


def make_loss(
    name: str, sign: FloatArray, weights: FloatArray
) -> LogisticLoss | HingeLoss:
    """Make the loss of signed scores that an estimator's parameter names."""
    if name == "logistic":
        return LogisticLoss(sign, weights)
    return HingeLoss(sign, np.ones(sign.size), weights)


def merge_equal(
    unit: FloatArray, y: Any, weights: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Give one row of each kind of equal rows, and the sums of their weights.

    The problem stays the same and gets smaller; it no longer depends on the order of
    rows, nor on whether a row is repeated or weighted.
    """
    _, first, kind = np.unique(
        np.column_stack([unit, y]), axis=0, return_index=True, return_inverse=True
    )
    sums = np.bincount(kind.ravel(), weights)
    return first, np.asarray(sums, dtype=np.float64)
