"""Turning studies into what the templates show."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

import pandas as pd

from penchant.data import DATE, Attribute, Items
from penchant.exceptions import DataError
from penchant.studies import Calibration, StudyRecord, StudySummary
from penchant.texts import Texts
from penchant.views._extras import ExtrasView, Shelf, extras_view
from penchant.views.lists import Part, Wanted, part_of

LONGEST_LINE = 40


@dataclass(frozen=True)
class StudyLine:
    """A study in the list on the first page.

    Parameters
    ----------
    path, name, facts, people : str
        Where it is, and what is said of it.
    open : bool
        Whether new people may join.
    demo : bool
        Whether it is there to look around.
    trial : str
        What a visitor may try, in words; empty: this is not for trying.
    join : str
        Where to take part.
    """

    path: str
    name: str
    facts: str
    demo: bool
    people: str
    open: bool
    trial: str
    join: str


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
    """One alternative: its name, its values, and what is shown beside them."""

    name: str
    cells: tuple[Cell, ...]
    extras: ExtrasView
    withdrawn: bool = False


@dataclass(frozen=True)
class StudyView:
    """A study as a table on a page."""

    name: str
    facts: str
    demo: bool
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]
    part: Part


@dataclass(frozen=True)
class ChecksView:
    """How often answers were foretold rightly.

    Parameters
    ----------
    words : str
        In words; empty while none were foretold.
    warning : str
        What that means for the results, if it is bad.
    """

    words: str
    warning: str


def checks_view(found: Calibration, texts: Texts) -> ChecksView:
    """Say how often answers were foretold rightly."""
    if not found.n:
        return ChecksView("", "")
    right, said = texts.number(found.right), texts.share(found.said)
    words = texts.count("owner.checks.right", found.n, right=right, said=said)
    return ChecksView(words, texts("owner.checks.fails") if found.fails else "")


def study_line(study: StudySummary, texts: Texts, *, full: bool = False) -> StudyLine:
    """Show a study in a list; `full`: as many have finished as were wanted."""
    facts = [
        texts.count("owner.n_alternatives", study.n_items),
        texts.count("owner.n_attributes", study.n_attributes),
    ]
    if not study.demo:
        facts.append(texts("owner.home.added", day=texts.day(study.created)))
    people = texts.count("owner.n_participants", study.n_participants)
    is_open = study.settings.open and not study.settings.over and not full
    trial = texts("owner.home.try_text", count=texts.number(study.n_items))
    return StudyLine(
        f"/studies/{study.id}",
        study.name,
        ", ".join(facts),
        study.demo,
        people,
        is_open,
        trial if study.demo and is_open else "",
        f"/s/{study.id}/join",
    )


def study_view(
    study: StudyRecord,
    texts: Texts,
    *,
    sort: int | None = None,
    descending: bool = False,
    wanted: Wanted | None = None,
    shelf: Shelf | None = None,
) -> StudyView:
    """Show one page of the table of a study.

    Parameters
    ----------
    study : StudyRecord
        Which study.
    texts : Texts
        In the language of the owner, about this study.
    sort : int, optional
        Column to sort by: 0 is the name, k is attribute k - 1. None: as in the
        table that was uploaded. Missing values always come last.
    descending : bool
        Whether the largest, or last, value comes first.
    wanted : Wanted, optional
        Which part of the rows; default: the first.
    shelf : Shelf, optional
        Pictures of the alternatives.
    """
    items = study.items
    if sort is not None and sort > len(items.attributes):
        raise DataError("The table has no such column to sort by.")
    asked = Wanted() if wanted is None else wanted
    kept = {} if sort is None else {"sort": str(sort)}
    kept |= {"descending": "1"} if descending else {}
    rows, part = part_of(
        _order(items, sort, descending),
        lambda row: items.names[row],
        asked,
        texts,
        anchor="table",
        kept=kept,
    )
    n_alternatives = texts.count("owner.n_alternatives", study.n_standing)
    n_attributes = texts.count("owner.n_attributes", len(items.attributes))
    return StudyView(
        study.name,
        f"{n_alternatives}, {n_attributes}",
        study.demo,
        tuple(_heads(items, texts, sort, descending, part.find)),
        tuple(
            replace(_row(items, row, shelf), withdrawn=row in study.withdrawn)
            for row in rows
        ),
        part,
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


def _heads(
    items: Items, texts: Texts, sort: int | None, descending: bool, find: str
) -> list[Head]:
    name, now = texts("owner.study.name"), (sort, descending, find)
    heads = [_head(0, name, "", now, best_last=False, numeric=False)]
    for position, attribute in enumerate(items.attributes, start=1):
        heads.append(
            _head(
                position,
                attribute.name,
                _meaning(attribute, texts),
                now,
                best_last=attribute.direction == "up",
                numeric=attribute.kind == "numeric",
            )
        )
    return heads


def _head(
    position: int,
    label: str,
    meaning: str,
    now: tuple[int | None, bool, str],
    *,
    best_last: bool,
    numeric: bool,
) -> Head:
    """Link so that the first click puts the best on top, the second turns round."""
    sort, descending, find = now
    here = sort == position
    order = ("descending" if descending else "ascending") if here else ""
    said = {"sort": str(position)}
    if not descending if here else best_last:
        said["descending"] = "1"
    said |= {"find": find} if find else {}
    return Head(label, meaning, f"?{urlencode(said)}", order, numeric)


def _meaning(attribute: Attribute, texts: Texts) -> str:
    """Say in words which way is better."""
    if attribute.kind == "categorical":
        return texts("owner.study.no_order")
    if attribute.direction == "unknown":
        return texts("owner.study.no_best")
    up = attribute.direction == "up"
    if attribute.kind == "numeric":
        return texts("owner.study.more_better" if up else "owner.study.less_better")
    return texts("owner.study.best_level", level=attribute.levels[-1 if up else 0])


def _row(items: Items, row: int, shelf: Shelf | None) -> Row:
    values = items.values(row)
    cells = [
        Cell(a.format(values[a.name]), "")
        if a.unit == DATE
        else Cell(replace(a, unit="").format(values[a.name]), a.unit)
        for a in items.attributes
    ]
    return Row(items.names[row], tuple(cells), extras_view(items, row, shelf))
