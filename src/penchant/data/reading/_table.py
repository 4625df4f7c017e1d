"""Table: the cells of a file, before anybody says what its columns mean."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from penchant.data._attribute import Attribute
from penchant.data.reading._csv_files import MAX_BYTES, Source, read_csv_table
from penchant.data.reading._guess import guess_attribute, guess_name_column
from penchant.data.reading._problems import Problem
from penchant.data.reading._report import ColumnReading, FileReading, ReadingReport
from penchant.data.reading._workbooks import read_xlsx_sheets, sheet_frame
from penchant.exceptions import DataError

__all__ = ["Table", "inspect_table", "read_table"]


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
    """

    cells: pd.DataFrame
    file: FileReading = field(default_factory=FileReading)


def read_table(
    source: Source, filename: str | None = None, *, max_bytes: int = MAX_BYTES
) -> Table:
    """Take a file apart into cells; `inspect_table` says what they mean.

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
        return Table(
            sheet_frame(read_xlsx_sheets(source, max_bytes=max_bytes)["items"])
        )
    if ending in (".csv", ".tsv", ".txt"):
        return Table(read_csv_table(source, max_bytes=max_bytes))
    raise DataError(
        f"Files ending in {ending or 'nothing'!r} are not read. Use .csv or .xlsx."
    )


def inspect_table(
    table: Table | pd.DataFrame,
    attributes: Iterable[Attribute] = (),
    *,
    names: str | None = None,
    roles: Mapping[str, str] | None = None,
    readings: Mapping[str, str] | None = None,
) -> ReadingReport:
    """Say how each column of a table is understood, and what is wrong.

    Parameters
    ----------
    table : Table or DataFrame
        As `read_table` gives it.
    attributes : iterable of Attribute, optional
        What is known about columns of these names.
    names : str, optional
        The column that names the items.
    roles : mapping of str to str, optional
        Roles of columns, which are guessed otherwise.
    readings : mapping of str to str, optional
        How the cells of columns are read: the `reading` of a `ColumnReading`.

    Examples
    --------
    >>> import pandas as pd
    >>> report = inspect_table(pd.DataFrame({"price": [1, 2], "name": ["a", "b"]}))
    >>> report.name_column, report.attributes[0].direction
    ('name', 'down')
    """
    frame = table.cells if isinstance(table, Table) else table
    file = table.file if isinstance(table, Table) else FileReading()
    problems: list[Problem] = []
    if len(frame) < 2:
        message = f"a table needs at least 2 rows to choose between, not {len(frame)}"
        problems.append(Problem(message))
    name_column = names or guess_name_column(frame)
    columns = []
    for column in frame.columns:
        if column == name_column:
            columns.append(ColumnReading(column, "name", reading="text"))
            continue
        attribute, doubts = guess_attribute(column, frame[column])
        columns.append(
            ColumnReading(column, "attribute", attribute, doubts=tuple(doubts))
        )
        problems += doubts
    problems.sort(key=lambda problem: problem.severity)
    return ReadingReport(len(frame), tuple(columns), tuple(problems), file)
