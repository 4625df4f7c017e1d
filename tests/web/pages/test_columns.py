import io
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from fastapi.testclient import TestClient

from penchant.data import Attribute, Table, read_table
from penchant.studies import SqlStore
from penchant.texts import load_texts
from penchant.views.forms import (
    FileForm,
    TableForm,
    check_form,
    guess_form,
    read_file_form,
    read_form,
)
from tests.web.conftest import drawn_picture

NAME = "my_flats.csv"


def told(table: Table, **sent: str) -> TableForm:
    """Read a form with these fields; "low_1" stands for "low-1"."""
    fields = {re.sub(r"_(?=\d+$)", "-", name): value for name, value in sent.items()}
    return read_form(NAME, table, FileForm(), fields)


def csv(text: str) -> Table:
    return read_table(text.encode(), "t.csv")


@pytest.fixture
def table(flats: bytes) -> Table:
    return read_table(flats, "flats.csv")


@pytest.fixture
def form(table: Table) -> TableForm:
    return guess_form(NAME, table)


def test_guesses_fill_the_form(form: TableForm) -> None:
    assert form.name == "My flats"
    by_header = {column.header: column for column in form.columns}
    assert by_header["name"].role == "name"
    rent = by_header["rent"]
    assert (rent.role, rent.kind, rent.direction) == ("attribute", "numeric", "down")
    assert (rent.low, rent.high, rent.levels) == ("", "", "")
    assert by_header["noise"].kind == "categorical"
    assert by_header["noise"].levels == "busy\nquiet"
    assert by_header["view"].examples == "sea · yard"


def test_a_decimal_sign_that_another_column_proves_is_kept() -> None:
    table = csv("name;price;km\na;8.990,50;124.500\nb;7.200,00;98.000\n")
    items, checked = check_form(table, guess_form("t.csv", table))
    assert checked.n_errors == 0
    assert items is not None
    assert items.frame["km"].tolist() == [124500, 98000]
    fields = {f"reading-{c.position}": c.reading for c in checked.columns}
    items, checked = check_form(table, read_form("t.csv", table, FileForm(), fields))
    assert items is not None


def test_days_of_a_workbook_are_shown_without_a_time() -> None:
    days = pd.to_datetime(["2026-12-01", "2026-12-02"])
    file = io.BytesIO()
    pd.DataFrame({"name": ["a", "b"], "sent": days}).to_excel(file, index=False)
    shown = guess_form("t.xlsx", read_table(file.getvalue(), "t.xlsx")).columns[1]
    assert shown.examples == "2026-12-01 · 2026-12-02"


def test_guesses_are_accepted_as_they_are(table: Table, form: TableForm) -> None:
    items, checked = check_form(table, form)
    assert checked.n_errors == 0
    assert items is not None
    assert items.names == ("Mill Lane 3", "High Street 1", "Kiln Row 7")
    assert [a.name for a in items.attributes] == ["rent", "size", "noise", "view"]


def test_corrections_are_used(table: Table, form: TableForm) -> None:
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
    items, checked = check_form(table, read_form(NAME, table, FileForm(), sent))
    assert items is not None
    assert checked.name == "Flats by the sea"
    assert items.attributes == (
        Attribute("rent", "numeric", "down", (400, 1000), "EUR"),
        Attribute("noise", "ordinal", "down", ("quiet", "some traffic", "busy")),
        Attribute("view", "categorical", "unknown", ("sea", "yard")),
    )


def test_empty_domain_is_that_of_the_table(table: Table, form: TableForm) -> None:
    sent = {"low-1": "", "high-1": " ", "levels-4": ""}
    items, _ = check_form(table, read_form(NAME, table, FileForm(), sent))
    assert items is not None
    assert items.attributes[0].domain == (500, 900)
    assert items.attributes[3].domain == ("sea", "yard")


