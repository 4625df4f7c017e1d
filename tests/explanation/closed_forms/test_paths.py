"""Shapley values along a line, against sums over coalitions."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from penchant.explanation.closed_forms._paths import (
    combine,
    path_covariance,
    path_values,
)

ORDERS = {
    "product": np.zeros(0),
    "first": np.array([0.8]),
    "two": np.array([1.0, -0.5]),
    "three": np.array([0.3, 0.7, 2.0]),
    "all": np.array([0.3, 0.7, 2.0, -1.0]),
}


def worth(factors, orders):
    """Give F by its definition."""
    if not orders.size:
        return np.prod(factors)
    return sum(
        weight * np.prod(chosen)
        for size, weight in enumerate(orders, start=1)
        for chosen in combinations(factors, size)
    )


def weights(d):
    """Give the contribution of each coalition's worth to each player's value."""
    table = np.zeros((d, 2**d))
    for i in range(d):
        for mask in range(2**d):
            if not mask >> i & 1:
                share = 1 / (d * comb(d - 1, mask.bit_count()))
                table[i, mask | 1 << i] += share
                table[i, mask] -= share
    return table


def coalitions(item, reference):
    d = len(item)
    inside = np.array([[mask >> i & 1 for i in range(d)] for mask in range(2**d)])
    return np.where(inside, item, reference)


@pytest.mark.parametrize("d", [1, 2, 4, 5])
@pytest.mark.parametrize("name", ORDERS)
def test_values_are_shapley_values(name, d):
    orders = ORDERS[name]
    if orders.size > d:
        orders = orders[:d]
    item, reference = np.random.default_rng(d).normal(size=(2, 3, d))
    reference[1] = item[1]
    reference[2, 0] = item[2, 0]
    values = path_values(item, reference, orders)
    for k in range(3):
        worths = [worth(row, orders) for row in coalitions(item[k], reference[k])]
        np.testing.assert_allclose(values[k], weights(d) @ worths, atol=1e-12)
    change = combine(item, orders) - combine(reference, orders)
    np.testing.assert_allclose(values.sum(axis=1), change, atol=1e-12)


@pytest.mark.parametrize("name", ORDERS)
def test_f_is_its_definition(name):
    factors = np.random.default_rng(0).normal(size=(3, 4))
    expected = [worth(row, ORDERS[name]) for row in factors]
    np.testing.assert_allclose(combine(factors, ORDERS[name]), expected)


@pytest.mark.parametrize("d", [2, 4])
@pytest.mark.parametrize("name", ORDERS)
def test_covariance_is_that_of_the_game_with_random_worths(name, d):
    orders = ORDERS[name][:d]
    rng = np.random.default_rng(1)
    own, cross, reference = rng.uniform(0.2, 1.5, size=(3, d))
    cov = np.empty((2**d, 2**d))
    for s in range(2**d):
        for t in range(2**d):
            a = np.array([s >> i & 1 for i in range(d)])
            b = np.array([t >> i & 1 for i in range(d)])
            both = np.where(a & b, own, np.where(a | b, cross, reference))
            cov[s, t] = worth(both, orders)
    expected = weights(d) @ cov @ weights(d).T
    found = path_covariance(own, cross, reference, orders)
    np.testing.assert_allclose(found, expected, atol=1e-12)
