"""Kinds of people in a group: what counts for them, and what they value."""

from collections.abc import Iterable, Sequence
from types import SimpleNamespace as View
from typing import Any, Final

from penchant.data import Attribute, Items
from penchant.studies import Curve, Group, GroupItem, Segment
from penchant.texts import Texts
from penchant.views._charts import Axis, NumberRow, Numbers, Tick
from penchant.views._curves import across_ticks, count_row, tick_label
from penchant.views._display import grid_value, show_name

_WEIGHTS: Final = 4
_MARKS: Final = 5
_MOST_LABELS: Final = 8
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


def curve_views(
    group: Group, cards: Sequence[View], items: Items, texts: Texts
) -> tuple[View, ...]:
    """Show what every segment values in each attribute that varies.

    Parameters
    ----------
    group : Group
        The whole group.
    cards : sequence of SegmentCard
        Its segments.
    items : Items
        The alternatives.
    texts : Texts
        How numbers are written.
    """
    attributes = {attribute.name: attribute for attribute in items.attributes}
    labels = [card.name for card in cards]
    axis = points_axis(curve for each in group.segments for curve in each.curves)
    return tuple(
        lines_view(attributes[same[0].attribute], same, labels, axis, texts)
        for same in zip(*(segment.curves for segment in group.segments), strict=True)
    )


def points_axis(curves: Iterable[Curve]) -> Axis:
    """Give the axis of points that all curves share, so that heights compare."""
    values = [float(value) for curve in curves for value in curve.points]
    return Axis.around([0.0, *values])


def lines_view(
    attribute: Attribute,
    curves: Sequence[Curve],
    labels: Sequence[str],
    upward: Axis,
    texts: Texts,
) -> View:
    """Show several curves over the values of one attribute.

    Parameters
    ----------
    attribute : Attribute
        Which attribute.
    curves : sequence of Curve
        All over the same grid.
    labels : sequence of str
        Who or what they stand for.
    upward : Axis
        Of the points.
    texts : Texts
        How numbers are written.
    """
    grid = curves[0].grid
    numeric = attribute.kind == "numeric"
    places = [float(value) for value in grid] if numeric else list(range(len(grid)))
    across = Axis(float(places[0]), float(places[-1]))
    if not numeric:
        across = Axis.around([-0.3, *places, places[-1] + 0.3])
    joined = attribute.kind != "categorical"
    name = show_name(attribute.name, _LONGEST_LABEL)
    return View(
        name=name,
        unit=show_name(attribute.unit_beside, 20),
        words=texts(
            "owner.group.curve_words", attribute=name, labels=", ".join(labels)
        ),
        lines=tuple(
            _line(shape, curve, places, across, upward, joined=joined)
            for shape, curve in enumerate(curves)
        ),
        across=_across_ticks(attribute, grid, across, texts),
        upward=tuple(
            Tick(round(100 - upward.place(value), 2), tick_label(value, texts))
            for value in upward.ticks()
        ),
        zero=round(100 - upward.place(0.0), 2),
        numbers=_numbers(attribute, curves, labels, texts),
    )


def _line(
    shape: int,
    curve: Curve,
    places: Sequence[float],
    across: Axis,
    upward: Axis,
    *,
    joined: bool,
) -> View:
    """Draw a curve; values without an order are not joined by a line."""
    spots = [
        (across.place(x), round(100 - upward.place(float(y)), 2))
        for x, y in zip(places, curve.points, strict=True)
    ]
    step = max(1, len(spots) // _MARKS) if joined else 1
    return View(
        shape=shape,
        path=f"M{'L'.join(f'{x:g} {y:g}' for x, y in spots)}" if joined else "",
        marks=tuple(View(shape=shape, x=x, y=y) for x, y in spots[step // 2 :: step]),
    )


def _across_ticks(
    attribute: Attribute, grid: tuple[Any, ...], axis: Axis, texts: Texts
) -> tuple[Tick, ...]:
    if attribute.kind == "numeric":
        return across_ticks(attribute, axis, texts)
    step = -(-len(grid) // _MOST_LABELS)
    return tuple(
        Tick(axis.place(place), show_name(str(level), 36 // max(1, len(grid) // step)))
        for place, level in list(enumerate(grid))[::step]
    )


def _numbers(
    attribute: Attribute, curves: Sequence[Curve], labels: Sequence[str], texts: Texts
) -> Numbers:
    rows = [
        NumberRow(
            grid_value(attribute, curves[0].grid, k, texts),
            tuple(texts.signed(float(curve.points[k])) for curve in curves),
        )
        for k in range(len(curves[0].grid))
    ]
    return Numbers((show_name(attribute.name, _LONGEST_LABEL), *labels), tuple(rows))
