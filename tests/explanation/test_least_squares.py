"""The squares of `LeastSquaresExplainer`: which sets, and with which weights."""

from math import comb

import numpy as np
import pytest

from penchant.explanation._least_squares import draw_sets, smallest_budget


@pytest.mark.parametrize("n_players", [4, 5, 6, 8, 9])
def test_with_all_sets_weights_are_those_of_the_shapley_kernel(n_players):
    masks, weights = draw_sets(n_players, 1 << n_players, np.random.default_rng(0))
    assert len(set(masks)) == (1 << n_players) - 1
    sizes = np.array([mask.bit_count() for mask in masks[:-1]])
    pairs = [comb(n_players, s) * s * (n_players - s) for s in sizes.tolist()]
    kernel = 1.0 / np.array(pairs)
    np.testing.assert_allclose(
        weights[:-1] / weights[0], kernel / kernel[0], rtol=1e-12
    )


@pytest.mark.parametrize("n_players", [6, 8])
def test_half_sizes_have_their_share_also_when_sets_are_drawn(n_players):
    """Over draws the weight of each size is its share of the kernel, 1 / (s (d - s)).

    A set of half the players and its complement are both of that size: counted as two
    sizes, halves would weigh twice as much.
    """
    rng = np.random.default_rng(1)
    totals = np.zeros(n_players)
    for _ in range(200):
        masks, weights = draw_sets(n_players, 2 * n_players + 17, rng)
        for mask, weight in zip(masks[:-1], weights, strict=False):
            totals[mask.bit_count()] += weight
    sizes = np.arange(1, n_players)
    kernel = 1.0 / (sizes * (n_players - sizes))
    np.testing.assert_allclose(totals[1:] / totals[1], kernel / kernel[0], rtol=0.05)


@pytest.mark.parametrize("budget", [27, 31, 35])
def test_sizes_that_have_no_set_leave_their_weight_to_the_others(budget):
    _, weights = draw_sets(12, budget, np.random.default_rng(0))
    sizes = np.arange(1, 12)
    assert weights.sum() == pytest.approx((1.0 / (sizes * (12 - sizes))).sum())


def test_the_smallest_budget_is_sizes_1_and_d_less_1_and_all():
    assert [smallest_budget(d) for d in (1, 2, 3, 4, 9)] == [1, 3, 7, 9, 19]
