"""What attacks on the app found, each with what should have happened."""

import io
import logging
import os
import re
import resource
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from openpyxl import Workbook

from penchant.data import Items
from penchant.exceptions import StoreError
from penchant.studies import SqlStore, Study, StudySettings
from penchant.studies.store import _studies
from penchant.web import create_app

PAGES = ("result", "why?item=0", "compare?a=0&b=1")


def table(values: list[float]) -> bytes:
    rows = [f"i{k},{value!r},{k % 3}" for k, value in enumerate(values)]
    return "\n".join(["name,x,y", *rows]).encode()


@pytest.mark.parametrize(
    "values",
    [[5e-324, 1.0, 2.0, 3.0], [1e-310, 0.0, 2e-310, 1e-309], [1e308, -1e308, 0.0, 5.0]],
    ids=["smallest", "tiny", "huge"],
)
def test_numbers_that_nobody_means_are_refused(
    client: TestClient, store: SqlStore, values: list[float]
) -> None:
    sent = client.post("/drafts", files={"table": ("t.csv", table(values))})
    saved = client.post(sent.url.path, data={"study": "S", "names": "0"})
    assert saved.status_code == 422
    items = [
        {"name": f"i{k}", "values": {"x": value}} for k, value in enumerate(values)
    ]
    refused = client.post("/api/v1/studies", json={"name": "S", "items": items})
    assert refused.status_code == 422
    assert "too large or too small" in refused.json()["detail"]
    assert store.list_studies() == []


@pytest.mark.parametrize(
    "values",
    [[1e-20, 3e-20, 0.0, 2e-20], [1e20, -1e20, 0.0, 5.0], [1e20, 1e-20, 0.0, -1e-20]],
    ids=["small", "large", "both"],
)
def test_numbers_at_the_bounds_have_results(
    client: TestClient, store: SqlStore, values: list[float]
) -> None:
    settings = StudySettings(max_questions=2, max_regret=0.0)
    items = Items.from_csv(table(values))
    study = Study(store, store.create_study("S", items, settings=settings))
    person, token = study.join()
    while (question := study.ask(person.id)) is not None:
        study.tell(person.id, question.id, "left")
    for page in PAGES:
        assert client.get(f"/p/{token}/{page}").status_code == 200, page
    assert client.get(f"/studies/{study.id}/report").status_code == 200


