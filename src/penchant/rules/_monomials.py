"""Monomials of the attributes, priced as matrix products (PRL-4, PRL-7)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import comb
from typing import Any, Literal

import numpy as np
from scipy import sparse

from penchant.exceptions import DataError
from penchant.rules._conditions import Vocabulary
from penchant.rules._conjunction_search import SearchedFeatures
from penchant.rules._features import (
    Feature,
    FeatureList,
    FeatureSet,
    ListedFeatures,
    SummableGenerator,
    dense_items,
)
from penchant.typing import FloatArray

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Monomial:
    """A product of attributes.

    Parameters
    ----------
    attributes : tuple of int
        Indices, sorted; one that comes twice is squared.
    centers : tuple of float
        What is subtracted from each of them first.
    factor : float
        Multiplies the product, so that it stays in [-1, 1] on the items of the fit.
    is_binary : bool
        Whether the attributes are 0 or 1, so that the product is a conjunction.
    """

    attributes: tuple[int, ...]
    centers: tuple[float, ...]
    factor: float = 1.0
    is_binary: bool = False

    def evaluate(self, X: Any) -> FloatArray:
        """Give the product for each row of X, dense or sparse."""
        product = np.full(X.shape[0], self.factor)
        for attribute, center in zip(self.attributes, self.centers, strict=True):
            column = X[:, [attribute]]
            if sparse.issparse(column):
                column = column.toarray()
            product *= np.asarray(column)[:, 0] - center
        return product

    def text(self, vocabulary: Vocabulary) -> str:
        """Write the product with the names of the attributes."""
        names = [
            _shifted(vocabulary.names[attribute], center)
            for attribute, center in zip(self.attributes, self.centers, strict=True)
        ]
        if self.is_binary:
            return " and ".join(dict.fromkeys(names))
        return " · ".join(
            name if count == 1 else name + str(count).translate(_SUPERSCRIPTS)
            for name, count in Counter(names).items()
        )


def rescaled(feature: Feature, X: Any) -> Feature:
    """Shrink a monomial that leaves [-1, 1] on X; other features stay as they are."""
    if not isinstance(feature, Monomial):
        return feature
    size = float(np.abs(feature.evaluate(X)).max())
    return replace(feature, factor=feature.factor / size) if size > 1 else feature


class PowerFeatures(ListedFeatures):
    """The attributes themselves, dense or sparse.

    A dense table is not copied, a sparse one is turned to columns.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_items, n_features)
    centers : ndarray of shape (n_features,)
        What is subtracted from each attribute; zeros if X is sparse.
    """

    def __init__(self, X: Any, centers: FloatArray) -> None:
        self.n_items, self.n_features = X.shape
        X = X.tocsc() if sparse.issparse(X) else X
        low, high = _ends(X)
        self.is_signed = bool((low < centers).any())
        self._X, self._centers = X, centers
        self._factors = _inverse(np.maximum(high - centers, centers - low))

    def sums(self, channels: FloatArray) -> FloatArray:
        """Multiply the transposed table with the channels."""
        plain = np.asarray(self._X.T @ channels)
        shifted: FloatArray = plain - np.outer(self._centers, channels.sum(axis=0))
        return self._factors[:, np.newaxis] * shifted

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Give some columns, scaled."""
        kept = list(keys)
        columns = self._X[:, kept]
        if sparse.issparse(columns):
            columns = columns.toarray()
        return (columns - self._centers[kept]) * self._factors[kept]

    def feature(self, key: Any) -> Feature:
        """Make a monomial of one attribute."""
        return Monomial(
            (int(key),), (float(self._centers[key]),), float(self._factors[key])
        )


class ProductFeatures(ListedFeatures):
    """Products of two attributes (and the attributes), never materialised.

    All totals in a channel u are ``Z diag(u) Z'``, where Z has a row of ones for the
    lower degree.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
    centers : ndarray of shape (n_features,)
        What is subtracted from each attribute.
    homogeneous : bool
        Whether to leave out the attributes themselves.
    """

    def __init__(self, X: FloatArray, centers: FloatArray, homogeneous: bool) -> None:
        self.n_items = len(X)
        self._centers = centers
        self._Z = np.ascontiguousarray((X - centers).T)
        if not homogeneous:
            self._Z = np.vstack([self._Z, np.ones((1, self.n_items))])
        self._first, self._second = np.triu_indices(len(self._Z))
        if not homogeneous:  # the last product is one times one
            self._first, self._second = self._first[:-1], self._second[:-1]
        self.n_features = self._first.size
        sizes = _largest_products(self._Z)[self._first, self._second]
        self._factors = _inverse(sizes)
        self.is_signed = bool(self._Z.min() < 0)

    def sums(self, channels: FloatArray) -> FloatArray:
        """Weigh the items and multiply the table with itself."""
        totals = np.empty((self.n_features, channels.shape[1]))
        for c, weights in enumerate(channels.T):
            gram = (self._Z * weights) @ self._Z.T
            totals[:, c] = self._factors * gram[self._first, self._second]
        return totals

    def values(self, keys: Sequence[Any]) -> FloatArray:
        """Multiply rows of the table."""
        kept = np.asarray(keys, dtype=np.int64)
        products = self._Z[self._first[kept]]
        products *= self._Z[self._second[kept]]
        products *= self._factors[kept, np.newaxis]
        return products.T

    def feature(self, key: Any) -> Feature:
        """Make a monomial of one or two attributes."""
        both = (int(self._first[key]), int(self._second[key]))
        attributes = tuple(i for i in both if i < self._centers.size)
        centers = tuple(float(self._centers[i]) for i in attributes)
        return Monomial(attributes, centers, float(self._factors[key]))


