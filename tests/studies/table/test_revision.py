"""The next version of a table: what may change, and what must not."""

from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest

from penchant.data import Attribute, Items, read_table
from penchant.exceptions import DataError
from penchant.studies import TableVersion, difference, read_like
from penchant.studies.table import _revision as revision

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def flats(**changes: Any) -> TableVersion:
    table = pd.DataFrame(
        {
            "rent": [500.0, 700.0, 900.0],
            "energy": ["B", "A", "C"],
            "view": ["sea", "yard", "yard"],
            "note": ["old", "", "new"],
        },
        index=["Mill Lane", "Park Row", "Sea Road"],
    )
    items = Items.from_frame(
        table,
        [
            Attribute("rent", direction="down", unit="EUR"),
            Attribute("energy", "ordinal", "down", ("A", "B", "C", "D")),
            Attribute("view", "categorical"),
        ],
        roles={"note": "text"},
    )
    return TableVersion(1, items, MOMENT, **changes)


def told(old: TableVersion, new: TableVersion) -> list[tuple[str, ...]]:
    assert new.number == old.number + 1
    return [
        (each.kind, each.item, each.column, each.before, each.after)
        for each in difference(old, new)
    ]


def test_a_value_is_corrected_where_it_stands() -> None:
    old = flats()
    new = revision.corrected(old, "Park Row", {"rent": 1200, "note": "loud"})
    assert new.items.names == old.items.names
    assert new.items.values(1)["rent"] == 1200
    assert told(old, new) == [
        ("value", "Park Row", "rent", "700 EUR", "1,200 EUR"),
        ("value", "Park Row", "note", "", "loud"),
    ]
    # The ends came from the table, so that they follow it, also down again.
    assert new.items.attributes[0].domain == (500.0, 1200.0)
    back = revision.corrected(new, "Park Row", {"rent": 700, "note": ""})
    assert back.items == old.items


def test_ends_that_somebody_set_grow_and_never_shrink() -> None:
    old = flats()
    rent = Attribute("rent", direction="down", domain=(400, 1000), unit="EUR")
    items = Items(old.items.frame, (rent, *old.items.attributes[1:]), old.items.names)
    wide = revision.corrected(
        TableVersion(1, items, MOMENT), "Park Row", {"rent": 2000}
    )
    assert wide.items.attributes[0].domain == (400.0, 2000.0)


def test_what_is_blank_becomes_known_and_unknown_again() -> None:
    old = flats()
    blank = revision.corrected(old, "Sea Road", {"rent": None, "view": ""})
    assert [problem.column for problem in blank.items.missing()] == ["rent", "view"]
    known = revision.corrected(blank, "Sea Road", {"rent": 900, "view": "yard"})
    assert known.items == old.items


def test_a_level_goes_with_its_last_value_unless_it_was_declared() -> None:
    old = flats()
    new = revision.corrected(old, "Mill Lane", {"view": "garden", "energy": "A"})
    assert new.items.attributes[2].levels == ("yard", "garden")
    assert new.items.attributes[1].levels == ("A", "B", "C", "D")
    with pytest.raises(DataError, match="'F' is not one of A, B, C, D"):
        revision.corrected(old, "Mill Lane", {"energy": "F"})


def test_a_new_name_and_a_new_alternative() -> None:
    old = flats()
    new = revision.corrected(old, "Mill Lane", {}, "Mill Lane 2")
    assert told(old, new) == [
        ("renamed", "Mill Lane 2", "", "Mill Lane", "Mill Lane 2")
    ]
    more = revision.extended(old, "Hill 1", {"rent": 450, "view": "sea"})
    assert told(old, more) == [("added", "Hill 1", "", "", "")]
    assert more.items.names[3] == "Hill 1"
    assert more.items.describe(3) == {"rent": "450 EUR", "energy": "", "view": "sea"}
    with pytest.raises(DataError, match="Park Row"):
        revision.extended(old, "Park Row", {})
    with pytest.raises(DataError, match="no column 'price'"):
        revision.extended(old, "Hill 1", {"price": 3})
    with pytest.raises(DataError, match="no item called 'Hill 1'"):
        revision.corrected(old, "Hill 1", {"rent": 3})


