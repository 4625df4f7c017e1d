"""Compiled ANOVA kernels: against sums over subsets, quadrature and differences."""

from itertools import combinations

import numpy as np
import pytest

from penchant.kernels import anova_gram, anova_slopes, centred_table

ITEMS = np.random.default_rng(0).uniform(size=(6, 3))
POINTS, SHARES = np.array([0.0, 0.3, 1.0]), np.array([0.2, 0.5, 0.3])
MEASURES = [None, (POINTS, SHARES), None]
SCALES, WEIGHTS = np.array([0.3, 0.8, 0.05]), np.array([1.5, 0.4, 2.0])
ORDERS = np.array([0.0, 1.0, 0.5, 0.25])


def gaussian(x, y, scale):
    return np.exp(-0.5 * ((x[:, None] - y) / scale) ** 2)


def centred(i, x, scale, weight):
    """Centre by a fine grid: k - m m'/M, with a mean diagonal of `weight`."""
    if MEASURES[i] is None:
        points = (np.arange(1_000) + 0.5) / 1_000
        shares = np.full(1_000, 1 / 1_000)
    else:
        points, shares = MEASURES[i]
    m = gaussian(x, points, scale) @ shares
    own = gaussian(points, points, scale) @ shares
    total = shares @ own
    diagonal = 1.0 - shares @ own**2 / total
    return weight / diagonal * (gaussian(x, x, scale) - np.outer(m, m) / total)


def brute(scales, weights, orders):
    own = [centred(i, ITEMS[:, i], scales[i], weights[i]) for i in range(3)]
    total = np.full((6, 6), orders[0])
    for size in (1, 2, 3):
        for subset in combinations(own, size):
            total += orders[size] * np.multiply.reduce(subset)
    return total


def gram(scales, weights, orders):
    K, _ = anova_gram(centred_table(ITEMS, MEASURES, scales, weights), orders)
    assert not np.triu(K, 1).any()
    return K + np.tril(K, -1).T


@pytest.mark.parametrize("orders", [ORDERS, np.array([0.7, 2.0, 0.0, 1.0])])
def test_the_gram_is_the_sum_over_subsets(orders):
    expected = brute(SCALES, WEIGHTS, orders)
    np.testing.assert_allclose(gram(SCALES, WEIGHTS, orders), expected, rtol=1e-5)


@pytest.mark.parametrize("scale", [1.0, 0.2, 0.19, 0.06, 0.059, 0.016, 0.0159, 0.004])
def test_there_are_enough_nodes_for_every_scale(scale):
    points = (np.arange(1_000) + 0.5) / 1_000
    table = centred_table(ITEMS, [None] * 3, np.full(3, scale), np.ones(3))
    # the mean of the kernel at x, by its integral over [0, 1]
    m = gaussian(ITEMS[:, 0], points, scale).mean(axis=1)
    own = gaussian(points, points, scale).mean(axis=1)
    total = own.mean()
    amplitude = 1 / (1.0 - (own**2).mean() / total)
    assert table.amplitudes[0] == pytest.approx(amplitude, rel=2e-3)
    expected = m * np.sqrt(amplitude / total)
    np.testing.assert_allclose(table.means[:, 0], expected, rtol=2e-3)
    np.testing.assert_allclose(table.places, ITEMS / scale)


def test_kernels_are_those_before_centring():
    table = centred_table(ITEMS, MEASURES, SCALES, WEIGHTS)
    _, kernels = anova_gram(table, ORDERS)
    lower = np.tri(6, dtype=bool)
    for i in range(3):
        expected = gaussian(ITEMS[:, i], ITEMS[:, i], SCALES[i])[lower]
        np.testing.assert_allclose(kernels[:, i], expected, rtol=1e-12)


def test_slopes_are_finite_differences():
    slope = np.random.default_rng(1).normal(size=(6, 6))
    slope += slope.T
    table = centred_table(ITEMS, MEASURES, SCALES, WEIGHTS)
    _, kernels = anova_gram(table, ORDERS)
    found = anova_slopes(table, ORDERS, kernels, slope)
    h = 1e-5
    for i in range(3):
        up, down = (np.exp(sign * h * np.eye(3)[i]) for sign in (1, -1))
        by_scale = gram(SCALES * up, WEIGHTS, ORDERS) - gram(
            SCALES * down, WEIGHTS, ORDERS
        )
        by_weight = gram(SCALES, WEIGHTS * up, ORDERS) - gram(
            SCALES, WEIGHTS * down, ORDERS
        )
        for part, change in zip(found[:2], (by_scale, by_weight), strict=True):
            expected = (slope * change).sum() / (2 * h) / 2
            assert part[i] == pytest.approx(expected, rel=1e-6)
    for q in range(4):
        one = np.eye(4)[q]
        change = gram(SCALES, WEIGHTS, ORDERS + one) - gram(SCALES, WEIGHTS, ORDERS)
        assert found[2][q] == pytest.approx((slope * change).sum() / 2, rel=1e-9)
