"""The app around a store in a folder of its own, and a client of it."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from penchant.studies import SqlStore, store_url
from penchant.web import create_app

FLATS = (
    b"name,rent,size,noise,view\n"
    b"Mill Lane 3,500,30,quiet,sea\n"
    b"High Street 1,900,80,busy,yard\n"
    b"Kiln Row 7,700,55,quiet,sea\n"
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    with SqlStore(store_url(tmp_path)) as opened:
        yield opened


@pytest.fixture
def client(store: SqlStore) -> TestClient:
    return TestClient(create_app(store, max_upload_bytes=200_000))


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
