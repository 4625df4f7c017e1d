"""All candidates in one picture: how good, and how much there is to read."""

from dataclasses import dataclass, replace
from types import SimpleNamespace as View
from typing import Final

from penchant.jobs import KeptModel
from penchant.learning import CandidateResult, ModelComparison
from penchant.texts import Texts
from penchant.views._charts import Axis, Tick
from penchant.views._display import Fact, show_name
from penchant.views.learned._words import (
    SUMS,
    hundred,
    left_out,
    name_of,
    note_words,
    number,
    range_words,
    score_range,
    signed,
    size_of,
)

_STRIP: Final = 73.0
"""Where the readable ones end, in per cent across; the others stand in a strip."""
_TOP, _HEIGHT = 14.0, 250.0
_LINE: Final = 17.0
"""Pixels from one name to the next, so that they do not touch."""
_FIRST: Final = 3
_LETTERS: Final = 20
"""Of a longer name in the picture the first word stands there."""


@dataclass(frozen=True)
class Point:
    """A candidate in the picture: per cent across, pixels from the top.

    `label` is where its name stands: pixels aside, pixels from the top, and anchor.
    """

    name: str
    x: float
    y: float
    low: float
    high: float
    readable: bool
    chosen: bool
    label: tuple[float, float, str]


def page_of(name: str) -> str:
    """Give the page on which a candidate is read; empty: there is none."""
    if name in SUMS:
        return f"curves?model={name}"
    return {"choquet": "importance", "rules": "rules"}.get(name, "")


def overview(kept: KeptModel, texts: Texts) -> View:
    """Show how all candidates did, and which one is shown first."""
    told = kept.comparison
    shown = told[kept.shown]
    best = max(told.done, key=lambda each: each.score)
    recommended = told.recommended.name
    lead = texts("models.over.lead")
    if shown.name != recommended:
        lead = texts("models.over.lead_chosen", name=name_of(recommended, texts))
    behind = round(100 * best.score) - round(100 * shown.score)
    sure = texts("models.over.is_best")
    if behind > 0:
        sure = texts("models.over.behind", n=texts.number(behind))
    measure = texts(f"models.measure.{told.kind}")
    facts = (
        Fact(texts("models.over.read"), size_of(shown, texts)),
        Fact(measure, texts("models.of", n=hundred(shown.score, texts))),
        Fact(texts("models.range"), range_words(shown, texts)),
        Fact(
            texts("models.over.best"), texts("models.of", n=hundred(best.score, texts))
        ),
    )
    difference = shown.minus(told.best)
    hints = [texts(f"models.hint.{told.kind}")]
    if shown is not told.best:
        error = number(difference.error, texts, 2)
        mean = signed(float(f"{difference.mean:.2g}"), texts)
        hints.append(texts("models.over.difference", mean=mean, error=error))
    return View(
        lead=lead,
        title=name_of(shown.name, texts),
        facts=facts,
        sure=sure,
        hints=tuple(hints),
        page=page_of(shown.name),
        count=texts.count("models.over.compared", len(told.done)),
        picture=candidates_picture(told, shown, texts),
        rows=tuple(
            _row(kept, each, texts)
            for each in sorted(told.done, key=lambda each: -each.score)
        ),
        measure=measure,
        left=left_out(told, texts),
        same=_same(kept, texts),
        notes=_notes(kept, texts),
    )


def _words(result: CandidateResult, texts: Texts) -> str:
    return texts(
        "models.over.words",
        name=name_of(result.name, texts),
        score=hundred(result.score, texts),
        range=range_words(result, texts),
        parts=size_of(result, texts),
    )


def _row(kept: KeptModel, result: CandidateResult, texts: Texts) -> View:
    seconds = result.seconds
    time = texts("models.over.under")
    if seconds >= 1:
        time = texts("models.over.seconds", n=texts.number(round(seconds)))
    there = result.name in kept.names
    return View(
        key=result.name,
        name=name_of(result.name, texts),
        page=page_of(result.name) if there else "",
        parts=size_of(result, texts),
        score=hundred(result.score, texts),
        range=range_words(result, texts),
        time=time,
        chosen=result.name == kept.shown,
        can_choose=there and result.name != kept.shown,
    )


