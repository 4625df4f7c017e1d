"""Segments of a group: their cards, and where their people stand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from penchant.studies import Group, Segment, Texts
from penchant.web._display import show_name

__all__ = ["SegmentCard", "Spread", "Weight", "segment_cards", "spread"]

_WEIGHTS: Final = 4
_MOST_MARKS: Final = 25
"""A lane with more people shows tenths of them."""

_LONGEST_LABEL: Final = 30


@dataclass(frozen=True)
class Weight:
    """How much an attribute weighs."""

    label: str
    share: str
    width: float
    words: str


@dataclass(frozen=True)
class SegmentCard:
    """People who want something similar.

    Parameters
    ----------
    shape : int
        Which mark and colour stand for them.
    name, size : str
        What they are called, and how many they are.
    weights : tuple of Weight
        The heaviest attributes.
    best, best_facts : str
        The alternative that suits them best, its points and its place for all.
    """

    shape: int
    name: str
    size: str
    weights: tuple[Weight, ...]
    best: str
    best_facts: str


@dataclass(frozen=True)
class Spread:
    """Where the people of a segment are on the axis of points, in percent.

    Parameters
    ----------
    shape : int
        Their mark.
    marks : tuple of float
        One per person, or the middles of tenths of them.
    summary : bool
        Whether the marks stand for tenths.
    """

    shape: int
    marks: tuple[float, ...]
    summary: bool


def segment_cards(group: Group, texts: Texts) -> tuple[SegmentCard, ...]:
    """Show the segments of a group.

    Parameters
    ----------
    group : Group
        With at least one person who answered.
    texts : Texts
        How numbers are written.
    """
    names = _names(group.segments)
    places = {item.item: item.place for item in group.items}
    return tuple(
        SegmentCard(
            shape,
            name,
            f"{len(segment.members):,} of {group.n_voices:,} people",
            tuple(
                Weight(
                    show_name(label, _LONGEST_LABEL),
                    texts.share(share),
                    round(100 * share, 1),
                    f"{show_name(label)}: {texts.share(share)} of the weight",
                )
                for label, share in list(segment.weights.items())[:_WEIGHTS]
            ),
            show_name(segment.best.name),
            f"{texts.points(segment.best.mean)}; "
            f"{_ordinal(places[segment.best.item])} for the whole group",
        )
        for shape, (name, segment) in enumerate(zip(names, group.segments, strict=True))
    )


def _names(segments: Sequence[Segment]) -> list[str]:
    """Name segments after the attributes that weigh more for them than for others."""
    if len(segments) == 1:
        return ["Everybody"]
    names: list[str] = []
    for number, segment in enumerate(segments, start=1):
        first = [show_name(name, _LONGEST_LABEL) for name in segment.distinct[:2]]
        name = " and ".join(first) or f"Segment {number}"
        name = f"{name[:1].upper()}{name[1:]}"
        names.append(name if name not in names else f"{name} ({number})")
    return names


def _ordinal(place: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place:,}{'th' if place % 100 in (11, 12, 13) else ending}"


def spread(group: Group, members: Sequence[str], item: int, shape: int = 0) -> Spread:
    """Give where the people of a segment are for one alternative.

    Parameters
    ----------
    group : Group
        The whole group.
    members : sequence of str
        Who belongs to the segment.
    item : int
        Position of the alternative in the table.
    shape : int
        The mark of the segment.
    """
    inside = set(members)
    points = np.sort([m.points[item] for m in group.members if m.id in inside])
    summary = len(points) > _MOST_MARKS
    if summary:
        points = np.quantile(points, np.arange(0.05, 1.0, 0.1))
    return Spread(shape, tuple(round(float(p), 1) for p in points), summary)
