"""What features tell of items: slopes by differences, predictions by conditioning."""

import numpy as np
import pytest

from penchant.encoding import make_encoding
from penchant.gp._item_prior import ItemPrior, _misfit, contrasts, find_rows
from penchant.gp._kernels import kernel_family

X = np.random.default_rng(0).uniform(size=(7, 2))
ENCODING = make_encoding(X, X, [(0, 1), (0, 1)], None, None)
FAMILY = kernel_family("rbf", X, ENCODING, 2)
PRIOR = ItemPrior.from_family(FAMILY, X)


def test_contrasts_are_an_orthonormal_basis_of_differences():
    for n in (2, 5):
        basis = contrasts(n)
        np.testing.assert_allclose(basis.T @ basis, np.eye(n - 1), atol=1e-12)
        np.testing.assert_allclose(basis.sum(axis=0), 0.0, atol=1e-12)


def test_rows_are_found_where_they_first_stand():
    table = np.array([[1.0, 2.0], [0.0, 3.0], [1.0, 2.0]])
    rows = np.array([[1.0, 2.0], [-0.0, 3.0], [3.0, 0.0]])
    assert find_rows(rows, table).tolist() == [0, 1, -1]


def test_items_have_a_mean_variance_of_one_and_a_nugget():
    cov = PRIOR.covariance()
    assert cov.diagonal().mean() == pytest.approx(1.0)
    assert PRIOR.nugget == pytest.approx(np.exp(-1.5))
    K = PRIOR.kernel.gram(X, X)
    expected = (K + np.exp(-1.5) * np.eye(7)) / (K.diagonal().mean() + np.exp(-1.5))
    np.testing.assert_allclose(cov, expected)
    basis = contrasts(7)
    np.testing.assert_allclose(PRIOR.target(basis), basis.T @ expected @ basis)


def test_predictions_are_those_of_a_gaussian():
    new = np.random.default_rng(1).uniform(size=(3, 2))
    weights, rest = PRIOR.regression(np.concatenate([new, X[4:5]]))
    both = np.concatenate([new, X])
    K = PRIOR.kernel.gram(both, both) + PRIOR.nugget * np.eye(10)
    K *= PRIOR.scale
    expected = np.linalg.solve(K[3:, 3:], K[3:, :3]).T
    np.testing.assert_allclose(weights[:3], expected)
    np.testing.assert_allclose(rest[:3, :3], K[:3, :3] - expected @ K[3:, :3])
    np.testing.assert_array_equal(weights[3], np.eye(7)[4])  # it is known
    assert not rest[3].any()
    assert not rest[:, 3].any()
    moved, _ = PRIOR.regression(new, np.array([-1, 2, -1]))
    np.testing.assert_array_equal(moved[1], np.eye(7)[2])
    np.testing.assert_allclose(moved[[0, 2]], expected[[0, 2]])


def test_the_misfit_is_that_of_a_gaussian_and_knows_its_slopes():
    basis = contrasts(7)
    root = np.random.default_rng(2).normal(size=(6, 6))
    learned, at = root @ root.T / 6, np.append(FAMILY.prior_mean + 0.2, -1.0)
    value, slopes = _misfit(FAMILY, at, basis, learned)
    C = basis.T @ FAMILY.gram(at[:-1])[0] @ basis + np.exp(-1.0) * np.eye(6)
    log_det = np.linalg.slogdet(C)[1]
    expected = (log_det + np.trace(np.linalg.solve(C, learned))) / 2
    assert value == pytest.approx(expected)
    for k in range(len(at)):
        step = 1e-5 * np.eye(len(at))[k]
        ends = [_misfit(FAMILY, at + s * step, basis, learned)[0] for s in (1, -1)]
        assert slopes[k] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-6)


def test_a_fit_finds_the_covariance_that_people_have():
    basis, made = contrasts(7), np.append(np.log([6.0, 0.2, 5.0]), np.log(0.05))
    truth = basis.T @ FAMILY.gram(made[:-1])[0] @ basis + 0.05 * np.eye(6)
    fitted = PRIOR.fitted(FAMILY, truth, 1e5)
    value = _misfit(FAMILY, fitted.parameters, basis, truth)[0]
    assert value == pytest.approx(_misfit(FAMILY, made, basis, truth)[0], abs=1e-3)
    timid = PRIOR.fitted(FAMILY, truth, 1e-6)  # nobody says anything else
    np.testing.assert_allclose(timid.parameters, PRIOR.parameters, atol=1e-3)
