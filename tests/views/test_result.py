from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from penchant.datasets import load_flats
from penchant.elicitation import MainReason
from penchant.explanation import AnswerSupport
from penchant.studies import (
    AnsweredQuestion,
    Contradiction,
    Curve,
    Participation,
    Progress,
    RankedItem,
    load_texts,
)
from penchant.views._result import BestView, answers_view, best_view

FLATS = load_flats()
TEXTS = load_texts("en")
TOLD = AnsweredQuestion("q", "pair", (0, 1), "left")
BEST = RankedItem(3, FLATS.names[3], 1, 100.0, 90.0, 110.0, 0.59)
NOW = Participation(40, answered=(TOLD,))


def show(
    certainty: float = 0.59,
    *,
    finished: str = "",
    known: bool = True,
    counting: tuple[str, ...] = (),
    reason: tuple[str, ...] = (),
) -> BestView:
    """Show a best flat of which something is believed."""
    none = np.zeros(1)
    curves = [
        Curve(name, (1,), none, none, none, 0.2, counts=name in counting)
        for name in ("price", "size")
    ]
    study: Any = SimpleNamespace(
        items=FLATS,
        participation=lambda _: replace(NOW, finished=finished),
        progress=lambda *_: Progress(2, certainty, 0.3, 7.4, known, False, "", True),
        main_reason=lambda *_: MainReason(reason, 0.84),
        curves=lambda _: curves,
    )
    return best_view(study, "p", [BEST], TEXTS)


def test_the_answer_comes_first() -> None:
    view = show()
    assert view.name == FLATS.names[3]
    assert view.chance == "59\u00a0%"
    assert view.after == "chance that it is your best, or as good, after 1 answer"
    assert view.loss == (
        "If another one is better, you lose about 7 points, probably less."
    )
    assert view.state.startswith("These are first results")
    assert view.can_undo


@pytest.mark.parametrize(
    ("certainty", "words"),
    [
        (0.97, "Almost certainly your best out of 40 alternatives, or as good"),
        (0.8, "Very likely your best"),
        (0.6, "Probably your best"),
        (0.59, "Not decided yet. In front for now"),
    ],
)
def test_words_are_as_sure_as_numbers(certainty: float, words: str) -> None:
    assert show(certainty).lead.startswith(words)


def test_before_three_answers_no_number_is_told() -> None:
    view = show(0.9, known=False)
    assert (view.chance, view.after, view.loss) == ("", "", "")
    assert view.lead.startswith("Too early to say.")


def test_only_what_may_be_listed_is_listed() -> None:
    assert show(counting=("size",)).counts == "These count for you: size."
    assert "do not show yet" in show().counts


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("price",), "What speaks most for it is price ("),
        (("price", "size"), "84\u00a0% sure that it is one of them"),
        ((), "Several things together"),
    ],
)
def test_the_main_reason_is_one_thing_or_one_of_two_or_several(
    names: tuple[str, ...], words: str
) -> None:
    assert words in show(reason=names).reason


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
    view = show(finished=reason)
    assert words in view.state
    assert view.can_go_on == (reason != "exhausted")


def test_answers_that_decided() -> None:
    supports = [
        AnswerSupport(0, TOLD, 12.0, 3.0, 3),
        AnswerSupport(1, TOLD, 0.2, 3.0, 3),
        AnswerSupport(2, TOLD, -20.0, 3.0, 5),
    ]
    view = answers_view(FLATS, 3, supports, [], (), TEXTS)
    assert [row.points for row in view.rows] == ["\u221220", "+12"]
    assert [row.bar.side for row in view.rows] == ["con", "pro"]
    assert f"Without it, {FLATS.names[5]} would come first." in view.rows[0].words
    assert "Without" not in view.rows[1].words
    assert FLATS.names[3] in view.hint
    assert view.consistency == "None of your answers contradicts another."


def test_answers_that_cannot_all_be_right_are_named() -> None:
    circle = Contradiction((0, 1), (TOLD, replace(TOLD, answer="right")))
    view = answers_view(FLATS, 3, [], [circle], (5,), TEXTS)
    a, b = FLATS.names[:2]
    assert view.doubtful == (
        f"{a} rather than {b} and {b} rather than {a}.",
        f"{FLATS.names[5]} is not acceptable to you, and you also preferred it to "
        "another.",
    )
    assert "contradict each other" in view.consistency
    assert view.rows == ()
    assert view.hint.startswith("You have not answered yet")
    weak = [AnswerSupport(0, TOLD, 0.1, 3.0, 3)]
    assert "all of them together" in answers_view(FLATS, 3, weak, [], (), TEXTS).hint
