"""What kind of target it is."""

import numpy as np
import pandas as pd
import pytest

from penchant.data import (
    BestWorst,
    Choices,
    Comparisons,
    Items,
    Rankings,
    Ratings,
)
from penchant.exceptions import DataError
from penchant.learning import find_target

X = np.random.default_rng(0).random((40, 3))


@pytest.mark.parametrize(
    ("values", "kind", "labels"),
    [
        (X[:, 0], "numbers", []),
        (np.arange(40), "numbers", []),
        (np.arange(40) % 5 + 1, "grades", [1, 2, 3, 4, 5]),
        (np.arange(40) % 2, "classes", [0, 1]),
        (np.arange(40) % 2 == 0, "classes", [False, True]),
        (["b", "a"] * 20, "classes", ["a", "b"]),
        (["low", "high", "medium", "low"] * 10, "grades", ["low", "medium", "high"]),
        (["red", "green", "blue", "red"] * 10, "classes", ["blue", "green", "red"]),
    ],
)
def test_kinds_of_columns(values, kind, labels):
    found = find_target(X, values)
    assert (found.kind, found.labels.tolist()) == (kind, labels)
    assert len(found) == 40


def test_ordered_categories_keep_their_order():
    column = pd.Series(pd.Categorical(["z", "a", "m", "a"] * 10, ["z", "m", "a"], True))
    found = find_target(X, column)
    assert (found.kind, found.labels.tolist()) == ("grades", ["z", "m", "a"])
    assert found.values[:3].tolist() == [0, 2, 1]


def test_the_kind_can_be_said():
    assert find_target(X, np.arange(40) % 5, "numbers").kind == "numbers"
    assert find_target(X, np.arange(40) % 5, "classes").kind == "classes"
    with pytest.raises(DataError, match="kind='comparisons' does not fit"):
        find_target(X, X[:, 0], "comparisons")
    with pytest.raises(DataError, match="kind must be 'auto' or one of"):
        find_target(X, X[:, 0], "things")


@pytest.mark.parametrize(
    ("answers", "groups"),
    [
        (Comparisons(np.arange(12), np.arange(1, 13)), list(range(12))),
        (Choices([[0, 1, 2]] * 12, [1] * 12), np.repeat(range(12), 2).tolist()),
        (Rankings([[0, 1, 2]] * 12), np.repeat(range(12), 3).tolist()),
        (
            BestWorst([[0, 1, 2]] * 12, [0] * 12, [1] * 12),
            np.repeat(range(12), 3).tolist(),
        ),
    ],
)
def test_all_that_an_answer_says_stays_together(answers, groups):
    found = find_target(X, answers)
    assert found.kind == "comparisons"
    assert found.groups.tolist() == groups


def test_ties_say_nothing_to_foretell():
    pairs = Comparisons(np.arange(12), np.arange(1, 13), ties=[True] + [False] * 11)
    assert len(find_target(X, pairs)) == 11


def test_ratings_of_the_same_item_stay_together():
    rated = Ratings(np.arange(60) % 20, np.linspace(0, 1, 60))
    found = find_target(X, rated)
    assert found.kind == "numbers"
    assert found.groups.tolist() == (np.arange(60) % 20).tolist()
    assert len(found.items) == 60


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (X[:30, 0], r"one value per row of X \(40\). Got 30"),
        ([1.0, np.nan] * 20, "missing in 20 rows, first in row 2"),
        ([1.0, np.inf, 3.0, 4.5] * 10, "must have numbers below 1e.100. Row 2 has inf"),
        ([1.0, 2.5, 3.0, -1e200] * 10, "Row 4 has -1e.200"),
        (pd.Series([7.5] * 40, name="rating"), "'rating' is 7.5 in all rows"),
        (["same"] * 40, "The target is same in all rows"),
        (["no"] * 39 + ["yes"], "is no in all rows but one"),
        (Comparisons([50], [1]), "speaks of item 50"),
        (Comparisons([0], [1]), "at least 10 answers"),
    ],
)
def test_errors(y, said):
    with pytest.raises(DataError, match=said):
        find_target(X, y)


def test_names_of_rows_are_no_target():
    names = pd.Series([f"u{k}" for k in range(60)], name="id")
    said = r"'id' must have 2 to 50 .* It has 60, such as u0 and u1\. If it names rows"
    with pytest.raises(DataError, match=said):
        find_target(np.zeros((60, 1)), names)


def test_text_is_no_number():
    with pytest.raises(DataError, match="needs a column of numbers"):
        find_target(X, ["a", "b"] * 20, "numbers")


def test_words_in_headers_do_not_say_what_is_better():
    frame = pd.DataFrame({"price": X[:, 0], "colour": ["red", "blue"] * 20})
    found = find_target(frame, X[:, 1])
    assert [a.direction for a in found.items.attributes] == ["unknown", "unknown"]
    items = Items.from_frame(frame)
    assert find_target(items, X[:, 1]).items is items
