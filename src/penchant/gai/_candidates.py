"""Candidate GAI models: their kernels, and their predictions out of fold."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from penchant.encoding import Encoding, make_kernels
from penchant.exceptions import DataError
from penchant.gai._choice import GAICandidate
from penchant.gai._fit import Fold, JudgedItems, LearnedGAI, RatedItems
from penchant.gai.solver._anova_evidence import AnovaEvidence, AnovaEvidenceResult
from penchant.kernels import RBF, Categorical, UnivariateKernel
from penchant.typing import ArrayLike, FloatArray
from penchant.utility import DualGAI

__all__ = [
    "EvidenceFamily",
    "ProductFamily",
    "ScoredCandidate",
    "evidence_families",
    "skewness_rates",
]

_RATES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
_SKEWED = 0.5
"""Attributes with a smaller skewness are left as they are."""
_DELTA_SCALE = 0.05
"""On category codes 0, 1, ... a Gaussian kernel of this scale is the delta kernel."""
_EVIDENCE_COSTS, _EVIDENCE_EPSILONS = (1.0, 10.0), (0.05,)
_FEW_ATTRIBUTES = 6
"""Up to here the evidence families have all orders; above, orders up to 3."""
_EVIDENCE_LIMIT = 2000
"""With more distinct items the evidence would take too long."""
_EVIDENCE_ITERATIONS = 50
_FOLD_ITERATIONS = 15
_EVIDENCE_ROWS = 600
"""Parameters of a kernel are learned from at most so many rows."""


@dataclass(frozen=True, eq=False)
class ScoredCandidate:
    """A candidate, its predictions out of fold, and what it takes to fit it.

    Parameters
    ----------
    candidate : GAICandidate
    predictions : ndarray of shape (n_predictions,)
        For the test rows of all folds, one fold after the other.
    kernels : tuple of UnivariateKernel
        One per attribute, for the fit on all rows.
    order_weights : tuple of float or None
        None: 1 for all orders.
    utility : DualGAI or None
        The fit on all rows where it is known already.
    """

    candidate: GAICandidate
    predictions: FloatArray
    kernels: tuple[UnivariateKernel, ...]
    order_weights: tuple[float, ...] | None = None
    utility: DualGAI | None = None

    def fit(self, items: JudgedItems, tol: float) -> LearnedGAI:
        """Fit the candidate to all rows."""
        if self.utility is not None:
            return LearnedGAI(self.utility, 0.0, "optimal", 0)
        machine = items.dense_machine(self.kernels, self.order_weights)
        C, epsilon = float(self.candidate.C or 0.0), self.candidate.epsilon
        return items.fit_machine(machine, C=C, epsilon=epsilon, tol=tol)


@dataclass(frozen=True, eq=False)
class ProductFamily:
    """The product kernel prod_i (1 + weight t_i) with support vector machines.

    A family shares its Gram matrices: it is the unit of parallel work.

    Parameters
    ----------
    items : JudgedItems
    loss : {"tube", "hinge"}
    scale, weight : float
        Length scale and weight of all attributes.
    rates : ndarray of shape (n_features,)
        Rates of the warps of skewed attributes; 0: none.
    costs, epsilons : tuple
        The grid of the machine, for a kernel of mean diagonal 1.
    """

    items: JudgedItems
    loss: str
    scale: float
    weight: float
    rates: FloatArray
    costs: tuple[float, ...]
    epsilons: tuple[float | None, ...]

    def evaluate(self, folds: Sequence[Fold]) -> list[ScoredCandidate]:
        """Fit to the training rows of every fold, predict its test rows."""
        items, scale, weight = self.items, self.scale, self.weight
        kernels = _attribute_kernels(items.encoding, scale, weight, self.rates)
        machine = items.dense_machine(kernels)
        warp = bool(self.rates.any())
        scored = []
        for cost, epsilon in product(self.costs, self.epsilons):
            C = items.machine_cost(cost, machine, weight)
            parts = [
                items.predict_fold(machine, fold, C=C, epsilon=epsilon)
                for fold in folds
            ]
            candidate = GAICandidate(
                "product", self.loss, warp, scale, weight, C, epsilon
            )
            scored.append(ScoredCandidate(candidate, np.concatenate(parts), kernels))
        return scored


@dataclass(frozen=True, eq=False)
class EvidenceFamily:
    """Kernels with a scale and a weight per attribute, by evidence of ratings.

    The mean of the Gaussian process is a candidate, and so are support vector
    regressions on its kernel. The evidence is maximised anew on the training rows of
    each fold, from the parameters of the fit on all rows.

    Parameters
    ----------
    items : RatedItems
        With standardised ratings.
    order : int
        Largest order of the products.
    warp : bool
        Whether numeric attributes are warped, with rates by evidence.
    costs, epsilons : tuple of float
        Grid of the regressions, for a kernel of mean diagonal 1.
    """

    items: RatedItems
    order: int
    warp: bool
    costs: tuple[float, ...]
    epsilons: tuple[float, ...]

    def evaluate(self, folds: Sequence[Fold]) -> list[ScoredCandidate]:
        """Fit to the training rows of every fold, predict its test rows."""
        whole = self._solve(self.items, None)
        tables = [self._judge(fold, whole.parameters) for fold in folds]
        predictions = np.concatenate(tables, axis=1)
        kernels, order_weights, utility = self._machine_of(whole)
        machine = self.items.dense_machine(kernels, order_weights)
        unit = 1.0 / machine.mean_diagonal(self.items.weights)
        scales = tuple(whole.scales.round(4).tolist())
        weights = tuple(whole.weights.round(4).tolist())
        gauss = GAICandidate("evidence", "gauss", self.warp, scales, weights)
        scored = [
            ScoredCandidate(gauss, predictions[0], kernels, order_weights, utility)
        ]
        grid = product(self.costs, self.epsilons)
        for (cost, epsilon), values in zip(grid, predictions[1:], strict=True):
            tube = GAICandidate(
                "evidence", "tube", self.warp, scales, weights, cost * unit, epsilon
            )
            scored.append(ScoredCandidate(tube, values, kernels, order_weights))
        return scored

    def _judge(self, fold: Fold, start: FloatArray) -> FloatArray:
        """Give the predictions of the process and of the regressions for a fold."""
        train, test = fold
        items, part = self.items, self._solve(self.items.take(train), start)
        kernels, order_weights, utility = self._machine_of(part)
        machine = items.dense_machine(kernels, order_weights)
        unit = 1.0 / machine.mean_diagonal(items.weights)
        regressions = [
            items.predict_fold(machine, fold, C=cost * unit, epsilon=epsilon)
            for cost, epsilon in product(self.costs, self.epsilons)
        ]
        return np.stack([items.predict(utility, test), *regressions])

    def _solve(
        self, items: RatedItems, start: FloatArray | None
    ) -> AnovaEvidenceResult:
        active = list(items.encoding.active)
        kernels = make_kernels("rbf", 1.0, items.encoding)
        chosen = [kernels[i] for i in active]
        step = -(-len(items.y) // _EVIDENCE_ROWS)
        problem, thinned = (
            AnovaEvidence(
                items.U[::every, active],
                items.y[::every],
                [kernel.measure() for kernel in chosen],
                max_order=min(self.order, items.max_order),
                weights=items.weights[::every],
                warped=[self.warp and isinstance(kernel, RBF) for kernel in chosen],
                fixed_scales=[
                    _DELTA_SCALE if isinstance(kernel, Categorical) else None
                    for kernel in chosen
                ],
            )
            for every in (1, step)
        )
        n_iter = _EVIDENCE_ITERATIONS if start is None else _FOLD_ITERATIONS
        result = thinned.solve(start, max_iter=n_iter)
        # With the parameters of some rows, the process still learns from all of them.
        return result if step == 1 else problem.solve(result.parameters, max_iter=0)

    def _machine_of(
        self, result: AnovaEvidenceResult
    ) -> tuple[tuple[UnivariateKernel, ...], tuple[float, ...], DualGAI]:
        """Give the kernels, the order weights and the utility of a process."""
        encoding = self.items.encoding
        active = list(encoding.active)
        scales, weights, rates = np.ones((3, len(encoding.names)))
        scales[active], weights[active] = result.scales, result.weights
        rates[active] = result.rates
        kernels = _attribute_kernels(encoding, scales, weights, rates)
        order_weights = tuple(result.order_weights[1:].tolist())
        utility = DualGAI(
            encoding.active,
            tuple(kernels[i] for i in active),
            result.items,
            result.coef,
            order_weights,
            float(result.order_weights[0] * result.coef.sum()),
        )
        return kernels, order_weights, utility


def evidence_families(items: RatedItems) -> list[EvidenceFamily]:
    """List the kernels by evidence, unless there are too many items for them."""
    if len(np.unique(items.U, axis=0)) > _EVIDENCE_LIMIT:
        return []
    n_active = len(items.encoding.active)
    largest = n_active if n_active <= _FEW_ATTRIBUTES else 3
    return [
        EvidenceFamily(items, order, warp, _EVIDENCE_COSTS, _EVIDENCE_EPSILONS)
        for order, warp in ((2, False), (largest, False), (largest, True))
    ]


@dataclass(frozen=True)
class WarpedRBF(UnivariateKernel):
    """The Gaussian kernel of log(1 + rate x)/log(1 + rate), centred on [0, 1].

    The measure stays uniform in x, so that warped and other kernels can stand side
    by side in one ANOVA decomposition. The mean is that of 64 Gauss-Legendre nodes;
    the kernel is exactly centred on these.

    Parameters
    ----------
    sigma : float
        Length scale after the warp.
    rate : float
        Positive; larger values stretch the lower end more.

    Examples
    --------
    >>> from penchant.gai._candidates import WarpedRBF
    >>> kernel = WarpedRBF(0.5, 10.0)
    >>> points, weights = kernel.measure()
    >>> bool(abs(kernel.k0([0.3], points) @ weights) < 1e-12)
    True
    """

    sigma: float
    rate: float

    def __post_init__(self) -> None:
        if not self.rate > 0:
            raise DataError(f"rate must be positive. Got {self.rate}.")

    def k0(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        left, right = self._warp(x), self._warp(y)
        return self._kernel.k(left, right) - np.outer(
            self._mean(left), self._mean(right) / self._grand_mean
        )

    def measure(self) -> tuple[FloatArray, FloatArray]:
        return self._kernel.measure()

    @property
    def _kernel(self) -> RBF:
        return RBF(self.sigma)

    def _warp(self, x: ArrayLike) -> FloatArray:
        values = np.asarray(x, dtype=np.float64)
        warped: FloatArray = np.log1p(self.rate * values) / np.log1p(self.rate)
        return warped

    def _mean(self, warped: FloatArray) -> FloatArray:
        points, weights = self.measure()
        mean: FloatArray = self._kernel.k(warped, self._warp(points)) @ weights
        return mean

    @cached_property
    def _grand_mean(self) -> float:
        points, weights = self.measure()
        return float(weights @ self._mean(self._warp(points)))


def skewness_rates(
    encoding: Encoding, U: FloatArray, weights: FloatArray
) -> FloatArray:
    """Give the rates of the warps that make skewed attributes most symmetric.

    Parameters
    ----------
    encoding : Encoding
    U : ndarray of shape (n_items, n_features)
        Encoded items.
    weights : ndarray of shape (n_items,)

    Returns
    -------
    ndarray of shape (n_features,)
        0 where there is no warp: for attributes with levels, and those that are not
        skewed to the right.
    """
    kernels = make_kernels("rbf", 1.0, encoding)
    return np.array(
        [
            _skewness_rate(column, weights) if isinstance(kernel, RBF) else 0.0
            for kernel, column in zip(kernels, U.T, strict=True)
        ]
    )


def _skewness_rate(x: FloatArray, weights: FloatArray) -> float:
    if _skewness(x, weights) < _SKEWED:
        return 0.0
    warps = [np.log1p(rate * x) for rate in _RATES]
    sizes = [abs(_skewness(warped, weights)) for warped in warps]
    return _RATES[int(np.argmin(sizes))]


def _skewness(x: FloatArray, weights: FloatArray) -> float:
    centred = x - np.average(x, weights=weights)
    variance = np.average(centred**2, weights=weights)
    if variance <= 0.0:
        return 0.0
    return float(np.average(centred**3, weights=weights) / variance**1.5)


def _attribute_kernels(
    encoding: Encoding,
    scales: float | FloatArray,
    weights: float | FloatArray,
    rates: FloatArray,
) -> tuple[UnivariateKernel, ...]:
    """Give each attribute's kernel with its weight as its mean diagonal.

    Parameters
    ----------
    encoding : Encoding
    scales, weights : float or ndarray of shape (n_features,)
        Length scale, and mean of k0(x, x) over the attribute's measure.
    rates : ndarray of shape (n_features,)
        Rates of the warps; 0: none.
    """
    n_features = len(encoding.names)
    lengths = np.broadcast_to(np.asarray(scales, dtype=np.float64), (n_features,))
    sizes = np.broadcast_to(np.asarray(weights, dtype=np.float64), (n_features,))
    kernels = []
    for i, plain in enumerate(make_kernels("rbf", lengths.tolist(), encoding)):
        warped = rates[i] > 0.0
        kernel = WarpedRBF(float(lengths[i]), float(rates[i])) if warped else plain
        kernels.append(kernel.scaled(float(sizes[i]) / kernel.mean_diagonal()))
    return tuple(kernels)
