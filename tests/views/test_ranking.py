from typing import Any

import pytest

from penchant.datasets import load_flats
from penchant.studies import AnsweredQuestion, RankedItem, load_texts
from penchant.views._ranking import answer_words, choices, ranking_view

FLATS = load_flats()
A, B, C = FLATS.names[:3]


def _ranking(n: int = 40) -> list[RankedItem]:
    return [
        RankedItem(item, name, item + 1, 100.0 - item, 90.0 - item, 110.0 - item, 0.1)
        for item, name in enumerate(FLATS.names[:n])
    ]


def test_first_eight_are_drawn_and_all_are_told() -> None:
    view = ranking_view(FLATS, _ranking(), load_texts("en"))
    assert len(view.rows) == 8
    assert len(view.numbers.rows) == view.n_items == 40
    first = view.rows[0]
    assert (first.place, first.name, first.points, first.chance) == (
        "1",
        A,
        "100",
        "10\u00a0%",
    )
    assert first.facts == "545 EUR/month · 27\u00a0m² · 12\u00a0min"
    assert first.mark.low < first.mark.at < first.mark.high
    assert first.points_words == f"{A}: 100 points, 90\u00a0% range 90 to 110"
    assert view.numbers.rows[0].cells == ("1", "10\u00a0%", "100", "90 to 110")


def test_choices_begin_with_the_best() -> None:
    assert [choice.name for choice in choices(_ranking(3))] == [A, B, C]


@pytest.mark.parametrize(
    ("form", "items", "answer", "words"),
    [
        ("pair", (0, 1), "left", f"{A} rather than {B}"),
        ("pair", (0, 1), "right", f"{B} rather than {A}"),
        ("pair", (0, 1), "tie", f"{A} and {B} about equal"),
        ("pair", (0, 1), "neither", f"neither {A} nor {B}"),
        ("pair", (0, 1), "skip", "skipped"),
        ("rating", (1,), 4, f"{B} rated 4 of 5"),
        ("ranking", (0, 1, 2), [2, 0, 1], f"{C}, {A}, {B}, in this order"),
        ("best-worst", (0, 1, 2), {"best": 2, "worst": 0}, f"{C} best, {A} worst"),
    ],
)
def test_answers_in_words(
    form: str, items: tuple[int, ...], answer: Any, words: str
) -> None:
    told = AnsweredQuestion("q", form, items, answer)
    assert answer_words(FLATS, told, load_texts("en")) == words
