"""Guessing what the columns of a table mean; people correct the guesses."""

import re

import numpy as np
import pandas as pd

from penchant.data._attribute import Attribute, Direction
from penchant.data.reading._problems import Problem, row_numbers

__all__ = ["guess_attribute", "guess_name_column"]

_NAME_WORDS = ("item", "alternative", "option", "title", "label", "id")

_LESS_IS_BETTER = re.compile(
    r"price|cost|rent\b|fee|tax|distance|commute|duration|delay|time\b|noise|"
    r"pollution|crime|risk|emission|consumption|weight|age\b|error|debt|waste",
    re.IGNORECASE,
)
_MORE_IS_BETTER = re.compile(
    r"size|area|rating|score|quality|grade|rank_points|income|salary|revenue|profit|"
    r"battery|range|capacity|speed|memory|storage|benefit|yield|efficiency|"
    r"comfort|safety|health|power|experience|skill|warranty",
    re.IGNORECASE,
)

_YES_NO = (("no", "yes"), ("false", "true"), ("n", "y"), ("off", "on"))
_SCALES: tuple[tuple[str, ...], ...] = (
    ("very low", "low", "medium", "high", "very high"),
    ("very low", "low", "moderate", "high", "very high"),
    ("very small", "small", "medium", "large", "very large"),
    ("very bad", "bad", "fair", "good", "very good", "excellent"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("poor", "average", "good", "excellent"),
    ("unacceptable", "acceptable", "good", "very good"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("xs", "s", "m", "l", "xl", "xxl"),
)
_GOOD_ENDS = ("good", "very good", "excellent")

_TEXT_LEVELS = 50
"""A text column with more levels than this, most of them once, is free text."""


def guess_name_column(frame: pd.DataFrame) -> str | None:
    """Find the column that names the items, if there is one.

    It is the column called "name"; else one whose header is another telling word,
    or the first one if it is text, provided that it has no gaps or repetition.
    """
    words = {str(column).strip().lower(): str(column) for column in frame.columns}
    if "name" in words and frame.shape[1] > 1:
        return words["name"]
    for word in _NAME_WORDS:
        if word in words and _is_key(frame[words[word]]):
            return words[word]
    if frame.shape[1] > 1:
        first = frame.columns[0]
        if _is_text(frame[first]) and _is_key(frame[first]):
            return str(first)
    return None


def _is_text(values: pd.Series) -> bool:
    return not (
        pd.api.types.is_numeric_dtype(values)
        or isinstance(values.dtype, pd.CategoricalDtype)
    )


def _is_key(values: pd.Series) -> bool:
    return bool(values.notna().all() and values.is_unique)


def guess_attribute(name: str, values: pd.Series) -> tuple[Attribute, list[Problem]]:
    """Guess kind, direction and domain of one column.

    Parameters
    ----------
    name : str
        Column name; some words tell whether less is better.
    values : Series
        The cells; their index is used as row numbers in problems.

    Returns
    -------
    attribute : Attribute
        With the domain that the values span.
    problems : list of Problem
        Cells that do not fit, and doubts.
    """
    problems = _gaps(name, values)
    known = values.dropna()
    if known.empty:
        problems.append(Problem("the column is empty", column=name))
        return Attribute(name, direction="unknown"), problems
    if isinstance(values.dtype, pd.CategoricalDtype) and values.cat.ordered:
        return _ordinal(name, tuple(map(str, values.cat.categories))), problems
    if pd.api.types.is_bool_dtype(known) or _holds_booleans(known):
        return _ordinal(name, ("False", "True")), problems
    if pd.api.types.is_numeric_dtype(values):
        return _numeric(name, known.to_numpy(np.float64), problems)
    return _guess_text(name, known, problems)


def _holds_booleans(known: pd.Series) -> bool:
    """Tell whether a column with gaps holds nothing but booleans."""
    return known.dtype == object and set(map(type, known.unique())) == {bool}


def _gaps(name: str, values: pd.Series) -> list[Problem]:
    empty = row_numbers(values.index)[values.isna().to_numpy()]
    if not empty.size:
        return []
    message = f"{empty.size} of {len(values)} cells are missing"
    return [Problem(message, int(empty[0]), name, "warning")]


def _numeric(
    name: str, numbers: np.ndarray, problems: list[Problem]
) -> tuple[Attribute, list[Problem]]:
    if not np.isfinite(numbers).all():
        problems.append(Problem("the numbers must be finite", column=name))
        numbers = np.nan_to_num(numbers, posinf=0.0, neginf=0.0)
    low, high = float(numbers.min()), float(numbers.max())
    if low == high:
        message = f"all values are {low:g}, so the column cannot matter"
        problems.append(Problem(message, column=name, severity="warning"))
    return Attribute(name, "numeric", _guess_direction(name), (low, high)), problems


def _guess_text(
    name: str, texts: pd.Series, problems: list[Problem]
) -> tuple[Attribute, list[Problem]]:
    codes, uniques = pd.factorize(texts)
    levels = [str(level) for level in uniques]
    numbers = pd.to_numeric(pd.Series(levels), errors="coerce").to_numpy(np.float64)
    strays = np.flatnonzero(np.isnan(numbers[codes]))
    if len(strays) <= len(texts) / 2:
        numbers_of_rows = row_numbers(texts.index)
        for row in strays:
            message = f"{levels[codes[row]]!r} is not a number, but most cells are"
            problems.append(Problem(message, int(numbers_of_rows[row]), name))
        return _numeric(name, numbers[~np.isnan(numbers)], problems)
    scale = _find_scale([level.lower() for level in levels])
    if scale:
        spelling = {level.lower(): level for level in levels}
        return _ordinal(name, tuple(spelling.get(s, s) for s in scale)), problems
    if len(levels) > max(_TEXT_LEVELS, len(texts) / 2):
        message = (
            f"{len(levels)} different texts in {len(texts)} rows look like free "
            "text; leave the column out or make it the name"
        )
        problems.append(Problem(message, column=name, severity="warning"))
    return Attribute(name, "categorical", "unknown", tuple(sorted(levels))), problems


def _find_scale(levels: list[str]) -> tuple[str, ...] | None:
    """Find a familiar scale that holds all levels, cut to the span they use."""
    for scale in (*_YES_NO, *_SCALES):
        if len(levels) > 1 and set(levels) <= set(scale):
            used = [scale.index(level) for level in levels]
            return scale[min(used) : max(used) + 1]
    return None


def _ordinal(name: str, levels: tuple[str, ...]) -> Attribute:
    direction = _guess_direction(name)
    if direction == "unknown" and levels[-1].lower() in _GOOD_ENDS:
        direction = "up"
    return Attribute(name, "ordinal", direction, levels)


def _guess_direction(name: str) -> Direction:
    if _LESS_IS_BETTER.search(name):
        return "down"
    return "up" if _MORE_IS_BETTER.search(name) else "unknown"
