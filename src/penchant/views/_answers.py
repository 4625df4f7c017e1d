"""The answers of a person, what each does for the result, and how they fit together."""

from collections.abc import Sequence
from types import SimpleNamespace as View

from penchant.data import Items
from penchant.explanation import AnswerSupport
from penchant.studies import FORMS, AnsweredQuestion, Contradiction
from penchant.texts import Texts
from penchant.views._display import show_name

_DOUBTS = 8
_LEAST_POINTS = 0.5


def answers_view(
    items: Items,
    best: int,
    answered: Sequence[AnsweredQuestion],
    supports: Sequence[AnswerSupport],
    doubts: Sequence[Contradiction],
    unsettled: Sequence[int],
    texts: Texts,
) -> View:
    """Show what the person's own answers do for the best alternative.

    Parameters
    ----------
    items : Items
        The alternatives.
    best : int
        The one that is recommended.
    answered : sequence of AnsweredQuestion
        The answers in their order.
    supports : sequence of AnswerSupport
        What each answer does for it, in points.
    doubts : sequence of Contradiction
        Answers that cannot all be right.
    unsettled : sequence of int
        Alternatives that were both rejected and preferred to another.
    texts : Texts
        In the language of the person.
    """
    effects = {each.position: each for each in supports}
    rows = [
        _row(items, best, k, told, effects.get(k), texts)
        for k, told in enumerate(answered)
    ]
    key = "decided.hint" if rows else "decided.none"
    return View(
        hint=texts(key, name=show_name(items.names[best])),
        rows=tuple(reversed(rows)),
        consistency=texts(
            "consistency.some" if doubts or unsettled else "consistency.none"
        ),
        doubtful=(
            *(_doubt(items, each, texts) for each in doubts[:_DOUBTS]),
            *(
                texts("consistency.rejected", name=show_name(items.names[item]))
                for item in unsettled[:_DOUBTS]
            ),
        ),
    )


def _row(
    items: Items,
    best: int,
    position: int,
    told: AnsweredQuestion,
    support: AnswerSupport | None,
    texts: Texts,
) -> View:
    points, note = "", ""
    if support is not None and abs(support.effect) >= _LEAST_POINTS:
        points = texts.signed(support.effect)
        if support.item != best:
            note = texts("decided.first", name=show_name(items.names[support.item]))
    number = texts.number(position + 1)
    return View(
        number=number, words=answer_words(items, told, texts), points=points, note=note
    )


def answer_words(items: Items, told: AnsweredQuestion, texts: Texts) -> str:
    """Say in words what a person answered."""
    if told.skipped:
        return texts("decided.skipped")
    names = {item: show_name(items.names[item], 40) for item in told.items}
    words = FORMS[told.form].words(told, names, texts)
    if told.because is None:
        return words
    reason = show_name(told.because, 40)
    return texts("decided.because", answer=words, attribute=reason)


def _doubt(items: Items, each: Contradiction, texts: Texts) -> str:
    """Say which answers contradict each other."""
    words = [answer_words(items, told, texts) for told in each.answers]
    return f"{texts.sentence(texts.listed(words))}."
