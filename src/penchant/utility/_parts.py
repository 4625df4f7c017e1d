"""Learned GAI utilities: a constant plus functions of few attributes each."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self, TypeAlias

import numpy as np

from penchant.exceptions import DataError
from penchant.kernels import FeatureMap
from penchant.typing import ArrayLike, FloatArray
from penchant.utility._factors import evaluate_factor

__all__ = ["AttributeMap", "Factor", "GAIUtility", "Kind", "KnotMap", "TensorGAI"]

Factor: TypeAlias = tuple[int, ...]
Kind: TypeAlias = Literal["continuous", "ordinal", "categorical"]

_MAX_ENTRIES = 2**22
"""Rows are evaluated in blocks whose largest array has about this many entries."""


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
        left = np.clip(np.searchsorted(self.knots, inside, "right") - 1, 0, last)
        share = (inside - self.knots[left]) / (self.knots[left + 1] - self.knots[left])
        rows = np.arange(len(values))
        weights = np.zeros((len(values), len(self.knots)))
        weights[rows, left] = 1.0 - share
        weights[rows, left + 1] = share
        return weights

    def means(self) -> FloatArray:
        """Give the mean weight of each knot over the attribute's measure."""
        means: FloatArray = self.second_moments().sum(axis=1)
        return means

    def second_moments(self) -> FloatArray:
        """Give the mean products of the weights, shape (n_knots, n_knots)."""
        if self.level_weights is not None:
            return np.diag(self.level_weights)
        thirds = np.diff(self.knots) / 3.0
        diagonal = np.append(thirds, 0.0) + np.append(0.0, thirds)
        moments: FloatArray = (
            np.diag(diagonal) + np.diag(thirds / 2, 1) + np.diag(thirds / 2, -1)
        )
        return moments


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
            return np.sqrt(self.variances)
        return np.array([np.linalg.norm(tensor) for tensor in self.tensors])

    @cached_property
    def variances(self) -> FloatArray:
        used = {i for subset in self.subsets for i in subset}
        moments = {i: self.maps[i].second_moments() for i in used}
        variances = []
        for subset, tensor in zip(self.subsets, self.tensors, strict=True):
            moved = tensor
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
    n_rows = max(1, _MAX_ENTRIES * tensor.shape[0] // tensor.size)
    n_items = len(features[0])
    blocks = [
        evaluate_factor(tensor, [matrix[low : low + n_rows] for matrix in features])
        for low in range(0, n_items, n_rows)
    ]
    return np.concatenate([np.zeros(0), *blocks])
