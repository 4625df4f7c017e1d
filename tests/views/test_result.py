from dataclasses import replace

import pytest

from penchant.datasets import load_flats
from penchant.explanation import AnswerSupport
from penchant.studies import (
    AnsweredQuestion,
    Contradiction,
    Participation,
    RankedItem,
    load_texts,
)
from penchant.views._result import answers_view, best_view

FLATS = load_flats()
TEXTS = load_texts("en")
TOLD = AnsweredQuestion("q", "pair", (0, 1), "left")
BEST = RankedItem(3, FLATS.names[3], 1, 100.0, 90.0, 110.0, 0.59)
NOW = Participation(40, answered=(TOLD,))


def test_the_answer_comes_first() -> None:
    view = best_view(FLATS, [BEST], NOW, TEXTS)
    assert view.name == FLATS.names[3]
    assert view.lead == "Your best match out of 40 alternatives"
    assert view.chance == "59\u00a0%"
    assert view.after == "chance that it is your best, after 1 answer"
    assert view.state.startswith("These are first results")
    assert view.can_undo


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("budget", "last question"),
        ("sure", "know enough"),
        ("exhausted", "nothing more to ask"),
        ("person", "You ended"),
        ("whatever", "You ended"),
    ],
)
def test_why_the_questions_ended(reason: str, words: str) -> None:
    view = best_view(FLATS, [BEST], replace(NOW, finished=reason), TEXTS)
    assert words in view.state
    assert view.can_go_on == (reason != "exhausted")


def test_answers_that_decided() -> None:
    supports = [
        AnswerSupport(0, TOLD, 12.0, 3.0, 3),
        AnswerSupport(1, TOLD, 0.2, 3.0, 3),
        AnswerSupport(2, TOLD, -20.0, 3.0, 5),
    ]
    view = answers_view(FLATS, 3, supports, [], TEXTS)
    assert [row.points for row in view.rows] == ["\u221220", "+12"]
    assert [row.bar.side for row in view.rows] == ["con", "pro"]
    assert f"Without it, {FLATS.names[5]} would come first." in view.rows[0].words
    assert "Without" not in view.rows[1].words
    assert FLATS.names[3] in view.hint
    assert view.consistency == "All your answers fit together."


def test_answers_that_cannot_all_be_right_are_named() -> None:
    circle = Contradiction((0, 1), (TOLD, replace(TOLD, answer="right")))
    view = answers_view(FLATS, 3, [], [circle], TEXTS)
    a, b = FLATS.names[:2]
    assert view.doubtful == (f"{a} rather than {b} and {b} rather than {a}.",)
    assert "in a circle" in view.consistency
    assert view.rows == ()
    assert view.hint.startswith("You have not answered yet")
    weak = [AnswerSupport(0, TOLD, 0.1, 3.0, 3)]
    assert "all of them together" in answers_view(FLATS, 3, weak, [], TEXTS).hint
