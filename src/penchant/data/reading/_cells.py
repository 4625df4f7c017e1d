"""The distinct cells of a column that are not blank, and where they stand."""

from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd

from penchant.data._extra import Extra, ExtraRole
from penchant.data.reading._candidate import Cell
from penchant.data.reading._marks import is_missing_mark
from penchant.data.reading._problems import Problem, row_numbers
from penchant.data.reading._report import ColumnReading, Role
from penchant.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Cells:
    """A column by its distinct cells: few of them, so that looking closely is cheap.

    Parameters
    ----------
    name : str
        Of the column.
    index : Index
        Row numbers.
    codes : ndarray of shape (n_rows,)
        Which of the distinct cells stands in a row; -1: it is blank.
    distinct : list
        The cells, without spaces around.
    marks : dict of str to int
        Texts that were taken as blanks, and how often.
    """

    name: str
    index: pd.Index
    codes: IntArray
    distinct: list[Cell]
    marks: dict[str, int]

    @property
    def counts(self) -> IntArray:
        """How often each of the distinct cells occurs."""
        known = self.codes[self.codes >= 0]
        return np.bincount(known, minlength=len(self.distinct)).astype(np.int64)

    @property
    def texts(self) -> list[str]:
        """The distinct cells as a person would write them."""
        return [shown_text(cell) for cell in self.distinct]

    def row(self, position: int) -> int:
        """Give the number of a row, as problems name it."""
        return int(row_numbers(self.index)[position])

    def spread(self, values: FloatArray) -> pd.Series:
        """Give every row the value of its cell; blanks stay blank."""
        by_code = np.append(values, np.nan)  # the last one is that of code -1
        return pd.Series(by_code[self.codes], self.index, name=self.name)

    def gaps(self) -> tuple[Problem, ...]:
        """Say how many cells are blank."""
        return gaps(self.name, self.codes < 0, self.index)

    def notes(self) -> list[str]:
        """Say which texts were taken as blanks."""
        if not self.marks:
            return []
        shown = ", ".join(map(repr, list(self.marks)[:5]))
        n = sum(self.marks.values())
        return [f"{shown} taken as unknown ({n} cell{'s' * (n != 1)})"]


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """A column with what was understood, and its cells under that reading."""

    reading: ColumnReading
    values: pd.Series | None = None
    extra: Extra | None = None


def shown_text(cell: Cell) -> str:
    """Give a cell as a person would write it."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def collect(name: str, values: pd.Series, *, as_written: bool = False) -> Cells:
    """Find the distinct cells of a column.

    Parameters
    ----------
    name : str
        Of the column.
    values : Series
        Its cells; the index holds row numbers.
    as_written : bool
        Whether marks such as "n/a" and "-" are texts like others, not blanks.
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(object)
    codes, uniques = pd.factorize(values)
    places: dict[tuple[type, Cell], int] = {}
    lookup = np.full(len(uniques) + 1, -1)
    marks: dict[str, int] = {}
    for code, cell in enumerate(uniques):
        known = cell.strip() if isinstance(cell, str) else cell
        if isinstance(known, str):
            if known and not as_written and is_missing_mark(known):
                marks[known] = marks.get(known, 0) + int((codes == code).sum())
                continue
            if not known:
                continue
        lookup[code] = places.setdefault((type(known), known), len(places))
    distinct = [cell for _, cell in places]
    return Cells(name, values.index, lookup[codes], distinct, marks)


def gaps(name: str, blank: BoolArray, index: pd.Index) -> tuple[Problem, ...]:
    """Say how many cells of a column are blank, and where the first is."""
    rows = row_numbers(index)[blank]
    if not rows.size:
        return ()
    verb = "is" if rows.size == 1 else "are"
    message = f"{rows.size} of {len(index)} cells {verb} missing"
    facts = {"n": int(rows.size), "all": len(index)}
    return (Problem(message, int(rows[0]), name, "warning", "missing", facts),)


def shown_column(cells: Cells, role: Role, why: str = "") -> ReadColumn:
    """Make a column that is shown and not learned from, with the reason."""
    texts = np.array([*cells.texts, ""], dtype=object)
    extra = Extra(cells.name, cast(ExtraRole, role), tuple(texts[cells.codes]))
    doubts: tuple[Problem, ...] = ()
    if why:
        message = f"shown, not learned from: {why}"
        doubts = (Problem(message, None, cells.name, "warning"),)
    examples = tuple((text, text) for text in cells.texts[:3])
    return ReadColumn(
        ColumnReading(cells.name, role, None, "text", examples, (), doubts), None, extra
    )
