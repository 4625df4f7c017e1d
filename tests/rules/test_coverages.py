from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.rules._coverages import distinct_conjunctions


def brute_force(covers, degree):
    """Every set that a conjunction covers, with the shortest one that does."""
    found = {}
    for size in range(1, degree + 1):
        for chosen in combinations(range(len(covers)), size):
            held = covers[list(chosen)].all(axis=0)
            if held.any() and not held.all():
                found.setdefault(held.tobytes(), chosen)
    return found


@given(st.integers(0, 10**6), st.integers(1, 3), st.sampled_from([3, 64, 65, 130]))
def test_every_set_of_rows_is_listed_once(seed, degree, n_rows):
    rng = np.random.default_rng(seed)
    covers = rng.random((rng.integers(1, 9), n_rows)) < rng.uniform(0.1, 0.95)
    coverages = distinct_conjunctions(covers, degree, max_sets=10**4)
    wanted = brute_force(covers, degree)
    sets = coverages.indicators(np.arange(coverages.n_sets)).T.astype(bool)
    assert {held.tobytes() for held in sets} == set(wanted)
    assert len(sets) == len(wanted)
    for k, held in enumerate(sets):
        chosen = coverages.conditions(k)
        assert (covers[list(chosen)].all(axis=0) == held).all()
        assert len(chosen) == len(wanted[held.tobytes()])


def test_sums_are_products_with_the_indicators():
    rng = np.random.default_rng(0)
    coverages = distinct_conjunctions(rng.random((7, 90)) < 0.6, 3, max_sets=10**4)
    table = coverages.indicators(np.arange(coverages.n_sets))
    for n_channels in (1, 4):
        weights = rng.normal(size=(90, n_channels))
        np.testing.assert_allclose(coverages.sums(weights), table.T @ weights)


def test_low_degrees_come_first():
    rng = np.random.default_rng(1)
    coverages = distinct_conjunctions(rng.random((9, 40)) < 0.5, 3, max_sets=10**4)
    degrees = [len(coverages.conditions(k)) for k in range(coverages.n_sets)]
    assert degrees == sorted(degrees)
    assert set(degrees) == {1, 2, 3}


def test_too_many_sets_are_given_up():
    covers = ~np.eye(12, dtype=bool)  # all conjunctions differ
    assert distinct_conjunctions(covers, 2, max_sets=12 + 66).n_sets == 78
    assert distinct_conjunctions(covers, 2, max_sets=77) is None


@pytest.mark.parametrize("shape", [(0, 5), (3, 0)])
def test_nothing_to_list(shape):
    coverages = distinct_conjunctions(np.ones(shape, dtype=bool), 2, max_sets=9)
    assert coverages.n_sets == 0
    assert coverages.sums(np.ones((shape[1], 2))).shape == (0, 2)


def test_rows_that_all_conditions_cover_are_no_set():
    assert distinct_conjunctions(np.ones((2, 7), dtype=bool), 2, max_sets=9).n_sets == 0
