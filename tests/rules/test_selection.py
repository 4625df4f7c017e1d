"""Few rules by default: how many, which, and how well."""

import time

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.model_selection import train_test_split

from penchant.data import Comparisons
from penchant.exceptions import ConvergenceWarning
from penchant.models import AlwaysTrue, Monomials, Ramps, RuleClassifier, RuleRanker
from penchant.rules import _base as base
from penchant.rules import _selection as selection


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)


@pytest.fixture(scope="module")
def fitted(cancer):
    X, _, y, _ = cancer
    return RuleClassifier().fit(X, y)


def noisy(n_items=150, seed=0):
    """Labels by a sum of two attributes, one in five of them wrong."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_items, 4))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    return X, np.where(rng.random(n_items) < 0.2, 1 - y, y), y


def test_few_rules_with_probabilities_and_a_certificate(cancer, fitted):
    _, X, _, y = cancer
    assert 1 <= len(fitted.rules_) <= 15
    assert fitted.score(X, y) > 0.93
    shares = fitted.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert -np.log(shares[np.arange(y.size), y]).mean() < 0.2
    assert fitted.loss_ == "logistic"
    assert fitted.nu_ in selection.NUS
    assert fitted.value_ > 0.05
    assert fitted.saddle_gap_ <= 1e-3
    assert fitted.solver_status_ == "optimal"


def test_the_choice_can_be_looked_at(fitted):
    chosen, *others = fitted.choice_.candidates
    assert fitted.choice_.n_folds == 5
    assert chosen == fitted.candidate_
    assert chosen.n_rules == len(fitted.rules_)
    assert {each.origin for each in (chosen, *others)} == {"labels", "ramps"}
    losses = [each.log_loss for each in others]
    assert losses == sorted(losses)
    # Half a standard error is little: the choice is nearly the best.
    assert chosen.log_loss < losses[0] + 0.02
    assert f"at most {chosen.n_rules} rules" in str(fitted.choice_)


@pytest.mark.parametrize("n_labels", [2, 3])
def test_a_handful_is_enough_where_a_handful_is_the_truth(n_labels):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, size=(300, 3)).astype(float)
    y = (X[:, 0] <= 4).astype(int) * (1 + (X[:, 1] >= 6) * (n_labels - 2))
    model = RuleClassifier().fit(X, y)
    assert model.score(X, y) == 1.0
    assert len(model.rules_) <= 5 * (n_labels - 1)
    assert not any("x2" in rule.text for rule in model.rules_)


def test_what_attributes_tell_only_together_is_found():
    X = np.random.default_rng(0).normal(size=(400, 4))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    train, test = slice(0, 300), slice(300, None)
    model = RuleClassifier().fit(X[train], y[train])
    assert model.candidate_.origin == "labels"
    assert model.score(X[test], y[test]) > 0.9


def test_noise_is_told():
    X, y, truth = noisy()
    model = RuleClassifier().fit(X, y)
    assert model.score(X, truth) > 0.75
    rng = np.random.default_rng(1)
    nothing = RuleClassifier().fit(X, rng.integers(0, 2, y.size))
    assert nothing.candidate_.accuracy < 0.65
    assert len(nothing.rules_) < 15


def test_max_rules_is_kept(cancer):
    X, X_test, y, y_test = cancer
    model = RuleClassifier(max_rules=2, degree=1).fit(X, y)
    assert len(model.rules_) <= 2
    assert model.score(X_test, y_test) > 0.85


def test_one_soft_margin_can_be_the_source():
    X, y, truth = noisy()
    model = RuleClassifier(loss="logistic", nu=0.5).fit(X, y)
    assert model.nu_ == 0.5
    assert len(model.rules_) <= 15
    assert model.score(X, truth) > 0.75


def test_a_margin_can_be_chosen_by_folds(cancer):
    X, X_test, y, y_test = cancer
    model = RuleClassifier(loss="margin", degree=1).fit(X, y)
    assert model.loss_ == "margin"
    assert {each.nu for each in model.choice_.candidates} <= set(selection.NUS)
    assert model.nu_ == model.candidate_.nu
    assert model.score(X_test, y_test) > 0.93
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize(
    "generator", [Monomials(2) + AlwaysTrue(), Ramps() + AlwaysTrue(), "monomials"]
)
def test_other_generators(generator):
    X, y, truth = noisy()
    model = RuleClassifier(generator=generator).fit(X, y)
    assert 1 <= len(model.rules_) <= 15
    assert model.score(X, truth) > 0.75


def test_large_tables_are_sampled(monkeypatch):
    """One fold is enough, and the path sees some items; the weights see them all."""
    X, y = make_classification(6_000, 6, n_informative=4, random_state=0)
    monkeypatch.setattr(selection, "_CHOICE_UNITS", 2_000)
    start = time.process_time()
    model = RuleClassifier().fit(X[:5_000], y[:5_000])
    assert time.process_time() - start < 10
    assert model.choice_.n_folds == 2
    assert model.score(X[5_000:], y[5_000:]) > 0.8
    assert model.predict_proba(X[:5_000])[:, 1].mean() == pytest.approx(
        y[:5_000].mean(), abs=1e-2
    )


def test_class_weights_are_weights_of_items():
    X, y, _ = noisy()
    wanted = {0: 1.0, 1: 3.0}
    model = RuleClassifier(class_weight=wanted).fit(X, y)
    weights = np.where(y == 1, 3.0, 1.0)
    same = RuleClassifier(balance=False).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X))
    plain = RuleClassifier().fit(X, y)
    assert model.predict(X).mean() > plain.predict(X).mean()


def test_many_labels_take_the_best_pair_for_each_condition(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.random((240, 3))
    y = (4 * X[:, 0]).astype(int)
    monkeypatch.setattr(selection, "_MOST_BASIS", 50)
    assert RuleClassifier().fit(X, y).score(X, y) > 0.9


# Pairs


def test_a_ranker_chooses_few_rules_too():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, size=(60, 3)).astype(float)
    utility = 2.0 * (X[:, 0] <= 4) + 1.5 * (X[:, 1] >= 7)
    left, right = rng.integers(60, size=(2, 500))
    keep = utility[left] != utility[right]
    left, right = left[keep], right[keep]
    wins = (utility[left] > utility[right]) ^ (rng.random(left.size) < 0.1)
    told = Comparisons(np.where(wins, left, right), np.where(wins, right, left))
    model = RuleRanker().fit(X, told)
    assert len(model.rules_) <= 6
    true = utility[left] > utility[right]
    values = model.utility(X)
    assert np.mean((values[left] > values[right]) == true) > 0.95
    assert model.choice_.n_folds == 5


# Time


def test_time_is_kept_and_what_is_left_is_said(cancer):
    X, X_test, y, y_test = cancer
    model = RuleClassifier(max_time=0.05)
    with pytest.warns(ConvergenceWarning, match="max_time = 0.05 s"):
        model.fit(X, y)
    assert model.score(X_test, y_test) > 0.85
    with pytest.warns(ConvergenceWarning, match="best rules so far, at a gap"):
        late = RuleClassifier(nu=0.1, max_time=1e-6).fit(X, y)
    assert late.saddle_gap_ > 1e-3
    assert late.value_ > 0


def test_progress_is_shown_on_demand(cancer, monkeypatch):
    shown = []
    monkeypatch.setattr(base, "track", lambda folds, name: shown.append(name) or folds)
    X, _, y, _ = cancer
    RuleClassifier(degree=1).fit(X[:, :3], y)
    assert shown == []
    RuleClassifier(degree=1, verbose=True).fit(X[:, :3], y)
    assert shown == ["RuleClassifier"]
