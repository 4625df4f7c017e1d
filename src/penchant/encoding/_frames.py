"""Tables with text: what their columns are, and their cells as numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from penchant.data import Attribute
from penchant.data.reading import as_numbers, encode_column, type_column
from penchant.exceptions import DataError
from penchant.typing import FloatArray

__all__ = ["DAYS", "as_days", "encode_frame", "find_attributes", "find_text"]

DAYS = "days since 1970-01-01"
"""Unit of an attribute whose values are dates."""


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
    names = [attribute.name for attribute in attributes]
    columns = dict(zip(_names(frame), _columns(frame), strict=True))
    if sorted(columns) != sorted(names):
        raise DataError(
            f"The items must have the attributes {', '.join(names)}. "
            f"They have {', '.join(columns)}."
        )
    encoded = []
    for attribute in attributes:
        column = as_days(columns[attribute.name])
        if attribute.kind == "numeric":
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
        return Attribute(name, "numeric", "unknown", unit=DAYS)
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
    plain = column.dt.tz_convert("UTC").dt.tz_localize(None) if column.dt.tz else column
    return (plain - pd.Timestamp(0)) / pd.Timedelta(days=1)
