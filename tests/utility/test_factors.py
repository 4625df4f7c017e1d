from itertools import combinations

import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.solvers import evaluate_factor
from penchant.utility._factors import FactorDictionary, SubsetKernels

SUBSETS = [s for k in range(1, 5) for s in combinations(range(4), k)]


@pytest.fixture
def features():
    """Features of falling size, as kernels give them; the last one is binary."""
    rng = np.random.default_rng(0)
    falling = 10.0 ** -np.arange(5)
    smooth = [rng.normal(size=(12, 5)) * falling for _ in range(3)]
    return [*smooth, rng.integers(0, 2, (12, 1)) * np.ones(3)]


@pytest.mark.parametrize("subset", SUBSETS)
def test_columns_give_the_product_kernel(features, subset):
    columns = FactorDictionary(features, 4).columns(subset)
    expected = np.multiply.reduce([features[i] @ features[i].T for i in subset])
    np.testing.assert_allclose(
        columns @ columns.T, expected, atol=1e-14 * abs(expected).max()
    )


@pytest.mark.parametrize("subset", SUBSETS)
def test_tensors_evaluate_to_the_weighted_columns(features, subset):
    dictionary = FactorDictionary(features, 4)
    columns = dictionary.columns(subset)
    # Solutions lie in the range of L', where small columns have small weights.
    weights = columns.T @ np.random.default_rng(1).normal(size=len(columns))
    tensor = dictionary.tensor(subset, weights)
    assert tensor.shape == tuple(features[i].shape[1] for i in subset)
    np.testing.assert_allclose(
        evaluate_factor(tensor, [features[i] for i in subset]),
        columns @ weights,
        atol=1e-9 * abs(columns @ weights).max(),
    )
    assert np.linalg.norm(tensor) == pytest.approx(np.linalg.norm(weights))


def test_there_are_no_more_columns_than_the_kernel_has_rank(features):
    dictionary = FactorDictionary(features, 4)
    assert dictionary.columns((0, 1, 2)).shape[1] <= 12  # items, of 125 products
    assert dictionary.columns((3,)).shape[1] == 1


def test_an_attribute_without_features_has_a_column_of_zeros():
    dictionary = FactorDictionary([np.zeros((4, 2)), np.ones((4, 1))], 2)
    assert dictionary.columns((0, 1)).tolist() == [[0.0]] * 4
    assert dictionary.tensor((0, 1), np.zeros(1)).tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("subsets", [SUBSETS, SUBSETS[::-2], [(0, 1, 3)]], ids=len)
def test_add_sums_weighted_kernels(features, subsets):
    dictionary = FactorDictionary(features, 4)
    weights = np.random.default_rng(2).random(len(subsets))
    grams = [matrix @ matrix.T for matrix in features]
    expected = sum(
        weight * np.multiply.reduce([grams[i] for i in subset])
        for weight, subset in zip(weights, subsets, strict=True)
    )
    found = np.ones_like(expected)
    SubsetKernels(dictionary.kernels, subsets).add(weights, found)
    atol = 1e-14 * abs(expected).max()
    np.testing.assert_allclose(found, 1.0 + expected, atol=atol)


def test_factors_too_large_for_memory_are_refused_with_advice():
    features = [np.random.default_rng(i).normal(size=(4, 60)) for i in range(6)]
    dictionary = FactorDictionary(features, 6)
    with pytest.raises(DataError, match="Set max_order to 4 or less"):
        dictionary.columns((0, 1, 2, 3, 4, 5))
