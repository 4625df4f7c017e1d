"""Items and tables with text as arrays, and the map of attributes to [0, 1]."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from penchant.data import DATE, Attribute, ItemPairs, Items
from penchant.data.reading import as_numbers, encode_column, type_column
from penchant.exceptions import DataError
from penchant.typing import FloatArray


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
    middle : ndarray of shape (n_features,) or None, default=None
        Where blank cells (NaN) stand in [0, 1]; None: they stay blank.
    """

    low: FloatArray
    high: FloatArray
    levels: tuple[FloatArray | None, ...]
    middle: FloatArray | None = None

    def transform(self, X: FloatArray) -> FloatArray:
        """Map X of shape (n, n_features) to [0, 1]; values outside are clamped."""
        width = self.high - self.low
        scale = np.where(width > 0, width, 1.0)
        # Kernels are centred on [0, 1], and monotone models speak of it: beyond the
        # ends nothing was learned, so that the end is the best guess.
        unit = np.clip((X - self.low) / scale, 0.0, 1.0)
        for column, levels in enumerate(self.levels):
            if levels is not None:
                position = _level_positions(X[:, column], levels, column)
                unit[:, column] = position / max(levels.size - 1, 1)
        return (
            unit if self.middle is None else np.where(np.isnan(unit), self.middle, unit)
        )

    def filled(self, X: FloatArray) -> "Domain":
        """Give the domain that puts blank cells where the median of X is.

        Half of the known items are better there and half are worse, so that silence
        is neither rewarded nor punished.
        """
        unit = replace(self, middle=None).transform(X)
        # A column without any value has no median; the middle says as little.
        known = np.where(np.isnan(unit).all(axis=0), 0.5, unit)
        return replace(self, middle=np.nanmedian(known, axis=0))


def check_items(estimator: Any, X: Any, *, reset: bool) -> FloatArray:
    """Return items as a float array of shape (n_items, n_features).

    Items, and tables with text, categories or dates, are encoded, and the names of
    their attributes become the feature names. Fit keeps the attributes as
    ``attributes_in_``; later tables are encoded by these, whatever their own domains
    are, and levels that the fit has not seen are blank. Blank cells are NaN where the
    estimator takes them (``_takes_blanks``), and refused elsewhere.
    """
    table = _as_table(estimator, X, reset=reset)
    return validate_data(
        estimator, table, reset=reset, dtype=np.float64, **_finite(estimator)
    )


def check_rated_items(estimator: Any, X: Any, y: Any) -> tuple[FloatArray, FloatArray]:
    """Return items as `check_items` does in fit, and finite ratings of them."""
    table = _as_table(estimator, X, reset=True)
    items, ratings = validate_data(
        estimator, table, y, dtype=np.float64, y_numeric=True, **_finite(estimator)
    )
    return items, np.asarray(ratings, dtype=np.float64)


def check_labelled_items(estimator: Any, X: Any, y: Any) -> tuple[FloatArray, Any]:
    """Return items as `check_items` does in fit, and labels of them."""
    table = _as_table(estimator, X, reset=True)
    items, labels = validate_data(
        estimator, table, y, dtype=np.float64, **_finite(estimator)
    )
    check_classification_targets(labels)
    return items, labels


def _finite(estimator: Any) -> dict[str, Any]:
    """Say what scikit-learn is to do with NaN; levels have been looked at before."""
    # Encoded tables were refused by name already, see _refuse_blanks; scikit-learn
    # could only say that there is a NaN somewhere.
    takes = takes_blanks(estimator) or hasattr(estimator, "attributes_in_")
    return {"ensure_all_finite": "allow-nan" if takes else True}


def takes_blanks(estimator: Any) -> bool:
    """Tell whether an estimator knows what to do with blank cells."""
    return bool(getattr(estimator, "_takes_blanks", False))


