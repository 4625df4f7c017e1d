"""Tables in XLSX workbooks: reading them with clear errors, writing them safely."""

import io
import re
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree.ElementTree import ParseError

from penchant.data.reading._candidate import Cell, rounded
from penchant.data.reading._numbers import Measured
from penchant.data.reading.files._archives import chunks, damaged, open_archive
from penchant.data.reading.files._grid import Grid
from penchant.data.reading.files._limits import Limits
from penchant.exceptions import DataError, MissingExtraError

_Ahead: TypeAlias = tuple[set[int], list[tuple[int, int, int, int]]]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LOOKED_AT, _NUMBER_WIDTH, _WIDEST = 1000, 10, 60
"""Rows that tell how wide a column is, and letters of a number and of any column."""

_LAST_ROW = 1_048_576
"""Of any spreadsheet."""

_ROW = re.compile(rb"<(?:\w+:)?row\b[^>]*>")
_NUMBER = re.compile(rb'\br="(\d+)"')
_HIDDEN = re.compile(rb'\bhidden="(?:1|true)"')
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\b[^>]*ref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
_CURRENCY = re.compile(r"\[\$([^-\]]+)|\"\s*([€$£¥]|[A-Z]{3})\s*\"|([€£¥])|^\$")


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError("openpyxl", "data") from None
    return openpyxl


def read_workbook(
    content: bytes, sheet: str | None, limits: Limits
) -> tuple[Grid, str, tuple[str, ...], dict[str, list[list[Cell]]]]:
    """Read one sheet of an XLSX file.

    Returns
    -------
    grid : Grid
    sheet : str
        Its name.
    sheets : tuple of str
        The names of all sheets that are shown.
    meaning : dict
        Rows of the sheet "attributes" that `Items.to_xlsx` adds, if it is there.
    """
    openpyxl = _openpyxl()
    archive = open_archive(content, limits)
    ahead = {
        name: _look_ahead(archive, name, limits)
        for name in archive.namelist()
        if name.endswith((".xml", ".rels"))
    }
    try:
        # A list of charts is no sheet, and a hidden one was not meant for others.
        book = openpyxl.load_workbook(io.BytesIO(content), True, data_only=True)
        known = {s.title: s for s in book.worksheets if s.sheet_state == "visible"}
        chosen = _choose(sheet, known)
        grid = _read_sheet(known[chosen], ahead, limits)
        meaning = {}
        if chosen != "attributes" and "attributes" in known:
            rows = _read_sheet(known["attributes"], ahead, limits).rows
            meaning["attributes"] = [rows[number] for number in sorted(rows)]
        shown = tuple(title for title in known if title not in meaning)
        return grid, chosen, shown, meaning
    except DataError:
        raise
    except (
        AttributeError,
        IndexError,
        KeyError,
        OSError,
        OverflowError,
        ParseError,
        TypeError,
        ValueError,
        zipfile.BadZipFile,
    ) as error:
        raise DataError(
            f"The file is not a readable XLSX workbook: {str(error).rstrip('.')}. "
            "Save it as XLSX or CSV again and try once more.",
            "errors.file_workbook",
        ) from None


def _choose(sheet: str | None, known: Mapping[str, Any]) -> str:
    if not known:
        raise DataError("The workbook has no sheet that is shown.")
    if sheet is None:
        return next(iter(known))
    if sheet not in known:
        raise DataError(
            f"There is no sheet {sheet!r}. The sheets are: {', '.join(known)}."
        )
    return sheet


def _read_sheet(sheet: Any, ahead: Mapping[str, _Ahead], limits: Limits) -> Grid:
    hidden, merged = ahead[sheet._worksheet_path]
    sheet.reset_dimensions()  # what the file says of its size may be wrong
    rows: dict[int, list[Cell]] = {}
    formats: dict[str, str] = {}
    n_cells = 0
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        if number > _LAST_ROW:  # gaps up to any number that the file says
            raise damaged()
        values = [_value(cell, formats) for cell in cells]
        while values and values[-1] is None:
            values.pop()
        if values:
            rows[number] = values
            n_cells += len(values)
            limits.check(len(rows), len(values), n_cells)
    return Grid(rows, hidden, merged)


