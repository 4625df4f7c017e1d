"""Forms of questions: which items are shown, which answers fit, what they mean."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.datasets import load_flats
from penchant.elicitation import Told
from penchant.elicitation._history import History
from penchant.exceptions import DataError
from penchant.studies import FORMS, AnsweredQuestion, simulated_answer
from penchant.studies._participation import evidence
from penchant.studies._start import Start
from penchant.studies._talk import Talk
from penchant.texts import load_texts


def duels(told: AnsweredQuestion, earlier: tuple[AnsweredQuestion, ...] = ()) -> list:
    return [(answer.kind, answer.items) for answer in evidence(told, earlier)]


@pytest.mark.parametrize(
    ("answer", "meaning"),
    [
        ("left", [("comparison", (7, 2))]),
        ("right", [("comparison", (2, 7))]),
        ("tie", [("tie", (7, 2))]),
        ("neither", [("below", (7,)), ("below", (2,))]),
        ("skip", []),
    ],
)
def test_pair(answer: str, meaning: list) -> None:
    told = AnsweredQuestion("q", "pair", (7, 2), answer)
    assert duels(told) == meaning
    assert [(a.kind, a.items) for a in Told(7, 2, answer).evidence] == meaning


def test_best_and_worst_of_four_are_five_comparisons() -> None:
    told = AnsweredQuestion("q", "best-worst", (4, 1, 8, 6), {"best": 8, "worst": 1})
    found = {items for _, items in duels(told)}
    assert found == {(8, 4), (8, 1), (8, 6), (4, 1), (6, 1)}


def test_ranking_gives_its_neighbours() -> None:
    told = AnsweredQuestion("q", "ranking", (4, 1, 8), [1, 8, 4])
    assert [items for _, items in duels(told)] == [(1, 8), (8, 4)]


def test_rating_is_compared_with_the_nearest_five() -> None:
    grades = [5, 5, 1, 4, 4, 3, 2]
    earlier = tuple(
        AnsweredQuestion(str(k), "rating", (k,), grade)
        for k, grade in enumerate(grades)
    )
    told = AnsweredQuestion("q", "rating", (9,), 4)
    found = duels(told, earlier)
    # grades 4, 4 first, then 5, 5 and 3; later ones before earlier ones
    assert found == [
        ("tie", (9, 4)),
        ("tie", (9, 3)),
        ("comparison", (9, 5)),
        ("comparison", (1, 9)),
        ("comparison", (0, 9)),
    ]
    lowest = AnsweredQuestion("q", "rating", (9,), 1)
    assert duels(lowest) == [("below", (9,))]


def test_a_skipped_set_rests() -> None:
    told = AnsweredQuestion("q", "ranking", (4, 1, 8), "skip")
    assert evidence(told) == ()
    resting = History().plus(told.items, ()).resting
    assert resting == {(1, 4), (4, 8), (1, 8)}


@given(
    st.sampled_from(["pair", "best-worst", "ranking", "rating"]),
    st.permutations(range(6)),
    st.integers(0, 100),
)
def test_honest_answers_never_contradict_the_utilities(
    form: str, items: list[int], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    utilities = rng.standard_normal(8)
    shown = tuple(items[: {"pair": 2, "rating": 1}.get(form, 4)])
    earlier = tuple(
        AnsweredQuestion(
            "", "rating", (k,), simulated_answer("rating", (k,), utilities, rng)
        )
        for k in (6, 7)
    )
    answer = simulated_answer(form, shown, utilities, rng)
    told = AnsweredQuestion("q", form, shown, answer)
    for each in evidence(told, earlier if form == "rating" else ()):
        if each.kind == "comparison":
            assert utilities[each.items[0]] > utilities[each.items[1]]


@pytest.mark.parametrize("form", ["pair", "best-worst", "ranking", "rating"])
def test_questions_are_fit_to_be_asked_until_nothing_is_left(form: str) -> None:
    flats = load_flats().take(range(5))
    rng = np.random.default_rng(0)
    utilities = rng.standard_normal(5)
    talk = Talk.from_start(Start.from_items(flats), seed=3)
    seen = []
    for k in range(40):
        found = FORMS[form].choose(talk)
        if found is None:
            break
        items, repeat = found
        assert len(set(items)) == len(items)
        assert len(items) == {"pair": 2, "rating": 1}.get(form, 4)
        if form == "pair":
            assert repeat == (set(items) in seen)
        if form in ("best-worst", "ranking"):
            assert set(items) not in seen
        seen.append(set(items))
        answer = simulated_answer(form, items, utilities, rng)
        talk = talk.after(AnsweredQuestion(str(k), form, items, answer))
    else:
        pytest.fail("the questions must come to an end")
    if form == "rating":
        assert len(seen) == 5
    assert talk.favourite == utilities.argmax() or form == "rating"


def test_a_skipped_set_is_not_asked_at_once_again() -> None:
    talk = Talk.from_start(Start.from_items(load_flats()), seed=0)
    first, _ = FORMS["best-worst"].choose(talk)
    told = AnsweredQuestion("q", "best-worst", first, "skip")
    second, repeat = FORMS["best-worst"].choose(talk.after(told))
    assert set(second) != set(first)
    assert not repeat


UTILITIES = np.array([0.3, 2.0, -1.0, 1.0, 0.0])


def test_honest_people() -> None:
    rng = np.random.default_rng(0)
    assert simulated_answer("pair", (0, 1), UTILITIES, rng) == "right"
    assert simulated_answer("pair", (1, 0), UTILITIES, rng) == "left"
    answer = simulated_answer("best-worst", (0, 1, 2, 3), UTILITIES, rng)
    assert answer == {"best": 1, "worst": 2}
    assert simulated_answer("ranking", (0, 1, 2), UTILITIES, rng) == [1, 0, 2]
    grades = [simulated_answer("rating", (i,), UTILITIES, rng) for i in range(5)]
    assert grades[1] == 5
    assert grades[2] == 1
    assert np.corrcoef(grades, UTILITIES)[0, 1] > 0.9


def test_wrong_answers_have_their_share() -> None:
    rng = np.random.default_rng(0)
    said = [
        simulated_answer("pair", (0, 1), UTILITIES, rng, wrong=0.2) for _ in range(1000)
    ]
    assert said.count("left") / 1000 == pytest.approx(0.2, abs=0.04)


@pytest.mark.parametrize(
    ("form", "fields", "answer"),
    [
        ("pair", {"answer": "left"}, "left"),
        ("pair", {}, ""),
        ("rating", {"answer": "4"}, 4),
        ("best-worst", {"best": "5", "worst": "7"}, {"best": 5, "worst": 7}),
        ("ranking", {"place-5": "2", "place-7": "3", "place-9": "1"}, [9, 5, 7]),
    ],
)
def test_fields_become_answers(form: str, fields: dict[str, str], answer: Any) -> None:
    assert FORMS[form].read_fields((5, 7, 9), fields) == answer


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ("rating", {"answer": "-1"}),
        ("rating", {"answer": "٣"}),
        ("rating", {"answer": "9" * 5000}),
        ("best-worst", {"best": "5"}),
        ("ranking", {"place-5": "1", "place-7": "1", "place-9": "2"}),
        ("ranking", {"place-5": "1", "place-7": "2"}),
    ],
)
def test_what_does_not_fit_is_refused(form: str, fields: dict[str, str]) -> None:
    with pytest.raises(DataError, match="Got"):
        FORMS[form].read_fields((5, 7, 9), fields)
    assert load_texts("en")(FORMS[form].incomplete)


def test_of_two_that_feel_alike_a_simulated_person_takes_the_first():
    assert FORMS["pair"].simulate(load_flats(), np.ones(2), np.ones(40)) == "left"
