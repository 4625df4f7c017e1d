"""LinearRanker against scikit-learn, closed forms and its own certificate."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import InvalidParameterError

from penchant.data import Comparisons
from penchant.exceptions import ConvergenceWarning
from penchant.testing import LinearRanker


def answers(seed, n_pairs=60, n_features=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_pairs, 2, n_features))
    chance = expit((X[:, 0] - X[:, 1]) @ rng.normal(size=n_features))
    return X, (rng.uniform(size=n_pairs) < chance).astype(int)


def objective(w, X, y, alpha, weights):
    signs = np.where(y == 1, 1.0, -1.0)
    margins = signs * ((X[:, 0] - X[:, 1]) @ w)
    return weights @ np.logaddexp(0, -margins) + alpha / 2 * w @ w


@pytest.mark.parametrize("alpha", [0.01, 1.0, 30.0])
def test_equals_logistic_regression_on_differences(alpha):
    X, y = answers(0)
    weights = np.random.default_rng(1).uniform(0.1, 3.0, len(y))
    ranker = LinearRanker(alpha=alpha).fit(X, y, sample_weight=weights)
    # scikit-learn weighs the loss by C instead of the penalty by alpha.
    peer = LogisticRegression(C=1 / alpha, fit_intercept=False, tol=1e-10)
    peer.fit(X[:, 0] - X[:, 1], y, sample_weight=weights)
    # The peer stops at a gradient of 1e-10 * n; alpha >= 0.01 bounds the distance.
    np.testing.assert_allclose(ranker.coef_, peer.coef_[0], atol=1e-6)


def test_one_feature_solves_the_stationarity_equation():
    # alpha w = d sigma(-w d) for a single pair with difference d
    ranker = LinearRanker(alpha=0.3).fit([[[2.5], [0.5]]], [1])
    root = brentq(lambda w: 0.3 * w - 2 * expit(-2 * w), 0, 10, xtol=1e-14)
    assert ranker.coef_[0] == pytest.approx(root, abs=1e-9)


def test_ties_pull_utilities_together_and_alone_mean_indifference():
    items = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    only_ties = Comparisons([0, 1], [1, 2], ties=[True, True])
    assert np.array_equal(LinearRanker().fit(items, only_ties).coef_, [0.0, 0.0])
    without = LinearRanker().fit(items, Comparisons([1], [0]))
    with_tie = LinearRanker().fit(
        items, Comparisons([1, 1], [0, 0], ties=[False, True])
    )
    assert 0 < with_tie.coef_[0] < without.coef_[0]


@given(seed=st.integers(0, 10_000), alpha=st.floats(1e-3, 1e3))
@settings(max_examples=25)
def test_the_gap_bounds_the_distance_from_the_minimum(seed, alpha):
    X, y = answers(seed, n_pairs=20, n_features=3)
    weights = np.ones(len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        early = LinearRanker(alpha=alpha, max_iter=1).fit(X, y)
    best = LinearRanker(alpha=alpha).fit(X, y)
    excess = objective(early.coef_, X, y, alpha, weights) - objective(
        best.coef_, X, y, alpha, weights
    )
    assert excess <= early.gap_ + best.gap_ + 1e-12
    assert best.gap_ <= 1e-12 * len(y) * np.log(2)


def test_separable_answers_with_a_weak_penalty_converge():
    X = np.random.default_rng(2).normal(size=(200, 2, 5)) * 100
    y = ((X[:, 0] - X[:, 1]).sum(axis=1) > 0).astype(int)
    ranker = LinearRanker(alpha=1e-6).fit(X, y)
    assert ranker.score(X, y) == 1.0
    assert ranker.n_iter_ < 60


def test_steps_that_overshoot_are_halved():
    # Full Newton steps increase the objective here from the eleventh step on.
    differences = np.array([[0.2, -0.1], [14.2, 8.5], [-0.3, -0.9]])
    X = np.stack([differences, np.zeros_like(differences)], axis=1)
    y = np.ones(3)
    ranker = LinearRanker(alpha=1e-4).fit(X, y)
    peer = minimize(
        objective, ranker.coef_ + 0.1, (X, y, 1e-4, y), method="Nelder-Mead", tol=1e-12
    )
    assert objective(ranker.coef_, X, y, 1e-4, y) <= peer.fun + 1e-12


def test_too_few_steps_warn_with_what_to_do():
    X, y = answers(3)
    with pytest.warns(ConvergenceWarning, match="after 1 steps.*Increase max_iter"):
        LinearRanker(max_iter=1).fit(X, y)


@pytest.mark.parametrize(
    "params", [{"alpha": 0}, {"alpha": "1"}, {"tol": -1.0}, {"max_iter": 0}]
)
def test_parameters_are_checked_by_fit(params):
    X, y = answers(4)
    with pytest.raises(InvalidParameterError, match=next(iter(params))):
        LinearRanker(**params).fit(X, y)
