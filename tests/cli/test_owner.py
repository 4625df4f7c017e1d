import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from penchant.cli._app import app
from penchant.studies import SqlStore, store_url
from penchant.web.security._access import find_api_owner, spend_owner_link
from penchant.web.security._passwords import password_fits

PASSWORD = "correct horse"


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    def invoke(*args: str, typed: str = "") -> Any:
        command = ["owner", args[0], "--data", str(tmp_path), *args[1:]]
        return CliRunner().invoke(app, command, input=typed)

    return invoke


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with SqlStore(store_url(tmp_path)) as opened:
        yield opened


def test_owner_is_added_with_a_typed_password(
    run: Callable[..., Any], store: SqlStore
) -> None:
    result = run("add", "ada", "--admin", typed=f"{PASSWORD}\n{PASSWORD}\n")
    assert result.exit_code == 0, result.output
    assert PASSWORD not in result.output
    owner = store.find_owner("ada")
    assert owner is not None
    assert owner.role == "admin"
    assert password_fits(owner.password_hash, PASSWORD)


def test_owner_is_added_by_a_script(run: Callable[..., Any], store: SqlStore) -> None:
    result = run("add", "bob", "--password-stdin", typed=f"{PASSWORD}\n")
    assert result.exit_code == 0
    owner = store.find_owner("bob")
    assert owner is not None
    assert owner.role == "analyst"
    again = run("add", "bob", "--password-stdin", typed=f"{PASSWORD}\n")
    assert again.exit_code == 1
    assert "already" in again.stderr


@pytest.mark.parametrize(
    ("name", "password", "words"),
    [
        ("ada", "short", "10 to 1000 characters"),
        ("", PASSWORD, "must not be empty"),
        (" ada", PASSWORD, "must not be empty"),
    ],
)
def test_what_does_not_fit_is_refused(
    run: Callable[..., Any], store: SqlStore, name: str, password: str, words: str
) -> None:
    result = run("add", name, "--password-stdin", typed=f"{password}\n")
    assert result.exit_code == 1
    assert words in result.stderr
    assert store.list_owners() == []


def test_owners_are_listed(run: Callable[..., Any], store: SqlStore) -> None:
    assert "There are no owners yet" in run("list").stdout
    store.add_owner("bob", "x")
    store.add_owner("ada", "x", "admin")
    assert run("list").stdout == "ada\tadmin\nbob\tanalyst\n"
    entries = json.loads(run("list", "--json").stdout)
    assert [entry["name"] for entry in entries] == ["ada", "bob"]
    assert "x" not in entries[0].values()


def test_new_password_ends_sessions(run: Callable[..., Any], store: SqlStore) -> None:
    owner_id = store.add_owner("ada", "x")
    store.add_session(owner_id, "0" * 64, datetime(2999, 1, 1, tzinfo=UTC))
    result = run("password", "ada", "--password-stdin", typed=f"{PASSWORD}\n")
    assert result.exit_code == 0
    assert store.find_session("0" * 64) is None
    assert password_fits(store.get_owner(owner_id).password_hash, PASSWORD)


def test_token_acts_for_its_owner(run: Callable[..., Any], store: SqlStore) -> None:
    owner_id = store.add_owner("ada", "x")
    token = run("token", "ada", "--days", "1").stdout.strip()
    visitor = find_api_owner(store, token)
    assert visitor is not None
    assert visitor.owner_id == owner_id


def test_owner_is_removed_after_a_question(
    run: Callable[..., Any], store: SqlStore
) -> None:
    store.add_owner("ada", "x")
    assert run("remove", "ada", typed="n\n").exit_code == 1
    assert store.find_owner("ada") is not None
    assert run("remove", "ada", "--yes").exit_code == 0
    assert store.find_owner("ada") is None


@pytest.mark.parametrize("command", ["password", "token", "remove"])
def test_unknown_owner_is_an_error(run: Callable[..., Any], command: str) -> None:
    result = run(command, "nobody")
    assert result.exit_code == 1
    assert "There is no owner called 'nobody'" in result.stderr


def test_owners_are_invited_and_passwords_reset_by_a_link(
    run: Callable[..., Any], store: SqlStore
) -> None:
    invited = run("invite", "ada", "--public-url", "https://a.example/x/").stdout
    start, _, token = invited.strip().rpartition("/")
    assert start == "https://a.example/x/welcome"
    assert spend_owner_link(store, token, PASSWORD) is not None
    assert run("reset", "ada").stdout.startswith("/welcome/")
    assert "looks like" in run("invite", "Ada").stderr
    assert "no owner called 'bob'" in run("reset", "bob").stderr
