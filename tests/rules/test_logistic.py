import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from sklearn.linear_model import LogisticRegression

from penchant.models import Conjunctions, Vocabulary
from penchant.rules._data import LabelData, PairData
from penchant.rules._logistic import (
    LogisticModel,
    choose_greedily,
    fit_logistic,
    follow_doubts,
)
from penchant.rules._preferences import RuleColumns


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
        for j, gain in enumerate(model.gains(self.table)):
            design = np.column_stack([model.design, self.table[:, j]])
            slope = self.table[:, j] @ (self.weights * (miss - self.doubts))
            hessian = (design.T * (self.weights * miss * (1 - miss))) @ design
            hessian += np.diag([*model.penalties, 0.7])
            step = np.linalg.solve(hessian, [0.0, 0.0, 0.0, slope])
            assert gain == pytest.approx(slope * step[-1])

    def test_the_best_extension_is_the_best_of_all(self):
        model = self.model(3)
        objectives = [model.extend(c).fit.objective for c in self.table.T]
        objectives[3] = np.inf
        best, extended = model.extend_best(self.table, taken=[3])
        assert best == int(np.argmin(objectives))
        assert extended.fit.objective == pytest.approx(min(objectives))

    def test_what_is_taken_is_not_added_again(self):
        taken = [0, 1, 3, 4]
        best, _ = self.model(*taken).extend_best(self.table[:, :5], taken)
        assert best == 2

    def test_several_columns_at_once(self):
        block = self.model().extend(self.table[:, [4, 5, 6]])
        one_by_one = self.model(4, 5, 6)
        np.testing.assert_allclose(block.fit.coef, one_by_one.fit.coef, atol=1e-5)
        np.testing.assert_allclose(
            block.miss(), 1 / (1 + np.exp(block.design @ block.fit.coef))
        )

    def test_a_column_can_be_taken_out(self):
        model = self.model(4, 5, 6).without(2)
        np.testing.assert_allclose(model.fit.coef, self.model(4, 6).fit.coef, atol=1e-5)


def test_separable_data_have_finite_weights():
    columns = np.ones((10, 1))
    fit = fit_logistic(columns, np.ones(10), np.array([1e-6]))
    assert np.isfinite(fit.coef).all()
    assert fit.coef[0] > 5


def make_problem(kind, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(80, 3)).astype(float)
    if kind == "pairs":
        winners, losers = rng.integers(0, 80, (2, 120))
        keep = winners != losers
        winners, losers = winners[keep], losers[keep]
        better = X[:, 0] + X[:, 1] > X[0].sum()
        flip = better[losers] > better[winners]
        winners, losers = (
            np.where(flip, losers, winners),
            np.where(flip, winners, losers),
        )
        ones = np.ones(winners.size)
        data = PairData(X, ones, winners, losers, np.zeros(winners.size, dtype=bool))
    else:
        codes = np.digitize(X[:, 0] + rng.normal(size=80), [1.5, 3.0])
        codes = np.minimum(codes, kind - 1)
        data = LabelData.of_codes(X, np.ones(80), codes, kind)
    features = Conjunctions(1).bind(X, Vocabulary(("a", "b", "c")))
    return data, features, data.preferences(is_signed=False)


@pytest.mark.parametrize("kind", [2, 3, "pairs"])
def test_the_first_rule_is_the_best_of_all(kind):
    _, features, preferences = make_problem(kind)
    weights = np.full(preferences.n_rows, 1.0)
    bias = np.zeros((preferences.n_rows, 0))
    steps = choose_greedily(
        features, preferences, bias, weights, max_rules=1, ridge=1.0
    )
    n_labels = preferences.n_labels
    keys = [
        (k, a, b)
        for k in range(features.n_features)
        for a in range(n_labels)
        for b in range(a)
    ]
    table = RuleColumns(features, preferences).columns(keys)
    losses = [
        fit_logistic(table[:, [j]], weights, np.ones(1)).objective
        for j in range(len(keys))
    ]
    chosen = steps[1]
    column = RuleColumns(features, preferences).columns(chosen.keys)
    reached = objective(column, weights, np.ones(1), chosen.weights)
    assert reached == pytest.approx(min(losses), rel=1e-9)


