from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penchant.rules._conjunction_search import best_conjunctions
from penchant.rules._coverages import distinct_conjunctions


def all_totals(covers, weights, degree):
    """Sizes of the totals of all distinct sets, largest first."""
    totals = {}
    for size in range(1, degree + 1):
        for chosen in combinations(range(len(covers)), size):
            held = covers[list(chosen)].all(axis=0)
            if held.any() and not held.all():
                totals[held.tobytes()] = abs(weights[held].sum())
    return np.sort(list(totals.values()))[::-1]


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 6))
def test_finds_the_best_of_all(seed, degree, n_best):
    rng = np.random.default_rng(seed)
    covers = rng.random((rng.integers(1, 9), 25)) < rng.uniform(0.3, 0.9)
    weights = rng.normal(size=25)
    best = best_conjunctions(covers, weights, degree, n_best)
    wanted = all_totals(covers, weights, degree)[:n_best]
    np.testing.assert_allclose(np.abs(best.totals), wanted, atol=1e-12)
    for total, chosen in zip(best.totals, best.conditions, strict=True):
        held = covers[list(chosen)].all(axis=0)
        assert abs(weights[held].sum() - total) < 1e-12
        assert len(chosen) <= degree


def test_the_bound_cuts_most_branches():
    rng = np.random.default_rng(0)
    covers = rng.random((30, 200)) < 0.5
    weights = np.where(covers[3] & covers[7], 1.0, -0.2)
    best = best_conjunctions(covers, weights, 4, 1)
    assert best.conditions[0] == (3, 7)
    n_all = sum(1 for size in range(1, 5) for _ in combinations(range(30), size))
    assert best.n_nodes < n_all / 4


def test_agrees_with_the_list_on_many_conditions():
    rng = np.random.default_rng(3)
    covers = rng.random((40, 80)) < 0.4
    weights = rng.normal(size=80)
    listed = distinct_conjunctions(covers, 3, max_sets=10**5)
    sizes = np.abs(listed.sums(weights[:, None])[:, 0])
    best = best_conjunctions(covers, weights, 3, 10)
    np.testing.assert_allclose(np.abs(best.totals), np.sort(sizes)[::-1][:10])
