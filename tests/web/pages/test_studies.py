import io
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import openpyxl
import pytest
from fastapi.testclient import TestClient

from penchant.data import Items
from penchant.datasets import load_flats
from penchant.studies import SqlStore, StudySettings, add_demo
from penchant.studies.store._tables import drafts
from penchant.web.pages import _studies as _routes

HOSTILE = "<script>alert(1)</script>"


def test_first_page_without_studies_says_so(client: TestClient) -> None:
    page = client.get("/").text
    assert "There is none yet." in page
    assert "at most 0.2\u00a0MB" in page


def test_demo_is_marked_as_fictional(client: TestClient, store: SqlStore) -> None:
    study_id = add_demo(store)
    page = client.get("/").text
    assert f'href="/studies/{study_id}"' in page
    assert "Flats in town" in page
    assert "Demo, fictional" in page
    assert "40 flats, 8 attributes" in page
    assert "These flats are fictional." in client.get(f"/studies/{study_id}").text


def test_who_reads_german_tries_the_german_demo(
    client: TestClient, store: SqlStore
) -> None:
    english, german = (
        add_demo(store),
        store.ensure_demo(
            "Wohnungen in der Stadt", load_flats(), settings=StudySettings()
        ),
    )
    for language, own, other in (("en", english, german), ("de", german, english)):
        client.cookies.set("language", language)
        home = client.get("/").text
        assert f'href="/s/{own}/join"' in home
        assert other not in home
        for study_id in (own, other):
            invitation = client.get(f"/s/{study_id}/join")
            assert invitation.url.path == f"/s/{own}/join"
    client.cookies.set("language", "fr")  # there is none: all are shown
    home = client.get("/").text
    assert english in home
    assert german in home
    assert client.get(f"/s/{german}/join").url.path == f"/s/{german}/join"
    store.add_participant(english)
    client.cookies.set("language", "de")
    home = client.get("/").text
    assert english in home  # somebody took part in it
    assert f'href="/s/{german}/join"' in home


def test_first_page_shows_a_result(client: TestClient) -> None:
    page = client.get("/", headers={"Accept-Language": "de"}).text
    assert "Fernbank 22" in page
    assert "Sehr wahrscheinlich (84\u00a0%) das Beste" in page
    assert "Das Ergebnis einer simulierten Person nach 14 Antworten." in page
    assert "Energieklasse: 25\u00a0%" in page


def test_table_becomes_a_study(
    client: TestClient, store: SqlStore, upload: Callable[..., Any], flats: bytes
) -> None:
    response = upload(flats)
    assert response.status_code == 200
    assert response.url.path.startswith("/drafts/")
    assert "What do the columns mean?" in response.text
    assert store.list_studies() == []
    saved = client.post(str(response.url), data={"study": "My flats", "unit-1": "EUR"})
    assert saved.status_code == 200
    assert saved.url.path.startswith("/studies/")
    assert "<h1>My flats</h1>" in saved.text
    assert '500 <span class="unit">EUR</span>' in saved.text
    assert "added on" in client.get("/").text
    gone = client.post(str(response.url), data={"study": "Again"})
    assert gone.status_code == 404
    assert "This upload is no longer there" in gone.text
    assert len(store.list_studies()) == 1


def test_workbook_is_read(upload: Callable[..., Any], text: Callable[..., str]) -> None:
    response = upload(_workbook([["name", "rent"], ["a", 1], ["b", 2]]), "f.XLSX")
    assert response.status_code == 200
    assert "2 rows, 2 columns" in text(response.text)


def test_table_is_discarded(
    client: TestClient, upload: Callable[..., Any], flats: bytes
) -> None:
    address = str(upload(flats).url)
    assert client.post(f"{address}/discard").url.path == "/"
    assert client.get(address).status_code == 404


def test_old_uploads_are_forgotten(
    client: TestClient, store: SqlStore, upload: Callable[..., Any], flats: bytes
) -> None:
    address = str(upload(flats).url)
    past = datetime.now(UTC) - _routes.DRAFTS_LAST - timedelta(minutes=1)
    with store.database.engine.begin() as connection:
        connection.execute(drafts.update().values(created=past))
    assert upload(flats).status_code == 200
    assert client.get(address).status_code == 404


