"""Covariances between items for Gaussian processes, and how to learn them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numba import njit

from penchant.encoding import Encoding, make_kernels
from penchant.exceptions import DataError
from penchant.kernels import (
    RBF,
    AttributeTable,
    Categorical,
    UnivariateKernel,
    anova_gram,
    anova_slopes,
    centred_table,
    subset_kernel,
)
from penchant.typing import BoolArray, FloatArray
from penchant.utility import Factor, sum_orders

_BLOCK = 256
"""Diagonals are read off square blocks of this size."""
_DELTA_SCALE = 0.05
"""On category codes 0, 1, ... a Gaussian kernel of this scale is the delta kernel."""
_PRIOR_RATIO = 4.0
"""Variance of the utility over that of the noise, where nothing else is known."""


class ItemKernel(ABC):
    """A covariance between encoded items."""

    @abstractmethod
    def gram(self, U: FloatArray, V: FloatArray) -> FloatArray:
        """Give the covariances of the rows of U with those of V, shape (n, m)."""

    def paired(self, U: FloatArray, V: FloatArray) -> FloatArray:
        """Give the covariance of each row of U with the same row of V, shape (n,)."""
        return _paired(self.gram, U, V)


@dataclass(frozen=True, eq=False)
class ArdItemKernel(ItemKernel):
    """The squared-exponential kernel with one length scale per attribute (GP-2).

    Two different categories are 1 apart.

    Parameters
    ----------
    variance : float
    scales : ndarray of shape (n_features,)
        Length scales; infinite for attributes that take no part.
    is_category : ndarray of bool of shape (n_features,)
    """

    variance: float
    scales: FloatArray
    is_category: BoolArray

    def gram(self, U: FloatArray, V: FloatArray) -> FloatArray:
        rates = 0.5 / self.scales**2
        distances = _weighted_distances(
            np.ascontiguousarray(U), np.ascontiguousarray(V), rates, self.is_category
        )
        return self.variance * np.exp(-distances)


@dataclass(frozen=True, eq=False)
class AnovaItemKernel(ItemKernel):
    """The zero-mean ANOVA sum over subsets of attributes (GAI-1, GAI-9).

    A Gaussian process with this kernel is a sum of independent processes, one per
    subset, and its posterior mean is a GAI utility.

    Parameters
    ----------
    attributes : tuple of int
        Attributes that take part.
    kernels : tuple of UnivariateKernel
        One per attribute that takes part.
    order_weights : tuple of float
        Variance factor of the subsets with 1, 2, ... members.
    """

    attributes: tuple[int, ...]
    kernels: tuple[UnivariateKernel, ...]
    order_weights: tuple[float, ...]

    def gram(self, U: FloatArray, V: FloatArray) -> FloatArray:
        if not self.attributes:
            return np.zeros((len(U), len(V)))
        return sum_orders(self._grams(U, V), self.order_weights)

    def factors(self) -> tuple[Factor, ...]:
        """Give the subsets of attributes; by size, then by index."""
        sizes = range(1, min(len(self.order_weights), len(self.attributes)) + 1)
        return tuple(s for size in sizes for s in combinations(self.attributes, size))

    def factor_grams(
        self, U: FloatArray, V: FloatArray
    ) -> Iterator[tuple[Factor, FloatArray]]:
        """Give the covariances of each factor's part, one factor after the other."""
        grams = dict(zip(self.attributes, self._grams(U, V), strict=True))
        for factor in self.factors():
            product = subset_kernel([grams[i] for i in factor], range(len(factor)))
            yield factor, self.order_weights[len(factor) - 1] * product

    def factor_variances(self, U: FloatArray) -> dict[Factor, FloatArray]:
        """Give the variances of each factor's part, shape (n,) each."""
        columns = zip(self.attributes, self.kernels, strict=True)
        own = {i: _paired(kernel.k0, U[:, i], U[:, i]) for i, kernel in columns}
        return {
            factor: self.order_weights[len(factor) - 1]
            * np.multiply.reduce([own[i] for i in factor])
            for factor in self.factors()
        }

    def _grams(self, U: FloatArray, V: FloatArray) -> list[FloatArray]:
        columns = zip(self.attributes, self.kernels, strict=True)
        return [kernel.k0(U[:, i], V[:, i]) for i, kernel in columns]


class KernelFamily(ABC):
    """Kernels with parameters to learn, at fixed encoded items.

    Parameters are logarithms. Each has a normal prior, weak but proper, so that no
    length scale runs off to 0 or infinity where answers do not speak of it.

    Attributes
    ----------
    prior_mean, prior_deviation : ndarray of shape (n_parameters,)
        The mean is the start, too.
    bounds : list of (float, float)
    """

    prior_mean: FloatArray
    prior_deviation: FloatArray
    bounds: list[tuple[float, float]]

    @abstractmethod
    def gram(self, parameters: FloatArray) -> tuple[FloatArray, Any]:
        """Give K between the items, and what `slopes` needs of the computation."""

    @abstractmethod
    def slopes(self, parameters: FloatArray, Q: FloatArray, kept: Any) -> FloatArray:
        """Give sum(Q * dK/dparameter) for each parameter; Q is symmetric."""

    @abstractmethod
    def kernel(self, parameters: FloatArray) -> ItemKernel:
        """Give the kernel with these parameters."""


