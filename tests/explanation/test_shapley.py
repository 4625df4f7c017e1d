"""Weights of influences, against sums over orders and subsets."""

from itertools import combinations, permutations
from math import comb, factorial

import numpy as np
import pytest

from penchant.explanation._shapley import (
    coalitional_weights,
    depth_weights,
    mask_of,
    masks_up_to,
    members,
    membership,
    normalized,
    order_chances,
    shapley_of_table,
    spread_gap,
    submasks,
)

D = 4
EVERY = masks_up_to(D, D)
WORTH = dict(zip(EVERY, np.random.default_rng(0).normal(size=15), strict=True)) | {
    0: 0.0
}


def shapley(players):
    """Average over all orders of some players."""
    values = dict.fromkeys(players, 0.0)
    for order in permutations(players):
        before = 0
        for i in order:
            values[i] += (WORTH[before | 1 << i] - WORTH[before]) / factorial(
                len(order)
            )
            before |= 1 << i
    return values


def test_sets_are_bits():
    assert mask_of([0, 3]) == 9
    assert members(9) == (0, 3)
    assert members(0) == ()
    assert sorted(submasks(11)) == [1, 2, 3, 8, 9, 10, 11]
    assert masks_up_to(3, 2) == [1, 2, 4, 3, 5, 6]
    wide = membership([1 << 8 | 1, 2], 9)
    assert wide.tolist() == [[True, *[False] * 7, True], [False, True, *[False] * 7]]
    assert membership([255], 8).all()


@pytest.mark.parametrize("n", [0, 1, 4])
def test_chances_of_a_set_to_come_first(n):
    expected = [
        factorial(s) * factorial(n - s) / factorial(n + 1) for s in range(n + 1)
    ]
    np.testing.assert_allclose(order_chances(n), expected)
    assert sum(comb(n, s) * p for s, p in enumerate(order_chances(n))) == pytest.approx(
        1
    )


def test_shapley_values_are_means_over_orders():
    worths = np.array([WORTH[mask] for mask in EVERY])
    expected = list(shapley(range(D)).values())
    np.testing.assert_allclose(worths @ depth_weights(EVERY, D, D), expected)
    table = np.zeros((2,) * D)
    for mask, worth in WORTH.items():
        table[tuple(mask >> i & 1 for i in range(D))] = worth
    np.testing.assert_allclose(shapley_of_table(table), expected)
    assert shapley_of_table(np.array(3.0)).size == 0


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_depth_averages_gains_over_the_sizes_below(depth):
    masks = masks_up_to(D, depth)
    worths = np.array([WORTH[mask] for mask in masks])
    expected = []
    for i in range(D):
        others = [j for j in range(D) if j != i]
        means = [
            np.mean(
                [
                    WORTH[mask_of(s) | 1 << i] - WORTH[mask_of(s)]
                    for s in combinations(others, size)
                ]
            )
            for size in range(depth)
        ]
        expected.append(np.mean(means))
    np.testing.assert_allclose(worths @ depth_weights(masks, D, depth), expected)


def test_coalitional_influences_weigh_groups_by_factorials():
    groups = [mask_of(g) for g in ([0, 1, 2], [2, 3], [1])]
    worths = np.array([WORTH[mask] for mask in EVERY])
    total, weight = np.zeros(D), np.zeros(D)
    for group in groups:
        own = factorial(len(members(group)))
        for i, value in shapley(members(group)).items():
            total[i] += own * value
            weight[i] += own
    found = worths @ coalitional_weights(EVERY, D, groups)
    np.testing.assert_allclose(found, total / weight)


def test_what_is_missing_is_spread_evenly():
    masks = masks_up_to(D, 2)
    weights = depth_weights(masks, D, 2)
    more, spread = normalized(masks, weights, 15)
    assert more == [*masks, 15]
    before = np.array([WORTH[m] for m in masks]) @ weights
    after = np.array([WORTH[m] for m in more]) @ spread
    np.testing.assert_allclose(after, before + (WORTH[15] - before.sum()) / D)
    again, same = normalized(more, spread, 15)
    assert again == more
    np.testing.assert_allclose(same, spread, atol=1e-15)
    np.testing.assert_allclose(spread_gap(spread, more, 15), spread, atol=1e-15)
