import numpy as np
import pandas as pd
import pytest

from penchant.datasets import load_flats
from penchant.exceptions import DataError
from penchant.explanation import contrast, explain
from penchant.explanation.closed_forms._posterior import REST
from penchant.kernels import anova_kernel
from penchant.models import LowRankCovariance, Posterior


@pytest.fixture(scope="module")
def belief():
    """Give a table, and a belief that is made of it alone: an additive utility."""
    rng = np.random.default_rng(0)
    X = rng.random((30, 3))
    cov = anova_kernel(X, max_order=1, sigma=0.7) + 1e-6 * np.eye(30)
    told = Posterior(np.zeros(30), cov, noise=0.1)
    liking = 2 * X[:, 0] - X[:, 1]
    for i, j in rng.integers(0, 30, (25, 2)):
        if i != j:
            told = told.update(*((i, j) if liking[i] > liking[j] else (j, i)))
    return X, told


def test_contrasts_add_up_and_so_do_their_variances(belief):
    X, told = belief
    found = contrast(told, 4, 7, items=X)
    assert found.names == ("x0", "x1", "x2", REST)
    assert abs(found.gap[0]) < 1e-10
    pair = told.block([4, 7])
    variance = pair[0, 0] + pair[1, 1] - 2 * pair[0, 1]
    assert found.cov[0].sum() == pytest.approx(variance, abs=1e-9)
    assert np.linalg.eigvalsh(found.cov[0]).min() > -1e-9


def test_a_belief_that_is_additive_is_read_as_such(belief):
    X, told = belief
    found = explain(told, X)
    assert np.abs(found.gap).max() < 1e-10
    # Utilities rise with the first attribute, fall with the second.
    assert np.corrcoef(found.values[:, 0], X[:, 0])[0, 1] > 0.8
    assert np.corrcoef(found.values[:, 1], X[:, 1])[0, 1] < -0.8
    sizes = np.abs(found.values).mean(axis=0)
    assert sizes[3] < 0.2 * sizes[0]
    np.testing.assert_allclose(found.predictions, told.mean)


def test_items_that_attributes_do_not_tell_apart_differ_beyond_them():
    X = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    told = Posterior(np.zeros(3), np.eye(3), noise=0.3).update(0, 1)
    found = contrast(told, 0, 1, items=X)
    np.testing.assert_allclose(found.values[0, :2], 0.0, atol=1e-12)
    assert found.values[0, 2] == pytest.approx(told.mean[0] - told.mean[1])


def test_units_of_the_belief_do_not_matter(belief):
    X, told = belief
    large = Posterior(
        10 * told.prior_mean, 100 * told.prior_cov.dense(), noise=10 * told.noise
    ).with_answers(told.answers)
    small, big = (contrast(p, 2, 9, items=X) for p in (told, large))
    np.testing.assert_allclose(big.values, 10 * small.values, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(big.std, 10 * small.std, rtol=1e-3, atol=1e-4)


def test_items_are_found_by_name():
    flats = load_flats()
    told = Posterior(np.zeros(len(flats)), np.eye(len(flats)), noise=0.5).update(3, 8)
    by_name = contrast(told, flats.names[3], flats.names[8], items=flats)
    by_number = contrast(told, 3, 8, items=flats)
    np.testing.assert_allclose(by_name.values, by_number.values)
    assert by_name.rows == (flats.names[3],)
    assert by_name.data.iloc[0, 0] == flats.frame.iloc[3, 0]
    frame = flats.frame[["price", "size"]]
    assert contrast(told, 3, 8, items=frame).names == ("price", "size", REST)


def test_what_does_not_fit_is_refused(belief):
    X, told = belief
    with pytest.raises(DataError, match="items=items"):
        contrast(told, 0, 1)
    with pytest.raises(DataError, match="30 items of the posterior"):
        contrast(told, 0, 1, items=X[:10])
    for item in (30, -1, "attic"):
        with pytest.raises(DataError, match="0 to 29"):
            contrast(told, item, 1, items=X)
    many = LowRankCovariance(np.ones((501, 1)), np.ones(501))
    with pytest.raises(DataError, match="shortlist"):
        explain(Posterior(np.zeros(501), many), pd.DataFrame({"x": np.arange(501.0)}))