class ArdFamily(KernelFamily):
    """Squared-exponential kernels: log variance, then a log scale per attribute.

    Parameters
    ----------
    U : ndarray of shape (n_items, n_features)
        Encoded items.
    encoding : Encoding
    length_scale : float, array of shape (n_features,) or None
        Centre of the prior; None: 0.3 sqrt(n_features), at which items in [0, 1] are
        neither all alike nor all unrelated.
    variance : float or None
        Centre of the prior, in units of the variance of the noise.
    """

    def __init__(
        self,
        U: FloatArray,
        encoding: Encoding,
        length_scale: Any = None,
        variance: float | None = None,
    ) -> None:
        self._active = np.array(encoding.active, dtype=np.int64)
        self._n_features = len(encoding.names)
        self._is_category = np.array([c is not None for c in encoding.categories])
        self._U = np.ascontiguousarray(U[:, self._active])
        n_active = len(self._active)
        # Distances in the unit cube grow as the root of the dimension.
        default = 0.3 * np.sqrt(max(n_active, 1))
        scales = _per_attribute(length_scale, default, self._n_features)
        centre = np.log(_PRIOR_RATIO if variance is None else variance)
        self.prior_mean = np.concatenate([[centre], np.log(scales[self._active])])
        self.prior_deviation = np.concatenate([[1.5], np.full(n_active, 1.2)])
        self.bounds = [(centre - 7.0, centre + 7.0)]
        # Upwards is harmless, the attribute then drops out; downwards all items become
        # unrelated, and nothing would be learned of any other.
        self.bounds += [(low - 3.5, low + 5.0) for low in self.prior_mean[1:]]

    def gram(self, parameters: FloatArray) -> tuple[FloatArray, Any]:
        rates = 0.5 * np.exp(-2.0 * parameters[1:])
        kinds = self._is_category[self._active]
        distances = _weighted_distances(self._U, self._U, rates, kinds)
        K: FloatArray = np.exp(parameters[0] - distances)
        return K, K

    def slopes(self, parameters: FloatArray, Q: FloatArray, kept: Any) -> FloatArray:
        kinds = self._is_category[self._active]
        # dK / dlog scale_i = K (u_i - v_i)^2 / scale_i^2, and dK / dlog variance = K.
        moved = distance_slopes(self._U, Q * kept, kinds)
        total, by_scale = moved[-1], moved[:-1] * np.exp(-2.0 * parameters[1:])
        return np.concatenate([[total], by_scale])

    def kernel(self, parameters: FloatArray) -> ArdItemKernel:
        scales = np.full(self._n_features, np.inf)
        scales[self._active] = np.exp(parameters[1:])
        return ArdItemKernel(float(np.exp(parameters[0])), scales, self._is_category)


