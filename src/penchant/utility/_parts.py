"""Learned GAI utilities: a constant plus functions of few attributes each.

The sparse model keeps its factors as tensors, the dense one is a kernel machine.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Literal, Self, TypeAlias

import numpy as np

from penchant.exceptions import DataError
from penchant.kernels import FeatureMap, UnivariateKernel
from penchant.typing import ArrayLike, FloatArray
from penchant.utility._factors import evaluate_factor

Factor: TypeAlias = tuple[int, ...]
Kind: TypeAlias = Literal["continuous", "ordinal", "categorical"]

_MAX_FACTORS = 2**12
"""A dense model with more factors than this does not list them all."""
_MAX_ENTRIES = 2**22
"""Rows are evaluated in blocks whose arrays have about this many entries."""


class GAIUtility(ABC):
    """A utility u(x) = intercept + sum over factors S of u_S(x_S).

    Items are rows of encoded attributes: values in [0, 1], and category codes
    0, 1, ... for categorical attributes. A code that is not known gets the mean
    utility over the categories.
    """

    intercept: float

    @property
    @abstractmethod
    def factors(self) -> tuple[Factor, ...]:
        """Sets of attributes, each sorted; by size, then by index."""

    @property
    def complete(self) -> bool:
        """Whether `factors` lists all factors."""
        return True

    @property
    @abstractmethod
    def weights(self) -> FloatArray:
        """The norm d_S of each factor's function (GAI-3)."""

    @property
    @abstractmethod
    def variances(self) -> FloatArray:
        """The variance of each factor over the measure that centres it."""

    @property
    def variance(self) -> float:
        """The variance of u: factors with zero means are uncorrelated."""
        return float(self.variances.sum())

    @abstractmethod
    def factor(self, subset: Factor, values: FloatArray) -> FloatArray:
        """Evaluate u_S on encoded values of shape (n, len(subset))."""

    @abstractmethod
    def restricted(self, factors: Iterable[Factor]) -> "GAIUtility":
        """Leave out all other factors."""

    @abstractmethod
    def scaled(self, offset: float, scale: float) -> Self:
        """Give offset + scale * u."""

    def decompose(self, U: FloatArray) -> dict[Factor, FloatArray]:
        """Give every factor's part of the utility of each row of U."""
        return {s: self.factor(s, U[:, list(s)]) for s in self.factors}

    def utility(self, U: FloatArray) -> FloatArray:
        """Give the utility of each row of U, shape (n,)."""
        parts = self.decompose(U).values()
        return self.intercept + sum(parts, np.zeros(len(U)))


@dataclass(frozen=True, eq=False)
class KnotMap:
    """Weights of an attribute's knots: linear interpolation, or lookup of a category.

    Parameters
    ----------
    knots : ndarray of shape (n_knots,)
        Rising values; from 0 to 1 for a continuous attribute.
    kind : {"continuous", "ordinal", "categorical"}
        Uniform on [0, 1]; levels with weights, straight between them; or codes.
    level_weights : ndarray of shape (n_knots,) or None
        Measure of the levels; None for a continuous attribute.
    """

    knots: FloatArray
    kind: Kind
    level_weights: FloatArray | None = None

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Give the weight of each knot for each value, shape (n_values, n_knots)."""
        values = np.asarray(x, dtype=np.float64)
        if self.kind == "categorical":
            return np.equal.outer(values, self.knots).astype(np.float64)
        inside = np.clip(values, self.knots[0], self.knots[-1])
        last = max(len(self.knots) - 2, 0)
        # The last knot belongs to the last interval, on the right end of which it is.
        left = np.clip(np.searchsorted(self.knots, inside, "right") - 1, 0, last)
        share = (inside - self.knots[left]) / (self.knots[left + 1] - self.knots[left])
        rows = np.arange(len(values))
        weights = np.zeros((len(values), len(self.knots)))
        weights[rows, left] = 1.0 - share
        weights[rows, left + 1] = share
        return weights

    def means(self) -> FloatArray:
        """Give the mean weight of each knot over the attribute's measure."""
        return self.second_moments().sum(axis=1)

    def second_moments(self) -> FloatArray:
        """Give the mean products of the weights, shape (n_knots, n_knots)."""
        if self.level_weights is not None:
            return np.diag(self.level_weights)
        # Integrals of products of hat functions: h/3 on the diagonal, h/6 beside it.
        thirds = np.diff(self.knots) / 3.0
        diagonal = np.append(thirds, 0.0) + np.append(0.0, thirds)
        return np.diag(diagonal) + np.diag(thirds / 2, 1) + np.diag(thirds / 2, -1)


