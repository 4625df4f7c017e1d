"""Tables that models learn from, and those that they are asked about."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penchant.exceptions import DataError

if TYPE_CHECKING:
    import pandas as pd

    from penchant.data import Items

__all__ = ["LearningTable", "find_row", "known_rows", "read_learning_table"]


@dataclass(frozen=True, eq=False)
class LearningTable:
    """What to learn from.

    Parameters
    ----------
    items : Items
    target : Series or None
        The column that is foretold, if one was named.
    notes : tuple of str
        What was left out.
    """

    items: "Items"
    target: Any
    notes: tuple[str, ...]


def read_learning_table(
    file: Path,
    *,
    target: str | None,
    up: Sequence[str] = (),
    down: Sequence[str] = (),
    skip: Sequence[str] = (),
) -> LearningTable:
    """Read a table with, or without, a column that is foretold.

    Which way a column is better is learned, unless `up` or `down` says it.
    """
    from penchant.data import Items, inspect_table, read_table

    frame = read_table(file)
    for column in (*([] if target is None else [target]), *up, *down, *skip):
        check_column(frame, column)
    notes: list[str] = []
    truth = None
    if target is not None:
        empty = frame[target].isna()
        if empty.any():
            notes.append(f"{int(empty.sum())} rows without {target!r} were left out.")
            frame = frame[~empty]
        truth = frame[target]
    table = frame.drop(columns=list({*skip, *([] if target is None else [target])}))
    report = inspect_table(table)
    for problem in report.problems:
        if problem.severity == "error":
            raise DataError(f"{problem}. Correct it, or leave it out with --skip.")
        if "free text" in problem.message and problem.column is not None:
            notes.append(f"{problem.column!r} was left out: it looks like free text.")
            table = table.drop(columns=[problem.column])
    names = [f"row {number}" for number in table.index]
    if report.name_column is not None:
        labels = table[report.name_column]
        table = table.drop(columns=[report.name_column])
        if labels.notna().all() and labels.is_unique:
            names = list(map(str, labels))
        else:
            notes.append(f"{report.name_column!r} was left out: its names repeat.")
    if table.shape[1] == 0:
        raise DataError("The table has no attributes beside names and target.")
    items = Items.from_frame(table.reset_index(drop=True), names=names)
    said: dict[str, Any] = dict.fromkeys(up, "up") | dict.fromkeys(down, "down")
    attributes = tuple(
        replace(each, direction=said.get(each.name, "unknown"))
        for each in items.attributes
    )
    return LearningTable(
        Items(items.frame, attributes, items.names), truth, tuple(notes)
    )


def check_column(frame: "pd.DataFrame", column: str) -> None:
    """Refuse a column that is not there."""
    if column not in frame:
        raise DataError(
            f"There is no column {column!r}. The columns are: "
            f"{', '.join(map(repr, frame.columns))}."
        )


def known_rows(model: Any, file: Path) -> "pd.DataFrame":
    """Read the columns that a model knows; the index counts as a spreadsheet does."""
    from penchant.data import read_table

    frame = read_table(file)
    names = [str(name) for name in model.feature_names_in_]
    missing = [name for name in names if name not in frame]
    if missing:
        raise DataError(
            f"The model needs the column {missing[0]!r}, and the table does not have "
            f"it. It needs: {', '.join(map(repr, names))}."
        )
    return frame


def find_row(frame: "pd.DataFrame", text: str) -> int:
    """Find a row by its number in a spreadsheet (the header is 1), or by its name."""
    if text.isdigit() and int(text) in frame.index:
        return int(frame.index.get_loc(int(text)))
    for column in frame.columns:
        found = [k for k, value in enumerate(frame[column]) if str(value) == text]
        if len(found) == 1 and not text.isdigit():
            return found[0]
    raise DataError(
        f"There is no row {text!r}. Give its number as a spreadsheet counts, from "
        f"{frame.index[0]} to {frame.index[-1]}, or its name."
    )