@pytest.mark.parametrize(
    ("sent", "column", "message"),
    [
        ({"low-1": "cheap"}, 1, "'cheap' is not a number."),
        ({"low-1": "5"}, 1, "Give both the lowest and the highest value, or neither."),
        (
            {"low-1": "950", "high-1": "900"},
            1,
            "finite with low <= high. Got (950.0, 900.0).",
        ),
        ({"low-1": "nan", "high-1": "900"}, 1, "finite with low <= high"),
        ({"low-1": "600", "high-1": "900"}, 1, "is outside the domain 600 to 900"),
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
    table: Table,
    form: TableForm,
    sent: dict[str, str],
    column: int,
    message: str,
) -> None:
    items, checked = check_form(table, read_form(NAME, table, FileForm(), sent))
    assert items is None
    wrong = [c.position for c in checked.columns if c.error]
    assert wrong == [column]
    assert message in checked.columns[column].error
    assert checked.columns[column].error.endswith(".")


def test_typed_minus_sign_is_a_minus(table: Table, form: TableForm) -> None:
    items, _ = check_form(
        table,
        read_form(
            NAME, table, FileForm(), {"low-1": "\N{MINUS SIGN}5", "high-1": "900"}
        ),
    )
    assert items is not None
    assert items.attributes[0].domain == (-5, 900)


def test_at_least_one_attribute_is_needed(table: Table, form: TableForm) -> None:
    sent = {f"role-{position}": "skip" for position in range(5)}
    items, checked = check_form(table, read_form(NAME, table, FileForm(), sent))
    assert items is None
    assert checked.error == "Compare at least one column, or use one as the name."
    assert checked.n_errors == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [("  ", "Give the study a name."), ("x" * 121, "at most 120 characters")],
)
def test_study_needs_a_name(
    table: Table, form: TableForm, name: str, message: str
) -> None:
    items, checked = check_form(
        table, read_form(NAME, table, FileForm(), {"study": name})
    )
    assert items is None
    assert message in checked.name_error


def test_rows_without_names_are_numbered(table: Table, form: TableForm) -> None:
    skipped = {"role-0": "skip"}
    items, checked = check_form(table, read_form(NAME, table, FileForm(), skipped))
    assert items is not None
    assert not checked.named
    assert items.names == ("Alternative 1", "Alternative 2", "Alternative 3")
    named = skipped | {"noun": "Wohnung", "nouns": "Wohnungen"}
    form = read_form(NAME, table, FileForm(), named)
    items, _ = check_form(table, form, load_texts("de"))
    assert items is not None
    assert items.names[2] == "Wohnung 3"


def test_names_that_occur_again_are_numbered() -> None:
    table = csv("Lokal;Preis\nOchsen;24\nSushi;30\nOchsen;22\nDa Luigi;18\n")
    guess = guess_form(NAME, table)
    assert guess.named
    assert guess.n_notes == 1
    items, _ = check_form(table, guess)
    assert items is not None
    assert items.names == ("Ochsen", "Sushi", "Ochsen (2)", "Da Luigi")
    assert [each.name for each in items.attributes] == ["Preis"]
    shown = told(table, fix="0 role show")
    items, _ = check_form(table, shown)
    assert items is not None
    assert items.names[0] == "Alternative 1"
    assert items.extra(0) == {"Lokal": "Ochsen"}


def test_names_that_somebody_chose_can_be_numbered() -> None:
    table = csv("size,who\n1,a\n2,b\n3,a\n4,a\n5,b\n6,b\n")
    chosen = told(table, role_1="name")
    assert check_form(table, chosen)[0] is None
    items, _ = check_form(table, told(table, role_1="name", fix="1 cleared yes"))
    assert items is not None
    assert items.names == ("a", "b", "a (2)", "a (3)", "b (2)", "b (3)")


def test_other_spellings_of_a_level_need_no_correction() -> None:
    table = csv(
        "name;Klima;Kraftstoff;Garage;Abo\na;Ja;benzin;yes;x\nb;ja;Benzin;Y;-\n"
        "c;nein;k. A.;no;x\nd;;Diesel;y;x\ne;ja;Benzin;N;-\nf;nein;Diesel;no;x\n"
    )
    items, form = check_form(table, guess_form(NAME, table))
    assert items is not None
    assert [attribute.levels for attribute in items.attributes] == [
        ("nein", "ja"),
        ("Benzin", "Diesel"),
        ("no", "yes"),
        ("no", "yes"),
    ]
    assert items.frame["Klima"].tolist()[:3] == ["ja", "ja", "nein"]
    assert items.frame["Kraftstoff"].isna().tolist()[:3] == [False, False, True]
    assert items.frame["Garage"].tolist()[3:5] == ["yes", "no"]
    assert items.frame["Abo"].tolist()[:2] == ["yes", "no"]
    told_of = form.columns[2].notes_words(load_texts("de"))
    assert "„benzin“ gilt als „Benzin“" in told_of
    apart, _ = check_form(table, told(table, fix="2 reading levels"))
    assert apart is not None
    assert "benzin" in apart.attributes[1].levels


