from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.gai.solver import _pricing
from penchant.gai.solver._pricing import ListPricer, Pricer
from penchant.kernels import RBF
from penchant.utility._factors import FactorDictionary


def instance(seed, n_attributes=6, amplitude=4.0, max_order=None):
    rng = np.random.default_rng(seed)
    feature_map = RBF(0.6).scaled(amplitude).feature_map()
    features = [feature_map(x) for x in rng.random((n_attributes, 9))]
    dictionary = FactorDictionary(features, max_order or n_attributes)
    return dictionary, rng.normal(size=9)


def all_values(dictionary, pull):
    orders = range(1, dictionary.max_order + 1)
    return {
        subset: float(np.sum((dictionary.columns(subset).T @ pull) ** 2))
        for order in orders
        for subset in combinations(range(dictionary.n_attributes), order)
    }


CASES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10_000),
        "amplitude": st.sampled_from([1.0, 4.0]),
        "max_order": st.sampled_from([None, 1, 2, 4, 5]),
    }
)


@given(case=CASES)
def test_finds_what_brute_force_finds(case):
    dictionary, pull = instance(**case)
    values = all_values(dictionary, pull)
    threshold = 1.000001 * np.quantile(list(values.values()), 0.8)
    ranked = sorted(values, key=values.get, reverse=True)
    for pricer in (Pricer(dictionary), ListPricer.of_all(dictionary)):
        found = pricer.search(pull, threshold, limit=10_000, budget=10_000)
        assert list(found.violated) == [s for s in ranked if values[s] > threshold]
        assert found.complete
        assert found.bound == pytest.approx(values[ranked[0]], rel=1e-9)


@given(case=CASES, limit=st.integers(1, 5))
def test_a_limit_keeps_the_most_violated(case, limit):
    dictionary, pull = instance(**case)
    values = all_values(dictionary, pull)
    ranked = sorted(values, key=values.get, reverse=True)
    for pricer in (Pricer(dictionary), ListPricer.of_all(dictionary)):
        found = pricer.search(pull, 0.0, limit=limit, budget=10_000)
        assert list(found.violated) == ranked[:limit]


@given(case=CASES, budget=st.integers(1, 20))
def test_the_bound_holds_when_the_budget_ends_the_search(case, budget):
    dictionary, pull = instance(**case)
    largest = max(all_values(dictionary, pull).values())
    found = Pricer(dictionary).search(pull, 0.0, limit=10_000, budget=budget)
    assert found.bound >= largest * (1 - 1e-12)


def test_a_list_without_room_for_its_kernels_prices_the_same(monkeypatch):
    dictionary, pull = instance(3)
    subsets = [(0, 1, 4), (2,), (1, 5), (0, 1)]  # not all begin with another one
    kept = ListPricer(dictionary, subsets).search(pull, 0.0, limit=9, budget=1)
    monkeypatch.setattr(_pricing, "_FEW_NUMBERS", 0)
    computed = ListPricer(dictionary, subsets).search(pull, 0.0, limit=9, budget=1)
    assert computed.violated == kept.violated
    values = all_values(dictionary, pull)
    assert computed.bound == pytest.approx(max(values[s] for s in subsets))
    assert kept.bound == pytest.approx(computed.bound)
    assert ListPricer.of_all(dictionary) is None  # too many to look at each


def test_bounds_prune_most_subsets():
    dictionary, pull = instance(0, n_attributes=12, amplitude=1.0)
    threshold = 0.5 * (pull @ pull)
    found = Pricer(dictionary).search(pull, threshold, limit=100, budget=10_000)
    assert found.complete
    assert found.n_nodes < 100  # of 4095 subsets
