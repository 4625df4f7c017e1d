"""The app around a store in a folder of its own, and a client of it."""

import io
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from penchant.studies import SqlStore
from penchant.studies.store._database import Database
from penchant.web import _fitting, create_app, hash_password
from penchant.web.security import _access

FLATS = (
    b"name,rent,size,noise,view\n"
    b"Mill Lane 3,500,30,quiet,sea\n"
    b"High Street 1,900,80,busy,yard\n"
    b"Kiln Row 7,700,55,quiet,sea\n"
)


def drawn_picture(colour: str = "red", size: tuple[int, int] = (40, 30)) -> bytes:
    """Give a PNG file of one colour."""
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return file.getvalue()


@pytest.fixture(autouse=True)
def _no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no pause between attempts be over because the machine is slow."""
    now = datetime.now(UTC)
    monkeypatch.setattr(Database, "clock", lambda *_: now)


@pytest.fixture(autouse=True)
def _groups_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no page say that people are being counted because the machine is slow."""
    monkeypatch.setattr(_fitting, "_PROMPT", None)


@pytest.fixture
def store(new_url: str) -> Iterator[SqlStore]:
    with SqlStore(new_url) as opened:
        yield opened


@pytest.fixture
def client(store: SqlStore) -> TestClient:
    return TestClient(create_app(store, max_upload_bytes=200_000))


@pytest.fixture(scope="session")
def password_hash() -> str:
    """Kept of the password "correct horse"."""
    return hash_password("correct horse")


@pytest.fixture
def owners(store: SqlStore, password_hash: str) -> dict[str, str]:
    """Two analysts and an admin: identifiers by name."""
    roles = {"ada": "analyst", "bob": "analyst", "root": "admin"}
    return {
        name: store.add_owner(name, password_hash, role) for name, role in roles.items()
    }


@pytest.fixture
def login_app(store: SqlStore) -> FastAPI:
    return create_app(store, login=True, max_upload_bytes=200_000)


@pytest.fixture
def login_client(login_app: FastAPI) -> TestClient:
    return TestClient(login_app)


@pytest.fixture
def as_owner(
    login_app: FastAPI, store: SqlStore, owners: dict[str, str]
) -> Callable[[str], TestClient]:
    """Give a client with a session of an owner."""

    def enter(name: str) -> TestClient:
        client = TestClient(login_app)
        token = f"session-of-{name}"
        kept = _access._session_hash(token)
        if store.find_session(kept) is None:
            store.add_session(owners[name], kept, datetime.now(UTC) + timedelta(1))
        client.cookies.set(_access.COOKIE, token)
        return client

    return enter


@pytest.fixture
def flats() -> bytes:
    return FLATS


@pytest.fixture
def upload(client: TestClient) -> Callable[..., Any]:
    """Upload a table and go where the app leads."""

    def send(content: bytes, filename: str = "flats.csv") -> Any:
        return client.post("/drafts", files={"table": (filename, content)})

    return send


@pytest.fixture
def text() -> Callable[[str], str]:
    """Give the words of a page without its tags."""

    def words(page: str) -> str:
        return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))

    return words
