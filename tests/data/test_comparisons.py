import numpy as np
import pytest

from penchant.data import Comparisons
from penchant.exceptions import DataError


def pairs(comparisons):
    return list(
        zip(comparisons.winners.tolist(), comparisons.losers.tolist(), strict=True)
    )


def test_fields_are_read_only():
    answers = Comparisons([0], [1])
    with pytest.raises(ValueError, match="read-only"):
        answers.winners[0] = 5
    with pytest.raises(AttributeError):
        answers.winners = np.array([1])


def test_changing_the_input_later_changes_nothing():
    winners = np.array([0, 1])
    answers = Comparisons(winners, [2, 2])
    winners[0] = 9
    assert answers.winners.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [1]), "equally long.*2 winners and 1 losers"),
        (([0, 1], [1, 1]), "Row 1 compares item 1 with itself"),
        (([0], [-1]), "losers must hold item indices >= 0.*-1 at position 0"),
        (([0.5], [1]), "winners must hold item indices"),
        (([[0]], [[1]]), "one-dimensional"),
        ((["a"], [1]), "whole numbers"),
    ],
)
def test_bad_indices_are_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        Comparisons(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ties": [1]}, "ties must be 1 booleans"),
        ({"ties": [True, False]}, "ties must be 1 booleans"),
        ({"users": ["a", "b"]}, "users must have one entry per row"),
        ({"weights": [-1.0]}, "finite and >= 0.*-1"),
        ({"weights": [np.nan]}, "finite"),
        ({"weights": [1.0, 2.0]}, "one entry per row"),
    ],
)
def test_bad_columns_are_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        Comparisons([0], [1], **arguments)


def test_ratings_become_all_pairs_with_ties_and_gaps():
    answers = Comparisons.from_ratings([3.0, np.nan, 5.0, 3.0])
    assert pairs(answers) == [(2, 0), (0, 3), (2, 3)]
    assert answers.ties.tolist() == [False, True, False]
    assert answers.users is None


def test_ratings_of_several_people_keep_apart():
    answers = Comparisons.from_ratings([[1.0, 2.0], [2.0, 1.0]], users=["ann", "bob"])
    assert pairs(answers.of_user("ann")) == [(1, 0)]
    assert pairs(answers.of_user("bob")) == [(0, 1)]
    assert answers.n_contradictions == 0
    assert answers.pooled().n_contradictions == 1


def test_rankings_all_and_adjacent():
    assert pairs(Comparisons.from_rankings([[2, 0, 1]])) == [(2, 0), (2, 1), (0, 1)]
    adjacent = Comparisons.from_rankings([[2, 0, 1], [1, 0]], pairs="adjacent")
    assert pairs(adjacent) == [(2, 0), (0, 1), (1, 0)]
    assert adjacent.users.tolist() == [0, 0, 1]
    assert Comparisons.from_rankings([1, 0]).users is None


def test_ranking_errors():
    with pytest.raises(DataError, match="Ranking 1 lists item 3 2 times"):
        Comparisons.from_rankings([[0, 1], [3, 3]])
    with pytest.raises(DataError, match="'all' or 'adjacent'"):
        Comparisons.from_rankings([[0, 1]], pairs="some")
    with pytest.raises(DataError, match="one entry per row"):
        Comparisons.from_rankings([[0, 1]], users=["a", "b"])


def test_choices_beat_the_rest():
    answers = Comparisons.from_choices([[0, 1, 2], [4, 3]], [1, 3], users=["a", "b"])
    assert pairs(answers) == [(1, 0), (1, 2), (3, 4)]
    assert answers.users.tolist() == ["a", "a", "b"]
    with pytest.raises(DataError, match="Choice 0 chose item 7"):
        Comparisons.from_choices([[0, 1]], [7])
    with pytest.raises(DataError, match="1 sets and 2 choices"):
        Comparisons.from_choices([[0, 1]], [0, 1])


def test_duplicates_and_contradictions_are_kept_and_counted():
    answers = Comparisons(
        [0, 0, 1, 2, 3], [1, 1, 0, 3, 2], ties=[False] * 3 + [True] * 2
    )
    assert len(answers) == 5
    assert answers.n_duplicates == 2
    assert answers.n_contradictions == 1


def test_no_comparisons_are_fine():
    empty = Comparisons([], [])
    assert (len(empty), empty.n_items, empty.n_duplicates) == (0, 0, 0)
    assert len(Comparisons.from_rankings([])) == 0


def test_stack_gives_winner_first():
    X = np.arange(6.0).reshape(3, 2)
    stacked, y = Comparisons([2, 0], [0, 1]).stack(X)
    assert stacked.shape == (2, 2, 2)
    np.testing.assert_array_equal(stacked[0], X[[2, 0]])
    assert y.tolist() == [1, 1]


def test_stack_refuses_ties_and_unknown_items():
    with pytest.raises(DataError, match=r"row 1 is one.*without_ties"):
        Comparisons([0, 1], [1, 2], ties=[False, True]).stack(np.eye(3))
    with pytest.raises(DataError, match="item 4, but there are 3 items"):
        Comparisons([4], [0]).stack(np.eye(3))


def test_of_user_needs_users():
    with pytest.raises(DataError, match="name no users"):
        Comparisons([0], [1]).of_user("ann")


def test_equality_and_representation():
    one = Comparisons([0], [1], users=["a"])
    assert one == Comparisons([0], [1], users=["a"])
    assert one != Comparisons([0], [1], users=["b"])
    assert one != "something else"
    assert repr(one) == "Comparisons(1 rows, 0 ties, 1 users)"
