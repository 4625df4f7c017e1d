from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVR

from penchant.exceptions import DataError
from penchant.explanation import (
    KernelMachine,
    ProductKernel,
    closed_form,
    contrast,
    explain,
)
from penchant.kernels import anova_kernel


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.random((40, 4))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]


MODELS = {
    "ridge-rbf": KernelRidge(kernel="rbf", gamma=2.0),
    "ridge-rbf-default": KernelRidge(kernel="rbf"),
    "ridge-laplacian": KernelRidge(kernel="laplacian"),
    "ridge-linear": KernelRidge(kernel="linear"),
    "svr-rbf": SVR(),
    "svr-linear": SVR(kernel="linear"),
    "svr-anova-2": SVR(kernel=partial(anova_kernel, max_order=2, sigma=0.5)),
    "svr-anova-all": SVR(kernel=anova_kernel),
    "svr-anova-plain": SVR(kernel=partial(anova_kernel, max_order=3, zero_mean=False)),
    "pipeline": make_pipeline(StandardScaler(), SVR()),
    "search": GridSearchCV(KernelRidge(kernel="rbf"), {"gamma": [0.5, 1.0]}, cv=2),
}


@pytest.mark.parametrize("name", MODELS)
def test_contrast_is_the_shapley_value_of_its_game(name, data, definition):
    X, y = data
    model = MODELS[name].fit(X, y)
    found = contrast(model, X[0], X[1])
    expected = definition.contrast(model.predict, X[0], X[1])
    np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.base, model.predict(X[1:2]))
    assert abs(found.gap[0]) < 1e-10
    assert found.std is None


@pytest.mark.parametrize("name", ["ridge-rbf", "svr-anova-2", "pipeline"])
def test_explain_averages_unknown_attributes_out_one_by_one(name, data, definition):
    X, y = data
    model = MODELS[name].fit(X, y)
    rows = X[5:9]
    found = explain(model, X[:2], background=rows)
    for k in range(2):
        values, base = definition.means(model.predict, X[k], rows)
        np.testing.assert_allclose(found.values[k], values, rtol=0, atol=1e-10)
        assert found.base[k] == pytest.approx(base, abs=1e-10)


@pytest.mark.parametrize("name", MODELS)
def test_explain_is_efficient_without_a_background(name, data):
    X, y = data
    found = explain(MODELS[name].fit(X, y), X[:5])
    assert np.abs(found.gap).max() < 1e-10
    assert "averaged" in found.game


def test_names_of_a_data_frame_come_back(data):
    X, y = data
    frame = pd.DataFrame(X, columns=["rent", "size", "noise", "floor"])
    model = KernelRidge(kernel="rbf").fit(frame, y)
    for a, b in [
        (frame.iloc[0], frame.iloc[1]),
        (frame.iloc[[0]], frame.iloc[[1]]),
        (dict(frame.iloc[0]), dict(frame.iloc[1])),
        (X[0], X[1]),
    ]:
        found = contrast(model, a, b)
        assert found.names == ("rent", "size", "noise", "floor")
        np.testing.assert_allclose(found.data.to_numpy(np.float64), X[:1])
        np.testing.assert_allclose(found.reference.to_numpy(np.float64), X[1:2])


def test_one_hot_columns_are_one_player(definition):
    rng = np.random.default_rng(1)
    numbers, colours = rng.random((60, 2)), rng.integers(0, 3, (60, 1))
    hot = OneHotEncoder(sparse_output=False).fit_transform(colours)
    X = np.hstack([numbers, hot])
    for model in (KernelRidge(kernel="rbf"), KernelRidge(kernel="linear")):
        model.fit(X, numbers[:, 0] * (colours[:, 0] == 1))
        found = contrast(model, X[0], X[3], players={"colour": [2, 3, 4]})

        def by_level(items, model=model):
            codes = np.round(items[:, 2]).astype(int)
            return model.predict(np.hstack([items[:, :2], np.eye(3)[codes]]))

        items = np.hstack([numbers, colours])
        expected = definition.contrast(by_level, items[0], items[3])
        assert found.names == ("x0", "x1", "colour")
        np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-10)
        whole = explain(model, X[:2], players={"colour": [2, 3, 4]})
        assert whole.values.shape == (2, 3)
        assert np.abs(whole.gap).max() < 1e-10


def test_players_are_refused_where_the_kernel_is_no_product(data):
    X, y = data
    model = SVR(kernel=partial(anova_kernel, max_order=2)).fit(X, y)
    with pytest.raises(DataError, match="leave players out"):
        contrast(model, X[0], X[1], players={"both": [0, 1]})


@given(d=st.integers(1, 5), max_order=st.integers(0, 5), seed=st.integers(0, 2**32 - 1))
def test_sums_over_orders_agree_with_the_definition(definition, d, max_order, seed):
    rng = np.random.default_rng(seed)
    items, coef = rng.standard_normal((3, d)), rng.standard_normal(3)
    orders = rng.standard_normal(max_order)
    rates = rng.random(d)

    def factors(X, Y):
        return np.cos(rates * (X[:, None] - 2.0 * Y[None]))

    def predict(rows):
        at = factors(np.asarray(rows), items)
        if not max_order:
            return at.prod(axis=2) @ coef
        sums = np.zeros((max_order + 1, *at.shape[:2]))
        sums[0] = 1.0
        for k in range(d):
            sums[1:] += at[:, :, k] * sums[:-1]
        return np.tensordot(orders, sums[1:], axes=1) @ coef

    machine = KernelMachine(
        items, coef, (ProductKernel(factors, orders),), np.asarray, predict
    )
    a, b = rng.standard_normal((2, d))
    values = machine.contrast(a, b).values[0]
    expected = definition.contrast(predict, a, b)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-10)


def test_other_models_have_no_closed_form(data):
    X, y = data
    assert closed_form(SVR(kernel="poly").fit(X, y)) is None
    assert closed_form(KernelRidge(kernel="poly").fit(X, y)) is None
    assert closed_form(SVR(kernel=lambda A, B: A @ B.T).fit(X, y)) is None
    two = KernelRidge(kernel="rbf").fit(X, np.column_stack([y, y]))
    assert closed_form(two) is None
    encoder = make_pipeline(OneHotEncoder(handle_unknown="ignore"), SVR())
    assert closed_form(encoder.fit(np.round(X), y)) is None
    poly = make_pipeline(StandardScaler(), SVR(kernel="poly"))
    assert closed_form(poly.fit(X, y)) is None
