"""What models learn from, as it comes in files: tables, and answers about items."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from penchant.data import Attribute, Items, inspect_table, read_answers, read_table
from penchant.exceptions import DataError

_MOST_ROWS, _MOST_COLUMNS = 5_000_000, 5_000
_LIMITS: dict[str, Any] = {"max_rows": _MOST_ROWS, "max_columns": _MOST_COLUMNS}

_LEFT_OUT = {
    "shown": "nearly every row has a text of its own",
    "text": "it is long text",
    "picture": "it names pictures",
    "link": "it holds links",
    "identifier": "it only tells rows apart",
}
"""Why a column that is shown is not learned from, by its role."""


@dataclass(frozen=True, eq=False)
class LearningTable:
    """What to learn from.

    Parameters
    ----------
    items : Items
    target : Series, answers or None
        The column that is predicted, or what was said of the items.
    notes : tuple of str
        What was left out.
    name : str
        What is predicted.
    lines : tuple of int
        Where the rows stand in the file, as a spreadsheet counts; empty: nowhere.
    """

    items: Items
    target: Any
    notes: tuple[str, ...]
    name: str = ""
    lines: tuple[int, ...] = ()


def read_learning_files(
    table: Path | bytes | None,
    answers: Path | bytes | None,
    *,
    target: str | None = None,
    up: Sequence[str] = (),
    down: Sequence[str] = (),
    skip: Sequence[str] = (),
    filename: str | None = None,
    **limits: Any,
) -> LearningTable:
    """Read a table with a target, or answers with or without a table of items.

    Parameters
    ----------
    table, answers : path, bytes or None
        At least one of them; with answers the table holds the items.
    target : str or None
        The column that is predicted.
    up, down, skip : sequence of str
        Columns of which more is better (else it is learned), or less, or left out.
    filename : str, optional
        Of a table in bytes.
    **limits : int
        ``max_rows``, ``max_columns`` and ``max_bytes`` of the table.
    """
    read = None
    if table is not None:
        how: Any = {"up": up, "down": down, "skip": skip, "filename": filename}
        read = read_learning_table(table, target=target, **how, **limits)
    if answers is None:
        if read is None or target is None:
            raise DataError("Give a table with a target, or a file of answers.")
        return replace(read, name=target)
    found = read_answers(answers, None if read is None else read.items)
    known = found.items if found.items is not None else _only_names(found.names)
    called = answers.name if isinstance(answers, Path) else "Answers"
    notes = () if read is None else read.notes
    told = f"{called}: {found.format}, {len(found)} answers."
    lines = () if read is None or known is not read.items else read.lines
    return LearningTable(known, found.told, (*notes, told), "the choice", lines)


def _only_names(names: tuple[str, ...]) -> Items:
    """Make items of names alone: a model then tells how good each of them is."""
    each = Attribute("alternative", "categorical", domain=names)
    return Items(pd.DataFrame({each.name: list(names)}), (each,), names)


def read_learning_table(
    file: Path | bytes,
    *,
    target: str | None,
    up: Sequence[str] = (),
    down: Sequence[str] = (),
    skip: Sequence[str] = (),
    filename: str | None = None,
    **limits: Any,
) -> LearningTable:
    """Read a table with, or without, a column that is predicted."""
    table = read_table(file, filename, **{**_LIMITS, **limits})
    named = [] if target is None else [target]
    for column in (*named, *up, *down, *skip):
        check_column(table.cells, column)
    roles = dict.fromkeys(skip, "leave out") | dict.fromkeys(named, "attribute")
    notes: list[str] = []
    names = inspect_table(table, roles=roles).name_column
    labels: Any = names or [f"row {number}" for number in table.cells.index]
    if names is not None and not table.cells[names].is_unique:
        notes.append(f"{names!r} was left out: its names repeat.")
        roles[names] = "leave out"
        labels = [f"row {number}" for number in table.cells.index]
    items = Items.from_table(table, names=labels, roles=roles)
    truth, lines = None, table.cells.index
    if target is not None:
        if target not in items.frame:
            raise DataError(f"Column {target!r} is empty. Say what to predict in it.")
        truth = _whole(items.frame[target])
        empty = truth.isna().to_numpy()
        if empty.any():
            notes.append(f"{int(empty.sum())} rows without {target!r} were left out.")
            items, truth = items.take(np.flatnonzero(~empty)), truth[~empty]
            lines = lines[~empty]
    notes += [f"{e.name!r} was left out: {_LEFT_OUT[e.role]}." for e in items.extras]
    said: dict[str, Any] = dict.fromkeys(up, "up") | dict.fromkeys(down, "down")
    attributes = tuple(
        replace(each, direction=said.get(each.name, "unknown"))
        for each in items.attributes
        if each.name != target
    )
    if not attributes:
        raise DataError("The table has no attributes beside names and target.")
    learned = Items(items.frame[[a.name for a in attributes]], attributes, items.names)
    return LearningTable(learned, truth, tuple(notes), lines=tuple(map(int, lines)))


def _whole(column: pd.Series) -> pd.Series:
    """Give a column of whole numbers as such: grades and classes are read by people."""
    known = column.dropna()
    if column.dtype.kind == "f" and (known == known.round()).all():
        return column.astype("Int64" if len(known) < len(column) else "int64")
    return column


def check_column(frame: pd.DataFrame, column: str) -> None:
    """Refuse a column that is not there."""
    if column not in frame:
        raise DataError(
            f"There is no column {column!r}. The columns are: "
            f"{', '.join(map(repr, frame.columns))}."
        )


def known_rows(
    model: Any, file: Path | bytes, filename: str | None = None, **limits: Any
) -> pd.DataFrame:
    """Read the columns that a model knows; the index counts as a spreadsheet does."""
    table = read_table(file, filename, **{**_LIMITS, **limits})
    cells = table.cells
    names = [str(name) for name in model.feature_names_in_]
    missing = [name for name in names if name not in cells]
    if missing:
        raise DataError(
            f"The model needs the column {missing[0]!r}, and the table does not have "
            f"it. It needs: {', '.join(map(repr, names))}."
        )
    known = {a.name: a for a in _levelled(model) if a.name in cells}
    cells = cells.assign(**{n: _spelt_as(cells[n], a) for n, a in known.items()})
    items = Items.from_table(
        replace(table, cells=cells),
        names=list(cells.index),
        roles=dict.fromkeys(names, "attribute"),
    )
    return cells.assign(**{a.name: items.frame[a.name].array for a in items.attributes})


def _levelled(model: Any) -> list[Attribute]:
    """Give the columns of a model that have levels."""
    told = getattr(model, "attributes_in_", None) or ()
    return [attribute for attribute in told if attribute.kind != "numeric"]


def _spelt_as(values: pd.Series, attribute: Attribute) -> pd.Series:
    """Write levels as a model knows them, whatever their capitals."""
    known = {level.casefold(): level for level in attribute.levels}
    if len(known) < len(attribute.levels):  # capitals tell them apart
        return values
    texts = [
        known.get(each.strip().casefold(), each) if isinstance(each, str) else each
        for each in values
    ]
    return pd.Series(texts, values.index, dtype=object)


def unseen_levels(model: Any, frame: pd.DataFrame) -> list[str]:
    """Say which levels of rows, as `known_rows` gives them, a model has never seen."""
    said = []
    for attribute in _levelled(model):
        values = frame[attribute.name].dropna().astype(str)
        strange = values[~values.isin(attribute.levels)].drop_duplicates()
        said += [
            f"Row {row}, column {attribute.name!r}: the model has not seen {level!r} "
            f"and takes it as unknown. It knows {', '.join(attribute.levels)}."
            for row, level in strange.items()
        ]
    return said


def find_row(frame: pd.DataFrame, text: str) -> int:
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


def predicted_table(model: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """Predict rows, as `known_rows` gives them.

    Returns
    -------
    DataFrame
        With the columns "row", "name" if there are names, and "prediction" (with a
        chance of each class), or "utility" and "place", the best first.
    """
    from sklearn.base import is_regressor

    X = frame[list(model.feature_names_in_)]
    columns: dict[str, Any] = {"row": frame.index}
    named = inspect_table(frame).name_column
    if named is not None and named not in X:
        columns["name"] = frame[named].to_numpy()
    if hasattr(model, "classes_"):
        columns["prediction"] = model.predict(X)
        if hasattr(model, "predict_proba"):
            chances = model.predict_proba(X).T
            columns |= {
                f"chance of {label}": chance
                for label, chance in zip(model.classes_, chances, strict=True)
            }
        return pd.DataFrame(columns)
    if is_regressor(model):
        return pd.DataFrame(columns | {"prediction": model.predict(X)})
    ranked = pd.DataFrame(columns | {"utility": model.utility(X)})
    ranked["place"] = ranked["utility"].rank(ascending=False, method="min").astype(int)
    return ranked.sort_values(["place", "row"])
