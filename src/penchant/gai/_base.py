"""The parameters of GAI estimators and the common course of their fits."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from penchant.encoding import make_encoding, make_kernels
from penchant.exceptions import ConvergenceWarning
from penchant.gai._fit import DenseMachine, LearnedGAI, learn_sparse
from penchant.gai._monotone import monotone_utility
from penchant.gai.solver._evidence import Evidence
from penchant.kernels import UnivariateKernel
from penchant.typing import FloatArray
from penchant.utility import GAIModel

__all__ = ["BaseGAI"]

_ADVICE = {
    "node_limit": "Set max_order=2 or 3",
    "stalled": "Use a smaller C or a larger tol",
}


@dataclass(frozen=True, eq=False)
class _Prepared:
    """Encoded items, the kernel of each attribute, and what is asked of them."""

    U: FloatArray
    kernels: tuple[UnivariateKernel, ...]
    active: tuple[int, ...]
    directions: dict[int, int]


class BaseGAI(GAIModel, BaseEstimator):
    """Parameters, attributes and the common course of a fit."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "max_order": [Interval(Integral, 1, None, closed="left"), None],
        "sparse": ["boolean"],
        "sigma": [Interval(Real, 0, None, closed="neither"), "array-like"],
        "domain": [StrOptions({"data"}), "array-like"],
        "categorical_features": ["array-like", None],
        "kernel": [StrOptions({"rbf", "spline", "bspline"}), "array-like"],
        "monotone": [dict, StrOptions({"directions"}), None],
        "hierarchical": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }
    _learned: ClassVar[tuple[str, ...]] = (
        "encoding_",
        "utility_",
        "dual_gap_",
        "solver_status_",
        "n_iter_",
    )

    def __init__(
        self,
        *,
        C: float = 10.0,
        epsilon: float = 0.01,
        max_order: int | None = None,
        sparse: bool = True,
        sigma: float | Sequence[float] = 1.0,
        domain: Any = "data",
        categorical_features: Any = None,
        kernel: str | Sequence[UnivariateKernel] = "rbf",
        monotone: Mapping[int | str, int] | str | None = None,
        hierarchical: bool = False,
        tol: float = 1e-5,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.max_order = max_order
        self.sparse = sparse
        self.sigma = sigma
        self.domain = domain
        self.categorical_features = categorical_features
        self.kernel = kernel
        self.monotone = monotone
        self.hierarchical = hierarchical
        self.tol = tol

    def _prepare(self, X: Any, items: FloatArray) -> _Prepared:
        """Find out what the attributes are, and encode the items."""
        names = getattr(self, "feature_names_in_", None)
        self.encoding_ = make_encoding(
            X, items, self.domain, self.categorical_features, names
        )
        return _Prepared(
            self.encoding_.transform(items),
            make_kernels(self.kernel, self.sigma, self.encoding_),
            self.encoding_.active,
            self.encoding_.directions(self.monotone),
        )

    def _learn_sparse(self, data: _Prepared, evidence: Evidence) -> LearnedGAI:
        return learn_sparse(
            data.U,
            data.kernels,
            data.active,
            evidence,
            C=self.C,
            tol=self.tol,
            max_order=self.max_order,
            hierarchical=self.hierarchical,
        )

    def _machine(self, data: _Prepared) -> DenseMachine:
        """Make the kernel machine of all factors up to max_order."""
        n_orders = min(self.max_order or len(data.active), len(data.active))
        return DenseMachine(data.U, data.kernels, data.active, [1.0] * n_orders)

    def _finish(
        self, learned: LearnedGAI, data: _Prepared, offset: float, scale: float
    ) -> Self:
        """Make monotone, go back to the user's units, keep the certificate.

        The certificate is that of what was learned, before it was made monotone.
        """
        utility = learned.utility
        if data.directions:
            utility = monotone_utility(utility, data.kernels, data.U, data.directions)
        self.utility_ = utility.scaled(offset, scale)
        self.dual_gap_ = learned.gap
        self.solver_status_ = learned.status
        self.n_iter_ = learned.n_iter
        if learned.status != "optimal":
            warnings.warn(
                f"{type(self).__name__} reached a relative duality gap of "
                f"{learned.gap:.2g}; {self.tol:.2g} was asked for. "
                f"{_ADVICE[learned.status]}.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return self
