import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.data import Comparisons
from penchant.explanation import closed_form, contrast, explain
from penchant.explanation.closed_forms._choquet import capacity_shares
from penchant.models import (
    Capacity,
    ChoquetClassifier,
    ChoquetRanker,
    ChoquetRegressor,
    ChoquetSVC,
    ChoquetSVR,
    KernelCapacity,
)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.random((60, 4))
    return X, X[:, 0] + np.minimum(X[:, 1], X[:, 2]) - 0.2 * X[:, 3]


MODELS = {
    "2-additive": ChoquetRegressor(),
    "3-additive": ChoquetRegressor(k=3, monotone=False),
    "curves": ChoquetRegressor(marginals="spline"),
    "down": ChoquetRegressor(directions=["up", "down", "up", "down"]),
    "machine": ChoquetSVR(C=10.0),
    "damped machine": ChoquetSVR(C=10.0, k=2, damping=0.5),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request, data):
    return MODELS[request.param].fit(*data)


def test_contrast_is_the_shapley_value_of_its_game(model, data, definition):
    X, _ = data
    found = contrast(model, X[0], X[1])
    expected = definition.contrast(model.predict, X[0], X[1])
    np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-10)
    assert abs(found.gap[0]) < 1e-10


def test_explain_starts_at_the_worst_item(model, data):
    X, _ = data
    found = explain(model, X[:6])
    assert np.abs(found.gap).max() < 1e-10
    ends = np.where(model.is_down_, X.max(axis=0), X.min(axis=0))
    np.testing.assert_allclose(found.base, model.predict(ends[None])[0], atol=1e-10)
    np.testing.assert_allclose(
        found.values[2], contrast(model, X[2], ends).values[0], atol=1e-10
    )


def test_against_zero_minima_are_shared_equally(data):
    X, y = data
    model = ChoquetRegressor(k=3, domain=(0, 1)).fit(X, y)
    unit = np.where(model.is_down_, 1 - X, X)
    expected = np.zeros((5, 4))
    for subset, m in model.capacity_.mobius.items():
        members = sorted(subset)
        share = m * unit[:5, members].min(axis=1) / len(members)
        expected[:, members] += share[:, None]
    np.testing.assert_allclose(explain(model, X[:5]).values, expected, atol=1e-10)


def test_rankers_and_classifiers(data, definition):
    X, y = data
    ranker = ChoquetRanker().fit(X, Comparisons.from_ratings(y[:20]))
    graded = ChoquetClassifier(ordered=True).fit(X, np.digitize(y, [0.5, 1.0]))
    binary = ChoquetSVC(C=5.0).fit(X, y > 0.8)
    for model in (ranker, graded, binary):
        found = contrast(model, X[0], X[1])
        expected = definition.contrast(model.utility, X[0], X[1])
        np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-10)
        assert np.abs(explain(model, X[:3]).gap).max() < 1e-10


def test_several_classes_have_no_common_utility(data):
    X, y = data
    grades = np.digitize(y, [0.5, 1.0])
    for model in (ChoquetClassifier(ordered=False), ChoquetSVC()):
        model.fit(X, grades)
        assert closed_form(model) is None
        found = contrast(model, X[0], X[1])  # any model: by all coalitions
        assert abs(found.gap[0]) < 1e-12


@given(
    st.integers(1, 5),
    st.one_of(st.none(), st.integers(1, 5)),
    st.integers(0, 2**32 - 1),
)
def test_kernel_capacities_agree_with_listed_ones(n, k, seed):
    rng = np.random.default_rng(seed)
    support = rng.random((3, n)).round(1)  # rounded: ties happen
    implicit = KernelCapacity(support, rng.standard_normal(3), k, 0.7)
    X, Y = rng.random((2, 4, n)).round(1)
    np.testing.assert_allclose(
        capacity_shares(implicit, X, Y),
        capacity_shares(implicit.to_capacity(), X, Y),
        atol=1e-10,
    )


@given(n=st.integers(1, 5), seed=st.integers(0, 2**32 - 1))
def test_ties_and_negative_values(definition, n, seed):
    rng = np.random.default_rng(seed)
    mobius = {
        frozenset(np.flatnonzero((code >> np.arange(n)) & 1).tolist()): float(m)
        for code, m in enumerate(rng.standard_normal(2**n - 1), 1)
    }
    capacity = Capacity(mobius, n)
    x, y = rng.integers(-2, 3, (2, n)).astype(float)
    values = capacity_shares(capacity, x[None], y[None])[0]
    expected = definition.contrast(capacity.choquet, x, y)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-10)
    swapped = capacity_shares(capacity, y[None], x[None])[0]
    np.testing.assert_allclose(swapped, -values, atol=1e-10)


def test_many_attributes():
    rng = np.random.default_rng(3)
    support = rng.random((20, 30))
    capacity = KernelCapacity(support, rng.standard_normal(20), None, 1 / 30)
    X, Y = rng.random((2, 2, 30))
    totals = capacity.choquet(X) - capacity.choquet(Y)
    found = capacity_shares(capacity, X, Y)
    np.testing.assert_allclose(found.sum(axis=1), totals, atol=1e-10)
