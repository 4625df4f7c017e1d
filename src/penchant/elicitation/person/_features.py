"""Features of items: lines, curves and pairs of attributes, learned from a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from penchant.data import Attribute
from penchant.typing import BoolArray, FloatArray

_MAX_KNOTS = 64
"""Values of an attribute between which a curve is straight."""

_N_CURVES = 4
"""Directions in which a curve can bend."""

_N_TOGETHER = 3
"""Directions in which two attributes can matter together."""

_MAX_LEVELS = 50
"""Levels with a feature of their own; rarer ones are covered by the items' own part."""

_MAX_ATTRIBUTES = 12
"""With more attributes than this no pairs are looked at."""

_MAX_PRODUCTS = 100
"""Products of two attributes' lines; two with many levels have no pair."""

_FLAT = 1e-9
"""A feature that varies less than this share of its size does not vary."""


def _unit(table: FloatArray) -> float:
    """Give what the table is divided by so that its mean squared row norm is 1."""
    return float(np.sqrt((table**2).sum(axis=1).mean()))


@dataclass(frozen=True, eq=False)
class AttributeFeatures:
    """What one attribute's values become.

    Parameters
    ----------
    attribute : int
        Its place in the table.
    directed : bool
        Whether more (after encoding) is better.
    levels : ndarray of shape (n_levels,)
        Encoded levels with an indicator each; none for numbers and ordered levels.
    knots : ndarray of shape (n_knots,)
        Encoded values between which curves are straight.
    centre : ndarray of shape (n_lines,)
        Means of the lines.
    scale : float
        Size of the lines.
    bends : ndarray of shape (n_knots, n_curves)
        Curves at the knots, centred and scaled.
    """

    attribute: int
    directed: bool
    levels: FloatArray
    knots: FloatArray
    centre: FloatArray
    scale: float
    bends: FloatArray

    @classmethod
    def learn(
        cls, place: int, attribute: Attribute, x: FloatArray
    ) -> "AttributeFeatures | None":
        """Learn from encoded values, NaN where unknown; None if they do not vary."""
        known = x[~np.isnan(x)]
        values, counts = np.unique(known, return_counts=True)
        if values.size < 2:
            return None
        categorical = attribute.kind == "categorical"
        often = np.argsort(-counts, kind="stable")[:_MAX_LEVELS]
        levels = np.sort(values[often]) if categorical else np.empty(0)
        lines = known[:, None] == levels if categorical else known[:, None]
        centre = lines.mean(axis=0)
        scale = _unit(lines - centre)
        knots, bends = np.empty(0), np.empty((0, 0))
        if not categorical and values.size > 2:
            knots, bends = _learn_bends(known)
        directed = attribute.direction != "unknown"
        return cls(place, directed, levels, knots, centre, scale, bends)

    def lines(self, x: FloatArray) -> FloatArray:
        """Give the line, or an indicator per level; 0 where the value is unknown."""
        raw = x[:, None] == self.levels if self.levels.size else x[:, None]
        return np.nan_to_num((raw - self.centre) / self.scale) * ~np.isnan(x)[:, None]

    def curves(self, x: FloatArray) -> FloatArray:
        """Give what the line leaves out; 0 where the value is unknown."""
        known = np.nan_to_num(x)
        columns = [np.interp(known, self.knots, bend) for bend in self.bends.T]
        table = np.array(columns).reshape(len(columns), x.size).T
        return np.asarray(table * ~np.isnan(x)[:, None])


