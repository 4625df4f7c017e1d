"""What a whole group prefers, as the page and the report show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from penchant.data import Items
from penchant.data.reading import write_csv_table
from penchant.studies import SPLIT_SHARE, Group, GroupItem
from penchant.texts import Texts
from penchant.views._charts import Axis, NumberRow, Numbers, Tick
from penchant.views._display import show_name
from penchant.views._group_curves import CurveView, GapRow, curve_views, gap_rows
from penchant.views._segments import (
    SegmentCard,
    Spread,
    in_tenths,
    segment_cards,
    spread,
)

__all__ = ["GroupView", "group_view", "ranking_csv"]

_ROWS: Final = 10
_MORE_SPLIT: Final = 4
_MOST_NUMBERS: Final = 200
"""The table of numbers ends here, so that a page stays small."""

_AXIS: Final = Axis(0.0, 100.0)


@dataclass(frozen=True)
class Row:
    """One alternative in the chart of the common ranking.

    Parameters
    ----------
    place, name, mean, agreement : str
        What stands beside the drawing.
    mean_at : float
        Where the mean is, in percent.
    lanes : tuple of Spread
        One per segment.
    split : bool
        Whether people are split about it.
    words : str
        All of it in words.
    """

    place: str
    name: str
    mean: str
    agreement: str
    mean_at: float
    lanes: tuple[Spread, ...]
    split: bool
    words: str


@dataclass(frozen=True)
class Way:
    """What one way of counting says of an alternative."""

    value: str
    place: str
    first: bool


@dataclass(frozen=True)
class WaysRow:
    """An alternative and what three ways of counting say of it."""

    name: str
    ways: tuple[Way, ...]


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
    lead, title, sentence, simulated : str
        The answer in words.
    segments : tuple of SegmentCard
        Kinds of people.
    mark_hint, split_rule, verdict : str
        How to read the charts.
    rows, ways : tuple
        The common ranking as a chart, and by three ways of counting.
    ticks : tuple of Tick
        Of the chart.
    numbers : Numbers
        All numbers of the ranking.
    gaps, gap_numbers : tuple of GapRow, Numbers
        What the segments disagree about.
    curves : tuple of CurveView
        Of all attributes.
    chosen : int
        The curve that the page shows.
    """

    lead: str
    title: str
    sentence: str
    simulated: str
    segments: tuple[SegmentCard, ...]
    mark_hint: str
    split_rule: str
    verdict: str
    rows: tuple[Row, ...]
    ways: tuple[WaysRow, ...]
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
    shown = _shown(group.items)
    return GroupView(
        texts.count("owner.group.answered", group.n_voices),
        texts("owner.group.title", name=show_name(group.items[0].name)),
        _sentence(group, texts),
        _simulated(group, texts),
        cards,
        _mark_hint(group, texts),
        texts("owner.group.split_rule", share=texts.share(SPLIT_SHARE)),
        _verdict(group, texts),
        tuple(_row(group, item, cards, texts) for item in shown),
        tuple(_ways(item, texts) for item in shown),
        tuple(Tick(_AXIS.place(value), texts.number(value)) for value in _AXIS.ticks()),
        _numbers(group.items[:_MOST_NUMBERS], texts),
        gaps,
        gap_numbers,
        curves,
        attribute if attribute < len(curves) else 0,
    )


def _shown(ranked: Sequence[GroupItem]) -> list[GroupItem]:
    """Take the best, the first of other ways of counting, and what splits people."""
    rest = ranked[_ROWS:]
    first = [each for each in rest if 1 in (each.borda_place, each.misery_place)]
    split = [each for each in rest if each.split and each not in first]
    more = [*first[:_MORE_SPLIT], *split[:_MORE_SPLIT]]
    return [*ranked[:_ROWS], *(each for each in rest if each in more)]


def _simulated(group: Group, texts: Texts) -> str:
    if not group.n_simulated:
        return ""
    if group.n_simulated == group.n_voices:
        return texts("owner.group.all_simulated")
    return texts("owner.group.some_simulated", n=texts.number(group.n_simulated))


