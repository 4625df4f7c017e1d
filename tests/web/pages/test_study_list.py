from datetime import UTC, datetime

import pandas as pd
import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from penchant.data import Attribute, Items
from penchant.exceptions import DataError
from penchant.studies import SqlStore, StudyRecord, load_texts
from penchant.views import Wanted
from penchant.views._studies import study_view

TEXTS = load_texts("en")
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


def record(items: Items) -> StudyRecord:
    return StudyRecord("s", "Flats", items, False, MOMENT)


@pytest.fixture
def study() -> StudyRecord:
    table = pd.DataFrame(
        {
            "rent": [700, 500, None, 900],
            "noise": ["busy", "quiet", "some", None],
            "size": [1, 2, 3, 4],
            "view": ["yard", "Sea", "lake", "sea"],
            "floor": [0, 1, 2, 3],
        },
    )
    attributes = [
        Attribute("rent", "numeric", "down", unit="EUR"),
        Attribute("noise", "ordinal", "down", ("quiet", "some", "busy")),
        Attribute("size", "numeric", "up"),
        Attribute("view", "categorical"),
        Attribute("floor", "numeric", "unknown"),
    ]
    return record(Items.from_frame(table, attributes, names=["b", "A", "c", "D"]))


def names(study: StudyRecord, sort: int | None, descending: bool = False) -> str:
    view = study_view(study, TEXTS, sort=sort, descending=descending)
    return "".join(row.name for row in view.rows)


@pytest.mark.parametrize(
    ("sort", "descending", "order"),
    [
        (None, False, "bAcD"),
        (0, False, "AbcD"),
        (0, True, "DcbA"),
        (1, False, "AbDc"),
        (1, True, "DbAc"),
        (2, False, "AcbD"),
        (2, True, "bcAD"),
        (3, True, "DcAb"),
        (4, False, "AcDb"),
    ],
)
def test_rows_are_sorted_with_gaps_last(
    study: StudyRecord, sort: int | None, descending: bool, order: str
) -> None:
    assert names(study, sort, descending) == order


def test_heads_say_in_words_which_way_is_better(study: StudyRecord) -> None:
    meanings = [head.meaning for head in study_view(study, TEXTS).heads]
    assert meanings == [
        "",
        "↓ less is better",
        "best: quiet",
        "↑ more is better",
        "no order",
        "no best end",
    ]


def test_first_click_puts_the_best_on_top_and_the_second_turns_round(
    study: StudyRecord,
) -> None:
    links = [head.link for head in study_view(study, TEXTS).heads]
    assert links[1] == "?sort=1"
    assert links[3] == "?sort=3&descending=1"
    sorted_by_size = study_view(study, TEXTS, sort=3, descending=True).heads[3]
    assert sorted_by_size.sorted == "descending"
    assert sorted_by_size.link == "?sort=3"


def test_values_have_their_units(study: StudyRecord) -> None:
    cell = study_view(study, TEXTS).rows[0].cells[0]
    assert (cell.value, cell.unit) == ("700", "EUR")
    assert study_view(study, TEXTS).rows[2].cells[0].value == ""


def test_a_sign_of_money_stands_before_the_number() -> None:
    items = Items.from_frame(
        pd.DataFrame({"rent": [700.0, 1300.5]}), [Attribute("rent", unit="$")]
    )
    rows = study_view(record(items), TEXTS).rows
    cells = [row.cells[0] for row in rows]
    assert [(each.value, each.unit) for each in cells] == [
        ("$700", ""),
        ("$1,300.50", ""),
    ]


def test_long_values_are_broken_into_lines(client: TestClient, store: SqlStore) -> None:
    frame = pd.DataFrame({"remark": ["x" * 500, "short"]})
    remark = Attribute("remark", "categorical")
    path = f"/studies/{store.create_study('s', Items.from_frame(frame, [remark]))}"
    page = client.get(path).text
    assert f'<td class="long">{"x" * 500}</td>' in page
    assert "<td>short</td>" in page


def test_large_table_comes_in_parts() -> None:
    many = record(Items.from_frame(pd.DataFrame({"rent": range(250)})))
    first, last = (
        study_view(many, TEXTS, sort=1),
        study_view(many, TEXTS, sort=1, wanted=Wanted(page=3)),
    )
    assert (len(first.rows), first.part.shown) == (100, "1 to 100 of 250")
    assert (first.part.previous, first.part.following) == ("", "?sort=1&page=2#table")
    assert (len(last.rows), last.part.shown) == (50, "201 to 250 of 250")
    assert (last.part.previous, last.part.following) == ("?sort=1&page=2#table", "")
    found = study_view(many, TEXTS, sort=1, wanted=Wanted("item 24"))
    assert [row.name for row in found.rows][:2] == ["item 24", "item 240"]
    assert len(found.rows) == 11
    assert found.heads[0].link == "?sort=0&find=item+24"
    assert found.part.kept == {"sort": "1"}


def test_page_or_column_that_is_not_there_is_an_error(study: StudyRecord) -> None:
    with pytest.raises(DataError, match="no such page"):
        study_view(study, TEXTS, wanted=Wanted(page=2))
    with pytest.raises(DataError, match="no such column"):
        study_view(study, TEXTS, sort=6)


@given(
    values=st.lists(st.none() | st.integers(-5, 5), min_size=1, max_size=30).filter(
        lambda values: any(value is not None for value in values)
    ),
    descending=st.booleans(),
)
def test_sorting_agrees_with_python(values: list[int | None], descending: bool) -> None:
    frame = pd.DataFrame({"rent": pd.Series(values, dtype=float)})
    study = record(Items.from_frame(frame, [Attribute("rent")]))
    known = sorted((v for v in values if v is not None), reverse=descending)
    rows = study_view(study, TEXTS, sort=1, descending=descending).rows
    expected = [TEXTS.number(v) for v in known] + [""] * (len(values) - len(known))
    assert [row.cells[0].value for row in rows] == expected


def test_page_links_and_sorting_work_in_the_browser(
    client: TestClient, store: SqlStore
) -> None:
    items = Items.from_frame(pd.DataFrame({"rent": range(150)}))
    path = f"/studies/{store.create_study('Many', items)}"
    page = client.get(f"{path}?sort=1&descending=1").text
    assert 'aria-sort="descending"' in page
    assert page.index(">item 150<") < page.index(">item 149<")
    assert 'href="?sort=1&amp;descending=1&amp;page=2#table"' in page
    later = client.get(f"{path}?sort=1&descending=1&page=2").text
    assert later.index(">item 50<") < later.index(">item 1<")
    assert client.get(f"{path}?page=3").status_code == 422