def test_many_cells_that_do_not_fit_can_be_cleared_together() -> None:
    rows = "\n".join(f"a{n},{n if n % 3 else 'sold out'}" for n in range(90))
    table = csv(f"name,price\n{rows}\n")
    _, form = check_form(table, guess_form(NAME, table))
    assert "(and 29 more problems)" in form.columns[1].complaint
    items, _ = check_form(table, told(table, fix="1 cleared yes"))
    assert items is not None
    assert items.frame["price"].isna().sum() == 30


def test_free_text_is_shown_at_first() -> None:
    rows = [f"{n},remark {'x' * 50} {n}" for n in range(80)]
    remark = guess_form("t.csv", csv("\n".join(["rent,remark", *rows]))).columns[1]
    assert (remark.role, remark.levels) == ("show", "")
    assert remark.examples.count("…") == 5


def test_empty_column_is_left_out_at_first() -> None:
    blank = guess_form("t.csv", csv("rent,blank,c\n1,,3\n2,,4\n")).columns[1]
    assert blank.role == "skip"


def test_roles_and_types_are_guessed_and_taken() -> None:
    table = csv(
        "name,rent,photo,page,number\n"
        "a,500,a.jpg,https://x.example/a,SKU-100\n"
        "b,600,b.jpg,https://x.example/b,SKU-101\n"
    )
    form = guess_form(NAME, table)
    assert [(c.role, c.kind) for c in form.columns[2:4]] == [
        ("show", "picture"),
        ("show", "link"),
    ]
    sent = {"role_1": "show", "role_4": "show", "kind_4": "identifier"}
    items, checked = check_form(table, told(table, **sent), pictures={"a"})
    assert items is not None
    assert items.attributes == ()  # a list of names with pictures is enough
    roles = [extra.role for extra in items.extras]
    assert roles == ["shown", "picture", "link", "identifier"]
    assert checked.columns[2].pictures == (2, 1)
    assert (checked.count("show"), checked.count("attribute")) == (4, 0)


def test_what_is_shown_is_compared_as_levels_if_asked() -> None:
    table = csv("name,page\na,https://x.example/a\nb,https://x.example/b\n")
    items, _ = check_form(table, told(table, role_1="attribute", kind_1="link"))
    assert items is not None
    assert items.attributes[0].kind == "categorical"


def test_a_column_that_can_be_read_in_two_ways_is_a_question() -> None:
    table = csv("name;price\na;1.299\nb;2.499\n")
    items, form = check_form(table, guess_form(NAME, table))
    assert items is None
    assert [column.header for column in form.questions] == ["price"]
    assert (form.n_errors, form.columns[1].error) == (1, "")
    values = set()
    for choice in form.columns[1].found.choices:
        fixed = told(table, fix=f"1 reading {choice.label}", direction_1="up")
        assert fixed.columns[1].direction == "up"
        items, again = check_form(table, fixed)
        assert items is not None
        assert again.questions == ()
        values.add(items.frame["price"][0])
        kept = told(table, reading_1=choice.label)
        assert kept.columns[1].reading == choice.label
    assert values == {1299.0, 1.299}


def test_cells_that_do_not_fit_are_taken_as_unknown_if_asked() -> None:
    rows = "\n".join(f"a{n},{n}" for n in range(9))
    table = csv(f"name,battery\n{rows}\nb,a lot\n")
    items, form = check_form(table, guess_form(NAME, table))
    assert items is None
    assert "Row 11: “a lot” is not a number" in form.columns[1].complaint
    items, form = check_form(table, told(table, fix="1 cleared yes"))
    assert items is not None
    assert items.frame["battery"].isna().sum() == 1
    assert (form.columns[1].cleared, form.columns[1].notes) == ("yes", ())
    items, form = check_form(table, told(table, kind_1="categorical"))
    assert items is not None
    assert "a lot" in items.attributes[0].levels


def test_of_some_columns_is_asked_which_way_is_better() -> None:
    table = csv("name,age,price\na,1,5\nb,2,6\n")
    age, price = guess_form(NAME, table).columns[1:]
    assert (age.asked, age.direction) == (True, "unknown")
    assert (price.asked, price.direction) == (False, "down")
    answered = told(table, fix="1 direction down").columns[1]
    assert answered.direction == "down"
    assert not told(table, direction_1="up").columns[1].asked


