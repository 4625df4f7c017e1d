"""The page on which an owner changes the table of a study, and its forms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penchant.data import Attribute
from penchant.exceptions import DataError
from penchant.studies import LEFT_OUT, StudyRecord, TableVersion, difference
from penchant.texts import Texts
from penchant.views._display import item_values, show_name
from penchant.views.lists import Part, Wanted, part_of
from penchant.views.table._changes import change_words

_MOST_SENTENCES = 8
"""Sentences about one version; more stand in the API."""

_KINDS = ("numeric", "ordinal", "categorical")
_DIRECTIONS = ("up", "down", "unknown")


@dataclass(frozen=True)
class Line:
    """One alternative in the table: its position, name, values, and if it stands."""

    position: int
    name: str
    values: tuple[str, ...]
    withdrawn: bool


@dataclass(frozen=True)
class ColumnForm:
    """What a column means, as a form shows it.

    Parameters
    ----------
    position : int
        Place among all columns of the table, attributes first.
    name, role, kind, direction, unit : str
        As in `Attribute`; the role is "compared" or that of an extra.
    levels : str
        One per line.
    """

    position: int
    name: str
    role: str
    kind: str = ""
    direction: str = "unknown"
    unit: str = ""
    levels: str = ""


@dataclass(frozen=True)
class VersionLine:
    """A version in the list of what happened."""

    number: int
    at: str
    note: str
    changes: tuple[str, ...]
    n_more: int


@dataclass(frozen=True)
class TableView:
    """The table of a study, for its owner.

    Parameters
    ----------
    version : int
        Which version this is; forms carry it.
    heads : tuple of str
        Names of the attributes.
    lines : tuple of Line
        One page of the alternatives.
    columns : tuple of ColumnForm
        All columns.
    history : tuple of VersionLine
        The newest first.
    facts : str
        How much there is.
    part : Part
        Which part of the alternatives is shown.
    """

    version: int
    heads: tuple[str, ...]
    lines: tuple[Line, ...]
    columns: tuple[ColumnForm, ...]
    history: tuple[VersionLine, ...]
    facts: str
    part: Part


def table_view(
    study: StudyRecord,
    versions: Sequence[TableVersion],
    texts: Texts,
    wanted: Wanted | None = None,
) -> TableView:
    """Show the table of a study and its versions, the first one first."""
    items = study.items
    asked = Wanted() if wanted is None else wanted
    every = range(len(items))
    rows, part = part_of(
        every, lambda row: items.names[row], asked, texts, anchor="alternatives"
    )
    facts = texts.count("owner.n_alternatives", study.n_standing)
    if study.withdrawn:
        more = texts.count("owner.table.n_withdrawn", len(study.withdrawn))
        facts = f"{facts}, {more}"
    return TableView(
        study.version,
        tuple(show_name(each.name, 30) for each in items.attributes),
        tuple(
            Line(
                row,
                show_name(items.names[row]),
                tuple(item_values(items, row, texts)),
                row in study.withdrawn,
            )
            for row in rows
        ),
        tuple(_columns(study)),
        tuple(_history(versions, texts)),
        facts,
        part,
    )


def _columns(study: StudyRecord) -> list[ColumnForm]:
    items = study.items
    found = [
        ColumnForm(
            position,
            each.name,
            "compared",
            each.kind,
            each.direction,
            each.unit,
            "\n".join(each.levels),
        )
        for position, each in enumerate(items.attributes)
    ]
    return found + [
        ColumnForm(position, each.name, each.role)
        for position, each in enumerate(items.extras, start=len(found))
    ]


def _history(versions: Sequence[TableVersion], texts: Texts) -> list[VersionLine]:
    found = []
    for number, version in enumerate(versions):
        before = versions[number - 1] if number else version
        said = change_words(difference(before, version), texts)
        if not number:
            said = [texts.count("owner.n_alternatives", len(version.items))]
        more = max(len(said) - _MOST_SENTENCES, 0)
        told = tuple(said[:_MOST_SENTENCES]), more
        day = texts.day(version.at)
        found.append(VersionLine(version.number, day, version.note, *told))
    return found[::-1]


@dataclass(frozen=True)
class Field:
    """A value of an alternative in a form."""

    position: int
    name: str
    value: str
    unit: str
    levels: tuple[str, ...]
    fixed: bool


@dataclass(frozen=True)
class ItemForm:
    """An alternative as a form shows it.

    Parameters
    ----------
    item : int or None
        Its position; None: a new one.
    name : str
        What it is called.
    fields : tuple of Field
        All columns, attributes first.
    note : str
        Why it is changed.
    error : str
        What is wrong with what was sent.
    """

    item: int | None
    name: str
    fields: tuple[Field, ...]
    note: str = ""
    error: str = ""


def item_form(
    study: StudyRecord,
    item: int | None,
    fields: Mapping[str, Any] | None = None,
    error: str = "",
) -> ItemForm:
    """Show an alternative to correct, or an empty form; or again what was sent."""
    items = study.items
    if item is not None and not 0 <= item < len(items):
        raise DataError("The study has no such alternative.")
    sent = fields or {}
    compared: list[Attribute | None] = list(items.attributes)
    found = []
    for position, column in enumerate(_names(study)):
        value = str(sent.get(f"value-{position}", _value(study, item, position)))
        known = compared[position] if position < len(compared) else None
        told = (known.unit, known.levels) if known else ("", ())
        fixed = known is not None and known.kind == "ordinal"
        found.append(Field(position, column, value, *told, fixed))
    name = "" if item is None else items.names[item]
    shown = str(sent.get("name", name))
    return ItemForm(item, shown, tuple(found), str(sent.get("note", "")), error)


def _names(study: StudyRecord) -> list[str]:
    """Give the names of all columns, attributes first."""
    names = [attribute.name for attribute in study.items.attributes]
    return names + [extra.name for extra in study.items.extras]


def _value(study: StudyRecord, item: int | None, position: int) -> str:
    """Give a value as it can be typed; empty if it is not known."""
    items = study.items
    if item is None:
        return ""
    if position >= len(items.attributes):
        return items.extras[position - len(items.attributes)].values[item]
    attribute = items.attributes[position]
    value = items.values(item)[attribute.name]
    if value is None or value != value:
        return ""
    if attribute.kind != "numeric" or attribute.unit == "date":
        return attribute.format(value) if attribute.unit == "date" else str(value)
    return f"{value:.12g}"


def read_item(study: StudyRecord, item: int | None, fields: Any) -> dict[str, Any]:
    """Read a form of an alternative as what `plan_change` takes."""
    items, name = study.items, str(fields.get("name", "")).strip()
    values = {
        column: str(fields.get(f"value-{position}", "")).strip()
        for position, column in enumerate(_names(study))
        if str(fields.get(f"value-{position}", "")).strip()
        != _value(study, item, position)
    }
    if item is None:
        return {"add": {name: values}}
    before = items.names[item]
    rename = {before: name} if name != before else {}
    return {"correct": {before: values}, "rename": rename}


def read_column(study: StudyRecord, fields: Any) -> dict[str, Any]:
    """Read a form of a column as what `plan_change` takes; what is the same is left."""
    place = str(fields.get("column", ""))
    columns = _columns(study)
    if not (place.isascii() and place.isdecimal() and int(place) < len(columns)):
        raise DataError("The study has no such column.")
    known = columns[int(place)]
    role = str(fields.get("role", known.role))
    told: dict[str, Any] = {}
    if role != known.role and not (role == "shown" and known.role != "compared"):
        told["role"] = role
    if role == LEFT_OUT or (role != "compared" and known.role != "compared"):
        return {"columns": {known.name: told}} if told else {}
    for name, allowed in (("kind", _KINDS), ("direction", _DIRECTIONS)):
        value = str(fields.get(name, ""))
        if value in allowed and value != getattr(known, name):
            told[name] = value
    if str(fields.get("unit", known.unit)).strip() != known.unit:
        told["unit"] = str(fields.get("unit", "")).strip()
    levels = [e.strip() for e in str(fields.get("levels", "")).splitlines()]
    levels = [level for level in levels if level]
    kind = told.get("kind", known.kind)
    if levels and levels != known.levels.split("\n") and kind != "numeric":
        told |= {"levels": levels, "kind": kind or "ordinal"}
    return {"columns": {known.name: told}} if told else {}
