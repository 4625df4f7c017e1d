from dataclasses import replace
from typing import Any

import pytest

from penchant.datasets import load_flats
from penchant.exceptions import DataError
from penchant.studies import AnsweredQuestion, RankedItem, load_texts
from penchant.views import View, Wanted
from penchant.views._answers import answer_words
from penchant.views._ranking import choices, ranking_view

FLATS = load_flats()
A, B, C = FLATS.names[:3]


def _ranking(n: int = 40) -> list[RankedItem]:
    return [
        RankedItem(item, name, item + 1, 100.0 - item, 90.0 - item, 110.0 - item, 0.1)
        for item, name in enumerate(FLATS.names[:n])
    ]


def test_all_are_shown_in_tiers() -> None:
    ranking = [
        replace(each, tier=0 if each.place == 40 else 1 + (each.place > 3))
        for each in _ranking()
    ]
    view = ranking_view(FLATS, ranking, load_texts("en"))
    front, behind = view.tiers
    assert (len(front.rows), len(behind.rows), view.n_items) == (3, 36, 40)
    assert [row.name for row in view.top] == [row.name for row in front.rows]
    first = front.rows[0]
    assert (first.place, first.name, first.points) == ("1", A, "100")
    assert [(f.label, f.value) for f in first.facts[:2]] == [
        ("price", "545 EUR/month"),
        ("size", "27\u00a0m²"),
    ]
    assert first.mark.low < first.mark.at < first.mark.high
    assert first.words == f"{A}: 100 points, 90\u00a0% range 90 to 110"
    assert front.sentence.startswith("3 alternatives; no clear order")
    assert "at most 10\u00a0% each" in front.sentence
    assert f"95\u00a0% sure that {A} is better" in behind.sentence
    assert FLATS.names[39] in view.rejected
    assert not view.part.searchable
    heads, last = view.numbers.heads, view.numbers.rows[-1]
    assert heads == ("Alternative", "Points", "90\u00a0% range")
    assert len(view.numbers.rows) == 39
    assert (last.name, *last.cells) == (FLATS.names[38], "62", "52 to 72")


def test_a_long_ranking_is_found_by_name_and_comes_in_pages() -> None:
    first, texts = _ranking(1)[0], load_texts("en")
    long = [
        replace(first, item=k % 40, place=k + 1, name=f"Flat {k + 1}")
        for k in range(260)
    ]

    def look(find: str = "", page: int = 0) -> tuple[list[str], View]:
        view = ranking_view(FLATS, long, texts, Wanted(find, page))
        return [row.name for tier in view.tiers for row in tier.rows], view

    names, view = look()
    assert (names[0], len(names), view.part.shown) == ("Flat 1", 100, "1 to 100 of 260")
    assert (view.part.previous, view.part.chosen) == ("", False)
    assert view.part.following == "?page=2#ranking-fold"
    names, view = look(page=3)
    assert (names[0], names[-1], view.part.following) == ("Flat 201", "Flat 260", "")
    assert [row.name for row in view.top] == ["Flat 1", "Flat 2", "Flat 3"]
    names, view = look(" FLAT 25 ")
    assert names == ["Flat 25", *(f"Flat {k}" for k in range(250, 260))]
    assert (view.part.everything, view.part.chosen) == ("?page=1#ranking-fold", True)
    assert view.n_items == 260
    names, view = look("castle")
    assert (names, view.part.nothing) == ([], "Nothing has this in its name.")
    names, view = look("flat", 2)
    assert view.part.previous == "?find=flat&page=1#ranking-fold"
    with pytest.raises(DataError, match="no such page"):
        look("castle", 2)


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
