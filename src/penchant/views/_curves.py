"""What a person values: how much attributes count, what their values are worth."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace as View

import numpy as np

from penchant.data import DATE, Attribute, Items
from penchant.studies import AnsweredQuestion, Curve, Interaction
from penchant.texts import Texts
from penchant.views._charts import Axis, NumberRow, Numbers, Tick, curve_shape
from penchant.views._display import grid_value, show_name

_TICKS = 4
_LETTERS = 36
"""Letters that fit under a picture."""

_SENTENCES = 3
_LONGEST_NAME = 24
LEAST_SHARE = 0.01
"""A range that begins below this share includes "counts for nothing"."""
_LONGEST_LABEL = 40


@dataclass(frozen=True)
class Level:
    """A level of an attribute without numbers, in percent across and from the top."""

    label: str
    x: float
    y: float
    low: float
    high: float
    unsure: bool


@dataclass(frozen=True)
class CurveView:
    """What the values of one attribute are worth.

    Parameters
    ----------
    attribute, unit, words : str
        Its name, its unit, and the picture in words.
    shape : View or None
        The curve of a numeric attribute.
    across, upward : tuple of Tick
        Its axes.
    rug : tuple of float
        Where the alternatives are.
    levels : tuple of Level
        Of an attribute without numbers.
    zero : float
        Height of 0 from the top, in percent.
    unsure : bool
        Whether all values may be worth the same.
    numbers : Numbers
        All in numbers.
    """

    attribute: str
    unit: str
    words: str
    shape: View | None
    across: tuple[Tick, ...]
    upward: tuple[Tick, ...]
    rug: tuple[float, ...]
    levels: tuple[Level, ...]
    zero: float
    unsure: bool
    numbers: Numbers


def curves_view(
    items: Items, curves: Sequence[Curve], texts: Texts
) -> tuple[CurveView, ...]:
    """Show what the values of every attribute are worth, what counts most first.

    Parameters
    ----------
    items : Items
        The alternatives.
    curves : sequence of Curve
        In points.
    texts : Texts
        In the language of the person.
    """
    ends = [float(end) for c in curves for side in (c.low, c.high) for end in side]
    upward = Axis.around([0.0, *ends])
    attributes = {attribute.name: attribute for attribute in items.attributes}
    return tuple(
        _view(items, attributes[curve.attribute], curve, upward, texts)
        for curve in sorted(curves, key=lambda curve: -curve.share)
    )


def _view(
    items: Items, attribute: Attribute, curve: Curve, upward: Axis, texts: Texts
) -> CurveView:
    name = show_name(attribute.name)
    numeric = attribute.kind == "numeric"
    across = Axis(float(curve.grid[0]), float(curve.grid[-1])) if numeric else upward
    rows = tuple(_row(attribute, curve, k, texts) for k in range(len(curve.grid)))
    heads = ("result.value", "result.points", "result.range")
    return CurveView(
        name,
        show_name(attribute.unit_beside, 20),
        texts("curves.words", attribute=name, parts=_told(rows, texts)),
        curve_shape(across, upward, *_columns(curve)) if numeric else None,
        across_ticks(attribute, across, texts),
        tuple(
            Tick(round(100 - upward.place(value), 2), tick_label(value, texts))
            for value in upward.ticks(_TICKS)
        ),
        _rug(items, attribute, across) if numeric else (),
        () if numeric else _levels(curve, upward),
        round(100 - upward.place(0.0), 2),
        bool(((curve.low <= 0) & (curve.high >= 0)).all()),
        Numbers(tuple(map(texts, heads)), rows),
    )


def across_ticks(attribute: Attribute, axis: Axis, texts: Texts) -> tuple[Tick, ...]:
    """Label round values of an attribute; levels have labels of their own."""
    if attribute.kind != "numeric":
        return ()
    values = axis.dates(_TICKS) if attribute.unit == DATE else axis.ticks(_TICKS)
    labels = zip(values, texts.ticks(attribute, values), strict=True)
    return tuple(Tick(axis.place(value), label) for value, label in labels)


def tick_label(value: float, texts: Texts) -> str:
    """Write a tick of points with its sign; steps need not be whole."""
    return f"+{texts.number(value)}" if value > 0 else texts.number(value)


def _columns(curve: Curve) -> list[list[float]]:
    columns = (curve.grid, curve.points, curve.low, curve.high)
    return [[float(value) for value in column] for column in columns]


def _row(attribute: Attribute, curve: Curve, k: int, texts: Texts) -> NumberRow:
    value = grid_value(attribute, curve.grid, k, texts)
    low, high = texts.signed(curve.low[k]), texts.signed(curve.high[k])
    span = texts("numbers.range", low=low, high=high)
    return NumberRow(value, (texts.signed(curve.points[k]), span))


def _told(rows: Sequence[NumberRow], texts: Texts) -> str:
    """Say the first, the middle and the last value of a curve, or all levels."""
    few = rows if len(rows) <= 6 else (rows[0], rows[len(rows) // 2], rows[-1])
    return "; ".join(
        texts("curves.part", value=row.name, points=row.cells[0], range=row.cells[1])
        for row in few
    )


def _levels(curve: Curve, upward: Axis) -> tuple[Level, ...]:
    n = len(curve.grid)
    ends = zip(curve.grid, curve.points, curve.low, curve.high, strict=True)

    def down(end: float) -> float:
        return round(100 - upward.place(float(end)), 2)

    return tuple(
        Level(
            show_name(str(level), max(3, _LETTERS // n)),
            round(100 * (k + 0.5) / n, 2),
            down(worth),
            down(low),
            down(high),
            bool(low <= 0 <= high),
        )
        for k, (level, worth, low, high) in enumerate(ends)
    )


def _rug(items: Items, attribute: Attribute, axis: Axis) -> tuple[float, ...]:
    values = np.unique(items.frame[attribute.name].dropna().to_numpy(dtype=float))
    return tuple(dict.fromkeys(axis.place(float(value)) for value in values))


def together_words(interactions: Sequence[Interaction], texts: Texts) -> list[str]:
    """Say which attributes count together; empty where none may be told.

    Parameters
    ----------
    interactions : sequence of Interaction
        Pairs that may be told, the strongest first.
    texts : Texts
        In the language of the person.
    """
    return [_sentence(each, texts) for each in interactions[:_SENTENCES]]


def _sentence(pair: Interaction, texts: Texts) -> str:
    key = "together.sentence_better" if pair.strength > 0 else "together.sentence_worse"
    words = texts(
        key,
        a=show_name(pair.first, _LONGEST_NAME),
        b=show_name(pair.second, _LONGEST_NAME),
        points=texts.points(abs(pair.strength)),
        share=texts.share(pair.sure),
    )
    return texts.sentence(words)


def counts_view(
    curves: Sequence[Curve], texts: Texts, answered: Sequence[AnsweredQuestion] = ()
) -> tuple[View, ...]:
    """Show how much every attribute counts for a person, the most first.

    Parameters
    ----------
    curves : sequence of Curve
        With their shares and the ranges of these.
    texts : Texts
        In the language of the person.
    answered : sequence of AnsweredQuestion
        Answers that may name a main reason.
    """
    named = Counter(told.because for told in answered)
    axis = Axis(0.0, max((curve.share_high for curve in curves), default=1.0) or 1.0)
    ordered = sorted(curves, key=lambda curve: -curve.share)
    return tuple(
        count_row(
            curve.attribute,
            (curve.share, curve.share_low, curve.share_high),
            axis,
            "counts.tip",
            texts,
            unsure=curve.share_low < LEAST_SHARE,
            named=named[curve.attribute],
        )
        for curve in ordered
    )


def count_row(
    name: str,
    shares: tuple[float, float, float],
    axis: Axis,
    key: str,
    texts: Texts,
    *,
    unsure: bool = False,
    named: int = 0,
) -> View:
    """Draw a share with the ends of its range; `key` says what the range is."""
    label = show_name(name, _LONGEST_LABEL)
    share, low, high = map(texts.share, shares)
    words = texts(key, attribute=label, share=share, low=low, high=high)
    if unsure:
        words = f"{words}, {texts('numbers.not_sure')}"
    width, left, right = map(axis.place, shares)
    shown = texts("numbers.not_sure") if unsure else share
    return View(
        label=label,
        named=texts.count("result.named", named) if named else "",
        share=shown,
        words=words,
        width=width,
        low=left,
        high=right,
        unsure=unsure,
    )
