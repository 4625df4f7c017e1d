import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from penchant.studies import SqlStore
from penchant.web import create_app

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/healthz", 200),
        ("GET", "/static/penchant.css", 200),
        ("GET", "/static/nothing.css", 404),
        ("GET", "/nothing", 404),
        ("GET", "/studies/unknown", 404),
        ("DELETE", "/", 405),
        ("POST", "/drafts", 422),
        ("GET", "/drafts/unknown", 404),
    ],
)
def test_policy_headers_are_on_every_response(
    client: TestClient, method: str, path: str, status: int
) -> None:
    response = client.request(method, path)
    assert response.status_code == status
    assert response.headers["content-security-policy"] == POLICY
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "same-origin"
    assert response.headers["cross-origin-opener-policy"] == "same-origin"


def test_fault_gives_a_page_with_policy_and_no_trace(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*, owner: str | None = None) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(store, "list_studies", fail)
    client = TestClient(create_app(store), raise_server_exceptions=False)
    response = client.get("/")
    assert response.status_code == 500
    assert response.headers["content-security-policy"] == POLICY
    assert "Something went wrong" in response.text
    assert "secret" not in response.text
    assert "Traceback" not in response.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
    ],
)
def test_form_of_another_site_is_refused(
    client: TestClient, store: SqlStore, flats: bytes, headers: dict[str, str]
) -> None:
    draft_id = store.add_draft("flats.csv", flats)
    for path in (f"/drafts/{draft_id}", f"/drafts/{draft_id}/discard", "/drafts"):
        response = client.post(path, headers=headers)
        assert response.status_code == 403
        assert "sent from another site" in response.text
        assert response.headers["content-security-policy"] == POLICY
    assert store.list_studies() == []
    assert store.get_draft(draft_id).content == flats


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Origin": "http://testserver"},
        {},
    ],
)
def test_own_form_is_accepted(
    client: TestClient, store: SqlStore, flats: bytes, headers: dict[str, str]
) -> None:
    draft_id = store.add_draft("flats.csv", flats)
    response = client.post(f"/drafts/{draft_id}", headers=headers)
    assert response.status_code == 200
    assert [study.name for study in store.list_studies()] == ["Flats"]


def test_foreign_site_may_link_here(client: TestClient) -> None:
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8000", 200),
        ("localhost", 200),
        ("[::1]:8000", 200),
        ("elsewhere.example:8000", 400),
        ("127.0.0.1.elsewhere.example", 400),
        ("[bad", 400),
    ],
)
def test_only_named_hosts_are_served(store: SqlStore, host: str, status: int) -> None:
    app = create_app(store, hosts=("127.0.0.1", "localhost", "::1"))
    response = TestClient(app).get("/", headers={"Host": host})
    assert response.status_code == status


def test_announced_oversize_is_refused_unread(client: TestClient) -> None:
    parts: list[int] = []

    def body() -> Iterator[bytes]:
        for part in range(100):
            parts.append(part)
            yield b"x" * 10_000

    response = client.post(
        "/drafts", content=body(), headers={"Content-Length": "1000000"}
    )
    assert response.status_code == 413
    assert "The file is too large" in response.text
    assert "0.2 MB" in response.text


def test_streamed_oversize_is_refused(client: TestClient, store: SqlStore) -> None:
    boundary = "edge"
    head = (
        f"--{boundary}\r\nContent-Disposition: form-data; "
        'name="table"; filename="flats.csv"\r\n\r\n'
    )

    def body() -> Iterator[bytes]:
        yield head.encode() + b"name,rent\n"
        for row in range(100_000):
            yield f"flat {row},{row}\n".encode()
        yield f"\r\n--{boundary}--\r\n".encode()

    kind = f"multipart/form-data; boundary={boundary}"
    response = client.post("/drafts", content=body(), headers={"Content-Type": kind})
    assert "content-length" not in response.request.headers
    assert response.status_code == 413
    assert "larger than 0.2 MB" in response.text
    assert response.headers["content-security-policy"] == POLICY


async def _never() -> dict[str, str]:
    raise AssertionError("the body was read")


def test_announced_oversize_is_not_even_asked_for(store: SqlStore) -> None:
    sent: list[dict[str, object]] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/drafts",
        "query_string": b"",
        "headers": [(b"content-length", b"200000000"), (b"host", b"testserver")],
    }
    asyncio.run(create_app(store)(scope, _never, send))
    assert sent[0]["status"] == 413


def test_other_protocols_pass(client: TestClient) -> None:
    with client:
        assert client.get("/healthz").json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("path", "size", "status"),
    [
        ("/api/v1/studies", 250_000, 413),
        ("/api/v1/studies/x/join", 60_000, 413),
        ("/api/v1/me/answers", 60_000, 413),
        ("/s/x/join", 60_000, 413),
        ("/language", 60_000, 413),
        ("/login", 60_000, 413),
        ("/studies/x/settings", 60_000, 404),
        ("/api/v1/studies", 150_000, 422),
    ],
)
@pytest.mark.parametrize("announced", [True, False])
def test_who_may_send_how_much(
    client: TestClient, path: str, size: int, status: int, announced: bool
) -> None:
    body = b'{"' + b"a" * size + b'": 1}'
    content = body if announced else iter([body[:1000], body[1000:]])
    form = "application/x-www-form-urlencoded"
    kind = "application/json" if path.startswith("/api/") else form
    response = client.post(path, content=content, headers={"Content-Type": kind})
    assert response.status_code == status


def test_few_large_bodies_are_received_at_once(store: SqlStore) -> None:
    app = create_app(store)
    table = b"--e\r\nContent-Disposition: form-data; name=table; filename=a.csv\r\n\r\n"
    statuses: list[int] = []

    async def upload(release: asyncio.Event) -> None:
        parts = iter([table, b"a" * 1_100_000])

        async def receive() -> Any:
            part = next(parts, None)
            if part is None:
                await release.wait()
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": part, "more_body": True}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
                release.set()

        kind = (b"content-type", b"multipart/form-data; boundary=e")
        scope = {"type": "http", "method": "POST", "path": "/drafts"}
        headers = [kind, (b"host", b"testserver")]
        await app({**scope, "query_string": b"", "headers": headers}, receive, send)

    async def upload_all(count: int) -> None:
        release = asyncio.Event()
        await asyncio.gather(*(upload(release) for _ in range(count)))

    asyncio.run(upload_all(9))
    assert statuses.count(503) == 1
    asyncio.run(upload_all(9))  # those that went away have given their places back
    assert statuses.count(503) == 2
