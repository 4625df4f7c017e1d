"""Answers by the names of items, and best-worst answers."""

import numpy as np
import pandas as pd
import pytest

from penchant.data import BestWorst, Choices, Comparisons, Items, Rankings, Ratings
from penchant.exceptions import DataError

NAMES = ("Mill", "Kiln", "Barn")


def test_all_classes_take_names():
    items = Items.from_frame(pd.DataFrame({"rent": [1.0, 2.0, 3.0]}), names=NAMES)
    pairs = Comparisons.from_names([("Barn", "Mill")], items, users=["u"])
    assert (pairs.winners[0], pairs.losers[0], pairs.users[0]) == (2, 0, "u")
    assert Ratings.from_names(["Kiln"], [4.0], NAMES).items.tolist() == [1]
    assert Rankings.from_names([["Kiln", "Mill"]], NAMES).orders[0].tolist() == [1, 0]
    choices = Choices.from_names([["Kiln", "Barn"]], ["Barn"], NAMES)
    assert choices.chosen.tolist() == [2]
    answers = BestWorst.from_names([NAMES], ["Barn"], ["Kiln"], NAMES)
    assert (answers.best[0], answers.worst[0]) == (2, 1)


def test_unknown_names_say_where_they_stand():
    with pytest.raises(DataError, match=r"pairs\[1\]: there is no item called 'Mil'"):
        Comparisons.from_names([("Mill", "Kiln"), ("Mil", "Kiln")], NAMES)
    with pytest.raises(DataError, match="There are: 'Mill', 'Kiln', 'Barn'"):
        Ratings.from_names(["xyz"], [1.0], NAMES)
    with pytest.raises(DataError, match=r"A comparison has two names. Got 3"):
        Comparisons.from_names([("Mill", "Kiln", "Barn")], NAMES)
    with pytest.raises(DataError, match="Two items are called 'a'"):
        Comparisons.from_names([], ["a", "a"])


def test_best_and_worst_are_checked():
    with pytest.raises(DataError, match="The best item must be among those shown"):
        BestWorst([[0, 1]], [2], [0])
    with pytest.raises(DataError, match="cannot be best and worst"):
        BestWorst([[0, 1]], [1], [1])
    with pytest.raises(DataError, match=r"equally long. Got 1, 2 and 1"):
        BestWorst([[0, 1]], [1, 0], [1])


def test_people_can_be_changed_and_answers_taken():
    answers = BestWorst([[0, 1, 2], [1, 2]], [0, 1], [2, 2], ["a", "b"])
    assert len(answers.take([1])) == 1
    for each in (answers, Rankings([[0, 1], [1, 0]]), Choices([[0, 1]] * 2, [0, 1])):
        assert each.with_users(np.array([5, 6])).to_comparisons().users[-1] == 6
