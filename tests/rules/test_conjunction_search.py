"""Branch and bound against all conjunctions, made one by one."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.rules._conjunction_search import SearchedFeatures


def all_totals(covers, weights, degree):
    """Sizes of the totals of all distinct sets, largest first."""
    totals = {}
    for size in range(1, degree + 1):
        for chosen in combinations(range(len(covers)), size):
            held = covers[list(chosen)].all(axis=0)
            if held.any() and not held.all():
                totals[held.tobytes()] = abs(weights[held].sum())
    return np.sort(list(totals.values()))[::-1]


@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 6))
def test_finds_the_best_of_all(seed, degree, n_best):
    rng = np.random.default_rng(seed)
    covers = rng.random((rng.integers(1, 9), 25)) < rng.uniform(0.3, 0.9)
    weights = rng.normal(size=25)
    best = SearchedFeatures(covers, degree, tuple).price(weights[:, None], n_best)
    wanted = all_totals(covers, weights, degree)[:n_best]
    np.testing.assert_allclose(best.payoffs, wanted, atol=1e-9)
    for payoff, better, chosen in zip(
        best.payoffs, best.better, best.keys, strict=True
    ):
        held = covers[list(chosen)].all(axis=0)
        sign = 1 if better == 1 else -1
        assert sign * weights[held].sum() == pytest.approx(payoff)
        assert len(chosen) <= degree


def test_the_best_of_many_conditions():
    rng = np.random.default_rng(3)
    covers = rng.random((30, 80)) < 0.4
    weights = rng.normal(size=(80, 1))
    best = SearchedFeatures(covers, 3, tuple).price(weights, 10)
    np.testing.assert_allclose(best.payoffs, all_totals(covers, weights[:, 0], 3)[:10])


def test_of_equal_sets_the_shortest_conjunction_is_given():
    covers = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 0]], dtype=bool)
    weights = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    best = SearchedFeatures(covers, 3, tuple).price(weights, 3)
    assert best.keys == [(0,), (1,)]


def test_the_bound_cuts_most_branches():
    rng = np.random.default_rng(0)
    covers = rng.random((30, 200)) < 0.5
    weights = np.where(covers[3] & covers[7], 1.0, -0.2)[:, None]
    features = SearchedFeatures(covers, 5, tuple)
    looked = []
    leaves = features._prefixes

    def count(*given):
        for prefix in leaves(*given):
            looked.append(prefix)
            yield prefix

    features._prefixes = count
    assert features.price(weights, 1).keys == [(3, 7)]
    assert len(looked) < 30 * 29 * 28 / 6 / 4
