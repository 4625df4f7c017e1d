import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from penchant.data import Comparisons, Items
from penchant.encoding._pairs import RankerMixin, check_pairs
from penchant.exceptions import DataError


class SumRanker(RankerMixin, BaseEstimator):
    """Prefers the larger sum; learns nothing."""

    def fit(self, X, y, sample_weight=None):
        check_pairs(self, X, y, sample_weight)
        self.fitted_ = True
        return self

    def utility(self, X):
        return np.asarray(X).sum(axis=1)


ITEMS = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 1.0], [5.0, 5.0]])


def test_equal_items_are_merged_and_their_pairs_left_out():
    answers = Comparisons([0, 1, 3], [2, 2, 0], weights=[1.0, 2.0, 3.0])
    pairs = check_pairs(SumRanker(), ITEMS, answers)
    np.testing.assert_array_equal(pairs.items, [[0, 1], [2, 0], [5, 5]])
    assert pairs.winners.tolist() == [1, 2]
    assert pairs.losers.tolist() == [0, 0]
    assert pairs.weights.tolist() == [2.0, 3.0]


def test_both_ways_of_giving_pairs_agree():
    answers = Comparisons([0, 3], [1, 0])
    stacked = ITEMS[[[1, 0], [3, 0]]]
    one = check_pairs(SumRanker(), ITEMS[[0, 1, 3]], Comparisons([0, 2], [1, 0]))
    two = check_pairs(SumRanker(), stacked, [0, 1])
    assert len(answers) == one.winners.size
    np.testing.assert_array_equal(one.items, two.items)
    np.testing.assert_array_equal(one.winners, two.winners)


def test_weights_multiply_and_zero_removes():
    answers = Comparisons([0, 3], [1, 0], weights=[2.0, 3.0])
    pairs = check_pairs(SumRanker(), ITEMS, answers, sample_weight=[0.0, 2.0])
    assert pairs.weights.tolist() == [6.0]


def test_predictions_and_score():
    ranker = SumRanker().fit(ITEMS, Comparisons([0], [1]))
    X = ITEMS[[[0, 1], [3, 0], [0, 2]]]
    assert ranker.decision_function(X).tolist() == [-1, 9, 0]
    assert ranker.predict(X).tolist() == [0, 1, 0]
    assert ranker.score(X[:2], [0, 1]) == 1.0
    assert ranker.score(X[:2], [0, 0]) == 0.5
    assert ranker.score(X[:2], [0, 0], sample_weight=[3, 1]) == 0.75
    tied = Comparisons([1, 3], [0, 0], ties=[False, True])
    assert ranker.score(ITEMS, tied) == 1.0


def test_several_people_must_be_pooled_on_purpose():
    answers = Comparisons([0, 1], [1, 0], users=["a", "b"])
    with pytest.raises(DataError, match=r"by 2 people.*of_user.*pooled"):
        SumRanker().fit(ITEMS, answers)
    SumRanker().fit(ITEMS, answers.pooled())
    SumRanker().fit(ITEMS, answers.of_user("a"))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (ITEMS, Comparisons([], []), "At least one comparison"),
        (ITEMS, Comparisons([0], [2]), "two different items.*none among 1"),
        (np.zeros((3, 2, 0)), [1, 1, 1], r"shape \(n_pairs, 2, n_features\)"),
        (ITEMS, Comparisons([9], [0]), "item 9, but there are 4 items"),
        (ITEMS, [1, 0, 1, 0], r"shape \(n_pairs, 2, n_features\)"),
        (ITEMS[[[0, 1]]], [1, 0], r"one entry per pair \(1\)"),
        (ITEMS[[[0, 1]]], [2], r"1 \(first preferred\) or 0.*position 0"),
        (Items.from_frame(pd.DataFrame({"a": [1, 2]})), [1], "must be Comparisons"),
        (pd.DataFrame({"a": ["x", "y"]}), [(0, 1)], r"Comparisons\(winners, losers\)"),
    ],
)
def test_bad_pairs_are_refused(X, y, message):
    with pytest.raises(DataError, match=message):
        SumRanker().fit(X, y)


def test_a_score_needs_a_preference():
    ranker = SumRanker().fit(ITEMS, Comparisons([0], [1]))
    with pytest.raises(DataError, match="Got ties only"):
        ranker.score(ITEMS, Comparisons([0], [1], ties=[True]))


def test_the_number_of_features_must_stay():
    ranker = SumRanker().fit(ITEMS[[[0, 1]]], [1])
    with pytest.raises(DataError, match="3 features, but SumRanker is expecting 2"):
        ranker.predict(np.zeros((1, 2, 3)))