def test_columns_change_their_meaning() -> None:
    old = flats()
    new = revision.with_column(old, "rent", direction="up", unit="EUR/month")
    assert told(old, new) == [
        ("direction", "", "rent", "down", "up"),
        ("unit", "", "rent", "EUR", "EUR/month"),
    ]
    turned = revision.with_column(old, "energy", levels=["D", "C", "B", "A"])
    assert told(old, turned) == [
        ("levels", "", "energy", "A, B, C, D", "D, C, B, A"),
    ]
    ordered = revision.with_column(old, "view", levels=["yard", "sea"])
    assert told(old, ordered) == [("kind", "", "view", "categorical", "ordinal")]
    with pytest.raises(DataError, match="'yard' is not one of sea"):
        revision.with_column(old, "view", levels=["sea"])


def test_columns_change_their_role_and_come_back() -> None:
    old = flats()
    shown = revision.with_column(old, "rent", role="shown")
    assert told(old, shown) == [("role", "", "rent", "compared", "shown")]
    assert shown.items.extra(0)["rent"] == "500"
    back = revision.with_column(shown, "rent", role="compared", direction="down")
    assert back.items.attributes[-1].kind == "numeric"
    assert back.items.values(2)["rent"] == 900
    gone = revision.with_column(old, "note", role="left out")
    assert told(old, gone) == [("column gone", "", "note", "", "")]
    compared = revision.with_column(old, "note", role="compared")
    assert compared.items.attributes[-1].levels == ("new", "old")


def test_a_whole_table_is_matched_by_name() -> None:
    old = flats(withdrawn=(2,))
    text = b"name,floor,rent\nHill 1,3,650\nPark Row,2,720\nMill Lane,,500\n"
    items = read_like(old, read_table(text, "new.csv"))
    new = revision.plan_replacement(old, items)
    assert new.items.names == ("Mill Lane", "Park Row", "Sea Road", "Hill 1")
    assert new.withdrawn == (2,)
    assert told(old, new) == [
        ("added", "Hill 1", "", "", ""),
        ("column added", "", "floor", "", ""),
        ("value", "Park Row", "rent", "700 EUR", "720 EUR"),
    ]
    assert new.items.attributes[0].direction == "down"
    assert new.items.values(0)["view"] == "sea"  # a column that was not sent stays
    frame = new.items.frame
    assert frame["floor"].isna().tolist() == [True, False, True, False]


def test_alternatives_that_are_missing_need_a_decision() -> None:
    old = flats()
    items = old.items.take([0, 2])
    with pytest.raises(DataError, match="not in the new table: 'Park Row'"):
        revision.plan_replacement(old, items)
    assert revision.plan_replacement(old, items, missing="withdraw").withdrawn == (1,)
    assert revision.plan_replacement(old, items, missing="keep").withdrawn == ()
    again = revision.plan_replacement(flats(withdrawn=(0,)), old.items)
    assert again.withdrawn == ()  # it is in the table again


def test_withdrawing_and_restoring() -> None:
    old = flats()
    new = revision.withdrawn(old, ["Park Row", "Mill Lane"])
    assert new.withdrawn == (0, 1)
    assert [kind for kind, *_ in told(old, new)] == ["withdrawn", "withdrawn"]
    back = revision.restored(new, ["Mill Lane"])
    assert told(new, back) == [("restored", "Mill Lane", "", "", "")]
    with pytest.raises(DataError, match="At least one alternative must stay"):
        revision.withdrawn(new, ["Sea Road"])


def test_dates_are_typed_as_dates() -> None:
    table = pd.DataFrame({"free": [20000.0, 20010.0]}, index=["a", "b"])
    free = Attribute("free", direction="down", unit="date")
    old = TableVersion(1, Items.from_frame(table, [free]), MOMENT)
    new = revision.corrected(old, "a", {"free": "2026-03-01"})
    assert told(old, new) == [("value", "a", "free", "2024-10-04", "2026-03-01")]
    with pytest.raises(DataError, match="must hold dates"):
        revision.corrected(old, "a", {"free": "soon"})
