"""Candidate GAI models for ratings, judged by their predictions out of fold."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from sklearn.svm import SVR

from penchant.encoding import Encoding, make_kernels
from penchant.gai._choice import GAICandidate
from penchant.gai._fit import DenseMachine, LearnedGAI
from penchant.gai._warp import WarpedRBF, skewness_rate
from penchant.gai.solver._anova_evidence import AnovaEvidence, AnovaEvidenceResult
from penchant.kernels import RBF, Categorical, UnivariateKernel
from penchant.typing import FloatArray, IntArray
from penchant.utility import DualGAI, sum_orders

__all__ = [
    "EvidenceFamily",
    "Folds",
    "KernelFamily",
    "ProductFamily",
    "RatedItems",
    "ScoredCandidate",
    "attribute_kernels",
    "skewness_rates",
]

Folds = Sequence[tuple[IntArray, IntArray]]

_DELTA_SCALE = 0.05
"""On category codes 0, 1, ... a Gaussian kernel of this scale is the delta kernel."""
_EVIDENCE_ITERATIONS = 50
_FOLD_ITERATIONS = 15
_EVIDENCE_ROWS = 600
"""Parameters of a kernel are learned from at most so many rows."""


@dataclass(frozen=True, eq=False)
class RatedItems:
    """Encoded items with standardised ratings.

    Parameters
    ----------
    U : ndarray of shape (n_items, n_features)
        Encoded items.
    y : ndarray of shape (n_items,)
        Ratings with mean 0 and variance 1 (or 0).
    weights : ndarray of shape (n_items,)
    encoding : Encoding
    max_order : int
        Largest number of attributes in a factor.
    """

    U: FloatArray
    y: FloatArray
    weights: FloatArray
    encoding: Encoding
    max_order: int

    @property
    def active(self) -> tuple[int, ...]:
        """Attributes that take part."""
        return self.encoding.active

    @cached_property
    def rates(self) -> FloatArray:
        """The rate of the warp of each attribute by its skewness; 0: none."""
        return skewness_rates(self.encoding, self.U, self.weights)

    def rows(self, index: IntArray) -> "RatedItems":
        """Keep some rows."""
        return RatedItems(
            self.U[index],
            self.y[index],
            self.weights[index],
            self.encoding,
            self.max_order,
        )


def skewness_rates(
    encoding: Encoding, U: FloatArray, weights: FloatArray
) -> FloatArray:
    """Give the rate of the warp of each attribute by its skewness; 0: none."""
    kernels = make_kernels("rbf", 1.0, encoding)
    return np.array(
        [
            skewness_rate(column, weights) if isinstance(kernel, RBF) else 0.0
            for kernel, column in zip(kernels, U.T, strict=True)
        ]
    )


def attribute_kernels(
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
    order_weights : tuple of float
    utility : DualGAI or None
        The fit on all rows where it is known already.
    """

    candidate: GAICandidate
    predictions: FloatArray
    kernels: tuple[UnivariateKernel, ...]
    order_weights: tuple[float, ...]
    utility: DualGAI | None = None

    def fit(self, data: RatedItems, tol: float) -> LearnedGAI:
        """Fit the candidate to all rows."""
        if self.utility is not None:
            return LearnedGAI(self.utility, 0.0, "optimal", 0)
        machine = DenseMachine(data.U, self.kernels, data.active, self.order_weights)
        return machine.fit_ratings(
            data.y,
            data.weights,
            C=float(self.candidate.C or 0.0),
            epsilon=float(self.candidate.epsilon or 0.0),
            tol=tol,
        )


class KernelFamily(ABC):
    """Kernels that share their Gram matrices: the unit of parallel work."""

    @abstractmethod
    def evaluate(self, data: RatedItems, folds: Folds) -> list[ScoredCandidate]:
        """Fit to the training rows of every fold, predict its test rows."""


@dataclass(frozen=True)
class ProductFamily(KernelFamily):
    """The product kernel prod_i (1 + weight t_i) with support vector regression.

    Parameters
    ----------
    scale, weight : float
        Length scale and weight of all attributes.
    warp : bool
        Whether skewed attributes are warped.
    costs, epsilons : tuple of float
        The grid of the regression, for a kernel of mean diagonal 1.
    """

    scale: float
    weight: float
    warp: bool
    costs: tuple[float, ...]
    epsilons: tuple[float, ...]

    def evaluate(self, data: RatedItems, folds: Folds) -> list[ScoredCandidate]:
        rates = data.rates if self.warp else np.zeros_like(data.rates)
        kernels = attribute_kernels(data.encoding, self.scale, self.weight, rates)
        order_weights = (1.0,) * data.max_order
        gram = _Gram(data, kernels, order_weights)
        scored = []
        for cost, epsilon in product(self.costs, self.epsilons):
            C = cost / (1.0 + gram.mean_diagonal)
            predictions = [gram.predict(*fold, C, epsilon) for fold in folds]
            candidate = GAICandidate(
                "product", "tube", self.warp, self.scale, self.weight, C, epsilon
            )
            scored.append(
                ScoredCandidate(
                    candidate, np.concatenate(predictions), kernels, order_weights
                )
            )
        return scored


