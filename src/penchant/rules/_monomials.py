"""Monomials of the attributes, priced as matrix products (PRL-4, PRL-7)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from penchant.rules._conditions import Vocabulary
from penchant.rules._features import Feature, ListedFeatures
from penchant.typing import FloatArray

__all__ = [
    "Monomial",
    "PowerFeatures",
    "ProductFeatures",
    "rescaled",
]

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
        scaled: FloatArray = (columns - self._centers[kept]) * self._factors[kept]
        return scaled

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