def candidates_picture(
    told: ModelComparison, shown: CandidateResult, texts: Texts
) -> View:
    """Place all candidates by how good they are, and how much there is to read."""
    results = told.done
    best = max(results, key=lambda each: each.score)
    ends = [100 * end for each in results for end in score_range(each)]
    up = Axis.around(ends)
    most = max([each.size or 0 for each in results if each.readable] or [0])
    across = Axis(0.0, max(float(most), 4.0) * 1.15)

    def x(size: float) -> float:
        return round(8.0 + across.place(size) * (_STRIP - 12.0) / 100, 2)

    def y(score: float) -> float:
        return round(_TOP + _HEIGHT * (1 - up.place(score) / 100), 1)

    hidden = [each for each in results if not each.readable]
    points = []
    for each in results:
        low, high = (y(100 * end) for end in score_range(each))
        at = x(each.size or 0) if each.readable else 0.0
        if not each.readable:
            at = _STRIP + (98.0 - _STRIP) * (hidden.index(each) + 0.5) / len(hidden)
        name = name_of(each.name, texts).partition(",")[0]
        points.append(
            Point(
                name if len(name) <= _LETTERS else name.split()[0],
                round(at, 2),
                y(100 * each.score),
                low,
                high,
                each.readable,
                each is shown,
                (0.0, 0.0, ""),
            )
        )
    ticks = tuple(Tick(y(value), texts.number(value)) for value in up.ticks())
    sizes = [value for value in across.ticks() if value == round(value)]
    top, bottom = (y(100 * end) for end in reversed(score_range(best)))
    return View(
        words=texts(
            "models.over.picture", parts="; ".join(_words(r, texts) for r in results)
        ),
        points=_with_labels(points),
        upward=ticks,
        across=tuple(Tick(x(value), texts.number(value)) for value in sizes),
        area=(top, round(bottom - top, 1)),
    )


def _with_labels(points: list[Point]) -> tuple[Point, ...]:
    """Put names beside their points, none on top of another."""
    placed: list[Point] = []
    for point in sorted(points, key=lambda point: point.y):
        aside, anchor = (-13.0, "end") if point.x > 50 else (13.0, "start")
        at = point.y + 4
        if not point.readable:
            aside, anchor, at = 0.0, "middle", min(point.low, point.high) - 8
        for other in placed:
            near = abs(other.x - point.x) < 60 and other.readable == point.readable
            if near and abs(other.label[1] - at) < _LINE:
                at = other.label[1] + (_LINE if point.readable else -_LINE)
        placed.append(replace(point, label=(aside, round(at, 1), anchor)))
    return tuple(placed)


def _same(kept: KeptModel, texts: Texts) -> tuple[str, ...]:
    """Say what counts most in each model of which that is known."""
    lines = []
    for name in kept.names:
        weights: dict[str, float] = {}
        for part in kept.parts(name):
            if part.kind == "interaction":
                continue
            for column in part.names:
                share = abs(part.size) / len(part.names)
                weights[column] = weights.get(column, 0.0) + share
        first = sorted(weights, key=lambda column: -weights[column])[:_FIRST]
        if first:
            listed = texts.listed([show_name(column, 30) for column in first])
            line = texts(
                "models.same.line", name=name_of(name, texts), attributes=listed
            )
            lines.append(line)
    return tuple(lines)


def _notes(kept: KeptModel, texts: Texts) -> tuple[str, ...]:
    told = kept.comparison
    key = "comparisons" if told.kind == "comparisons" else "rows"
    notes = [note for note in kept.about["notes"] if " answers." not in note]
    said = [note_words(note, texts) for note in notes]
    return (texts.count(f"models.data.{key}", told.n_rows), *said)
