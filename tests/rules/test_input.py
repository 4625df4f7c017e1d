import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import KFold

from penchant.exceptions import DataError
from penchant.models import RuleClassifier, rules_table
from penchant.rules._data import labelled_data
from penchant.rules._selection import split_codes

X4 = np.array([[0.0], [1.0], [0.0], [1.0]])


def data_of(y, X=X4, weights=None, classes=None):
    return labelled_data(RuleClassifier(), X, y, weights, classes)


def test_equal_rows_are_merged_and_their_weights_added():
    data, labels, units = data_of(["b", "a", "b", "b"], weights=[1.0, 2.0, 3.0, 0.0])
    assert labels.tolist() == ["a", "b"]
    assert data.X[:, 0].tolist() == [0.0, 1.0]
    assert data.codes.tolist() == [1, 0]
    assert data.weights.tolist() == [4.0, 2.0]
    assert units.tolist() == [0, 1, 0, -1]


def test_the_order_of_rows_makes_no_difference():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (30, 2)).astype(float), rng.integers(0, 3, 30)
    order = rng.permutation(30)
    data, _, _ = data_of(y, X)
    shuffled, _, _ = data_of(y[order], X[order])
    np.testing.assert_array_equal(data.X, shuffled.X)
    np.testing.assert_array_equal(data.codes, shuffled.codes)
    np.testing.assert_array_equal(data.weights, shuffled.weights)


def test_grades_tell_preferences_between_labels():
    grades = pd.DataFrame(
        {
            "bus": [3.0, np.nan, 1.0, np.nan],
            "car": [1.0, 2.0, 1.0, np.nan],
            "tram": [2.0, 5.0, np.nan, 4.0],
        }
    )
    data, labels, units = data_of(grades)
    assert labels.tolist() == ["bus", "car", "tram"]
    rows = set(
        zip(data.items, labels[data.preferred], labels[data.others], strict=True)
    )
    assert rows == {
        (0, "bus", "car"),
        (0, "bus", "tram"),
        (0, "tram", "car"),
        (1, "tram", "car"),
    }
    assert units.tolist() == [0, 1, -1, -1]
    assert data.codes is None


def test_equal_sparse_rows_are_merged():
    X = np.array([[0.0, 2.0], [1.0, 0.0], [0.0, 2.0], [0.0, 2.0]])
    thin = sparse.csr_array(X)
    y, weights = np.array([1, 0, 1, 0]), np.array([1.0, 2.0, 3.0, 4.0])
    data, _, units = labelled_data(RuleClassifier(), thin, y, weights)
    dense, _, same = labelled_data(RuleClassifier(), X, y, weights)
    assert sorted(data.weights) == sorted(dense.weights) == [2.0, 4.0, 4.0]
    for one, two in ((units, same), (same, units)):
        assert len(set(zip(one, two, strict=True))) == 3
    np.testing.assert_array_equal(data.X.toarray()[units], X)
    np.testing.assert_array_equal(data.codes[units], y)


def test_pairs_of_labels_tell_preferences():
    y = [[("x", "y")], [], [("z", "x"), ("z", "y")], [("y", "x")]]
    data, labels, units = data_of(y, weights=[1.0, 1.0, 2.0, 0.0])
    assert labels.tolist() == ["x", "y", "z"]
    rows = set(
        zip(data.items, labels[data.preferred], labels[data.others], strict=True)
    )
    assert rows == {(0, "x", "y"), (1, "z", "x"), (1, "z", "y")}
    assert data.weights.tolist() == [1.0, 2.0]
    assert units.tolist() == [0, -1, 1, -1]


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        (None, {}, "requires y to be passed"),
        ([1, 1, 1, 1], {}, "at least 2 classes. Got 1 class"),
        ([0, 1, 0, 1], {"weights": np.zeros(4)}, "All are zero"),
        ([0, 1, 0, 1], {"weights": [1, -1, 1, 1]}, "sample_weight must be finite"),
        ([0, 1, 2, 1], {"classes": [0, 1]}, "y has the label .*2.*not among classes"),
        ([[], [], [], []], {}, "at least one preference"),
        ([[("a", "a")], [], [], []], {}, "cannot be preferred to itself"),
        ([[("a", "b")], [], [], []], {"classes": ["a", "c"]}, "must be at least 2 and"),
        (np.ones((4, 2)), {}, "grade two labels of an item differently"),
        (
            [[("a", "b")], [], [], []],
            {"weights": [0, 1, 1, 1]},
            "No item with a preference has a positive weight",
        ),
    ],
)
def test_targets_that_say_nothing(y, options, message):
    with pytest.raises(DataError, match=message):
        data_of(y, **options)


