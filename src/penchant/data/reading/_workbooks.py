"""Tables in XLSX workbooks: reading them with clear errors, writing them safely."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from penchant.data.reading._csv_files import (
    MAX_BYTES,
    Source,
    check_header,
    source_bytes,
)
from penchant.exceptions import DataError, MissingExtraError

__all__ = ["Sheet", "read_xlsx_sheets", "sheet_frame", "write_xlsx_sheets"]

Sheet: TypeAlias = dict[int, list[Any]]

MAX_CELLS = 10_000_000
"""Most cells of a sheet, gaps counted: a few stray cells must not fill the memory."""


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError("openpyxl", "data") from None
    return openpyxl


def read_xlsx_sheets(source: Source, *, max_bytes: int = MAX_BYTES) -> dict[str, Sheet]:
    """Read the first sheet of an XLSX file, and the one that `to_xlsx` adds.

    Returns
    -------
    dict of str to Sheet
        "items": the first sheet; "attributes": the meaning of its columns, if there
        is a further sheet of that name. A sheet gives the cells of each row that is
        not blank, up to the last filled one, by row number.
    """
    openpyxl = _openpyxl()
    content = source_bytes(source, max_bytes)
    _check_archive(content, max_bytes)
    try:
        book = openpyxl.load_workbook(
            io.BytesIO(content), read_only=True, data_only=True
        )
        first, *others = book.worksheets
        wanted = {"items": first}
        wanted |= {s.title: s for s in others if s.title == "attributes"}
        return {title: _read_sheet(sheet) for title, sheet in wanted.items()}
    except DataError:
        raise
    except (KeyError, ValueError, TypeError, zipfile.BadZipFile, OSError) as error:
        raise DataError(f"The file is not a readable XLSX workbook: {error}.") from None


def _read_sheet(sheet: Any) -> Sheet:
    sheet.reset_dimensions()  # what the file says of its size may be wrong
    rows: Sheet = {}
    n_cells = 0
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        filled = [column for column, cell in enumerate(cells, 1) if cell is not None]
        if not filled:
            continue
        n_cells += filled[-1]
        if n_cells > MAX_CELLS:
            raise DataError(
                f"Row {number}: the sheet has more than {MAX_CELLS:,} cells. "
                "Keep the rows and columns that matter."
            )
        rows[number] = list(cells[: filled[-1]])
    return rows


def _check_archive(content: bytes, max_bytes: int) -> None:
    """Refuse what is no archive, and one that would unpack to far too much."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except zipfile.BadZipFile:
        raise DataError(
            "The file is not an XLSX workbook. Save it as XLSX or CSV and try again."
        ) from None
    limit = 4 * max_bytes
    if unpacked > limit:
        raise DataError(
            f"The workbook unpacks to {unpacked / 1e6:.0f} MB; at most "
            f"{limit / 1e6:.0f} MB are read. Keep the rows and columns that matter."
        )


def write_xlsx_sheets(
    sheets: Mapping[str, list[list[Any]]], path: str | Path | io.BytesIO
) -> None:
    """Write rows as sheets; text is stored as text, never as a formula."""
    openpyxl = _openpyxl()
    _check_characters(openpyxl, sheets)
    book = openpyxl.Workbook(write_only=True)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append([_exact_cell(openpyxl, sheet, value) for value in row])
    book.save(path)


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
    if value is None or isinstance(value, bool):
        return value
    number = not isinstance(value, str)
    cell = openpyxl.cell.WriteOnlyCell(sheet, repr(float(value)) if number else value)
    cell.data_type = "n" if number else "s"
    return cell


def sheet_frame(sheet: Sheet) -> pd.DataFrame:
    """Make a frame of the cells of a sheet; its first filled row is the header."""
    if not sheet:
        raise DataError("The first sheet is empty. A table needs a header and rows.")
    first, *others = sheet
    header = check_header(sheet[first])
    width = len(header)
    for number in others:
        if len(sheet[number]) > width:
            raise DataError(
                f"Row {number}: there are {len(sheet[number])} cells, but the header "
                f"has {width} columns."
            )
    body = [sheet[n] + [None] * (width - len(sheet[n])) for n in others]
    frame = pd.DataFrame(body, columns=header).infer_objects()
    return frame.set_axis(pd.Index(others, dtype="int64"), axis="index")