@pytest.mark.parametrize("kind", [2, 3, "pairs"])
def test_every_step_lowers_the_loss(kind):
    _, features, preferences = make_problem(kind)
    weights = np.full(preferences.n_rows, 1.0)
    bias = np.zeros((preferences.n_rows, 0))
    steps = choose_greedily(
        features, preferences, bias, weights, max_rules=6, ridge=0.5
    )
    source = RuleColumns(features, preferences)
    losses = [
        objective(
            source.columns(step.keys),
            weights,
            np.full(len(step.keys), 0.5),
            step.weights,
        )
        for step in steps
    ]
    assert (np.diff(losses) < 0).all()
    assert [len(step.keys) for step in steps] == list(range(len(steps)))
    assert len({key[0] for key in steps[-1].keys}) == len(steps) - 1


def test_the_bias_is_that_of_logistic_regression():
    data, features, preferences = make_problem(2)
    signs = np.where(data.codes == 1, 1.0, -1.0)[:, None]
    steps = choose_greedily(
        features, preferences, signs, np.ones(80), max_rules=2, ridge=1.0
    )
    share = np.mean(data.codes)
    assert steps[0].bias[0] == pytest.approx(np.log(share / (1 - share)), abs=1e-3)
    last = steps[-1]
    table = features.values([key[0] for key in last.keys])
    peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(table, data.codes)
    np.testing.assert_allclose(last.weights, peer.coef_[0], atol=2e-3)
    np.testing.assert_allclose(last.bias, peer.intercept_, atol=2e-3)


def test_nothing_is_added_when_nothing_helps():
    X = np.array([[0.0], [1.0], [0.0], [1.0]])
    data = LabelData.of_codes(X, np.ones(4), np.array([0, 0, 1, 1]), 2)
    features = Conjunctions(1).bind(X, Vocabulary(("a",)))
    preferences = data.preferences(is_signed=False)
    signs = np.array([-1.0, -1.0, 1.0, 1.0])[:, None]
    steps = choose_greedily(
        features, preferences, signs, np.ones(4), max_rules=3, ridge=1.0
    )
    assert len(steps) == 1


class TestFollowing:
    @pytest.mark.parametrize("kind", [2, "pairs"])
    def test_finds_the_rules_that_the_probabilities_come_from(self, kind):
        _, features, preferences = make_problem(kind)
        wanted = {(2, 1, 0): 1.5, (9, 1, 0): -2.0}
        columns = RuleColumns(features, preferences).columns(list(wanted))
        margins = columns @ list(wanted.values())
        step = follow_doubts(
            features,
            preferences,
            np.zeros((preferences.n_rows, 0)),
            np.ones(preferences.n_rows),
            1 / (1 + np.exp(margins)),
            max_rules=2,
            ridge=1e-6,
        )
        followed = RuleColumns(features, preferences).columns(step.keys) @ step.weights
        np.testing.assert_allclose(followed, margins, atol=1e-3)

    def test_exchanges_rules_that_were_chosen_too_early(self):
        _, features, preferences = make_problem(2)
        rng = np.random.default_rng(35)
        doubts, weights = rng.random(preferences.n_rows), np.ones(preferences.n_rows)
        bias = np.zeros((preferences.n_rows, 0))
        source = RuleColumns(features, preferences)
        greedy = LogisticModel.of_bias(bias, weights, 0.1, doubts)
        table = source.columns([(k, 1, 0) for k in range(features.n_features)])
        chosen = []
        for _ in range(4):
            best, greedy = greedy.extend_best(table, chosen)
            chosen.append(best)
        step = follow_doubts(
            features, preferences, bias, weights, doubts, max_rules=4, ridge=0.1
        )
        margins = source.columns(step.keys) @ step.weights
        loss = weights @ (np.logaddexp(0, -margins) + doubts * margins)
        reached = loss + 0.05 * step.weights @ step.weights
        assert len({key[0] for key in step.keys}) == 4
        assert reached < greedy.fit.objective - 0.01
