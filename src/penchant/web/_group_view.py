"""What a whole group prefers, as the page and the report show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from penchant.data import Items
from penchant.data._tables import write_csv_table
from penchant.studies import SPLIT_SHARE, Group, GroupItem, Texts, load_texts
from penchant.web._charts import Axis, NumberRow, Numbers, Tick
from penchant.web._display import show_name
from penchant.web._group_curves import (
    CurveView,
    GapRow,
    curve_views,
    gap_rows,
)
from penchant.web._segment_view import SegmentCard, Spread, segment_cards, spread

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
    name, mean, agreement : str
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


def group_view(group: Group, items: Items, attribute: int = 0) -> GroupView:
    """Show what a group prefers.

    Parameters
    ----------
    group : Group
        With at least one person who answered.
    items : Items
        The alternatives.
    attribute : int
        Number of the curve to show; too large a number shows the first.
    """
    texts = load_texts("en")
    cards = segment_cards(group, texts)
    gaps, gap_numbers = gap_rows(group, cards, items, texts)
    curves = curve_views(group, cards, items, texts)
    shown = _shown(group.items)
    return GroupView(
        _lead(group),
        f"{show_name(group.items[0].name)} is the best common choice",
        _sentence(group, texts),
        _simulated(group),
        cards,
        _mark_hint(group),
        _split_rule(),
        _verdict(group),
        tuple(_row(group, item, cards, texts) for item in shown),
        tuple(_ways(item, texts) for item in shown),
        tuple(Tick(_AXIS.at(value), texts.number(value)) for value in _AXIS.ticks()),
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
    return [*ranked[:_ROWS], *first[:_MORE_SPLIT], *split[:_MORE_SPLIT]]


def _lead(group: Group) -> str:
    n = group.n_voices
    return "One person has answered" if n == 1 else f"{n:,} people have answered"


def _simulated(group: Group) -> str:
    if not group.n_simulated:
        return ""
    share = "All" if group.n_simulated == group.n_voices else f"{group.n_simulated:,}"
    return f"{share} of these people are simulated: no real person is behind them."


def _sentence(group: Group, texts: Texts) -> str:
    best = group.items[0]
    sentences = [f"It suits the group at {texts.points(best.mean)} of 100."]
    if group.n_voices > 1:
        widest = max(group.items, key=lambda item: item.disagreement)
        sentences.append(f"Opinions differ most on {show_name(widest.name)}.")
    return " ".join(sentences)


def _mark_hint(group: Group) -> str:
    lane = ", one lane per segment" if len(group.segments) > 1 else ""
    if any(spread(group, segment.members, 0).summary for segment in group.segments):
        return f"Each mark stands for a tenth of the people{lane}."
    return f"Each mark is one person's points for the alternative{lane}."


def _split_rule() -> str:
    return (
        f"“Split” means that at least {SPLIT_SHARE:.0%} of the people have it in their "
        f"best quarter and at least {SPLIT_SHARE:.0%} in their worst; "
        "± is the standard deviation."
    ).replace("%", "\u00a0%")


def _verdict(group: Group) -> str:
    first = show_name(group.items[0].name)
    borda = min(group.items, key=lambda item: item.borda_place)
    misery = min(group.items, key=lambda item: item.misery_place)
    if group.items[0].borda_place == group.items[0].misery_place == 1:
        return f"All three lead to {first}."
    return (
        f"The mean leads to {first}, Borda to {show_name(borda.name)}, least misery "
        f"to {show_name(misery.name)}."
    )


def _row(
    group: Group, item: GroupItem, cards: Sequence[SegmentCard], texts: Texts
) -> Row:
    name, mean = show_name(item.name), texts.points(item.mean)
    deviation = texts.points(item.disagreement)
    agreement = f"{'split' if item.split else 'agree'}, ±{deviation}"
    by_segment = [
        f"{card.name} {texts.points(_of(segment.ranking, item).mean)}"
        for card, segment in zip(cards, group.segments, strict=True)
    ]
    words = f"{name}: mean {mean}, {agreement}"
    if len(by_segment) > 1:
        words += f"; {', '.join(by_segment)}"
    return Row(
        name,
        mean,
        agreement,
        _AXIS.at(item.mean),
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
    heads = (
        "Alternative",
        "Mean",
        "Standard deviation",
        "In the best quarter of",
        "In the worst quarter of",
        "Borda",
        "Least misery",
    )
    return Numbers(
        heads,
        tuple(
            NumberRow(
                show_name(each.name),
                (
                    texts.points(each.mean),
                    texts.points(each.disagreement),
                    f"{each.in_best:.0%}".replace("%", "\u00a0%"),
                    f"{each.in_worst:.0%}".replace("%", "\u00a0%"),
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
