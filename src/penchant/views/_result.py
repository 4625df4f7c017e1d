"""The answer in words at the top of the result, and the answers that it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass

from penchant.data import Items
from penchant.explanation import AnswerSupport
from penchant.studies import Contradiction, Participation, RankedItem
from penchant.texts import Texts
from penchant.views._charts import Axis, Bar, NumberRow, Numbers
from penchant.views._display import item_facts, show_name
from penchant.views._ranking import answer_words

__all__ = ["AnswersView", "BestView", "answers_view", "best_view"]

_ANSWERS = 8
_LEAST_POINTS = 0.5


@dataclass(frozen=True)
class BestView:
    """What suits the person best, in words.

    Parameters
    ----------
    name, facts, lead : str
        The alternative, its values, and what it is.
    chance, after : str
        How certain that is, after how many answers.
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
    state: str
    can_go_on: bool
    can_undo: bool


def best_view(
    items: Items, ranking: Sequence[RankedItem], now: Participation, texts: Texts
) -> BestView:
    """Show what suits a person best."""
    best = ranking[0]
    state = f"result.{now.finished}" if now.finished else "result.unfinished"
    known = state in texts.entries
    return BestView(
        show_name(best.name),
        item_facts(items, best.item, texts),
        texts("result.lead", alternatives=texts.number(len(items))),
        texts.share(best.probability_best),
        texts.count("result.chance_after", len(now.answered)),
        texts(state if known else "result.person"),
        now.finished != "exhausted",
        bool(now.answered),
    )


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
    return AnswerRow(label, points, words, Bar.placed(axis, 0.0, each.effect, 0.0))


def _doubt(items: Items, each: Contradiction, texts: Texts) -> str:
    """Say which answers go round in a circle."""
    words = [answer_words(items, told, texts) for told in each.answers]
    return f"{texts.sentence(texts.listed(words))}."


def answers_view(
    items: Items,
    best: int,
    supports: Sequence[AnswerSupport],
    doubts: Sequence[Contradiction],
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
        texts("consistency.some" if doubts else "consistency.none"),
        tuple(_doubt(items, each, texts) for each in doubts[:_ANSWERS]),
    )
