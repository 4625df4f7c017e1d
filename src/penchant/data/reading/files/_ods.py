"""Tables in OpenDocument spreadsheets, read in one pass that stops at the limits."""

import datetime as dt
from typing import Any
from xml.parsers import expat

from penchant.data.reading._candidate import Cell, rounded
from penchant.data.reading._numbers import Measured
from penchant.data.reading.files._archives import chunks, open_archive
from penchant.data.reading.files._grid import Grid
from penchant.data.reading.files._limits import Limits
from penchant.exceptions import DataError


def read_ods(
    content: bytes, sheet: str | None, limits: Limits
) -> tuple[Grid, str, tuple[str, ...]]:
    """Read one sheet of an ODS file: its cells, its name, and the names of all."""
    archive = open_archive(content, limits)
    reader = _Reader(sheet, limits)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        for chunk in chunks(archive, "content.xml"):
            parser.Parse(chunk)
        parser.Parse(b"", True)
    except (KeyError, ValueError, expat.ExpatError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"The file is not a readable ODS workbook: {error}. Save it as XLSX or CSV "
            "and try again."
        ) from None
    if reader.grid is None:
        raise DataError(
            f"There is no sheet {sheet!r}. The sheets are: {', '.join(reader.sheets)}."
        )
    return reader.grid, reader.chosen, tuple(reader.sheets)


class _Reader:
    """What is known at one place of the file."""

    def __init__(self, wanted: str | None, limits: Limits) -> None:
        self.wanted, self.limits = wanted, limits
        self.sheets: list[str] = []
        self.chosen = ""
        self.grid: Grid | None = None
        self._reads = False
        self._row = self._repeat = self._copies = 0
        self._is_hidden = False
        self._cells: list[Cell] = []
        self._cell: dict[str, str] = {}
        self._texts: list[str] | None = None
        self._n_cells = self._n_rows = self._n_in_row = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Enter a sheet, a row, a cell or a paragraph."""
        kind = name.rpartition(" ")[2]
        values = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        if kind == "table":
            self._enter_sheet(values.get("name", f"sheet {len(self.sheets) + 1}"))
        elif not self._reads:
            return
        elif kind == "table-row":
            self._cells, self._copies = [], int(values.get("number-rows-repeated", 1))
            self._n_rows, self._n_in_row = self._n_rows + 1, 0
            self.limits.check(self._n_rows // 10, 1)  # empty ones cost time, too
            self._is_hidden = values.get("visibility", "visible") != "visible"
        elif kind in ("table-cell", "covered-table-cell"):
            self._cell, self._texts = values, []
            self._n_in_row += 1
            self.limits.check(1, self._n_in_row // 10)
            self._repeat = int(values.get("number-columns-repeated", 1))
        elif kind == "p" and self._texts:
            self._texts.append("\n")
        elif kind in ("s", "tab", "line-break") and self._texts is not None:
            self._texts.append(" " * int(values.get("c", 1)))
        elif kind == "annotation":
            self._texts = None  # a comment is no part of the cell

    def text(self, data: str) -> None:
        """Collect the text of a cell."""
        if self._reads and self._texts is not None:
            self._texts.append(data)

    def end(self, name: str) -> None:
        """Leave a cell or a row."""
        kind = name.rpartition(" ")[2]
        if not self._reads:
            return
        if kind == "table":
            self._reads = False
        elif kind == "annotation":
            self._texts = []
        elif kind in ("table-cell", "covered-table-cell"):
            self._leave_cell()
        elif kind == "table-row":
            self._leave_row()

    def _enter_sheet(self, name: str) -> None:
        self.sheets.append(name)
        if self.grid is None and self.wanted in (None, name):
            self._reads, self.chosen, self.grid = True, name, Grid({})

    def _leave_cell(self) -> None:
        value = _value(self._cell, "".join(self._texts or []).strip())
        self._texts = None
        if value is None:
            most = 2 * self.limits.columns - len(self._cells)
            self._cells += [None] * min(self._repeat, max(most, 0))
        else:
            self.limits.check(1, len(self._cells) + self._repeat)
            self._cells += [value] * self._repeat
        self._span()

    def _span(self) -> None:
        down = int(self._cell.get("number-rows-spanned", 1))
        right = int(self._cell.get("number-columns-spanned", 1))
        if (down > 1 or right > 1) and self.grid is not None:
            row, column = self._row + 1, len(self._cells)
            self.grid.merged.append((row, column, row + down - 1, column + right - 1))

    def _leave_row(self) -> None:
        while self._cells and self._cells[-1] is None:
            self._cells.pop()
        if self._cells and self.grid is not None:
            n_rows = len(self.grid.rows) + self._copies
            self._n_cells += self._copies * len(self._cells)
            self.limits.check(n_rows, len(self._cells), self._n_cells)
            for number in range(self._row + 1, self._row + self._copies + 1):
                self.grid.rows[number] = list(self._cells)
                if self._is_hidden:
                    self.grid.hidden.add(number)
        self._row += self._copies


def _value(cell: dict[str, str], text: str) -> Cell:
    """Give a cell by its type; a number with the unit that the file says."""
    kind = cell.get("value-type", "")
    try:
        if kind == "percentage":
            return Measured(rounded(float(cell["value"]) * 100), "%")
        if kind == "currency":
            return Measured(float(cell["value"]), cell.get("currency", ""))
        if kind == "float":
            return float(cell["value"])
        if kind == "boolean":
            return cell["boolean-value"] == "true"
        if kind == "date":
            return dt.datetime.fromisoformat(cell["date-value"])
        if kind == "time":
            return _duration(cell["time-value"])
    except (KeyError, ValueError):
        return text or None
    return text or None


def _duration(text: str) -> Any:
    """Read PT12H30M00S."""
    numbers = text.removeprefix("PT").replace("H", " ").replace("M", " ").rstrip("S")
    hours, minutes, seconds = map(float, numbers.replace(",", ".").split())
    return dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)