def test_folds_have_the_same_shares_and_cover_everything():
    codes = np.repeat([0, 1], [40, 10])
    units = np.arange(50)
    folds = split_codes(codes, units, np.ones(50), 5, np.random.RandomState(0))
    assert len(folds) == 5
    np.testing.assert_array_equal(sum(test for _, test in folds), np.ones(50))
    for train, test in folds:
        np.testing.assert_array_equal(train + test, np.ones(50))
        assert [test[codes == c].sum() for c in (0, 1)] == [8, 2]
    some = split_codes(codes, units, np.ones(50), 5, np.random.RandomState(0), 15)
    np.testing.assert_array_equal(some, folds[:2])  # 10 are not enough, 20 are


def test_folds_of_equal_rows_are_weights_of_their_unit():
    units = np.array([0, 0, 1, -1, 1, 2])
    codes = np.array([0, 0, 1, -1, 1, 0])
    weights = np.array([1.0, 2.0, 3.0, 9.0, 4.0, 5.0])
    folds = split_codes(codes, units, weights, KFold(3), np.random.RandomState(0))
    trains = [train.tolist() for train, _ in folds]
    assert trains == [[0, 7, 5], [3, 4, 5], [3, 3, 0]]
    few = split_codes(codes, units, weights, 10, np.random.RandomState(0))
    assert len(few) == 5  # as many as rows


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "rent": 100.0 * rng.integers(3, 16, 120),
            "view": rng.choice(["sea", "wall", "yard"], 120),
            "energy": pd.Categorical(
                rng.choice(["A", "B", "C"], 120), ["A", "B", "C"], ordered=True
            ),
            "lift": rng.random(120) < 0.5,
        }
    )


def test_frames_with_text_are_taken_as_items(frame):
    y = np.where((frame["rent"] <= 900) & (frame["view"] == "sea"), "yes", "no")
    model = RuleClassifier(nu=0.05).fit(frame, y)
    assert model.score(frame, y) == 1.0
    rule = model.rules_[0]
    assert "view = sea" in rule.text
    assert model.feature_names_in_.tolist() == list(frame.columns)
    kinds = [attribute.kind for attribute in model.attributes_in_]
    assert kinds == ["numeric", "categorical", "ordinal", "categorical"]
    # Later tables may lie outside the range of the fit, and have fewer levels.
    later = frame.head(3).assign(rent=[50.0, 5000.0, 800.0], view=["sea"] * 3)
    assert model.predict(later).tolist() == ["yes", "no", "yes"]
    assert "sea" in rules_table(model, "text")


def test_levels_that_the_fit_did_not_see_are_unknown(frame):
    y = frame["view"] == "sea"
    model = RuleClassifier().fit(frame, y)
    new = frame.head(2).assign(view=["moor", "sea"])
    assert model.predict(new).tolist() == [False, True]
    blank = frame.head(2).assign(view=[None, "sea"])
    np.testing.assert_allclose(model.predict_proba(new), model.predict_proba(blank))


def test_blank_cells_are_a_value_of_their_own(frame):
    rng = np.random.default_rng(1)
    rent = frame["rent"].where(rng.random(120) < 0.7)
    view = frame["view"].where(rng.random(120) < 0.7)
    table = frame.assign(rent=rent, view=view)
    y = rent.isna() | (view == "sea")
    model = RuleClassifier().fit(table, y)
    assert model.score(table, y) > 0.95
    assert "rent unknown" in {rule.text for rule in model.rules_}
    numbers = rng.normal(size=(100, 2))
    numbers[:30, 0] = np.nan
    told = np.isnan(numbers[:, 0])
    assert RuleClassifier(nu=0.1).fit(numbers, told).rules_[0].text == "x0 unknown"
    with pytest.raises(ValueError, match="NaN"):
        RuleClassifier(generator="monomials").fit(numbers, told)


def test_dates_are_cut_at_dates(frame):
    days = pd.date_range("2023-01-01", periods=120, freq="D")
    table = frame.assign(signed=days)
    y = (days >= "2023-03-01") & (frame["rent"] > 200)
    model = RuleClassifier(nu=0.1, degree=1).fit(table, y)
    texts = {rule.text for rule in model.rules_}
    assert any(
        text.startswith(("signed >= 2023-0", "signed <= 2023-0")) for text in texts
    )
    assert model.score(table, y) > 0.95
    later = table.head(1).assign(signed=[pd.Timestamp("2025-01-01")])
    assert model.predict(later).tolist() == [True]


def test_ordered_categories_are_compared_by_their_order(frame):
    y = frame["energy"] <= "B"
    model = RuleClassifier(nu=0.1, degree=1).fit(frame, y)
    assert {rule.text for rule in model.rules_} <= {"energy <= B", "energy = C"}
    assert model.score(frame, y) == 1.0
