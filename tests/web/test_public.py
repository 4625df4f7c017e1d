"""The app under an address and a path that are not its own."""

import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from penchant.data import Items
from penchant.exceptions import DataError
from penchant.studies import SqlStore, Study
from penchant.web import create_app
from penchant.web._public import PublicAddress

PUBLIC = "https://ask.example.org/penchant/"


@pytest.fixture
def below(store: SqlStore, password_hash: str) -> TestClient:
    store.add_owner("ada", password_hash, "admin")
    app = create_app(store, login=True, public_url=PUBLIC, metrics_token="word")
    return TestClient(app, base_url="https://ask.example.org")


def own_links(page: str) -> Iterator[str]:
    for link in re.findall(r'(?:href|src|action)="([^"]*)"', page):
        if not link.startswith("#"):
            yield link


def test_all_that_leads_back_has_the_path(below: TestClient, flats: bytes) -> None:
    first = below.get("/penchant/", follow_redirects=False)
    assert (first.status_code, first.headers["location"]) == (303, "/penchant/login")
    page = below.get("/penchant/login").text
    assert all(link.startswith("/penchant/") for link in own_links(page))
    for link in re.findall(r'(?:href|src)="([^"#]+)"', page):
        assert below.get(link).status_code == 200, link
    sent = {"name": "ada", "password": "correct horse", "next": "/account"}
    entered = below.post("/penchant/login", data=sent, follow_redirects=False)
    assert entered.headers["location"] == "/penchant/account"
    assert "Path=/penchant;" in entered.headers["set-cookie"] + ";"
    home = below.get("/penchant/").text
    csrf = re.findall(r'name="csrf" value="(\w+)"', home)[0]
    draft = below.post(
        "/penchant/drafts", files={"table": ("t.csv", flats)}, data={"csrf": csrf}
    )
    assert draft.status_code == 200
    assert draft.url.path.startswith("/penchant/drafts/")
    assert all(link.startswith("/penchant/") for link in own_links(draft.text))


def test_people_are_led_within_the_path(
    below: TestClient, store: SqlStore, flats: bytes
) -> None:
    study = Study(store, store.create_study("S", Items.from_csv(flats)))
    joined = below.post(
        f"/penchant/s/{study.id}/join", data={"label": ""}, follow_redirects=False
    )
    home = joined.headers["location"]
    assert home.startswith("/penchant/p/")
    page = below.get(home)
    assert all(link.startswith("/penchant/") for link in own_links(page.text))
    assert int(page.headers["content-length"]) == len(page.content)
    pause = below.get(f"{home}/pause").text
    assert f"https://ask.example.org{home}" in pause
    made = below.post(f"/penchant/api/v1/studies/{study.id}/join", json={}).json()
    assert made["path"] == f"/penchant/p/{made['token']}"
    # A proxy may have removed the path already; more of it is somebody else's.
    assert below.get(home.removeprefix("/penchant")).status_code == 200
    assert below.get("/penchantelse/login").status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "ask.example.org.evil.example", ""])
def test_other_hosts_are_refused(below: TestClient, host: str) -> None:
    refused = below.get("/penchant/login", headers={"Host": host})
    assert refused.status_code == 400


def test_whoever_watches_over_it_is_on_the_same_machine(below: TestClient) -> None:
    assert below.get("/healthz", headers={"Host": "127.0.0.1:8000"}).status_code == 200


@pytest.mark.parametrize(
    "url", ["example.org", "ftp://example.org", "https://", "https://a.b/?x", "//a.b/c"]
)
def test_addresses_that_are_none_are_refused(url: str) -> None:
    with pytest.raises(DataError, match="The public address must be as in"):
        PublicAddress.from_url(url)


def test_counts_are_for_who_has_the_token(
    below: TestClient, client: TestClient, store: SqlStore, flats: bytes
) -> None:
    bearer = {"Authorization": "Bearer word"}
    assert below.get("/penchant/metrics").status_code == 404
    wrong = {"Authorization": "Bearer words"}
    assert below.get("/penchant/metrics", headers=wrong).status_code == 404
    assert client.get("/metrics", headers=bearer).status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).is_error
    study = Study(store, store.create_study("S", Items.from_csv(flats)))
    person, token = study.join()
    question = study.ask(person.id)
    assert question is not None
    said = {"question": question.id, "answer": "left"}
    below.post(f"/penchant/p/{token}/answer", data=said)
    below.post(f"/penchant/p/{token}/answer", data={"question": "?"})  # not kept
    page = below.get("/penchant/metrics", headers=bearer)
    assert page.headers["content-type"].startswith("text/plain")
    assert "penchant_answers_total 1.0" in page.text
    assert 'penchant_request_seconds_count{kind="participant"}' in page.text
    assert 'penchant_refits_total{outcome="done"}' in page.text
    assert token not in page.text


def test_errors_are_counted(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(store, metrics_token="word")
    client = TestClient(app, raise_server_exceptions=False)
    monkeypatch.setattr(store, "list_studies", lambda **_: 1 / 0)
    assert client.get("/").status_code == 500
    page = client.get("/metrics", headers={"Authorization": "Bearer word"}).text
    assert 'penchant_errors_total{status="500"} 1.0' in page
