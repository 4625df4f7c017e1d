"""The form of an uploaded table: its file, the name of the study and its columns."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import PurePath
from typing import Any, Final

from penchant.data import FileReading, Items, Table
from penchant.exceptions import DataError
from penchant.studies import LONGEST_NOUN, Noun, StudySettings
from penchant.texts import Texts, load_texts
from penchant.views.forms._columns import (
    Column,
    check_columns,
    guess_columns,
    mend,
    read_columns,
)

LONGEST_NAME = 120
PASTED: Final = "pasted.txt"
"""Name of a file that was not one."""


@dataclass(frozen=True)
class TableLimits:
    """The largest table that is taken from strangers.

    Parameters
    ----------
    rows, columns : int
        Of the table: people compare few alternatives by few attributes.
    bytes : int
        Of the file.
    """

    rows: int = 20_000
    columns: int = 200
    bytes: int = 10_000_000

    def options(self) -> dict[str, Any]:
        """Give what `penchant.data.read_table` takes."""
        return {
            "max_rows": self.rows,
            "max_columns": self.columns,
            "max_bytes": self.bytes,
        }

    def check(self, n_rows: int, n_columns: int) -> None:
        """Refuse a table that is too long or too wide."""
        if n_rows > self.rows or n_columns > self.columns:
            raise DataError(
                f"The table has {n_rows:,} rows and {n_columns:,} columns or more; "
                f"{self.rows:,} rows and {self.columns:,} columns are taken. Keep "
                "those that matter and try again.",
                "errors.file_many",
                found_rows=n_rows,
                found_columns=n_columns,
                rows=self.rows,
                columns=self.columns,
            )


@dataclass(frozen=True)
class FileForm:
    """What a person says about the file, as typed; empty: it is found out.

    Parameters
    ----------
    encoding, sheet : str
        Of text files and workbooks.
    header_row : str
        Number of the row with the column names; 0: there is none.
    keep_totals, keep_hidden, keep_merged : str
        Not empty: such rows are alternatives, and merged cells stay as they are.
    """

    encoding: str = ""
    sheet: str = ""
    header_row: str = ""
    keep_totals: str = ""
    keep_hidden: str = ""
    keep_merged: str = ""

    def options(self) -> dict[str, Any]:
        """Give what `penchant.data.read_table` takes."""
        told: dict[str, Any] = {
            "encoding": self.encoding or None,
            "sheet": self.sheet or None,
            "keep_totals": bool(self.keep_totals),
            "keep_hidden": bool(self.keep_hidden),
            "fill_merged": not self.keep_merged,
        }
        row = self.header_row.strip()
        if row.isascii() and row.isdecimal() and len(row) < 8:
            told["header_row"] = int(row)
        return told


@dataclass(frozen=True)
class TableForm:
    """What a person says about an uploaded table, as typed.

    Parameters
    ----------
    name : str
        Name of the study.
    columns : tuple of Column
        One per column of the table.
    n_rows : int
        Rows of the table.
    name_error, error : str
        What is wrong with the name, or with the columns taken together.
    noun, nouns : str
        What one alternative and several are called; empty: nothing in particular.
    noun_error : str
        What is wrong with that.
    file : FileForm
        What was said about the file, and
    read : FileReading
        how it was read.
    preview : Items or None
        What the study would be about, as far as that is clear.
    """

    name: str
    columns: tuple[Column, ...]
    n_rows: int
    name_error: str = ""
    error: str = ""
    noun: str = ""
    nouns: str = ""
    noun_error: str = ""
    file: FileForm = field(default_factory=FileForm)
    read: FileReading = field(default_factory=FileReading)
    preview: Items | None = None

    @property
    def n_errors(self) -> int:
        """How many places need a correction."""
        wrong = sum(bool(c.error) or c.is_open for c in self.columns)
        others = (self.name_error, self.error, self.noun_error)
        return wrong + sum(bool(error) for error in others)

    @property
    def questions(self) -> tuple[Column, ...]:
        """The columns of which somebody has to say how they are read."""
        return tuple(column for column in self.columns if column.is_open)

    @property
    def n_notes(self) -> int:
        """How many small problems there are."""
        in_columns = sum(bool(c.notes or c.asked or c.cleared) for c in self.columns)
        return in_columns + sum(bool(each.option) for each in self.read.left_out)

    @property
    def named(self) -> bool:
        """Whether a column gives the names of the alternatives."""
        return any(column.role == "name" for column in self.columns)

    def count(self, role: str) -> int:
        """Say how many columns have a role."""
        return sum(column.role == role for column in self.columns)

    def settings(self, language: str) -> StudySettings:
        """Give the settings of a study that is made of the form."""
        named = Noun(language, self.noun, self.nouns)
        return StudySettings(nouns=(named,) if self.noun else ())


def read_file_form(sent: Mapping[str, Any]) -> FileForm:
    """Read what was sent about the file, and the fix whose button was pressed."""
    names = [each.name for each in fields(FileForm)]
    told = {name: str(sent.get(f"file-{name}", ""))[:100] for name in names}
    what, _, cure = str(sent.get("fix", "")).partition(" ")
    name, _, value = cure.partition(" ")
    if what == "file" and name in told:
        told[name] = value
    return FileForm(**told)


def guess_form(
    filename: str,
    table: Table,
    file: FileForm | None = None,
    readings: Mapping[str, str] | None = None,
) -> TableForm:
    """Fill in the form with what the table looks like.

    Parameters
    ----------
    filename : str
        Of the upload; the study is called after it.
    table : Table
        What is in it.
    file : FileForm, optional
        What was said about the file.
    readings : mapping of str to str, optional
        How columns are read that can be read in several ways.
    """
    words = PurePath(filename).stem.replace("_", " ").strip()
    name = "" if filename == PASTED else f"{words[:1].upper()}{words[1:]}"
    return TableForm(
        name[:LONGEST_NAME],
        guess_columns(table, readings),
        len(table.cells),
        file=file or FileForm(),
        read=table.file,
    )


def read_form(
    filename: str, table: Table, file: FileForm, sent: Mapping[str, Any]
) -> TableForm:
    """Put what a person sent in the place of the guesses, and apply a fix, if any.

    Once the file is read in another way, only the name is kept of what was said.
    """
    cure = str(sent.get("fix", ""))
    afresh = cure.startswith("file")
    readings = {} if afresh else _readings(table, sent, cure)
    guess = guess_form(filename, table, file, readings)
    name = str(sent.get("study", guess.name)).strip()
    noun, nouns = (
        str(sent.get(key, "")).strip()[:LONGEST_NOUN] for key in ("noun", "nouns")
    )
    columns = guess.columns
    if not afresh:
        columns = mend(columns, read_columns(columns, sent), cure)
    return replace(guess, name=name, columns=columns, noun=noun, nouns=nouns)


def _readings(table: Table, sent: Mapping[str, Any], cure: str) -> dict[str, str]:
    position, _, told = cure.partition(" reading ")
    known = {}
    for place, header in enumerate(table.cells.columns):
        how = str(sent.get(f"reading-{place}", ""))
        known[str(header)] = told if told and position == str(place) else how
    return known


def check_form(
    table: Table,
    form: TableForm,
    texts: Texts | None = None,
    pictures: Collection[str] = (),
) -> tuple[Items | None, TableForm]:
    """Make the items, or say in the form why that is not possible.

    Parameters
    ----------
    table : Table
        The table.
    form : TableForm
        What was said about it.
    texts : Texts, optional
        Of what to correct; default: English.
    pictures : collection of str
        Names of the pictures that are there.
    """
    texts = texts or load_texts("en")
    called = texts.about(form.noun, form.nouns)
    items, columns = check_columns(table.cells, form.columns, called, pictures)
    used = any(column.role in ("attribute", "name") for column in columns)
    checked = replace(
        form,
        columns=columns,
        name_error=name_error(form.name, texts),
        error="" if used else texts("owner.columns.no_attribute"),
        noun_error=noun_error(form.noun, form.nouns, texts),
        preview=items,
    )
    return (None if checked.n_errors else items), checked


def name_error(name: str, texts: Texts) -> str:
    """Say what is wrong with the name of a study; empty: nothing."""
    if not name:
        return texts("owner.columns.no_name")
    if len(name) > LONGEST_NAME:
        return texts.count("owner.columns.long_name", len(name), most=LONGEST_NAME)
    return ""


def noun_error(noun: str, nouns: str, texts: Texts) -> str:
    """Say what is wrong with what alternatives are called; empty: nothing."""
    return texts("owner.columns.one_noun") if bool(noun) != bool(nouns) else ""
