from itertools import product

import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.models import GAIRegressor


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(2, 5, size=(80, 2)), rng.integers(0, 3, 80)])
    y = X[:, 0] + X[:, 0] * X[:, 1] + 2.0 * (X[:, 2] == 1)
    model = GAIRegressor(C=10.0, max_order=3, categorical_features=[2])
    return X, model.fit(X, y)


def test_parts_add_up_and_shares_are_of_the_variance(fitted):
    X, model = fitted
    parts = model.decompose(X)
    np.testing.assert_allclose(sum(parts.values()) + model.intercept_, model.utility(X))
    shares = model.variance_shares_
    assert shares.sum() == pytest.approx(1.0)
    assert (shares >= 0).all()
    assert len(model.factor_weights_) == len(model.factors_) == len(shares)


def test_a_factor_is_a_function_of_the_users_values(fitted):
    X, model = fitted
    assert (0, 1) in model.factors_
    for name in ((0, 1), ("x1", "x0"), (1, "x0")):
        f = model.factor_function(name)
        assert (f.attributes, f.names) == ((0, 1), ("x0", "x1"))
        np.testing.assert_allclose(f(X[:, 0], X[:, 1]), model.decompose(X)[(0, 1)])
        assert f(X[:4, :1], X[None, :3, 1]).shape == (4, 3)
    alone = model.factor_function(2)
    np.testing.assert_allclose(alone(X[:, 2]), model.decompose(X)[(2,)])
    with pytest.raises(DataError, match=r"takes 2 arrays, one per attribute\. Got 1"):
        f(X[:, 0])
    few = model.select(0.5)
    with pytest.raises(DataError, match="is not a factor of this model"):
        few.factor_function((0, 1, 2))


def test_select_keeps_what_explains_enough(fitted):
    X, model = fitted
    shares = dict(zip(model.factors_, model.variance_shares_, strict=True))
    limit = sorted(shares.values())[-2]
    few = model.select(limit)
    assert list(few.factors_) == [f for f in model.factors_ if shares[f] >= limit]
    assert len(few.factors_) == 2
    parts = model.decompose(X)
    expected = model.intercept_ + sum(parts[f] for f in few.factors_)
    np.testing.assert_allclose(few.utility(X), expected)
    kept = [f for f in model.factors_ if shares[f] >= 0.01]
    assert list(model.select().factors_) == kept
    assert len(model.factors_) == len(shares)  # a copy was changed


def test_compact_models_have_maximal_factors_and_the_same_utility(fitted):
    X, model = fitted
    compact = model.compact()
    for factor in compact.factors_:
        assert not any(set(factor) < set(other) for other in compact.factors_)
    np.testing.assert_allclose(compact.utility(X), model.utility(X))
    assert compact.compact().factors_ == compact.factors_


@pytest.mark.parametrize("as_mapping", [True, False])
def test_the_best_are_those_of_all_combinations(fitted, as_mapping):
    _, model = fitted
    values = [[2.0, 3.0, 5.0], [2.5, 4.5], [0.0, 1.0, 2.0]]
    domains = {"x0": values[0], 1: values[1]} if as_mapping else values
    every = np.array(list(product(*values)))
    ranked = every[np.argsort(-model.utility(every))]
    found = model.best(domains, n=5)
    np.testing.assert_allclose([f.values for f in found], ranked[:5])
    np.testing.assert_allclose([f.utility for f in found], model.utility(ranked[:5]))
    assert len(model.best(domains)) == 1
    assert len(model.best(domains, n=100)) == 18
    with pytest.raises(DataError, match=r"n must be at least 1\. Got 0"):
        model.best(domains, n=0)


def test_domains_that_do_not_fit_are_refused(fitted):
    _, model = fitted
    with pytest.raises(DataError, match=r"one entry per attribute \(3\). Got 2"):
        model.best([[2.0], [2.0]])
    with pytest.raises(DataError, match="values for attribute 'x1'"):
        model.best({0: [2.0]})


def test_the_export_has_tables_over_grids_and_levels(fitted):
    _, model = fitted
    told = model.to_dict()
    assert told["intercept"] == pytest.approx(model.intercept_)
    assert told["attributes"] == ["x0", "x1", "x2"]
    assert len(told["factors"]) == len(model.factors_)
    points = {1: 21, 2: 11, 3: 7}
    for factor, each in zip(model.factors_, told["factors"], strict=True):
        names = [f"x{i}" for i in factor]
        assert each["attributes"] == names
        sizes = [3 if i == 2 else points[len(factor)] for i in factor]
        assert [len(v) for v in each["values"]] == sizes
        grids = np.meshgrid(*each["values"], indexing="ij")
        table = model.factor_function(factor)(*grids)
        np.testing.assert_allclose(each["table"], table)
    shares = [each["variance_share"] for each in told["factors"]]
    np.testing.assert_allclose(shares, model.variance_shares_)
    weights = [each["weight"] for each in told["factors"]]
    np.testing.assert_allclose(weights, model.factor_weights_)


def test_monotone_models_keep_all_parts():
    X = np.random.default_rng(0).uniform(size=(30, 2))
    model = GAIRegressor(C=1.0, monotone={0: 1}).fit(X, X[:, 0])
    with pytest.raises(DataError, match="select would leave out parts"):
        model.select()
