"""One column of a table under the meaning of its attribute."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from penchant.data._attribute import Attribute
from penchant.data.reading._cells import shown_text
from penchant.data.reading._marks import MISSING_MARKS
from penchant.data.reading._problems import Problem, raise_first, row_numbers
from penchant.exceptions import DataError
from penchant.typing import FloatArray


def type_column(
    values: pd.Series, attribute: Attribute, *, takes_unseen: bool = False
) -> tuple[pd.Series, Attribute]:
    """Give the column its type, and the attribute the domain that it lacked.

    Parameters
    ----------
    values : Series
        Cells as they were read; the index is used as row numbers in errors.
    attribute : Attribute
        What they should be.
    takes_unseen : bool
        Whether a level that the attribute does not have is blank, or an error.

    Returns
    -------
    column : Series
        Floats, or a categorical over the levels of the attribute.
    attribute : Attribute
        The same, with a domain.
    """
    if attribute.kind == "numeric":
        return _type_numeric(values, attribute)
    return _type_levels(values, attribute, takes_unseen)


def as_numbers(values: pd.Series, attribute: Attribute) -> pd.Series:
    """Give cells as finite floats, NaN where they are blank."""
    numbers = pd.to_numeric(values, errors="coerce").astype(np.float64)
    strays = _not_missing(values) & ~np.isfinite(numbers)
    _refuse(values, strays, attribute, "is not a finite number", "no_number")
    return numbers


def _type_numeric(
    values: pd.Series, attribute: Attribute
) -> tuple[pd.Series, Attribute]:
    numbers = as_numbers(values, attribute)
    if attribute.domain is None:
        known = numbers.dropna()
        if known.empty:
            raise DataError(
                f"Column {attribute.name!r}: no value is known, so the attribute "
                "needs a domain."
            )
        attribute = replace(attribute, domain=(known.min(), known.max()))
    low, high = attribute.domain or (0.0, 0.0)
    outside = (numbers < low) | (numbers > high)
    message = f"is outside the domain {low:g} to {high:g}"
    _refuse(values, outside, attribute, message, "outside", low=low, high=high)
    return numbers, attribute


def _type_levels(
    values: pd.Series, attribute: Attribute, takes_unseen: bool
) -> tuple[pd.Series, Attribute]:
    codes, uniques = pd.factorize(values)
    texts = [_clean(value) for value in uniques]
    levels = attribute.levels
    if attribute.domain is None:
        levels = tuple(sorted({text for text in texts if text is not None}))
        if attribute.kind == "ordinal":
            raise DataError(
                f"Ordinal attribute {attribute.name!r} needs its levels in order: "
                f"domain={list(levels)}, sorted from first to last."
            )
        attribute = replace(attribute, domain=levels)
    position = {level: code for code, level in enumerate(levels)}
    stray = -1 if takes_unseen else -2
    places = [-1 if text is None else position.get(text, stray) for text in texts]
    lookup = np.array([*places, -1])
    recoded = lookup[codes]
    strays = pd.Series(recoded == -2, index=values.index)
    listed = ", ".join(levels)
    message = f"is not one of {listed}"
    _refuse(values, strays, attribute, message, "no_level", levels=listed)
    column = pd.Categorical.from_codes(
        recoded, categories=list(levels), ordered=attribute.kind == "ordinal"
    )
    return pd.Series(column, index=values.index, name=attribute.name), attribute


def _clean(value: object) -> str | None:
    """Give a cell as text; None if it says that nothing is known."""
    text = shown_text(value)
    return None if text in MISSING_MARKS else text


def _not_missing(values: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(values):
        return values.notna()
    return values.notna() & ~values.astype(str).str.strip().isin(MISSING_MARKS)


def _refuse(
    values: pd.Series,
    strays: pd.Series,
    attribute: Attribute,
    message: str,
    kind: str,
    **facts: Any,
) -> None:
    rows = np.flatnonzero(strays.to_numpy())
    numbers = row_numbers(values.index)
    raise_first(
        [
            Problem(
                f"{_quoted(values.iloc[row])} {message}",
                int(numbers[row]),
                attribute.name,
                kind=kind,
                facts={"cell": str(values.iloc[row]), **facts},
            )
            for row in rows
        ]
    )


def _quoted(value: object) -> str:
    """Show a cell as a person wrote it: text in quotes, numbers plain."""
    return repr(value) if isinstance(value, str) else shown_text(value)


def encode_column(
    column: pd.Series, attribute: Attribute, *, takes_unseen: bool = False
) -> FloatArray:
    """Map a typed column to [0, 1], flipped when less is better.

    Numbers outside the domain of the attribute are clamped; a level that it does
    not have is an error, or NaN if `takes_unseen`.
    """
    if attribute.kind == "numeric":
        if not pd.api.types.is_numeric_dtype(column):
            raise DataError(f"Column {attribute.name!r} must hold numbers, not levels.")
        low, high = attribute.domain or (0.0, 0.0)
        width = high - low
        position = np.clip(column.to_numpy(np.float64), low, high) - low
    else:
        width = float(len(attribute.levels) - 1)
        typed, _ = type_column(column, attribute, takes_unseen=takes_unseen)
        codes = typed.cat.codes.to_numpy(np.float64)
        position = np.where(codes < 0, np.nan, codes)
    share: FloatArray = position / width if width > 0 else position * 0.0
    return 1.0 - share if attribute.direction == "down" else share


def impute_column(column: pd.Series, attribute: Attribute, strategy: str) -> pd.Series:
    """Fill the gaps of a typed column."""
    if not column.isna().any():
        return column
    if strategy == "worst":
        if attribute.direction == "unknown":
            raise DataError(
                f"Column {attribute.name!r} has no direction, so no value is the "
                "worst. Declare one, or choose strategy='middle'."
            )
        domain = attribute.domain or ()
        return column.fillna(domain[-1] if attribute.direction == "down" else domain[0])
    if column.notna().sum() == 0:
        raise DataError(f"Column {attribute.name!r} has no value to fill gaps with.")
    if attribute.kind == "numeric":
        return column.fillna(column.median())
    if attribute.kind == "categorical":
        return column.fillna(column.mode().iloc[0])
    codes = np.sort(column.cat.codes[column.notna()].to_numpy())
    return column.fillna(attribute.levels[codes[(codes.size - 1) // 2]])