AttributeMap: TypeAlias = FeatureMap | KnotMap


@dataclass(frozen=True, eq=False)
class TensorGAI(GAIUtility):
    """Factors as tensors over features of their attributes: the sparse model.

    Parameters
    ----------
    maps : dict of int to FeatureMap or KnotMap
        The features of each attribute that occurs in a factor; others may be there.
    subsets : tuple of tuple of int
        The factors; by size, then by index.
    tensors : tuple of ndarray
        One per factor, one axis per attribute of it. Factors have zero mean over
        the measure of each attribute.
    intercept : float
    """

    maps: dict[int, AttributeMap]
    subsets: tuple[Factor, ...]
    tensors: tuple[FloatArray, ...]
    intercept: float

    @property
    def factors(self) -> tuple[Factor, ...]:
        return self.subsets

    @cached_property
    def weights(self) -> FloatArray:
        """Norms of the tensors; standard deviations where the features are knots."""
        if any(isinstance(feature_map, KnotMap) for feature_map in self.maps.values()):
            # Weights of knots depend on how many there are; a standard deviation does
            # not.
            return np.sqrt(self.variances)
        return np.array([np.linalg.norm(tensor) for tensor in self.tensors])

    @cached_property
    def variances(self) -> FloatArray:
        used = {i for subset in self.subsets for i in subset}
        moments = {i: self.maps[i].second_moments() for i in used}
        variances = []
        for subset, tensor in zip(self.subsets, self.tensors, strict=True):
            moved = tensor
            # The moments act axis by axis: no Kronecker product of them is formed.
            for i in subset:  # each step moves the first axis to the end
                moved = np.tensordot(moved, moments[i], axes=(0, 0))
            variances.append(max(0.0, float(np.vdot(moved, tensor))))
        return np.array(variances)

    def factor(self, subset: Factor, values: FloatArray) -> FloatArray:
        tensor = self.tensors[_find(self.subsets, subset)]
        columns = zip(subset, values.T, strict=True)
        return _contract(tensor, [self.maps[i](column) for i, column in columns])

    def decompose(self, U: FloatArray) -> dict[Factor, FloatArray]:
        used = {i for subset in self.subsets for i in subset}
        features = {i: self.maps[i](U[:, i]) for i in used}
        return {
            subset: _contract(tensor, [features[i] for i in subset])
            for subset, tensor in zip(self.subsets, self.tensors, strict=True)
        }

    def restricted(self, factors: Iterable[Factor]) -> "TensorGAI":
        kept = set(factors)
        pairs = zip(self.subsets, self.tensors, strict=True)
        chosen = [(subset, tensor) for subset, tensor in pairs if subset in kept]
        return replace(
            self,
            subsets=tuple(subset for subset, _ in chosen),
            tensors=tuple(tensor for _, tensor in chosen),
        )

    def scaled(self, offset: float, scale: float) -> Self:
        return replace(
            self,
            tensors=tuple(scale * tensor for tensor in self.tensors),
            intercept=offset + scale * self.intercept,
        )


def _find(subsets: Sequence[Factor], subset: Factor) -> int:
    """Give the position of a factor, or say which ones there are."""
    if subset not in subsets:
        raise DataError(
            f"{subset} is not a factor of this utility. Its factors are: "
            f"{', '.join(map(str, subsets)) or 'none'}."
        )
    return subsets.index(subset)


