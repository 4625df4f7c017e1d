import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, KFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from experiments.prl._hands import make_poker
from penchant.data import Attribute, Items
from penchant.datasets import make_tic_tac_toe
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.io import load, save
from penchant.models import AlwaysTrue, Conjunctions, RuleClassifier


# Some of the checks have labels without any signal.
@pytest.mark.filterwarnings("ignore:The margin of RuleClassifier is 0")
@parametrize_with_checks(
    [
        RuleClassifier(degree=1, max_rules=3, cv=2),
        RuleClassifier(nu=0.8),
        RuleClassifier(generator="monomials", degree=1, nu=0.8),
        RuleClassifier(loss="logistic", max_rules=2, degree=1),
    ]
)
def test_follows_scikit_learn(estimator, check):
    check(estimator)


# Data with known rules


LINES = {
    " and ".join(f"{square}=x" for square in line)
    for line in (
        ("top_left", "top_middle", "top_right"),
        ("middle_left", "middle_middle", "middle_right"),
        ("bottom_left", "bottom_middle", "bottom_right"),
        ("top_left", "middle_left", "bottom_left"),
        ("top_middle", "middle_middle", "bottom_middle"),
        ("top_right", "middle_right", "bottom_right"),
        ("top_left", "middle_middle", "bottom_right"),
        ("top_right", "middle_middle", "bottom_left"),
    )
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("max_rules", [None, 10])
def test_the_eight_lines_of_tic_tac_toe(seed, max_rules):
    boards = make_tic_tac_toe()
    X_train, X_test, y_train, y_test = train_test_split(
        boards.data, boards.target, test_size=0.3, random_state=seed
    )
    model = RuleClassifier(
        generator="monomials", degree=3, nu=None, tol=1e-6, max_rules=max_rules
    ).fit(X_train, y_train)
    assert {rule.text for rule in model.rules_[:8]} == LINES
    assert all(rule.target == 1 for rule in model.rules_[:8])
    assert model.saddle_gap_ <= 1e-6
    assert model.value_ == pytest.approx(1 / 17, abs=1e-6)
    assert model.score(X_test, y_test) == 1.0


def test_three_of_a_kind():
    hands = make_poker(6_000, level=3, random_state=0)
    y = hands.target == hands.target_names.index("three of a kind")
    X_train, X_test, y_train, y_test = train_test_split(
        hands.data, y, test_size=0.2, random_state=0, stratify=y
    )
    generator = Conjunctions(1, relations=("=",)) + AlwaysTrue()
    model = RuleClassifier(generator=generator, nu=None).fit(X_train, y_train)
    assert model.score(X_test, y_test) == 1.0
    assert model.solver_status_ == "optimal"


def test_breast_cancer_with_few_rules():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, random_state=0, stratify=y
    )
    model = RuleClassifier(degree=1, max_rules=5, cv=3).fit(X_train, y_train)
    assert len(model.rules_) <= 5
    assert model.score(X_test, y_test) > 0.92
    for rule in model.rules_:
        name, relation, value = rule.text.rsplit(" ", 2)
        held = X_train.query(f"`{name}` {relation} {value}")
        assert rule.coverage == pytest.approx(len(held) / len(X_train))


def test_three_kinds_of_iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = RuleClassifier(degree=1, nu=0.2).fit(X, names)
    assert model.score(X, names) > 0.95
    assert model.intercept_.shape == (3,)
    scores = model.decision_function(X)
    assert scores.shape == (150, 3)
    np.testing.assert_allclose(scores.sum(axis=1), 0, atol=1e-12)
    for rule in model.rules_:
        assert {rule.target, rule.against} <= set(names)
        assert rule.target != rule.against


# Words


@pytest.fixture(scope="module")
def flats():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "price": rng.integers(4, 15, 200) * 100.0,
            "balcony": rng.choice(["no", "yes"], 200),
            "size": rng.integers(20, 100, 200) * 1.0,
        }
    )
    attributes = [
        Attribute("price", "numeric", "down", (400, 1500), "EUR"),
        Attribute("balcony", "categorical", domain=("no", "yes")),
        Attribute("size", "numeric", "up", (20, 120), "m²"),
    ]
    wanted = (frame["price"] <= 900) & (frame["balcony"] == "yes")
    return Items.from_frame(frame, attributes), np.where(wanted, "take", "leave")


