"""What classifiers and rankers share: few rules, more data, margins of 0, warnings."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris

from penchant.data import Comparisons
from penchant.datasets import make_tic_tac_toe
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.models import (
    AlwaysTrue,
    Conjunctions,
    FeatureList,
    GeneratorSum,
    Monomials,
    RuleClassifier,
    RuleRanker,
)
from penchant.rules import _program as program


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :6], y


def contradiction(n_copies=10):
    """Items that cannot be told apart have both labels, the others one each."""
    X = np.repeat([[0.0], [1.0], [2.0]], n_copies, axis=0)
    y = np.repeat([0, 0, 1], n_copies)
    y[n_copies] = 1
    return X, y


# Few rules


def test_top_is_a_fit_on_these_rules_alone(cancer):
    X, y = cancer
    model = RuleClassifier(nu=0.3, tol=1e-7).fit(X, y)
    few = model.top(3)
    assert len(few.rules_) <= 3 < len(model.rules_)
    generator = Given(tuple(rule.feature for rule in model.rules_[:3]))
    alone = RuleClassifier(
        generator=GeneratorSum((generator, AlwaysTrue())), nu=0.3, tol=1e-7
    )
    # A fit may turn rules round, which top does not.
    assert few.value_ == pytest.approx(alone.fit(X, y).value_, abs=2e-7)
    assert few.value_ < model.value_
    bound = few.value_ + few.saddle_gap_
    assert bound == pytest.approx(model.value_ + model.saddle_gap_)


@dataclass(frozen=True)
class Given:
    """A generator of given features."""

    features: tuple

    def bind(self, X, vocabulary):
        return FeatureList(self.features, X)


def test_top_leaves_the_model_alone(cancer):
    X, y = cancer
    model = RuleClassifier(nu=0.5, degree=1).fit(X, y)
    before = list(model.rules_)
    few = model.top(2)
    assert model.rules_ == before
    assert few is not model
    assert few.get_params() == model.get_params()
    assert few.predict(X).shape == y.shape
    again = few.top(2)
    assert [str(rule) for rule in again.rules_] == [str(rule) for rule in few.rules_]
    assert again.value_ == pytest.approx(few.value_, abs=1e-3)


def test_all_rules_on_top_are_the_model(cancer):
    X, y = cancer
    model = RuleClassifier(nu=0.5, degree=1, tol=1e-7).fit(X, y)
    same = model.top(10_000)
    assert same.value_ == pytest.approx(model.value_, abs=2e-7)
    assert same.score(X, y) == pytest.approx(model.score(X, y), abs=0.01)


def test_top_of_logistic_rules_is_fitted_anew(cancer):
    X, y = cancer
    model = RuleClassifier(loss="logistic", max_rules=5, degree=1).fit(X, y)
    few = model.top(2)
    texts = {rule.text for rule in model.rules_[:2]}
    assert {rule.text for rule in few.rules_} == texts
    assert [r.weight for r in few.rules_] != [r.weight for r in model.rules_[:2]]
    shares = few.predict_proba(X)[:, 1]
    assert shares.mean() == pytest.approx(y.mean(), abs=1e-3)


def test_top_of_several_labels_and_of_rankers():
    X, y = load_iris(return_X_y=True)
    few = RuleClassifier(degree=1, nu=0.3).fit(X, y).top(4)
    assert len(few.rules_) <= 4
    assert few.score(X, y) > 0.9
    order = np.argsort(X[:, 0], kind="stable")
    winners, losers = order[75:], order[:75]
    keep = X[winners, 0] > X[losers, 0]
    ranker = RuleRanker(degree=1, nu=0.2).fit(
        X, Comparisons(winners[keep], losers[keep])
    )
    assert len(ranker.top(1).rules_) == 1


def test_too_few_rules_for_the_hard_margin_say_so():
    boards = make_tic_tac_toe()
    model = RuleClassifier(generator="monomials", degree=3, nu=None, tol=1e-6)
    model.fit(boards.data, boards.target)
    with pytest.warns(ConvergenceWarning, match="hard margin of only 3 rules is 0"):
        few = model.top(3)
    assert few.nu_ > 0
    assert few.value_ > 0
    assert 0 <= few.saddle_gap_ <= 1e-6  # of the three rules
    # Without the other lines three of them still find wins, and only wins.
    said = few.predict(boards.data)
    assert boards.target[said == 1].all()
    assert 0 < said.sum() < boards.target.sum()
    with pytest.raises(DataError, match="k must be at least 1"):
        model.top(0)


@pytest.mark.parametrize("n_rules", [1, 3])
def test_at_most_max_rules(cancer, n_rules):
    X, y = cancer
    for loss in ("margin", "logistic"):
        model = RuleClassifier(loss=loss, nu=0.4, degree=1, max_rules=n_rules)
        assert len(model.fit(X, y).rules_) <= n_rules
        assert model.score(X, y) > 0.8


# No margin


def test_a_hard_margin_of_zero_is_told_and_a_soft_one_used():
    X, y = contradiction()
    with pytest.warns(ConvergenceWarning, match="hard margin is 0. Used instead: .*nu"):
        model = RuleClassifier(nu=None).fit(X, y)
    assert model.nu_ is not None
    assert model.value_ > 0
    assert model.score(X, y) == pytest.approx(29 / 30)


def test_a_soft_margin_of_zero_is_told():
    X, y = contradiction()
    with pytest.warns(
        ConvergenceWarning, match=r"margin of RuleClassifier is 0.*larger"
    ):
        RuleClassifier(nu=0.05).fit(X, y)


def test_the_certificate_is_that_of_a_program_with_a_margin():
    """Contradictions end the path: the last program has no margin."""
    rng = np.random.default_rng(0)
    X = rng.random((12, 2))
    order = np.argsort(X[:, 0])
    winners = np.append(order[1:], order[:3])
    losers = np.append(order[:-1], order[1:4])
    model = RuleRanker(degree=1, cv=5).fit(X, Comparisons(winners, losers))
    assert model.value_ > 0
    assert model.saddle_gap_ < 1e-3
    assert model.candidate_ in model.choice_.candidates


def test_programs_that_stop_early_are_told(cancer, monkeypatch):
    solve = program.solve_margin
    monkeypatch.setattr(
        program, "solve_margin", lambda *a, **k: solve(*a, **k, max_rounds=1)
    )
    with pytest.warns(ConvergenceWarning, match="stopped at a gap of.*larger nu"):
        model = RuleClassifier(nu=0.2, tol=1e-7).fit(*cancer)
    assert model.solver_status_ == "round_limit"
    assert model.saddle_gap_ > 1e-7


# More data


def test_partial_fit_reaches_what_fit_reaches(cancer):
    X, y = cancer
    model = RuleClassifier(nu=0.2, tol=1e-6, degree=1)
    whole = clone(model).fit(X, y)
    for rows in (slice(0, 200), slice(200, 400), slice(400, None)):
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
    assert model.value_ >= whole.value_ - 1e-6  # it may also use earlier thresholds
    assert model.saddle_gap_ <= 1e-6
    assert abs(model.score(X, y) - whole.score(X, y)) < 0.02


@pytest.mark.parametrize("generator", ["rules", "monomials"])
def test_partial_fit_of_a_ranker(generator):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, size=(40, 2)) * 1.0
    u = X[:, 0] + 3 * (X[:, 1] >= 2)
    left, right = rng.integers(40, size=(2, 160))
    keep = u[left] != u[right]
    left, right = left[keep], right[keep]
    wins = u[left] > u[right]
    winners, losers = np.where(wins, left, right), np.where(wins, right, left)
    model = RuleRanker(generator=generator, degree=1, nu=0.3, tol=1e-6)
    whole = clone(model).fit(X, Comparisons(winners, losers))
    half = winners.size // 2
    model.partial_fit(X, Comparisons(winners[:half], losers[:half]))
    model.partial_fit(X, Comparisons(winners[half:], losers[half:]))
    assert model.saddle_gap_ <= 1e-6
    if generator == "rules":
        assert model.value_ >= whole.value_ - 1e-6
    assert model.score(X, Comparisons(winners, losers)) > 0.85


def test_partial_fit_with_all_labels_at_once_is_fit(cancer):
    X, y = cancer
    once = RuleClassifier(nu=0.3, degree=1).partial_fit(X, y)
    assert once.rules_ == RuleClassifier(nu=0.3, degree=1).fit(X, y).rules_


def test_features_can_come_in_a_stream():
    boards = make_tic_tac_toe()
    X, y = boards.data.to_numpy(), boards.target
    model = RuleClassifier(generator=Monomials(1) + AlwaysTrue(), nu=0.2, tol=1e-6)
    values = []
    for generator in (Monomials(1), Monomials(3), Conjunctions(1)):
        model.set_params(generator=generator + AlwaysTrue())
        if not values:
            model.fit(X[:600], y[:600])
        else:
            model.partial_fit(X[600:602], y[600:602])
        values.append(model.value_)
    # The rules of degree 3 survive a generator that has only simpler ones.
    assert values[1] > values[0]
    assert values[2] == pytest.approx(values[1], rel=0.2)
    alone = RuleClassifier(generator=Conjunctions(1) + AlwaysTrue(), nu=0.2, tol=1e-6)
    assert values[2] > 1.2 * alone.fit(X[:602], y[:602]).value_


def test_monomials_of_earlier_items_stay_in_range():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = RuleClassifier(generator="monomials", degree=2, nu=0.3)
    model.fit(X[:30], y[:30])
    model.partial_fit(3 * X[30:], y[30:])
    seen = np.vstack([X[:30], 3 * X[30:]])
    for rule in model.rules_:
        assert np.abs(rule.feature.evaluate(seen)).max() <= 1 + 1e-9
    assert model.score(seen, y) > 0.9


def test_what_was_chosen_is_kept_and_what_is_set_is_used(cancer):
    X, y = cancer
    model = RuleClassifier(degree=1, cv=2).fit(X[:150], y[:150])
    chosen = model.candidate_
    model.partial_fit(X[150:300], y[150:300])
    assert model.candidate_ == chosen
    assert len(model.rules_) <= chosen.n_rules
    assert model.score(X, y) > 0.88
    assert model.set_params(nu=0.5).partial_fit(X[:5], y[:5]).nu_ == 0.5


def test_contradictions_that_come_later_end_the_hard_margin():
    X, y = contradiction()
    model = RuleClassifier(nu=None, degree=1)
    model.fit(X[[0, 12, 20, 21]], y[[0, 12, 20, 21]])
    assert model.nu_ is None
    with pytest.warns(ConvergenceWarning, match="hard margin is 0"):
        model.partial_fit(X, y)
    assert model.nu_ is not None
    assert model.score(X, y) == pytest.approx(29 / 30)


def test_new_labels_need_to_be_announced(cancer):
    X, y = cancer
    model = RuleClassifier(nu=0.3, degree=1).partial_fit(X[:100], y[:100])
    with pytest.raises(DataError, match=r"has the label .*2.*not among classes"):
        model.partial_fit(X[100:102], [0, 2])
    told = RuleClassifier(nu=0.3, degree=1)
    told.partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    assert told.classes_.tolist() == [0, 1, 2]
    assert told.decision_function(X).shape == (len(X), 3)
