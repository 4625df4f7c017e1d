import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor, kernels

from penchant.data import Comparisons
from penchant.explanation import closed_form, contrast, explain
from penchant.models import GaussianProcessRanker


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.random((30, 4))
    X[:, 3] = np.round(2 * X[:, 3])
    return X, np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + (X[:, 3] == 1)


@pytest.fixture(scope="module", params=["anova", "rbf"])
def ranker(request, data):
    X, y = data
    model = GaussianProcessRanker(
        kernel=request.param, max_order=3, categorical_features=[3], max_iter=200
    )
    return model.fit(X, Comparisons.from_ratings(y[:12]))


KERNELS = {
    "rbf": kernels.RBF(0.7),
    "ard": 2.0 * kernels.RBF([0.5, 1.0, 2.0, 1.0]) + kernels.WhiteKernel(0.1),
    "sum": kernels.RBF(0.5) * kernels.RBF(2.0) + kernels.DotProduct(0.5),
}


@pytest.fixture(scope="module", params=KERNELS)
def regressor(request, data):
    X, y = data
    model = GaussianProcessRegressor(
        KERNELS[request.param], alpha=0.05, optimizer=None, normalize_y=True
    )
    return model.fit(X, y)


def latent_covariance(model, items):
    """Give the covariance of the function without the white noise of the kernel."""
    cov = model.predict(items, return_cov=True)[1]
    white = [
        getattr(part, "noise_level", 0.0)
        for part in vars(model.kernel_).values()
        if isinstance(part, kernels.Kernel)
    ]
    return cov - sum(white) * model._y_train_std**2 * np.eye(len(items))


def test_contrasts_of_a_ranker_are_jointly_gaussian(ranker, data, definition):
    X, _ = data
    found = contrast(ranker, X[20], X[25])
    expected = definition.contrast(ranker.utility, X[20], X[25])
    np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-10)
    cov = definition.covariance(lambda rows: ranker.posterior(rows)[1], X[20], X[25])
    np.testing.assert_allclose(found.cov[0], cov, rtol=0, atol=1e-10)
    pair = ranker.posterior(X[[20, 25]])[1]
    variance = pair[0, 0] + pair[1, 1] - 2 * pair[0, 1]
    assert found.cov[0].sum() == pytest.approx(variance, abs=1e-9)
    np.testing.assert_allclose(found.std[0] ** 2, np.diagonal(cov), atol=1e-10)


def test_contrasts_of_a_regressor_are_jointly_gaussian(regressor, data, definition):
    X, _ = data
    found = contrast(regressor, X[0], X[1])
    expected = definition.contrast(regressor.predict, X[0], X[1])
    np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-10)

    def covariance(items):
        return latent_covariance(regressor, items)

    cov = definition.covariance(covariance, X[0], X[1])
    np.testing.assert_allclose(found.cov[0], cov, rtol=0, atol=1e-10)


def test_explain_of_a_regressor_with_error_bars(regressor, data, definition):
    X, _ = data
    rows = X[3:5]
    found = explain(regressor, X[:1], background=rows)
    values, base = definition.means(regressor.predict, X[0], rows)
    np.testing.assert_allclose(found.values[0], values, rtol=0, atol=1e-10)
    assert found.base[0] == pytest.approx(base, abs=1e-10)
    # The total is u(x) minus the mean over all combinations of the two rows.
    grid = np.stack(np.meshgrid(*rows.T, indexing="ij"), axis=-1).reshape(-1, 4)
    cov = latent_covariance(regressor, np.vstack([X[:1], grid]))
    weights = np.append(1.0, np.full(len(grid), -1.0 / len(grid)))
    if "White" in repr(regressor.kernel_):  # equal rows would share their noise
        return
    assert found.cov[0].sum() == pytest.approx(weights @ cov @ weights, abs=1e-9)


def test_explain_of_a_ranker_shares_its_parts_out(data):
    X, y = data
    model = GaussianProcessRanker(max_order=2, max_iter=200)
    model.fit(X, Comparisons.from_ratings(y[:12]))
    found = explain(model, X[:4])
    expected = np.zeros((4, 4))
    for factor, part in model.decompose(X[:4]).items():
        expected[:, list(factor)] += part[:, None] / len(factor)
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.base, 0.0, atol=1e-12)
    _, std = model.utility(X[:4], return_std=True)
    np.testing.assert_allclose(found.cov.sum(axis=(1, 2)), std**2, atol=1e-9)
    assert "domains" in found.game


def test_explain_of_a_squared_exponential_ranker(data, definition):
    X, y = data
    model = GaussianProcessRanker(kernel="rbf", max_iter=200)
    model.fit(X, Comparisons.from_ratings(y[:12]))
    found = explain(model, X[:1], background=X[4:6])
    values, _ = definition.means(model.utility, X[0], X[4:6])
    np.testing.assert_allclose(found.values[0], values, rtol=0, atol=1e-10)
    assert np.abs(explain(model, X[:3]).gap).max() < 1e-10


def test_kernels_that_are_no_products_have_no_closed_form(data):
    X, y = data
    for kernel in (
        kernels.Matern(),
        kernels.DotProduct() * kernels.RBF(),
        kernels.RBF() + kernels.Matern(),
        kernels.WhiteKernel(),
    ):
        model = GaussianProcessRegressor(kernel, optimizer=None).fit(X, y)
        assert closed_form(model) is None
    unfitted = GaussianProcessRegressor(kernels.RBF())
    assert closed_form(unfitted) is None
