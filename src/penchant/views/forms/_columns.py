"""The form that says what each column of an uploaded table means."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time
from typing import Any, Final

import pandas as pd

from penchant.data import (
    Attribute,
    ColumnReading,
    Items,
    Problem,
    Table,
    TableError,
    inspect_table,
)
from penchant.exceptions import DataError
from penchant.studies import picture_cell
from penchant.texts import Texts
from penchant.views._display import show_name

MAX_LEVELS = 60
"""More levels than this are not listed in the form; the table decides then."""

_EXAMPLES = 4
_LONGEST_EXAMPLE = 40
_MOSTLY = 0.6
"""Texts of which so many differ may be names, although some occur again."""

_EXTRAS: Final = ("shown", "picture", "link", "text", "identifier")
_FIELDS: Final = (
    *("role", "kind", "direction", "low", "high", "levels", "unit"),
    *("reading", "cleared"),
)

_ASKED: Final = re.compile(
    r"\bage\b|\bâge\b|\balter\b|year|jahr|année|size|\btime\b|range|power|rank|income|"
    r"height|experience",
    re.IGNORECASE,
)
"""Names of columns of which some want more and others less: the person is asked."""


@dataclass(frozen=True)
class Column:
    """What a person says about one column, as typed.

    Parameters
    ----------
    position : int
        Place in the table, from 0; names the form fields.
    header : str
        Name in the table.
    role : {"name", "attribute", "show", "skip"}
        The name of the alternatives, compared, shown only, or left out.
    kind : str
        As in `penchant.data.Attribute`, or the role of a `penchant.data.Extra`.
    direction, unit : str
        As in `penchant.data.Attribute`.
    low, high : str
        Ends of a numeric domain; empty: as in the table.
    levels : str
        One level per line; empty: as in the table.
    reading : str
        How its cells are read, if somebody had to say.
    cleared : str
        Not empty: cells that do not fit are unknown, and names that occur again are
        numbered.
    examples : str
        A few values, for the eye.
    found : ColumnReading
        What was understood of it.
    asked : bool
        Whether the person should say if more or less is better.
    pictures : tuple of (int, int)
        How many pictures it names, and how many of them are there.
    error, complaint : str
        Why the column cannot be used like this; the same beside the column, in the
        language of the reader.
    """

    position: int
    header: str
    role: str = "attribute"
    kind: str = "numeric"
    direction: str = "unknown"
    low: str = ""
    high: str = ""
    levels: str = ""
    unit: str = ""
    reading: str = ""
    cleared: str = ""
    examples: str = ""
    found: ColumnReading = field(default=ColumnReading("", "leave out"))
    asked: bool = False
    pictures: tuple[int, int] = (0, 0)
    error: str = ""
    complaint: str = ""

    @property
    def notes(self) -> tuple[Problem, ...]:
        """What was found when the table was read, unless it is settled."""
        doubts = self.found.doubts if self.role == "attribute" else ()
        return () if self.cleared else doubts

    def notes_words(self, texts: Texts) -> str:
        """Say what was found when the table was read."""
        return " ".join(
            f"{texts.sentence(problem_words(n, texts))}." for n in self.notes
        )

    @property
    def is_open(self) -> bool:
        """Whether somebody has to say how the cells are read."""
        compared = self.role == "attribute"
        return compared and bool(self.found.choices) and not self.reading

    @property
    def strays(self) -> list[int]:
        """Rows whose cells do not fit, if all of them are known."""
        wrong = [doubt for doubt in self.found.doubts if doubt.severity == "error"]
        rows = [
            (doubt.row,) if doubt.row else doubt.facts.get("rows") for doubt in wrong
        ]
        return [] if None in rows else [row for some in rows for row in some or ()]

    def attribute(self) -> Attribute:
        """Make the attribute, or raise a DataError that says what is wrong."""
        kind = self.kind if self.kind not in _EXTRAS else "categorical"
        return Attribute.from_dict(
            {
                "name": self.header,
                "kind": kind,
                "direction": "unknown" if kind == "categorical" else self.direction,
                "domain": self._range() if kind == "numeric" else self._levels(),
                "unit": self.unit.strip(),
            }
        )

    def items(self, cells: pd.DataFrame) -> Items:
        """Make items of this column alone, or raise a DataError."""
        table, header = cells[[self.header]], self.header
        if self.role == "name":
            names = _numbered(table[header]) if self.cleared else header
            return Items.from_frame(table[[]] if self.cleared else table, names=names)
        numbers = [str(row) for row in cells.index]
        if self.role == "show":
            role = self.kind if self.kind in _EXTRAS else "shown"
            return Items.from_frame(table, names=numbers, roles={header: role})
        if self.role != "attribute":
            raise DataError(f"A column cannot be used as {self.role!r}.")
        if self.cleared and self.strays:
            table = table.astype(object)
            table.loc[self.strays, header] = None
        readings = {header: self.reading} if self.reading else None
        attributes = [self.attribute()]
        return Items.from_frame(table, attributes, names=numbers, readings=readings)

    def _range(self) -> tuple[float, float] | None:
        ends = [self._number(end) for end in (self.low, self.high) if end.strip()]
        if len(ends) == 1:
            message = "Give both the lowest and the highest value, or neither"
            raise TableError([Problem(message, kind="both_ends")])
        return (ends[0], ends[1]) if ends else None

    def _number(self, text: str) -> float:
        try:
            return float(text.replace("−", "-"))  # noqa: RUF001 - a typed minus sign
        except ValueError:
            typed = text.strip()
            message, facts = f"{typed!r} is not a number", {"cell": typed}
            problem = Problem(message, kind="no_number", facts=facts)
            raise TableError([problem]) from None

    def _levels(self) -> tuple[str, ...] | None:
        levels = [line.strip() for line in self.levels.splitlines() if line.strip()]
        return tuple(levels) or None


def guess_columns(
    table: Table, readings: Mapping[str, str] | None = None
) -> tuple[Column, ...]:
    """Fill in the form with what the table looks like.

    Parameters
    ----------
    table : Table
        As `penchant.data.read_table` gives it.
    readings : mapping of str to str, optional
        How the cells of columns are read that can be read in several ways.

    Raises
    ------
    DataError
        If no answer about the columns could make the table usable.
    """
    known = {name: how for name, how in (readings or {}).items() if how}
    if len(table.cells) < 2:
        raise DataError(
            "A table needs at least 2 rows to choose between. "
            f"Found {len(table.cells)} below the header.",
            "errors.file_short",
            found=len(table.cells),
        )
    plain_list = table.file.format == "names"
    names = str(table.cells.columns[0]) if plain_list else None
    report = inspect_table(table, names=names, readings=known)
    columns = [
        _guess_column(position, found, table.cells.iloc[:, position], known)
        for position, found in enumerate(report.columns)
    ]
    if not any(column.role == "name" for column in columns):
        columns = _named(columns, table.cells)
    return tuple(columns)


def _named(columns: list[Column], cells: pd.DataFrame) -> list[Column]:
    """Take texts in front as names although some occur again."""
    for column in columns[:2]:
        values = cells.iloc[:, column.position].dropna()
        n_known, n_different = len(values), values.nunique()
        words = column.kind in ("shown", "categorical") and column.role != "skip"
        often = n_different > max(2, _MOSTLY * n_known)
        if words and often and n_known == len(cells) and n_different < n_known:
            named = replace(column, role="name", kind="shown", cleared="yes")
            return [named if each is column else each for each in columns]
        if column.found.role != "identifier":
            break  # only a count of the rows may stand before the names
    return columns


def _numbered(values: pd.Series) -> list[str]:
    """Tell names that occur again apart by numbers."""
    texts = [_plain(value) for value in values]
    taken, names = set(texts), []
    again: dict[str, int] = {}
    for text in texts:
        n = again[text] = again.get(text, 0) + 1
        name = text if n == 1 else f"{text} ({n})"
        while n > 1 and name in taken:
            again[text] = n = n + 1
            name = f"{text} ({n})"
        taken.add(name)
        names.append(name)
    return names


def _guess_column(
    position: int, found: ColumnReading, values: pd.Series, known: Mapping[str, str]
) -> Column:
    texts = [text for value in values.dropna().unique() if (text := _plain(value))]
    sign = found.reading if found.reading.startswith("decimal ") else ""
    column = Column(
        position,
        found.name,
        role=found.role,
        kind="shown",
        examples=_some(texts),
        found=found,
        # Other columns may have settled the decimal sign; from here on it stands alone.
        reading=known.get(found.name, "") or ("" if found.choices else sign),
    )
    if found.role in _EXTRAS:
        return replace(column, role="show", kind=found.role)
    guess = found.attribute
    if guess is None:
        return replace(column, role="skip" if found.role == "leave out" else found.role)
    asked = guess.kind == "numeric" and bool(_ASKED.search(found.name))
    free_text = guess.kind == "categorical" and len(guess.levels) > MAX_LEVELS
    return replace(
        column,
        role="skip" if not texts else "show" if free_text else "attribute",
        kind=guess.kind,
        direction="unknown" if asked else guess.direction,
        asked=asked,
        levels="" if guess.kind == "numeric" else _lines(guess.levels),
        unit=guess.unit,
    )


def _plain(value: Any) -> str:
    """Give a value as somebody would type it; a day has no time."""
    if isinstance(value, datetime) and value.time() == time.min:
        return str(value.date())
    return f"{value:.12g}" if isinstance(value, float) else str(value).strip()


def _lines(levels: tuple[str, ...]) -> str:
    return "\n".join(levels) if len(levels) <= MAX_LEVELS else ""


def _some(texts: list[str]) -> str:
    """Show the first few values, and that there are more."""
    short = [
        text if len(text) <= _LONGEST_EXAMPLE else f"{text[:_LONGEST_EXAMPLE]}…"
        for text in texts[:_EXAMPLES]
    ]
    return " · ".join([*short, "…"] if len(texts) > _EXAMPLES else short)


def read_columns(
    guesses: Sequence[Column], fields: Mapping[str, Any]
) -> tuple[Column, ...]:
    """Put what a person sent in the place of the guesses."""
    read = []
    for guess in guesses:
        sent = {name: fields.get(f"{name}-{guess.position}") for name in _FIELDS}
        given: dict[str, Any] = {k: v for k, v in sent.items() if isinstance(v, str)}
        column = replace(guess, **given)
        if guess.role == "name" != column.role:
            column = replace(column, cleared="")  # that was about names
        answered = column.direction != "unknown" or column.role != "attribute"
        read.append(replace(column, asked=guess.asked and not answered))
    return tuple(read)


def mend(
    guesses: Sequence[Column], columns: Sequence[Column], cure: str
) -> tuple[Column, ...]:
    """Apply the fix whose button was pressed, such as "3 direction down".

    A column that is read in another way gets the guesses that follow from that.
    """
    position, _, rest = cure.partition(" ")
    name, _, value = rest.partition(" ")
    told: dict[str, Any] = {name: value}
    return tuple(
        column
        if str(column.position) != position or name not in _FIELDS
        else replace(guess, direction=column.direction)
        if name == "reading"
        else replace(column, **told)
        for guess, column in zip(guesses, columns, strict=True)
    )


def check_columns(
    cells: pd.DataFrame,
    columns: Sequence[Column],
    texts: Texts,
    pictures: Collection[str] = (),
) -> tuple[Items | None, tuple[Column, ...]]:
    """Make the items, and say at each column that is left out why it is.

    Parameters
    ----------
    cells : DataFrame
        Of a `penchant.data.Table`.
    columns : sequence of Column
        One per column of the table.
    texts : Texts
        In the language of the reader.
    pictures : collection of str
        Names of the pictures that are there.

    Returns
    -------
    items : Items or None
        Of the columns without an error; None if there are none of those.
    columns : tuple of Column
        With their errors.
    """
    parts: list[Items] = []
    checked = []
    called = texts.words["Noun"]
    names = [f"{called} {row}" for row in range(1, len(cells) + 1)]
    first = next((each for each in columns if each.role == "name"), None)
    for column in columns:
        if column.role == "skip":
            checked.append(column)
            continue
        try:
            if column.role == "name" and first is not column and first is not None:
                raise _two_names(first)
            part = column.items(cells)
        except DataError as error:
            if not column.is_open:
                told = f"{str(error).rstrip('.')}."
                said = error_words(error, texts)
                column = replace(column, error=told, complaint=said)
            checked.append(column)
            continue
        if column.role == "name":
            names = list(part.names)
        parts.append(part)
        checked.append(_count_pictures(column, part, pictures))
    if not parts:
        return None, tuple(checked)
    frames = [part.frame for part in parts]
    attributes = [attribute for part in parts for attribute in part.attributes]
    extras = [extra for part in parts for extra in part.extras]
    frame = pd.concat(frames, axis="columns")
    return Items(frame, tuple(attributes), tuple(names), tuple(extras)), tuple(checked)


def _two_names(first: Column) -> DataError:
    message = (
        f"Column {first.header!r} gives the names already. "
        "Only one column can; leave this one out or compare it"
    )
    facts = {"column": first.header}
    return TableError([Problem(message, kind="two_names", facts=facts)])


def problem_words(problem: Problem, texts: Texts) -> str:
    """Say a problem in the language of the reader, without its place."""
    key = f"problem.{problem.kind}"
    if key not in texts.entries:  # rare ones have English words alone
        return problem.message
    facts = {
        name: show_name(value, 40) if isinstance(value, str) else texts.number(value)
        for name, value in problem.facts.items()
        if name not in ("n", "rows")
    }
    if "n" in problem.facts:
        return texts.count(key, problem.facts["n"], **facts)
    return texts(key, **facts)


def error_words(error: DataError, texts: Texts) -> str:
    """Say beside a column, which need not be named, why it cannot be used."""
    if not isinstance(error, TableError):
        return f"{str(error).rstrip('.')}."
    first, *others = error.problems
    words = problem_words(first, texts)
    if first.row is not None:
        words = texts("problem.in_row", row=first.row, problem=words)
    if others:
        n_more = sum(each.facts["n"] if "rows" in each.facts else 1 for each in others)
        words = f"{words} {texts.count('problem.more', n_more)}"
    return f"{texts.sentence(words)}."


def _count_pictures(column: Column, part: Items, there: Collection[str]) -> Column:
    if column.role != "show" or column.kind != "picture":
        return column
    cells = {cell for cell in part.extras[0].values if cell}
    named = {picture_cell(cell)[0] for cell in cells if "://" not in cell}
    return replace(column, pictures=(len(named), len(named & set(there))))
