from typing import Any

import pytest

from penchant.cli._conversation import read_answer
from penchant.studies import OpenQuestion, check_answer

ITEMS = {"pair": (7, 3), "rating": (4,), "best-worst": (7, 3, 9, 1)}
ITEMS["ranking"] = ITEMS["best-worst"]


@pytest.mark.parametrize(
    ("form", "typed", "answer"),
    [
        ("pair", "1", "left"),
        ("pair", "2", "right"),
        ("pair", "0", "tie"),
        ("pair", "n", "neither"),
        ("pair", "s", "skip"),
        ("rating", "4", 4),
        ("rating", "s", "skip"),
        ("best-worst", "3 1", {"best": 9, "worst": 7}),
        ("best-worst", "31", {"best": 9, "worst": 7}),
        ("ranking", "4, 3,2 1", [1, 9, 3, 7]),
        ("ranking", "2143", [3, 7, 1, 9]),
        ("ranking", "s", "skip"),
    ],
)
def test_typed_answers_fit_the_question(form: str, typed: str, answer: Any) -> None:
    question = OpenQuestion("q", form, ITEMS[form], 1)
    assert read_answer(question, typed) == answer
    assert check_answer(form, question.items, answer) == answer


@pytest.mark.parametrize(
    ("form", "typed"),
    [
        ("pair", ""),
        ("pair", "3"),
        ("pair", "left"),
        ("pair", "\x1b[A"),
        ("rating", "0"),
        ("rating", "6"),
        ("rating", "n"),
        ("rating", "٣"),
        ("best-worst", "1"),
        ("best-worst", "1 1"),
        ("best-worst", "1 5"),
        ("best-worst", "1 2 3"),
        ("ranking", "1 2 3"),
        ("ranking", "1 2 3 3"),
        ("ranking", "0 1 2 3"),
        ("ranking", "1;2;3;4"),
    ],
)
def test_anything_else_is_no_answer(form: str, typed: str) -> None:
    assert read_answer(OpenQuestion("q", form, ITEMS[form], 1), typed) is None