@pytest.mark.parametrize(
    "values",
    [
        [5e-324, 1.0, 2.0, 3.0],
        [5e-324, 0.0, 1e-323, 1.5e-323],
        [1e308, -1.7e308, 0.0, 5.0],
    ],
    ids=["smallest", "only small", "huge"],
)
def test_studies_made_before_numbers_were_refused_have_results(
    client: TestClient,
    store: SqlStore,
    values: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = StudySettings(max_questions=2, max_regret=0.0)
    with monkeypatch.context() as then:
        then.setattr(_studies, "check_numbers", lambda _: None)
        items = Items.from_csv(table(values))
        study_id = store.create_study("S", items, settings=settings)
    study = Study(store, study_id)
    person, token = study.join()
    while (question := study.ask(person.id)) is not None:
        assert client.get(f"/p/{token}").status_code == 200
        study.tell(person.id, question.id, "left")
    for page in (*PAGES, "what-if?item=0", "export/result.json", "export/ranking.csv"):
        assert client.get(f"/p/{token}/{page}").status_code == 200, page
    for page in ("report", "group", "model", "export/study.json"):
        assert client.get(f"/studies/{study.id}/{page}").status_code == 200, page
    assert store.dump_study(study.id).study.items == items  # nothing is rewritten


def workbook(cells: str, before: str = "", encoding: str = "utf-8") -> bytes:
    """Write an XLSX file whose one sheet has these cells, after a declaration."""
    made, changed = io.BytesIO(), io.BytesIO()
    book = Workbook()
    book.active.append(["name", "x"])
    book.active.append(["a", 1])
    book.save(made)
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                rows = f"<sheetData><row><c t='inlineStr'><is><t>{cells}</t></is></c>"
                text = content.decode().replace("<sheetData>", rows + "</row>", 1)
                content = f"<?xml version='1.0' encoding='{encoding}'?>{before}{text}"
                content = content.encode(encoding)
            new.writestr(name, content)
    return changed.getvalue()


LAUGHS = "".join(f'<!ENTITY a{k + 1} "{10 * f"&a{k};"}">' for k in range(9))


@pytest.mark.parametrize(
    "file",
    [
        workbook("&a;", '<!DOCTYPE x [<!ENTITY a "b">]>'),
        workbook("&a;", '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
        workbook("&a9;", f'<!DOCTYPE x [<!ENTITY a0 "ha">{LAUGHS}]>'),
        workbook("&a9;", f'<!DOCTYPE x [<!ENTITY a0 "ha">{LAUGHS}]>', "utf-16"),
        workbook("&a;"),
    ],
    ids=["own", "file", "laughs", "laughs in UTF-16", "unknown"],
)
def test_workbooks_with_entities_are_refused_with_a_sentence(
    client: TestClient, store: SqlStore, file: bytes
) -> None:
    sent = client.post("/drafts", files={"table": ("t.xlsx", file)})
    assert sent.status_code == 422
    asked = client.post("/api/v1/tables?filename=t.xlsx", content=file)
    assert asked.status_code == 422
    detail = asked.json()["detail"]
    assert re.search("defines XML entities|not a readable XLSX workbook", detail)
    assert re.search("defines XML entities|workbook cannot be read", sent.text)
    assert "root:" not in sent.text + detail


def test_alternatives_are_shown_after_consent_only(
    client: TestClient, store: SqlStore, flats: bytes
) -> None:
    settings = StudySettings(consent="Do you agree?")
    study_id = store.create_study("S", Items.from_csv(flats), settings=settings)
    _, token = Study(store, study_id).join()
    me = {"Authorization": f"Bearer {token}"}
    refused = client.get("/api/v1/me/items", headers=me)
    assert refused.status_code == 409
    assert "Mill Lane" not in refused.text
    client.post("/api/v1/me/consent", headers=me)
    assert "Mill Lane" in client.get("/api/v1/me/items", headers=me).text


@pytest.mark.parametrize("path", ["/", "/api/v1/studies", "/p/x"])
def test_faults_of_the_store_tell_nobody_where_it_is(
    client: TestClient,
    store: SqlStore,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    path: str,
) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise StoreError("The database at sqlite:////secret/place refused: disk.")

    for name in ("list_studies", "find_visit"):
        monkeypatch.setattr(store, name, refuse)
    with caplog.at_level(logging.ERROR):
        response = client.get(path)
    assert response.status_code == 503
    assert "secret" not in response.text
    assert "sqlite" not in response.text
    assert "/secret/place" in caplog.text  # for whoever runs the server


@contextmanager
def no_room_in_files() -> Iterator[None]:
    """Let every write fail that would make a file longer, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limits")
def test_a_server_that_cannot_write_is_not_ready(
    client: TestClient, store: SqlStore
) -> None:
    assert client.get("/readyz").json() == {"status": "ok"}
    client.app.state.readiness = (-10.0, "")  # type: ignore[attr-defined]
    with no_room_in_files():
        full = client.get("/readyz")
        again = client.get("/readyz")
    assert (full.status_code, again.status_code) == (503, 503)
    assert full.json() == {"status": "the store does not answer"}
    client.app.state.readiness = (-10.0, "")  # type: ignore[attr-defined]
    assert client.get("/readyz").status_code == 200


def test_a_server_with_a_full_disk_is_not_ready(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penchant.studies.store._database._FREE", 2**80)
    full = client.get("/readyz")
    assert (full.status_code, full.json()) == (503, {"status": "the disk is full"})


def test_private_pages_are_kept_nowhere(
    client: TestClient, store: SqlStore, flats: bytes
) -> None:
    study_id = store.create_study("S", Items.from_csv(flats))
    _, token = Study(store, study_id).join()
    for path in ("/", f"/studies/{study_id}", f"/p/{token}", "/api/v1/studies"):
        assert client.get(path).headers["cache-control"] == "no-store"
    static = client.get("/static/penchant.css")
    assert static.headers["cache-control"] == "no-cache"


def test_links_have_the_public_address_whatever_the_host(
    store: SqlStore, as_owner: Callable[[str], TestClient], flats: bytes, owners: Any
) -> None:
    study_id = store.create_study("S", Items.from_csv(flats), owner=owners["ada"])
    app = create_app(store, login=True, public_url="https://ask.example.org/flats/")
    client = TestClient(app, base_url="http://evil.example")
    client.cookies = as_owner("ada").cookies
    refused = client.get(f"/studies/{study_id}")
    assert refused.status_code == 400
    client = TestClient(app, base_url="https://ask.example.org")
    client.cookies = as_owner("ada").cookies
    page = client.get(f"/studies/{study_id}").text
    assert f"https://ask.example.org/flats/s/{study_id}/join" in page


def test_cookies_are_for_https_where_the_public_address_is(
    store: SqlStore, password_hash: str
) -> None:
    store.add_owner("ada", password_hash)
    app = create_app(store, login=True, public_url="https://ask.example.org")
    client = TestClient(app, base_url="http://ask.example.org")  # from a proxy
    sent = {"name": "ada", "password": "correct horse"}
    entered = client.post("/login", data=sent, follow_redirects=False)
    assert entered.status_code == 303
    cookie = entered.headers["set-cookie"]
    assert re.search(r"; secure(;|$)", cookie, re.IGNORECASE)
    chosen = client.post("/language", data={"language": "fr"}, follow_redirects=False)
    assert "secure" in chosen.headers["set-cookie"].lower()


def test_killed_backups_leave_nothing_for_long(store: SqlStore, tmp_path: Path) -> None:
    from penchant.studies import backup

    left = tmp_path / ".penchant-backup-left"
    left.mkdir()
    (left / "backup").write_bytes(b"half")
    os.utime(left, (0, 0))
    young = tmp_path / ".penchant-backup-young"  # of somebody who begins right now
    young.mkdir()
    backup(store, tmp_path / "saved")
    assert list(tmp_path.glob(".penchant-backup-*")) == [young]
