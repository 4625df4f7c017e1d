from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from sklearn.linear_model import LogisticRegression

from penchant.rules._logistic import LogisticModel, fit_logistic, forward


def objective(columns, weights, penalties, coef):
    loss = weights @ np.logaddexp(0, -(columns @ coef))
    return loss + 0.5 * penalties @ coef**2


def test_weights_are_the_minimum():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(50, 4))
    weights, penalties = rng.random(50), np.array([1.0, 0.5, 0.1, 2.0])
    fit = fit_logistic(columns, weights, penalties)
    wanted = minimize(
        lambda b: objective(columns, weights, penalties, b), np.zeros(4), tol=1e-12
    )
    assert fit.objective == pytest.approx(wanted.fun, rel=1e-9)
    slope = approx_fprime(
        fit.coef, lambda b: objective(columns, weights, penalties, b), 1e-7
    )
    np.testing.assert_allclose(slope, 0, atol=1e-5)


def test_doubts_are_rows_that_hold_the_other_way_round():
    rng = np.random.default_rng(1)
    columns, weights = rng.normal(size=(40, 3)), rng.random(40)
    doubts, penalties = rng.random(40), np.array([1.0, 0.5, 0.1])
    both = np.vstack([columns, -columns])
    shared = np.concatenate([weights * (1 - doubts), weights * doubts])
    wanted = fit_logistic(both, shared, penalties)
    fit = fit_logistic(columns, weights, penalties, doubts=doubts)
    np.testing.assert_allclose(fit.coef, wanted.coef, atol=1e-7)
    assert fit.objective == pytest.approx(wanted.objective)


class TestModel:
    rng = np.random.default_rng(2)
    bias = np.ones((60, 1))
    table = rng.integers(0, 2, size=(60, 12)).astype(float)
    weights, doubts = rng.random(60), rng.random(60)

    def model(self, *columns):
        model = LogisticModel.of_bias(self.bias, self.weights, 0.7, self.doubts)
        for j in columns:
            model = model.extend(self.table[:, j])
        return model

    def test_gains_are_those_of_a_newton_step(self):
        model = self.model(0, 1)
        miss = 1 / (1 + np.exp(model.design @ model.fit.coef))
        for j, gain in enumerate(model.gains(self.table, self.table**2)):
            design = np.column_stack([model.design, self.table[:, j]])
            slope = self.table[:, j] @ (self.weights * (miss - self.doubts))
            hessian = (design.T * (self.weights * miss * (1 - miss))) @ design
            hessian += np.diag([*model.penalties, 0.7])
            step = np.linalg.solve(hessian, [0.0, 0.0, 0.0, slope])
            assert gain == pytest.approx(slope * step[-1])

    def test_several_columns_at_once(self):
        block = self.model().extend(self.table[:, [4, 5, 6]])
        one_by_one = self.model(4, 5, 6)
        np.testing.assert_allclose(block.fit.coef, one_by_one.fit.coef, atol=1e-5)
        np.testing.assert_allclose(block.fit.margins, block.design @ block.fit.coef)


def test_separable_data_have_finite_weights():
    columns = np.ones((10, 1))
    fit = fit_logistic(columns, np.ones(10), np.array([1e-6]))
    assert np.isfinite(fit.coef).all()
    assert fit.coef[0] > 5


class TestForward:
    rng = np.random.default_rng(4)
    table = rng.integers(0, 2, size=(80, 20)).astype(float)
    signs = np.where(table[:, 3] + table[:, 7] + rng.normal(size=80) > 1, 1.0, -1.0)
    columns, weights = table * signs[:, np.newaxis], np.ones(80)

    def steps(self, max_columns, doubts=None, ridge=1.0):
        bias = self.signs[:, np.newaxis]
        start = LogisticModel.of_bias(bias, self.weights, ridge, doubts)
        return list(forward(self.columns, start, max_columns))

    def test_the_first_column_is_the_best_of_all(self):
        start = LogisticModel.of_bias(self.signs[:, np.newaxis], self.weights, 1.0)
        losses = [start.extend(column).fit.objective for column in self.columns.T]
        assert self.steps(1)[1].places == (int(np.argmin(losses)),)

    def test_every_step_adds_one_and_keeps_the_others(self):
        steps = self.steps(6)
        for before, after in pairwise(steps):
            assert after.places[:-1] == before.places
        assert len(set(steps[-1].places)) == 6 == steps[-1].coef.size

    def test_weights_are_those_of_logistic_regression(self):
        last = self.steps(3)[-1]
        table = self.table[:, list(last.places)]
        peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000)
        peer.fit(table, self.signs)
        np.testing.assert_allclose(last.coef, peer.coef_[0], atol=2e-3)
        np.testing.assert_allclose(last.bias, peer.intercept_, atol=2e-3)

    def test_finds_the_columns_that_probabilities_come_from(self):
        margins = self.columns[:, [2, 9]] @ [1.5, -2.0]
        last = self.steps(2, 1 / (1 + np.exp(margins)), ridge=1e-6)[-1]
        assert set(last.places) == {2, 9}
        followed = self.columns[:, list(last.places)] @ last.coef
        np.testing.assert_allclose(followed, margins, atol=1e-3)

    def test_nothing_is_added_when_nothing_helps(self):
        columns = np.array([[0.0], [-1.0], [0.0], [1.0]])
        bias = np.array([[-1.0], [-1.0], [1.0], [1.0]])
        start = LogisticModel.of_bias(bias, np.ones(4), 1.0)
        assert len(list(forward(columns, start, 3))) == 1
