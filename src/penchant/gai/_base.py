"""The parameters of GAI estimators and the common course of their fits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from penchant._progress import PROGRESS, Progress
from penchant._validation import check_memory, check_weights, warn_user
from penchant.encoding import (
    Encoding,
    check_items,
    check_rated_items,
    make_encoding,
    make_kernels,
)
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.gai._fit import JudgedItems, LearnedGAI, SparseMachine
from penchant.gai._monotone import monotone_utility
from penchant.gai.binned import BinnedFit, Loss, Rows, Spread, fit_binned, read_column
from penchant.kernels import UnivariateKernel
from penchant.typing import FloatArray
from penchant.utility import GAIModel, GAIUtility

_ADVICE = {
    "node_limit": "Set max_order=2 or 3",
    "stalled": "Use a smaller C or a larger tol",
}

_EXACT_ROWS = 1_000
"""Distinct items up to which the exact solver is chosen by itself."""
PUBLISHED_C = 10.0
_MAX_BINNED_ORDER = 3
_EXACT_TOL, _BINNED_TOL = 1e-5, 1e-3
"""Gaps that tol="auto" stands for."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Encoded items, the kernel of each attribute, and where u must rise or fall.

    Items are an array, or a Spread where the binned solver is to be used.
    """

    U: Any
    kernels: tuple[UnivariateKernel, ...]
    directions: dict[int, int]


@dataclass(kw_only=True, eq=False, repr=False)
class BaseGAI(GAIModel, BaseEstimator):
    """Parameters, attributes and the common course of a fit."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "max_order": [Interval(Integral, 0, None, closed="left"), None],
        "solver": [StrOptions({"auto", "exact", "binned"})],
        "sparse": ["boolean"],
        "sigma": [Interval(Real, 0, None, closed="neither"), "array-like"],
        "domain": [StrOptions({"data"}), "array-like"],
        "categorical_features": ["array-like", None],
        "kernel": [StrOptions({"rbf", "spline", "bspline"}), "array-like"],
        "monotone": [dict, StrOptions({"directions"}), None],
        "hierarchical": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        **PROGRESS,
    }
    _exact_loss: ClassVar[str]
    """What the exact solver minimises; that of the paper."""

    C: float | str = "auto"
    loss: str = "auto"
    epsilon: float = 0.01
    max_order: int | None = None
    solver: str = "auto"
    sparse: bool = True
    sigma: float | Sequence[float] = 1.0
    domain: Any = "data"
    categorical_features: Any = None
    kernel: str | Sequence[UnivariateKernel] = "rbf"
    monotone: Mapping[int | str, int] | str | None = None
    hierarchical: bool = False
    tol: float | str = "auto"
    max_time: float | None = None
    verbose: int = 0
    callback: Callable[[dict[str, Any]], object] | None = None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_blanks
        return tags

    @property
    def _takes_blanks(self) -> bool:
        """Whether blank cells are a value of their own: the binned solver's way."""
        chosen = self.solver == "auto" and self.C == "auto" and not self._asks_exact()
        return self.solver == "binned" or chosen

    def _asks_exact(self) -> list[str]:
        """Name the parameters that only the exact solver knows."""
        asked = {
            "sparse=False": not self.sparse,
            "hierarchical": self.hierarchical,
            "kernel": not (isinstance(self.kernel, str) and self.kernel == "rbf"),
            "sigma": not (np.isscalar(self.sigma) and self.sigma == 1.0),
            f"max_order above {_MAX_BINNED_ORDER}": (self.max_order or 0)
            > _MAX_BINNED_ORDER,
            "solver='exact'": self.solver == "exact",
        }
        return [name for name, is_asked in asked.items() if is_asked]

    def _choose_solver(self, data: Prepared) -> str:
        """Choose the exact solver for few items and for what only it can do."""
        asked = self._asks_exact()
        needed = {
            "A Dask table": isinstance(data.U, Spread),
            "max_time": self.max_time is not None,
            "max_order=0, a linear utility,": self.max_order == 0,
            "solver='binned'": self.solver == "binned",
        }
        needs = [name for name, is_needed in needed.items() if is_needed]
        if needs and asked:
            raise DataError(
                f"{needs[0]} needs the binned solver, which does not know {asked[0]}. "
                "Leave one of them out."
            )
        if needs or (self.C == "auto" and not asked):
            return "binned"
        n_items = len(np.unique(data.U, axis=0))
        if not asked and n_items > _EXACT_ROWS:
            return "binned"
        if self.sparse:
            need = 8.0 * n_items**2 * (data.U.shape[1] / 2 + 350)  # as at 1,000 items
            advice = "solver='binned'" if self.solver == "exact" else "max_order=2"
            what = f"The exact solver with {n_items} distinct items"
            check_memory(need, what, f"Use {advice}, or fewer items.")
        return "exact"

    def _choose_loss(self, solver: str, smooth: str) -> str:
        """Choose the loss of the paper with a number for C, a smooth one for a path."""
        if solver == "exact" and self.loss not in ("auto", self._exact_loss):
            raise DataError(
                f"The exact solver has the {self._exact_loss} loss only. Use "
                f"loss={self._exact_loss!r} or solver='binned'."
            )
        if self.loss != "auto":
            return self.loss
        is_path = solver == "binned" and self.C == "auto"
        return smooth if is_path else self._exact_loss

    def _gap_to_reach(self, solver: str) -> float:
        """Give tol as a number."""
        if not isinstance(self.tol, str):
            return self.tol
        return _EXACT_TOL if solver == "exact" else _BINNED_TOL

    def _prepare(self, X: Any, items: FloatArray | Spread) -> Prepared:
        """Find out what the attributes are, and encode the items."""
        self.encoding_ = encoding_of(self, X, items)
        return Prepared(
            encoded(self.encoding_, items),
            make_kernels(self.kernel, self.sigma, self.encoding_),
            self.encoding_.directions(self.monotone),
        )

    def _order(self) -> int:
        """Give the largest order of a factor of the exact solver."""
        n_active = len(self.encoding_.active)
        return min(self.max_order or n_active, n_active)

    def _learn_exact(self, data: Prepared, judged: JudgedItems) -> LearnedGAI:
        """Learn few factors with a certificate, or all factors up to max_order."""
        C = PUBLISHED_C if isinstance(self.C, str) else self.C
        tol = self._gap_to_reach("exact")
        if not self.sparse:
            machine = judged.dense_machine(data.kernels)
            return judged.fit_machine(machine, C=C, epsilon=self.epsilon, tol=tol)
        # Equal items are merged before they have features: rounding may tell these
        # apart, and the solver would then take the items for different ones.
        items, item_of = np.unique(data.U, axis=0, return_inverse=True)
        evidence = judged.evidence(self.epsilon).merged(item_of.ravel())
        active = self.encoding_.active
        return SparseMachine(items, data.kernels, active, self.max_order).fit(
            evidence, C=C, tol=tol, hierarchical=self.hierarchical
        )

    def _learn_binned(
        self,
        sides: Sequence[FloatArray | Spread],
        said: Sequence[FloatArray],
        loss: Loss,
        directions: Mapping[int, int],
        C: float | str = "auto",
    ) -> BinnedFit:
        """Learn over bins: along a path, or at the penalty that C stands for."""
        return fit_over_bins(
            self,
            sides,
            said,
            loss,
            C=C,
            max_order=2 if self.max_order is None else self.max_order,
            tol=self._gap_to_reach("binned"),
            progress=progress_of(self),
            directions=directions,
        )

    def _finish(
        self,
        learned: LearnedGAI | BinnedFit,
        data: Prepared,
        offset: float,
        scale: float,
    ) -> Self:
        """Make monotone, go back to the user's units, keep the certificate.

        What the exact solver learned is made monotone afterwards: nothing is known of
        its distance from the best monotone utility.
        """
        utility: GAIUtility = learned.utility
        self.dual_gap_ = learned.gap
        if data.directions and learned.solver == "exact":
            utility = monotone_utility(utility, data.kernels, data.U, data.directions)
            self.dual_gap_ = np.nan
        self.utility_ = utility.scaled(offset, scale)
        self.solver_status_ = learned.status
        self.solver_ = learned.solver
        self.tol_ = self._gap_to_reach(learned.solver)
        orders = {"binned": self.max_order or 2, "linear": 1}
        self.max_order_ = orders.get(learned.solver, self._order())
        self.n_iter_ = learned.n_iter
        warn_of_gap(self, learned.status, learned.gap, self.tol_)
        return self


