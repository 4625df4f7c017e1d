import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.gp import LowRankCovariance
from penchant.gp._covariance import (
    DenseCovariance,
    as_covariance,
    covariance_root,
    normal_draws,
    read_only,
)

FACTOR = np.random.default_rng(0).normal(size=(6, 2))
DIAGONAL = np.arange(6.0)
MATRIX = FACTOR @ FACTOR.T + np.diag(DIAGONAL)


@pytest.mark.parametrize(
    "cov",
    [DenseCovariance(MATRIX), LowRankCovariance(FACTOR, DIAGONAL)],
    ids=["dense", "low rank"],
)
def test_parts_are_those_of_the_matrix(cov):
    items = np.array([4, 1, 5])
    assert cov.n_items == 6
    np.testing.assert_allclose(cov.dense(), MATRIX)
    np.testing.assert_allclose(cov.variance, MATRIX.diagonal())
    np.testing.assert_allclose(cov.rows(items), MATRIX[items])
    np.testing.assert_allclose(cov.block(items), MATRIX[np.ix_(items, items)])
    again = np.array([4, 4, 1])
    np.testing.assert_allclose(cov.block(again), MATRIX[np.ix_(again, again)])
    np.testing.assert_allclose(cov.take(items).dense(), MATRIX[np.ix_(items, items)])
    assert as_covariance(cov) is cov
    with pytest.raises(ValueError, match="read-only"):
        (cov.matrix if isinstance(cov, DenseCovariance) else cov.factor)[0, 0] = 1.0


def test_what_is_no_covariance_is_refused():
    with pytest.raises(DataError, match="must be square"):
        as_covariance(np.ones((2, 3)))
    with pytest.raises(DataError, match="factor must be"):
        LowRankCovariance(FACTOR, np.ones(5))


def test_large_covariances_are_not_written_out():
    large = LowRankCovariance(np.zeros((5_001, 1)), np.zeros(5_001))
    with pytest.raises(DataError, match="at most 5000 items"):
        large.dense()


@pytest.mark.parametrize("rank", [0, 2, 6])
def test_roots_of_singular_covariances(rank):
    part = np.random.default_rng(0).normal(size=(6, rank))
    cov = part @ part.T
    root = covariance_root(cov)
    scale = max(cov.diagonal().max(), 1.0)
    np.testing.assert_allclose(root @ root.T, cov, atol=1e-9 * scale)
    np.testing.assert_array_equal(root, np.tril(root))


def test_draws_are_standard_normal_and_always_the_same():
    draws = normal_draws()
    assert draws.shape == (4_096, 192)
    assert np.isfinite(draws).all()
    np.testing.assert_allclose(draws.mean(axis=0), 0.0, atol=0.02)
    np.testing.assert_allclose(draws.std(axis=0), 1.0, atol=0.02)
    assert abs(np.corrcoef(draws[:, :20].T) - np.eye(20)).max() < 0.1
    assert draws is normal_draws()
    assert not draws.flags.writeable


def test_only_arrays_that_can_be_written_to_are_copied():
    values = np.ones(3)
    kept = read_only(values)
    assert values.flags.writeable
    assert not kept.flags.writeable
    assert read_only(kept) is kept
