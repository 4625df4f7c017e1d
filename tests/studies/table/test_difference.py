"""What changed between two versions of a table, and what earlier people tell of it."""

import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.studies.store._records import TableVersion
from penchant.studies.table._difference import TableChange, as_text, difference
from penchant.studies.table._earlier_model import in_terms_of

RENT = Attribute("rent", "numeric", "down", (100.0, 900.0))
WIDE = Attribute("rent", "numeric", "down", (0.0, 9_000.0))
HEAT = Attribute("heat", "ordinal", "up", ("none", "gas", "pump"))


def items_of(rents, heats, names, attributes=(RENT, HEAT)):
    frame = pd.DataFrame({"rent": rents, "heat": heats}, dtype=object)
    frame = frame[[a.name for a in attributes]]
    return Items(frame, tuple(attributes), tuple(names))


OLD = items_of([500.0, 600.0, 700.0], ["gas", "pump", "none"], "abc")


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (np.nan, ""), (3.0, "3"), (3.5, "3.5"), (" x ", "x"), (2, "2")],
)
def test_cells_are_read_as_text(value, text):
    assert as_text(value) == text


def test_earlier_answers_are_about_rows_with_the_same_values():
    new = items_of(
        [500.0, 650.0, 700.0, 2_000.0], ["gas", "pump", "none", "oil"], "abcd",
        (WIDE, Attribute("heat", "ordinal", "up", ("none", "gas", "pump", "oil"))),
    )  # fmt: skip
    rows, places = in_terms_of(OLD, new)
    assert places.tolist() == [0, -1, 2, -1]
    assert rows.attributes == OLD.attributes
    assert rows.frame["rent"].tolist() == [500.0, 650.0, 700.0, 900.0]  # clamped
    assert rows.frame["heat"].tolist()[:3] == ["gas", "pump", "none"]
    assert pd.isna(rows.frame["heat"].iloc[3])  # nobody knew oil
    less = items_of([500.0, 600.0, 700.0], ["gas"] * 3, "abc", (RENT,))
    rows, places = in_terms_of(OLD, less)
    assert rows.frame["heat"].tolist() == ["gas", "pump", "none"]  # as it was
    assert places.tolist() == [0, 1, 2]


def changes(new, old_withdrawn=(), new_withdrawn=()):
    versions = []
    for items, gone in ((OLD, old_withdrawn), (new, new_withdrawn)):
        made = object.__new__(TableVersion)
        object.__setattr__(made, "items", items)
        object.__setattr__(made, "withdrawn", gone)
        versions.append(made)
    return [
        (c.kind, c.item, c.column, c.before, c.after) for c in difference(*versions)
    ]


def test_alternatives_come_go_return_and_change_their_names():
    heats = ["gas", "pump", "none", "gas", "gas"]
    more = items_of([500.0, 600.0, 700.0, 101.0, 102.0], heats, "aBcde")
    assert changes(more, (2,), (0, 4)) == [
        ("added", "d", "", "", ""),
        ("withdrawn", "a", "", "", ""),
        ("restored", "c", "", "", ""),
        ("renamed", "B", "", "b", "B"),
    ]
    assert changes(OLD, (1,), (1,)) == []


def test_values_columns_and_what_is_known_of_them():
    rent = Attribute("rent", "numeric", "up", (100.0, 900.0))
    heat = Attribute("heat", "ordinal", "up", ("gas", "none", "pump"))
    new = items_of([500.0, 650.0, 700.0], ["gas", "none", "none"], "abc", (rent, heat))
    found = changes(new)
    assert found[:2] == [
        ("direction", "", "rent", "down", "up"),
        ("levels", "", "heat", "none, gas, pump", "gas, none, pump"),
    ]
    assert [(k, i, c) for k, i, c, _, _ in found[2:]] == [
        ("value", "b", "rent"),
        ("value", "b", "heat"),
    ]
    assert found[3][3:] == ("pump", "none")
    less = items_of([500.0, 600.0, 700.0], ["gas"] * 3, "abc", (RENT,))
    assert changes(less) == [("column gone", "", "heat", "", "")]
    change = TableChange("value", "b", "rent", "1", "2")
    assert change.to_dict()["after"] == "2"
