"""A table as a whole: which column names the items, and what each of them means."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import pandas as pd

from penchant.data._attribute import Attribute
from penchant.data._extra import Extra
from penchant.data.reading._cells import ReadColumn, shown_text
from penchant.data.reading._columns import Asked, looks_numeric, read_column
from penchant.data.reading._headers import NAME_WORDS
from penchant.data.reading._numbers import NUMBER_READINGS
from penchant.data.reading._problems import Problem, name_problems, raise_first
from penchant.data.reading._report import (
    ColumnReading,
    FileReading,
    ReadingReport,
    Role,
)
from penchant.exceptions import AmbiguousColumnError, DataError


@dataclass(frozen=True, eq=False)
class Understanding:
    """What a table holds under the meaning that was found for its columns.

    Parameters
    ----------
    report : ReadingReport
        For people.
    names : tuple of str
        Of the items.
    attributes : tuple of Attribute
        What is learned from.
    columns : dict of str to Series
        Their values.
    extras : tuple of Extra
        What is shown.
    """

    report: ReadingReport
    names: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    columns: dict[str, pd.Series]
    extras: tuple[Extra, ...]

    def check(self) -> None:
        """Raise if something is wrong, or if the user must choose a reading."""
        raise_first(self.report.problems)
        for column in self.report.ambiguous:
            ways = ", or ".join(f"{c.label} ({c.example})" for c in column.choices)
            options = " or ".join(
                f"{key}={dict(value)!r}"
                for choice in column.choices
                for key, value in choice.option.items()
            )
            raise AmbiguousColumnError(
                f"Column {column.name!r} can be read in {len(column.choices)} ways: "
                f"{ways}. Say which: {options}.",
                column.name,
            )


def understand(
    table: pd.DataFrame,
    attributes: Iterable[Attribute] = (),
    *,
    names: str | Sequence[Any] | None = None,
    roles: Mapping[str, str] | None = None,
    readings: Mapping[str, str] | None = None,
    file: FileReading | None = None,
    least: int = 2,
) -> Understanding:
    """Find out what the columns of a table mean, and raise only on bad options.

    The parameters are those of `inspect_table`; with fewer rows than `least` there is
    nothing to choose between.
    """
    given = {attribute.name: attribute for attribute in attributes}
    asked_roles, asked_readings = dict(roles or {}), dict(readings or {})
    _check_asked(table, given, asked_roles, asked_readings)
    labels, name_column = _find_names(table, names, given, asked_roles)
    read = []
    for position, name in enumerate(table.columns):
        column = table.iloc[:, position]
        if name == name_column:
            read.append(_name_column(name, column))
            continue
        asked = Asked(given.get(name), asked_roles.get(name), asked_readings.get(name))
        read.append(read_column(name, column, asked))
    for position, reading in _settled(read, table, file).items():
        name = table.columns[position]
        asked = Asked(given.get(name), asked_roles.get(name), reading)
        read[position] = read_column(name, table.iloc[:, position], asked)
    problems = [
        *_table_problems(table, labels, least),
        *_reading_problems(read, asked_readings),
    ]
    problems.sort(key=lambda problem: problem.severity)
    report = ReadingReport(
        len(table),
        tuple(column.reading for column in read),
        tuple(problems),
        file or FileReading(),
    )
    used = {c.reading.name: c for c in read if c.values is not None}
    return Understanding(
        report,
        labels,
        tuple(c.reading.attribute for c in used.values() if c.reading.attribute),
        {name: c.values for name, c in used.items() if c.values is not None},
        tuple(c.extra for c in read if c.extra is not None),
    )


def _settled(
    read: Sequence[ReadColumn], table: pd.DataFrame, file: FileReading | None
) -> dict[int, str]:
    """Give the decimal sign of columns that leave it open, where others prove one."""
    signs = set(NUMBER_READINGS.values())
    readings = [column.reading for column in read]
    opened = [
        position
        for position, each in enumerate(readings)
        if {choice.label for choice in each.choices} == signs
    ]
    if not opened:
        return {}
    proven = {each.reading for each in readings if not each.choices} & signs
    # Numbers of a workbook have no sign; those of a text were written with a point.
    csv = file is not None and file.format == "csv"
    parts = table.select_dtypes("number") if csv else pd.DataFrame()
    if (parts.to_numpy(dtype=float) % 1 > 0).any():
        proven.add(NUMBER_READINGS["."])
    return dict.fromkeys(opened, *proven) if len(proven) == 1 else {}


def _check_asked(
    table: pd.DataFrame,
    given: Mapping[str, Attribute],
    roles: Mapping[str, str],
    readings: Mapping[str, str],
) -> None:
    for name in (*given, *roles, *readings):
        if name not in table:
            raise DataError(
                f"There is no column {name!r}. "
                f"The columns are: {', '.join(map(str, table.columns))}."
            )
    for name, role in roles.items():
        if role not in get_args(Role):
            raise DataError(
                f"The role of column {name!r} must be one of "
                f"{', '.join(get_args(Role))}. Got {role!r}."
            )


def _find_names(
    table: pd.DataFrame,
    names: str | Sequence[Any] | None,
    given: Mapping[str, Attribute],
    roles: Mapping[str, str],
) -> tuple[tuple[str, ...], str | None]:
    """Give the names of the items, and the column that holds them."""
    told = [name for name, role in roles.items() if role == "name"]
    if len(told) > 1 or (told and isinstance(names, str) and names != told[0]):
        raise DataError(
            f"Only one column can give the names, not {', '.join(map(repr, told))}."
        )
    if told:
        names = told[0]
    if names is None and not pd.api.types.is_numeric_dtype(table.index):
        names = list(table.index)
    if names is None:
        names = _guess_names(table, {*given, *roles})
    if names is None:
        return tuple(f"item {row + 1}" for row in range(len(table))), None
    if not isinstance(names, str):
        return tuple(str(name) for name in names), None
    if names not in table:
        raise DataError(f"There is no column {names!r} to take the names from.")
    column = table[names]
    if isinstance(column.dtype, pd.StringDtype) and not column.hasnans:
        return tuple(map(str.strip, column.tolist())), names
    texts = column.astype(object).where(column.notna(), "").tolist()
    return tuple(map(shown_text, texts)), names


def _guess_names(table: pd.DataFrame, taken: set[str]) -> str | None:
    """Find the column that names the items, if there is one.

    It is the column called "name"; else one whose header is another telling word,
    or the first text, provided that it has no gaps or repetition.
    """
    words = {str(column).strip().lower(): str(column) for column in table.columns}
    words = {word: column for word, column in words.items() if column not in taken}
    if "name" in words:
        return words["name"]
    for word in NAME_WORDS:
        if word in words and _is_key(table[words[word]]):
            return words[word]
    if table.shape[1] == 1:
        return None
    for position, column in enumerate(table.columns[:2]):
        free = column not in taken and _is_words(table.iloc[:, position])
        if free and _is_key(table.iloc[:, position]):
            return str(column)
        read = read_column(str(column), table.iloc[:, position], Asked())
        if read.reading.role != "identifier":
            break  # only a count of the rows may stand before the names
    return None


def _is_words(values: pd.Series) -> bool:
    if isinstance(values.dtype, pd.CategoricalDtype):
        return False
    texts = values.dropna().astype(object)
    if not texts.map(lambda cell: isinstance(cell, str)).all():
        return False
    return not looks_numeric(values)


def _is_key(values: pd.Series) -> bool:
    blank = values.isna() | (values.astype(object) == "")
    return bool(not blank.any() and values.is_unique)


def _name_column(name: str, values: pd.Series) -> ReadColumn:
    shown = map(shown_text, values.dropna()[:3])
    examples = tuple((text, text) for text in shown)
    return ReadColumn(ColumnReading(name, "name", None, "text", examples))


def _table_problems(
    table: pd.DataFrame, labels: tuple[str, ...], least: int
) -> list[Problem]:
    problems = list(name_problems(labels, table.index))
    if len(table) < least:
        message = f"a table needs at least 2 rows to choose between, not {len(table)}"
        problems.insert(0, Problem(message))
    return problems


def _reading_problems(
    read: Sequence[ReadColumn], asked: Mapping[str, str]
) -> list[Problem]:
    problems: list[Problem] = []
    for column in read:
        problems += column.reading.doubts
        wanted = asked.get(column.reading.name)
        if wanted and column.reading.reading != wanted:
            message = f"the cells cannot be read as {wanted!r}"
            problems.append(Problem(message, column=column.reading.name))
    return problems
