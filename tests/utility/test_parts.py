from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.exceptions import DataError
from penchant.kernels import RBF, Categorical, Ordinal
from penchant.models import CompactGAI, DualGAI, KnotMap, TensorGAI

KERNELS = (RBF(0.7), Categorical(3, (1.0, 2.0, 1.0)), Ordinal((0.0, 0.5, 1.0), 0.8))


def tensor_utility(seed=0):
    """A utility with random tensors over one attribute of each kind."""
    rng = np.random.default_rng(seed)
    maps = {i: kernel.feature_map() for i, kernel in enumerate(KERNELS)}
    subsets = ((0,), (2,), (0, 1), (1, 2), (0, 1, 2))
    shapes = [[maps[i].n_features for i in subset] for subset in subsets]
    tensors = tuple(rng.standard_normal(shape) for shape in shapes)
    return TensorGAI(maps, subsets, tensors, 1.5)


def dual_utility(seed=0):
    """A utility of all orders with random coefficients."""
    rng = np.random.default_rng(seed)
    items = np.column_stack(
        [rng.random(7), rng.integers(3, size=7), rng.integers(3, size=7) / 2]
    )
    return DualGAI((0, 1, 2), KERNELS, items, rng.standard_normal(7), (1, 0.5, 2), -2.0)


UTILITIES = [tensor_utility(), dual_utility()]


def measure():
    """All points of the product of the attributes' measures, and their weights."""
    points, weights = zip(*(kernel.measure() for kernel in KERNELS), strict=True)
    grid = np.stack([a.ravel() for a in np.meshgrid(*points, indexing="ij")], axis=1)
    mass = np.prod([a.ravel() for a in np.meshgrid(*weights, indexing="ij")], axis=0)
    return grid, mass


@pytest.mark.parametrize("utility", UTILITIES)
def test_parts_add_up_and_agree_with_single_factors(utility):
    grid, _ = measure()
    parts = utility.decompose(grid)
    assert tuple(parts) == utility.factors
    np.testing.assert_allclose(
        utility.intercept + sum(parts.values()), utility.utility(grid), atol=1e-12
    )
    for factor, part in parts.items():
        np.testing.assert_allclose(utility.factor(factor, grid[:, list(factor)]), part)


@pytest.mark.parametrize("utility", UTILITIES)
def test_variances_are_those_of_the_measure(utility):
    grid, mass = measure()
    parts = utility.decompose(grid)
    moments = {s: mass @ part**2 for s, part in parts.items()}
    np.testing.assert_allclose(utility.variances, list(moments.values()), rtol=1e-9)
    for part in parts.values():
        assert abs(mass @ part) < 1e-10
    total = utility.utility(grid)
    assert np.isclose(mass @ total, utility.intercept)
    assert np.isclose(mass @ (total - utility.intercept) ** 2, utility.variance)


@pytest.mark.parametrize("utility", UTILITIES)
def test_shapley_values_of_the_parts_equal_brute_force(utility):
    grid, mass = measure()
    item = np.array([0.3, 2.0, 0.5])
    values = {}
    for size in range(4):
        for coalition in combinations(range(3), size):
            mixed = grid.copy()
            mixed[:, list(coalition)] = item[list(coalition)]
            values[coalition] = mass @ utility.utility(mixed)
    parts = utility.decompose(item[None])
    for i in range(3):
        brute = sum(
            factorial(len(c))
            * factorial(2 - len(c))
            / 6
            * (values[tuple(sorted((*c, i)))] - values[c])
            for c in values
            if i not in c
        )
        ours = sum(part[0] / len(s) for s, part in parts.items() if i in s)
        assert abs(ours - brute) < 1e-10


@pytest.mark.parametrize("utility", [*UTILITIES, CompactGAI(UTILITIES[0])])
def test_scaling_is_affine(utility):
    grid, _ = measure()
    scaled = utility.scaled(10.0, -3.0)
    np.testing.assert_allclose(scaled.utility(grid), 10 - 3 * utility.utility(grid))
    np.testing.assert_allclose(scaled.variances, 9 * utility.variances)
    np.testing.assert_allclose(scaled.weights, 3 * utility.weights)


