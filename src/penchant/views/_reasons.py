"""Why this, and why this rather than that, as the pages show it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from penchant.data import Items
from penchant.explanation import Attribution, Change, Flip, Reason, Reasons
from penchant.texts import Texts
from penchant.views._charts import (
    HALF_RANGE,
    Axis,
    Bar,
    NumberRow,
    Numbers,
    Tick,
    waterfall,
)
from penchant.views._display import item_values, show_name

__all__ = [
    "CompareView",
    "Step",
    "WhyView",
    "compare_view",
    "same_view",
    "why_view",
]

_TOLD = 3
"""So many attributes are named in the sentence."""
_LEAST_POINTS = 0.5
"""Less than this is no point, so it is not told."""
_LONGEST_LABEL = 40
_FLIPS = 3
_SURE = 0.8
"""Reasons whose sign is less certain are told with doubt."""


@dataclass(frozen=True)
class Step:
    """What one attribute adds.

    Parameters
    ----------
    label, value : str
        The attribute and its value.
    rival : str
        Its value in the other alternative, if there is one.
    points, words : str
        The number, and all about it in words.
    bar : Bar
        Where it is.
    """

    label: str
    value: str
    rival: str
    points: str
    words: str
    bar: Bar


@dataclass(frozen=True)
class WhyView:
    """From an average alternative to this one."""

    item: int
    name: str
    title: str
    hint: str
    words: str
    base: str
    points: str
    begin: float
    end: float
    steps: tuple[Step, ...]
    ticks: tuple[Tick, ...]
    numbers: Numbers


@dataclass(frozen=True)
class _Part:
    """One attribute, or what is left over, before it is drawn."""

    label: str
    value: str
    rival: str
    points: float
    half: float

    def numbers(self, texts: Texts, *, both: bool = False) -> NumberRow:
        span = texts.span(self.points - self.half, self.points + self.half)
        values = (self.value, self.rival) if both else (self.value,)
        return NumberRow(self.label, (*values, texts.signed(self.points), span))

    def step(self, bar: Bar, words: str, texts: Texts) -> Step:
        points = texts.signed(self.points)
        return Step(self.label, self.value, self.rival, points, words, bar)

    def tip(self, key: str, texts: Texts, **more: str) -> str:
        return texts(
            key,
            attribute=self.label,
            value=self.value,
            points=texts.signed(self.points),
            low=texts.points(self.points - self.half),
            high=texts.points(self.points + self.half),
            **more,
        )


def why_view(
    items: Items, item: int, attribution: Attribution, texts: Texts
) -> WhyView:
    """Show what each attribute adds to an alternative.

    Parameters
    ----------
    items : Items
        The alternatives.
    item : int
        Which one.
    attribution : Attribution
        Of one row, in points.
    texts : Texts
        In the language of the person.
    """
    name = show_name(items.names[item])
    parts = _parts(items, item, None, attribution, texts)
    base, total = float(attribution.base[0]), float(attribution.predictions[0])
    axis, bars = waterfall(
        base, [part.points for part in parts], [part.half for part in parts]
    )
    heads = ("result.attribute", "result.value", "why.adds", "result.range")
    return WhyView(
        item,
        name,
        texts("why.title", name=name),
        texts("why.hint", base=texts.points(base), points=texts.points(total)),
        _why_words(parts, texts),
        texts.points(base),
        texts.points(total),
        axis.place(base),
        axis.place(total),
        tuple(
            part.step(bar, part.tip("why.tip", texts), texts)
            for part, bar in zip(parts, bars, strict=True)
        ),
        _ticks(axis, texts),
        Numbers(tuple(map(texts, heads)), tuple(p.numbers(texts) for p in parts)),
    )


def _parts(
    items: Items,
    item: int,
    rival: int | None,
    attribution: Attribution,
    texts: Texts,
) -> list[_Part]:
    """Give what each attribute and the rest add, the largest first, the rest last."""
    values = item_values(items, item, texts)
    others = [""] * len(values) if rival is None else item_values(items, rival, texts)
    std = attribution.std
    halves = np.zeros(len(values)) if std is None else HALF_RANGE * std[0]
    parts = [
        _Part(
            show_name(attribution.names[k], _LONGEST_LABEL),
            show_name(values[k], _LONGEST_LABEL),
            show_name(others[k], _LONGEST_LABEL),
            float(attribution.values[0, k]),
            float(halves[k]),
        )
        for k in range(len(values))
    ]
    parts.sort(key=lambda part: -abs(part.points))
    rest = float(attribution.gap[0])
    if abs(rest) >= _LEAST_POINTS:
        parts.append(_Part(texts("result.rest"), "", "", rest, 0.0))
    return parts


def _ticks(axis: Axis, texts: Texts) -> tuple[Tick, ...]:
    return tuple(Tick(axis.place(value), texts.points(value)) for value in axis.ticks())


def _why_words(parts: Sequence[_Part], texts: Texts) -> str:
    told = [part for part in parts if abs(part.points) >= _LEAST_POINTS and part.value]
    if not told:
        return texts("why.words_none")
    words = [
        texts(
            "why.part",
            attribute=part.label,
            value=part.value,
            points=texts.signed(part.points),
        )
        for part in told[:_TOLD]
    ]
    return texts("why.words", parts=texts.listed(words))


@dataclass(frozen=True)
class CompareView:
    """What speaks for one alternative and what for another.

    Parameters
    ----------
    a, b : int
        The two alternatives, as chosen.
    name_a, name_b : str
        Their names.
    title, sentence, argument : str
        In words: which is better, by how much, and why.
    flips : tuple of str
        What would change the choice.
    steps : tuple of Step
        What speaks for the first to the left, for the other to the right.
    zero : float
        Where neither is.
    numbers : Numbers
        All in numbers.
    """

    a: int
    b: int
    name_a: str
    name_b: str
    title: str
    sentence: str
    argument: str
    flips: tuple[str, ...]
    steps: tuple[Step, ...]
    zero: float
    numbers: Numbers


def compare_view(
    items: Items,
    pair: tuple[int, int],
    contrast: Attribution,
    reasons: Reasons,
    flip: Flip | None,
    chance: float,
    texts: Texts,
) -> CompareView:
    """Show why an alternative is better than another.

    Parameters
    ----------
    items : Items
        The alternatives.
    pair : (int, int)
        The first and the second.
    contrast : Attribution
        Of the first against the second: one row, in points.
    reasons : Reasons
        Of the better one against the other.
    flip : Flip or None
        What would make the other the better one; None: it is not told.
    chance : float
        Probability that the person prefers the better one.
    texts : Texts
        In the language of the person.
    """
    names = [show_name(items.names[item]) for item in pair]
    ahead = float(contrast.predictions[0] - contrast.base[0])
    better, worse = names if ahead >= 0 else names[::-1]
    words = {"a": better, "b": worse}
    parts = _parts(items, *pair, contrast, texts)
    axis = Axis.both_sides(abs(part.points) + part.half for part in parts)
    points = texts.count("compare.points", round(abs(ahead)))
    share = texts.share(chance)
    return CompareView(
        *pair,
        names[0],
        names[1],
        texts("compare.title", **words),
        texts("compare.ahead", a=better, points=points, share=share),
        _argument(reasons, words, texts),
        _flips(items, flip, words, texts),
        tuple(_side(part, axis, names[0], texts) for part in parts),
        axis.place(0.0),
        _both_numbers(parts, names, texts),
    )


def same_view(items: Items, item: int, texts: Texts) -> CompareView:
    """Say that an alternative cannot be compared with itself."""
    name = show_name(items.names[item])
    title, sentence = texts("compare.title_same"), texts("compare.same")
    numbers = Numbers((), ())
    return CompareView(
        item, item, name, name, title, sentence, "", (), (), 50.0, numbers
    )


def _both_numbers(
    parts: Sequence[_Part], names: Sequence[str], texts: Texts
) -> Numbers:
    for_first = texts("compare.for_a", name=names[0])
    heads = (texts("result.attribute"), *names, for_first, texts("result.range"))
    return Numbers(heads, tuple(part.numbers(texts, both=True) for part in parts))


def _side(part: _Part, axis: Axis, name: str, texts: Texts) -> Step:
    """Draw what speaks for the first alternative to the left."""
    bar = Bar.placed(axis, 0.0, -part.points, part.half)
    side = "pro" if part.points >= 0 else "con"
    words = part.tip("compare.tip", texts, name=name)
    return part.step(replace(bar, side=side), words, texts)


def _argument(reasons: Reasons, names: dict[str, str], texts: Texts) -> str:
    """Say which few reasons are enough."""
    if not reasons.cons:
        return texts("compare.nothing_against", **names)
    decisive = [_decisive(reason, texts) for reason in reasons.decisive]
    if not decisive:
        return texts("compare.no_argument", **names)
    key = "compare.enough_one" if len(decisive) == 1 else "compare.enough_more"
    return texts.sentence(texts(key, parts=texts.listed(decisive), **names))


def _decisive(reason: Reason, texts: Texts) -> str:
    """Name an attribute, with doubt where its sign is not certain."""
    name = show_name(reason.attribute, _LONGEST_LABEL)
    sure = reason.certainty is None or reason.certainty >= _SURE
    return name if sure else texts("compare.perhaps", attribute=name)


def _flips(
    items: Items, flip: Flip | None, names: dict[str, str], texts: Texts
) -> tuple[str, ...]:
    """Say what would make the other alternative the better one."""
    if flip is None:
        return ()
    ways: list[tuple[Change, ...]] = [
        (change,) for change in flip.by_attribute[:_FLIPS]
    ]
    if not ways and flip.two is not None:
        ways = [flip.two]
    if not ways:
        return (texts("compare.flip_none", **names),)
    return tuple(
        texts(
            "compare.flip",
            changes=texts.listed([_change(items, change, texts) for change in way]),
            **names,
        )
        for way in ways
    )


def _change(items: Items, change: Change, texts: Texts) -> str:
    attribute = next(a for a in items.attributes if a.name == change.attribute)
    return texts(
        "compare.flip_numeric",
        attribute=show_name(attribute.name, _LONGEST_LABEL),
        value=texts.value(attribute, change.shown),
        now=texts.value(attribute, change.before),
    )
