"""Covariances between items, and their slopes by finite differences."""

from itertools import combinations

import numpy as np
import pytest

from penchant.encoding import make_encoding
from penchant.exceptions import DataError
from penchant.gp._kernels import kernel_family

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.uniform(size=(9, 2)), RNG.integers(0, 3, 9), np.ones(9)])
ENCODING = make_encoding(X, X, [(0, 1), (0, 1), (0, 2), (0, 2)], [2], None)
U = ENCODING.transform(X)
START = {"rbf": [np.log(4.0), *np.log([0.3 * np.sqrt(3)] * 3)]}
START["anova"] = np.log([0.7, 0.7, 0.05, 4 / 3, 4 / 3, 4 / 3, 0.25, 0.25])


def family(name, **options):
    return kernel_family(name, U, ENCODING, 3, **options)


@pytest.mark.parametrize("name", ["rbf", "anova"])
def test_slopes_are_finite_differences(name):
    kernels, h = family(name), 1e-5
    at = kernels.prior_mean + 0.2 * np.arange(len(kernels.prior_mean))
    if name == "anova":
        at[2] = kernels.prior_mean[2]
    Q = RNG.normal(size=(9, 9))
    Q += Q.T
    K, kept = kernels.gram(at)
    np.testing.assert_allclose(K, K.T)
    found = kernels.slopes(at, Q, kept)
    assert found.shape == at.shape
    for k in range(len(at)):
        up, down = (kernels.gram(at + s * h * np.eye(len(at))[k])[0] for s in (1, -1))
        slope = (Q * (up - down)).sum() / (2 * h)
        assert found[k] == pytest.approx(slope, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", ["rbf", "anova"])
def test_the_learned_kernel_gives_the_same_covariances(name):
    kernels = family(name)
    at = kernels.prior_mean + 0.1
    kernel = kernels.kernel(at)
    K = kernels.gram(at)[0]
    np.testing.assert_allclose(kernel.gram(U, U), K, atol=1e-6)
    np.testing.assert_allclose(kernel.gram(U[:2], U[3:8]), K[:2, 3:8], atol=1e-6)
    np.testing.assert_allclose(
        kernel.paired(U, U[::-1]), np.diagonal(K[:, ::-1]), atol=1e-6
    )
    many = np.repeat(U, 60, axis=0)  # more than one block of the diagonal
    np.testing.assert_allclose(
        kernel.paired(many, many), np.repeat(K.diagonal(), 60), atol=1e-6
    )
    assert kernel.paired(U[:0], U[:0]).shape == (0,)


def test_squared_exponentials_by_hand():
    at = np.log([2.0, 0.5, 0.25, 0.8])
    K = family("rbf").gram(at)[0]
    for r in range(9):
        for c in range(9):
            away = (U[r] - U[c])[:3]
            away[2] = float(away[2] != 0)  # two different categories are 1 apart
            exponent = ((away / [0.5, 0.25, 0.8]) ** 2).sum() / 2
            assert K[r, c] == pytest.approx(2.0 * np.exp(-exponent))


def test_factors_add_up_to_the_anova_kernel():
    kernel = family("anova").kernel(family("anova").prior_mean + 0.1)
    every = [s for size in (1, 2, 3) for s in combinations(range(3), size)]
    assert list(kernel.factors()) == every
    grams = dict(kernel.factor_grams(U, U[:4]))
    np.testing.assert_allclose(sum(grams.values()), kernel.gram(U, U[:4]), atol=1e-9)
    product = grams[(0,)] * grams[(1,)] * 0.25 * np.exp(0.1)
    np.testing.assert_allclose(grams[(0, 1)], product, atol=1e-9)
    own = kernel.factor_variances(U)
    for factor, gram in kernel.factor_grams(U, U):
        np.testing.assert_allclose(own[factor], gram.diagonal(), atol=1e-9)
    pairs = kernel_family("anova", U, ENCODING, 2).kernel(START["anova"][:7])
    assert max(map(len, pairs.factors())) == 2


@pytest.mark.parametrize("name", ["rbf", "anova"])
def test_priors_are_centred_where_told_and_proper(name):
    kernels = family(name)
    np.testing.assert_allclose(kernels.prior_mean, START[name])
    low, high = np.transpose(kernels.bounds)
    fixed = [2] if name == "anova" else []  # categories have no length
    assert np.flatnonzero(low == high).tolist() == fixed
    assert ((low <= kernels.prior_mean) & (kernels.prior_mean <= high)).all()
    free = np.setdiff1d(np.arange(len(low)), fixed)
    # at least one and a half deviations to both sides
    reach = np.minimum(kernels.prior_mean - low, high - kernels.prior_mean)[free]
    assert (reach > 1.5 * kernels.prior_deviation[free]).all()
    wide = family(name, length_scale=[0.1, 0.2, 0.3, 0.4], variance=9.0)
    scales = np.exp(wide.prior_mean[1:4] if name == "rbf" else wide.prior_mean[:3])
    np.testing.assert_allclose(scales, [0.1, 0.2, 0.3 if name == "rbf" else 0.05])
    at = slice(0, 1) if name == "rbf" else slice(3, 6)
    assert np.exp(wide.prior_mean[at]).sum() == pytest.approx(9.0)


@pytest.mark.parametrize("length_scale", [[1.0, 2.0], -1.0, [1.0, 1.0, np.inf, 1.0]])
def test_wrong_length_scales_are_refused(length_scale):
    with pytest.raises(DataError, match="length_scale must be"):
        family("rbf", length_scale=length_scale)


def test_items_that_are_all_alike_have_no_covariance():
    same = np.ones((3, 1))
    encoding = make_encoding(same, same, [(0, 2)], None, None)
    kernels = kernel_family("anova", same, encoding, 2)
    K, kept = kernels.gram(kernels.prior_mean)
    assert not K.any()
    assert not kernels.slopes(kernels.prior_mean, np.ones((3, 3)), kept).any()
    assert not kernels.kernel(kernels.prior_mean).gram(same, same).any()
