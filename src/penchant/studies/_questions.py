"""Questions of every form: what is shown next, and what an answer says of the items."""

from collections.abc import Sequence

import numpy as np

from penchant.elicitation import Conversation
from penchant.gp import Answer
from penchant.studies._participation import AnsweredQuestion

__all__ = ["choose_items", "evidence"]

_N_SHOWN = 4
"""Items in a best-worst question or a ranking."""

_N_COMPARED = 5
"""Earlier ratings with which a new one is compared."""

_NOT_ACCEPTABLE = 1
"""The rating that says that an item is not acceptable."""


def evidence(
    told: AnsweredQuestion,
    earlier: Sequence[AnsweredQuestion] = (),
    width: float | None = None,
) -> tuple[Answer, ...]:
    """Say what one answer means for the utilities of the items.

    Parameters
    ----------
    told : AnsweredQuestion
        A pair is one comparison or tie, or two items below what is acceptable. Of
        four items the best beats three and two more beat the worst. In a ranking
        each item beats the next. A rating beats the nearest earlier ratings that
        are lower, and ties with equal ones; the lowest is not acceptable.
    earlier : sequence of AnsweredQuestion
        What the same person answered before.
    width : float, optional
        How close items are that are rated alike; default: as in other ties.

    Returns
    -------
    tuple of Answer
        Empty if the question was skipped.

    Examples
    --------
    >>> told = AnsweredQuestion("q", "ranking", (3, 1, 2), [2, 3, 1])
    >>> [answer.items for answer in evidence(told)]
    [(2, 3), (3, 1)]
    """
    if told.skipped:
        return ()
    if told.form == "pair":
        return _of_pair(told)
    if told.form == "best-worst":
        return _of_best_worst(told)
    if told.form == "ranking":
        neighbours = zip(told.answer, told.answer[1:], strict=False)
        return tuple(Answer("comparison", pair) for pair in neighbours)
    return _of_rating(told, earlier, width)


def _of_pair(told: AnsweredQuestion) -> tuple[Answer, ...]:
    left, right = told.items
    if told.answer == "tie":
        return (Answer("tie", (left, right)),)
    if told.answer == "neither":
        return Answer("below", (left,)), Answer("below", (right,))
    duel = (left, right) if told.answer == "left" else (right, left)
    return (Answer("comparison", duel),)


def _of_best_worst(told: AnsweredQuestion) -> tuple[Answer, ...]:
    best, worst = told.answer["best"], told.answer["worst"]
    duels = [(best, item) for item in told.items if item != best]
    duels += [(item, worst) for item in told.items if item not in (best, worst)]
    return tuple(Answer("comparison", duel) for duel in duels)


def _of_rating(
    told: AnsweredQuestion, earlier: Sequence[AnsweredQuestion], width: float | None
) -> tuple[Answer, ...]:
    item, grade = told.items[0], told.answer
    rated = [
        (abs(other.answer - grade), -k, other)
        for k, other in enumerate(earlier)
        if other.form == "rating" and not other.skipped and other.items[0] != item
    ]
    found = []
    for _, _, other in sorted(rated, key=lambda entry: entry[:2])[:_N_COMPARED]:
        pair = (item, other.items[0])
        if other.answer == grade:
            found.append(Answer("tie", pair, width))
        else:
            found.append(
                Answer("comparison", pair if grade > other.answer else pair[::-1])
            )
    if grade == _NOT_ACCEPTABLE:
        found.append(Answer("below", (item,)))
    return tuple(found)


def choose_items(form: str, talk: Conversation) -> tuple[tuple[int, ...], bool] | None:
    """Give the items of the next question, and whether the same was asked before.

    Parameters
    ----------
    form : {"pair", "best-worst", "rating", "ranking"}
        Form of the question. All but a pair are made of the pair that the policy
        asks and of the items that are most likely to be the best; the same set is
        not asked twice.
    talk : Conversation
        What was asked so far, and what is believed now.

    Returns
    -------
    items : tuple of int
        In the order in which to show them.
    repeat : bool
        Whether the same was asked before. None instead of both: nothing is left.
    """
    if form == "rating":
        return _next_rating(talk)
    question = talk.question
    if question is None:
        return None
    pair = (question.left, question.right)
    if form == "pair":
        return pair, bool(question.reason)
    asked = [set(other.items) for other in talk.told]
    items = _set_around(pair, _likely(talk), asked)
    if items is None:
        return None
    rng = np.random.default_rng([talk.setting.seed, len(talk.told), 3])
    return tuple(int(item) for item in rng.permutation(items)), False


def _set_around(
    pair: tuple[int, int], likely: list[int], asked: list[set[int]]
) -> list[int] | None:
    """Give a pair and the most likely best items beside it that were not asked yet."""
    others = [item for item in likely if item not in pair]
    size = min(_N_SHOWN - 2, len(others))
    for first in range(len(others) - size + 1):
        items = [*pair, *others[first : first + size]]
        if set(items) not in asked:
            return items
    return None


def _next_rating(talk: Conversation) -> tuple[tuple[int, ...], bool] | None:
    """Rate the less known item of the pair; no item twice."""
    seen = {other.items[0] for other in talk.told if other.form == "rating"}
    question, variance = talk.question, talk.belief.variance
    pair = [] if question is None else [question.left, question.right]
    wanted = sorted(pair, key=lambda item: -variance[item]) + _likely(talk)
    item = next((item for item in wanted if item not in seen), None)
    return None if item is None else ((int(item),), False)


def _likely(talk: Conversation) -> list[int]:
    """Give all items, those first that are most likely to be the best."""
    order = np.argsort(-talk.best.probability, kind="stable")
    first = talk.best.items[order].tolist()
    rest = np.argsort(-talk.belief.mean, kind="stable").tolist()
    return list(dict.fromkeys([*first, *rest]))