def test_rules_speak_in_the_units_of_the_table(flats):
    items, y = flats
    model = RuleClassifier(nu=0.05).fit(items, y)
    texts = {(rule.text, rule.target) for rule in model.rules_}
    assert ("price <= 900 EUR and balcony = yes", "take") in texts
    assert model.score(items, y) == 1.0
    assert str(model.rules_[0]).startswith(model.rules_[0].text + " -> ")


def test_explanation_names_the_rules_that_hold(flats):
    items, y = flats
    model = RuleClassifier(nu=0.05).fit(items, y)
    row = int(np.flatnonzero(y == "take")[0])
    told = model.explain(items.take([row]))
    assert told.prediction == "take"
    assert "price <= 900 EUR and balcony = yes" in str(told)
    decision = model.decision_function(items)[row]
    assert told.scores @ [-1, 1] == pytest.approx(decision)


def test_a_negative_monomial_speaks_for_the_other_label():
    X = np.array([[-1.0], [-0.5], [0.5], [1.0]])
    model = RuleClassifier(generator="monomials", degree=1, nu=0.5)
    model.fit(X, ["down", "down", "up", "up"])
    (rule,) = model.rules_
    assert (rule.text, rule.target) == ("x0", "up")
    told = model.explain([[-1.0]])
    assert told.prediction == "down"
    assert told.spoken() == [("x0", "down", pytest.approx(1.0))]
    assert str(told) == "prediction: down\n  1.000 for down: x0"


# What y can be


def test_all_preferences_of_labels_are_the_labels():
    X, y = load_iris(return_X_y=True)
    X = X[::3]
    labels = y[::3]
    pairs = [[(int(a), b) for b in range(3) if b != a] for a in labels]
    grades = (labels[:, None] == np.arange(3)).astype(float)
    settings = {"degree": 1, "nu": 0.2, "balance": False, "tol": 1e-8}
    models = [
        RuleClassifier(**settings).fit(X, each) for each in (labels, pairs, grades)
    ]
    for model in models[1:]:
        assert model.value_ == pytest.approx(models[0].value_, abs=2e-8)
        assert model.classes_.tolist() == [0, 1, 2]
        assert (model.predict(X) == labels).mean() > 0.95


def test_nu_is_chosen_for_partial_preferences_too():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, size=(60, 2)).astype(float)
    grades = np.column_stack([X[:, 0], np.full(60, 2.0), X[:, 1]])
    grades[rng.random((60, 3)) < 0.3] = np.nan
    names = pd.Index(["tea", "water", "coffee"])
    model = RuleClassifier(degree=1).fit(X, pd.DataFrame(grades, columns=names))
    assert model.classes_.tolist() == list(names)
    assert model.choice_.candidates[0].accuracy > 0.8
    assert model.predict([[4.0, 0.0], [0.0, 4.0]]).tolist() == ["tea", "coffee"]


def test_weights_are_repetitions():
    X, y = load_iris(return_X_y=True)
    X, y = X[::2], y[::2]
    weights = np.random.default_rng(0).integers(0, 4, y.size)
    settings = {"degree": 1, "nu": 0.3, "tol": 1e-8}
    weighted = RuleClassifier(**settings).fit(X, y, sample_weight=weights)
    repeated = RuleClassifier(**settings).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-9
    )


# Losses and probabilities


def test_probabilities_belong_to_logistic_weights():
    X, y = load_breast_cancer(return_X_y=True)
    model = RuleClassifier(loss="logistic", max_rules=4, degree=1).fit(X, y)
    assert len(model.rules_) == 4
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(shares.argmax(axis=1), model.predict(X))
    # The bias has nearly no penalty, so the mean probability is that of the data.
    assert shares[:, 1].mean() == pytest.approx(y.mean(), abs=1e-3)
    assert not hasattr(RuleClassifier(nu=0.3).fit(X, y), "predict_proba")


def test_probabilities_of_several_labels():
    X, y = load_iris(return_X_y=True)
    model = RuleClassifier(loss="logistic", max_rules=4, degree=1).fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares.argmax(axis=1) == y).mean() > 0.9


def test_the_loss_follows_from_nu():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(150, 3)).astype(float)
    y = (X[:, 0] + rng.normal(0, 1.5, 150) > 2.5).astype(int)
    wanted = {"auto": "logistic", 0.8: "margin"}
    for nu, loss in wanted.items():
        model = RuleClassifier(nu=nu, degree=1)
        assert hasattr(model, "predict_proba") == (loss == "logistic")
        assert model.fit(X, y).loss_ == loss


# Company of scikit-learn


