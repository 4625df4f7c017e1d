"""Turning an open question into what its page shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from penchant.data import Attribute, Items
from penchant.studies import FORMS, AnsweredQuestion, OpenQuestion, Progress
from penchant.texts import Texts
from penchant.views._display import Fact, item_values, show_name

__all__ = [
    "BecauseView",
    "Card",
    "Line",
    "QuestionView",
    "because_view",
    "question_view",
]


@dataclass(frozen=True)
class Line:
    """One attribute of an alternative.

    Parameters
    ----------
    label, value : str
        As people read them.
    difference : str
        By how much, in words; empty where words would not add to the value.
    """

    label: str
    value: str
    difference: str = ""


@dataclass(frozen=True)
class Card:
    """One alternative of a question."""

    letter: str
    item: int
    name: str
    lines: tuple[Line, ...]


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
    same : tuple of Fact
        What all of them have alike; it is not on the cards.
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
    same: tuple[Fact, ...]
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
    reasons = tuple(_reasons(items, told, offered, keys))
    return BecauseView(told.question, texts("question.because", name=name), reasons)


def _reasons(
    items: Items, told: AnsweredQuestion, offered: Sequence[str], keys: str
) -> Iterator[Reason]:
    known = [attribute.name for attribute in items.attributes]
    for place, name in enumerate(offered):
        key = keys[place : place + 1]
        yield Reason(known.index(name), show_name(name), key, name == told.because)


def question_view(
    items: Items,
    question: OpenQuestion,
    progress: Progress,
    texts: Texts,
    *,
    notice: str = "",
    given: dict[str, str] | None = None,
    because: BecauseView | None = None,
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
    """
    cards, same = _cards(items, question.items, texts)
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
        same,
        progress.can_undo,
        notice,
        given or {},
        because,
    )


def _cards(
    items: Items, shown: Sequence[int], texts: Texts
) -> tuple[tuple[Card, ...], tuple[Fact, ...]]:
    """Give the cards with what differs, and what all have alike."""
    values = [item_values(items, item, texts) for item in shown]
    alike = [
        len(shown) > 1 and len(set(column)) == 1 for column in zip(*values, strict=True)
    ]
    cards = tuple(
        Card(
            ascii_uppercase[place],
            item,
            show_name(items.names[item]),
            tuple(
                Line(
                    show_name(attribute.name),
                    values[place][k],
                    _difference(items, attribute, shown, place, texts),
                )
                for k, attribute in enumerate(items.attributes)
                if not alike[k]
            ),
        )
        for place, item in enumerate(shown)
    )
    same = tuple(
        Fact(show_name(attribute.name), values[0][k])
        for k, attribute in enumerate(items.attributes)
        if alike[k]
    )
    return cards, same


def _difference(
    items: Items, attribute: Attribute, shown: Sequence[int], place: int, texts: Texts
) -> str:
    """Say how one of two alternatives differs from the other in numbers."""
    if attribute.kind != "numeric" or len(shown) != 2:
        return ""
    own, other = (items.values(shown[k])[attribute.name] for k in (place, 1 - place))
    if own != own or other != other:
        return ""
    words = "question.more" if own > other else "question.less"
    return texts(words, amount=texts.value(attribute, abs(own - other)))