class AnovaFamily(KernelFamily):
    """Zero-mean ANOVA sums: log scales, log weights, log factors of orders 2, 3, ... .

    The weight of an attribute is the variance of its part alone. The factor of
    order 1 is fixed at 1, or it would only rescale the weights (GP-2).

    Parameters
    ----------
    U : ndarray of shape (n_items, n_features)
        Encoded items.
    encoding : Encoding
    max_order : int
    length_scale : float, array of shape (n_features,) or None
        Centre of the prior; None: 0.7.
    variance : float or None
        Centre of the prior of the sum of the weights, in units of the variance of
        the noise.
    """

    def __init__(
        self,
        U: FloatArray,
        encoding: Encoding,
        max_order: int,
        length_scale: Any = None,
        variance: float | None = None,
    ) -> None:
        self._encoding = encoding
        self._active = list(encoding.active)
        d = len(self._active)
        self._U = np.ascontiguousarray(U[:, self._active])
        plain = make_kernels("rbf", 1.0, encoding)
        chosen = [plain[i] for i in self._active]
        self._measures = [
            None if isinstance(kernel, RBF) else kernel.measure() for kernel in chosen
        ]
        self._n_orders = max(min(max_order, d), 1)
        scales = _per_attribute(length_scale, 0.7, len(encoding.names))[self._active]
        fixed = np.array([isinstance(k, Categorical) for k in chosen], dtype=bool)
        # A category's delta kernel has no scale to learn.
        logs = np.log(np.where(fixed, _DELTA_SCALE, scales))
        total = _PRIOR_RATIO if variance is None else variance
        weights = np.full(d, np.log(total / max(d, 1)))
        # Interactions start at a quarter of what attributes add alone.
        orders = np.full(self._n_orders - 1, np.log(0.25))
        self.prior_mean = np.concatenate([logs, weights, orders])
        spread = [np.full(d, 0.8), np.full(d, 2.0), np.full(len(orders), 1.5)]
        self.prior_deviation = np.concatenate(spread)
        # A fixed scale: no room between its bounds, so that the search leaves it alone.
        steps = np.concatenate([np.where(fixed, 0.0, 2.2), np.full(d, 8.0)])
        reach = np.concatenate([steps, np.full(len(orders), 6.0)])
        ends = (self.prior_mean - reach, self.prior_mean + reach)
        self.bounds = list(zip(*(end.tolist() for end in ends), strict=True))

    def gram(self, parameters: FloatArray) -> tuple[FloatArray, Any]:
        if not self._active:
            return np.zeros((len(self._U), len(self._U))), None
        _, _, orders = self._split(parameters)
        table = self._table(parameters)
        lower, kernels = anova_gram(table, orders)
        return lower + np.tril(lower, -1).T, (table, kernels)

    def slopes(self, parameters: FloatArray, Q: FloatArray, kept: Any) -> FloatArray:
        if kept is None:
            return np.zeros_like(parameters)
        table, kernels = kept
        _, _, orders = self._split(parameters)
        scale, weight, order = anova_slopes(table, orders, kernels, 2.0 * Q)
        return np.concatenate([scale, weight, (orders * order)[2:]])

    def kernel(self, parameters: FloatArray) -> AnovaItemKernel:
        if not self._active:
            return AnovaItemKernel((), (), (1.0,))
        scales = np.ones(len(self._encoding.names))
        # The weight of an attribute goes into its kernel, so that a product of kernels
        # has the product of the weights.
        scales[self._active], _, orders = self._split(parameters)
        plain = make_kernels("rbf", scales.tolist(), self._encoding)
        amplitudes = self._table(parameters).amplitudes.tolist()
        active = zip(self._active, amplitudes, strict=True)
        chosen = tuple(plain[i].scaled(amplitude) for i, amplitude in active)
        return AnovaItemKernel(tuple(self._active), chosen, tuple(orders[1:].tolist()))

    def _table(self, parameters: FloatArray) -> AttributeTable:
        scales, weights, _ = self._split(parameters)
        return centred_table(self._U, self._measures, scales, weights)

    def _split(
        self, parameters: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Give scales, weights and order weights; orders 0 and 1 have 0 and 1."""
        d = len(self._active)
        values = np.exp(parameters)
        orders = np.concatenate([[0.0, 1.0], values[2 * d :]])
        return values[:d], values[d : 2 * d], orders


def kernel_family(
    name: str,
    U: FloatArray,
    encoding: Encoding,
    max_order: int,
    *,
    length_scale: Any = None,
    variance: float | None = None,
) -> KernelFamily:
    """Give the kernels "anova" or "rbf" between encoded items."""
    if name == "rbf":
        return ArdFamily(U, encoding, length_scale, variance)
    return AnovaFamily(U, encoding, max_order, length_scale, variance)


def _paired(
    gram: Callable[[FloatArray, FloatArray], FloatArray], U: FloatArray, V: FloatArray
) -> FloatArray:
    """Give the diagonal of gram(U, V), read off blocks."""
    parts = [
        np.diagonal(gram(U[low : low + _BLOCK], V[low : low + _BLOCK]))
        for low in range(0, len(U), _BLOCK)
    ]
    return np.concatenate([np.zeros(0), *parts])


def _per_attribute(
    value: float | Sequence[float] | None, default: float, n_features: int
) -> FloatArray:
    """Repeat a common length scale, or check that there is one per attribute."""
    given = np.asarray(default if value is None else value, dtype=np.float64)
    if given.ndim and given.shape != (n_features,):
        raise DataError(
            f"length_scale must be one number or {n_features}, one per attribute. "
            f"Got shape {given.shape}."
        )
    if not (np.isfinite(given) & (given > 0)).all():
        raise DataError(f"length_scale must be positive and finite. Got {value!r}.")
    return np.array(np.broadcast_to(given, (n_features,)))


@njit(cache=True)
def _weighted_distances(
    U: FloatArray, V: FloatArray, rates: FloatArray, is_category: BoolArray
) -> FloatArray:
    """Give sum_i rates_i (u_i - v_i)^2; two different categories are 1 apart."""
    found = np.zeros((len(U), len(V)))
    for r in range(len(U)):
        for c in range(len(V)):
            total = 0.0
            for i in range(len(rates)):
                away = U[r, i] - V[c, i]
                if is_category[i]:
                    away = 1.0 if away != 0.0 else 0.0
                total += rates[i] * away * away
            found[r, c] = total
    return found


@njit(cache=True)
def distance_slopes(
    U: FloatArray, weights: FloatArray, is_category: BoolArray
) -> FloatArray:
    """Sum weights * (u_i - v_i)^2 over all pairs for each i; last, the weights."""
    n, d = U.shape
    found = np.zeros(d + 1)
    for r in range(n):
        found[d] += weights[r, r]
        for c in range(r):
            both = weights[r, c] + weights[c, r]
            found[d] += both
            for i in range(d):
                away = U[r, i] - U[c, i]
                if is_category[i]:
                    away = 1.0 if away != 0.0 else 0.0
                found[i] += both * away * away
    return found
