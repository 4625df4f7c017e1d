"""Why this, and why this rather than that, as the pages show it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace as View

from penchant.data import Items
from penchant.elicitation import MainReason
from penchant.explanation import Change, Flip
from penchant.studies import ParticipantRecord, Parts, Study
from penchant.texts import Texts
from penchant.views._charts import (
    Axis,
    Bar,
    NumberRow,
    Numbers,
    Tick,
    waterfall,
)
from penchant.views._display import Fact, item_values, show_name
from penchant.views._result import reason_words

_LEAST_POINTS = 0.5
"""Less than this is no point, so it is not told."""
_LONGEST_LABEL = 40
_FLIPS = 3


@dataclass(frozen=True)
class _Part:
    """One attribute, or what is left over, before it is drawn.

    What is left over has no range, so it is never sure.
    """

    label: str
    value: str
    rival: str
    points: float
    low: float
    high: float

    def numbers(self, texts: Texts, *, both: bool = False) -> NumberRow:
        known = self.low < self.high or self.points == 0
        span = texts.span(self.low, self.high) if known else ""
        values = (self.value, self.rival) if both else (self.value,)
        return NumberRow(self.label, (*values, texts.signed(self.points), span))

    def step(self, bar: Bar, words: str, texts: Texts) -> View:
        points = texts.signed(self.points)
        if self.low == self.high and self.points:
            bar = replace(bar, unsure=True)
        if bar.unsure:
            points = texts("numbers.not_sure")
            words = f"{words}, {points}"
        return View(
            label=self.label,
            value=self.value,
            rival=self.rival,
            points=points,
            words=words,
            bar=bar,
        )

    def tip(self, key: str, texts: Texts, **more: str) -> str:
        return texts(
            key,
            attribute=self.label,
            value=self.value,
            points=texts.signed(self.points),
            low=texts.points(self.low),
            high=texts.points(self.high),
            **more,
        )


def why_view(
    items: Items, item: int, found: Parts, reason: MainReason, texts: Texts
) -> View:
    """Show what each attribute adds to an alternative.

    Parameters
    ----------
    items : Items
        The alternatives.
    item : int
        Which one.
    found : Parts
        What each adds over the average.
    reason : MainReason
        What speaks most for it.
    texts : Texts
        In the language of the person.
    """
    name = show_name(items.names[item])
    parts = _parts(items, item, None, found, texts)
    base, total = found.base, found.total
    axis, bars = waterfall(base, [(p.points, p.low, p.high) for p in parts])
    heads = ("result.attribute", "result.value", "why.adds", "result.range")
    return View(
        item=item,
        name=name,
        title=texts("why.title", name=name),
        hint=texts("why.hint", base=texts.points(base), points=texts.points(total)),
        words=reason_words(items, item, reason, texts),
        base=texts.points(base),
        points=texts.points(total),
        begin=axis.place(base),
        end=axis.place(total),
        steps=tuple(
            part.step(bar, part.tip("why.tip", texts), texts)
            for part, bar in zip(parts, bars, strict=True)
        ),
        ticks=_ticks(axis, texts),
        numbers=Numbers(
            tuple(map(texts, heads)), tuple(p.numbers(texts) for p in parts)
        ),
    )


def _parts(
    items: Items, item: int, rival: int | None, found: Parts, texts: Texts
) -> list[_Part]:
    """Give what each attribute and the rest add, the largest first, the rest last."""
    places = {attribute.name: k for k, attribute in enumerate(items.attributes)}
    values = item_values(items, item, texts)
    others = [""] * len(values) if rival is None else item_values(items, rival, texts)
    ends = zip(found.names, found.points, found.low, found.high, strict=True)
    parts = [
        _Part(
            show_name(name, _LONGEST_LABEL),
            show_name(values[places[name]], _LONGEST_LABEL),
            show_name(others[places[name]], _LONGEST_LABEL),
            *map(float, numbers),
        )
        for name, *numbers in ends
    ]
    parts.sort(key=lambda part: -abs(part.points))
    if abs(found.rest) >= _LEAST_POINTS:
        rest = texts("result.rest")
        parts.append(_Part(rest, "", "", found.rest, found.rest, found.rest))
    return parts


def _ticks(axis: Axis, texts: Texts) -> tuple[Tick, ...]:
    return tuple(Tick(axis.place(value), texts.points(value)) for value in axis.ticks())


def _asked(
    study: Study, person: str | ParticipantRecord, pair: set[int], texts: Texts
) -> str:
    """Say which of two a person chose when they were last asked; empty: neither."""
    chosen = [
        told.choice[0]
        for told in study.participation(person).answered
        if told.choice is not None and set(told.choice) == pair
    ]
    if not chosen:
        return ""
    return texts("compare.asked", name=show_name(study.items.names[chosen[-1]])) + " "


def compare_items(
    study: Study,
    person: str | ParticipantRecord,
    a: int,
    b: int,
    texts: Texts,
    *,
    changes: bool,
) -> View:
    """Tell why one alternative is better than another.

    Parameters
    ----------
    study : Study
    person : str or ParticipantRecord
        The participant.
    a, b : int
        Two alternatives.
    texts : Texts
        In the language of the reader.
    changes : bool
        Whether to look for what would change the choice, which takes a second.
    """
    items = study.items
    if a == b:
        return _same(items, a, texts)
    shown = study.contrast(person, a, b)
    turned = shown.total < shown.base
    found = study.contrast(person, b, a) if turned else shown
    better, worse = (b, a) if turned else (a, b)
    flip = study.flip(person, worse, better) if changes else None
    words = {"a": show_name(items.names[better]), "b": show_name(items.names[worse])}
    names = [show_name(items.names[item]) for item in (a, b)]
    every = _parts(items, a, b, shown, texts)
    parts = [part for part in every if part.value != part.rival or not part.value]
    axis = Axis.both_sides(end for part in parts for end in (part.low, part.high))
    points = texts.count("compare.points", round(found.total - found.base))
    share = texts.share(found.chance)
    return View(
        a=a,
        b=b,
        name_a=names[0],
        name_b=names[1],
        title=texts("compare.title", **words),
        sentence=_asked(study, person, {a, b}, texts)
        + texts("compare.ahead", a=words["a"], points=points, share=share),
        argument=_argument(found, words, texts),
        flips=_flips(items, flip, words, texts),
        steps=tuple(_side(part, axis, names[0], texts) for part in parts),
        zero=axis.place(0.0),
        same=tuple(Fact(part.label, part.value) for part in every if part not in parts),
        numbers=_both_numbers(every, names, texts),
    )


def _same(items: Items, item: int, texts: Texts) -> View:
    """Say that an alternative cannot be compared with itself."""
    name = show_name(items.names[item])
    title, sentence = texts("compare.title_same"), texts("compare.same")
    numbers = Numbers((), ())
    return View(
        a=item,
        b=item,
        name_a=name,
        name_b=name,
        title=title,
        sentence=sentence,
        argument="",
        flips=(),
        steps=(),
        zero=50.0,
        same=(),
        numbers=numbers,
    )


def _both_numbers(
    parts: Sequence[_Part], names: Sequence[str], texts: Texts
) -> Numbers:
    for_first = texts("compare.for_a", name=names[0])
    heads = (texts("result.attribute"), *names, for_first, texts("result.range"))
    return Numbers(heads, tuple(part.numbers(texts, both=True) for part in parts))


def _side(part: _Part, axis: Axis, name: str, texts: Texts) -> View:
    """Draw what speaks for the first alternative to the left."""
    bar = Bar.placed(axis, 0.0, -part.points, -part.high, -part.low)
    side = "pro" if part.points >= 0 else "con"
    words = part.tip("compare.tip", texts, name=name)
    return part.step(replace(bar, side=side), words, texts)


def _argument(found: Parts, names: dict[str, str], texts: Texts) -> str:
    """Say which few reasons are enough, where that is known."""
    if not (found.points < 0).any():
        return texts("compare.nothing_against", **names)
    decisive = [show_name(name, _LONGEST_LABEL) for name in found.decisive]
    if not decisive:
        return texts("compare.no_argument", **names)
    key = "compare.enough_one" if len(decisive) == 1 else "compare.enough_more"
    return texts.sentence(texts(key, parts=texts.listed(decisive), **names))


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
        value=show_name(texts.value(attribute, change.shown), _LONGEST_LABEL),
        now=show_name(texts.value(attribute, change.before), _LONGEST_LABEL),
    )
