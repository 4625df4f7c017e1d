"""Tables in JSON, Parquet and web pages."""

import io
import json
from html.parser import HTMLParser
from typing import Any

import pandas as pd

from penchant.data.reading._candidate import Cell
from penchant.data.reading.files._grid import Grid
from penchant.data.reading.files._limits import Limits
from penchant.exceptions import DataError, MissingExtraError


def read_json_records(text: str, limits: Limits) -> Grid:
    """Read a list of objects, one object of lists, or one object per line."""
    limits.check(text.count("{"), 1, text.count(",") // 2)
    try:
        values = json.loads(text)
    except RecursionError:
        raise DataError("The JSON is nested too deeply to be a table.") from None
    except ValueError as error:
        values = _lines(text, error)
    if isinstance(values, dict):
        inner = [value for value in values.values() if _is_records(value)]
        if "format" in values and str(values["format"]).startswith("penchant"):
            raise DataError("penchant wrote this file. Read it with Items.from_json.")
        values = inner[0] if len(inner) == 1 else _from_columns(values)
    if not _is_records(values):
        raise DataError(
            "A table in JSON is a list of objects, such as "
            '[{"name": "A", "price": 5}, {"name": "B", "price": 7}].'
        )
    names = list(dict.fromkeys(str(key) for record in values for key in record))
    limits.check(len(values), len(names))
    rows: dict[int, list[Cell]] = {1: list(names)}
    for number, record in enumerate(values, start=2):
        rows[number] = [_plain(record.get(name)) for name in names]
    return Grid(rows)


def _is_records(values: Any) -> bool:
    return (
        isinstance(values, list)
        and bool(values)
        and all(isinstance(record, dict) for record in values)
    )


def _lines(text: str, error: ValueError) -> list[Any]:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError:
        raise DataError(f"The file is not valid JSON: {error}.") from None


def _from_columns(values: dict[str, Any]) -> Any:
    columns = list(values.values())
    if not columns or not all(isinstance(column, list) for column in columns):
        return values
    if len({len(column) for column in columns}) != 1:
        raise DataError("The lists of a table in JSON must have the same length.")
    return [dict(zip(values, row, strict=True)) for row in zip(*columns, strict=True)]


def _plain(value: Any) -> Cell:
    """Keep numbers, texts and truth values; lists and objects become text."""
    return (
        json.dumps(value, ensure_ascii=False)
        if isinstance(value, list | dict)
        else value
    )


def read_parquet(content: bytes, limits: Limits) -> pd.DataFrame:
    """Read a Parquet file, once its own description fits the limits."""
    try:
        import polars
    except ImportError:
        raise MissingExtraError("polars", "data") from None
    try:
        lazy = polars.scan_parquet(io.BytesIO(content))
        width = len(lazy.collect_schema())
        n_rows = int(lazy.select(polars.len()).collect().item())
        limits.check(n_rows, width)
        return frame_of(lazy.collect())
    except polars.exceptions.PolarsError as error:
        raise DataError(f"The file is not a readable Parquet file: {error}.") from None


def frame_of(table: Any) -> pd.DataFrame:
    """Give any data frame that narwhals knows (polars, ...) as one of pandas."""
    import narwhals as nw

    try:
        known = nw.from_native(table, eager_only=True)
    except TypeError:
        raise DataError(
            "Items are made of a data frame of pandas, polars, pyarrow or another "
            f"library that narwhals knows. Got {type(table).__name__}."
        ) from None
    return pd.DataFrame(
        {name: _series(known[name], nw) for name in known.columns},
        columns=known.columns,
    )


def _series(column: Any, nw: Any) -> pd.Series:
    kind = column.dtype
    cells = column.to_list()
    if kind in (nw.Categorical, nw.Enum):
        ordered = kind == nw.Enum
        levels = list(column.cat.get_categories().to_list())
        return pd.Series(pd.Categorical(cells, levels, ordered=ordered))
    if kind.is_numeric():
        return pd.Series(cells, dtype=float)
    if kind == nw.Datetime or kind == nw.Date:
        return pd.to_datetime(pd.Series(cells))
    return pd.Series(cells, dtype=object)


def read_html(text: str, limits: Limits) -> Grid:
    """Read the largest table of a web page."""
    limits.check(text.count("<tr") + text.count("<TR"), 1, text.count("<") * 2)
    page = _Page(limits)
    page.feed(text)
    page.close()
    if not page.tables:
        raise DataError("There is no table on this page. Copy one with its header.")
    return max(page.tables, key=lambda grid: sum(map(len, grid.rows.values())))


class _Page(HTMLParser):
    """The tables of a page; cells that span rows are merged cells."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.limits = limits
        self.tables: list[Grid] = []
        self._open: list[Grid] = []
        self._cell: list[str] | None = None
        self._taken: dict[tuple[int, int], bool] = {}
        self._row = 0
        self._n_cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter a table, a row or a cell."""
        if tag == "table" and not self._open:
            self._open.append(Grid({}))
            self._row, self._taken = 0, {}
        elif tag == "tr" and self._open:
            self._end_cell()
            self._row += 1
            self._open[-1].rows[self._row] = []
        elif tag in ("td", "th") and self._open and self._row:
            self._end_cell()
            self._cell = []
            self._place(dict(attrs))
        elif tag in ("br", "p", "li") and self._cell:
            self._cell.append(" ")
        elif tag == "img" and self._cell is not None and not self._cell:
            self._cell.append(dict(attrs).get("src") or "")

    def _place(self, attrs: dict[str, str | None]) -> None:
        row = self._open[-1].rows[self._row]
        while self._taken.pop((self._row, len(row) + 1), False):
            row.append(None)
        down, right = (_span(attrs.get(name)) for name in ("rowspan", "colspan"))
        column = len(row) + 1
        self._n_cells += right
        self.limits.check(self._row, len(row) + right, self._n_cells)
        if down > 1 or right > 1:
            end = (self._row + down - 1, column + right - 1)
            self._open[-1].merged.append((self._row, column, *end))
        for below in range(self._row + 1, self._row + min(down, 1000)):
            for place in range(column, column + right):
                self._taken[below, place] = True
        row += [None] * right
        self._at = column - 1

    def handle_data(self, data: str) -> None:
        """Collect the text of a cell."""
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        """Leave a cell or a table."""
        if tag in ("td", "th", "tr"):
            self._end_cell()
        elif tag == "table" and self._open:
            self._end_cell()
            self.tables.append(self._open.pop())

    def close(self) -> None:
        """Take a table that was cut off while copying."""
        super().close()
        self._end_cell()
        self.tables += self._open

    def _end_cell(self) -> None:
        if self._cell is not None:
            text = " ".join("".join(self._cell).split())
            self._open[-1].rows[self._row][self._at] = text or None
            self._cell = None


def _span(text: str | None) -> int:
    return min(int(text), 1000) if text and text.isdigit() and int(text) > 0 else 1
