"""What a group wants: from logs to statements, and the owner's switch."""

from typing import Any

import numpy as np
import pytest

from penchant.datasets import load_flats
from penchant.studies import AnsweredQuestion, SqlStore, Study, simulated_answer
from penchant.studies._group import _distinct, tell_group

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