def _workbook(rows: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _zip_bomb() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 50_000_000)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "filename", "message"),
    [
        (b"", "t.csv", "There is nothing in it."),
        (b"  \n", "t.csv", "There is nothing in it."),
        (b"name,rent\n", "t.csv", "at least 2 rows to choose between"),
        (b"name,rent\na,1\n", "t.csv", "at least 2 rows to choose between"),
        (b"a,b\n1,2\n4,5,6\n", "t.csv", "Row 3: there are 3 cells"),
        (b"a,b\n1,\0\n3,4\n", "t.csv", "Row 2 holds signs that no text has"),
        (b"%PDF-1.7", "t.pdf", "Files of this kind are not read"),
        (b"a,b\n1,2\n3,4\n", "t.xlsx", "The file is not an XLSX workbook."),
        (_zip_bomb(), "t.xlsx", "The file unpacks to"),
        (
            b",".join(b"c%d" % n for n in range(20_000)),
            "t.csv",
            "20,000 columns",
        ),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_bad_table_is_refused_in_one_sentence(
    store: SqlStore,
    upload: Callable[..., Any],
    text: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    content: bytes,
    filename: str,
    message: str,
) -> None:
    def keep(*_: Any) -> str:
        raise AssertionError("something was saved")

    monkeypatch.setattr(store, "add_draft", keep)
    monkeypatch.setattr(store, "create_study", keep)
    response = upload(content, filename)
    assert response.status_code == 422
    assert message in text(response.text).replace("&#39;", "'")
    assert 'role="alert"' in response.text


def test_no_file_at_all_is_refused(client: TestClient) -> None:
    response = client.post("/drafts", data={"table": "not a file"})
    assert response.status_code == 422
    assert "There is nothing in it." in response.text


@pytest.mark.parametrize(
    ("content", "filename", "headers"),
    [
        (b"a,b,a\n1,2,3\n4,5,6\n", "t.csv", ["a", "b", "a (2)"]),
        (b"a,,c\n1,2,3\n4,5,6\n", "t.csv", ["a", "column 2", "c"]),
        ("näme,x\na,1\nb,2\n".encode("latin-1"), "t.csv", ["näme", "x"]),
        (b"a,b\n1,2\n3,4\n", "table", ["a", "b"]),
    ],
)
def test_tables_as_people_have_them_are_taken(
    upload: Callable[..., Any], content: bytes, filename: str, headers: list[str]
) -> None:
    page = upload(content, filename).text
    assert re.findall(r'<h3 id="header-\d+">(.*?)</h3>', page) == headers


def test_mixed_types_are_said_at_the_column_and_not_saved(
    client: TestClient, store: SqlStore, upload: Callable[..., Any]
) -> None:
    response = upload(b"name,rent\na,500\nb,cheap\nc,700\n")
    note = "Row 3: “cheap” is not a number"
    assert note in response.text
    saved = client.post(str(response.url), data={})
    assert saved.status_code == 422
    assert note in saved.text
    assert store.list_studies() == []


def test_duplicate_names_are_said_at_the_column_and_not_saved(
    client: TestClient, store: SqlStore, upload: Callable[..., Any]
) -> None:
    response = upload(b"name,rent\nMill,500\nHill,600\nMill,700\n")
    saved = client.post(str(response.url), data={"role-0": "name"})
    assert saved.status_code == 422
    at_name = saved.text[saved.text.index('id="column-0"') :]
    assert "Row 4: the name “Mill” is in row 2 already" in at_name
    assert store.list_studies() == []


def test_html_in_names_is_shown_as_text(
    client: TestClient, upload: Callable[..., Any]
) -> None:
    table = (
        f'name,<s>rent</s>,view\n{HOSTILE},1,<img src=x>\n"""><i>x",2,</textarea><h1>\n'
    )
    columns = upload(table.encode(), f"{HOSTILE}.csv")
    saved = client.post(str(columns.url), data={"study": HOSTILE, "unit-1": "<u>"})
    wrong = upload(f"{HOSTILE},b\n1,2\n".encode())
    for page in (columns.text, saved.text, client.get("/").text, wrong.text):
        for tag in ("<script>", "<s>", "<img", "<i>", "<u>", "</textarea><h1>"):
            assert tag not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in saved.text
    assert "&lt;s&gt;rent&lt;/s&gt;" in columns.text


def test_missing_values_are_shown_and_kept(
    client: TestClient, upload: Callable[..., Any]
) -> None:
    response = upload(b"name,rent\na,500\nb,\nc,700\n")
    assert "1 of 3 cells is missing" in response.text
    saved = client.post(str(response.url), data={})
    assert saved.text.count("unknown<") == 1


@pytest.mark.parametrize("language", ["de", "fr"])
def test_what_is_refused_is_said_in_the_language_of_the_owner(
    client: TestClient, language: str
) -> None:
    headers = {"accept-language": language}
    nothing = {"de": "Da ist nichts drin.", "fr": "Choisissez un fichier"}
    page = client.post("/drafts", data={"paste": ""}, headers=headers).text
    assert nothing[language] in page
    wide = {"table": ("x.csv", b"a,b\n1,2\n4,5,6\n")}
    page = client.post("/models", files=wide, headers=headers).text
    assert {"de": "Zeile 3: Da sind 3", "fr": "Ligne 3 : il y a 3"}[language] in page


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("de", ("1 von 3 Zellen ist leer.", "Zeile 3: „cheap“ ist keine Zahl")),
        ("fr", ("1 cellule sur 3 est vide.", "« cheap » n")),
    ],
)
def test_problems_are_said_in_the_language_of_the_owner(
    client: TestClient, language: str, sentences: tuple[str, ...]
) -> None:
    table = b"name,rent,size\na,500,1\nb,cheap,\nc,700,2\n"
    headers = {"accept-language": language}
    page = client.post("/drafts", files={"table": ("x.csv", table)}, headers=headers)
    for sentence in sentences:
        assert sentence in page.text.replace("\u00a0", " ")


def test_study_of_a_person_may_have_any_name(
    client: TestClient, store: SqlStore, upload: Callable[..., Any], flats: bytes
) -> None:
    address = str(upload(flats).url)
    name = "=1+1 \u202e שלום 🏠"
    client.post(address, data={"study": name})
    study = store.list_studies()[0]
    assert study.name == name
    assert isinstance(store.get_study(study.id).items, Items)
