"""The page on which an owner changes the table of a study, and its forms."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace as View
from typing import Any

from penchant.data import Attribute
from penchant.exceptions import DataError
from penchant.studies import LEFT_OUT, StudyRecord, TableVersion, difference
from penchant.texts import Texts
from penchant.views._display import show_name
from penchant.views._parts import Wanted, part_of
from penchant.views.table._changes import some_changes

_MOST_SENTENCES = 8
"""Sentences about one version; more stand in the API."""

_KINDS = ("numeric", "ordinal", "categorical")
_DIRECTIONS = ("up", "down", "unknown")


def table_view(
    study: StudyRecord,
    versions: Sequence[TableVersion],
    texts: Texts,
    wanted: Wanted | None = None,
) -> View:
    """Show the table of a study and its versions, the first one first."""
    items = study.items
    every = range(len(items))
    rows, part = part_of(
        every, lambda row: items.names[row], wanted, texts, anchor="alternatives"
    )
    facts = texts.count("owner.n_alternatives", study.n_standing)
    if study.withdrawn:
        more = texts.count("owner.table.n_withdrawn", len(study.withdrawn))
        facts = f"{facts}, {more}"
    return View(
        version=study.version,
        heads=tuple(show_name(each.name, 30) for each in items.attributes),
        lines=tuple(
            View(
                position=row,
                name=show_name(items.names[row]),
                values=tuple(texts.values(items, row)),
                withdrawn=row in study.withdrawn,
            )
            for row in rows
        ),
        columns=tuple(_columns(study)),
        history=tuple(_history(versions, texts)),
        facts=facts,
        part=part,
    )


def _columns(study: StudyRecord) -> list[View]:
    """Give what the columns mean, attributes first, as their forms show it."""
    compared = [
        {**each.to_dict(), "role": "compared", "levels": "\n".join(each.levels)}
        for each in study.items.attributes
    ]
    blank = {"kind": "", "direction": "unknown", "unit": "", "levels": ""}
    shown = [
        {**blank, "name": each.name, "role": each.role} for each in study.items.extras
    ]
    return [View(position=k, **each) for k, each in enumerate(compared + shown)]


def _history(versions: Sequence[TableVersion], texts: Texts) -> list[View]:
    found = []
    for number, version in enumerate(versions):
        before = versions[number - 1] if number else version
        changes = difference(before, version)
        said, n_more = some_changes(changes, texts, _MOST_SENTENCES)
        if not number:
            said = [texts.count("owner.n_alternatives", len(version.items))]
        found.append(
            View(
                number=version.number,
                at=texts.day(version.at),
                note=version.note,
                changes=said,
                n_more=n_more,
            )
        )
    return found[::-1]


def item_form(
    study: StudyRecord, item: int | None, fields: Mapping[str, Any] | None = None
) -> View:
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
        found.append(
            View(
                position=position,
                name=column,
                value=value,
                unit=known.unit if known else "",
                levels=known.levels if known else (),
                fixed=known is not None and known.kind == "ordinal",
            )
        )
    name = "" if item is None else items.names[item]
    shown = str(sent.get("name", name))
    return View(
        item=item,
        name=shown,
        fields=tuple(found),
        note=str(sent.get("note", "")),
        error="",
    )


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
