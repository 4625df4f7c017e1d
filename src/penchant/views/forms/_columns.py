"""The form that says what each column of an uploaded table means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from penchant.data import Attribute, Items, Problem, TableReport, inspect_table
from penchant.exceptions import DataError

__all__ = ["Column", "check_columns", "guess_columns", "read_columns"]

MAX_COLUMNS = 100
"""A table with more columns is refused: no person could answer for them."""

MAX_LEVELS = 60
"""More levels than this are not listed in the form; the table decides then."""

_EXAMPLES = 4
_LONGEST_EXAMPLE = 40


@dataclass(frozen=True)
class Column:
    """What a person says about one column, as typed.

    Parameters
    ----------
    position : int
        Place in the table, from 0; names the form fields.
    header : str
        Name in the table.
    role : {"name", "attribute", "skip"}
        The name of the alternatives, an attribute, or left out.
    kind, direction, unit : str
        As in `penchant.data.Attribute`.
    low, high : str
        Ends of a numeric domain; empty: as in the table.
    levels : str
        One level per line; empty: as in the table.
    examples : str
        A few values, for the eye.
    notes : tuple of Problem
        What was found when the table was read.
    error : str
        Why the column cannot be used like this.
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
    examples: str = ""
    notes: tuple[Problem, ...] = ()
    error: str = ""

    def attribute(self) -> Attribute:
        """Make the attribute, or raise a DataError that says what is wrong."""
        return Attribute.from_dict(
            {
                "name": self.header,
                "kind": self.kind,
                "direction": "unknown"
                if self.kind == "categorical"
                else self.direction,
                "domain": self._range() if self.kind == "numeric" else self._levels(),
                "unit": self.unit.strip(),
            }
        )

    def _range(self) -> tuple[float, float] | None:
        low, high = self.low.strip(), self.high.strip()
        if not low and not high:
            return None
        if not low or not high:
            raise DataError("Give both the lowest and the highest value, or neither.")
        return self._number(low), self._number(high)

    def _number(self, text: str) -> float:
        try:
            return float(text.replace("−", "-"))  # noqa: RUF001 - a typed minus sign
        except ValueError:
            raise DataError(f"{text!r} is not a number.") from None

    def _levels(self) -> tuple[str, ...] | None:
        levels = [line.strip() for line in self.levels.splitlines() if line.strip()]
        return tuple(levels) or None


def guess_columns(frame: pd.DataFrame) -> list[Column]:
    """Fill in the form with what the table looks like.

    Raises
    ------
    DataError
        If no answer about the columns could make the table usable.
    """
    if frame.shape[1] > MAX_COLUMNS:
        raise DataError(
            f"The table has {frame.shape[1]} columns; at most {MAX_COLUMNS} are read. "
            "Keep the columns that matter and try again."
        )
    report = inspect_table(frame)
    for problem in report.problems:
        if problem.severity == "error" and problem.column is None:
            raise DataError(f"{problem}.")
    guesses = {attribute.name: attribute for attribute in report.attributes}
    return [
        _guess_column(position, header, frame[header], guesses.get(header), report)
        for position, header in enumerate(frame.columns)
    ]


def _guess_column(
    position: int,
    header: str,
    values: pd.Series,
    guess: Attribute | None,
    report: TableReport,
) -> Column:
    texts = [_plain(value) for value in values.dropna().unique()]
    column = Column(
        position,
        header,
        levels="\n".join(sorted(texts)) if len(texts) <= MAX_LEVELS else "",
        examples=_some(texts),
        notes=tuple(p for p in report.problems if p.column == header),
    )
    if guess is None:
        return replace(column, role="name", kind="categorical")
    low, high = guess.domain if guess.kind == "numeric" and guess.domain else ("", "")
    free_text = guess.kind == "categorical" and len(guess.levels) > MAX_LEVELS
    return replace(
        column,
        role="skip" if free_text or not texts else "attribute",
        kind=guess.kind,
        direction=guess.direction,
        low=_plain(low),
        high=_plain(high),
        levels=column.levels if guess.kind == "numeric" else _lines(guess.levels),
        unit=guess.unit,
    )


def _plain(value: Any) -> str:
    """Give a value as somebody would type it."""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _lines(levels: tuple[str, ...]) -> str:
    return "\n".join(levels) if len(levels) <= MAX_LEVELS else ""


def _some(texts: list[str]) -> str:
    """Show the first few values, and that there are more."""
    short = [
        text if len(text) <= _LONGEST_EXAMPLE else f"{text[:_LONGEST_EXAMPLE]}…"
        for text in texts[:_EXAMPLES]
    ]
    return ", ".join([*short, "…"] if len(texts) > _EXAMPLES else short)


def read_columns(
    guesses: Sequence[Column], fields: Mapping[str, Any]
) -> tuple[Column, ...]:
    """Put what a person sent in the place of the guesses."""
    asked = ("role", "kind", "direction", "low", "high", "levels", "unit")
    read = []
    for guess in guesses:
        sent = {name: fields.get(f"{name}-{guess.position}") for name in asked}
        given: dict[str, Any] = {k: v for k, v in sent.items() if isinstance(v, str)}
        read.append(replace(guess, **given))
    return tuple(read)


def check_columns(
    frame: pd.DataFrame, columns: Sequence[Column]
) -> tuple[Items | None, tuple[Column, ...]]:
    """Make the items, or say at each column why that is not possible.

    Parameters
    ----------
    frame : DataFrame
        As `penchant.data.read_table` gives it.
    columns : sequence of Column
        One per column of the table.

    Returns
    -------
    items : Items or None
    columns : tuple of Column
        With their errors. There are no items if one has an error, or if none is
        used as an attribute.
    """
    checked = tuple(
        replace(column, error=_column_error(frame, columns, column))
        for column in columns
    )
    used = [column for column in columns if column.role == "attribute"]
    if not used or any(column.error for column in checked):
        return None, checked
    names = [column.header for column in columns if column.role == "name"]
    table = frame[[*names, *(column.header for column in used)]]
    attributes = [column.attribute() for column in used]
    return Items.from_frame(table, attributes, names=next(iter(names), None)), checked


def _column_error(
    frame: pd.DataFrame, columns: Sequence[Column], column: Column
) -> str:
    try:
        if column.role == "attribute":
            numbers = [str(row) for row in frame.index]
            table = frame[[column.header]]
            Items.from_frame(table, [column.attribute()], names=numbers)
        elif column.role == "name":
            _check_names(frame, columns, column)
        elif column.role != "skip":
            raise DataError(f"A column cannot be used as {column.role!r}.")
    except DataError as error:
        return f"{str(error).rstrip('.')}."
    return ""


def _check_names(
    frame: pd.DataFrame, columns: Sequence[Column], column: Column
) -> None:
    first = next(other for other in columns if other.role == "name")
    if first is not column:
        raise DataError(
            f"Column {first.header!r} gives the names already. "
            "Only one column can; leave this one out or use it as an attribute."
        )
    stand_in = frame[[column.header]].assign(**{f"{column.header}_": 0})
    Items.from_frame(stand_in, [Attribute(f"{column.header}_")], names=column.header)
