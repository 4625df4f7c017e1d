"""Which solver and loss are taken, and what they are told."""

import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.kernels import RBF
from penchant.models import GAIRanker, GAIRegressor

X = np.random.default_rng(0).uniform(size=(40, 2))
Y = X[:, 0] - 2.0 * X[:, 1]


@pytest.mark.parametrize(
    ("options", "solver", "order", "tol"),
    [
        ({}, ("binned", "linear"), (2, 1), 1e-3),
        ({"C": 1.0}, ("exact",), (2,), 1e-5),
        ({"solver": "binned", "C": 1.0}, ("binned",), (2,), 1e-3),
        ({"solver": "exact"}, ("exact",), (2,), 1e-5),
        ({"sigma": 0.5}, ("exact",), (2,), 1e-5),
        ({"kernel": "spline"}, ("exact",), (2,), 1e-5),
        ({"kernel": [RBF(1.0), RBF(0.5)]}, ("exact",), (2,), 1e-5),
        ({"hierarchical": True}, ("exact",), (2,), 1e-5),
        ({"sparse": False}, ("exact",), (2,), 1e-5),
        ({"max_order": 4}, ("exact",), (2,), 1e-5),
        ({"max_order": 3, "C": 1.0}, ("exact",), (2,), 1e-5),
        ({"max_order": 1, "C": 1.0}, ("exact",), (1,), 1e-5),
        ({"max_order": 0}, ("linear",), (1,), 1e-3),
        ({"max_order": 1}, ("binned", "linear"), (1,), 1e-3),
        ({"max_time": 100.0, "C": 1.0}, ("binned",), (2,), 1e-3),
        ({"C": 1.0, "tol": 1e-4}, ("exact",), (2,), 1e-4),
    ],
)
def test_the_solver_follows_from_what_is_asked(options, solver, order, tol):
    model = GAIRegressor(**options).fit(X, Y)
    assert model.solver_ in solver
    assert model.max_order_ in order
    assert model.tol_ == tol
    assert model.dual_gap_ <= tol


@pytest.mark.parametrize(("n_items", "solver"), [(1_000, "exact"), (1_001, "binned")])
def test_many_distinct_items_are_put_into_bins(n_items, solver):
    items = np.linspace(0.0, 1.0, n_items)[:, None]
    twice = np.concatenate([items, items])  # distinct ones count
    model = GAIRegressor(C=0.01, tol=0.1)
    model.fit(twice, twice[:, 0])
    assert model.solver_ == solver


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_order": 0, "sparse": False}, "max_order=0.*sparse=False"),
        ({"solver": "binned", "hierarchical": True}, "hierarchical"),
        ({"solver": "binned", "max_order": 4}, "max_order above 3"),
        ({"max_time": 1.0, "solver": "exact"}, "max_time.*solver='exact'"),
        ({"solver": "exact", "loss": "squared"}, "tube loss only"),
    ],
)
def test_what_does_not_go_together_is_refused(options, words):
    with pytest.raises(DataError, match=words):
        GAIRegressor(**options).fit(X, Y)


def test_losses_follow_from_the_solver():
    pairs = X.reshape(-1, 2, 2)
    won = (Y[::2] > Y[1::2]).astype(int)
    assert GAIRegressor().fit(X, Y).loss_ == "squared"
    assert GAIRegressor(C=1.0).fit(X, Y).loss_ == "tube"
    assert GAIRegressor(C=1.0, solver="binned").fit(X, Y).loss_ == "tube"
    assert GAIRegressor(loss="tube").fit(X, Y).loss_ == "tube"
    assert GAIRanker(C=1.0).fit(pairs, won).loss_ == "hinge"


def test_a_published_cost_is_ten():
    exact = GAIRegressor(solver="exact").fit(X, Y)
    again = GAIRegressor(solver="exact", C=10.0).fit(X, Y)
    np.testing.assert_array_equal(exact.predict(X), again.predict(X))


def test_rows_without_weight_are_as_if_not_there():
    weights = (np.arange(40) < 30).astype(float)
    one = GAIRegressor(C=1.0).fit(X, Y, sample_weight=weights)
    other = GAIRegressor(C=1.0).fit(X[:30], Y[:30])
    np.testing.assert_allclose(one.predict(X), other.predict(X))
    with pytest.raises(DataError, match="must not be zero for all rows"):
        GAIRegressor().fit(X, Y, sample_weight=np.zeros(40))


def test_penalties_over_bins_are_one_over_the_cost_of_all_rows():
    heavy = GAIRegressor(C=0.5, solver="binned", tol=1e-6)
    twice = GAIRegressor(C=1.0, solver="binned", tol=1e-6)
    heavy.fit(X, Y, sample_weight=np.full(40, 2.0))
    twice.fit(X, Y)
    np.testing.assert_allclose(heavy.predict(X), twice.predict(X), atol=1e-3)


def test_constant_columns_take_no_part_and_keep_the_numbers_of_others():
    wide = np.column_stack([np.ones(40), X[:, 0], np.zeros(40), X[:, 1]])
    model = GAIRegressor(monotone={1: 1, 3: -1}).fit(wide, Y)
    assert {i for factor in model.factors_ for i in factor} <= {1, 3}
    grid = np.ones((20, 4)) * [1.0, 0.5, 0.0, 0.5]
    grid[:, 1] = np.linspace(0, 1, 20)
    assert np.diff(model.predict(grid)).min() >= -1e-9
    assert np.diff(model.predict(grid)).max() > 0.01