def test_sparse_tables_give_what_dense_ones_give():
    rng = np.random.default_rng(0)
    X = (rng.random((80, 60)) < 0.2).astype(float)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    model = RuleClassifier(generator="monomials", degree=1, nu=0.1, tol=1e-8)
    dense = clone(model).fit(X, y)
    thin = clone(model).fit(sparse.csr_array(X), y)
    assert thin.value_ == pytest.approx(dense.value_, abs=2e-8)
    np.testing.assert_array_equal(thin.predict(sparse.csr_array(X)), thin.predict(X))
    with pytest.raises(DataError, match="generator='monomials' with degree=1"):
        RuleClassifier(nu=0.1).fit(sparse.csr_array(X), y)


def test_grid_search_in_a_pipeline():
    X, y = load_iris(return_X_y=True, as_frame=True)
    steps = make_pipeline(FunctionTransformer(), RuleClassifier(degree=1))
    grid = {"ruleclassifier__nu": [0.3, 0.6], "ruleclassifier__max_rules": [2, None]}
    search = GridSearchCV(steps, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_estimator_[-1].rules_[0].text.split(" (cm)")[0] in {
        name.split(" (cm)")[0] for name in X.columns
    }


@pytest.mark.parametrize(
    "settings",
    [
        {"nu": 0.3},
        {"nu": 0.5, "generator": "monomials"},
        {"loss": "auto", "max_rules": 2, "degree": 1, "cv": 2},
        {"generator": Conjunctions(1) + AlwaysTrue(), "nu": 0.3},
    ],
    ids=["rules", "monomials", "chosen", "object"],
)
def test_saved_models_predict_the_same(tmp_path, settings):
    X, y = load_iris(return_X_y=True)
    model = RuleClassifier(**settings).fit(X, y)
    path = tmp_path / "rules.penchant"
    save(model, path)
    again = load(path)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.rules_ == model.rules_
    assert str(again.candidate_) == str(model.candidate_)
    assert again.choice_ == model.choice_
    assert (again.nu_, again.loss_) == (model.nu_, model.loss_)
    few, wanted = again.top(2), model.top(2)
    assert [str(rule) for rule in few.rules_] == [str(rule) for rule in wanted.rules_]
    assert again.partial_fit(X, y).score(X, y) > 0.5


def test_fits_are_reproducible():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::4, :4], y[::4]
    first, second = (
        RuleClassifier(degree=1, cv=3, random_state=1).fit(X, y) for _ in range(2)
    )
    assert first.rules_ == second.rules_
    order = np.random.default_rng(0).permutation(y.size)
    shuffled = RuleClassifier(degree=1, nu=first.nu_).fit(X[order], y[order])
    plain = RuleClassifier(degree=1, nu=first.nu_).fit(X, y)
    assert shuffled.rules_ == plain.rules_


def test_folds_of_the_user():
    X, y = load_iris(return_X_y=True)
    folds = KFold(4, shuffle=True, random_state=0)
    model = RuleClassifier(degree=1, cv=folds).fit(X, y)
    assert model.choice_.n_folds == 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"nu": 0.0}, "'nu' parameter"),
        ({"nu": 1.5}, "'nu' parameter"),
        ({"generator": "trees"}, "'generator' parameter"),
        ({"max_rules": 0}, "'max_rules' parameter"),
        ({"solver": "fictitious-play", "nu": 0.3}, "knows the hard margin only"),
        ({"solver": "fictitious-play", "loss": "logistic"}, "knows the hard margin"),
    ],
)
def test_bad_parameters_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        RuleClassifier(**settings).fit([[0.0], [1.0]], [0, 1])


def test_grades_must_fit_the_classes():
    X = np.arange(6.0).reshape(-1, 1)
    grades = np.column_stack([X[:, 0], 3 - X[:, 0]])
    model = RuleClassifier(nu=0.3, degree=1).fit(X, grades)
    more = np.column_stack([grades, X[:, 0]])
    with pytest.raises(
        DataError, match=r"a column for each of classes=\[.*Got \[0, 1, 2"
    ):
        model.partial_fit(X, more)


def test_play_that_finds_no_margin_says_so():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(60, 2)).astype(float)
    model = RuleClassifier(
        degree=1, solver="fictitious-play", n_epochs=2, n_plays=500, random_state=0
    )
    with pytest.warns(ConvergenceWarning, match="is 0.*more n_epochs"):
        model.fit(X, rng.integers(0, 2, 60))
