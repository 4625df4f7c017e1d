"""The answer in words at the top of the result, and the answers that it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass

from penchant.data import Items
from penchant.explanation import AnswerSupport
from penchant.studies import Contradiction, Curve, ParticipantRecord, RankedItem, Study
from penchant.texts import Texts
from penchant.views._charts import Axis, Bar, NumberRow, Numbers
from penchant.views._display import item_facts, show_name
from penchant.views._ranking import answer_words
from penchant.views._reasons import reason_words

__all__ = ["AnswersView", "BestView", "answers_view", "best_view"]

_ANSWERS = 8
_LEAST_POINTS = 0.5
_LEVELS = ((0.95, "almost"), (0.8, "likely"), (0.6, "probably"))
"""Words for a certainty of at least so much."""


@dataclass(frozen=True)
class BestView:
    """What suits the person best, in words.

    Parameters
    ----------
    name, facts, lead : str
        The alternative, its values, and what it is, with as much doubt as there is.
    chance, after : str
        How certain that is, after how many answers; empty before three.
    loss : str
        What there is to lose with it; empty before three answers.
    reason, counts : str
        What speaks most for it, and which attributes count for the person.
    state : str
        Whether the questions are at an end, and why.
    can_go_on, can_undo : bool
        What the person may do.
    """

    name: str
    facts: str
    lead: str
    chance: str
    after: str
    loss: str
    reason: str
    counts: str
    state: str
    can_go_on: bool
    can_undo: bool


def best_view(
    study: Study,
    person: str | ParticipantRecord,
    ranking: Sequence[RankedItem],
    texts: Texts,
) -> BestView:
    """Show what suits a person best.

    Parameters
    ----------
    study : Study
    person : str or ParticipantRecord
        The participant.
    ranking : sequence of RankedItem
        What `Study.ranking` gives for them.
    texts : Texts
        In the language of the person.
    """
    best, items, now = ranking[0], study.items, study.participation(person)
    progress = study.progress(person, now)
    state = f"result.{now.finished}" if now.finished else "result.unfinished"
    sure = progress.certainty if progress.is_known else None
    loss = texts.count("result.loss", max(1, round(progress.expected_points)))
    reason = study.main_reason(person, best.item)
    return BestView(
        show_name(best.name),
        item_facts(items, best.item, texts),
        texts(f"result.lead_{_level(sure)}", alternatives=texts.number(len(items))),
        "" if sure is None else texts.share(sure),
        "" if sure is None else texts.count("result.chance_after", len(now.answered)),
        "" if sure is None else loss,
        reason_words(items, best.item, reason, texts),
        _counts(study.curves(person), texts),
        texts(state if state in texts.entries else "result.person"),
        now.finished != "exhausted",
        bool(now.answered),
    )


def _level(certainty: float | None) -> str:
    """Give the words that fit a certainty; None: there are too few answers."""
    if certainty is None:
        return "early"
    return next((word for least, word in _LEVELS if certainty >= least), "open")


def _counts(curves: Sequence[Curve], texts: Texts) -> str:
    """List the attributes of which it may be said that they count."""
    counting = sorted((c for c in curves if c.counts), key=lambda c: -c.share)
    if not counting:
        return texts("result.counts_none") if curves else ""
    names = [show_name(curve.attribute) for curve in counting]
    return texts("result.counts", names=texts.listed(names))


@dataclass(frozen=True)
class AnswerRow:
    """One answer of the person and what it does for the best alternative."""

    label: str
    points: str
    words: str
    bar: Bar


@dataclass(frozen=True)
class AnswersView:
    """Which answers decided, and whether they fit together."""

    hint: str
    rows: tuple[AnswerRow, ...]
    zero: float
    numbers: Numbers
    consistency: str
    doubtful: tuple[str, ...]


def _answer_row(
    items: Items, best: int, each: AnswerSupport, axis: Axis, texts: Texts
) -> AnswerRow:
    label = answer_words(items, each.answer, texts)
    points = texts.signed(each.effect)
    words = texts("decided.tip", answer=label, points=points)
    if each.item != best:
        name = show_name(items.names[each.item])
        words = texts("decided.first", answer=label, points=points, name=name)
    bar = Bar.placed(axis, 0.0, each.effect, each.effect, each.effect)
    return AnswerRow(label, points, words, bar)


def _doubt(items: Items, each: Contradiction, texts: Texts) -> str:
    """Say which answers go round in a circle."""
    words = [answer_words(items, told, texts) for told in each.answers]
    return f"{texts.sentence(texts.listed(words))}."


def answers_view(
    items: Items,
    best: int,
    supports: Sequence[AnswerSupport],
    doubts: Sequence[Contradiction],
    unsettled: Sequence[int],
    texts: Texts,
) -> AnswersView:
    """Show what the person's own answers do for the best alternative.

    Parameters
    ----------
    items : Items
        The alternatives.
    best : int
        The one that is recommended.
    supports : sequence of AnswerSupport
        What each answer does for it, in points.
    doubts : sequence of Contradiction
        Answers that cannot all be right.
    unsettled : sequence of int
        Alternatives that were both rejected and preferred to another.
    texts : Texts
        In the language of the person.
    """
    told = [each for each in supports if abs(each.effect) >= _LEAST_POINTS]
    told = sorted(told, key=lambda each: -abs(each.effect))[:_ANSWERS]
    axis = Axis.both_sides(each.effect for each in told)
    rows = tuple(_answer_row(items, best, each, axis, texts) for each in told)
    hint = texts("decided.hint", name=show_name(items.names[best]))
    if not rows:
        hint = texts("decided.together" if supports else "decided.none")
    heads = (texts("decided.answer"), texts("result.points"))
    return AnswersView(
        hint,
        rows,
        axis.place(0.0),
        Numbers(heads, tuple(NumberRow(row.label, (row.points,)) for row in rows)),
        texts("consistency.some" if doubts or unsettled else "consistency.none"),
        (
            *(_doubt(items, each, texts) for each in doubts[:_ANSWERS]),
            *(
                texts("consistency.rejected", name=show_name(items.names[item]))
                for item in unsettled[:_ANSWERS]
            ),
        ),
    )
