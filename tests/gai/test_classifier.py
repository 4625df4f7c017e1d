import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from penchant.datasets import load_lev
from penchant.exceptions import DataError
from penchant.explanation import explain
from penchant.gai._classifier import common_scale
from penchant.io import load, save
from penchant.models import GAIClassifier

FOLDS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "a row that counts twice is in one fold, two equal rows may be in two"
    ),
}


@parametrize_with_checks(
    [GAIClassifier()],
    expected_failed_checks=lambda model: FOLDS,
)
def test_classifier_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def two_classes(n_rows=600):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_rows, 4))
    odds = 6 * (X[:, 0] - 0.5) + 20 * (X[:, 1] - 0.5) * (X[:, 2] - 0.5)
    return X, (rng.uniform(size=n_rows) < 1 / (1 + np.exp(-odds))).astype(int), odds


def test_true_factors_and_chances_are_found():
    X, y, odds = two_classes()
    model = GAIClassifier().fit(X, y)
    assert {(0,), (1, 2)} <= set(model.factors_)
    assert model.variance_shares_[model.factors_.index((1, 2))] > 0.1
    assert np.corrcoef(model.decision_function(X), odds)[0, 1] > 0.95
    assert (model.solver_, model.solver_status_) == ("binned", "optimal")
    assert model.dual_gap_ <= 1e-3
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert np.abs(chances[:, 1].mean() - y.mean()) < 1e-3


def test_three_classes_have_a_utility_each():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    model = GAIClassifier().fit(X, names)
    assert len(model.utilities_) == 3
    assert model.score(X, names) > 0.95
    assert model.decision_function(X).shape == (150, 3)


def test_chances_of_several_classes_are_those_of_rows_held_out():
    """Where the middle class is right, no line against all others can tell."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-3, 3, size=(500, 2))
    y = np.array([rng.choice(3, p=softmax([-2 * x, 1.0, 2 * x])) for x in X[:, 0]])
    model = GAIClassifier(max_order=0).fit(X[:300], y[:300])
    chances = model.predict_proba(X[300:])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert model.surprise_ == 1 / 301
    assert chances.min() >= model.surprise_ / 3
    plain = LogisticRegression().fit(X[:300], y[:300]).predict_proba(X[300:])
    assert log_loss(y[300:], chances) < log_loss(y[300:], plain) + 0.01
    given = GAIClassifier(max_order=0, C=1.0).fit(X[:300], y[:300])
    assert given.surprise_ is None  # nothing was held out
    odds = expit(given.decision_function(X))
    expected = odds / odds.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(given.predict_proba(X), expected)


def test_common_scale_is_the_most_likely_one():
    rng = np.random.default_rng(4)
    truth = rng.normal(size=(4_000, 3))
    codes = np.array([rng.choice(3, p=softmax(row)) for row in truth])
    scores, weights = 3 * truth - [0.5, 0.0, 1.0], np.ones(4_000)
    offsets, scale = common_scale(scores, codes, weights)
    assert scale == pytest.approx(1 / 3, rel=0.1)
    np.testing.assert_allclose(offsets - offsets[1], [0.5 / 3, 0, 1 / 3], atol=0.12)
    again = common_scale(scores, codes, weights * (codes != 1) + 1e-9)
    assert again[0][1] < offsets[1]  # a class that counts for nothing is not said


def test_grades_have_one_utility_and_thresholds():
    data = load_lev()
    model = GAIClassifier(ordered=True).fit(data.data, data.target)
    assert len(model.utilities_) == 1
    assert (np.diff(model.thresholds_) > 0).all()
    chances = model.predict_proba(data.data)
    assert (chances >= 0).all()
    error = np.abs(model.predict(data.data) - data.target).mean()
    assert error < 0.45  # multinomial logistic regression, held out: .43


def test_blanks_are_a_value_of_their_own():
    X, y, _ = two_classes()
    blank = np.random.default_rng(1).uniform(size=len(X)) < 0.3
    X[blank, 3] = np.nan
    model = GAIClassifier().fit(X, np.where(blank, 1, y))
    assert model.predict_proba(X)[blank, 1].min() > 0.8


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_model_comes_back_from_a_file_and_explains_itself(tmp_path, n_classes):
    X, y, _ = two_classes(200)
    model = GAIClassifier(max_order=1).fit(X, y + (X[:, 3] > 0.8) * (n_classes - 2))
    save(model, tmp_path / "model.zip")
    again = load(tmp_path / "model.zip")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert explain(model, X[:3]).values.shape == (3, 4)


def test_one_class_is_not_enough():
    with pytest.raises(DataError, match="two classes or more"):
        GAIClassifier().fit([[0.0], [1.0]], [1, 1])