def _contract(tensor: FloatArray, features: Sequence[FloatArray]) -> FloatArray:
    """Evaluate a tensor at rows of features, in blocks that fit into memory."""
    # The largest array on the way is rows times all axes but the first.
    n_rows = max(1, _MAX_ENTRIES * tensor.shape[0] // tensor.size)
    n_items = len(features[0])
    blocks = [
        evaluate_factor(tensor, [matrix[low : low + n_rows] for matrix in features])
        for low in range(0, n_items, n_rows)
    ]
    return np.concatenate([np.zeros(0), *blocks])


@dataclass(frozen=True, eq=False)
class DualGAI(GAIUtility):
    """A kernel machine over all subsets up to an order: the dense model (GAI-9).

    u(x) = intercept + sum_j coef_j sum_S w_|S| prod_{i in S} k0_i(x_i, item_ji) over
    the non-empty subsets S of `attributes` with at most len(order_weights) members.
    The product kernel prod_i (1 + k0_i) is the case of all orders with weights 1.

    Parameters
    ----------
    attributes : tuple of int
        Attributes that take part; the others do not matter.
    kernels : tuple of UnivariateKernel
        One per attribute that takes part.
    items : ndarray of shape (n_items, n_attributes)
        Encoded training items, columns in the order of `attributes`.
    coef : ndarray of shape (n_items,)
    order_weights : tuple of float
        w_1, ..., w_p.
    intercept : float
    """

    attributes: tuple[int, ...]
    kernels: tuple[UnivariateKernel, ...]
    items: FloatArray
    coef: FloatArray
    order_weights: tuple[float, ...]
    intercept: float

    @property
    def max_order(self) -> int:
        """Size of the largest factors."""
        return min(len(self.order_weights), len(self.attributes))

    @property
    def n_factors(self) -> int:
        """Number of factors, listed or not."""
        d = len(self.attributes)
        return sum(comb(d, size) for size in range(1, self.max_order + 1))

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        """All factors, or those of the small orders if there are too many to list."""
        listed: list[Factor] = []
        for size in range(1, self.max_order + 1):
            # Whole orders only: part of one would look like a choice.
            if len(listed) + comb(len(self.attributes), size) > _MAX_FACTORS:
                break
            listed += combinations(self.attributes, size)
        return tuple(listed)

    @property
    def complete(self) -> bool:
        return len(self.factors) == self.n_factors

    @cached_property
    def weights(self) -> FloatArray:
        columns = zip(self.kernels, self.items.T, strict=True)
        grams = [kernel.k0(column, column) for kernel, column in columns]
        return np.sqrt(np.maximum(0.0, self._quadratic_forms(grams)))

    @cached_property
    def variances(self) -> FloatArray:
        return np.maximum(0.0, self._quadratic_forms(self.moments(self)))

    @cached_property
    def variance(self) -> float:
        """The variance of u, over all factors whether listed or not."""
        # Without listing the factors: their number may be astronomical, the sum is not.
        total = sum_orders(self.moments(self), np.square(self.order_weights))
        return float(self.coef @ total @ self.coef)

    def moments(self, other: "DualGAI") -> list[FloatArray]:
        """Give the mean of k0(x_j, s) k0'(x'_l, s) over s, one matrix per attribute.

        k0' and x' are the kernels and the items of another machine, or of this one.
        """
        matrices = []
        columns = zip(
            self.kernels, other.kernels, self.items.T, other.items.T, strict=True
        )
        for left, right, x, y in columns:
            points, weights = left.measure()
            # Variances of products of attributes are products: one matrix for each
            # suffices.
            matrices.append((left.k0(x, points) * weights) @ right.k0(y, points).T)
        return matrices

    def _quadratic_forms(self, grams: Sequence[FloatArray]) -> FloatArray:
        """Give w_|S|^2 coef'(product of the grams of S) coef of each factor."""
        # w coef'(K_i * K_j ...)coef = sum of the entries of coef coef' * K_i * K_j ...
        start = np.outer(self.coef, self.coef)
        forms = {s: product.sum() for s, product in self.products(start, grams)}
        squares = np.square(self.order_weights)
        return np.array([squares[len(s) - 1] * forms[s] for s in self.factors])

    def products(
        self, start: FloatArray, grams: Sequence[FloatArray]
    ) -> Iterator[tuple[Factor, FloatArray]]:
        """Walk through the listed factors with the products of their matrices."""
        largest = len(self.factors[-1]) if self.factors else 0
        # Depth first: one product per attribute and order at most waits on the stack.
        stack: list[tuple[Factor, int, FloatArray]] = [((), 0, start)]
        while stack:
            subset, first, product = stack.pop()
            for k in range(first, len(self.attributes)):
                longer = (*subset, self.attributes[k])
                extended = product * grams[k]
                yield longer, extended
                if len(longer) < largest:
                    stack.append((longer, k + 1, extended))

    def utility(self, U: FloatArray) -> FloatArray:
        if not self.attributes:
            return np.full(len(U), self.intercept)
        values = [
            sum_orders(grams, self.order_weights) @ self.coef
            for grams in self._gram_blocks(U)
        ]
        return self.intercept + np.concatenate([np.zeros(0), *values])

    def decompose(self, U: FloatArray) -> dict[Factor, FloatArray]:
        if not self.complete:
            raise DataError(
                f"This dense model has {self.n_factors} factors, more than the "
                f"{_MAX_FACTORS} that can be listed. Fit with max_order=2 or 3, or "
                "with sparse=True."
            )
        blocks: dict[Factor, list[FloatArray]] = {s: [] for s in self.factors}
        for grams in self._gram_blocks(U):
            for subset, product in self.products(np.ones_like(grams[0]), grams):
                weight = self.order_weights[len(subset) - 1]
                blocks[subset].append(product @ (weight * self.coef))
        return {s: np.concatenate([np.zeros(0), *blocks[s]]) for s in self.factors}

    def _gram_blocks(self, U: FloatArray) -> Iterator[list[FloatArray]]:
        """Give the kernels between rows of U and the items, block by block."""
        arrays = (len(self.attributes) + self.max_order) * max(1, len(self.items))
        n_rows = max(1, _MAX_ENTRIES // arrays)
        for low in range(0, len(U), n_rows):
            block = U[low : low + n_rows]
            yield [
                kernel.k0(block[:, i], column)
                for i, kernel, column in zip(
                    self.attributes, self.kernels, self.items.T, strict=True
                )
            ]

    def factor(self, subset: Factor, values: FloatArray) -> FloatArray:
        _check_factor(subset, self.attributes, self.max_order)
        places = [self.attributes.index(i) for i in subset]
        product = np.ones((len(values), len(self.items)))
        for k, column in zip(places, values.T, strict=True):
            product *= self.kernels[k].k0(column, self.items[:, k])
        return product @ (self.order_weights[len(subset) - 1] * self.coef)

    def restricted(self, factors: Iterable[Factor]) -> TensorGAI:
        """Keep some factors as tensors.

        Exact to rounding for the RBF and for levels; kernels with kinks have
        infinitely many features, and the loss is about 1e-4 of the range.
        """
        maps: dict[int, AttributeMap] = {}
        features = {}
        columns = zip(self.attributes, self.kernels, self.items.T, strict=True)
        for i, kernel, column in columns:
            maps[i] = kernel.feature_map()
            features[i] = maps[i](column)
        subsets = sorted(set(factors), key=lambda s: (len(s), s))
        tensors = tuple(self._tensor(subset, features) for subset in subsets)
        return TensorGAI(maps, tuple(subsets), tensors, self.intercept)

    def _tensor(self, subset: Factor, features: dict[int, FloatArray]) -> FloatArray:
        """Sum the products of the features of a factor over the items."""
        _check_factor(subset, self.attributes, self.max_order)
        products = self.order_weights[len(subset) - 1] * self.coef[:, None]
        for i in subset[:-1]:
            # The last attribute comes in by a matrix product, which saves the widest
            # array.
            wide = products[:, :, None] * features[i][:, None, :]
            products = wide.reshape(len(wide), -1)
        shape = [features[i].shape[1] for i in subset]
        return (products.T @ features[subset[-1]]).reshape(shape)

    def scaled(self, offset: float, scale: float) -> Self:
        return replace(
            self, coef=scale * self.coef, intercept=offset + scale * self.intercept
        )


def sum_orders(grams: Sequence[FloatArray], order_weights: ArrayLike) -> FloatArray:
    """Sum the products of all subsets of matrices, weighted by their size (GAI-9).

    Parameters
    ----------
    grams : sequence of ndarray of shape (n, m)
        One Gram matrix per attribute; at least one.
    order_weights : array-like of shape (max_order,)
        Weights w_q of the products of q matrices, q = 1, ..., max_order.

    Returns
    -------
    ndarray of shape (n, m)
        sum_q w_q e_q, e_q the elementary symmetric polynomials of the matrices.
    """
    weights = np.asarray(order_weights, dtype=np.float64)[: len(grams)]
    sums = np.zeros((len(weights), *grams[0].shape))
    for gram in grams:
        # From the largest order down: e_(q-1) must not know this attribute yet.
        for order in range(len(weights) - 1, 0, -1):
            sums[order] += gram * sums[order - 1]
        sums[0] += gram
    return np.tensordot(weights, sums, axes=1)


def _check_factor(subset: Factor, attributes: Factor, max_order: int) -> None:
    known = set(subset) <= set(attributes) and tuple(sorted(set(subset))) == subset
    if not known or not 1 <= len(subset) <= max_order:
        raise DataError(
            f"A factor of this utility is a sorted tuple of 1 to {max_order} of the "
            f"attributes {attributes}. Got {subset}."
        )