@pytest.mark.parametrize("cure", ["9 direction down", "1 error x", "x", "1", "file x"])
def test_cures_that_make_no_sense_change_nothing(form: TableForm, cure: str) -> None:
    table = read_table(b"name,rent\na,1\nb,2\n", "t.csv")
    assert told(table, fix=cure).columns == told(table).columns


def test_the_file_is_read_in_another_way_if_asked() -> None:
    text = "name;price\na;1\nb;2\nTotal;3\n"
    table = csv(text)
    assert len(table.cells) == 2
    file = read_file_form({"fix": "file keep_totals yes", "file-header_row": "1"})
    assert file == FileForm(keep_totals="yes", header_row="1")
    again = read_table(text.encode(), "t.csv", **file.options())
    form = read_form(NAME, again, file, {"fix": "file again", "role-1": "skip"})
    assert form.n_rows == 3
    assert form.columns[1].role == "attribute"  # what was said is about another table
    assert "header_row" not in FileForm(header_row="many").options()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (",".join(f"c{n}" for n in range(201)) + "\n", "201 columns"),
        ("name,x\n" + "a,1\n" * 20_001, "rows"),
    ],
)
def test_too_large_tables_are_refused(
    client: TestClient, content: str, message: str
) -> None:
    response = client.post("/drafts", files={"table": ("t.csv", content.encode())})
    assert response.status_code == 422
    assert message in response.text


def test_a_list_is_pasted(client: TestClient, store: SqlStore) -> None:
    page = client.post("/drafts", data={"paste": "Rome\nParis\n\nOslo\n"})
    assert page.status_code == 200
    assert 'value="New study"' in page.text
    client.post(str(page.url), data={"study": "Where to?"})
    study = store.get_study(store.list_studies()[0].id)
    assert study.items.names == ("Rome", "Paris", "Oslo")
    assert study.items.attributes == ()


def test_a_table_is_pasted(client: TestClient, store: SqlStore) -> None:
    text = "Address\tRent\nMill Lane 2\t690\nQuay 17\t780\n"
    page = client.post("/drafts", data={"paste": text})
    client.post(str(page.url), data={"study": "Flats"})
    items = store.get_study(store.list_studies()[0].id).items
    assert items.names == ("Mill Lane 2", "Quay 17")
    assert list(items.frame["Rent"]) == [690, 780]


def test_pictures_come_with_the_table_or_later(
    client: TestClient, store: SqlStore
) -> None:
    table = ("t.csv", b"name,photo,rent\na,a.jpg,1\nb,b.jpg,2\n")
    first = [("table", table), ("pictures", ("a.png", drawn_picture()))]
    page = client.post("/drafts", files=first)
    assert "2 pictures are named, 1 there." in page.text
    assert page.text.count("<img") == 1
    blue = {"pictures": ("B.gif", drawn_picture("blue"))}
    typed = {"fix": "1 pictures", "study": "Typed before", "direction-2": "up"}
    again = client.post(str(page.url), data=typed, files=blue)
    assert again.status_code == 200
    assert 'value="Typed before"' in again.text
    assert again.text.count("<img") == 2
    wrong = client.post(
        str(page.url), data=typed, files={"pictures": ("c.png", b"nonsense")}
    )
    assert wrong.status_code == 422
    assert "is no picture that can be read" in wrong.text
    saved = client.post(str(page.url), data={"study": "Flats"})
    assert saved.url.path.startswith("/studies/")
    assert saved.text.count('class="thumb"') == 2
    (study,) = store.list_studies()
    assert sorted(store.list_pictures(study.id)) == ["a", "b"]


def test_a_look_keeps_nothing(client: TestClient, store: SqlStore) -> None:
    page = client.post("/drafts", data={"paste": "name,rent\nMill,1\nQuay,2\n"})
    sent = {"look": "yes", "role-1": "skip"}
    look = client.post(str(page.url), data=sent)
    assert look.status_code == 200
    preview = look.text[look.text.index('id="preview"') :]
    assert "Mill" in preview
    assert "rent" not in preview
    assert store.list_studies() == []


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
    assert "“cheap &amp; easy” is not a number." in at_rent
    assert '<option value="skip" selected>' in page[page.index('id="column-4"') :]
    assert re.search(r'<a href="#column-1">rent</a>', page)
    again = client.post(str(address), data={"study": "Flats"})
    assert again.status_code == 200
    assert [study.name for study in store.list_studies()] == ["Flats"]
