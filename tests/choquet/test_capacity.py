import copy
import json
import pickle
from dataclasses import FrozenInstanceError
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from penchant.exceptions import DataError, PenchantError
from penchant.models import Capacity

entries = st.floats(-2, 2, allow_subnormal=False).map(lambda x: round(x, 3))


def all_subsets(n):
    sizes = (combinations(range(n), size) for size in range(n + 1))
    return [frozenset(s) for s in chain.from_iterable(sizes)]


def in_binary_order(n):
    return sorted(all_subsets(n), key=lambda s: sum(1 << i for i in s))


def random_capacity(n=4, seed=0, k=None):
    rng = np.random.default_rng(seed)
    top = n if k is None else k
    sets = [s for s in all_subsets(n) if 0 < len(s) <= top]
    return Capacity({s: float(rng.normal()) for s in sets}, n)


def test_values_are_sums_over_subsets():
    capacity = random_capacity()
    for subset, value in zip(in_binary_order(4), capacity.values(), strict=True):
        expected = sum(m for t, m in capacity.mobius.items() if t <= subset)
        assert value == pytest.approx(expected, abs=1e-12)
        assert capacity.value(subset) == pytest.approx(expected, abs=1e-12)


@given(arrays(float, (3, 4), elements=entries))
@settings(max_examples=50, deadline=None)
def test_choquet_integral_equals_its_definition_by_sorting(X):
    capacity = random_capacity()
    for row, integral in zip(X, capacity.choquet(X), strict=True):
        order, below, expected = np.argsort(row, kind="stable"), 0.0, 0.0
        for position, i in enumerate(order):
            expected += (row[i] - below) * capacity.value(order[position:].tolist())
            below = row[i]
        assert integral == pytest.approx(expected, abs=1e-9)


def test_shapley_values_average_gains_over_orders():
    from itertools import permutations

    capacity = random_capacity()
    gains = np.zeros(4)
    for order in permutations(range(4)):
        for position, i in enumerate(order):
            gains[i] += capacity.value(order[: position + 1])
            gains[i] -= capacity.value(order[:position])
    np.testing.assert_allclose(capacity.shapley(), gains / 24)
    assert capacity.shapley().sum() == pytest.approx(capacity.total)


def test_interactions_equal_their_definition_by_discrete_derivatives():
    from math import factorial

    n = 4
    capacity = random_capacity(n)
    pairs = capacity.interaction()
    np.testing.assert_array_equal(pairs, pairs.T)
    np.testing.assert_array_equal(np.diag(pairs), 0.0)
    for subset in map(frozenset, combinations(range(n), 2)):
        s, expected = len(subset), 0.0
        for rest in all_subsets(n):
            if rest & subset:
                continue
            t = len(rest)
            weight = factorial(n - t - s) * factorial(t) / factorial(n - s + 1)
            derivative = sum(
                (-1) ** (s - len(part)) * capacity.value(part | rest)
                for part in map(
                    frozenset,
                    chain.from_iterable(
                        combinations(sorted(subset), size) for size in range(s + 1)
                    ),
                )
            )
            expected += weight * derivative
        assert pairs[tuple(subset)] == pytest.approx(expected, abs=1e-12)


def test_monotonicity_counts_covering_pairs():
    capacity = random_capacity(5, seed=3)
    pairs = [(s, s | {i}) for s in all_subsets(5) for i in range(5) if i not in s]
    risen = [capacity.value(a) <= capacity.value(b) for a, b in pairs]
    assert len(pairs) == 5 * 2**4
    assert capacity.monotonicity() == pytest.approx(np.mean(risen))
    assert capacity.monotonicity(return_std=True)[1] == 0


def test_sampled_monotonicity_has_an_honest_error_bar():
    n = 24
    rng = np.random.default_rng(0)
    mobius = {frozenset({i}): float(m) for i, m in enumerate(rng.normal(size=n))}
    exact = np.mean([m >= 0 for m in mobius.values()])
    degree, std = Capacity(mobius, n).monotonicity(return_std=True)
    assert 0.003 < std < 0.006
    assert abs(degree - exact) < 4 * std
    rising = Capacity({(i,): 1.0 for i in range(n)}, n)
    degree, std = rising.monotonicity(return_std=True, n_samples=100, random_state=1)
    assert degree == 1
    assert std > 0
    generator = np.random.default_rng(2)
    assert rising.monotonicity(n_samples=10, random_state=generator) == 1


def test_json_pickle_and_copies_round_trip():
    capacity = Capacity({(0,): 0.5, (0, 1): 0.5}, 2, names=("price", "size"))
    again = Capacity.from_dict(json.loads(json.dumps(capacity.to_dict())))
    assert again == capacity
    assert pickle.loads(pickle.dumps(capacity)) == capacity
    assert copy.deepcopy(capacity) == capacity
    assert capacity != Capacity({(0,): 0.5}, 2, names=("price", "size"))
    unnamed = Capacity({(0,): 0.5}, 1)
    assert Capacity.from_dict(unnamed.to_dict()) == unnamed


def test_nobody_can_change_a_capacity():
    coefficients = {frozenset({0}): 1.0}
    capacity = Capacity(coefficients, 1)
    coefficients[frozenset({0})] = 5.0
    capacity.mobius[frozenset({0})] = 7.0
    assert capacity.total == 1
    with pytest.raises(FrozenInstanceError):
        capacity.mobius = {}
    with pytest.raises(FrozenInstanceError):
        capacity.n = 3


def test_names_can_stand_for_positions():
    capacity = Capacity({(0,): 0.5, (0, 1): 0.5}, 2, names=["price", "a<b"])
    assert capacity.value(["price"]) == 0.5
    assert "a&lt;b" in capacity._repr_html_()
    assert "n=2" in repr(capacity)
    with pytest.raises(DataError, match="no attribute"):
        capacity.value(["colour"])


def test_many_attributes_need_no_list_of_sets():
    n = 60
    capacity = Capacity({(0, 59): 1.0, (3,): 0.5}, n)
    assert capacity.value(range(n)) == 1.5
    assert capacity.choquet(np.full((2, n), 0.5)).tolist() == [0.75, 0.75]
    with pytest.raises(DataError, match="at most 20"):
        capacity.values()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Capacity({(): 1.0}, 2),
        lambda: Capacity({(0,): np.nan}, 2),
        lambda: Capacity({(2,): 1.0}, 2),
        lambda: Capacity({(-1,): 1.0}, 2),
        lambda: Capacity({}, 0),
        lambda: Capacity({(0,): 1.0}, 2, names=("a",)),
        lambda: Capacity({(0,): 1.0}, 2).value([5]),
        lambda: Capacity({(0,): 1.0}, 2).choquet([[1.0]]),
    ],
)
def test_what_is_no_capacity_is_refused(make):
    with pytest.raises(PenchantError, match=r"Got"):
        make()
