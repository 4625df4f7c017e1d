import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import balanced_accuracy_score

from penchant.rules._data import LabelData, PairData


@pytest.fixture
def labels():
    rng = np.random.default_rng(0)
    codes = np.array([0, 0, 0, 0, 1, 1, 2, 0])
    return LabelData.of_codes(rng.random((8, 2)), np.arange(1.0, 9.0), codes, 3)


@pytest.fixture
def pairs():
    X = np.arange(10.0).reshape(5, 2)
    ties = np.array([False, True, False])
    return PairData(
        X, np.array([1.0, 2.0, 1.0]), np.array([0, 1, 4]), np.array([1, 2, 0]), ties
    )


def test_each_label_is_preferred_to_all_others(labels):
    assert labels.items.size == 8 * 2
    np.testing.assert_array_equal(labels.preferred, labels.codes[labels.items])
    for item in range(8):
        others = set(labels.others[labels.items == item])
        assert others == {0, 1, 2} - {labels.codes[item]}


def test_weights_of_rows_add_up_to_one(labels, pairs):
    plain = labels.row_weights(balanced=False)
    np.testing.assert_allclose(
        np.bincount(labels.items, plain), labels.weights / labels.weights.sum()
    )
    balanced = labels.row_weights(balanced=True)
    np.testing.assert_allclose(np.bincount(labels.preferred, balanced), 1 / 3)
    assert balanced.sum() == pytest.approx(1)
    np.testing.assert_allclose(
        pairs.row_weights(balanced=False), [0.25, 0.25, 0.25, 0.25]
    )


def test_ties_have_no_weight_in_the_margin(labels, pairs):
    np.testing.assert_allclose(pairs.strict_weights(balanced=False), [0.5, 0, 0.5, 0])
    for balanced in (True, False):
        np.testing.assert_array_equal(
            labels.strict_weights(balanced=balanced),
            labels.row_weights(balanced=balanced),
        )


def test_a_tie_is_two_opposite_rows(pairs):
    preferences = pairs.preferences(is_signed=False)
    assert preferences.winners.tolist() == [0, 1, 4, 2]
    assert preferences.losers.tolist() == [1, 2, 0, 1]
    assert pairs.preferences(is_signed=True).scale == 0.5


def test_taking_units_keeps_what_belongs_to_them(labels, pairs):
    kept = np.array([0, 1, 0, 0, 3, 0, 1, 0.0])
    part = labels.take(kept)
    assert part.codes.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(part.X, labels.X[[1, 4, 6]])
    assert part.weights.tolist() == [1, 3, 1]
    np.testing.assert_array_equal(part.preferred, part.codes[part.items])
    some = pairs.take(np.array([0.0, 1.0, 2.0]))
    np.testing.assert_array_equal(some.X[some.winners], pairs.X[[1, 4]])
    np.testing.assert_array_equal(some.X[some.losers], pairs.X[[2, 0]])
    assert len(some.X) == 4


def test_joining_undoes_taking(labels, pairs):
    first = labels.take(np.where(np.arange(8) < 3, labels.weights, 0.0))
    rest = labels.take(np.where(np.arange(8) < 3, 0.0, labels.weights))
    both = first.join(rest)
    np.testing.assert_array_equal(both.X, labels.X)
    np.testing.assert_array_equal(both.items, labels.items)
    np.testing.assert_array_equal(both.codes, labels.codes)
    joined = pairs.join(pairs)
    np.testing.assert_array_equal(
        joined.X[joined.winners], np.vstack([pairs.X[pairs.winners]] * 2)
    )
    thin = LabelData.of_codes(sparse.csr_array(np.eye(3)), np.ones(3), np.arange(3), 3)
    assert thin.join(thin).X.shape == (6, 3)


def test_accuracies(labels, pairs):
    scores = np.random.default_rng(1).normal(size=(8, 3))
    right = scores.argmax(axis=1) == labels.codes
    weights = labels.weights
    assert labels.accuracy(scores, weights, balanced=False) == pytest.approx(
        np.average(right, weights=weights)
    )
    assert labels.accuracy(scores, weights, balanced=True) == pytest.approx(
        balanced_accuracy_score(
            labels.codes, scores.argmax(axis=1), sample_weight=weights
        )
    )
    utility = np.array([0.0, -1.0, 2.0, 5.0, 0.0])
    table = np.column_stack([-utility / 2, utility / 2])
    # Right, a tie that does not count, equal: half.
    assert pairs.accuracy(table, pairs.weights, balanced=False) == pytest.approx(0.75)
    tied = np.array([0.0, 1.0, 0.0])
    assert pairs.accuracy(table, tied, balanced=False) == 0.5


def test_accuracy_of_preferences_without_labels():
    data = LabelData(
        np.zeros((2, 1)),
        np.ones(2),
        None,
        np.array([0, 0, 1]),
        np.array([0, 1, 2]),
        np.array([1, 2, 0]),
        3,
    )
    scores = np.array([[2.0, 1.0, 3.0], [1.0, 0.0, 1.0]])
    # Item 0: one of two; item 1: equal, half.
    assert data.accuracy(scores, np.ones(2), balanced=False) == pytest.approx(0.5)
    assert data.accuracy(scores, np.array([1.0, 0.0]), balanced=True) == pytest.approx(
        0.5
    )
