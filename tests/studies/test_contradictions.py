"""Circles in what a person said."""

from typing import Any

from penchant.studies import AnsweredQuestion
from penchant.studies._contradictions import contradictions


def pair(
    question: str, left: int, right: int, answer: Any = "left"
) -> AnsweredQuestion:
    return AnsweredQuestion(question, "pair", (left, right), answer)


def test_no_circle_no_contradiction() -> None:
    assert contradictions([]) == []
    told = [pair("a", 0, 1), pair("b", 1, 2), pair("c", 0, 2), pair("d", 2, 3, "tie")]
    assert contradictions(told) == []


def test_two_answers_to_the_same_pair() -> None:
    told = [pair("a", 0, 1), pair("b", 3, 4), pair("c", 0, 1, "right")]
    (found,) = contradictions(told)
    assert found.items == (0, 1)
    assert [answer.question for answer in found.answers] == ["a", "c"]


def test_every_circle_is_named_once_and_the_shortest_first() -> None:
    told = [pair("a", 0, 1), pair("b", 1, 2), pair("c", 2, 3), pair("d", 3, 0)]
    told += [pair("e", 5, 6), pair("f", 6, 5)]
    found = contradictions(told)
    assert [each.items for each in found] == [(5, 6), (0, 1, 2, 3)]


def test_one_answer_with_several_comparisons_is_named_once() -> None:
    ranked = AnsweredQuestion("r", "ranking", (0, 1, 2), [0, 1, 2])
    (found,) = contradictions([ranked, pair("p", 2, 0)])
    assert [answer.question for answer in found.answers] == ["r", "p"]


def test_ties_contradict_nothing() -> None:
    # Once they did: "about equal" closed a circle as if one had been preferred.
    told = [pair("a", 0, 1), pair("b", 1, 2), pair("c", 2, 0, "tie")]
    told += [pair("d", 3, 4, "tie"), pair("e", 3, 4), pair("f", 4, 3, "tie")]
    assert contradictions(told) == []
