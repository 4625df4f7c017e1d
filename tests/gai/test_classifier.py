import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from penchant.datasets import load_lev
from penchant.exceptions import DataError
from penchant.explanation import explain
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


def test_a_model_comes_back_from_a_file_and_explains_itself(tmp_path):
    X, y, _ = two_classes(200)
    model = GAIClassifier().fit(X, y)
    save(model, tmp_path / "model.zip")
    again = load(tmp_path / "model.zip")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert explain(model, X[:3]).values.shape == (3, 4)


def test_one_class_is_not_enough():
    with pytest.raises(DataError, match="two classes or more"):
        GAIClassifier().fit([[0.0], [1.0]], [1, 1])