def _value(cell: Any, formats: dict[str, str]) -> Cell:
    """Give a cell; a number with the unit that its format shows."""
    value: Cell = cell.value
    if type(value) not in (int, float):
        return value
    shown = cell.number_format
    if shown == "General":
        return value
    unit = formats.get(shown)
    if unit is None:
        found = _CURRENCY.search(shown.replace("\\", ""))
        sign = (found and next(filter(None, found.groups()), "$")) or ""
        unit = formats[shown] = "%" if "%" in shown else sign.strip()
    number = float(str(value))
    if unit == "%":
        return Measured(rounded(number * 100), "%")
    return Measured(number, unit) if unit else value


def _look_ahead(archive: zipfile.ZipFile, path: str, limits: Limits) -> _Ahead:
    """Count rows and cells before any is read; find hidden rows and merged cells."""
    hidden: set[int] = set()
    merged = []
    n_rows = n_cells = n_tags = 0
    for chunk in chunks(archive, path):
        n_rows += chunk.count(b"<row") + chunk.count(b":row ")
        n_cells += chunk.count(b"<c ") + chunk.count(b"<c>") + chunk.count(b":c ")
        n_tags += chunk.count(b"<")
        limits.check(n_rows, n_cells // max(n_rows, 1), n_cells)
        limits.check(0, 0, n_tags // 10)
        for tag in _ROW.findall(chunk) if b"hidden" in chunk else ():
            number = _NUMBER.search(tag)
            if number and _HIDDEN.search(tag):
                hidden.add(int(number[1]))
        merged += _MERGED.findall(chunk)
    spans = [
        (int(top), _column(left), int(bottom), _column(right))
        for left, top, right, bottom in merged
    ]
    return hidden, spans


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def write_xlsx_sheets(
    sheets: Mapping[str, list[list[Any]]], path: str | Path | io.BytesIO
) -> None:
    """Write rows as sheets; text is stored as text, never as a formula.

    The first row and the first column stay in view.
    """
    openpyxl = _openpyxl()
    _check_characters(openpyxl, sheets)
    book = openpyxl.Workbook(write_only=True)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        sheet.freeze_panes = "B2"
        for number, width in enumerate(_widths(rows), start=1):
            letter = openpyxl.utils.get_column_letter(number)
            sheet.column_dimensions[letter].width = width
        for row in rows:
            sheet.append([_exact_cell(openpyxl, sheet, value) for value in row])
    book.save(path)


def _widths(rows: list[list[Any]]) -> list[int]:
    """Give how many letters the columns need, within what a screen can show."""
    shown = rows[:_LOOKED_AT]
    longest = (
        max(len(value) if isinstance(value, str) else _NUMBER_WIDTH for value in column)
        for column in zip(*shown, strict=True)
    )
    return [min(width + 2, _WIDEST) for width in longest]


def _check_characters(openpyxl: Any, sheets: Mapping[str, list[list[Any]]]) -> None:
    """Refuse control characters before anything is written."""
    illegal = openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE
    for rows in sheets.values():
        for number, row in enumerate(rows, start=1):
            for value in row:
                if isinstance(value, str) and illegal.search(value):
                    raise DataError(
                        f"Row {number}: XLSX cannot hold the control characters of "
                        f"{value!r}. Use JSON or CSV."
                    )


def _exact_cell(openpyxl: Any, sheet: Any, value: Any) -> Any:
    """Store text as text and numbers with all their digits (openpyxl keeps 16)."""
    if value is None or isinstance(value, bool | datetime):
        return value
    number = not isinstance(value, str)
    cell = openpyxl.cell.WriteOnlyCell(sheet, repr(float(value)) if number else value)
    cell.data_type = "n" if number else "s"
    if not number and value[:1] in _FORMULA:
        cell.quotePrefix = True  # stays text when somebody edits the cell
    return cell
