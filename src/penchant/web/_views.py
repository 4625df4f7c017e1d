"""Turning studies into what the templates show."""

from dataclasses import dataclass, replace
from datetime import datetime

import pandas as pd

from penchant.data import Attribute, Items
from penchant.exceptions import DataError
from penchant.studies import StudyRecord, StudySummary

__all__ = [
    "ROWS_PER_PAGE",
    "StudyLine",
    "StudyView",
    "count",
    "day",
    "study_line",
    "study_view",
]

ROWS_PER_PAGE = 100
LONGEST_LINE = 40


@dataclass(frozen=True)
class StudyLine:
    """A study in the list on the first page."""

    path: str
    name: str
    facts: str
    demo: bool
    state: str


@dataclass(frozen=True)
class Head:
    """The head of a column: what it means and the link that sorts by it."""

    label: str
    meaning: str
    link: str
    sorted: str
    numeric: bool


@dataclass(frozen=True)
class Cell:
    """A value as text, empty if it is not known, and its unit."""

    value: str
    unit: str

    @property
    def long(self) -> bool:
        """Whether the value should be broken into lines."""
        return len(self.value) > LONGEST_LINE


@dataclass(frozen=True)
class Row:
    """One alternative."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class StudyView:
    """A study as a table on a page."""

    name: str
    facts: str
    demo: bool
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]
    shown: str
    previous: str
    following: str


def study_line(study: StudySummary) -> StudyLine:
    """Show a study in a list."""
    facts = [
        count(study.n_items, "alternative"),
        count(study.n_attributes, "attribute"),
    ]
    if not study.demo:
        facts.append(f"added on {day(study.created)}")
    people = count(study.n_participants, "participant")
    state = f"{'open' if study.settings.open else 'closed'}, {people}"
    return StudyLine(
        f"/studies/{study.id}", study.name, ", ".join(facts), study.demo, state
    )


def study_view(
    study: StudyRecord,
    *,
    sort: int | None = None,
    descending: bool = False,
    page: int = 1,
) -> StudyView:
    """Show one page of the table of a study.

    Parameters
    ----------
    study : StudyRecord
        Which study.
    sort : int, optional
        Column to sort by: 0 is the name, k is attribute k - 1. None: as in the
        table that was uploaded. Missing values always come last.
    descending : bool
        Whether the largest, or last, value comes first.
    page : int
        Which part of the rows, from 1.
    """
    items = study.items
    n_pages = -(-len(items) // ROWS_PER_PAGE)
    if page > n_pages or (sort is not None and sort > len(items.attributes)):
        raise DataError("The table has no such page or column to sort by.")
    first = (page - 1) * ROWS_PER_PAGE
    rows = _order(items, sort, descending)[first : first + ROWS_PER_PAGE]
    shown = f"{first + 1} to {first + len(rows)} of {len(items)}"
    return StudyView(
        study.name,
        f"{count(len(items), 'alternative')}, "
        f"{count(len(items.attributes), 'attribute')}",
        study.demo,
        tuple(_heads(items, sort, descending)),
        tuple(_row(items, row) for row in rows),
        shown if n_pages > 1 else "",
        _link(sort, descending, page - 1) if page > 1 else "",
        _link(sort, descending, page + 1) if page < n_pages else "",
    )


def _order(items: Items, sort: int | None, descending: bool) -> list[int]:
    if sort is None:
        return list(range(len(items)))
    if sort == 0:
        keys = pd.Series([name.casefold() for name in items.names])
    else:
        keys = items.frame[items.attributes[sort - 1].name]
        if items.attributes[sort - 1].kind == "categorical":
            keys = keys.astype(object)
    ordered = keys.sort_values(
        ascending=not descending, kind="stable", na_position="last"
    )
    return [int(row) for row in ordered.index]


def _heads(items: Items, sort: int | None, descending: bool) -> list[Head]:
    heads = [_head(0, "Name", "", sort, descending, best_last=False, numeric=False)]
    for position, attribute in enumerate(items.attributes, start=1):
        heads.append(
            _head(
                position,
                attribute.name,
                _meaning(attribute),
                sort,
                descending,
                best_last=attribute.direction == "up",
                numeric=attribute.kind == "numeric",
            )
        )
    return heads


def _head(
    position: int,
    label: str,
    meaning: str,
    sort: int | None,
    descending: bool,
    *,
    best_last: bool,
    numeric: bool,
) -> Head:
    """Link so that the first click puts the best on top, the second turns round."""
    now = sort == position
    order = ("descending" if descending else "ascending") if now else ""
    link = _link(position, not descending if now else best_last, 1)
    return Head(label, meaning, link, order, numeric)


def _link(sort: int | None, descending: bool, page: int) -> str:
    parts = [] if sort is None else [f"sort={sort}"]
    if descending:
        parts.append("descending=1")
    if page > 1:
        parts.append(f"page={page}")
    return f"?{'&'.join(parts)}"


def _meaning(attribute: Attribute) -> str:
    """Say in words which way is better."""
    if attribute.kind == "categorical":
        return "no order"
    if attribute.direction == "unknown":
        return "no best end"
    if attribute.kind == "numeric":
        up = attribute.direction == "up"
        return "↑ more is better" if up else "↓ less is better"
    best = attribute.levels[-1 if attribute.direction == "up" else 0]
    return f"best: {best}"


def _row(items: Items, row: int) -> Row:
    cells = [
        Cell(replace(a, unit="").format(items.frame[a.name].iloc[row]), a.unit)
        for a in items.attributes
    ]
    return Row(items.names[row], tuple(cells))


def count(number: int, noun: str) -> str:
    """Give a number with its noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def day(moment: datetime) -> str:
    """Give the day of a moment in words."""
    return f"{moment.day} {moment:%B %Y}"
