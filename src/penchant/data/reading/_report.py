"""ReadingReport: how a file was understood, column by column, without raising."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from penchant.data._attribute import Attribute
from penchant.data.reading._problems import Problem

Role = Literal[
    "name", "attribute", "shown", "picture", "link", "text", "identifier", "leave out"
]


@dataclass(frozen=True)
class Choice:
    """One of the ways in which an ambiguous column can be read.

    Parameters
    ----------
    label : str
        What the reading supposes, such as "decimal comma".
    example : str
        A cell and what it becomes: "1.299 → 1299".
    option : mapping
        The argument that selects it, for `Items.from_csv` and its kin:
        ``{"readings": {"price": "decimal comma"}}``.
    """

    label: str
    example: str
    option: Mapping[str, Any]


@dataclass(frozen=True)
class ColumnReading:
    """How one column was understood.

    Parameters
    ----------
    name : str
        Its header.
    role : str
        "name", "attribute", "shown", "picture", "link", "text", "identifier" or
        "leave out".
    attribute : Attribute or None
        What is learned from; None for the other roles.
    reading : str
        How its cells were read: "number", "decimal comma", "day first", "yes or no",
        "levels", "text", ... .
    examples : tuple of (str, str)
        A few cells as written, and as they were understood.
    converted : tuple of str
        Sentences: units, ranges and marks that became something else.
    doubts : tuple of Problem
        Cells that do not fit, and what may surprise.
    choices : tuple of Choice
        Two or more if the column is ambiguous: somebody has to say which.
    """

    name: str
    role: Role
    attribute: Attribute | None = None
    reading: str = ""
    examples: tuple[tuple[str, str], ...] = ()
    converted: tuple[str, ...] = ()
    doubts: tuple[Problem, ...] = ()
    choices: tuple[Choice, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give the reading as plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class LeftOut:
    """Rows or columns of a file that were not taken as they stand.

    Parameters
    ----------
    what : str
        "title", "total", "note", "hidden" or "heading" rows, an "empty row" or "empty
        column", rows that were "merged" and so filled, or columns with the "same
        header", which were told apart.
    places : tuple of int
        Row numbers as a spreadsheet counts them, or positions of columns, from 1.
    text : str
        What stands in the first of them.
    option : mapping
        The argument that keeps them; empty if nothing is lost.
    """

    what: str
    places: tuple[int, ...]
    text: str
    option: Mapping[str, Any]


@dataclass(frozen=True)
class FileReading:
    """How a file was taken apart before anybody looked at its columns.

    Parameters
    ----------
    format : str
        "csv", "xlsx", "ods", "json", "html", "parquet", "names" or "frame".
    encoding, separator : str
        Of text files; empty for others.
    header_row : int
        Number of the row with the column names; 0: there is none.
    sheet : str
        The one that was read, and
    sheets : tuple of str
        all that there are.
    left_out : tuple of LeftOut
        What was not read.
    """

    format: str = "frame"
    encoding: str = ""
    separator: str = ""
    header_row: int = 1
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True)
class ReadingReport:
    """What was understood of a table.

    Parameters
    ----------
    n_rows : int
        Alternatives.
    columns : tuple of ColumnReading
        One per column, in the order of the table.
    problems : tuple of Problem
        Of the whole table and of all columns, errors first.
    file : FileReading
        How the file was taken apart.
    """

    n_rows: int
    columns: tuple[ColumnReading, ...] = ()
    problems: tuple[Problem, ...] = ()
    file: FileReading = FileReading()

    @property
    def ok(self) -> bool:
        """Whether the table can be used as it is."""
        return not self.ambiguous and all(p.severity != "error" for p in self.problems)

    @property
    def ambiguous(self) -> tuple[ColumnReading, ...]:
        """The columns that can be read in several ways: the user must say which."""
        return tuple(column for column in self.columns if column.choices)

    @property
    def name_column(self) -> str | None:
        """The column that names the items."""
        return next((c.name for c in self.columns if c.role == "name"), None)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """What is learned from."""
        return tuple(c.attribute for c in self.columns if c.attribute is not None)

    def column(self, name: str) -> ColumnReading:
        """Give the reading of the column with this name."""
        return next(column for column in self.columns if column.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Give the report as plain values for JSON."""
        return {
            "ok": self.ok,
            "rows": self.n_rows,
            "name_column": self.name_column,
            "attributes": [attribute.to_dict() for attribute in self.attributes],
            "problems": [problem.to_dict() for problem in self.problems],
            "columns": [column.to_dict() for column in self.columns],
            "file": asdict(self.file),
        }


TableReport = ReadingReport
"""Its name before it told of files and readings."""
