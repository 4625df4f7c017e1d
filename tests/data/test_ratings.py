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
