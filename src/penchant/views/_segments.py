"""Kinds of people in a group: what they are called, and what counts for them."""

from collections.abc import Sequence
from types import SimpleNamespace as View
from typing import Final

from penchant.studies import Group, GroupItem, Segment
from penchant.texts import Texts
from penchant.views._charts import Axis
from penchant.views._counts import count_row
from penchant.views._display import show_name

_WEIGHTS: Final = 4
_LONGEST_LABEL: Final = 30
_MOST_NAMED: Final = 3
"""Alternatives in front that are named; others are counted."""


def segment_cards(group: Group, texts: Texts) -> tuple[View, ...]:
    """Show the segments of a group.

    Parameters
    ----------
    group : Group
        With at least one person who answered.
    texts : Texts
        How numbers are written.
    """
    names = _names(group.segments, texts)
    heaviest = max(max(each.weights.values()) for each in group.segments)
    axis = Axis(0.0, heaviest or 1.0)
    return tuple(
        View(
            shape=shape,
            name=name,
            size=texts.count("owner.study.n_people", len(segment.members)),
            weights=tuple(
                count_row(label, (share,) * 3, axis, "owner.group.weight", texts)
                for label, share in list(segment.weights.items())[:_WEIGHTS]
            ),
            best=_best(group, segment, texts),
        )
        for shape, (name, segment) in enumerate(zip(names, group.segments, strict=True))
    )


def _best(group: Group, segment: Segment, texts: Texts) -> str:
    first = segment.best
    place = next(item.place for item in group.items if item.item == first.item)
    return texts(
        "owner.group.best",
        names=in_front(segment.ranking, texts),
        name=show_name(first.name),
        points=texts.points(first.mean),
        place=texts.number(place),
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
