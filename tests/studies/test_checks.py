"""Answers that are foretold, and how often that is right."""

from typing import Any

import numpy as np
import pytest

from penchant.datasets import load_flats
from penchant.studies import (
    AnsweredQuestion,
    Calibration,
    Prediction,
    SqlStore,
    Study,
    StudySettings,
    simulated_answer,
)

FLATS = load_flats()
LIKES = np.random.default_rng(3).standard_normal(len(FLATS))


def make(store: SqlStore, **settings: Any) -> Study:
    chosen = StudySettings(**{"max_regret": 0.0, **settings})
    return Study(store, store.create_study("Flats", FLATS, settings=chosen))


def answer(study: Study, who: str, n: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(n):
        question = study.ask(who)
        if question is not None:
            told = simulated_answer(question.form, question.items, LIKES, rng)
            study.tell(who, question.id, told)


def checks(study: Study, who: str) -> list[int]:
    """Give the numbers of the questions that were predicted."""
    told = study.participation(who).answered
    return [k for k, each in enumerate(told, 1) if each.predicted is not None]


def test_one_in_so_many_questions_is_foretold(store: SqlStore) -> None:
    study = make(store, check_every=4, max_questions=20)
    who = study.join()[0].id
    answer(study, who, 20)
    found = checks(study, who)
    assert len(found) == 3  # at most
    assert [(number - 1) // 4 for number in found] == [0, 1, 2]
    assert found[0] == 4  # nothing can be predicted before three answers
    told = study.participation(who).answered
    for number in found:
        check = told[number - 1]
        assert check.form == "pair"
        assert 0.5 <= check.predicted.probability < 1.0
        pairs = [set(each.items) for each in told[: number - 1]]
        assert set(check.items) not in pairs


@pytest.mark.parametrize("seed", range(4))
def test_the_first_five_questions_are_chosen_to_learn_from(
    store: SqlStore, seed: int
) -> None:
    study = make(store, max_questions=8)
    who = [study.join()[0].id for _ in range(seed + 1)][-1]
    answer(study, who, 8)
    (number,) = checks(study, who)
    assert 6 <= number <= 8


def test_they_are_foretold_in_every_form_and_not_at_all_if_unwanted(
    store: SqlStore,
) -> None:
    study = make(store, check_every=4, question="ranking")
    who = study.join()[0].id
    answer(study, who, 4)
    forms = [told.form for told in study.participation(who).answered]
    assert forms == ["ranking"] * 3 + ["pair"]
    silent = make(store, check_every=0)
    who = silent.join()[0].id
    answer(silent, who, 8)
    assert checks(silent, who) == []


@pytest.mark.parametrize(("regret", "n_before"), [(0.0, 6), (100.0, 3)])
def test_two_clear_questions_end_the_asking_if_wanted(
    store: SqlStore, regret: float, n_before: int
) -> None:
    study = make(store, end_checks=True, max_questions=8, max_regret=regret)
    who = study.join()[0].id
    answer(study, who, 20)
    told = study.participation(who)
    assert len(told.answered) == n_before + 2
    assert told.finished == ("sure" if regret else "budget")
    assert checks(study, who)[-2:] == [n_before + 1, n_before + 2]
    assert all(each.predicted.clear for each in told.answered[-2:])
    assert told.answered[-1].predicted.probability > 0.8


def test_an_undone_check_is_the_same_again(store: SqlStore) -> None:
    study = make(store, check_every=4)
    who = study.join()[0].id
    answer(study, who, 3)
    asked = study.ask(who)
    assert asked.predicted is not None
    study.tell(who, asked.id, "tie")
    study.undo(who)
    again = study.ask(who)
    assert (again.items, again.predicted) == (asked.items, asked.predicted)


def told(answer: str, side: str | None = "left", chance: float = 0.9) -> Any:
    predicted = None if side is None else Prediction(side, chance)
    return AnsweredQuestion("q", "pair", (0, 1), answer, predicted=predicted)


def test_only_choices_that_were_foretold_count() -> None:
    answers = [told("left"), told("right", chance=0.6), told("tie"), told("skip")]
    found = Calibration.count([*answers, told("left", None)])
    assert found.to_dict() == {"n": 2, "right": 1, "said": 0.75, "fails": False}
    assert Calibration.count([]).to_dict()["fails"] is False


@pytest.mark.parametrize(
    ("n", "right", "fails"), [(20, 17, False), (20, 12, True), (3, 1, False)]
)
def test_predictions_fail_where_chance_is_no_excuse(
    n: int, right: int, fails: bool
) -> None:
    # P(X <= 12) = .0015 and P(X <= 1) = .06 for X binomial with .85
    answers = [told("left" if k < right else "right", chance=0.85) for k in range(n)]
    assert Calibration.count(answers).fails is fails


def test_a_study_counts_real_people(store: SqlStore) -> None:
    study = make(store, check_every=2)
    assert study.calibration().n == 0
    for simulated in (False, True):
        who = study.join(simulated=simulated)[0].id
        answer(study, who, 8)
    found = study.calibration()
    assert study.calibration() == found
    assert found.n == 3
    assert 0.5 <= found.said <= 1.0