def _ends(X: Any) -> tuple[FloatArray, FloatArray]:
    """Give the smallest and the largest value of each column, dense or sparse."""
    ends = X.min(axis=0), X.max(axis=0)
    if sparse.issparse(X):
        ends = ends[0].toarray(), ends[1].toarray()
    low, high = (np.asarray(end, dtype=np.float64).ravel() for end in ends)
    return low, high


def _inverse(sizes: FloatArray) -> FloatArray:
    """Give 1/size, and 0 for features that are zero everywhere."""
    return np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)


def _shifted(name: str, center: float) -> str:
    if center == 0:
        return name
    sign = "\N{MINUS SIGN}" if center > 0 else "+"
    return f"({name} {sign} {abs(center):.4g})"


def _largest_products(rows: FloatArray) -> FloatArray:
    """Give the largest size of the product of every two rows, in the upper half."""
    largest = np.zeros((len(rows), len(rows)))
    sizes = np.abs(rows)
    for a, row in enumerate(sizes):
        largest[a, a:] = (sizes[a:] * row).max(axis=1)
    return largest


_MOST_VALUES = 2**25
"""Monomials times items up to which those of degree 3 or more are listed."""


@dataclass(frozen=True)
class Monomials(SummableGenerator):
    """Products of attributes up to a degree; conjunctions if attributes are 0 or 1.

    Each monomial is scaled to a largest size of 1. Degree 1 takes sparse tables;
    degree 2 is never materialised; higher degrees are listed, but those of 0/1
    attributes, of which the best are found by branch and bound.

    Parameters
    ----------
    degree : int, default=2
        Number of factors.
    standardize : bool or "auto", default="auto"
        Whether to subtract the mean of each attribute (of the distinct items of the
        fit) first. "auto": if a value lies outside [-1, 1]; never for sparse tables.
    homogeneous : bool, default=False
        Whether to leave out monomials of a lower degree. For 0/1 attributes these are
        products too, as ``x * x`` is ``x``.
    """

    degree: int = 2
    standardize: bool | Literal["auto"] = "auto"
    homogeneous: bool = False

    def __post_init__(self) -> None:
        if self.degree < 1:
            raise DataError(f"degree must be at least 1. Got {self.degree!r}.")

    def bind(self, X: Any, vocabulary: Vocabulary) -> FeatureSet:
        """Choose how the monomials are priced, by degree and values."""
        _check_numbers(vocabulary)
        if sparse.issparse(X) and self.degree == 1:
            return PowerFeatures(X, np.zeros(X.shape[1]))
        items = dense_items(X, "Monomials of degree 2 or more")
        if self.degree > 1 and bool(np.isin(items, (0, 1)).all()):
            return SearchedFeatures(items.T == 1, self.degree, _binary_monomial)
        centers = self._centers(items)
        if self.degree == 1:
            return PowerFeatures(items, centers)
        if self.degree == 2:
            return ProductFeatures(items, centers, self.homogeneous)
        return self._listed(items, centers)

    def _centers(self, items: FloatArray) -> FloatArray:
        wanted = self.standardize
        if wanted == "auto":
            wanted = bool(np.abs(items).max(initial=0.0) > 1)
        return items.mean(axis=0) if wanted else np.zeros(items.shape[1])

    def _listed(self, items: FloatArray, centers: FloatArray) -> FeatureSet:
        n_items, d = items.shape
        count = comb(d + self.degree, self.degree) - 1
        if count * n_items > _MOST_VALUES:
            raise DataError(
                f"{count} monomials of {d} attributes up to degree {self.degree} are "
                f"too many to be listed for {n_items} items. Use degree=2, or 0/1 "
                "attributes."
            )
        degrees = range(self.degree if self.homogeneous else 1, self.degree + 1)
        shifted = items - centers
        features = []
        for degree in degrees:
            for chosen in combinations_with_replacement(range(d), degree):
                size = np.abs(shifted[:, chosen].prod(axis=1)).max()
                if size > 0:
                    middle = tuple(float(centers[i]) for i in chosen)
                    features.append(Monomial(chosen, middle, float(1 / size)))
        return FeatureList(features, items)


def _binary_monomial(numbers: tuple[int, ...]) -> Feature:
    return Monomial(numbers, (0.0,) * len(numbers), is_binary=True)


def _check_numbers(vocabulary: Vocabulary) -> None:
    for attribute in vocabulary.attributes or ():
        if attribute.kind == "categorical" and len(attribute.levels) > 2:
            raise DataError(
                f"Monomials need numbers, and {attribute.name!r} is categorical with "
                f"{len(attribute.levels)} levels. Use generator='rules'."
            )