def _sentence(group: Group, texts: Texts) -> str:
    best = group.items[0]
    sentences = [texts("owner.group.suits", points=texts.points(best.mean))]
    if group.n_voices > 1:
        widest = max(group.items, key=lambda item: item.disagreement)
        sentences.append(texts("owner.group.differ", name=show_name(widest.name)))
    return " ".join(sentences)


def _mark_hint(group: Group, texts: Texts) -> str:
    key = "owner.group.tenths" if in_tenths(group) else "owner.group.mark"
    hint = texts(f"{key}_lanes" if len(group.segments) > 1 else key)
    return f"{hint} {texts('owner.group.tall_line')}"


def _verdict(group: Group, texts: Texts) -> str:
    first = show_name(group.items[0].name)
    borda = min(group.items, key=lambda item: item.borda_place)
    misery = min(group.items, key=lambda item: item.misery_place)
    if group.items[0].borda_place == group.items[0].misery_place == 1:
        return texts("owner.group.all_three", name=first)
    return texts(
        "owner.group.three",
        mean=first,
        borda=show_name(borda.name),
        misery=show_name(misery.name),
    )


def _row(
    group: Group, item: GroupItem, cards: Sequence[SegmentCard], texts: Texts
) -> Row:
    name, mean = show_name(item.name), texts.points(item.mean)
    deviation = texts.points(item.disagreement)
    key = "owner.group.split" if item.split else "owner.group.agree"
    agreement = texts(key, deviation=deviation)
    by_segment = [
        f"{card.name} {texts.points(_of(segment.ranking, item).mean)}"
        for card, segment in zip(cards, group.segments, strict=True)
    ]
    words = texts("owner.group.row", name=name, mean=mean, agreement=agreement)
    if len(by_segment) > 1:
        words += f"; {', '.join(by_segment)}"
    return Row(
        texts.number(item.place),
        name,
        mean,
        agreement,
        _AXIS.place(item.mean),
        tuple(
            spread(group, segment.members, item.item, shape)
            for shape, segment in enumerate(group.segments)
        ),
        item.split,
        words,
    )


def _of(ranked: Sequence[GroupItem], item: GroupItem) -> GroupItem:
    return next(each for each in ranked if each.item == item.item)


def _ways(item: GroupItem, texts: Texts) -> WaysRow:
    counted = (
        (item.mean, item.place),
        (item.borda, item.borda_place),
        (item.misery, item.misery_place),
    )
    return WaysRow(
        show_name(item.name),
        tuple(
            Way(texts.points(value), texts.number(place), place == 1)
            for value, place in counted
        ),
    )


def _numbers(ranked: Sequence[GroupItem], texts: Texts) -> Numbers:
    heads = ("alternative", "mean", "deviation", "in_best", "in_worst", "borda")
    return Numbers(
        tuple(texts(f"owner.group.{head}") for head in (*heads, "misery")),
        tuple(
            NumberRow(
                show_name(each.name),
                (
                    texts.points(each.mean),
                    texts.points(each.disagreement),
                    texts("numbers.share", share=round(100 * each.in_best)),
                    texts("numbers.share", share=round(100 * each.in_worst)),
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
        "mean": [round(item.mean, 3) for item in group.items],
        "borda": [round(item.borda, 3) for item in group.items],
        "borda_place": [item.borda_place for item in group.items],
        "least_misery": [round(item.misery, 3) for item in group.items],
        "least_misery_place": [item.misery_place for item in group.items],
        "standard_deviation": [round(item.disagreement, 3) for item in group.items],
        "in_best_quarter": [round(item.in_best, 4) for item in group.items],
        "in_worst_quarter": [round(item.in_worst, 4) for item in group.items],
        "split": ["yes" if item.split else "no" for item in group.items],
    }
    return write_csv_table(pd.DataFrame(columns), None) or ""
