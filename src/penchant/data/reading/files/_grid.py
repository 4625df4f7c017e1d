"""Grid: rows of cells as they stand in a file, and the table within them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from penchant.data.reading._candidate import Cell
from penchant.data.reading._headers import NAME_WORDS
from penchant.data.reading._numbers import Measured
from penchant.data.reading._report import FileReading, LeftOut
from penchant.exceptions import DataError
from penchant.typing import BoolArray

_TOTAL = re.compile(
    r"(?:grand |sub-?|zwischen|gesamt)?(?:total|totals|summe|sum|gesamt|insgesamt|"
    r"somme|totale|suma|average|avg|mean|durchschnitt|mittelwert|moyenne|media|ø)\s*:?",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"(?:source|quelle|stand|note|notes|hinweis|fuente|fonte|as of|\*|¹|©)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\W{0,3}\d[\d.,'\s]*\W{0,3}")

_BREAK = re.compile(r"\s*[\r\n]+\s*")

_SAMPLE = 60
"""So many rows tell where the header is."""


@dataclass(frozen=True)
class Wishes:
    """What the user said about the file; the rest is guessed."""

    header_row: int | None = None
    sheet: str | None = None
    encoding: str | None = None
    separator: str | None = None
    keep_totals: bool = False
    keep_hidden: bool = False
    fill_merged: bool = True


@dataclass
class Grid:
    """Rows of cells by their numbers; blank rows are missing.

    Parameters
    ----------
    rows : dict of int to list
        Cells of a row, up to the last filled one.
    hidden : set of int
        Rows that a spreadsheet does not show.
    merged : list of (int, int, int, int)
        First row, first column, last row, last column, from 1.
    """

    rows: dict[int, list[Cell]]
    hidden: set[int] = field(default_factory=set)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)


def grid_cells(
    grid: Grid, wishes: Wishes, file: FileReading
) -> tuple[pd.DataFrame, FileReading]:
    """Find the table in a grid: its header, and the rows that are alternatives."""
    left_out = []
    rows = {n: cells for n, cells in grid.rows.items() if any(map(_filled, cells))}
    if not rows:
        raise DataError(
            "There is nothing in it. A table needs a header and rows.",
            "errors.file_empty",
        )
    hidden = tuple(sorted(grid.hidden & set(rows)))
    if hidden and not wishes.keep_hidden:
        text = _first_text(rows[hidden[0]])
        left_out.append(LeftOut("hidden", hidden, text, {"keep_hidden": True}))
        rows = {n: cells for n, cells in rows.items() if n not in hidden}
    numbers = sorted(rows)
    header_row = find_header([(n, rows[n]) for n in numbers[:_SAMPLE]], wishes)
    if header_row and wishes.fill_merged:
        left_out += _fill_merged(grid, rows, header_row)
    above = tuple(n for n in numbers if n < header_row)
    if above:
        text = _first_text(rows[above[0]])
        left_out.append(LeftOut("title", above, text, {"header_row": above[0]}))
    body = [n for n in sorted(rows) if n > header_row]
    width = max((len(rows[n]) for n in body), default=0)
    head = rows.get(header_row, []) if header_row else [None] * width
    header, renamed = column_names(head)
    for number in body:
        if len(rows[number]) > len(header):
            raise DataError(
                f"Row {number}: there are {len(rows[number])} cells, but the header "
                f"has {len(header)} columns. Give every column a name.",
                "errors.file_wide",
                row=number,
                cells=len(rows[number]),
                columns=len(header),
            )
    padded = [[*rows[n], *[None] * (len(header) - len(rows[n]))] for n in body]
    frame = pd.DataFrame(
        {i: _series([row[i] for row in padded], body) for i in range(len(header))},
        index=pd.Index(body, dtype="int64"),
    ).set_axis(header, axis="columns")
    file = replace(
        file, header_row=header_row, left_out=(*file.left_out, *left_out, *renamed)
    )
    return tidy(frame, wishes, file)


def _series(cells: Sequence[Cell], index: Sequence[int]) -> pd.Series:
    """Keep numbers as floats where the file has nothing else in a column."""
    known = [cell for cell in cells if _filled(cell)]
    plain = all(type(cell) in (int, float) for cell in known)
    if known and plain:
        numbers = [np.nan if not _filled(c) else float(str(c)) for c in cells]
        return pd.Series(numbers, index, dtype=float)
    texts = [c.strip() if isinstance(c, str) else c for c in cells]
    return pd.Series([c if _filled(c) else None for c in texts], index, dtype=object)


def _filled(cell: Cell) -> bool:
    return (
        cell is not None and cell == cell and (cell != "" and str(cell).strip() != "")
    )


def _first_text(cells: Sequence[Cell]) -> str:
    return next((str(cell).strip() for cell in cells if _filled(cell)), "")


def _is_number(cell: Cell) -> bool:
    if isinstance(cell, str):
        return bool(_NUMBER.fullmatch(cell.strip()))
    return isinstance(cell, (int, float, Measured)) and not isinstance(cell, bool)


def find_header(rows: Sequence[tuple[int, Sequence[Cell]]], wishes: Wishes) -> int:
    """Give the number of the row with the column names; 0: there is none.

    Titles above a table fill fewer cells than its rows do. A first row with numbers
    in it, above numbers, is data; but years and counts are names of columns.
    """
    if wishes.header_row is not None:
        return wishes.header_row
    filled = {n: sum(map(_filled, cells)) for n, cells in rows}
    counts = Counter(filled.values())
    width = max(counts, key=lambda n: (counts[n], n))
    if width == 1 and max(counts) > 1 and counts[1] < len(rows):
        width = max(n for n in counts if n > 1)
    for place, (number, cells) in enumerate(rows):
        below = rows[place + 1][1] if place + 1 < len(rows) else []
        is_head = not any(map(_is_number, cells)) and any(map(_is_number, below))
        if filled[number] >= (0.5 if is_head else 0.6) * width:
            return (
                number
                if _names_columns(cells, [c for _, c in rows[place + 1 :]])
                else 0
            )
    return rows[0][0]


def _names_columns(cells: Sequence[Cell], below: Sequence[Sequence[Cell]]) -> bool:
    """Tell a header from a first row of data."""
    if sum(map(_filled, cells)) == 1 and max(map(len, below), default=1) <= 1:
        word = _first_text(cells).lower()
        numbers = [_is_number(row[0]) for row in below if row]
        return word in ("name", "names", *NAME_WORDS) or (
            bool(numbers) and all(numbers) and not _is_number(cells[0])
        )
    found = [str(c).strip() for c in cells if _is_number(c)]
    if not found:
        return True
    whole = [int(text) for text in found if text.isdigit()]
    named = len(whole) == len(found) and len(set(whole)) == len(whole)
    if named and all(1900 <= n <= 2100 for n in whole):
        return True
    return named and len(whole) > 1 and set(np.diff(whole)) == {1}


def column_names(cells: Sequence[Cell]) -> tuple[list[str], list[LeftOut]]:
    """Name every column once; what that changes is told."""
    names: list[str] = []
    changed: dict[str, list[int]] = {}
    for position, cell in enumerate(cells, start=1):
        text = _BREAK.sub(" ", str(cell)).strip() if _filled(cell) else ""
        if isinstance(cell, float) and cell.is_integer():
            text = str(int(cell))
        name = text or f"column {position}"
        if name in names:
            number = 2
            while f"{name} ({number})" in names:
                number += 1
            changed.setdefault(name, []).append(position)
            name = f"{name} ({number})"
        names.append(name)
    told = [
        LeftOut("same header", tuple(places), name, {})
        for name, places in changed.items()
    ]
    return names, told


def _fill_merged(
    grid: Grid, rows: dict[int, list[Cell]], header_row: int
) -> list[LeftOut]:
    """Give the value of cells merged downwards to every row; drop merged headings."""
    filled, headings = set(), []
    for top, left, bottom, right in grid.merged:
        if top <= header_row or top not in rows or left > len(rows[top]):
            continue
        value = rows[top][left - 1]
        only = sum(map(_filled, rows[top])) == 1
        if right > left and top == bottom and only:
            headings.append(top)
            continue
        for number in range(top + 1, min(bottom, max(rows)) + 1):
            row = rows.get(number)
            if row is not None:
                row += [None] * (left - len(row))
                row[left - 1] = value
                filled.add(number)
    told = []
    if filled:
        option = {"fill_merged": False}
        told.append(LeftOut("merged", tuple(sorted(filled)), "", option))
    if headings:
        text, option = _first_text(rows[headings[0]]), {"fill_merged": False}
        told.append(LeftOut("heading", tuple(headings), text, option))
        for number in headings:
            del rows[number]
    return told


def tidy(
    frame: pd.DataFrame, wishes: Wishes, file: FileReading
) -> tuple[pd.DataFrame, FileReading]:
    """Leave out empty rows and columns, totals and notes at the end; tell of them."""
    left_out: list[LeftOut] = []
    empty = _empty_rows(frame)
    if empty.any():
        numbers = frame.index[empty].tolist()
        frame = frame[~empty]
        inside = tuple(n for n in numbers if len(frame) and n < frame.index[-1])
        if inside:
            left_out.append(LeftOut("empty row", inside, "", {}))
    gone = [
        position
        for position, name in enumerate(frame.columns)
        if str(name).startswith("column ") and _blank(frame.iloc[:, position]).all()
    ]
    if gone:
        places = tuple(position + 1 for position in gone)
        left_out.append(LeftOut("empty column", places, "", {}))
        frame = frame.drop(columns=frame.columns[gone])
    if not wishes.keep_totals:
        rows = _after_table(frame)
        for what, numbers in rows.items():
            text = _first_text(frame.loc[numbers[0]].tolist())
            option: Mapping[str, Any] = {"keep_totals": True}
            left_out.append(LeftOut(what, tuple(numbers), text, option))
            frame = frame.drop(index=numbers)
    file = replace(file, left_out=(*file.left_out, *left_out))
    return frame, file


def _blank(column: pd.Series) -> BoolArray:
    blank: BoolArray = column.isna().to_numpy()
    if not pd.api.types.is_numeric_dtype(column):
        blank = blank | (column == "").to_numpy(dtype=bool, na_value=False)
    return blank


def _empty_rows(frame: pd.DataFrame) -> BoolArray:
    """Find rows without any cell; most tables are done after the first column."""
    empty = np.ones(len(frame), dtype=bool)
    for position in range(frame.shape[1]):
        if not empty.any():
            break
        empty &= _blank(frame.iloc[:, position])
    return empty


def _after_table(frame: pd.DataFrame) -> dict[str, list[int]]:
    """Find totals and notes in the last rows."""
    found: dict[str, list[int]] = {}
    if frame.shape[1] < 2:
        return found
    for place in range(len(frame) - 1, max(len(frame) - 6, 1), -1):
        number = int(frame.index[place])
        cells = frame.iloc[place].tolist()
        text = _first_text(cells)
        lonely = sum(map(_filled, cells)) == 1 and frame.shape[1] > 2
        apart = number - int(frame.index[place - 1]) > 1
        if _TOTAL.fullmatch(text):
            found.setdefault("total", []).insert(0, number)
        elif lonely and (apart or _NOTE.match(text)):
            found.setdefault("note", []).insert(0, number)
        else:
            break
    return found
