"""The parameters of GAI estimators and the common course of their fits."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from penchant._validation import check_weights
from penchant.encoding import Encoding, check_items, make_encoding, make_kernels
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.gai._fit import JudgedItems, LearnedGAI, SparseMachine
from penchant.gai._monotone import monotone_utility
from penchant.gai.binned import (
    FitProgress,
    Loss,
    Rows,
    Spread,
    check_memory,
    fit_binned,
    read_column,
    watched,
)
from penchant.kernels import UnivariateKernel
from penchant.typing import FloatArray
from penchant.utility import GAIModel

__all__ = [
    "BaseGAI",
    "Prepared",
    "check_spread",
    "encoded",
    "encoding_of",
    "pick_columns",
]

_ADVICE = {
    "node_limit": "Set max_order=2 or 3",
    "stalled": "Use a smaller C or a larger tol",
    "time_limit": "Time was up (max_time): allow more, or give fewer rows",
}

_EXACT_ROWS = 1_000
"""Distinct items up to which the exact solver is chosen by itself."""
_PUBLISHED_C = 10.0
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
        "max_time": [Interval(Real, 0, None, closed="neither"), None],
        "verbose": ["verbose"],
        "callback": [callable, None],
    }
    _learned: ClassVar[tuple[str, ...]] = (
        "encoding_",
        "utility_",
        "dual_gap_",
        "solver_status_",
        "solver_",
        "tol_",
        "max_order_",
        "n_iter_",
    )

    def __init__(
        self,
        *,
        C: float | str = "auto",
        epsilon: float = 0.01,
        max_order: int | None = None,
        solver: str = "auto",
        sparse: bool = True,
        sigma: float | Sequence[float] = 1.0,
        domain: Any = "data",
        categorical_features: Any = None,
        kernel: str | Sequence[UnivariateKernel] = "rbf",
        monotone: Mapping[int | str, int] | str | None = None,
        hierarchical: bool = False,
        tol: float | str = "auto",
        max_time: float | None = None,
        verbose: int = 0,
        callback: Callable[[FitProgress], object] | None = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.max_order = max_order
        self.solver = solver
        self.sparse = sparse
        self.sigma = sigma
        self.domain = domain
        self.categorical_features = categorical_features
        self.kernel = kernel
        self.monotone = monotone
        self.hierarchical = hierarchical
        self.tol = tol
        self.max_time = max_time
        self.verbose = verbose
        self.callback = callback

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
        }
        return [name for name, is_asked in asked.items() if is_asked]

    def _choose_solver(self, U: FloatArray | Spread) -> str:
        """Choose the exact solver for few items and for what only it can do."""
        asked = self._asks_exact()
        if self.max_order == 0 and (asked or self.solver == "exact"):
            got = asked[0] if asked else "solver='exact'"
            raise DataError(
                "max_order=0 asks for a linear utility, that of the binned solver. "
                f"Got {got}; leave one of them out."
            )
        if self.solver == "binned" and asked:
            raise DataError(
                f"The binned solver does not know {asked[0]}. Use solver='exact' or "
                "leave it out."
            )
        if isinstance(U, Spread) or self.max_time is not None:
            what = "A Dask table" if isinstance(U, Spread) else "max_time"
            if asked or self.solver == "exact":
                got = asked[0] if asked else "solver='exact'"
                raise DataError(
                    f"{what} needs the binned solver. Got {got}; leave one of them out."
                )
            return "binned"
        if self.solver != "auto":
            chosen = self.solver
        elif asked:
            chosen = "exact"
        elif self.C == "auto" or self.max_order == 0:
            chosen = "binned"
        else:
            n_items = len(np.unique(U, axis=0))
            chosen = "exact" if n_items <= _EXACT_ROWS else "binned"
        if chosen == "exact" and self.sparse:
            _check_exact_memory(U, chosen_by_user=self.solver == "exact")
        return chosen

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
        C = _PUBLISHED_C if isinstance(self.C, str) else self.C
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
        y: FloatArray,
        weights: FloatArray,
        loss: Loss,
        directions: Mapping[int, int],
    ) -> LearnedGAI:
        """Learn over bins: along a path, or at the penalty that C stands for."""
        columns = list(self.encoding_.active)
        kinds = [self.encoding_.categories[i] is not None for i in columns]
        signs = {columns.index(i): s for i, s in directions.items() if i in columns}
        chosen = [pick_columns(side, columns) for side in sides]
        rows = Rows(chosen, y, weights, kinds, signs)
        lam = None if isinstance(self.C, str) else 1.0 / (self.C * weights.sum())
        with watched(self) as watch:
            fit = fit_binned(
                rows,
                loss,
                max_order=2 if self.max_order is None else self.max_order,
                tol=self._gap_to_reach("binned"),
                lam=lam,
                watch=watch,
            )
        utility = fit.utility.placed(columns)
        return LearnedGAI(utility, fit.gap, fit.status, fit.n_iter, fit.solver)

    def _finish(
        self, learned: LearnedGAI, data: Prepared, offset: float, scale: float
    ) -> Self:
        """Make monotone, go back to the user's units, keep the certificate.

        What the exact solver learned is made monotone afterwards: nothing is known of
        its distance from the best monotone utility.
        """
        utility, self.dual_gap_ = learned.utility, learned.gap
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
        if learned.status != "optimal":
            warnings.warn(
                f"{type(self).__name__} reached a relative duality gap of "
                f"{learned.gap:.2g}; {self.tol_:.2g} was asked for. "
                f"{_ADVICE[learned.status]}.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return self


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


def pick_columns(U: Any, columns: Sequence[int]) -> Any:
    """Keep some columns."""
    if isinstance(U, Spread):
        return U.map(partial(np.take, indices=columns, axis=1))
    return U[:, columns]


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


def _check_exact_memory(U: FloatArray, *, chosen_by_user: bool) -> None:
    n_items = len(np.unique(U, axis=0))
    need = 8.0 * n_items**2 * (U.shape[1] / 2 + 350)  # as measured at 1,000 items
    advice = "solver='binned'" if chosen_by_user else "fewer items or a max_order"
    check_memory(need, f"The exact solver with {n_items} distinct items", advice)
