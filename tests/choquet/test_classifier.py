import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from penchant.exceptions import ConvergenceWarning, DataError, NotAnswerableError
from penchant.io import load, save
from penchant.models import ChoquetClassifier


@parametrize_with_checks(
    [
        ChoquetClassifier(),
        ChoquetClassifier(k=1, loss="hinge"),
        ChoquetClassifier(ordered=False, monotone=False),
    ]
)
def test_follows_scikit_learn(estimator, check):
    check(estimator)


def make_data(n_classes=2, n_rows=200, noise=0.2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 4))
    u = 2 * np.minimum(X[:, 0], X[:, 1]) + X[:, 2] - 0.5 * X[:, 3]
    u = u + noise * rng.normal(size=n_rows)
    grades = np.digitize(u, np.quantile(u, np.arange(1, n_classes) / n_classes))
    return X, grades


def improved_pairs(model, n_probes, seed=0):
    rng = np.random.default_rng(seed)
    low = rng.uniform(-0.3, 1.2, size=(n_probes, 4))
    high = low.copy()
    improved = rng.integers(4, size=n_probes)
    better = np.where(model.is_down_, -1, 1)[improved]
    high[np.arange(n_probes), improved] += better * rng.exponential(0.3, size=n_probes)
    return low, high


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("k", [2, 3])
def test_improving_a_criterion_never_lowers_the_grade(loss, n_classes, k):
    X, grades = make_data(n_classes)
    model = ChoquetClassifier(loss=loss, k=k).fit(X, grades)
    low, high = improved_pairs(model, 10_000)
    assert (model.utility(high) - model.utility(low)).min() >= -1e-12
    assert (model.predict(high) >= model.predict(low)).all()
    assert model.capacity_.monotonicity() == 1
    assert model.representation_ == "exact"


@given(seed=st.integers(0, 10**6), loss=st.sampled_from(["logistic", "hinge"]))
@settings(max_examples=15, deadline=None)
def test_no_labels_make_a_grade_fall(seed, loss):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(20, 4)).astype(float)
    labels = rng.permutation(np.arange(20) % 3)
    model = ChoquetClassifier(loss=loss).fit(X, labels)
    low, high = improved_pairs(model, 300, seed)
    assert (model.predict(high) >= model.predict(low)).all()


def test_one_criterion_without_constraint_is_logistic_regression():
    X, y = make_data()
    model = ChoquetClassifier(k=1, monotone=False, alpha=0.01, domain=(0, 1)).fit(X, y)
    peer = LogisticRegression(C=1 / (0.01 * len(y)), tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_grades_are_cut_by_rising_thresholds(loss):
    X, grades = make_data(5, noise=0.05)
    names = np.array(list("abcde"))
    model = ChoquetClassifier(loss=loss, alpha=1e-4).fit(X, names[grades])
    thresholds = -model.intercept_
    assert thresholds.shape == (4,)
    assert np.all(np.diff(thresholds) > 0)
    predicted = np.searchsorted(names, model.predict(X))
    assert np.abs(predicted - grades).mean() < 0.35
    if loss == "hinge":
        expected = np.searchsorted(thresholds, model.utility(X))
        np.testing.assert_array_equal(predicted, expected)
        assert not hasattr(model, "predict_proba")
    else:
        above = 1 / (1 + np.exp(thresholds - model.utility(X)[:, np.newaxis]))
        tails = 1 - np.cumsum(model.predict_proba(X), axis=1)[:, :-1]
        np.testing.assert_allclose(tails, above, atol=1e-12)


def test_binary_probabilities_are_logistic_in_the_utility():
    X, y = make_data()
    model = ChoquetClassifier().fit(X, y)
    decision = model.utility(X) + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), decision)
    np.testing.assert_allclose(
        model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-decision))
    )


def test_classes_without_order_have_a_capacity_each():
    X, y = load_iris(return_X_y=True)
    model = ChoquetClassifier(ordered=False, monotone=False).fit(X, y)
    assert model.score(X, y) > 0.9
    assert len(model.capacity_) == 3
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(NotAnswerableError, match="ordered"):
        model.utility(X)
    curved = ChoquetClassifier(ordered=False, monotone=False, marginals="spline")
    assert len(curved.fit(X, y).marginals_) == 3
    assert curved.score(X, y) > 0.9
    chosen = ChoquetClassifier(ordered=False, monotone=False, k="auto", random_state=0)
    chosen.fit(X, y)
    assert chosen.k_ == max(capacity.k for capacity in chosen.capacity_)
    assert list(chosen.order_losses_) == [1, 2, 3, 4]


def test_one_stopped_fit_of_several_is_reported():
    X, y = load_iris(return_X_y=True)
    model = ChoquetClassifier(ordered=False, max_iter=5)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        model.fit(X, y)
    assert model.solver_status_ == "stopped"


def test_the_order_is_chosen_by_stratified_cross_validation():
    X, grades = make_data(3, n_rows=150, noise=0.05)
    model = ChoquetClassifier(k="auto", random_state=0).fit(X, grades)
    assert model.k_ == 2
    assert model.order_losses_[2] < model.order_losses_[1]


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("alpha", [1e-9, 1e6])
def test_extreme_penalties_reach_the_tolerance(loss, k, alpha):
    X = np.random.default_rng(0).random((30, 4))
    model = ChoquetClassifier(loss=loss, k=k, alpha=alpha).fit(X, X[:, 0] > 0.5)
    assert model.solver_status_ == "optimal"
    if alpha < 1:
        assert model.score(X, X[:, 0] > 0.5) == 1


def test_weights_are_repetitions():
    X, grades = make_data(3, n_rows=60)
    weights = np.arange(60) % 3
    model = ChoquetClassifier(loss="hinge").fit(X, grades, sample_weight=weights)
    repeated = ChoquetClassifier(loss="hinge").fit(
        np.repeat(X, weights, axis=0), np.repeat(grades, weights)
    )
    np.testing.assert_allclose(model.utility(X), repeated.utility(X), atol=1e-3)


def test_saving_keeps_everything(tmp_path):
    X, grades = make_data(3, n_rows=60)
    for model in (ChoquetClassifier(), ChoquetClassifier(ordered=False)):
        model.fit(X, np.array(["bad", "fair", "good"])[grades])
        save(model, tmp_path / "model")
        again = load(tmp_path / "model")
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_refuses_a_single_class():
    with pytest.raises(DataError, match="at least 2 classes"):
        ChoquetClassifier().fit(np.eye(3), [1, 1, 1])