def _learn_bends(known: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the leading functions of the kernel min(x, y) beside 1 and x.

    Returns
    -------
    knots : ndarray of shape (n_knots,)
    bends : ndarray of shape (n_knots, n_curves)
        Scaled together to mean squared row norm 1 over the values.
    """
    knots = np.unique(known)
    if knots.size > _MAX_KNOTS:
        knots = np.unique(np.quantile(known, np.linspace(0.0, 1.0, _MAX_KNOTS)))
    place = np.clip(np.searchsorted(knots, known), 0, knots.size - 1)
    share = np.sqrt(np.bincount(place, minlength=knots.size) / known.size)
    straight, _ = np.linalg.qr(share[:, None] * np.column_stack([knots**0, knots]))
    kernel = share[:, None] * np.minimum.outer(knots, knots) * share
    away = np.eye(knots.size) - straight @ straight.T
    values, vectors = np.linalg.eigh(away @ kernel @ away)
    kept = np.flatnonzero(values > _FLAT * max(values.max(), _FLAT))[-_N_CURVES:][::-1]
    if kept.size == 0:  # values that are all but two, as far as numbers can tell
        return np.empty(0), np.empty((0, 0))
    safe = np.maximum(share, 1e-12)[:, None]
    bends = vectors[:, kept] * np.sqrt(values[kept]) / safe
    bends[share == 0] = 0.0
    # the sign of an eigenvector is arbitrary: the largest entry is made positive
    top = np.abs(bends).argmax(axis=0, keepdims=True)
    bends = bends * np.sign(np.take_along_axis(bends, top, axis=0))
    size = _unit(np.column_stack([np.interp(known, knots, b) for b in bends.T]))
    return knots, bends / size


@dataclass(frozen=True, eq=False)
class PairFeatures:
    """What two attributes are together beyond each alone.

    Products of their lines less what lines and curves explain, reduced to a few
    directions.

    Parameters
    ----------
    first, second : AttributeFeatures
    explained : ndarray of shape (n_single, n_products)
        How lines and curves make the products.
    directions : ndarray of shape (n_products, n_features)
        Of what is left, scaled.
    """

    first: AttributeFeatures
    second: AttributeFeatures
    explained: FloatArray
    directions: FloatArray

    @classmethod
    def learn(
        cls, first: AttributeFeatures, second: AttributeFeatures, X: FloatArray
    ) -> "PairFeatures | None":
        """Learn from items of which both are known; None if nothing is left."""
        X = X[_both_known(first, second, X)]
        products, single = _products(first, second, X), _single(first, second, X)
        if products.shape[1] > _MAX_PRODUCTS or not len(X):
            return None
        explained = np.asarray(np.linalg.lstsq(single, products, rcond=1e-9)[0])
        left = products - single @ explained
        _, sizes, vectors = np.linalg.svd(left, full_matrices=False)
        kept = np.flatnonzero(sizes > 1e-6 * np.sqrt(len(X)))[:_N_TOGETHER]
        if not kept.size:
            return None
        directions = vectors[kept].T / np.sqrt((sizes[kept] ** 2).sum() / len(X))
        return cls(first, second, explained.astype(np.float64), directions)

    def together(self, X: FloatArray) -> FloatArray:
        """Give the features of encoded items; 0 where one of both is unknown."""
        products = _products(self.first, self.second, X)
        single = _single(self.first, self.second, X)
        left = (products - single @ self.explained) @ self.directions
        return np.asarray(left * _both_known(self.first, self.second, X)[:, None])


def _both_known(
    first: AttributeFeatures, second: AttributeFeatures, X: FloatArray
) -> BoolArray:
    return ~np.isnan(X[:, first.attribute]) & ~np.isnan(X[:, second.attribute])


def _products(
    first: AttributeFeatures, second: AttributeFeatures, X: FloatArray
) -> FloatArray:
    a, b = first.lines(X[:, first.attribute]), second.lines(X[:, second.attribute])
    return (a[:, :, None] * b[:, None, :]).reshape(len(X), -1)


def _single(
    first: AttributeFeatures, second: AttributeFeatures, X: FloatArray
) -> FloatArray:
    parts = [np.ones((len(X), 1))]
    for each in (first, second):
        x = X[:, each.attribute]
        parts += [each.lines(x), each.curves(x)]
    return np.hstack(parts)


def learn_attributes(
    X: FloatArray, attributes: Sequence[Attribute]
) -> list[AttributeFeatures]:
    """Learn the features of every attribute that varies."""
    columns = zip(attributes, X.T, strict=True)
    found = (AttributeFeatures.learn(k, a, x) for k, (a, x) in enumerate(columns))
    return [each for each in found if each is not None]


def learn_pairs(
    X: FloatArray, singles: Sequence[AttributeFeatures]
) -> list[PairFeatures]:
    """Learn the features of every two attributes, unless there are many."""
    if len(singles) > _MAX_ATTRIBUTES:
        return []
    found = (PairFeatures.learn(a, b, X) for a, b in combinations(singles, 2))
    return [each for each in found if each is not None]
