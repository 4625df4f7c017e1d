"""Items in every form that users have them: the same rows, and cells to read."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.exceptions import DataError
from penchant.explanation._tables import (
    as_row,
    as_rows,
    attributes_of,
    format_cell,
    shown_rows,
    stack_rows,
)

RENT = Attribute("rent", "numeric", "down", (400, 1000), unit="EUR")
VIEW = Attribute("view", "categorical", domain=("sea", "yard"))
FRAME = pd.DataFrame({"view": ["sea", "yard"], "rent": [500.0, 725.5]})
ITEMS = Items.from_frame(FRAME, [VIEW, RENT])
PLAIN = SimpleNamespace()
NAMED = SimpleNamespace(feature_names_in_=np.array(["a", "b"]))
OF_ITEMS = SimpleNamespace(
    attributes_in_=(RENT, VIEW), feature_names_in_=np.array(["rent", "view"])
)


def test_arrays_get_the_names_that_the_model_knows():
    rows = as_rows(NAMED, [[1.0, 2.0], [3.0, 4.0]])
    expected = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["a", "b"])
    pd.testing.assert_frame_equal(rows, expected)
    np.testing.assert_array_equal(as_rows(PLAIN, [[1, 2]]), [[1, 2]])
    assert isinstance(as_rows(OF_ITEMS, np.ones((2, 2))), np.ndarray)
    assert as_rows(NAMED, FRAME) is FRAME
    assert as_rows(OF_ITEMS, ITEMS) is ITEMS
    with pytest.raises(DataError, match=r"knows 2 attributes\. Got 3 columns"):
        as_rows(NAMED, np.ones((1, 3)))


def test_one_item_in_every_form_is_a_row():
    told = as_row(OF_ITEMS, {"rent": 500.0, "view": "sea"})
    assert isinstance(told, Items)
    assert told.values(0) == {"rent": 500.0, "view": "sea"}
    assert told.names == ("item",)
    frame = pd.DataFrame({"a": [1.0], "b": [2.0]})
    for item in ({"a": 1.0, "b": 2.0}, pd.Series({"a": 1.0, "b": 2.0}), [1.0, 2.0]):
        pd.testing.assert_frame_equal(as_row(NAMED, item), frame)
    np.testing.assert_array_equal(as_row(PLAIN, [1.0, 2.0]), [[1.0, 2.0]])
    assert len(as_row(OF_ITEMS, ITEMS.take([1]))) == 1
    with pytest.raises(DataError, match=r"This takes one item\. Got a table of 2"):
        as_row(PLAIN, FRAME)


def test_two_rows_of_a_kind_make_a_table_and_others_do_not():
    first, second = ITEMS.take([0]), ITEMS.take([1])
    both = stack_rows(first, second)
    assert both.names == ("item", "rival")
    assert both.attributes == ITEMS.attributes
    assert [both.values(k)["rent"] for k in range(2)] == [500.0, 725.5]
    other = Items.from_frame(
        FRAME.iloc[[1]], [VIEW, Attribute("rent", domain=(0, 900))]
    )
    mixed = stack_rows(first, other)
    assert mixed.attributes == ITEMS.attributes
    assert mixed.values(1)["rent"] == 725.5
    frames = stack_rows(FRAME.iloc[[0]], FRAME[["rent", "view"]].iloc[[1]])
    pd.testing.assert_frame_equal(frames, FRAME)
    arrays = stack_rows(np.ones((1, 2)), np.zeros((1, 2)))
    np.testing.assert_array_equal(arrays, [[1, 1], [0, 0]])
    for pair in ((FRAME, np.ones((1, 2))), (ITEMS, FRAME), (np.ones((1, 2)), ITEMS)):
        kinds = " and ".join(type(each).__name__ for each in pair)
        with pytest.raises(DataError, match=f"must have the same form. Got {kinds}"):
            stack_rows(*pair)


def test_shown_rows_are_in_the_order_of_the_model_and_know_their_units():
    shown = shown_rows(OF_ITEMS, ITEMS)
    assert list(shown.columns) == ["rent", "view"]
    assert attributes_of(shown) == (RENT, VIEW)
    assert format_cell(shown, 1, 0) == RENT.format(725.5)
    assert "EUR" in format_cell(shown, 1, 0)
    assert format_cell(shown, 0, 1) == "sea"
    own = shown_rows(PLAIN, ITEMS)
    assert attributes_of(own) == (VIEW, RENT)
    plain = shown_rows(PLAIN, FRAME)
    assert attributes_of(plain) is attributes_of(None) is None
    assert format_cell(plain, 1, 1) == "725.5"
    assert format_cell(pd.DataFrame([[1.0 / 3, 7]]), 0, 0) == "0.333333"
    assert format_cell(pd.DataFrame([[1.0 / 3, 7]]), 0, 1) == "7"
    assert format_cell(None, 0, 0) == ""
    more = shown.assign(extra=0.25)  # beyond the attributes: as it is
    more.attrs = shown.attrs
    assert format_cell(more, 0, 2) == "0.25"
