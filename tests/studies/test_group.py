"""What a group wants, on cases that can be worked out by hand."""

import numpy as np
import pytest

from penchant.studies import SPLIT_SHARE
from penchant.studies._group import group_items, split_people

NAMES = ["a", "b", "c", "d"]


def test_the_three_rules_can_disagree() -> None:
    # a: loved by two, hated by one; b: liked by all; d: last for most
    points = np.array(
        [[100.0, 70.0, 20.0, 0.0], [100.0, 70.0, 20.0, 0.0], [0.0, 60.0, 50.0, 100.0]]
    )
    found = {each.name: each for each in group_items(points, NAMES)}
    assert found["a"].mean == pytest.approx(200 / 3)
    assert found["b"].mean == pytest.approx(200 / 3)
    assert found["a"].misery == 0.0
    assert found["b"].misery == 60.0
    # places: a 1 1 4, b 2 2 2, c 3 3 3, d 4 4 1 of 4 items
    assert found["a"].borda == pytest.approx(100 * (3 + 3 + 0) / 9)
    assert found["b"].borda == pytest.approx(100 * (2 + 2 + 2) / 9)
    assert found["d"].borda == pytest.approx(100 * 3 / 9)
    assert found["b"].misery_place == 1
    assert (found["a"].place, found["b"].place) == (1, 1)
    assert found["c"].disagreement == pytest.approx(np.std([20, 20, 50]))


def test_split_is_both_loved_and_hated_by_enough() -> None:
    up, down = np.array([100.0, 50.0, 40.0, 0.0]), np.array([0.0, 50.0, 40.0, 100.0])
    found = {
        each.name: each for each in group_items(np.stack([up] * 7 + [down] * 3), NAMES)
    }
    assert found["a"].in_best == pytest.approx(0.7)
    assert found["a"].in_worst == pytest.approx(0.3)
    assert found["a"].split
    assert found["d"].split
    assert not found["b"].split
    fewer = {
        each.name: each for each in group_items(np.stack([up] * 8 + [down] * 2), NAMES)
    }
    assert SPLIT_SHARE == 0.3
    assert not fewer["a"].split


def test_equal_items_share_their_place() -> None:
    found = group_items(np.array([[50.0, 50.0, 100.0]]), NAMES[:3])
    assert [(each.name, each.place) for each in found] == [("c", 1), ("a", 2), ("b", 2)]
    assert [each.borda for each in found] == pytest.approx([100.0, 25.0, 25.0])


def test_people_of_two_kinds_are_told_apart_and_people_of_none_are_not() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.random(8) * 100, rng.random(8) * 100
    kinds = np.array([0] * 7 + [1] * 5)
    points = np.where(kinds[:, None] == 0, one, two) + rng.standard_normal((12, 8))
    labels, silhouette = split_people(points)
    assert len(set(labels[:7])) == 1
    assert len(set(labels[7:])) == 1
    assert labels[0] != labels[-1]
    assert silhouette > 0.8
    alike, low = split_people(one + rng.standard_normal((12, 8)) * 300)
    assert len(set(alike.tolist())) == 1 or low > 0.1
    assert np.all(split_people(points[:5])[0] == 0)
    assert np.all(split_people(np.tile(one, (9, 1)))[0] == 0)
