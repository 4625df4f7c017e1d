"""max_order=0: a linear utility, from ratings, classes, grades and comparisons."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, RidgeCV

from penchant.data import Comparisons
from penchant.exceptions import DataError
from penchant.models import GAIClassifier, GAIRanker, GAIRegressor

X = np.random.default_rng(0).uniform(size=(400, 4))
Y = 3 * X[:, 0] - 2 * X[:, 1] + X[:, 2] ** 2


def test_ratings_are_fitted_as_by_ridge_regression():
    model = GAIRegressor(max_order=0).fit(X, Y)
    ridge = RidgeCV(np.logspace(-3, 3, 13)).fit(X, Y)
    assert model.solver_ == "linear"
    assert np.corrcoef(model.predict(X), ridge.predict(X))[0, 1] > 0.9999
    assert all(len(factor) == 1 for factor in model.factors_)


@pytest.mark.parametrize("seed", range(3))
def test_noise_does_not_shrink_what_is_there(seed):
    rng = np.random.default_rng(seed)
    items = rng.normal(size=(1_000, 6))
    truth = items @ [1.0, 0.8, 0.6, 0.4, 0.2, 0.0]
    ratings = truth + 4 * truth.std() * rng.normal(size=1_000)
    told = GAIRegressor(max_order=0).fit(items, ratings).predict(items)
    plain = LinearRegression().fit(items, ratings).predict(items)
    assert 0.8 < told.std() / plain.std() < 1.0


@pytest.mark.parametrize("i", range(4))
def test_every_curve_is_a_line(i):
    model = GAIRegressor(max_order=0, C=100.0).fit(X, Y)
    bends = np.diff(model.factor_function(i)(np.linspace(0.1, 0.9, 9)), n=2)
    assert np.abs(bends).max() < 1e-9


@pytest.mark.parametrize("ordered", [False, True])
def test_classes_and_grades(ordered):
    grades = np.digitize(Y, [0.0, 1.5])
    model = GAIClassifier(max_order=0, ordered=ordered).fit(X, grades)
    assert model.solver_ == "linear"
    assert model.score(X, grades) > 0.85


@pytest.mark.parametrize("n", [60, 400])
def test_comparisons_few_and_many(n):
    a, b = np.arange(n), (np.arange(n) + 7) % n
    first = Y[a] > Y[b]
    answers = Comparisons(np.where(first, a, b), np.where(first, b, a))
    model = GAIRanker(max_order=0).fit(X[:n], answers)
    assert model.solver_ == "linear"
    assert model.score(*answers.stack(X[:n])) > 0.9


def test_what_only_the_exact_solver_knows_is_refused():
    with pytest.raises(DataError, match="linear utility, needs the binned"):
        GAIRegressor(max_order=0, solver="exact").fit(X, Y)
    with pytest.raises(DataError, match="does not know hierarchical"):
        GAIRegressor(max_order=0, hierarchical=True).fit(X, Y)
