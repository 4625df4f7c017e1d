import numpy as np
import pytest

from penchant.data import Choices, Comparisons, Rankings, Ratings
from penchant.exceptions import DataError


def test_ratings_compare_items_of_the_same_person_only():
    ratings = Ratings([0, 1, 0, 2], [1, 2, 5, 3], users=["a", "a", "b", "b"])
    answers = ratings.to_comparisons()
    assert answers == Comparisons([1, 0], [0, 2], users=["a", "b"])


def test_an_item_rated_twice_is_not_compared_with_itself():
    answers = Ratings([0, 0, 1], [1, 5, 3]).to_comparisons()
    assert answers == Comparisons([1, 0], [0, 1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [1.0]), "2 items and values of shape"),
        (([0], [np.nan]), "finite.*row 0"),
        (([0], [1.0], ["a", "b"]), "users"),
    ],
)
def test_bad_ratings_are_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        Ratings(*arguments)


def test_rankings_agree_with_comparisons():
    rankings = Rankings([[2, 0, 1], [1, 2]], users=["a", "b"])
    assert len(rankings) == 2
    expected = Comparisons.from_rankings([[2, 0, 1], [1, 2]], users=["a", "b"])
    assert rankings.to_comparisons() == expected
    with pytest.raises(DataError, match="Ranking 0 lists item 1 2 times"):
        Rankings([[1, 1]])


def test_choices_agree_with_comparisons():
    choices = Choices([[0, 1, 2]], [1])
    assert len(choices) == 1
    assert choices.to_comparisons() == Comparisons([1, 1], [0, 2])
    with pytest.raises(DataError, match="Choice 0 chose item 5"):
        Choices([[0, 1]], [5])


def test_csv_round_trips(tmp_path):
    ratings = Ratings([0, 1], [0.1, 1 / 3], users=["=a", "b"], weights=[1, 0.5])
    ratings.to_csv(tmp_path / "ratings.csv")
    again = Ratings.from_csv(tmp_path / "ratings.csv")
    np.testing.assert_array_equal(again.values, ratings.values)
    assert again.users.tolist() == ["=a", "b"]
    assert again.weights.tolist() == [1, 0.5]

    rankings = Rankings([[12, 0, 1], [1, 2]], users=["z", "a"])
    rankings.to_csv(tmp_path / "rankings.csv")
    again = Rankings.from_csv(tmp_path / "rankings.csv")
    assert [order.tolist() for order in again.orders] == [[12, 0, 1], [1, 2]]
    assert again.users.tolist() == ["z", "a"]

    for users in (None, ["a", "b"]):
        choices = Choices([[0, 1, 2], [3, 4]], [1, 4], users=users)
        choices.to_csv(tmp_path / "choices.csv")
        again = Choices.from_csv(tmp_path / "choices.csv")
        assert again.to_comparisons() == choices.to_comparisons()
