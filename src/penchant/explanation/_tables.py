"""Items in every form that users have them: rows for the model, cells for people."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from penchant.data import Attribute, Items
from penchant.exceptions import DataError
from penchant.explanation._players import as_table, frame_of

_KEY = "penchant attributes"
"""Where a data frame of shown rows keeps the meaning of its columns."""


def as_rows(model: Any, X: Any) -> Any:
    """Give items as the model takes them: Items, a data frame or an array.

    Arrays get the names that the model knows.
    """
    table = as_table(X)
    names = getattr(model, "feature_names_in_", None)
    if hasattr(model, "attributes_in_"):
        return table  # the model names arrays itself: they are encoded, frames are not
    if isinstance(table, np.ndarray) and names is not None:
        if table.shape[1] != len(names):
            raise DataError(
                f"The model knows {len(names)} attributes. Got {table.shape[1]} "
                "columns."
            )
        return pd.DataFrame(table, columns=list(names)).infer_objects()
    return table


def as_row(model: Any, item: Any) -> Any:
    """Give one item as a table with one row.

    Parameters
    ----------
    model : fitted model
    item : Items or DataFrame with one row, Series, mapping, or array-like
        A mapping has a value for each attribute, by name.
    """
    if isinstance(item, Mapping):
        known = getattr(model, "attributes_in_", None)
        frame = pd.DataFrame([dict(item)])
        item = frame if known is None else Items(frame, known, ("item",))
    elif isinstance(item, pd.Series):
        item = item.to_frame().T.infer_objects()
    elif not isinstance(item, Items | pd.DataFrame):
        item = np.atleast_2d(np.asarray(item))
    table = as_rows(model, item)
    if len(table) != 1:
        raise DataError(f"This takes one item. Got a table of {len(table)}.")
    return table


def stack_rows(first: Any, second: Any) -> Any:
    """Put two rows of the same kind into one table."""
    if isinstance(first, Items) and isinstance(second, Items):
        frame = pd.concat([first.frame, second.frame], ignore_index=True)
        names = ("item", "rival")
        if first.attributes == second.attributes:
            return first.with_rows(frame, names)
        return Items(frame, first.attributes, names)
    if isinstance(first, pd.DataFrame) and isinstance(second, pd.DataFrame):
        return pd.concat([first, second[first.columns]], ignore_index=True)
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return np.concatenate([first, second])
    raise DataError(
        "Two items must have the same form. Got "
        f"{type(first).__name__} and {type(second).__name__}."
    )


def shown_rows(model: Any, rows: Any) -> pd.DataFrame:
    """Give rows as people read them, in the order of the model's attributes."""
    frame = frame_of(rows)
    if not isinstance(rows, Items):
        return frame
    known = getattr(model, "attributes_in_", rows.attributes)
    frame = frame[[attribute.name for attribute in known]]
    frame.attrs[_KEY] = tuple(known)
    return frame


def attributes_of(frame: pd.DataFrame | None) -> tuple[Attribute, ...] | None:
    """Give the meaning of the columns of shown rows; None: nobody said."""
    return None if frame is None else frame.attrs.get(_KEY)


def format_cell(frame: pd.DataFrame | None, row: int, column: int) -> str:
    """Write a cell of shown rows with its unit; empty where there is none."""
    if frame is None:
        return ""
    value = frame.iloc[row, column]
    attributes = attributes_of(frame)
    if attributes is not None and column < len(attributes):
        return attributes[column].format(value)
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    return str(value)
