"""TableReport: what a file holds and every problem in it, without raising."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from penchant.data._attribute import Attribute
from penchant.data.reading._csv_files import MAX_BYTES, Source, read_csv_table
from penchant.data.reading._guess import guess_attribute, guess_name_column
from penchant.data.reading._problems import Problem
from penchant.data.reading._workbooks import read_xlsx_sheets, sheet_frame
from penchant.exceptions import DataError

__all__ = ["TableReport", "inspect_table", "read_table"]


@dataclass(frozen=True)
class TableReport:
    """What was found in a table.

    Parameters
    ----------
    n_rows : int
        Rows below the header.
    name_column : str or None
        The column that names the items.
    attributes : tuple of Attribute
        The guessed meaning of the other columns.
    problems : tuple of Problem
        Errors first.
    """

    n_rows: int
    name_column: str | None
    attributes: tuple[Attribute, ...]
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether the table can be used as it is."""
        return all(problem.severity != "error" for problem in self.problems)

    def to_dict(self) -> dict[str, Any]:
        """Give the report as plain values for JSON."""
        return {
            "ok": self.ok,
            "rows": self.n_rows,
            "name_column": self.name_column,
            "attributes": [attribute.to_dict() for attribute in self.attributes],
            "problems": [problem.to_dict() for problem in self.problems],
        }


def read_table(
    source: Source, filename: str | None = None, *, max_bytes: int = MAX_BYTES
) -> pd.DataFrame:
    """Read a CSV or XLSX file as it is; rows are indexed as a spreadsheet counts.

    Parameters
    ----------
    source : path or bytes
        The file, or its content.
    filename : str, optional
        Needed with bytes: its ending tells the format.
    max_bytes : int
        Larger files are refused.
    """
    ending = Path(filename or str(source)).suffix.lower()
    if ending == ".xlsx":
        return sheet_frame(read_xlsx_sheets(source, max_bytes=max_bytes)["items"])
    if ending in (".csv", ".tsv", ".txt"):
        return read_csv_table(source, max_bytes=max_bytes)
    raise DataError(
        f"Files ending in {ending or 'nothing'!r} are not read. Use .csv or .xlsx."
    )


def inspect_table(frame: pd.DataFrame) -> TableReport:
    """Say what each column of a table seems to mean, and what is wrong.

    Parameters
    ----------
    frame : DataFrame
        As `read_table` gives it.

    Examples
    --------
    >>> import pandas as pd
    >>> report = inspect_table(pd.DataFrame({"price": [1, 2], "name": ["a", "b"]}))
    >>> report.name_column, report.attributes[0].direction
    ('name', 'down')
    """
    problems: list[Problem] = []
    if len(frame) < 2:
        message = f"a table needs at least 2 rows to choose between, not {len(frame)}"
        problems.append(Problem(message))
    name_column = guess_name_column(frame)
    attributes = []
    for column in frame.columns:
        if column == name_column:
            continue
        attribute, doubts = guess_attribute(column, frame[column])
        attributes.append(attribute)
        problems += doubts
    problems.sort(key=lambda problem: problem.severity)
    return TableReport(len(frame), name_column, tuple(attributes), tuple(problems))