def _as_table(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Encode Items and tables with text; leave everything else to scikit-learn."""
    if reset and hasattr(estimator, "attributes_in_"):
        del estimator.attributes_in_
    known = getattr(estimator, "attributes_in_", None)
    has_names = reset or hasattr(estimator, "feature_names_in_")
    if reset:
        found = _attributes(estimator, X)
        if found is None:
            return X
        estimator.attributes_in_ = known = found
    if known is None:
        # The fit took numbers as the table has them.
        frame = X.frame if isinstance(X, Items) else X
        return frame if has_names or frame is X else frame.to_numpy()
    names = [attribute.name for attribute in known]
    frame = _raw_frame(X)
    if frame is None:
        encoded = np.asarray(X, dtype=np.float64)
    elif isinstance(X, Items | pd.DataFrame) or frame.shape[1] != len(known):
        encoded = encode_frame(frame, known)
    else:  # cells of an array go by their place
        encoded = encode_frame(frame.set_axis(names, axis="columns"), known)
        has_names = has_names and not reset
    if encoded.ndim != 2 or encoded.shape[1] != len(known):
        return X  # scikit-learn says what is wrong
    if not takes_blanks(estimator):
        _refuse_blanks(estimator, encoded, known, X)
    if not has_names:
        return encoded
    return pd.DataFrame(encoded, columns=names)


def _raw_frame(X: Any) -> pd.DataFrame | None:
    """Give a table in the user's own units; None: numbers that are encoded."""
    if isinstance(X, Items):
        return X.frame
    return X if isinstance(X, pd.DataFrame) else find_text(X)


def _attributes(estimator: Any, X: Any) -> tuple[Attribute, ...] | None:
    """Tell what the columns in a fit are; None: all are plain numbers."""
    found = known_attributes(X)
    is_given = not isinstance(getattr(estimator, "domain", "data"), str)
    if found is not None and is_given and not isinstance(X, Items):
        raise DataError(
            "domain is for tables of numbers. This one has text, categories or dates: "
            "give Items, whose attributes have domains, or leave domain='data'."
        )
    return found


def _refuse_blanks(
    estimator: Any, encoded: FloatArray, attributes: Sequence[Attribute], X: Any
) -> None:
    """Name the first blank cell; a level may be unknown where levels have codes."""
    has_codes = hasattr(estimator, "categorical_features")
    levels = [has_codes and each.kind == "categorical" for each in attributes]
    rows, columns = np.nonzero(np.isnan(encoded) & ~np.array(levels))
    if rows.size:
        name = X.names[rows[0]] if isinstance(X, Items) else f"row {rows[0]}"
        raise DataError(
            f"{type(estimator).__name__} takes no missing values (NaN). In column "
            f"{attributes[columns[0]].name!r} the value of {name!r} is missing or a "
            f"level that the fit has not seen ({rows.size} such cells in all). Fill "
            "them first, such as with Items.impute()."
        )


def known_attributes(X: Any) -> tuple[Attribute, ...] | None:
    """Tell what columns are, by what the user gave or by the estimator that took it.

    None: all are plain numbers.
    """
    if isinstance(X, ItemPairs):
        X = X.items
    if isinstance(X, Items):
        return X.attributes
    if hasattr(X, "get_params"):
        return getattr(X, "attributes_in_", None)
    is_pairs = isinstance(X, np.ndarray) and X.ndim == 3
    frame = find_text(X.reshape(-1, X.shape[2]) if is_pairs else X)
    return None if frame is None else find_attributes(frame)


def check_domain(domain: Any, X: Any, array: FloatArray) -> Domain:
    """Resolve the parameter `domain` of an estimator.

    Parameters
    ----------
    domain : "data", (low, high) or sequence with one entry per attribute
        The range of the training data; the same two ends for all attributes; or
        for each attribute its two ends or, if more than two, its levels in order.
    X : Items, estimator or array-like
        What the user gave, or the estimator that has checked it. Items and tables
        with text are encoded already, so theirs is [0, 1].
    array : ndarray of shape (n_items, n_features)
        The same as an array.

    Returns
    -------
    Domain
    """
    n_features = array.shape[1]
    if known_attributes(X) is not None:
        domain = (0.0, 1.0)
    if isinstance(domain, str):
        if domain != "data":
            raise DataError(
                "domain must be 'data', (low, high) or one entry per attribute. "
                f"Got {domain!r}."
            )
        # fmin and fmax pass blank cells over; a column of blanks alone has the ends
        # NaN.
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


def level_codes(values: FloatArray, levels: FloatArray) -> FloatArray:
    """Give the position of each value among the levels; -1: none of them."""
    # Levels come in the user's order, which need not be rising.
    order = np.argsort(levels)
    rank = np.searchsorted(levels[order], values)
    nearest = order[np.clip(rank, 0, len(order) - 1)]
    return np.where(levels[nearest] == values, nearest, -1.0)


def _level_positions(values: FloatArray, levels: FloatArray, column: int) -> FloatArray:
    positions, blank = level_codes(values, levels), np.isnan(values)
    strays = np.flatnonzero((positions < 0) & ~blank)
    if strays.size:
        raise DataError(
            f"Row {strays[0]}, attribute {column}: {values[strays[0]]:g} is not one "
            f"of its levels {levels.tolist()}."
        )
    return np.where(blank, np.nan, positions)


# Tables with text: what their columns are, and their cells as numbers


def find_text(X: Any) -> pd.DataFrame | None:
    """Give a table with columns of text, categories or dates as a data frame.

    Returns
    -------
    DataFrame or None
        With columns 0, 1, ... for an array; None if all columns are numbers, also
        numbers written as text, or X is no table.
    """
    if isinstance(X, list | tuple):
        X = np.array(X, dtype=object) if _has_text(X) else None
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "OU":
        X = pd.DataFrame(X.astype(object)).infer_objects()
    if not isinstance(X, pd.DataFrame):
        return None
    is_found = any(_is_level(column) or _is_date(column) for column in _columns(X))
    return X if is_found else None


def find_attributes(frame: pd.DataFrame) -> tuple[Attribute, ...]:
    """Tell what the columns of a data frame are by their types.

    Text and unordered categories have levels without an order, ordered categories
    levels with one; dates count in days; nobody said which way numbers are better.
    """
    return tuple(
        type_column(as_days(column), _guess(name, column))[1]
        for name, column in zip(_names(frame), _columns(frame), strict=True)
    )


def encode_frame(frame: pd.DataFrame, attributes: Sequence[Attribute]) -> FloatArray:
    """Map the cells of a table to [0, 1] by attributes of another one.

    Numbers outside the domain are clamped; blank cells and levels that the attribute
    does not have are NaN.

    Returns
    -------
    ndarray of shape (n_items, n_attributes)
    """
    if not attributes:
        raise DataError(
            "The items have no attributes to learn from, only names. Give the table a "
            "column that describes them, or ask people with an Elicitor or a Study."
        )
    names = [attribute.name for attribute in attributes]
    columns = dict(zip(_names(frame), _columns(frame), strict=True))
    # By name, whatever the order: a table read again may have other columns first.
    if sorted(columns) != sorted(names):
        raise DataError(
            f"The items must have the attributes {', '.join(names)}. "
            f"They have {', '.join(columns)}."
        )
    encoded = []
    for attribute in attributes:
        column = as_days(columns[attribute.name])
        if attribute.kind == "numeric":
            # A category of numbers would be read by its codes.
            is_level = isinstance(column.dtype, pd.CategoricalDtype)
            column = as_numbers(
                column.astype(object) if is_level else column, attribute
            )
        encoded.append(encode_column(column, attribute, takes_unseen=True))
    return np.column_stack(encoded)


def _names(frame: pd.DataFrame) -> list[str]:
    """Name the columns; those of arrays x0, x1, ... ."""
    return [name if isinstance(name, str) else f"x{name}" for name in frame.columns]


def _columns(frame: pd.DataFrame) -> list[pd.Series]:
    return [frame.iloc[:, i] for i in range(frame.shape[1])]


def _guess(name: str, column: pd.Series) -> Attribute:
    kind = column.dtype
    if _is_date(column):
        return Attribute(name, "numeric", "unknown", unit=DATE)
    if isinstance(kind, pd.CategoricalDtype) and kind.ordered:
        return Attribute(name, "ordinal", "unknown", tuple(map(str, kind.categories)))
    if _is_level(column) or kind == np.bool_:
        return Attribute(name, "categorical")
    return Attribute(name, "numeric", "unknown")


def _is_date(column: pd.Series) -> bool:
    return bool(is_datetime64_any_dtype(column.dtype))


def _is_level(column: pd.Series) -> bool:
    """Tell whether a column holds categories, or text that is not all numbers."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return True
    if is_numeric_dtype(column.dtype) or _is_date(column):
        return False
    known = column.dropna()
    if not any(isinstance(value, str) for value in known):
        return False
    return bool(pd.to_numeric(known, errors="coerce").isna().any())


def _has_text(rows: Any) -> bool:
    return any(isinstance(cell, str) for row in rows if np.ndim(row) for cell in row)


def as_days(column: pd.Series) -> pd.Series:
    """Count dates in days since 1970, with fractions; NaN for no date."""
    if not _is_date(column):
        return column
    # Days must not depend on the zone of the table that is predicted.
    plain = column.dt.tz_convert("UTC").dt.tz_localize(None) if column.dt.tz else column
    return (plain - pd.Timestamp(0)) / pd.Timedelta(days=1)
