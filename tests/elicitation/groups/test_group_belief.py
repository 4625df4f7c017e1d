"""What is told of draws and fits: kinds, limits, and answers with and without sides."""

import numpy as np
import pytest

from penchant.elicitation.groups import (
    Consensus,
    Newcomer,
    PersonAnswers,
    believe_group,
    log_careless,
)
from penchant.elicitation.groups._group_belief import (
    _assigned,
    _data,
    _differ,
    _log_z,
    _tiers,
)
from penchant.elicitation.groups._mixture import Mixture
from penchant.elicitation.groups._people import Rows
from penchant.exceptions import DataError
from penchant.gp import Answer

NEWCOMER = Newcomer.from_moments(np.zeros(4), np.eye(4))
PAIRS = [(3, 2), (2, 1), (1, 0), (3, 0), (3, 1), (2, 0), (3, 2), (1, 0)]
LIKES = tuple(Answer("comparison", pair) for pair in PAIRS)


def test_kinds_are_numbered_by_their_votes_and_nine_in_ten_is_sure():
    member = np.array([[0.9, 0.1, 0.2, 0.89], [0.1, 0.9, 0.8, 0.11]])
    assert _assigned(member, np.ones(4)).tolist() == [0, 1, -1, -1]
    # shares among the kinds: what is left to carelessness does not count
    assert _assigned(member / 3, np.array([1, 3, 1, 1])).tolist() == [1, 0, -1, -1]
    assert _assigned(np.zeros((2, 1)), np.ones(1)).tolist() == [-1]
    three = np.eye(3)[:, [2, 2, 2, 0, 0, 1]]
    assert _assigned(three, np.ones(6)).tolist() == [0, 0, 0, 1, 1, 2]


def test_opinions_differ_where_that_is_sure_and_most_where_they_do_most():
    sure = np.where(np.arange(20) < 19, 14.0, 12.0)  # 19 of 20 are enough
    unsure = np.where(np.arange(20) < 18, 90.0, 12.0)
    wide = np.full(20, 20.0)
    exactly = np.full(20, 13.0)
    assert _differ(np.column_stack([unsure, sure, exactly])) == 1
    assert _differ(np.column_stack([sure, wide, unsure])) == 1
    assert _differ(np.column_stack([unsure, exactly])) is None


def test_a_tier_begins_where_all_behind_are_clearly_behind():
    leader = np.full(20, 10.0)
    close = np.where(np.arange(20) < 18, 9.0, 11.0)  # behind in 18 of 20 draws
    behind = np.where(np.arange(20) < 19, 5.0, 11.0)  # in 19
    last = np.full(20, 1.0)
    draws = np.column_stack([last, behind, leader, close])
    assert _tiers(draws, draws.mean(axis=0)).tolist() == [2, 1, 0, 0]
    equal = np.full((20, 3), 7.0)
    assert _tiers(equal, equal.mean(axis=0)).tolist() == [0, 0, 0]


def test_all_that_draws_say_of_a_consensus():
    draws = np.array([[50.0, 52.0, 10.0], [60.0, 50.0, 10.0], [55.0, 57.5, 10.0]])
    people = np.arange(9.0).reshape(3, 3)
    found = Consensus.from_draws(draws, people)
    np.testing.assert_allclose(found.mean, draws.mean(axis=0))
    np.testing.assert_array_equal(
        [found.least, found.people_low, found.people_high], people
    )
    np.testing.assert_allclose(found.low, np.quantile(draws, 0.05, axis=0))
    np.testing.assert_allclose(found.high, np.quantile(draws, 0.95, axis=0))
    assert found.order.tolist() == [0, 1, 2]
    assert found.tier.tolist() == [0, 0, 1]
    assert found.chance == pytest.approx(2 / 3)  # two points behind is as good
    assert found.draws is draws


def test_who_clicks_without_reading_is_told_by_odds_and_checks(monkeypatch):
    odds = np.array([0.0, 0.1, -0.5, -0.5, -1.0])
    checked = [False, False, False, True, True]
    monkeypatch.setattr(Mixture, "log_odds_careless", lambda _self, _data: odds)
    people = [PersonAnswers(LIKES[:3], checked=each) for each in checked]
    found = believe_group(NEWCOMER, people)
    np.testing.assert_array_equal(found.log_odds, odds)
    assert np.flatnonzero(found.careless).tolist() == [1, 3]


def test_every_number_about_one_crowd_is_told():
    found = believe_group(NEWCOMER, [PersonAnswers(LIKES)] * 3, random_state=1)
    assert found.statement == "none"
    assert found.kind.tolist() == [0, 0, 0]
    assert (found.kinds, found.deviation.shape) == ((), (4,))
    assert found.points.shape == (3, 4)
    # everybody has one vote, so that the mean of all is that of their points
    np.testing.assert_allclose(found.everybody.mean, found.points.mean(axis=0))
    other = believe_group(NEWCOMER, [PersonAnswers(LIKES)] * 3, random_state=2)
    assert not np.array_equal(other.points, found.points)


def test_votes_and_people_must_be_there():
    with pytest.raises(DataError, match=r"at least one person with answers\. Got none"):
        believe_group(NEWCOMER, [])
    with pytest.raises(DataError, match=r"must be 1 numbers above 0, one per person"):
        believe_group(NEWCOMER, [PersonAnswers(LIKES)], votes=[0.0])


def test_sides_count_from_eight_and_unsided_answers_as_for_somebody_new():
    sides = (True, False, True, True, True, False, True, True)
    votes = np.array([1.0, 2.0, 3.0])
    tie = Answer("tie", (0, 1))
    eight = PersonAnswers(LIKES, sides)
    seven = PersonAnswers(LIKES, (*sides[:7], None))
    more = PersonAnswers((*LIKES, tie), (*sides, None))
    data = _data(NEWCOMER, [eight, seven, more], votes)
    np.testing.assert_allclose(data.weights, votes / 2)
    assert data.log_careless[1] == -np.inf
    assert data.log_careless[0] == pytest.approx(log_careless(sides), abs=1e-12)
    # what the tie adds to the evidence of an honest newcomer
    log_z = _log_z(Rows.stack([PersonAnswers((*LIKES, tie)), eight], NEWCOMER))
    expected = log_careless(sides) + log_z[0] - log_z[1]
    assert data.log_careless[2] == pytest.approx(expected, abs=1e-6)
    alone = _data(NEWCOMER, [eight], np.ones(1))
    assert alone.log_careless[0] == log_careless(sides)


def test_evidence_of_answers_about_somebody_new():
    one = Rows.stack([PersonAnswers(LIKES[:1]), PersonAnswers(())], NEWCOMER)
    # either of two alike items wins with probability one half
    np.testing.assert_allclose(_log_z(one), [np.log(0.5), 0.0], atol=1e-9)
