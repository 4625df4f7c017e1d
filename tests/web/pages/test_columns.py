import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from fastapi.testclient import TestClient

from penchant.data import Attribute, read_table
from penchant.exceptions import DataError
from penchant.studies import SqlStore
from penchant.views.forms._columns import MAX_COLUMNS
from penchant.views.forms._table import TableForm, check_form, guess_form, read_form


@pytest.fixture
def table(flats: bytes) -> pd.DataFrame:
    return read_table(flats, "flats.csv")


@pytest.fixture
def form(table: pd.DataFrame) -> TableForm:
    return guess_form("my_flats.csv", table)


def test_guesses_fill_the_form(form: TableForm) -> None:
    assert form.name == "My flats"
    by_header = {column.header: column for column in form.columns}
    assert by_header["name"].role == "name"
    rent = by_header["rent"]
    assert (rent.role, rent.kind, rent.direction) == ("attribute", "numeric", "down")
    assert (rent.low, rent.high, rent.levels) == ("500", "900", "500\n700\n900")
    assert by_header["noise"].kind == "categorical"
    assert by_header["noise"].levels == "busy\nquiet"
    assert by_header["view"].examples == "sea, yard"


def test_guesses_are_accepted_as_they_are(table: pd.DataFrame, form: TableForm) -> None:
    items, checked = check_form(table, form)
    assert checked.n_errors == 0
    assert items is not None
    assert items.names == ("Mill Lane 3", "High Street 1", "Kiln Row 7")
    assert [a.name for a in items.attributes] == ["rent", "size", "noise", "view"]


def test_corrections_are_used(table: pd.DataFrame, form: TableForm) -> None:
    sent = {
        "study": " Flats by the sea ",
        "low-1": "400",
        "high-1": "1e3",
        "unit-1": " EUR ",
        "role-2": "skip",
        "kind-3": "ordinal",
        "direction-3": "down",
        "levels-3": "quiet\r\n some traffic \r\n\r\nbusy",
        "direction-4": "up",
    }
    items, checked = check_form(table, read_form(form, sent))
    assert items is not None
    assert checked.name == "Flats by the sea"
    assert items.attributes == (
        Attribute("rent", "numeric", "down", (400, 1000), "EUR"),
        Attribute("noise", "ordinal", "down", ("quiet", "some traffic", "busy")),
        Attribute("view", "categorical", "unknown", ("sea", "yard")),
    )


def test_empty_domain_is_that_of_the_table(
    table: pd.DataFrame, form: TableForm
) -> None:
    sent = {"low-1": "", "high-1": " ", "levels-4": ""}
    items, _ = check_form(table, read_form(form, sent))
    assert items is not None
    assert items.attributes[0].domain == (500, 900)
    assert items.attributes[3].domain == ("sea", "yard")


@pytest.mark.parametrize(
    ("sent", "column", "message"),
    [
        ({"low-1": "cheap"}, 1, "'cheap' is not a number."),
        ({"low-1": ""}, 1, "Give both the lowest and the highest value, or neither."),
        ({"low-1": "950"}, 1, "finite with low <= high. Got (950.0, 900.0)."),
        ({"low-1": "nan"}, 1, "finite with low <= high"),
        ({"low-1": "600"}, 1, "is outside the domain 600 to 900"),
        ({"kind-4": "numeric"}, 4, "Row 2, column 'view': 'sea' is not a finite"),
        ({"kind-3": "ordinal", "levels-3": ""}, 3, "needs its levels in order"),
        ({"levels-4": "sea\nlake"}, 4, "Row 3, column 'view': 'yard' is not one of"),
        ({"levels-4": "sea\nsea"}, 4, "all different"),
        ({"kind-1": "magic"}, 1, "must be one of numeric, ordinal, categorical"),
        ({"direction-1": "left"}, 1, "must be one of up, down, unknown"),
        ({"role-1": "king"}, 1, "A column cannot be used as 'king'."),
        ({"role-2": "name"}, 2, "Column 'name' gives the names already."),
        ({"role-0": "skip", "role-4": "name"}, 4, "the name 'sea' stands in row 2"),
    ],
)
def test_mistake_is_said_at_its_column(
    table: pd.DataFrame,
    form: TableForm,
    sent: dict[str, str],
    column: int,
    message: str,
) -> None:
    items, checked = check_form(table, read_form(form, sent))
    assert items is None
    wrong = [c.position for c in checked.columns if c.error]
    assert wrong == [column]
    assert message in checked.columns[column].error
    assert checked.columns[column].error.endswith(".")


def test_typed_minus_sign_is_a_minus(table: pd.DataFrame, form: TableForm) -> None:
    items, _ = check_form(table, read_form(form, {"low-1": "\N{MINUS SIGN}5"}))
    assert items is not None
    assert items.attributes[0].domain == (-5, 900)


def test_at_least_one_attribute_is_needed(table: pd.DataFrame, form: TableForm) -> None:
    sent = {f"role-{position}": "skip" for position in range(5)}
    items, checked = check_form(table, read_form(form, sent))
    assert items is None
    assert checked.error == "Use at least one column as an attribute."
    assert checked.n_errors == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [("  ", "Give the study a name."), ("x" * 121, "at most 120 characters")],
)
def test_study_needs_a_name(
    table: pd.DataFrame, form: TableForm, name: str, message: str
) -> None:
    items, checked = check_form(table, read_form(form, {"study": name}))
    assert items is None
    assert message in checked.name_error


def test_rows_without_names_are_numbered(table: pd.DataFrame, form: TableForm) -> None:
    items, checked = check_form(table, read_form(form, {"role-0": "skip"}))
    assert items is not None
    assert not checked.named
    assert items.names == ("item 1", "item 2", "item 3")


def test_free_text_is_left_out_at_first() -> None:
    table = pd.DataFrame(
        {"rent": range(80), "remark": [f"remark {'x' * 50} {n}" for n in range(80)]}
    )
    remark = guess_form("t.csv", table).columns[1]
    assert (remark.role, remark.levels) == ("skip", "")
    assert remark.examples.count("…") == 5


def test_empty_column_is_left_out_at_first() -> None:
    table = pd.DataFrame({"rent": [1, 2], "blank": [None, None]})
    blank = guess_form("t.csv", table).columns[1]
    assert blank.role == "skip"
    assert any("empty" in note.message for note in blank.notes)


def test_too_many_columns_are_refused() -> None:
    table = pd.DataFrame([[0] * 101, [1] * 101]).rename(columns=str)
    with pytest.raises(DataError, match=f"has 101 columns; at most {MAX_COLUMNS}"):
        guess_form("t.csv", table)


def test_corrected_form_keeps_what_was_typed(
    client: TestClient, store: SqlStore, upload: Callable[..., Any], flats: bytes
) -> None:
    address = upload(flats).url
    sent = {"study": "", "low-1": "cheap & easy", "unit-2": "m²", "role-4": "skip"}
    response = client.post(str(address), data=sent)
    assert response.status_code == 422
    assert store.list_studies() == []
    page = response.text
    assert "2 places need" in page
    assert 'value="cheap &amp; easy"' in page
    assert 'value="m²"' in page
    assert "Give the study a name." in page
    at_rent = page[page.index('id="column-1"') : page.index('id="column-2"')]
    assert "&#39;cheap &amp; easy&#39; is not a number." in at_rent
    assert '<option value="skip" selected>' in page[page.index('id="column-4"') :]
    assert re.search(r'<a href="#column-1">rent</a>', page)
    again = client.post(str(address), data={"study": "Flats"})
    assert again.status_code == 200
    assert [study.name for study in store.list_studies()] == ["Flats"]
