"""What a group wants: from logs to statements, and the owner's switch."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from penchant.datasets import load_flats
from penchant.exceptions import DataError
from penchant.gai import GAIRanker
from penchant.studies import (
    AnsweredQuestion,
    Group,
    SqlStore,
    Study,
    simulated_answer,
)
from penchant.studies._group import _distinct, tell_group
from penchant.studies._population import participations, pool

FLATS = load_flats()


@pytest.fixture
def crowd(store: SqlStore) -> Study:
    """Nine people who look at the price, and one who always presses left."""
    study = Study(store, store.create_study("Flats", FLATS), background=False)
    rng = np.random.default_rng(0)
    likes = FLATS.encode()[:, 0]
    likes = (likes - likes.mean()) / likes.std()
    for number in range(10):
        who = study.join(f"Person {number}")[0].id
        for _ in range(12):
            question = study.ask(who)
            if question is None:
                break
            answer: Any = "left"
            if number:
                answer = simulated_answer(
                    question.form, question.items, likes, rng, noise=0.2
                )
            study.tell(who, question.id, answer)
    return study


def test_careless_people_are_shown_and_count_until_they_are_left_out(
    crowd: Study,
) -> None:
    found = crowd.group()
    first = found.members[0]
    assert [(each.member, each.kind) for each in found.careless] == [(first.id, "left")]
    assert (found.n_voices, found.n_left_out) == (10, 0)
    state = crowd.participation(first.id)

    crowd.leave_out(first.id)
    crowd.leave_out(first.id)  # the same again changes nothing
    without = crowd.group()
    assert (without.n_voices, without.n_left_out) == (9, 1)
    assert [each.left_out for each in without.careless] == [True]
    assert without.careless[0].kind == "left"
    assert not without.members[0].counts
    assert crowd.participation(first.id).n_events == state.n_events + 1
    assert crowd.participation(first.id).answered == state.answered
    assert crowd.ranking(first.id) == crowd.ranking(first.id)

    crowd.leave_out(first.id, False)
    again = crowd.group()
    assert again.n_voices == 10
    assert [item.mean for item in again.items] == [item.mean for item in found.items]


def test_tiers_share_places_and_all_items_are_there(crowd: Study) -> None:
    found = crowd.group()
    assert sorted(item.item for item in found.items) == list(range(40))
    tiers = [item.tier for item in found.items]
    assert tiers == sorted(tiers)
    assert tiers[0] == 1
    for item in found.items:
        assert item.place == 1 + sum(tier < item.tier for tier in tiers)
        assert item.low <= item.mean <= item.high
    assert 0 < found.chance <= 1
    assert found.kinds == "none"
    assert [len(segment.members) for segment in found.segments] == [10]


def test_if_all_are_left_out_the_owner_can_still_see_whom(crowd: Study) -> None:
    for member in crowd.group().members:
        crowd.leave_out(member.id)
    found = crowd.group()
    assert (found.items, found.segments, found.n_left_out) == ((), (), 10)


def test_answers_are_told_with_their_sides() -> None:
    told = [
        AnsweredQuestion("a", "pair", (3, 1), "right"),
        AnsweredQuestion("b", "pair", (3, 2), "tie"),
        AnsweredQuestion("c", "pair", (5, 4), "skip"),
        AnsweredQuestion("d", "ranking", (3, 1, 2), [2, 3, 1]),
    ]
    found = tell_group(told)
    assert [answer.items for answer in found.answers] == [
        (1, 3),
        (3, 2),
        (2, 3),
        (3, 1),
    ]
    assert found.sides == (False, None, None, None)
    assert found.clicks == (False,)
    assert not found.checked


def test_a_segment_is_named_only_after_what_clearly_weighs_more() -> None:
    rng = np.random.default_rng(1)
    inside = np.array([0.6, 0.3, 0.1]) + 0.05 * rng.standard_normal((8, 3))
    outside = np.array([0.3, 0.6, 0.1]) + 0.05 * rng.standard_normal((9, 3))
    assert _distinct(inside, outside, ["price", "size", "noise"]) == ("price",)
    assert _distinct(inside[:1], outside, ["price", "size", "noise"]) == ()


def test_a_weight_is_an_event_and_old_switches_are_read_as_weights(
    crowd: Study,
) -> None:
    who = crowd.group().members[1].id
    before = crowd.participation(who)
    crowd.weigh(who, 2)
    crowd.weigh(who, 2.0)  # the same again changes nothing
    log = crowd.store.events(who)
    assert (log[-1].kind, log[-1].body) == ("weighed", {"weight": 2.0})
    assert crowd.participation(who).n_events == before.n_events + 1
    crowd.store.append(who, len(log), [("left_out", {"out": True})])
    assert crowd.participation(who).weight == 0
    assert crowd.participation(who).left_out
    crowd.store.append(who, len(log) + 1, [("left_out", {"out": False})])
    assert crowd.participation(who).weight == 1
    for wrong in (-1, 101, float("nan"), True, "2"):
        with pytest.raises(DataError, match=r"from 0 \(left out\) to 100"):
            crowd.weigh(who, wrong)  # type: ignore[arg-type]
        crowd.store.append(
            who,
            crowd.store.get_participant(who).n_events,
            [("weighed", {"weight": -1})],
        )
    assert crowd.participation(who).weight == 1


def test_weights_reach_ranking_and_what_counts(store: SqlStore) -> None:
    study = Study(store, store.create_study("Flats", FLATS), background=False)
    price, size = FLATS.encode()[:, :2].T
    for number in range(5):
        likes = 5 * (price if number else size)
        who, rng = study.join()[0].id, np.random.default_rng(number)
        for _ in range(10):
            if (question := study.ask(who)) is None:
                break
            answer = simulated_answer(question.form, question.items, likes, rng)
            study.tell(who, question.id, answer)
    found = study.group()
    study.weigh(found.members[0].id, 50)
    heavy = study.group()
    assert (heavy.n_voices, heavy.n_votes, found.n_votes) == (5, 54, 5)
    assert sum(item.in_top for item in heavy.items) == pytest.approx(3 * 54)

    def by_size(key: str, group: Group) -> float:
        values = {item.item: getattr(item, key) for item in group.items}
        return float(np.corrcoef([values[i] for i in range(40)], size)[0, 1])

    for key in ("mean", "borda"):
        assert by_size(key, heavy) > by_size(key, found) + 0.2
    own = np.stack([member.weights for member in heavy.members])
    expected = np.average(own, axis=0, weights=[50, 1, 1, 1, 1])
    told = heavy.segments[0].weights
    assert [told[a.name] for a in FLATS.attributes] == pytest.approx(expected)


def test_models_count_answers_as_often_as_the_weight_says(crowd: Study) -> None:
    people = participations(crowd.store, crowd.id, len(FLATS))
    first, second = list(people)[:2]
    crowd.weigh(first, 2)
    crowd.weigh(second, 0)
    now = participations(crowd.store, crowd.id, len(FLATS))
    pooled = pool(now)
    assert np.unique(pooled.users).size == 9
    assert set(pooled.weights[pooled.users == 0]) == {2.0}
    assert set(pooled.weights[pooled.users > 0]) == {1.0}
    assert set(pool(now, largest=1.0).weights) == {1.0}
    twice = {"again": replace(now[first], weight=1.0), **now}
    twice[first] = twice["again"]
    several = pool(twice)
    model = GAIRanker(C=1.0, max_order=1).fit(FLATS, pooled.pooled())
    other = GAIRanker(C=1.0, max_order=1).fit(FLATS, several.pooled())
    np.testing.assert_allclose(model.utility(FLATS), other.utility(FLATS), atol=1e-4)
