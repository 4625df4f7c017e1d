"""Base of the estimators that learn an explicit capacity; marginals of its criteria."""

from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from penchant._progress import Progress
from penchant._validation import warn_user
from penchant.choquet._base import ChoquetModel
from penchant.choquet._capacity import Capacity
from penchant.choquet._fit import ChoquetOptions, ChoquetRows, choose_order, fit_rows
from penchant.choquet.solver._losses import HingeLoss, LogisticLoss
from penchant.choquet.solver._monotone import MobiusFit
from penchant.exceptions import ConvergenceWarning
from penchant.kernels import list_subsets, subset_minima
from penchant.typing import FloatArray

_TURNS = 20
_STEPS_PER_TURN = 10
_MIN_GAIN = 1e-4  # relative fall of the objective that is worth another turn


def apply_marginals(X: FloatArray, heights: FloatArray) -> FloatArray:
    """Bend each column of X by its curve.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
        Values in [0, 1].
    heights : ndarray of shape (n_features, n_knots)
        Heights of the curves at equally spaced knots from 0 to 1.

    Returns
    -------
    ndarray of shape (n_items, n_features)
    """
    knots = np.linspace(0, 1, heights.shape[1])
    return np.column_stack(
        [np.interp(x, knots, curve) for x, curve in zip(X.T, heights, strict=True)]
    )


def fit_with_marginals(
    rows: ChoquetRows, options: ChoquetOptions, n_knots: int
) -> tuple[MobiusFit, FloatArray]:
    """Fit curves and capacity in turns.

    Parameters
    ----------
    rows : ChoquetRows
        Items in [0, 1], not bent.
    options : ChoquetOptions
        How to fit the capacity.
    n_knots : int
        Knots per curve, both ends included.

    Returns
    -------
    fit : MobiusFit
        The capacity for the last curves.
    heights : ndarray of shape (n_features, n_knots)
        The curves.
    """
    n = rows.items.shape[1]
    # A curve is a sum of ramps between knots with weights on a simplex: rising, from 0
    # to 1, and scores are linear in the weights where the order of criteria is fixed.
    rises = np.full((n, n_knots - 1), 1 / (n_knots - 1))
    ramps = np.clip(
        rows.items[:, :, np.newaxis] * (n_knots - 1) - np.arange(n_knots - 1), 0, 1
    )
    fit = fit_rows(rows, options)
    # Both problems are convex, together they are not: turns end in a stationary point,
    # and the certificate is that of the capacity for the last curves.
    for _ in range(_TURNS):
        bent = _improve_curves(rows, ramps, rises, fit, min(options.k, n))
        items = np.einsum("ijl,jl->ij", ramps, bent)
        refit = fit_rows(replace(rows, items=items), options)
        gain = fit.primal - refit.primal
        # At ties of criteria the gradient is a subgradient, along which the loss may
        # rise.
        if gain <= 0:
            break
        fit, rises = refit, bent
        if gain <= _MIN_GAIN * abs(fit.primal):
            break
        if options.progress is not None and options.progress.is_over:
            break
    heights = np.concatenate([np.zeros((n, 1)), np.cumsum(rises, axis=1)], axis=1)
    return fit, heights / heights[:, -1:]


def _improve_curves(
    rows: ChoquetRows, ramps: FloatArray, rises: FloatArray, fit: MobiusFit, k: int
) -> FloatArray:
    """Take projected gradient steps on the rises of the curves."""
    step = 1.0
    value, gradient = _loss_and_gradient(rows, ramps, rises, fit, k)
    for _ in range(_STEPS_PER_TURN):
        while step > 1e-8:
            # Armijo's rule along the projection; after a step that helped a longer one
            # is tried.
            trial = _project_on_simplices(rises - step * gradient)
            trial_value, trial_gradient = _loss_and_gradient(rows, ramps, trial, fit, k)
            if trial_value < value - 1e-4 / step * float(np.sum((trial - rises) ** 2)):
                break
            step /= 2
        else:
            break
        rises, value, gradient = trial, trial_value, trial_gradient
        step *= 4
    return rises


def _loss_and_gradient(
    rows: ChoquetRows, ramps: FloatArray, rises: FloatArray, fit: MobiusFit, k: int
) -> tuple[float, FloatArray]:
    """Differentiate the loss; at ties of criteria this is one of the subgradients."""
    items = np.einsum("ijl,jl->ij", ramps, rises)
    scores = replace(rows, items=items).scores(fit, k)
    value = float(rows.loss.value(scores))
    slope = rows.loss.subgradient(scores)
    n_items = items.shape[0]
    # Rows of one item add up, so that each item is bent once.
    pull = np.bincount(rows.first, slope, n_items)
    if rows.second is not None:
        pull = pull - np.bincount(rows.second, slope, n_items)
    weights = _criterion_weights(items, fit.mobius, k)
    return value, np.einsum("i,ij,ijl->jl", pull, weights, ramps)


