"""Generated ratings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.datasets import make_gai, make_product_utility
from penchant.exceptions import DataError


def test_gai_factors_are_different_and_reach_the_largest_size() -> None:
    for seed in range(10):
        factors = make_gai(1, 8, n_factors=12, max_size=4, random_state=seed).factors
        assert len(set(factors)) == 12
        assert max(map(len, factors)) == 4
        assert all(factor == tuple(sorted(set(factor))) for factor in factors)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 5), st.data())
def test_gai_can_use_every_set_of_attributes(
    n_features: int, data: st.DataObject
) -> None:
    max_size = data.draw(st.integers(1, n_features))
    subsets = [
        subset for subset in range(1, 2**n_features) if subset.bit_count() <= max_size
    ]
    sample = make_gai(
        1, n_features, n_factors=len(subsets), max_size=max_size, random_state=0
    )
    assert {sum(1 << i for i in factor) for factor in sample.factors} == set(subsets)


def test_gai_terms_have_mean_zero_in_every_attribute_and_equal_variance() -> None:
    sample = make_gai(
        1, 3, n_factors=5, max_size=3, n_basis=6, noise=0.0, random_state=3
    )
    # four pieces of a spline: five Gauss points each integrate degree 9 exactly
    nodes, weights = np.polynomial.legendre.leggauss(5)
    line = (np.arange(4)[:, None] + (nodes + 1) / 2).ravel() / 4
    measure = np.tile(weights / 8, 4)
    grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1)
    parts = sample.model.decompose(grid.reshape(-1, 3))
    assert set(parts) == set(sample.factors)
    for factor, values in parts.items():
        cube = values.reshape(20, 20, 20)
        for attribute in factor:
            mean = np.tensordot(cube, measure, axes=(attribute, 0))
            np.testing.assert_allclose(mean, 0.0, atol=1e-13)
        variance = np.einsum("ijk,i,j,k", cube**2, measure, measure, measure)
        assert variance == pytest.approx(sample.model.scale**2)


def test_gai_terms_are_quadratic_between_the_knots() -> None:
    sample = make_gai(1, 1, n_factors=1, max_size=1, n_basis=5, random_state=0)
    for low, high in [(0, 1 / 3), (1 / 3, 2 / 3), (2 / 3, 1)]:
        x = np.linspace(low, high, 7)
        values = sample.utility(x[:, None])
        fitted = np.polyval(np.polyfit(x, values, 2), x)
        np.testing.assert_allclose(values, fitted, atol=1e-12)


def test_gai_utility_depends_on_the_factors_only() -> None:
    sample = make_gai(50, 6, n_factors=2, max_size=2, random_state=1)
    used = {attribute for factor in sample.factors for attribute in factor}
    unused = [attribute for attribute in range(6) if attribute not in used]
    assert unused
    moved = sample.X.copy()
    moved[:, unused] = 1 - moved[:, unused]
    np.testing.assert_array_equal(sample.utility(moved), sample.utility(sample.X))


def test_gai_ratings_are_the_utility_plus_noise() -> None:
    clean = make_gai(4000, 5, n_factors=4, noise=0.0, random_state=2)
    noisy = make_gai(4000, 5, n_factors=4, noise=0.05, random_state=2)
    np.testing.assert_array_equal(clean.y, clean.utility(clean.X))
    errors = noisy.y - noisy.utility(noisy.X)
    # standard error of a standard deviation over 4000 draws is 1.1 %
    assert errors.std() == pytest.approx(0.05, rel=0.05)
    assert abs(errors.mean()) < 4 * 0.05 / np.sqrt(4000)


def test_gai_utility_covers_about_the_unit_interval() -> None:
    values = make_gai(256, 4, n_factors=4, noise=0.0, random_state=5).y
    assert -0.3 < values.min() < 0.2
    assert 0.8 < values.max() < 1.3


def test_same_seed_gives_the_same_utility_for_any_number_of_samples() -> None:
    small, large = (make_gai(n, 5, n_factors=6, random_state=7) for n in (10, 200))
    np.testing.assert_array_equal(small.utility(large.X), large.utility(large.X))
    other = make_gai(10, 5, n_factors=6, random_state=8)
    assert not np.allclose(other.utility(large.X), large.utility(large.X))


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_random_state_may_be_a_generator(make: object) -> None:
    first, second = (make_product_utility(random_state=make(3)) for _ in range(2))  # type: ignore[operator]
    np.testing.assert_array_equal(first.y, second.y)


def test_product_utility_is_the_formula() -> None:
    sample = make_product_utility(30, 4, noise=0.0, random_state=0)
    expected = [sum(row) + 1000 * np.prod(row) for row in sample.X]
    np.testing.assert_allclose(sample.y, expected)
    assert sample.factors == ((0, 1, 2, 3),)


def test_utilities_refuse_what_they_are_not_defined_on() -> None:
    sample = make_product_utility(random_state=0)
    with pytest.raises(DataError, match="defined on 6 attributes"):
        sample.utility(np.zeros((2, 3)))
    with pytest.raises(DataError, match="from 0 to 2"):
        sample.utility([[0, 0, 0, 0, 0, 2.0]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 0}, "n_samples must be a whole number >= 1"),
        ({"n_features": 2.5}, "n_features must be a whole number"),
        ({"n_basis": 2}, "n_basis must be a whole number >= 3"),
        ({"noise": -1.0}, "noise must be a standard deviation"),
        ({"max_size": 11}, r"max_size must be 1 to n_features \(10\)"),
        ({"max_size": 1, "n_factors": 11}, "only 10 sets"),
    ],
)
def test_gai_refuses(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        make_gai(**arguments)  # type: ignore[arg-type]
