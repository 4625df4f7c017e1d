"""The account of an owner in the browser."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from penchant.studies import SqlStore
from penchant.web.security._access import find_owner_link

NEW = "battery staple"


def csrf_of(client: TestClient) -> str:
    found = re.search(
        r'name="csrf" value="([0-9a-f]{64})"', client.get("/account").text
    )
    assert found
    return found[1]


def send(client: TestClient, path: str, **fields: str) -> Any:
    data = {"csrf": csrf_of(client), **fields}
    return client.post(path, data=data, follow_redirects=False)


def enter(app: FastAPI, name: str, password: str) -> int:
    sent = {"name": name, "password": password}
    client = TestClient(app)
    return client.post("/login", data=sent, follow_redirects=False).status_code


@pytest.fixture
def ada(as_owner: Callable[[str], TestClient]) -> TestClient:
    return as_owner("ada")


@pytest.fixture
def root(as_owner: Callable[[str], TestClient]) -> TestClient:
    return as_owner("root")


def test_an_owner_changes_their_password(login_app: FastAPI, ada: TestClient) -> None:
    changed = send(ada, "/account/password", old="correct horse", new=NEW)
    assert (changed.status_code, changed.headers["location"]) == (
        303,
        "/account?changed=yes",
    )
    assert "The password is changed" in ada.get("/account?changed=yes").text
    elsewhere = TestClient(login_app)
    elsewhere.cookies.set("penchant_session", "session-of-ada")
    assert elsewhere.get("/", follow_redirects=False).status_code == 303
    assert enter(login_app, "ada", "correct horse") == 422
    assert enter(login_app, "ada", NEW) == 303


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("guess", NEW, "The present password is wrong"),
        ("correct horse", "short", "must have 10 to 1000 characters"),
    ],
)
def test_a_password_that_does_not_do_changes_nothing(
    login_app: FastAPI, ada: TestClient, old: str, new: str, said: str
) -> None:
    refused = send(ada, "/account/password", old=old, new=new)
    assert refused.status_code == 422
    assert said in refused.text
    assert enter(login_app, "ada", "correct horse") == 303


def test_an_owner_ends_all_sessions(
    login_app: FastAPI, ada: TestClient, store: SqlStore
) -> None:
    assert send(ada, "/account/sessions").headers["location"] == "/login"
    assert ada.get("/", follow_redirects=False).status_code == 303


def link_in(page: str) -> str:
    found = re.search(r'value="http://testserver(/welcome/[\w-]{43})"', page)
    assert found
    return found[1]


def test_an_admin_invites_an_owner_who_chooses_a_password(
    login_app: FastAPI, root: TestClient, store: SqlStore
) -> None:
    link = link_in(send(root, "/account/owners", name="eve").text)
    guest = TestClient(login_app)
    assert "Your name at the login is eve" in guest.get(link).text
    short = guest.post(link, data={"new": "short"})
    assert "must have 10 to 1000 characters" in short.text
    chosen = guest.post(link, data={"new": NEW}, follow_redirects=False)
    assert (chosen.status_code, chosen.headers["location"]) == (303, "/login")
    assert enter(login_app, "eve", NEW) == 303
    # It works once.
    assert guest.get(link).status_code == 404
    assert guest.post(link, data={"new": "another one"}).status_code == 404
    assert enter(login_app, "eve", NEW) == 303
    found = store.find_owner("eve")
    assert found is not None
    assert found.role == "analyst"


def test_a_new_link_resets_a_password(
    login_app: FastAPI, root: TestClient, owners: dict[str, str], store: SqlStore
) -> None:
    link = link_in(send(root, "/account/owners/link", owner=owners["bob"]).text)
    token = link.rpartition("/")[2]
    found = find_owner_link(store, token)
    assert found is not None
    assert found.name == "bob"
    # Neither a session nor an API token.
    client = TestClient(login_app)
    client.cookies.set("penchant_session", token)
    assert client.get("/account", follow_redirects=False).status_code == 303
    bearer = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/v1/studies", headers=bearer).status_code == 401
    TestClient(login_app).post(link, data={"new": NEW})
    assert enter(login_app, "bob", NEW) == 303


@pytest.mark.parametrize("name", ["ada", "ADA", "", "\u202eeve"])
def test_names_that_do_not_do_are_refused(root: TestClient, name: str) -> None:
    refused = send(root, "/account/owners", name=name)
    assert refused.status_code == 422
    assert 'role="alert"' in refused.text


def test_an_analyst_cannot_invite(
    ada: TestClient, owners: dict[str, str], store: SqlStore
) -> None:
    assert "/account/owners" not in ada.get("/account").text
    assert send(ada, "/account/owners", name="eve").status_code == 404
    stolen = send(ada, "/account/owners/link", owner=owners["root"])
    assert stolen.status_code == 404
    assert len(store.list_owners()) == 3


def test_the_analyst_of_a_machine_has_no_account(client: TestClient) -> None:
    assert client.get("/account").status_code == 404