@pytest.mark.parametrize("utility", UTILITIES)
def test_restriction_keeps_the_other_factors_as_they_are(utility):
    grid, _ = measure()
    few = utility.restricted([(0, 1), (2,)])
    assert few.factors == ((2,), (0, 1))
    parts = utility.decompose(grid)
    for factor, part in few.decompose(grid).items():
        np.testing.assert_allclose(part, parts[factor], atol=1e-9)
    places = [utility.factors.index(factor) for factor in few.factors]
    np.testing.assert_allclose(few.variances, utility.variances[places], rtol=1e-8)
    np.testing.assert_allclose(few.weights, utility.weights[places], rtol=1e-6)


def test_dense_sums_equal_the_sum_of_their_products():
    utility = dual_utility()
    grid, _ = measure()
    expected = np.full(len(grid), utility.intercept)
    for size, weight in enumerate(utility.order_weights, start=1):
        for subset in combinations(range(3), size):
            grams = [KERNELS[i].k0(grid[:, i], utility.items[:, i]) for i in subset]
            expected += weight * np.prod(grams, axis=0) @ utility.coef
    np.testing.assert_allclose(utility.utility(grid), expected, atol=1e-12)
    assert utility.n_factors == 7


def test_large_inputs_go_through_in_blocks(monkeypatch):
    grid, _ = measure()
    wholes = [utility.utility(grid) for utility in UTILITIES]
    monkeypatch.setattr("penchant.utility._parts._MAX_ENTRIES", 100)
    for utility, whole in zip(UTILITIES, wholes, strict=True):
        np.testing.assert_allclose(utility.utility(grid), whole, atol=1e-12)
        assert utility.utility(grid[:0]).shape == (0,)


def test_unknown_categories_get_the_mean():
    for utility in UTILITIES:
        unknown = np.array([[0.3, -1.0, 0.5]])
        known = np.array([[0.3, code, 0.5] for code in range(3)])
        mean = np.array([0.25, 0.5, 0.25]) @ utility.utility(known)
        np.testing.assert_allclose(utility.utility(unknown), mean)


def test_only_factors_can_be_asked_for():
    with pytest.raises(DataError, match=r"\(1,\) is not a factor.*\(0, 1, 2\)"):
        UTILITIES[0].factor((1,), np.zeros((1, 1)))
    for wrong in ((), (1, 0), (3,), (0, 0)):
        with pytest.raises(DataError, match="sorted tuple of 1 to 3"):
            UTILITIES[1].factor(wrong, np.zeros((1, len(wrong))))


def test_a_model_without_attributes_is_constant():
    utility = DualGAI((), (), np.zeros((2, 0)), np.ones(2), (), 4.0)
    assert utility.factors == ()
    np.testing.assert_array_equal(utility.utility(np.zeros((3, 2))), 4.0)


# Knots


@given(
    st.lists(st.floats(0.01, 0.99), min_size=1, max_size=6, unique=True),
    st.integers(0, 2**31),
)
def test_knots_interpolate_and_know_their_moments(inner, seed):
    knots = np.array([0.0, *sorted(inner), 1.0])
    table = np.random.default_rng(seed).standard_normal(len(knots))
    features = KnotMap(knots, "continuous")
    x = np.linspace(-0.2, 1.2, 29)
    np.testing.assert_allclose(features(x) @ table, np.interp(x, knots, table))
    np.testing.assert_allclose(features(knots), np.eye(len(knots)), atol=1e-12)
    # Piecewise quadratic: two Gauss points per piece are exact.
    middle, half = (knots[1:] + knots[:-1]) / 2, np.diff(knots) / 2
    nodes = np.concatenate([middle - half / np.sqrt(3), middle + half / np.sqrt(3)])
    mass = np.concatenate([half, half])
    values = features(nodes) @ table
    assert np.isclose(features.means() @ table, mass @ values, atol=1e-12)
    moment = table @ features.second_moments() @ table
    assert np.isclose(moment, mass @ values**2, atol=1e-12)


def test_knots_of_levels():
    weights = np.array([0.2, 0.3, 0.5])
    codes = KnotMap(np.arange(3.0), "categorical", weights)
    np.testing.assert_array_equal(codes([2, 0, -1]), [[0, 0, 1], [1, 0, 0], [0, 0, 0]])
    levels = KnotMap(np.array([0.0, 0.5, 1.0]), "ordinal", weights)
    np.testing.assert_allclose(levels([0.25, 1.0]), [[0.5, 0.5, 0], [0, 0, 1]])
    np.testing.assert_array_equal(levels.means(), weights)
    np.testing.assert_array_equal(levels.second_moments(), np.diag(weights))
