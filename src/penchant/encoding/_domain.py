"""Items as arrays, and the map of their attributes to [0, 1]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from penchant.data import Items
from penchant.exceptions import DataError
from penchant.typing import FloatArray

__all__ = [
    "Domain",
    "blanks",
    "check_domain",
    "check_items",
    "check_labelled_items",
    "check_rated_items",
]


@dataclass(frozen=True)
class Domain:
    """The values that each attribute can take, and where they lie in [0, 1].

    Parameters
    ----------
    low, high : ndarray of shape (n_features,)
        The two ends of each attribute; they map to 0 and 1.
    levels : tuple of (ndarray or None)
        For an attribute with levels: its values in order; level j of L maps to
        j/(L - 1). None: a continuous attribute.
    """

    low: FloatArray
    high: FloatArray
    levels: tuple[FloatArray | None, ...]

    def transform(self, X: FloatArray) -> FloatArray:
        """Map X of shape (n, n_features) to [0, 1]; values outside are clamped."""
        width = self.high - self.low
        scale = np.where(width > 0, width, 1.0)
        unit = np.clip((X - self.low) / scale, 0.0, 1.0)
        for column, levels in enumerate(self.levels):
            if levels is not None:
                position = _level_positions(X[:, column], levels, column)
                unit[:, column] = position / max(levels.size - 1, 1)
        return unit


def check_items(estimator: Any, X: Any, *, reset: bool) -> FloatArray:
    """Return items as a finite float array of shape (n_items, n_features).

    Items are encoded, and their attributes' names become the feature names. Fit
    keeps the attributes as ``attributes_in_``, and later tables are encoded by
    these, whatever their own domains are.
    """
    known = getattr(estimator, "attributes_in_", None)
    if isinstance(X, Items) and known is not None and not reset:
        return X.encode(attributes=known, missing=blanks(estimator)[0])
    table = _as_table(estimator, X, reset=reset)
    array: FloatArray = validate_data(
        estimator,
        table,
        reset=reset,
        dtype=np.float64,
        ensure_all_finite=blanks(estimator)[1],
    )
    return array


def blanks(estimator: Any) -> tuple[Literal["keep", "refuse"], str | bool]:
    """Say what Items and scikit-learn are to do with blank cells."""
    takes = getattr(estimator, "_takes_blanks", False)
    return ("keep", "allow-nan") if takes else ("refuse", True)


def check_rated_items(estimator: Any, X: Any, y: Any) -> tuple[FloatArray, FloatArray]:
    """Return items as `check_items` does in fit, and finite ratings of them."""
    table = _as_table(estimator, X, reset=True)
    items, ratings = validate_data(
        estimator,
        table,
        y,
        dtype=np.float64,
        y_numeric=True,
        ensure_all_finite=blanks(estimator)[1],
    )
    return items, np.asarray(ratings, dtype=np.float64)


def check_labelled_items(estimator: Any, X: Any, y: Any) -> tuple[FloatArray, Any]:
    """Return items as `check_items` does in fit, and labels of them."""
    table = _as_table(estimator, X, reset=True)
    items, labels = validate_data(
        estimator,
        table,
        y,
        dtype=np.float64,
        ensure_all_finite=blanks(estimator)[1],
    )
    check_classification_targets(labels)
    return items, labels


def _as_table(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Encode Items as a data frame; leave everything else to scikit-learn."""
    if reset and hasattr(estimator, "attributes_in_"):
        del estimator.attributes_in_
    if not isinstance(X, Items):
        return X
    if reset:
        estimator.attributes_in_ = X.attributes
    known = getattr(estimator, "attributes_in_", X.attributes)
    names = [attribute.name for attribute in known]
    encoded = X.encode(attributes=known, missing=blanks(estimator)[0])
    return pd.DataFrame(encoded, columns=names)


def check_domain(domain: Any, X: Any, array: FloatArray) -> Domain:
    """Resolve the parameter `domain` of an estimator.

    Parameters
    ----------
    domain : "data", (low, high) or sequence with one entry per attribute
        The range of the training data; the same two ends for all attributes; or
        for each attribute its two ends or, if more than two, its levels in order.
    X : Items or array-like
        What the user gave. Items are encoded already, so theirs is [0, 1].
    array : ndarray of shape (n_items, n_features)
        The same as an array.

    Returns
    -------
    Domain
    """
    n_features = array.shape[1]
    if isinstance(X, Items):
        domain = (0.0, 1.0)
    if isinstance(domain, str):
        if domain != "data":
            raise DataError(
                "domain must be 'data', (low, high) or one entry per attribute. "
                f"Got {domain!r}."
            )
        ends = np.fmin.reduce(array, axis=0), np.fmax.reduce(array, axis=0)
        return Domain(*ends, (None,) * n_features)
    if len(domain) == 2 and np.isscalar(domain[0]):
        domain = [domain] * n_features
    if len(domain) != n_features:
        raise DataError(
            f"domain must have one entry per attribute ({n_features}). "
            f"Got {len(domain)}."
        )
    return _domain_of_entries(domain)


def _domain_of_entries(entries: Sequence[Any]) -> Domain:
    low, high, levels = [], [], []
    for column, entry in enumerate(entries):
        values = np.asarray(entry, dtype=np.float64)
        if values.ndim != 1 or values.size < 2 or not np.isfinite(values).all():
            raise DataError(
                f"domain[{column}] must be (low, high) or a list of levels, all "
                f"finite numbers. Got {entry!r}."
            )
        if values.size == 2 and values[0] > values[1]:
            raise DataError(f"domain[{column}] must have low <= high. Got {entry!r}.")
        if np.unique(values).size < values.size and values.size > 2:
            raise DataError(f"domain[{column}] repeats a level: {entry!r}.")
        low.append(values.min())
        high.append(values.max())
        levels.append(values if values.size > 2 else None)
    return Domain(np.array(low), np.array(high), tuple(levels))


def _level_positions(values: FloatArray, levels: FloatArray, column: int) -> FloatArray:
    order = np.argsort(levels)
    found = np.clip(np.searchsorted(levels[order], values), 0, levels.size - 1)
    positions = order[found]
    blank = np.isnan(values)
    strays = np.flatnonzero((levels[positions] != values) & ~blank)
    if strays.size:
        raise DataError(
            f"Row {strays[0]}, attribute {column}: {values[strays[0]]:g} is not one "
            f"of its levels {levels.tolist()}."
        )
    return np.where(blank, np.nan, positions)
