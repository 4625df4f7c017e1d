"""Base of the estimators that learn an explicit capacity, monotone if asked for."""

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
from penchant.choquet._marginals import apply_marginals, fit_with_marginals
from penchant.choquet.solver._losses import HingeLoss, LogisticLoss
from penchant.choquet.solver._monotone import MobiusFit
from penchant.exceptions import ConvergenceWarning
from penchant.kernels import list_subsets
from penchant.typing import FloatArray

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