def progress_of(estimator: Any) -> Progress:
    """Start the clock of a fit; estimators without `max_time` have no limit."""
    told = {name: getattr(estimator, name, None) for name in PROGRESS}
    return Progress(
        type(estimator).__name__,
        told["max_time"],
        told["verbose"] or 0,
        told["callback"],
    )


def warn_of_gap(estimator: Any, status: str, gap: float, tol: float) -> None:
    """Say that the tolerance was not reached, or time was up, and what to try."""
    name = type(estimator).__name__
    if status == "time_limit":  # the gap is that of the best so far, and may be small
        warn_user(
            f"{name} stopped after max_time = {estimator.max_time:g} s with the best "
            f"so far: a gap of {gap:.2g}. Allow more time, or give fewer rows.",
            ConvergenceWarning,
        )
    elif status != "optimal":
        warn_user(
            f"{name} reached a relative duality gap of {gap:.2g}; {tol:.2g} was asked "
            f"for. {_ADVICE[status]}.",
            ConvergenceWarning,
        )


def fit_over_bins(
    estimator: Any,
    sides: Sequence[FloatArray | Spread],
    said: Sequence[FloatArray],
    loss: Loss,
    *,
    C: float | str,
    max_order: int,
    tol: float,
    progress: Progress,
    directions: Mapping[int, int] | None = None,
    keep_scores: bool = False,
) -> BinnedFit:
    """Fit the attributes that vary, and give them their own numbers again.

    Parameters
    ----------
    estimator : estimator with an Encoding
    sides, loss, max_order, tol, progress, keep_scores
        As in `fit_binned`.
    said : sequence of ndarray
        y and weights.
    C : float or "auto"
        "auto": along a path.
    directions : mapping of int to {+1, -1} or None
        By the attributes' own numbers.
    """
    encoding = estimator.encoding_
    columns = list(encoding.active)
    kinds = [encoding.categories[i] is not None for i in columns]
    signs = {columns.index(i): s for i, s in (directions or {}).items() if i in columns}
    y, weights = said
    fit = fit_binned(
        Rows([_pick(side, columns) for side in sides], y, weights, kinds, signs),
        loss,
        max_order=max_order,
        tol=tol,
        lam=None if isinstance(C, str) else 1.0 / (C * weights.sum()),
        progress=progress,
        keep_scores=keep_scores,
    )
    if hasattr(estimator, "_witness"):  # who asks how sure the fit is
        estimator._witness.append(fit)
    return replace(fit, utility=fit.utility.placed(columns), state=None)


