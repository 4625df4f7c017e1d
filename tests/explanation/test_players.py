"""Blocks of columns as players."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression

from penchant.exceptions import DataError
from penchant.explanation import CompleteExplainer
from penchant.explanation._players import check_players

TABLE = pd.DataFrame(np.ones((3, 4)), columns=["a", "b", "c", "d"])


def test_order_is_that_of_the_first_columns() -> None:
    players = check_players({"last": ["d", 1], "first": [0]}, TABLE)
    assert players.names == ("first", "last", "c")
    assert players.columns == ((0,), (1, 3), (2,))
    assert players.columns_of(0b110) == [1, 2, 3]
    assert players.names_of(0b101) == ["first", "c"]


def test_a_single_column_needs_no_list() -> None:
    assert check_players({"price": "c"}, TABLE).names == ("a", "b", "price", "d")


@pytest.mark.parametrize(
    ("players", "words"),
    [
        ({"x": ["e"]}, "must name columns.*'e'"),
        ({"x": [4]}, r"0 to 3\) or by name. Got 4"),
        ({"x": []}, "at least one column"),
        ({"x": [0], "y": ["a"]}, "'a' must belong to one player"),
    ],
)
def test_mistakes(players: dict[str, list[object]], words: str) -> None:
    with pytest.raises(DataError, match=words):
        CompleteExplainer(players=players).fit(LinearRegression(), TABLE, [1, 2, 3])


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.ones(3), "one row per item"),
        (np.ones((3, 0)), "at least one column"),
        (sparse.csr_array(np.eye(3)), "dense"),
    ],
    ids=["vector", "no column", "sparse"],
)
def test_tables_that_are_none(X: object, words: str) -> None:
    with pytest.raises(DataError, match=words):
        CompleteExplainer().fit(LinearRegression(), X, [1, 2, 3])
