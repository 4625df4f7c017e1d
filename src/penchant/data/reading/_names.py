"""The names of the items of a table: which column holds them, and their faults."""

from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd

from penchant.data.reading._guess import guess_name_column
from penchant.data.reading._problems import Problem, row_numbers
from penchant.exceptions import DataError

__all__ = ["name_problems", "split_names"]


def split_names(
    table: pd.DataFrame,
    names: str | Sequence[Any] | None,
    given: Collection[str],
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Take the names of the items out of the table.

    Parameters
    ----------
    table : DataFrame
        One row per item.
    names : str, sequence or None
        The column that names the items, or the names. None: guess.
    given : collection of str
        Columns that are attributes and so hold no names.

    Returns
    -------
    table : DataFrame
        The columns that are left.
    names : tuple of str
    """
    if names is None and not pd.api.types.is_numeric_dtype(table.index):
        names = list(table.index)
    if names is None:
        candidate = guess_name_column(table)
        names = None if candidate in given else candidate
    if names is None:
        return table, tuple(f"item {row + 1}" for row in range(len(table)))
    if isinstance(names, str):
        if names not in table:
            raise DataError(f"There is no column {names!r} to take the names from.")
        texts = table[names].astype(object).where(table[names].notna(), "").tolist()
        labels = tuple([str(text).strip() for text in texts])
        return table.drop(columns=names), labels
    return table, tuple(str(name) for name in names)


def name_problems(names: tuple[str, ...], rows: pd.Index) -> list[Problem]:
    """Find names that are empty or stand twice."""
    if len(set(names)) == len(names) and all(map(str.strip, names)):
        return []
    problems = []
    seen: dict[str, Any] = {}
    for row, name in zip(row_numbers(rows), names, strict=True):
        if not name.strip():
            problems.append(Problem("the item has no name", int(row)))
        elif name in seen:
            message = f"the name {name!r} stands in row {seen[name]} already"
            problems.append(Problem(message, int(row)))
        seen.setdefault(name, row)
    return problems
