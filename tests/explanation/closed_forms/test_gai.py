import numpy as np
import pytest

from penchant.data import Comparisons
from penchant.explanation import contrast, explain
from penchant.models import GAIRanker, GAIRegressor, GAIRegressorCV, MixedGAI


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.random((60, 4))
    X[:, 3] = np.round(2 * X[:, 3])
    y = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + (X[:, 3] == 1) * X[:, 0]
    return X, y


MODELS = {
    "sparse": GAIRegressor(C=10.0, max_order=3, sigma=0.5),
    "categorical": GAIRegressor(C=10.0, max_order=3, categorical_features=[3]),
    "dense-2": GAIRegressor(C=10.0, sparse=False, max_order=2),
    "dense-all": GAIRegressor(C=10.0, sparse=False),
    "monotone": GAIRegressor(C=10.0, max_order=2, monotone={1: 1}),
    "binned": GAIRegressor(categorical_features=[3]),
    "cv": GAIRegressorCV(max_order=2),
    "cv-dense": GAIRegressorCV(sparse=False, max_order=2),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request, data):
    return MODELS[request.param].fit(*data)


def test_contrast_is_the_shapley_value_of_its_game(model, data, definition):
    X, _ = data
    found = contrast(model, X[0], X[1])
    expected = definition.contrast(model.utility, X[0], X[1])
    np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-10)
    compact = contrast(model.compact(), X[0], X[1])
    np.testing.assert_allclose(compact.values[0], expected, rtol=0, atol=1e-10)


def test_explain_shares_every_factor_out_equally(model, data):
    X, _ = data
    found = explain(model, X[:5])
    expected = np.zeros((5, 4))
    for factor, part in model.decompose(X[:5]).items():
        expected[:, list(factor)] += part[:, None] / len(factor)
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.base, model.intercept_)
    assert explain(model, X[:5], background=X).game == found.game  # brings its own
    assert np.abs(found.gap).max() < 1e-10
    compact = explain(model.compact(), X[:5])
    np.testing.assert_allclose(compact.values, expected, rtol=0, atol=1e-10)


def test_explain_averages_over_the_domain(data, definition):
    X, y = data
    model = GAIRegressor(C=10.0, max_order=2, categorical_features=[3]).fit(X, y)
    # A product measure on the Gauss-Legendre nodes of the domain, and on the levels.
    low, high = X[:, :3].min(axis=0), X[:, :3].max(axis=0)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    share = weights / 2
    grid = low + (high - low) * (nodes[:, None] + 1) / 2
    levels = np.unique(X[:, 3])

    def worth(inside):
        axes = [
            np.array([X[0, k]]) if inside[k] else (grid[:, k] if k < 3 else levels)
            for k in range(4)
        ]
        measures = [
            np.ones(1) if inside[k] else (share if k < 3 else np.full(3, 1 / 3))
            for k in range(4)
        ]
        rows = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 4)
        mass = np.prod(
            np.stack(np.meshgrid(*measures, indexing="ij"), axis=-1), axis=-1
        )
        return model.utility(rows) @ mass.ravel()

    alone = np.zeros(4, dtype=bool)
    assert worth(alone) == pytest.approx(model.intercept_, abs=1e-8)
    first = alone.copy()
    first[0] = True
    found = explain(model, X[:1])
    # With one attribute known the worth is its curve; the Shapley value of a game of
    # pairs is the mean of what it adds first and last.
    others = np.array([False, True, True, True])
    last = worth(~alone) - worth(others)
    expected = ((worth(first) - worth(alone)) + last) / 2
    assert found.values[0, 0] == pytest.approx(expected, abs=1e-8)


def test_dense_models_with_more_factors_than_can_be_listed(data):
    rng = np.random.default_rng(2)
    X = rng.random((50, 20))
    model = GAIRegressor(C=10.0, sparse=False, sigma=0.5).fit(
        X, X[:, 0] * X[:, 1] + X[:, 2]
    )
    assert not model.utility_.complete
    assert np.abs(explain(model, X[:3]).gap).max() < 1e-10
    found = contrast(model, X[0], X[1])
    assert abs(found.gap[0]) < 1e-10
    # Attributes in which the items agree do not contribute.
    other = X[0].copy()
    other[4] = X[1, 4]
    alone = contrast(model, X[0], other)
    assert np.flatnonzero(np.abs(alone.values[0]) > 1e-12).tolist() == [4]


def test_mixtures_with_and_without_all_factors(data, definition):
    X, y = data
    first = GAIRegressor(C=10.0, sparse=False, max_order=2).fit(X, y)
    second = GAIRegressor(sparse=False, max_order=2, C=0.5).fit(X, y)
    for kept in (None, ((0,), (1, 2))):
        mixed = first._with(MixedGAI((first.utility_, second.utility_), kept))
        found = contrast(mixed, X[0], X[1])
        expected = definition.contrast(mixed.utility, X[0], X[1])
        np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-10)
        assert np.abs(explain(mixed, X[:3]).gap).max() < 1e-10


def test_rankers_are_explained_in_the_words_of_their_items():
    from penchant.datasets import load_flats

    flats = load_flats()
    rng = np.random.default_rng(0)
    model = GAIRanker().fit(flats, Comparisons.from_ratings(rng.random(20)))
    found = contrast(model, flats.take([2]), flats.take([7]))
    assert found.names == tuple(attribute.name for attribute in flats.attributes)
    assert found.rows == (flats.names[2],)
    assert found.reference.index[0] == flats.names[7]
    by_name = contrast(model, dict(flats.frame.iloc[2]), dict(flats.frame.iloc[7]))
    np.testing.assert_allclose(by_name.values, found.values)
    difference = np.subtract(*model.utility(flats)[[2, 7]])
    assert found.values.sum() == pytest.approx(difference, abs=1e-10)
