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


@given(arrays(float, 16, elements=entries))
@settings(max_examples=50, deadline=None)
def test_moebius_and_zeta_undo_each_other(values):
    values[0] = 0
    np.testing.assert_allclose(Capacity.from_values(values).values(), values, atol=1e-9)


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
    indices = capacity.interactions()
    assert set(indices) == set(all_subsets(n)) - {frozenset()}
    for subset, index in indices.items():
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
        assert index == pytest.approx(expected, abs=1e-12)
    pairs = capacity.interaction()
    np.testing.assert_array_equal(pairs, pairs.T)
    for i, j in combinations(range(n), 2):
        assert pairs[i, j] == pytest.approx(indices[frozenset({i, j})])
    for i, importance in enumerate(capacity.shapley()):
        assert importance == pytest.approx(indices[frozenset({i})])
    assert set(capacity.interactions(1)) == {frozenset({i}) for i in range(n)}


@pytest.mark.parametrize(
    ("mobius", "orness"),
    [
        ({(0, 1, 2): 1.0}, 0.0),
        ({(0,): 1 / 3, (1,): 1 / 3, (2,): 1 / 3}, 0.5),
        (
            {
                (0,): 2,
                (1,): 2,
                (2,): 2,
                (0, 1): -2,
                (0, 2): -2,
                (1, 2): -2,
                (0, 1, 2): 2,
            },
            1.0,
        ),
    ],
)
def test_orness_of_minimum_mean_and_maximum(mobius, orness):
    capacity = Capacity(mobius, 3)
    assert capacity.orness() == pytest.approx(orness)
    np.testing.assert_allclose(capacity.veto(), 1 - orness, atol=1e-12)
    np.testing.assert_allclose(capacity.favour(), orness, atol=1e-12)


def test_veto_and_favour_are_conditional_means():
    capacity = Capacity({(0,): 0.6, (1,): 0.1, (0, 1): 0.2, (1, 2): 0.1}, 3)
    X = np.random.default_rng(0).random((200_000, 3))
    for i in range(3):
        X0, X1 = X.copy(), X.copy()
        X0[:, i], X1[:, i] = 0, 1
        low, high = capacity.choquet(X0).mean(), capacity.choquet(X1).mean()
        # standard error below 1e-3
        assert capacity.veto()[i] == pytest.approx(1 - 1.5 * low, abs=5e-3)
        assert capacity.favour()[i] == pytest.approx(1.5 * high - 0.5, abs=5e-3)
    assert capacity.favour().mean() == pytest.approx(capacity.orness())
    assert capacity.veto().mean() == pytest.approx(1 - capacity.orness())


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


def test_nearest_monotone_is_the_projection():
    cvxpy = pytest.importorskip("cvxpy")
    for k in (1, 2, 3, 4):
        capacity = random_capacity(4, seed=k, k=k)
        sets = list(capacity.mobius)
        start = np.array([capacity.mobius[s] for s in sets])
        m = cvxpy.Variable(len(sets))
        gains = [
            np.array([float(i in t and t <= s | {i}) for t in sets])
            for s in all_subsets(4)
            for i in range(4)
            if i not in s
        ]
        problem = cvxpy.Problem(
            cvxpy.Minimize(cvxpy.sum_squares(m - start)), [np.array(gains) @ m >= 0]
        )
        tight = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-11)
        problem.solve(solver="CLARABEL", **tight)
        nearest = capacity.nearest_monotone()
        found = np.array([nearest.mobius[s] for s in sets])
        assert nearest.monotonicity() == 1
        np.testing.assert_allclose(found, m.value, atol=1e-4)
        assert np.sum((found - start) ** 2) <= problem.value * (1 + 1e-6)


def test_a_monotone_capacity_is_its_own_projection():
    capacity = Capacity({(0,): 0.3, (1,): 0.4, (0, 1): -0.2}, 2)
    assert capacity.compare(capacity.nearest_monotone()).distance < 1e-5
    zero = Capacity({(0,): 0.0}, 2).nearest_monotone()
    assert zero.total == 0


def test_projection_of_many_attributes_needs_pairs_only():
    n = 25
    pairs = Capacity({(0,): -1.0, (0, 1): 0.5, (3,): 1.0}, n)
    assert pairs.nearest_monotone().monotonicity(n_samples=500) == 1
    with pytest.raises(DataError, match="at most"):
        Capacity({(0, 1, 2): 1.0}, n).nearest_monotone()


def test_comparison_says_how_far():
    a = Capacity({(0,): 0.5, (1,): 0.5}, 2)
    b = Capacity({(0,): 0.5, (0, 1): 0.5}, 2)
    difference = a.compare(b)
    assert difference.distance == pytest.approx(np.sqrt(0.5))
    np.testing.assert_allclose(difference.shapley, [-0.25, 0.25])
    np.testing.assert_allclose(difference.interaction, [[0, -0.5], [-0.5, 0]])
    with pytest.raises(DataError, match="equally many"):
        a.compare(Capacity({(0,): 1.0}, 3))


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


def test_normalized_has_total_one():
    capacity = Capacity({(0,): 2.0, (0, 1): 2.0}, 2).normalized()
    assert capacity.total == pytest.approx(1)
    with pytest.raises(DataError, match="mu"):
        Capacity({(0,): -1.0}, 1).normalized()


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
        lambda: Capacity.from_values([0.0, 1.0, 2.0]),
        lambda: Capacity.from_values([1.0, 1.0]),
        lambda: Capacity({(0,): 1.0}, 2).value([5]),
        lambda: Capacity({(0,): 1.0}, 2).choquet([[1.0]]),
        lambda: Capacity({(0,): 1.0}, 1).orness(),
        lambda: Capacity({(0,): 0.0}, 2).veto(),
    ],
)
def test_what_is_no_capacity_is_refused(make):
    with pytest.raises(PenchantError, match=r"Got"):
        make()
