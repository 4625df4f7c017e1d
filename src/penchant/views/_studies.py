"""Turning studies into what the templates show."""

from types import SimpleNamespace as View
from urllib.parse import urlencode

import pandas as pd

from penchant.data import DATE, Attribute, Items
from penchant.exceptions import DataError
from penchant.studies import Calibration, StudyRecord, StudySummary
from penchant.texts import Texts
from penchant.views._extras import Shelf, extras_view
from penchant.views._parts import Wanted, part_of

_LONGEST_LINE = 40
"""Longer values are broken into lines."""


def checks_view(found: Calibration, texts: Texts) -> View:
    """Say how often answers were predicted correctly."""
    if not found.n:
        return View(words="", warning="")
    right, said = texts.number(found.right), texts.share(found.said)
    words = texts.count("owner.checks.right", found.n, right=right, said=said)
    return View(words=words, warning=texts("owner.checks.fails") if found.fails else "")


def study_line(study: StudySummary, texts: Texts, *, full: bool = False) -> View:
    """Show a study in a list; `full`: as many have finished as were wanted."""
    facts = _sizes(study.n_items, study.n_attributes, texts)
    if not study.demo:
        facts.append(texts("owner.home.added", day=texts.day(study.created)))
    people = texts.count("owner.n_participants", study.n_participants)
    is_open = study.settings.open and not study.settings.over and not full
    trial = texts("owner.home.try_text", count=texts.number(study.n_items))
    return View(
        path=f"/studies/{study.id}",
        name=study.name,
        facts=", ".join(facts),
        demo=study.demo,
        people=people,
        open=is_open,
        trial=trial if study.demo and is_open else "",
        join=f"/s/{study.id}/join",
    )


def _sizes(n_items: int, n_attributes: int, texts: Texts) -> list[str]:
    """Say how large a table is; a list of names has no attributes to tell of."""
    sizes = [texts.count("owner.n_alternatives", n_items)]
    if n_attributes:
        sizes.append(texts.count("owner.n_attributes", n_attributes))
    return sizes


def study_view(
    study: StudyRecord,
    texts: Texts,
    *,
    sort: int | None = None,
    descending: bool = False,
    wanted: Wanted | None = None,
    shelf: Shelf | None = None,
) -> View:
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
    kept = {} if sort is None else {"sort": str(sort)}
    kept |= {"descending": "1"} if descending else {}
    rows, part = part_of(
        _order(items, sort, descending),
        lambda row: items.names[row],
        wanted,
        texts,
        anchor="table",
        kept=kept,
    )
    return View(
        name=study.name,
        facts=", ".join(_sizes(study.n_standing, len(items.attributes), texts)),
        demo=study.demo,
        heads=tuple(_heads(items, texts, sort, descending, part.find)),
        rows=tuple(
            View(
                name=items.names[row],
                cells=_cells(items, row, texts),
                extras=extras_view(items, row, shelf),
                withdrawn=row in study.withdrawn,
            )
            for row in rows
        ),
        part=part,
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
) -> list[View]:
    """Link so that the first click puts the best on top, the second turns round."""
    heads = []
    for position, attribute in enumerate([None, *items.attributes]):
        here = sort == position
        best_last = attribute is not None and attribute.direction == "up"
        said = {"sort": str(position)}
        if not descending if here else best_last:
            said["descending"] = "1"
        said |= {"find": find} if find else {}
        heads.append(
            View(
                label=attribute.name if attribute else texts("owner.study.name"),
                meaning=_meaning(attribute, texts) if attribute else "",
                link=f"?{urlencode(said)}",
                sorted=("descending" if descending else "ascending") if here else "",
                numeric=attribute is not None and attribute.kind == "numeric",
            )
        )
    return heads


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


def _cells(items: Items, row: int, texts: Texts) -> list[View]:
    """Give the values of an alternative, empty if not known, and their units."""
    cells = []
    for attribute in items.attributes:
        # The unit of a date is part of how it is written, and so is what stands first.
        behind = texts.measured(attribute, "#").endswith(attribute.unit)
        unit = attribute.unit if behind and attribute.unit != DATE else ""
        value = items.values(row)[attribute.name]
        known = value == value and value is not None
        text = texts.value(attribute, value).removesuffix(unit).strip() if known else ""
        cells.append(View(value=text, unit=unit, long=len(text) > _LONGEST_LINE))
    return cells
