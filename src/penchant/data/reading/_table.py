"""Table: the cells of a file, before anybody says what its columns mean."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from penchant.data._attribute import Attribute
from penchant.data.reading._report import FileReading, ReadingReport
from penchant.data.reading._understanding import Understanding, understand
from penchant.data.reading.files._encodings import decode
from penchant.data.reading.files._grid import Grid, Wishes, grid_cells
from penchant.data.reading.files._limits import UPLOADS, Limits, Source, source_bytes
from penchant.data.reading.files._ods import read_ods
from penchant.data.reading.files._records import (
    read_html,
    read_json_records,
    read_parquet,
)
from penchant.data.reading.files._text_files import read_text_table
from penchant.data.reading.files._workbooks import read_workbook
from penchant.exceptions import DataError

_ENDINGS = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".dat", ""), "csv"),
    **dict.fromkeys((".xlsx", ".xlsm"), "xlsx"),
    ".ods": "ods",
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
    **dict.fromkeys((".html", ".htm"), "html"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    ".xls": "xls",
}
_MARKUP = re.compile(rb"\s*(?:<!doctype html|<html|<meta|<table|<div|<tbody|<tr)", re.I)


@dataclass(frozen=True, eq=False)
class Table:
    """The cells of a file as they stand there.

    Parameters
    ----------
    cells : DataFrame
        One column per column of the file, named by its header; rows are indexed as a
        spreadsheet counts them. Text, or numbers and dates where the file has types.
    file : FileReading
        How the file was taken apart.
    attributes : tuple of Attribute
        The meaning of columns that penchant wrote into the file.
    roles : mapping of str to str
        The same for columns that are no attributes.
    """

    cells: pd.DataFrame
    file: FileReading = field(default_factory=FileReading)
    attributes: tuple[Attribute, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)

    def understand(
        self,
        attributes: Iterable[Attribute],
        *,
        roles: Mapping[str, str] | None,
        **said: Any,
    ) -> Understanding:
        """Find out what the columns mean; what is said here goes before the file."""
        given = {a.name: a for a in (*self.attributes, *attributes)}
        merged = {**self.roles, **(roles or {})}
        return understand(
            self.cells, given.values(), roles=merged, file=self.file, **said
        )


def read_table(
    source: Source,
    filename: str | None = None,
    *,
    sheet: str | None = None,
    header_row: int | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    keep_totals: bool = False,
    keep_hidden: bool = False,
    fill_merged: bool = True,
    max_rows: int = UPLOADS.rows,
    max_columns: int = UPLOADS.columns,
    max_bytes: int = UPLOADS.bytes,
) -> Table:
    r"""Take a file apart into cells; `inspect_table` says what they mean.

    CSV, TSV, XLSX, ODS, JSON, Parquet, the table of a web page, a table copied from a
    spreadsheet, and a plain list of names. What is too large is refused before any
    work is done.

    Parameters
    ----------
    source : path or bytes
        The file, or its content.
    filename : str, optional
        With bytes: its ending tells the format, unless the content does.
    sheet : str, optional
        Of a workbook; default: the first that is shown.
    header_row : int, optional
        Number of the row with the column names; 0: there is none.
    encoding, separator : str, optional
        Of a text file; found if not given.
    keep_totals, keep_hidden : bool
        Whether rows such as "Total" at the end, and rows that a spreadsheet hides,
        are alternatives.
    fill_merged : bool
        Whether a cell that was merged over rows holds for all of them.
    max_rows, max_columns, max_bytes : int
        Larger tables are refused.

    Examples
    --------
    >>> from penchant.data import read_table
    >>> text = "Preise 2024;\nModell;Preis\nA;999,00 €\nB;1.299,00 €\n"
    >>> table = read_table(text.encode())
    >>> table.file.header_row, table.cells["Preis"].tolist()
    (2, ['999,00 €', '1.299,00 €'])
    """
    wishes = Wishes(
        header_row, sheet, encoding, separator, keep_totals, keep_hidden, fill_merged
    )
    cells = min(UPLOADS.cells, max_rows * max_columns)
    if (max_rows, max_columns) != (UPLOADS.rows, UPLOADS.columns):
        cells = max_rows * max_columns
    return open_table(
        source, filename, wishes, Limits(max_rows, max_columns, cells, max_bytes)
    )


def open_table(
    source: Source, filename: str | None, wishes: Wishes, limits: Limits
) -> Table:
    """Take a file apart; the parameters of `read_table` in two objects."""
    content = source_bytes(source, limits.bytes)
    if filename is None:
        filename = "" if isinstance(source, bytes) else str(source)
    kind = _find_format(content, Path(filename).suffix.lower())
    if kind == "csv":
        return Table(*read_text_table(content, wishes, limits))
    if kind == "parquet":
        return Table(read_parquet(content, limits), FileReading("parquet"))
    if kind == "xlsx":
        return _from_workbook(content, wishes, limits)
    if kind == "ods":
        grid, chosen, sheets = read_ods(content, wishes.sheet, limits)
        return _from_grid(grid, wishes, FileReading("ods", sheet=chosen, sheets=sheets))
    text, encoding = decode(content, wishes.encoding)
    reader = read_json_records if kind == "json" else read_html
    return _from_grid(reader(text, limits), wishes, FileReading(kind, encoding))


def _find_format(content: bytes, ending: str) -> str:
    """Tell a format by the first bytes, which do not lie; then by the ending."""
    if content.startswith(b"PK"):
        head = content[:200]
        is_ods = ending == ".ods" or b"opendocument.spreadsheet" in head
        return "ods" if is_ods else "xlsx"
    if content.startswith(b"PAR1"):
        return "parquet"
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise DataError(
            "This is a workbook of the old format XLS, or one locked by a password. "
            "Save it as XLSX and try again."
        )
    if ending not in _ENDINGS:
        raise DataError(
            f"Files ending in {ending!r} are not read. Use .csv, .tsv, .xlsx, .ods, "
            ".json, .parquet or .html.",
            "errors.file_kind",
        )
    found = _ENDINGS[ending]
    if found in ("xlsx", "ods", "parquet"):
        raise DataError(
            f"The file is not {'an XLSX' if found == 'xlsx' else f'a {found.upper()}'} "
            "workbook. Save it as XLSX or CSV and try again."
        )
    if _MARKUP.match(content) or (found == "csv" and b"<table" in content[:100_000]):
        return "html"
    pasted = ending in ("", ".txt") and content.lstrip()[:2] in (b"[{", b'{"')
    return "json" if pasted else "csv" if found == "xls" else found


def _from_grid(
    grid: Grid, wishes: Wishes, file: FileReading, meaning: Sequence[Any] = ()
) -> Table:
    cells, file = grid_cells(grid, wishes, file)
    told = [json.loads(str(row[1])) for row in meaning]
    attributes = tuple(Attribute.from_dict(d) for d in told if "role" not in d)
    roles = {d["name"]: d["role"] for d in told if "role" in d}
    return Table(cells, file, attributes, roles)


def _from_workbook(content: bytes, wishes: Wishes, limits: Limits) -> Table:
    grid, chosen, sheets, added = read_workbook(content, wishes.sheet, limits)
    file = FileReading("xlsx", sheet=chosen, sheets=sheets)
    if not grid.rows:
        raise DataError("The first sheet is empty. A table needs a header and rows.")
    meaning = added.get("attributes", [])
    if meaning[:1] != [["attribute", "meaning"]]:
        return _from_grid(grid, wishes, file)
    written = Wishes(header_row=1, keep_totals=True, keep_hidden=True)
    table = _from_grid(grid, written, file, meaning[1:])
    names = str(table.cells.columns[0])
    return Table(table.cells, file, table.attributes, {names: "name", **table.roles})


def inspect_table(
    table: Table | pd.DataFrame,
    attributes: Iterable[Attribute] = (),
    *,
    names: str | None = None,
    roles: Mapping[str, str] | None = None,
    readings: Mapping[str, str] | None = None,
) -> ReadingReport:
    r"""Say how each column of a table is understood, and what is wrong.

    Parameters
    ----------
    table : Table or DataFrame
        As `read_table` gives it.
    attributes : iterable of Attribute, optional
        What is known about columns of these names.
    names : str, optional
        The column that names the items.
    roles : mapping of str to str, optional
        Roles of columns, which are guessed otherwise: "name", "attribute", "shown",
        "picture", "link", "text", "identifier" or "leave out".
    readings : mapping of str to str, optional
        How the cells of columns are read, such as "decimal comma" or "day first": the
        `reading` of a `ColumnReading`. "levels" takes them as they are written.

    Examples
    --------
    >>> from penchant.data import inspect_table, read_table
    >>> report = inspect_table(read_table(b"name,price\na,1.299\nb,2.499\n"))
    >>> [choice.example for choice in report.ambiguous[0].choices]
    ['1.299 → 1.299', '1.299 → 1299']
    """
    if not isinstance(table, Table):
        table = Table(table)
    return table.understand(
        attributes, names=names, roles=roles, readings=readings
    ).report
