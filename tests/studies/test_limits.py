"""Limits in a study: not asked, not recommended, in the log, and in the group."""

import numpy as np
import pytest

from penchant.data import Limit, Limits
from penchant.datasets import load_flats
from penchant.elicitation.groups import Newcomer, PersonAnswers, believe_group
from penchant.exceptions import DataError
from penchant.gp import Answer
from penchant.studies import (
    Participation,
    SqlStore,
    Study,
    StudySettings,
    WhatFits,
    check_limits,
    simulated_answer,
)

FLATS = load_flats()
CHEAP = Limits((Limit("price", at_most=900),))
GREEN = Limits((Limit("balcony", one_of=("garden",)),))
LIKES = np.random.default_rng(3).standard_normal(len(FLATS))


def make(store: SqlStore, **settings: object) -> Study:
    chosen = StudySettings(**{"max_regret": 0.0, **settings})  # type: ignore[arg-type]
    return Study(store, store.create_study("Flats", FLATS, settings=chosen))


def answer(study: Study, who: str, n: int) -> list[int]:
    shown: list[int] = []
    for k in range(n):
        question = study.ask(who)
        if question is None:
            break
        shown += question.items
        rng = np.random.default_rng(k)
        told = simulated_answer(question.form, question.items, LIKES, rng)
        study.tell(who, question.id, told)
    return shown


def fit(limits: Limits) -> set[int]:
    return set(limits.allowed(FLATS).tolist())


@pytest.mark.parametrize("form", ["pair", "best-worst", "ranking", "rating"])
def test_a_limit_in_the_middle(store: SqlStore, form: str) -> None:
    study = make(store, question=form, check_every=2, end_checks=True)
    who = study.join()[0].id
    answer(study, who, 5)
    opened = study.ask(who)
    assert opened is not None
    now = study.set_limits(who, CHEAP)
    assert now.limits == CHEAP
    assert len(now.answered) == 5  # they still teach
    assert set(answer(study, who, 12)) <= fit(CHEAP)
    ranked = study.ranking(who)
    assert {each.item for each in ranked} == fit(CHEAP)
    assert study.recommend(who)[0].item in fit(CHEAP)
    assert study.what_if(who, {}).place <= len(ranked)
    wider = study.what_fits(CHEAP).relaxations[0]
    study.set_limits(who, wider.limits)
    assert len(study.ranking(who)) == len(ranked) + wider.n_more
    study.set_limits(who, Limits())
    assert len(study.ranking(who)) == 40


def test_an_open_question_that_fails_is_replaced(store: SqlStore) -> None:
    study = make(store)
    who = study.join()[0].id
    opened = study.ask(who)
    assert opened is not None
    price = FLATS.frame["price"].to_numpy()
    dear = float(max(price[list(opened.items)]))
    now = study.set_limits(who, Limits((Limit("price", at_most=dear - 1),)))
    assert now.dropped == (opened.id,)
    assert now.open_question is not None
    assert now.open_question.id != opened.id
    # An answer from a page that is older than the limits is not an error.
    assert study.tell(who, opened.id, "left").answered == ()


def test_an_open_question_that_fits_stays(store: SqlStore) -> None:
    study = make(store)
    who = study.join()[0].id
    opened = study.ask(who)
    now = study.set_limits(who, Limits((Limit("price", at_most=2000),)))
    assert now.open_question == opened
    n_events = now.n_events
    assert study.set_limits(who, now.limits).n_events == n_events  # said before


def test_before_the_first_question_nothing_is_asked_yet(store: SqlStore) -> None:
    study = make(store)
    who = study.join()[0].id
    assert study.set_limits(who, CHEAP).open_question is None
    assert set(study.ask(who).items) <= fit(CHEAP)  # type: ignore[union-attr]


def test_after_the_end_the_result_changes_and_nothing_is_asked(
    store: SqlStore,
) -> None:
    study = make(store)
    who = study.join()[0].id
    answer(study, who, 6)
    study.finish(who)
    now = study.set_limits(who, GREEN)
    assert now.finished == "person"
    assert study.recommend(who)[0].item in fit(GREEN)
    assert set(study.go_on(who).items) <= fit(GREEN)  # type: ignore[union-attr]


def test_undo_and_another_process_see_the_same(store: SqlStore) -> None:
    study = make(store)
    who = study.join()[0].id
    answer(study, who, 4)
    study.set_limits(who, CHEAP)
    answer(study, who, 2)
    now = study.undo(who)
    assert len(now.answered) == 5
    assert now.limits == CHEAP
    log = [(event.kind, event.body) for event in store.events(who)]
    assert Participation.from_events(log, 40) == now