class _Gram:
    """The Gram matrix of the distinct items, for regressions on parts of the rows."""

    def __init__(
        self,
        data: RatedItems,
        kernels: Sequence[UnivariateKernel],
        order_weights: Sequence[float],
    ) -> None:
        active = list(data.active)
        items, place = np.unique(data.U[:, active], axis=0, return_inverse=True)
        columns = zip(active, items.T, strict=True)
        grams = [kernels[i].k0(column, column) for i, column in columns]
        self._K = sum_orders(grams, order_weights)
        self._place: IntArray = place.ravel()
        self._y, self._weights = data.y, data.weights
        diagonal = np.diagonal(self._K)[self._place]
        self.mean_diagonal = float(np.average(diagonal, weights=data.weights))

    def predict(
        self, train: IntArray, test: IntArray, C: float, epsilon: float
    ) -> FloatArray:
        """Fit to some rows, predict others; equal rows are merged in the algebra."""
        rated = np.stack([self._place[train], self._y[train]])
        pairs, row_of = np.unique(rated, axis=1, return_inverse=True)
        counts = np.bincount(row_of.ravel(), self._weights[train])
        items = pairs[0].astype(np.int64)
        machine = SVR(kernel="precomputed", C=C, epsilon=epsilon)
        machine.fit(self._K[np.ix_(items, items)], pairs[1], sample_weight=counts)
        against = self._K[np.ix_(self._place[test], items[machine.support_])]
        values: FloatArray = against @ machine.dual_coef_[0] + machine.intercept_[0]
        return values


@dataclass(frozen=True)
class EvidenceFamily(KernelFamily):
    """Scales, weights, orders (and warps) by evidence; a Gaussian process.

    The evidence is maximised anew on the training rows of each fold, from the
    parameters of the fit on all rows.

    Parameters
    ----------
    order : int
        Largest order of the products.
    warp : bool
        Whether numeric attributes are warped, with rates by evidence.
    costs, epsilons : tuple of float
        Grid of support vector regressions on the same kernel, of mean diagonal 1.
    """

    order: int
    warp: bool
    costs: tuple[float, ...] = ()
    epsilons: tuple[float, ...] = ()

    def evaluate(self, data: RatedItems, folds: Folds) -> list[ScoredCandidate]:
        whole = self._solve(data, None)
        tables = [self._judge(data, *fold, whole.parameters) for fold in folds]
        predictions = np.concatenate(tables, axis=1)
        kernels, order_weights, utility = _machine_of(data, whole)
        unit = 1.0 / _Gram(data, kernels, order_weights).mean_diagonal
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

    def _judge(
        self, data: RatedItems, train: IntArray, test: IntArray, start: FloatArray
    ) -> FloatArray:
        """Give the predictions of the process and of the regressions for a fold."""
        part = self._solve(data.rows(train), start)
        kernels, order_weights, utility = _machine_of(data, part)
        predictions = [utility.utility(data.U[test])]
        if self.costs:
            gram = _Gram(data, kernels, order_weights)
            unit = 1.0 / gram.mean_diagonal
            predictions += [
                gram.predict(train, test, cost * unit, epsilon)
                for cost, epsilon in product(self.costs, self.epsilons)
            ]
        return np.stack(predictions)

    def _solve(self, data: RatedItems, start: FloatArray | None) -> AnovaEvidenceResult:
        active = list(data.active)
        kernels = make_kernels("rbf", 1.0, data.encoding)
        chosen = [kernels[i] for i in active]
        step = -(-len(data.y) // _EVIDENCE_ROWS)
        problem, thinned = (
            AnovaEvidence(
                data.U[::every, active],
                data.y[::every],
                [kernel.measure() for kernel in chosen],
                max_order=min(self.order, data.max_order),
                weights=data.weights[::every],
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
        return result if step == 1 else problem.solve(result.parameters, max_iter=0)


def _machine_of(
    data: RatedItems, result: AnovaEvidenceResult
) -> tuple[tuple[UnivariateKernel, ...], tuple[float, ...], DualGAI]:
    """Give the kernels, the order weights and the utility of a process."""
    active = list(data.active)
    scales, weights, rates = np.ones((3, len(data.encoding.names)))
    scales[active], weights[active] = result.scales, result.weights
    rates[active] = result.rates
    kernels = attribute_kernels(data.encoding, scales, weights, rates)
    order_weights = tuple(result.order_weights[1:].tolist())
    utility = DualGAI(
        data.active,
        tuple(kernels[i] for i in active),
        result.items,
        result.coef,
        order_weights,
        float(result.order_weights[0] * result.coef.sum()),
    )
    return kernels, order_weights, utility