def _pick(U: Any, columns: Sequence[int]) -> Any:
    """Keep some columns."""
    if isinstance(U, Spread):
        return U.map(partial(np.take, indices=columns, axis=1))
    return U[:, columns]


def encoding_of(estimator: Any, X: Any, items: FloatArray | Spread) -> Encoding:
    """Find out what the attributes are."""
    names = getattr(estimator, "feature_names_in_", None)
    if isinstance(items, Spread):
        X = items = np.asarray(items.summary(), dtype=np.float64)
    return make_encoding(
        X, items, estimator.domain, estimator.categorical_features, names
    )


def encoded(encoding: Encoding, items: Any) -> Any:
    """Encode items where they are."""
    if isinstance(items, Spread):
        return items.map(encoding.transform)
    return encoding.transform(items)


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


def check_spread(
    estimator: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[Spread, Any, FloatArray]:
    """Give items in pieces, and what was said of them, which is brought here."""
    items = Spread.from_dask(X)
    check_items(estimator, items.summary(), reset=True)
    said = read_column(y)
    if said.shape != (sum(items.sizes),):
        raise DataError(
            f"y must have one entry per row of X ({sum(items.sizes)}). "
            f"Got shape {said.shape}."
        )
    weights = None if sample_weight is None else read_column(sample_weight)
    return items, said, check_weights(weights, len(said), "sample_weight")