def test_the_owners_limits_hold_for_all(store: SqlStore) -> None:
    study = make(store, limits=CHEAP)
    people = [study.join()[0].id for _ in range(2)]
    for who in people:
        assert set(answer(study, who, 6)) <= fit(CHEAP)
    study.set_limits(people[0], GREEN)
    both = fit(CHEAP) & fit(GREEN)
    assert {each.item for each in study.ranking(people[0])} == both
    found = study.what_fits(GREEN)
    assert (found.n_fit, found.n_items) == (len(both), len(fit(CHEAP)))
    group = study.group()
    assert {each.item for each in group.items} == fit(CHEAP)
    failed = {each.item: each.n_failed for each in group.items}
    assert failed == {item: int(item not in both) for item in fit(CHEAP)}


def test_an_owner_who_changes_the_limits_changes_what_is_asked(
    store: SqlStore,
) -> None:
    study = make(store)
    who = study.join()[0].id
    answer(study, who, 3)
    study.ask(who)
    study.group()
    dear = Limits((Limit("price", at_least=900),))
    store.update_study(study.id, settings=StudySettings(limits=dear))
    study.reload()
    assert set(study.ask(who).items) <= fit(dear)  # type: ignore[union-attr]
    assert {each.item for each in study.group().items} == fit(dear)
    assert {each.item for each in study.ranking(who)} == fit(dear)


def test_what_fails_people_keeps_its_points(store: SqlStore) -> None:
    study = make(store)
    people = [study.join()[0].id for _ in range(3)]
    for who in people:
        answer(study, who, 5)
    before = {each.item: each.mean for each in study.group().items}
    study.set_limits(people[0], CHEAP)
    after = study.group().items
    assert {each.item: each.mean for each in after} == before
    assert {each.item for each in after if each.n_failed == 1} == set(range(40)) - fit(
        CHEAP
    )


def test_limits_that_nothing_fits_are_refused_with_a_way_out(store: SqlStore) -> None:
    study = make(store)
    who = study.join()[0].id
    limits = Limits((Limit("price", at_most=500), Limit("size", at_least=100)))
    with pytest.raises(DataError, match=r"No alternative fits all limits\. \d+ fit wi"):
        study.set_limits(who, limits)
    never = Limits((Limit("price", at_most=1), Limit("size", at_least=119.5)))
    with pytest.raises(DataError, match="None fits without any single one"):
        check_limits(never, FLATS)
    with pytest.raises(DataError, match="no attribute 'rent'"):
        study.set_limits(who, Limits((Limit("rent", at_most=1),)))


def test_limits_that_nothing_fits_any_more_are_set_aside() -> None:
    dear = Limits((Limit("price", at_least=1000),))
    found = WhatFits.among(FLATS, dear, CHEAP)
    assert found.set_aside
    assert set(found.allowed.tolist()) == fit(dear)  # type: ignore[union-attr]
    first = found.relaxations[0]
    assert (first.value, first.n_more) == (1040.0, 1)
    nothing = Limits((Limit("price", at_most=1),))
    assert WhatFits.among(FLATS, nothing, Limits()).allowed is None
    out = frozenset(range(38))
    assert WhatFits.among(FLATS, Limits(), Limits(), out).allowed.tolist() == [38, 39]  # type: ignore[union-attr]


@pytest.mark.parametrize("body", [{}, {"limits": 3}, {"limits": {"price": {"x": 1}}}])
def test_strange_limits_in_a_log_are_ignored(body: dict[str, object]) -> None:
    now = Participation.from_events([("limits", body)], 40)
    assert now.ignored == 1
    assert now.limits == Limits()


def test_settings_know_limits_as_plain_values() -> None:
    settings = StudySettings(limits=CHEAP)
    assert settings.to_dict()["limits"] == {"price": {"at_most": 900.0}}
    assert StudySettings.from_dict(settings.to_dict()) == settings
    with pytest.raises(DataError, match="must be Limits"):
        StudySettings(limits={})  # type: ignore[arg-type]


def test_a_group_among_some_items_is_read_off_the_same_draws() -> None:
    rng = np.random.default_rng(0)
    newcomer = Newcomer.from_moments(np.zeros(6), np.eye(6))
    people = []
    for _ in range(5):
        pairs = [tuple(rng.choice(6, 2, replace=False).tolist()) for _ in range(6)]
        people.append(PersonAnswers(tuple(Answer("comparison", p) for p in pairs)))
    some = np.array([0, 2, 5])
    whole, part = (
        believe_group(newcomer, people, among=among) for among in (None, some)
    )
    np.testing.assert_array_equal(part.everybody.mean, whole.everybody.mean[some])
    np.testing.assert_array_equal(part.points, whole.points[:, some])
    assert part.in_top.sum() == pytest.approx(3 * len(people))
