"""Turning an open question into what its page shows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from penchant.data import DATE, Attribute, Items
from penchant.studies import FORMS, AnsweredQuestion, OpenQuestion, Progress
from penchant.texts import Texts
from penchant.views._display import show_name
from penchant.views._extras import ExtrasView, Shelf, extras_view


@dataclass(frozen=True)
class Line:
    """One attribute of an alternative.

    Parameters
    ----------
    label, value : str
        As people read them.
    differs : bool
        Whether the alternatives of the question differ in it.
    difference : str
        By how much, in words; empty where words would not add to the value.
    """

    label: str
    value: str
    differs: bool
    difference: str = ""


@dataclass(frozen=True)
class Card:
    """One alternative of a question.

    Parameters
    ----------
    letter, name : str
        As people read them.
    item : int
        Its position in the table.
    lines : tuple of Line
        All attributes, in the order of the table.
    extras : ExtrasView
        What is shown beside them.
    """

    letter: str
    item: int
    name: str
    lines: tuple[Line, ...]
    extras: ExtrasView


@dataclass(frozen=True)
class Reason:
    """An attribute that the last choice can have been for.

    Parameters
    ----------
    attribute : int
        Its position.
    label, key : str
        As people read it, and the key that names it; empty: none.
    chosen : bool
        Whether the person named it.
    """

    attribute: int
    label: str
    key: str
    chosen: bool


@dataclass(frozen=True)
class BecauseView:
    """What was chosen last, and what it can have been for.

    Parameters
    ----------
    question : str
        Which question.
    sentence : str
        What was chosen, as the beginning of a sentence that a reason ends.
    reasons : tuple of Reason
        In the order of the table.
    """

    question: str
    sentence: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class QuestionView:
    """A question as its page shows it.

    Parameters
    ----------
    id, form : str
        As the server issued it.
    title, number, sentence : str
        The question, and the two parts of the progress in words.
    certainty : int
        Share of certainty in percent, for the bar.
    cards : tuple of Card
        The alternatives, in the order of the question.
    same : tuple of Line
        In what the alternatives do not differ; empty if there is only one.
    can_undo, can_finish : bool
        Which other things the person may do.
    notice : str
        What was wrong with the last answer, if anything.
    given : dict
        What the person chose before, by field, to show it again.
    because : BecauseView or None
        What the person may say of the last choice.
    """

    id: str
    form: str
    title: str
    number: str
    sentence: str
    certainty: int
    cards: tuple[Card, ...]
    same: tuple[Line, ...]
    can_undo: bool
    notice: str = ""
    given: dict[str, str] = field(default_factory=dict)
    because: BecauseView | None = None


def because_view(
    items: Items,
    told: AnsweredQuestion,
    offered: Sequence[str],
    texts: Texts,
    keys: str = "qwertz",
) -> BecauseView | None:
    """Show what a choice can have been for.

    Parameters
    ----------
    items : Items
        The alternatives of the study.
    told : AnsweredQuestion
        The last answer.
    offered : sequence of str
        The attributes, see `Study.reasons_for`.
    texts : Texts
        In the language of the person.
    keys : str
        What names the first of them with one key.
    """
    if told.choice is None or not offered:
        return None
    name = show_name(items.names[told.choice[0]])
    known = [attribute.name for attribute in items.attributes]
    reasons = tuple(
        Reason(
            known.index(each),
            show_name(each),
            keys[place : place + 1],
            each == told.because,
        )
        for place, each in enumerate(offered)
    )
    return BecauseView(told.question, texts("question.because", name=name), reasons)


def question_view(
    items: Items,
    question: OpenQuestion,
    progress: Progress,
    texts: Texts,
    *,
    notice: str = "",
    given: dict[str, str] | None = None,
    because: BecauseView | None = None,
    shelf: Shelf | None = None,
) -> QuestionView:
    """Show a question.

    Parameters
    ----------
    items : Items
        The alternatives of the study.
    question : OpenQuestion
        What is asked.
    progress : Progress
        How far the person is.
    texts : Texts
        In the language of the person.
    notice : str
        What was wrong with the last answer, if anything.
    given : dict, optional
        What the person chose before, by field.
    because : BecauseView, optional
        What the person may say of the last choice.
    shelf : Shelf, optional
        Pictures of the alternatives.
    """
    cards = question_cards(items, question.items, texts, shelf)
    sure = progress.certainty if progress.is_known else 0.0
    sentence = [texts("question.early")]
    if progress.is_known:
        sentence = [texts("question.sure", share=texts.share(sure))]
    if question.repeat:
        sentence.append(texts("question.repeat"))
    return QuestionView(
        question.id,
        question.form,
        texts(FORMS[question.form].title),
        texts("question.number", number=texts.number(question.number)),
        " ".join(sentence),
        round(100 * sure),
        cards,
        same_lines(cards),
        progress.can_undo,
        notice,
        given or {},
        because,
    )


def question_cards(
    items: Items, shown: Sequence[int], texts: Texts, shelf: Shelf | None = None
) -> tuple[Card, ...]:
    """Show alternatives side by side."""
    values = [texts.values(items, item) for item in shown]
    differs = [len(set(column)) > 1 for column in zip(*values, strict=True)]
    return tuple(
        Card(
            ascii_uppercase[place],
            item,
            show_name(items.names[item]),
            tuple(
                Line(
                    show_name(attribute.name),
                    values[place][k],
                    differs[k],
                    _difference(items, attribute, item, shown[1 - place], texts)
                    if len(shown) == 2 and differs[k]
                    else "",
                )
                for k, attribute in enumerate(items.attributes)
            ),
            extras_view(items, item, shelf) if items.extras else ExtrasView(),
        )
        for place, item in enumerate(shown)
    )


def same_lines(cards: Sequence[Card]) -> tuple[Line, ...]:
    """Give that in which several alternatives do not differ."""
    if len(cards) < 2:
        return ()
    return tuple(line for line in cards[0].lines if not line.differs)


def _difference(
    items: Items, attribute: Attribute, item: int, rival: int, texts: Texts
) -> str:
    """Say how one of two alternatives differs from the other in numbers."""
    values = items.columns[attribute.name]
    own, other = values[item], values[rival]
    if attribute.kind != "numeric" or own != own or other != other:
        return ""
    more = own > other
    if attribute.unit == DATE:
        span = texts.span_of_days(max(1, round(abs(own - other))))
        return texts("question.later" if more else "question.earlier", span=span)
    amount = texts.value(attribute, abs(own - other))
    if attribute.unit == "%":  # 17 % is not 1 % more than 16 %
        by = abs(own - other)
        n, shown = 1 if by == 1 else 2, texts.number(by)
        amount = texts.count("question.percent_points", n, amount=shown)
    return texts("question.more" if more else "question.less", amount=amount)
