"""What a whole group prefers, as the page and the report show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from penchant.data import Items
from penchant.data.reading import write_csv_table
from penchant.studies import FEW_PEOPLE, Group, GroupItem
from penchant.texts import Texts
from penchant.views._charts import Axis, NumberRow, Numbers, Tick
from penchant.views._display import show_name
from penchant.views._group_curves import CurveView, GapRow, curve_views, gap_rows
from penchant.views._segments import SegmentCard, Spread, in_front, segment_cards

__all__ = ["GroupView", "group_view", "ranking_csv"]

_ROWS: Final = 10
_MOST_NUMBERS: Final = 200
"""The table of numbers ends here, so that a page stays small."""

_AXIS: Final = Axis(0.0, 100.0)


@dataclass(frozen=True)
class Row:
    """One alternative in the chart of the common ranking.

    Parameters
    ----------
    behind : str
        Above the first of a tier: whom the tier is clearly behind.
    place, name, mean, range : str
        What stands beside the drawing.
    mean_at : float
        Where the mean is, in percent.
    lanes : tuple of Spread
        One per segment.
    words : str
        All of it in words.
    """

    behind: str
    place: str
    name: str
    mean: str
    range: str
    mean_at: float
    lanes: tuple[Spread, ...]
    words: str


@dataclass(frozen=True)
class CarelessLine:
    """Somebody whose answers look careless, or who was left out; for the owner."""

    id: str
    name: str
    reason: str
    left_out: bool


@dataclass(frozen=True)
class Tab:
    """An attribute whose curve can be looked at."""

    label: str
    here: bool


@dataclass(frozen=True)
class GroupView:
    """What a group prefers.

    Parameters
    ----------
    lead, title, sentence : str
        The answer in words.
    notes : tuple of str
        Who is simulated, and how many are left out.
    kinds : str
        What may be said about kinds of people; empty for one person.
    careless : tuple of CarelessLine
        For the owner only.
    segments : tuple of SegmentCard
        Kinds of people, or everybody.
    mark_hint, more : str
        How to read the chart, and how many it does not show.
    rows : tuple of Row
        The common ranking as a chart.
    ticks : tuple of Tick
        Of the chart.
    numbers : Numbers
        All numbers of the ranking.
    gaps, gap_numbers : tuple of GapRow, Numbers
        How differently the segments weigh attributes.
    curves : tuple of CurveView
        Of all attributes.
    chosen : int
        The curve that the page shows.
    """

    lead: str
    title: str
    sentence: str
    notes: tuple[str, ...]
    kinds: str
    careless: tuple[CarelessLine, ...]
    segments: tuple[SegmentCard, ...]
    mark_hint: str
    more: str
    rows: tuple[Row, ...]
    ticks: tuple[Tick, ...]
    numbers: Numbers
    gaps: tuple[GapRow, ...]
    gap_numbers: Numbers
    curves: tuple[CurveView, ...]
    chosen: int = 0

    @property
    def curve(self) -> CurveView | None:
        """The curve that the page shows; None if no attribute varies."""
        return self.curves[self.chosen] if self.curves else None

    @property
    def tabs(self) -> list[Tab]:
        """The attributes to choose from."""
        return [Tab(c.name, k == self.chosen) for k, c in enumerate(self.curves)]


def group_view(
    group: Group, items: Items, texts: Texts, attribute: int = 0
) -> GroupView:
    """Show what a group prefers.

    Parameters
    ----------
    group : Group
        With at least one person who answered.
    items : Items
        The alternatives.
    texts : Texts
        In the language of the owner, about the study.
    attribute : int
        Number of the curve to show; too large a number shows the first.
    """
    cards = segment_cards(group, texts)
    gaps, gap_numbers = gap_rows(group, cards, items, texts)
    curves = curve_views(group, cards, items, texts)
    shown = _shown(group)
    return GroupView(
        texts.count("owner.group.answered", group.n_voices),
        _title(group, texts),
        _sentence(group, texts),
        _notes(group, texts),
        _kinds(group, texts),
        _careless(group, texts),
        cards,
        _mark_hint(group, texts),
        _more(group, len(shown), texts),
        _rows(group, shown, cards, texts),
        tuple(Tick(_AXIS.place(value), texts.number(value)) for value in _AXIS.ticks()),
        _numbers(group.items[:_MOST_NUMBERS], texts),
        gaps,
        gap_numbers,
        curves,
        attribute if attribute < len(curves) else 0,
    )


def _shown(group: Group) -> list[GroupItem]:
    """Take the best, and the one on which opinions differ."""
    rest = [item for item in group.items[_ROWS:] if item is group.differ]
    return [*group.items[:_ROWS], *rest]


def _title(group: Group, texts: Texts) -> str:
    front = group.in_front
    if len(front) == 1:
        return texts("owner.group.title", name=show_name(front[0].name))
    if len(front) > _ROWS or len(front) == len(group.items):
        return texts("owner.group.title_none")
    return texts("owner.group.titles", names=in_front(group.items, texts))


def _sentence(group: Group, texts: Texts) -> str:
    best = group.items[0]
    told = [
        texts(
            "owner.group.suits",
            name=show_name(best.name),
            points=texts.points(best.mean),
            chance=texts.share(group.chance),
        )
    ]
    if group.differ is not None:
        told.append(texts("owner.group.differ", name=show_name(group.differ.name)))
    return " ".join(told)


def _notes(group: Group, texts: Texts) -> tuple[str, ...]:
    notes = []
    if group.n_simulated == group.n_voices:
        notes.append(texts("owner.group.all_simulated"))
    elif group.n_simulated:
        n = texts.number(group.n_simulated)
        notes.append(texts("owner.group.some_simulated", n=n))
    if group.n_left_out:
        notes.append(texts.count("owner.group.left_out", group.n_left_out))
    return tuple(notes)


def _kinds(group: Group, texts: Texts) -> str:
    """Say what may be said about kinds of people, and no more."""
    if group.n_voices == 1:
        return ""
    told = [texts(f"owner.group.kinds_{group.kinds}")]
    if group.kinds == "none" and group.n_voices < FEW_PEOPLE:
        told.append(texts("owner.group.kinds_few"))
    if group.n_between:
        told.append(texts.count("owner.group.between", group.n_between))
    return " ".join(told)


def _careless(group: Group, texts: Texts) -> tuple[CarelessLine, ...]:
    numbers = {member.id: k for k, member in enumerate(group.members, start=1)}
    labels = {member.id: show_name(member.label) for member in group.members}
    return tuple(
        CarelessLine(
            each.member,
            labels[each.member]
            or texts("owner.study.person_number", number=numbers[each.member]),
            texts(f"owner.group.careless_{each.kind or 'unknown'}"),
            each.left_out,
        )
        for each in group.careless
    )


def _mark_hint(group: Group, texts: Texts) -> str:
    many = len(group.segments) > 1
    hint = texts("owner.group.mark_lanes" if many else "owner.group.mark")
    return f"{hint} {texts('owner.group.tall_line')} {texts('owner.group.tiers')}"


def _more(group: Group, n_shown: int, texts: Texts) -> str:
    n_more = len(group.items) - n_shown
    key = "owner.group.more"
    if len(group.items) > _MOST_NUMBERS:
        key = "owner.group.more_in_file"
    return texts.count(key, n_more) if n_more else ""


def _rows(
    group: Group, shown: Sequence[GroupItem], cards: Sequence[SegmentCard], texts: Texts
) -> tuple[Row, ...]:
    """Draw items; above the first of a tier stands whom the tier is clearly behind."""
    leaders = {item.tier: show_name(item.name) for item in reversed(group.items)}
    rows, tier = [], 1
    for item in shown:
        behind = ""
        if item.tier > tier:
            behind = texts("owner.group.behind", name=leaders[item.tier - 1])
        rows.append(_row(group, item, behind, cards, texts))
        tier = item.tier
    return tuple(rows)


def _row(
    group: Group,
    item: GroupItem,
    behind: str,
    cards: Sequence[SegmentCard],
    texts: Texts,
) -> Row:
    name, mean = show_name(item.name), texts.points(item.mean)
    between = _range(item, texts)
    seen = [_of(segment.ranking, item) for segment in group.segments]
    by_segment = [
        f"{card.name} {texts.points(own.mean)}"
        for card, own in zip(cards, seen, strict=True)
    ]
    words = texts(
        "owner.group.row", name=name, place=item.place, mean=mean, range=between
    )
    if len(by_segment) > 1:
        words += f"; {', '.join(by_segment)}"
    return Row(
        behind,
        texts.number(item.place),
        name,
        mean,
        between,
        _AXIS.place(item.mean),
        tuple(
            Spread(
                shape, *map(_AXIS.place, (own.mean, own.people_low, own.people_high))
            )
            for shape, own in enumerate(seen)
        ),
        words,
    )


def _range(item: GroupItem, texts: Texts) -> str:
    low, high = texts.points(item.low), texts.points(item.high)
    return texts("owner.group.from_to", low=low, high=high)


def _of(ranked: Sequence[GroupItem], item: GroupItem) -> GroupItem:
    return next(each for each in ranked if each.item == item.item)


def _numbers(ranked: Sequence[GroupItem], texts: Texts) -> Numbers:
    heads = ("alternative", "place", "mean", "range", "deviation", "borda", "misery")
    return Numbers(
        tuple(texts(f"owner.group.{head}") for head in heads),
        tuple(
            NumberRow(
                show_name(each.name),
                (
                    texts.number(each.place),
                    texts.points(each.mean),
                    _range(each, texts),
                    texts.points(each.deviation),
                    texts.points(each.borda),
                    texts.points(each.misery),
                ),
            )
            for each in ranked
        ),
    )


def ranking_csv(group: Group) -> str:
    """Give the common ranking as CSV; no text can run as a formula."""
    columns: dict[str, list[Any]] = {
        "alternative": [item.name for item in group.items],
        "place": [item.place for item in group.items],
        "tier": [item.tier for item in group.items],
        "mean": [round(item.mean, 3) for item in group.items],
        "low": [round(item.low, 3) for item in group.items],
        "high": [round(item.high, 3) for item in group.items],
        "standard_deviation": [round(item.deviation, 3) for item in group.items],
        "borda": [round(item.borda, 3) for item in group.items],
        "least_misery": [round(item.misery, 3) for item in group.items],
    }
    return write_csv_table(pd.DataFrame(columns), None) or ""
