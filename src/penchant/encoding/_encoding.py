"""Attributes of a GAI model: from the user's units to [0, 1] or category codes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from penchant.data import Attribute
from penchant.data.reading import encode_column, type_column
from penchant.encoding._domain import (
    Domain,
    check_domain,
    known_attributes,
    level_codes,
)
from penchant.exceptions import DataError
from penchant.kernels import (
    RBF,
    BSpline,
    Categorical,
    Ordinal,
    Spline,
    UnivariateKernel,
)
from penchant.typing import ArrayLike, FloatArray


@dataclass(frozen=True, eq=False)
class Encoding:
    """What each attribute is, and where its values lie in the encoded items.

    Parameters
    ----------
    names : tuple of str
        One per attribute; x0, x1, ... for plain arrays.
    domain : Domain
        The ends of numeric attributes and the levels of ordinal ones.
    categories : tuple of (ndarray or None)
        For a categorical attribute its values in the order of their codes.
    attributes : tuple of Attribute or None
        The columns of the Items of the fit; None: plain arrays.
    varies : tuple of bool
        False for attributes with a single value in the data: they take no part.
    """

    names: tuple[str, ...]
    domain: Domain
    categories: tuple[FloatArray | None, ...]
    attributes: tuple[Attribute, ...] | None
    varies: tuple[bool, ...]

    @property
    def active(self) -> tuple[int, ...]:
        """The attributes that take part."""
        return tuple(np.flatnonzero(self.varies).tolist())

    def transform(self, X: FloatArray) -> FloatArray:
        """Encode items: [0, 1], or codes; -1 for a category that is not known."""
        U = self.domain.transform(X)
        for i, categories in enumerate(self.categories):
            if categories is not None:
                # From X, not from U: codes know neither ends nor clamping.
                U[:, i] = level_codes(X[:, i], categories)
        return U

    def column(self, i: int, values: ArrayLike) -> FloatArray:
        """Encode values of one attribute, given in the user's own units.

        After a fit with Items these are the units of the table: numbers, or the
        names of levels.
        """
        if self.attributes is not None:
            typed, _ = type_column(pd.Series(values), self.attributes[i])
            numbers = encode_column(typed, self.attributes[i])
        else:
            numbers = np.asarray(values, dtype=np.float64)
        # One column through the same map as whole items; the others only have to be
        # valid.
        items = np.tile(self.domain.low, (len(numbers), 1))
        items[:, i] = numbers
        return self.transform(items)[:, i]

    def grid(self, i: int, n_points: int) -> list[Any]:
        """Give the levels of an attribute, or equally spaced values of its domain."""
        attribute = None if self.attributes is None else self.attributes[i]
        if attribute is not None and attribute.levels:
            return list(attribute.levels)
        levels = self.categories[i]
        if levels is None:
            levels = self.domain.levels[i]
        if levels is not None:
            return list(levels.tolist())
        # Of Items the domain is [0, 1]; a curve is drawn in the units of the table.
        ends = (float(self.domain.low[i]), float(self.domain.high[i]))
        if attribute is not None:
            ends = attribute.domain or ends
        return list(np.linspace(*ends, n_points).tolist())

    def ordinal_levels(self, i: int) -> FloatArray | None:
        """Give the encoded levels of an ordinal attribute with two levels or more."""
        levels = self.domain.levels[i]
        n_levels = 0 if levels is None else len(levels)
        if self.attributes is not None and self.attributes[i].kind == "ordinal":
            n_levels = len(self.attributes[i].levels)
        return _level_places(n_levels) if n_levels > 1 else None

    def position(self, attribute: int | str) -> int:
        """Give the index of an attribute that was given by name or index."""
        if isinstance(attribute, str):
            if attribute not in self.names:
                raise DataError(
                    f"There is no attribute {attribute!r}. The attributes are: "
                    f"{', '.join(self.names)}."
                )
            return self.names.index(attribute)
        if not 0 <= attribute < len(self.names):
            raise DataError(
                f"Attributes have the indices 0 to {len(self.names) - 1}. "
                f"Got {attribute!r}."
            )
        return int(attribute)

    def directions(self, monotone: Any) -> dict[int, int]:
        """Resolve the parameter `monotone`: +1 or -1 in the encoded units."""
        if monotone is None:
            return {}
        if isinstance(monotone, str):
            return self._own_directions()
        resolved = {}
        for attribute, sign in monotone.items():
            i = self.position(attribute)
            if sign not in (-1, 1):
                raise DataError(
                    f"monotone[{attribute!r}] must be +1 or -1. Got {sign!r}."
                )
            if self.categories[i] is not None:
                raise DataError(
                    f"Attribute {self.names[i]!r} is categorical; it has no order "
                    "to be monotone in. Leave it out of monotone."
                )
            # Items turn "down" round when they are encoded, so that +1 in the user's
            # units is -1 here.
            flipped = self.attributes and self.attributes[i].direction == "down"
            resolved[i] = -sign if flipped else sign
        return resolved

    def _own_directions(self) -> dict[int, int]:
        """Give +1 for every attribute whose direction is known: 1 is its better end."""
        if self.attributes is None:
            raise DataError(
                "monotone='directions' uses the directions of Items, and plain "
                "arrays have none. Give {attribute: +1 or -1}."
            )
        known = enumerate(self.attributes)
        return {i: 1 for i, attribute in known if attribute.direction != "unknown"}


def make_encoding(
    X: Any,
    items: FloatArray,
    domain: Any,
    categorical_features: Any,
    names: Any,
    *,
    fills_blanks: bool = False,
) -> Encoding:
    """Find out what the attributes are.

    Parameters
    ----------
    X : Items, estimator or array-like
        What the user gave, or the estimator that has checked it.
    items : ndarray of shape (n_items, n_features)
        What `check_items` gave.
    domain : "data", (low, high) or sequence
        The parameter of the estimator.
    categorical_features : array-like or None
        Mask, indices or names of categorical attributes.
    names : sequence of str or None
        Names of the features; None: x0, x1, ... .
    fills_blanks : bool, default=False
        Whether a blank number counts as the median; a blank category is unknown.
    """
    n_features = items.shape[1]
    known = [f"x{i}" for i in range(n_features)] if names is None else list(names)
    attributes = known_attributes(X)
    space = check_domain(domain, X, items)
    blank: tuple[FloatArray | None, ...] = (None,) * n_features
    varies = tuple(map(_varies, items.T))
    encoding = Encoding(tuple(known), space, blank, attributes, varies)
    categories, levels = list(blank), list(space.levels)
    for i in _categorical(categorical_features, encoding):
        given = levels[i]
        if attributes is not None and attributes[i].levels:
            # Encoded by Items already: the codes are these places, not the labels.
            given = _level_places(len(attributes[i].levels))
        known = items[~np.isnan(items[:, i]), i]
        categories[i] = np.unique(known) if given is None else given
        # A category is no place in [0, 1]: the domain must not map it.
        levels[i] = None
    space = replace(space, levels=tuple(levels))
    if fills_blanks:
        space = space.filled(items)
    return replace(encoding, domain=space, categories=tuple(categories))


def make_kernels(
    kernel: str | Sequence[UnivariateKernel],
    sigma: float | Sequence[float],
    encoding: Encoding,
) -> tuple[UnivariateKernel, ...]:
    """Give the kernel of each attribute by its kind, or check the given ones."""
    n_features = len(encoding.names)
    if not isinstance(kernel, str):
        if len(kernel) != n_features or not all(
            isinstance(k, UnivariateKernel) for k in kernel
        ):
            raise DataError(
                f"kernel must be a name or {n_features} kernels of penchant.kernels, "
                f"one per attribute. Got {kernel!r}."
            )
        return tuple(kernel)
    scales = np.broadcast_to(np.asarray(sigma, dtype=np.float64), (n_features,))
    return tuple(
        _kernel(kernel, float(scales[i]), encoding, i) for i in range(n_features)
    )


def _kernel(name: str, sigma: float, encoding: Encoding, i: int) -> UnivariateKernel:
    categories, levels = encoding.categories[i], encoding.ordinal_levels(i)
    if categories is not None:
        # One level alone does not vary; a kernel needs two to be centred on.
        return Categorical(max(2, len(categories)))
    if levels is not None:
        return Ordinal(tuple(levels.tolist()), sigma)
    if name == "rbf":
        return RBF(sigma)
    return Spline() if name == "spline" else BSpline()


def _categorical(features: Any, encoding: Encoding) -> list[int]:
    """Resolve a mask, indices or names; Items know their own."""
    found = set()
    if encoding.attributes is not None:
        kinds = [attribute.kind for attribute in encoding.attributes]
        found = {i for i, kind in enumerate(kinds) if kind == "categorical"}
    given = [] if features is None else np.asarray(features).tolist()
    if given and all(isinstance(entry, bool) for entry in given):
        if len(given) != len(encoding.names):
            raise DataError(
                "A mask of categorical_features must have one entry per attribute "
                f"({len(encoding.names)}). Got {len(given)}."
            )
        given = np.flatnonzero(given).tolist()
    return sorted(found.union(map(encoding.position, given)))


def _varies(column: FloatArray) -> bool:
    """Tell whether a column has two values or more; a blank is a value."""
    blank = np.isnan(column)
    if blank.any():
        return not blank.all()
    return bool(np.ptp(column) > 0)


def _level_places(n_levels: int) -> FloatArray:
    """Give j/(L - 1), bit by bit as Items and Domain encode their levels."""
    return np.arange(n_levels) / max(n_levels - 1, 1)