def _criterion_weights(items: FloatArray, mobius: FloatArray, k: int) -> FloatArray:
    """Give the derivative of the Choquet integral by each criterion.

    Each set gives its coefficient to its smallest member.
    """
    n = items.shape[1]
    order = np.argsort(items, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(n)[np.newaxis], axis=1)
    smallest = subset_minima(ranks.astype(np.float64), k).astype(np.int64)
    member = np.take_along_axis(order, smallest, axis=1)
    cells = member + n * np.arange(member.shape[0])[:, np.newaxis]
    weights = np.broadcast_to(mobius, member.shape)
    size = member.shape[0] * n
    sums = np.bincount(cells.ravel(), weights.ravel(), size)
    return np.asarray(sums, dtype=np.float64).reshape(-1, n)


def _project_on_simplices(points: FloatArray) -> FloatArray:
    """Project each row on the rows that are >= 0 and add up to 1."""
    # Michelot: of what remains positive, each gives the same, and the largest stay.
    ordered = -np.sort(-points, axis=1)
    excess = np.cumsum(ordered, axis=1) - 1
    count = np.arange(1, points.shape[1] + 1)
    last = np.count_nonzero(ordered - excess / count > 0, axis=1) - 1
    level = excess[np.arange(points.shape[0]), last] / (last + 1)
    return np.maximum(points - level[:, np.newaxis], 0)


_MAX_AUTO_ORDER = 4


@dataclass(kw_only=True, eq=False, repr=False)
class ChoquetEstimator(ChoquetModel):
    """Base of the estimators that learn an explicit capacity."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ChoquetModel._parameter_constraints,
        "k": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "monotone": ["boolean"],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "marginals": [StrOptions({"spline"}), None],
        "n_knots": [Interval(Integral, 2, None, closed="left")],
        "loss": [StrOptions({"logistic", "hinge"})],
        "representation": [StrOptions({"auto", "exact", "inner"})],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    # Of classes without order: one per class.
    capacity_: Any = field(init=False)
    marginals_: Any = field(init=False)

    k: int | str | None = 2
    monotone: bool = True
    alpha: float = 1e-4
    domain: Any = "data"
    directions: Any = "auto"
    marginals: str | None = None
    n_knots: int = 5
    loss: str = "logistic"
    representation: str = "auto"
    n_folds: int = 5
    tol: float = 1e-7
    max_iter: int = 100
    max_time: float | None = None
    verbose: int = 0
    callback: Any = None
    random_state: Any = None

    def _learn(
        self,
        rows: ChoquetRows,
        total: float | None = None,
        progress: Progress | None = None,
    ) -> tuple[MobiusFit, FloatArray | None]:
        """Choose k, then fit the capacity, with curves if asked for."""
        progress = progress or self._progress()
        options = ChoquetOptions(
            k=1,
            monotone=self.monotone,
            alpha=self.alpha,
            cone=self.representation,
            total=total,
            tol=self.tol,
            max_iter=self.max_iter,
            progress=progress,
        )
        self.k_, self.order_losses_ = self._choose_k(rows, options)
        options = replace(options, k=self.k_)
        if self.marginals is None:
            fit, heights = fit_rows(rows, options), None
        else:
            fit, heights = fit_with_marginals(rows, options, self.n_knots)
        self._record(fit, progress)
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

    def _record(self, fit: MobiusFit, progress: Progress) -> None:
        """Keep the certificate; warn when it is not good enough."""
        self.representation_ = fit.cone
        self.dual_gap_ = fit.gap
        self.n_iter_ = fit.n_iter
        self.solver_status_ = fit.status
        if fit.status == "optimal":
            return
        # As the solver measures it, and compares it with tol.
        relative = fit.gap / max(abs(fit.primal), 1e-9)
        if progress.is_over:
            reached = f"a relative gap of {relative:.1e} after {fit.n_iter} steps"
            progress.warn(reached, "Allow more time, or set a smaller k.")
        else:
            warn_user(
                f"The solver stopped at a relative gap of {relative:.1e} after "
                f"{fit.n_iter} steps, above tol={self.tol:g}. Raise max_iter, alpha "
                "or tol.",
                ConvergenceWarning,
            )

    def _capacity(self, fit: MobiusFit, scale: float = 1.0) -> Capacity:
        subsets = list_subsets(self.n_features_in_, self.k_)
        weights = (scale * fit.mobius).tolist()
        mobius = dict(zip(subsets, weights, strict=True))
        return Capacity(mobius, self.n_features_in_, self._names())

    def _signed_loss(self, sign: FloatArray, weights: FloatArray) -> Any:
        """Make the loss of signed scores that the parameter names."""
        if self.loss == "logistic":
            return LogisticLoss(sign, weights)
        return HingeLoss(sign, np.ones(sign.size), weights)


def integrate(
    capacity: Capacity, unit: FloatArray, heights: FloatArray | None
) -> FloatArray:
    """Give the Choquet integral of each row, bent by marginal utilities if any."""
    return capacity.choquet(unit if heights is None else apply_marginals(unit, heights))
