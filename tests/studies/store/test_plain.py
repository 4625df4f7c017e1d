from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.exceptions import DataError
from penchant.studies.store._plain import (
    Key,
    Moment,
    bound_numbers,
    check_numbers,
    check_text,
    is_text,
    pack,
    unpack,
)


def items_of(*values):
    frame = pd.DataFrame({"price": list(values)})
    return Items.from_frame(frame, [Attribute("price", "numeric", "down")])


def test_texts_that_every_database_keeps():
    assert is_text("Zoë \U0001f600\n")
    assert not is_text("a\0b")
    assert not is_text("\ud800")
    check_text("A name", "x" * 5, longest=5)
    with pytest.raises(DataError, match=r"may have 5 characters\. Got 6"):
        check_text("A name", "x" * 6, longest=5)
    with pytest.raises(DataError, match="must be a text"):
        check_text("A name", 3)
    with pytest.raises(DataError, match="cannot be stored"):
        check_text("A name", "a\0")


@pytest.mark.parametrize("value", [0.0, 1e20, -1e20, 1e-20, 3.5])
def test_numbers_of_a_usual_size_are_taken(value):
    items = items_of(1.0, value)
    check_numbers(items)
    kept = bound_numbers(items).frame["price"].to_list()
    assert kept == [1.0, value]


@pytest.mark.parametrize(
    ("value", "bounded"), [(2e20, 1e20), (-2e20, -1e20), (5e-21, 0.0), (-5e-21, 0.0)]
)
def test_numbers_beyond_are_refused_or_moved(value, bounded):
    items = items_of(1.0, value)
    with pytest.raises(DataError, match="too large or too small") as error:
        check_numbers(items)
    assert repr(items.names[1]) in str(error.value)
    moved = bound_numbers(items)
    assert moved.frame["price"].to_list() == [1.0, bounded]
    check_numbers(moved)


def test_bodies_are_written_in_one_way_and_always_read():
    body = {"b": [1, None], "a": "ü"}
    assert pack(body) == '{"a":"\\u00fc","b":[1,null]}'
    assert pack(body, sort_keys=False).startswith('{"b"')
    assert unpack(pack(body)) == body
    for text in ("[1]", "{", '{"a":NaN}', '{"a":1e999}', "[" * 100_000):
        assert unpack(text) == {"unreadable": text}
    assert unpack('{"a":1.5}') == {"a": 1.5}
    for wrong in ([1], {"a": np.nan}, {"a": {1, 2}}):
        with pytest.raises(DataError, match="body of an event"):
            pack(wrong)


def test_moments_are_kept_in_utc_and_keys_are_plain():
    there = datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    kept = Moment().process_bind_param(there, None)
    assert kept == datetime(2024, 5, 1, 10)
    assert Moment().process_result_value(kept, None) == there.astimezone(UTC)
    assert Moment().process_bind_param(None, None) is None
    assert Moment().process_result_value(None, None) is None
    key = Key()
    assert key.process_bind_param("a1F", None) == "a1F"
    assert key.process_bind_param(None, None) is None
    for strange in ("a-1", "", "é1", "a b"):
        assert key.process_bind_param(strange, None) == ""
