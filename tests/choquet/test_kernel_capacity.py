import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.models import KernelCapacity

CASES = [(None, 1.0), (3, 1.0), (None, 1 / 6), (2, 0.5), (1, 1.0), (9, 0.7)]


def make(k, damping, n=6, seed=0):
    rng = np.random.default_rng(seed)
    support = rng.normal(size=(7, n))
    support[::2] = rng.integers(0, 3, size=support[::2].shape)
    return KernelCapacity(support, rng.normal(size=7), k, damping)


@pytest.mark.parametrize(("k", "damping"), CASES)
def test_readings_equal_those_of_the_listed_coefficients(k, damping):
    implicit = make(k, damping)
    listed = implicit.to_capacity()
    X = np.random.default_rng(1).normal(size=(5, 6))
    np.testing.assert_allclose(implicit.shapley(), listed.shapley(), atol=1e-11)
    np.testing.assert_allclose(implicit.interaction(), listed.interaction(), atol=1e-11)
    np.testing.assert_allclose(implicit.choquet(X), listed.choquet(X), atol=1e-11)
    assert implicit.total == pytest.approx(listed.total)
    for subset in [(), (2,), (0, 5), (1, 2, 3, 4)]:
        assert implicit.value(subset) == pytest.approx(listed.value(subset), abs=1e-11)


def test_monotonicity_is_sampled_with_an_error_bar():
    implicit = make(None, 1.0)
    exact = implicit.to_capacity().monotonicity()
    degree, std = implicit.monotonicity(return_std=True)
    assert 0 < std < 0.02
    assert abs(degree - exact) < 4 * std
    assert implicit.monotonicity() == degree


def test_sixty_attributes_need_no_list_of_sets():
    n = 60
    support = np.random.default_rng(0).random((20, n))
    capacity = KernelCapacity(support, np.full(20, 0.1), damping=1 / n)
    shapley = capacity.shapley()
    assert shapley.shape == (n,)
    assert shapley.sum() == pytest.approx(capacity.total)
    assert capacity.monotonicity(n_samples=200) == 1
    # the interactions of a kernel without negative coefficients are positive
    pairs = capacity.interaction()
    np.testing.assert_allclose(pairs, pairs.T)
    assert pairs[np.triu_indices(n, 1)].min() > 0


def test_names_and_immutability():
    support = np.array([[0.5, 0.2]])
    capacity = KernelCapacity(support, [2.0], names=("price", "size"))
    assert capacity.value(["price"]) == pytest.approx(1.0)
    assert "n_support=1" in repr(capacity)
    support[0, 0] = 9
    assert capacity.value([0]) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="read-only"):
        capacity.support[0, 0] = 1
    with pytest.raises(DataError, match="positions"):
        capacity.value([2])
