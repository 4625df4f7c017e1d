"""Segments of a group: their cards, and where their people stand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from penchant.studies import Group, GroupItem, Segment
from penchant.texts import Texts
from penchant.views._display import show_name

__all__ = [
    "SegmentCard",
    "Spread",
    "Weight",
    "in_front",
    "segment_cards",
]

_WEIGHTS: Final = 4
_LONGEST_LABEL: Final = 30
_MOST_NAMED: Final = 3
"""Alternatives in front that are named; others are counted."""


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
        The alternatives in front for them, points of the first and its place for all.
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
    mean, low, high : float
        Their mean, and the points between which eight of ten of them are.
    """

    shape: int
    mean: float
    low: float
    high: float


def segment_cards(group: Group, texts: Texts) -> tuple[SegmentCard, ...]:
    """Show the segments of a group.

    Parameters
    ----------
    group : Group
        With at least one person who answered.
    texts : Texts
        How numbers are written.
    """
    names = _names(group.segments, texts)
    places = {item.item: item.place for item in group.items}
    return tuple(
        SegmentCard(
            shape,
            name,
            texts(
                "owner.group.size",
                n=texts.number(len(segment.members)),
                all=texts.number(group.n_voices),
            ),
            tuple(
                Weight(
                    show_name(label, _LONGEST_LABEL),
                    texts.share(share),
                    round(100 * share, 1),
                    texts(
                        "owner.group.weight",
                        attribute=show_name(label),
                        share=texts.share(share),
                    ),
                )
                for label, share in list(segment.weights.items())[:_WEIGHTS]
            ),
            in_front(segment.ranking, texts),
            texts(
                "owner.group.best_facts",
                points=texts.points(segment.best.mean),
                place=texts.number(places[segment.best.item]),
            ),
        )
        for shape, (name, segment) in enumerate(zip(names, group.segments, strict=True))
    )


def in_front(ranked: Sequence[GroupItem], texts: Texts) -> str:
    """Name the alternatives of the first tier, or count them if there are many."""
    names = [show_name(item.name) for item in ranked if item.tier == 1]
    if len(names) > _MOST_NAMED:
        return texts.count("owner.group.and_more", len(names) - 1, name=names[0])
    return texts.listed(names)


def _names(segments: Sequence[Segment], texts: Texts) -> list[str]:
    """Name segments after attributes that clearly weigh more for them."""
    if len(segments) == 1:
        return [texts("owner.group.everybody")]
    names: list[str] = []
    for number, segment in enumerate(segments, start=1):
        first = [show_name(name, _LONGEST_LABEL) for name in segment.distinct[:2]]
        name = texts.listed(first) or texts("owner.group.segment", number=number)
        name = texts.sentence(name)
        names.append(name if name not in names else f"{name} ({number})")
    return names
