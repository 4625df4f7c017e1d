"""Answers of one person that cannot all be right."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from penchant.studies._participation import AnsweredQuestion, evidence


@dataclass(frozen=True)
class Contradiction:
    """Items that a person put in a circle, and the answers that did it.

    Parameters
    ----------
    items : tuple of int
        Each was preferred to the next, and the last to the first.
    answers : tuple of AnsweredQuestion
        The answers that say so, in the order of the items; one answer that says
        several of these things is named once.
    """

    items: tuple[int, ...]
    answers: tuple[AnsweredQuestion, ...]


def contradictions(answered: Sequence[AnsweredQuestion]) -> list[Contradiction]:
    """Find the shortest circle through every comparison that lies on one.

    Parameters
    ----------
    answered : sequence of AnsweredQuestion
        What a person said, in order.

    Returns
    -------
    list of Contradiction
        The shortest first; every circle once.

    Examples
    --------
    >>> told = [("a", (0, 1), "left"), ("b", (1, 2), "left"), ("c", (0, 2), "right")]
    >>> answered = [AnsweredQuestion(q, "pair", pair, how) for q, pair, how in told]
    >>> contradictions(answered)[0].items
    (0, 1, 2)
    """
    said: dict[tuple[int, int], AnsweredQuestion] = {}
    for k, told in enumerate(answered):
        for answer in evidence(told, answered[:k]):
            if answer.kind == "comparison":
                said[answer.items[0], answer.items[1]] = told
    worse: dict[int, list[int]] = {}
    for winner, loser in said:
        worse.setdefault(winner, []).append(loser)
    circles: dict[tuple[int, ...], None] = {}
    for winner, loser in said:
        path = _shortest(worse, loser, winner)
        if path is not None:
            circle = _from_smallest([winner, *path[:-1]])
            circles[circle] = None
    found = [_name(circle, said) for circle in circles]
    return sorted(found, key=lambda each: len(each.items))


def _shortest(worse: dict[int, list[int]], start: int, goal: int) -> list[int] | None:
    """Give a shortest way down from one item to another, both included."""
    before = {start: start}
    waiting = deque([start])
    while waiting:
        item = waiting.popleft()
        if item == goal:
            path = [item]
            while path[-1] != start:
                path.append(before[path[-1]])
            return path[::-1]
        for other in worse.get(item, ()):
            if other not in before:
                before[other] = item
                waiting.append(other)
    return None


def _from_smallest(circle: list[int]) -> tuple[int, ...]:
    k = circle.index(min(circle))
    return tuple(circle[k:] + circle[:k])


def _name(
    circle: tuple[int, ...], said: dict[tuple[int, int], AnsweredQuestion]
) -> Contradiction:
    steps = zip(circle, circle[1:] + circle[:1], strict=True)
    answers = {said[step].question: said[step] for step in steps}
    return Contradiction(circle, tuple(answers.values()))
