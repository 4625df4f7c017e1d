"""Votes of people, against the same people several times."""

from itertools import combinations

import numpy as np
import pytest

from penchant.elicitation.groups import Newcomer, PersonAnswers, believe_group
from penchant.elicitation.groups._draws import _agreement, _pairs
from penchant.elicitation.groups._group_belief import _data
from penchant.elicitation.groups._kinds import _k_means
from penchant.elicitation.groups._mixture import Data, Mixture, fit_mixture
from penchant.elicitation.groups._votes import deviation, quantiles
from penchant.exceptions import DataError
from penchant.gp import Answer

RNG = np.random.default_rng(1)
TABLE = RNG.standard_normal((8, 3))
NEWCOMER = Newcomer.from_moments(np.zeros(8), TABLE @ TABLE.T + 0.1 * np.eye(8))
VOTES = np.array([2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0])
TWICE = np.repeat(np.arange(7), VOTES.astype(int))


def person(taste: np.ndarray, seed: int) -> PersonAnswers:
    rng = np.random.default_rng(seed)
    worth = TABLE @ taste
    answers, sides = [], []
    for _ in range(10):
        left, right = rng.choice(8, 2, replace=False)
        better = bool(worth[left] > worth[right])
        pair = (left, right) if better else (right, left)
        answers.append(Answer("comparison", pair))
        sides.append(better)
    return PersonAnswers(tuple(answers), tuple(sides))


PEOPLE = [person(np.array([2.0, 1.0 - k, 0.5]), k) for k in range(7)]
SEVERAL = [PEOPLE[k] for k in TWICE]


def test_quantiles_and_deviation_are_those_of_everybody_several_times() -> None:
    values = RNG.random((4, 7, 5))
    shares = [0.0, 0.05, 0.1, 0.5, 0.9, 1.0]
    expected = np.quantile(values[:, TWICE], shares, axis=1)
    np.testing.assert_allclose(quantiles(values, VOTES, shares), expected, atol=1e-12)
    expected = values[:, TWICE].std(axis=1)
    np.testing.assert_allclose(deviation(values, VOTES), expected, atol=1e-12)


def test_only_relative_votes_matter_where_some_are_below_one() -> None:
    values, shares = RNG.random((2, 7, 3)), [0.1, 0.5]
    whole = quantiles(values, VOTES, shares)
    np.testing.assert_allclose(quantiles(values, VOTES / 8, shares), whole)
    same = quantiles(values, np.full(7, 0.3), shares)
    np.testing.assert_array_equal(same, np.quantile(values, shares, axis=1))


def test_agreement_is_between_different_people() -> None:
    points = RNG.random((3, 7, 4))
    weights, same = [], []
    for draw in points:
        for a, b in combinations(range(7), 2):
            for i, j in combinations(range(4), 2):
                weights.append(VOTES[a] * VOTES[b])
                same.append((draw[a, i] > draw[a, j]) == (draw[b, i] > draw[b, j]))
    found = _agreement(points, VOTES, _pairs(4)) / len(points)
    assert found == pytest.approx(np.average(same, weights=weights), abs=1e-12)


@pytest.mark.parametrize("n_kinds", [1, 2])
def test_clouds_are_those_of_everybody_several_times(n_kinds: int) -> None:
    once = _data(NEWCOMER, PEOPLE, np.ones(7))._replace(weights=VOTES)
    twice = _data(NEWCOMER, SEVERAL, np.ones(len(SEVERAL)))
    start = np.random.default_rng(3).normal(size=(n_kinds, once.rows.H.shape[-1]))

    def fit(data: Data) -> Mixture:
        return fit_mixture(data, 0.3, start)

    a, b = fit(once), fit(twice)
    np.testing.assert_allclose(a.centres, b.centres, atol=1e-9)
    np.testing.assert_allclose(a.shares, b.shares, atol=1e-10)
    assert a.careless == pytest.approx(b.careless, abs=1e-12)
    assert a.log_evidence(once) == pytest.approx(b.log_evidence(twice), abs=1e-8)
    np.testing.assert_allclose(
        a.membership(once)[:, TWICE], b.membership(twice), atol=1e-9
    )


def test_the_best_split_is_that_of_everybody_several_times() -> None:
    points = np.vstack([RNG.normal(0, 0.1, (4, 2)), RNG.normal(3, 0.1, (3, 2))])
    once = _k_means(points, VOTES, 2, np.random.default_rng(0))
    several = _k_means(points[TWICE], np.ones(TWICE.size), 2, np.random.default_rng(0))
    apart = once[TWICE][:, None] == once[TWICE]
    np.testing.assert_array_equal(apart, several[:, None] == several)


def test_more_votes_pull_the_group_and_all_more_change_nothing() -> None:
    plain = believe_group(NEWCOMER, PEOPLE)
    ones = believe_group(NEWCOMER, PEOPLE, votes=np.ones(7))
    doubled = believe_group(NEWCOMER, PEOPLE, votes=np.full(7, 2.0))
    for other in (ones, doubled):
        np.testing.assert_array_equal(other.points, plain.points)
        np.testing.assert_array_equal(other.everybody.mean, plain.everybody.mean)
        np.testing.assert_array_equal(other.deviation, plain.deviation)
    assert doubled.in_top.sum() == pytest.approx(2 * plain.in_top.sum())

    heavy = believe_group(NEWCOMER, PEOPLE, votes=[9.0, *[1.0] * 6])
    several = believe_group(NEWCOMER, [PEOPLE[0]] * 8 + PEOPLE)
    # 200 draws of seven people, in points: the standard error is near 1
    gap = np.abs(heavy.everybody.mean - several.everybody.mean)
    assert gap.max() < 6 < np.abs(plain.everybody.mean - heavy.everybody.mean).max()
    assert heavy.in_top.sum() == pytest.approx(3 * 15)


@pytest.mark.parametrize("votes", [[1.0] * 6, [0.0] * 7, [np.nan] * 7, [np.inf] * 7])
def test_votes_are_numbers_above_zero(votes: list[float]) -> None:
    with pytest.raises(DataError, match="votes must be 7 numbers above 0"):
        believe_group(NEWCOMER, PEOPLE, votes=votes)
