"""Candidate GAI models: their kernels, and their predictions out of fold."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from penchant.encoding import Encoding, make_kernels
from penchant.gai._choice import GAICandidate
from penchant.gai._fit import Fold, JudgedItems, LearnedGAI
from penchant.kernels import RBF, UnivariateKernel, WarpedRBF
from penchant.typing import FloatArray

_RATES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
_SKEWED = 0.5
"""Attributes with a smaller skewness are left as they are."""


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
    """

    candidate: GAICandidate
    predictions: FloatArray
    kernels: tuple[UnivariateKernel, ...]

    def fit(self, items: JudgedItems, tol: float) -> LearnedGAI:
        """Fit the candidate to all rows."""
        machine = items.dense_machine(self.kernels)
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
    encoding: Encoding, scale: float, weight: float, rates: FloatArray
) -> tuple[UnivariateKernel, ...]:
    """Give each attribute's kernel, with `weight` as its mean diagonal.

    Attributes with a positive rate are warped.
    """
    kernels = []
    for plain, rate in zip(make_kernels("rbf", scale, encoding), rates, strict=True):
        kernel = WarpedRBF(scale, float(rate)) if rate > 0.0 else plain
        kernels.append(kernel.scaled(weight / kernel.mean_diagonal()))
    return tuple(kernels)
