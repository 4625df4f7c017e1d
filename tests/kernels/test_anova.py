from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.exceptions import DataError
from penchant.kernels import (
    RBF,
    anova_kernel,
    subset_kernel,
    sum_over_subsets,
    zero_mean_rbf,
)


def brute_force(grams, max_order):
    return sum(
        subset_kernel(grams, subset)
        for order in range(1, max_order + 1)
        for subset in combinations(range(len(grams)), order)
    )


@given(
    n_attributes=st.integers(1, 6),
    max_order=st.integers(1, 7),
    seed=st.integers(0, 10_000),
)
def test_equals_brute_force_over_subsets(n_attributes, max_order, seed):
    rng = np.random.default_rng(seed)
    X, Y = rng.random((5, n_attributes)), rng.random((4, n_attributes))
    grams = [zero_mean_rbf(x, y, 0.4) for x, y in zip(X.T, Y.T, strict=True)]
    np.testing.assert_allclose(
        anova_kernel(X, Y, max_order=max_order, sigma=0.4),
        brute_force(grams, min(max_order, n_attributes)),
        atol=1e-13,
    )


@pytest.mark.parametrize("zero_mean", [True, False])
def test_all_orders_are_the_product_of_one_plus_k_minus_one(zero_mean):
    X = np.random.default_rng(0).random((6, 12))
    scales = np.linspace(0.2, 2.0, 12)
    kernels = [RBF(scale) for scale in scales]
    grams = [
        kernel.k0(x, x) if zero_mean else kernel.k(x, x)
        for kernel, x in zip(kernels, X.T, strict=True)
    ]
    full = anova_kernel(X, sigma=scales, zero_mean=zero_mean)
    np.testing.assert_allclose(full, np.prod([1 + g for g in grams], axis=0) - 1)
    np.testing.assert_allclose(
        anova_kernel(X, sigma=scales, zero_mean=zero_mean, max_order=12), full
    )


@given(seed=st.integers(0, 10_000), max_order=st.sampled_from([1, 2, 3, None]))
def test_is_symmetric_and_positive(seed, max_order):
    X = np.random.default_rng(seed).random((8, 4))
    gram = anova_kernel(X, max_order=max_order, sigma=0.5)
    np.testing.assert_allclose(gram, gram.T, atol=1e-14)
    assert np.linalg.eigvalsh(gram)[0] > -1e-12


def test_each_term_integrates_to_zero_over_each_attribute():
    nodes, weights = np.polynomial.legendre.leggauss(40)
    grid = np.full((40, 3), 0.3)
    grid[:, 1] = (nodes + 1) / 2
    item = np.array([[0.2, 0.9, 0.6]])
    along = weights / 2 @ anova_kernel(grid, item, max_order=3)
    without = anova_kernel(grid[:1, [0, 2]], item[:, [0, 2]])
    np.testing.assert_allclose(along, without[0], atol=1e-14)


def test_tiny_kernels_keep_their_digits():
    grams = [np.full((1, 1), 1e-18), np.full((1, 1), 2e-18)]
    assert sum_over_subsets(grams)[0, 0] == pytest.approx(3e-18, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: anova_kernel([[0.1]], max_order=0), "max_order must be at least 1"),
        (lambda: anova_kernel([[0.1, 0.2]], sigma=[1.0]), "one number or 2"),
        (lambda: anova_kernel([[0.1, 0.2]], [[0.1]]), "equally many columns"),
        (lambda: anova_kernel([0.1, 0.2]), "2-D"),
        (lambda: sum_over_subsets([]), "At least one Gram matrix"),
    ],
)
def test_wrong_input_is_refused(call, message):
    with pytest.raises(DataError, match=message):
        call()
