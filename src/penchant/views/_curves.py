"""What a person values, attribute by attribute and in pairs, as the pages show it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from penchant.data import Attribute, Items
from penchant.studies import Curve
from penchant.texts import Texts
from penchant.views._charts import (
    Axis,
    CurveShape,
    Estimate,
    NumberRow,
    Numbers,
    Tick,
    curve_shape,
)
from penchant.views._display import show_name

__all__ = ["CurveTab", "CurveView", "Level", "curve_tabs", "curve_view"]

_TICKS = 4
_LONGEST_TAB = 24


@dataclass(frozen=True)
class Level:
    """A level of an attribute without numbers."""

    label: str
    points: str
    words: str
    mark: Estimate


@dataclass(frozen=True)
class CurveView:
    """What the values of one attribute are worth.

    Parameters
    ----------
    attribute : str
        Its name.
    id, label, title, weight : str
        Of the table of numbers, of the curve, of the panel, and how much counts.
    shape : CurveShape or None
        The curve of a numeric attribute.
    across, upward : tuple of Tick
        Its axes.
    rug : tuple of float
        Where the alternatives are.
    levels : tuple of Level
        Of an attribute without numbers.
    zero : float
        Where 0 is on the axis of the levels.
    numbers : Numbers
        All in numbers.
    """

    attribute: str
    id: str
    label: str
    title: str
    weight: str
    shape: CurveShape | None
    across: tuple[Tick, ...]
    upward: tuple[Tick, ...]
    rug: tuple[float, ...]
    levels: tuple[Level, ...]
    zero: float
    numbers: Numbers


def curve_view(items: Items, curve: Curve, texts: Texts) -> CurveView:
    """Show what the values of one attribute are worth.

    Parameters
    ----------
    items : Items
        The alternatives.
    curve : Curve
        In points.
    texts : Texts
        In the language of the person.
    """
    attribute = next(a for a in items.attributes if a.name == curve.attribute)
    name = show_name(attribute.name)
    numeric = attribute.kind == "numeric"
    ends = [*map(float, curve.low), *map(float, curve.high), 0.0]
    upward = Axis.around(ends)
    across = Axis(float(curve.grid[0]), float(curve.grid[-1])) if numeric else upward
    marks = [across.place(float(x)) for x in curve.grid] if numeric else []
    numbers = _numbers(attribute, curve, marks, texts)
    return CurveView(
        name,
        numbers.id,
        texts("curves.walk", attribute=name),
        texts("curves.title", attribute=name),
        texts(
            "curves.weight",
            share=texts.share(curve.share),
            low=texts.share(curve.share_low),
            high=texts.share(curve.share_high),
        ),
        curve_shape(across, upward, *_columns(curve)) if numeric else None,
        _across(attribute, across, texts) if numeric else (),
        _upward(upward, texts),
        _rug(items, attribute, across) if numeric else (),
        () if numeric else _levels(attribute, curve, upward, texts),
        upward.place(0.0),
        numbers,
    )


def _columns(curve: Curve) -> list[list[float]]:
    columns = (curve.grid, curve.points, curve.low, curve.high)
    return [[float(value) for value in column] for column in columns]


def _words(
    attribute: Attribute, curve: Curve, k: int, texts: Texts
) -> tuple[str, str, str, str]:
    """Give value, points, range, and all in words."""
    value = show_name(texts.value(attribute, curve.grid[k]), 40)
    points = texts.signed(curve.points[k])
    low, high = texts.signed(curve.low[k]), texts.signed(curve.high[k])
    words = texts("curves.tip", value=value, points=points, low=low, high=high)
    return value, points, texts("numbers.range", low=low, high=high), words


def _numbers(
    attribute: Attribute, curve: Curve, marks: Sequence[float], texts: Texts
) -> Numbers:
    rows = []
    for k in range(len(curve.grid)):
        value, points, span, words = _words(attribute, curve, k, texts)
        at = marks[k] if marks else 0.0
        rows.append(NumberRow(value, (points, span), at, words if marks else ""))
    heads = ("result.value", "result.points", "result.range")
    return Numbers(tuple(map(texts, heads)), tuple(rows), "curve-numbers")


def _levels(
    attribute: Attribute, curve: Curve, axis: Axis, texts: Texts
) -> tuple[Level, ...]:
    levels = []
    for k in range(len(curve.grid)):
        value, points, _, words = _words(attribute, curve, k, texts)
        ends = (curve.points[k], curve.low[k], curve.high[k])
        mark = Estimate.placed(axis, *map(float, ends))
        levels.append(Level(value, points, words, mark))
    return tuple(levels)


def _across(attribute: Attribute, axis: Axis, texts: Texts) -> tuple[Tick, ...]:
    """Label numbers; the last one says the unit for all."""
    values = axis.ticks(_TICKS)
    labels = [texts.number(value) for value in values[:-1]]
    labels.append(texts.value(attribute, values[-1]))
    places = [axis.place(value) for value in values]
    return tuple(Tick(at, label) for at, label in zip(places, labels, strict=True))


def _upward(axis: Axis, texts: Texts) -> tuple[Tick, ...]:
    """Label points; the highest one says that they are points."""
    values = axis.ticks(_TICKS)
    labels = [texts.signed(value) for value in values[:-1]]
    labels.append(texts("curves.axis", points=texts.signed(values[-1])))
    places = [round(100 - axis.place(value), 2) for value in values]
    return tuple(Tick(at, label) for at, label in zip(places, labels, strict=True))


def _rug(items: Items, attribute: Attribute, axis: Axis) -> tuple[float, ...]:
    values = np.unique(items.frame[attribute.name].dropna().to_numpy(dtype=float))
    return tuple(dict.fromkeys(axis.place(float(value)) for value in values))


@dataclass(frozen=True)
class CurveTab:
    """A link to the curve of an attribute."""

    position: int
    name: str
    here: bool


def curve_tabs(curves: Sequence[Curve], shown: int) -> list[CurveTab]:
    """List the attributes whose curves can be seen, in the order of the table."""
    return [
        CurveTab(k, show_name(curve.attribute, _LONGEST_TAB), k == shown)
        for k, curve in enumerate(curves)
    ]
