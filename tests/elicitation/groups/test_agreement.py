"""Agreement and first three of a group, against counting one by one."""

from itertools import combinations

import numpy as np
import pytest

from penchant.elicitation.groups import Newcomer, PersonAnswers, believe_group
from penchant.elicitation.groups._draws import _agreement, _pairs
from penchant.gp import Answer


def test_agreement_counts_pairs_of_people_and_of_items() -> None:
    points = np.random.default_rng(0).random((3, 5, 4))
    same = [
        (draw[a, i] > draw[a, j]) == (draw[b, i] > draw[b, j])
        for draw in points
        for a, b in combinations(range(5), 2)
        for i, j in combinations(range(4), 2)
    ]
    found = _agreement(points, np.ones(5), _pairs(4)) / len(points)
    assert found == pytest.approx(np.mean(same), abs=1e-12)


def test_of_many_items_some_pairs_are_compared() -> None:
    assert _pairs(10).shape == (2, 45)
    assert 300 <= _pairs(200).shape[1] < 320


def test_people_who_say_the_same_agree_and_opposed_ones_do_not() -> None:
    newcomer = Newcomer.from_moments(np.zeros(4), np.eye(4))
    order = [(3, 2), (2, 1), (1, 0), (3, 0), (3, 1), (2, 0)] * 3
    up = PersonAnswers(tuple(Answer("comparison", pair) for pair in order))
    turned = [(b, a) for a, b in order]
    down = PersonAnswers(tuple(Answer("comparison", pair) for pair in turned))
    together = believe_group(newcomer, [up] * 6)
    apart = believe_group(newcomer, [up] * 3 + [down] * 3)
    assert together.agreement > 0.8 > 0.6 > apart.agreement
    assert together.in_top.sum() == pytest.approx(3 * 6)
    assert together.in_top[3] > 5 > 2 > together.in_top[0]
    assert np.isnan(believe_group(newcomer, [up]).agreement)
