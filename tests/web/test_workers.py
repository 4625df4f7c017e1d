import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from penchant.datasets import load_flats
from penchant.studies import SqlStore
from penchant.web import create_app
from penchant.web._workers import Workers
from penchant.web.pages import _group as _group_routes
from penchant.web.pages import _studies as _routes


class Work:
    """Something that takes until it is released."""

    def __init__(self) -> None:
        self.begun, self.released = threading.Event(), threading.Event()

    def __call__(self) -> str:
        self.begun.set()
        assert self.released.wait(30)
        return "done"


@pytest.fixture
def work() -> Iterator[Work]:
    made = Work()
    yield made
    made.released.set()


class Client:
    """A client of one request, which may go away."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()

    async def receive(self) -> Any:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    @property
    def request(self) -> Request:
        return Request({"type": "http", "headers": []}, self.receive)


def test_work_is_done_and_errors_come_out() -> None:
    workers = Workers(1, 0)

    async def both() -> None:
        request = Client().request
        assert await workers.run(request, lambda: 42) == 42
        with pytest.raises(ZeroDivisionError):
            await workers.run(request, lambda: 1 // 0)

    asyncio.run(both())


def test_full_queue_refuses_and_says_when_to_come_back(work: Work) -> None:
    workers = Workers(1, 1)
    running = workers.submit(work)
    waiting = workers.submit(lambda: "next")
    with pytest.raises(HTTPException) as caught:
        workers.submit(lambda: "one too many")
    assert caught.value.status_code == 503
    assert caught.value.headers == {"Retry-After": "10"}
    work.released.set()
    assert [running.result(30), waiting.result(30)] == ["done", "next"]


def test_who_waits_too_long_is_freed_but_the_thread_stays_busy(work: Work) -> None:
    workers = Workers(1, 0, seconds=0.05)

    async def wait() -> None:
        with pytest.raises(HTTPException) as caught:
            await workers.run(Client().request, work)
        assert caught.value.status_code == 503
        with pytest.raises(HTTPException):  # what was begun still counts
            workers.submit(lambda: 1)

    asyncio.run(wait())
    work.released.set()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            assert workers.submit(lambda: 1).result() == 1
            return
        except HTTPException:
            time.sleep(0.01)
    raise AssertionError("the thread was never free again")


def test_work_of_a_client_that_went_away_is_dropped(work: Work) -> None:
    workers = Workers(1, 1)
    done: list[str] = []

    async def leave() -> None:
        workers.submit(work)
        client = Client()
        waiting = asyncio.ensure_future(
            workers.run(client.request, lambda: done.append("in vain"))
        )
        await asyncio.sleep(0.05)
        client.gone.set()
        with pytest.raises(ClientDisconnect):
            await waiting
        last = workers.submit(lambda: "free again")
        work.released.set()
        assert last.result(30) == "free again"

    asyncio.run(leave())
    assert done == []


async def get(app: FastAPI, path: str) -> tuple[int, dict[bytes, bytes]]:
    """Ask for a page inside a running loop, and give status and headers."""
    answers: list[Any] = []

    async def receive() -> Any:
        if answers or asked:
            await asyncio.sleep(3600)
        asked.append(True)
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answers.append((message["status"], dict(message["headers"])))

    asked: list[bool] = []
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b""}
    await app({**scope, "headers": [(b"host", b"testserver")]}, receive, send)
    (answer,) = answers
    return answer


HEAVY = (
    "/studies/{study}/group",
    "/studies/{study}/model",
    "/studies/{study}/report",
    "/studies/{study}/export/report.html",
    "/studies/{study}/charts/ranking.svg",
    "/drafts/{draft}",
    "/api/v1/studies/{study}/group",
    "/api/v1/studies/{study}/export",
)


def test_heavy_pages_are_refused_when_too_many_wait_and_others_are_served(
    store: SqlStore, work: Work
) -> None:
    app = create_app(store)
    study = store.create_study("Flats", load_flats())
    draft = store.add_draft("flats.csv", b"name,rent\na,1\nb,2\n")
    pool: Workers = app.state.pools["reports"]
    for _ in range(pool.n_threads + pool.n_waiting):
        pool.submit(work)

    async def look() -> None:
        for template in HEAVY:
            path = template.format(study=study, draft=draft)
            status, headers = await get(app, path)
            assert (path, status) == (path, 503)
            assert headers[b"retry-after"] == b"10"
        for path in ("/healthz", "/readyz", "/", f"/studies/{study}"):
            assert (await get(app, path))[0] == 200

    asyncio.run(look())


@pytest.mark.parametrize("path", ["/studies/{study}/report", "/drafts/{draft}"])
def test_health_is_told_while_all_threads_draw_reports(
    store: SqlStore, work: Work, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    from anyio.to_thread import current_default_thread_limiter

    study = store.create_study("Flats", load_flats())
    draft = store.add_draft("flats.csv", b"name,rent\na,1\nb,2\n")

    def draw(*_given: Any, **_named: Any) -> Any:
        work()
        raise HTTPException(418, "drawn")

    monkeypatch.setattr(_group_routes, "report_context", draw)
    monkeypatch.setattr(_routes, "read_table", draw)

    async def look() -> None:
        current_default_thread_limiter().total_tokens = 3
        app = create_app(store)
        pages = [
            asyncio.ensure_future(get(app, path.format(study=study, draft=draft)))
            for _ in range(4)
        ]
        while not work.begun.is_set():
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        for health in ("/healthz", "/readyz"):
            status, _ = await asyncio.wait_for(get(app, health), 5)
            assert status == 200
        work.released.set()
        assert [(await page)[0] for page in pages] == [418] * 4

    asyncio.run(look())


def test_endpoints_in_a_pool_are_described_as_before(
    login_app: FastAPI, client: Any, flats: bytes
) -> None:
    described: Callable[[], Any] = client.get("/api/v1/openapi.json").json
    group = described()["paths"]["/studies/{study_id}/group"]["get"]
    assert group["description"].startswith("Show what the whole group prefers")
    assert [each["name"] for each in group["parameters"]] == ["study_id"]
    schema = group["responses"]["200"]["content"]["application/json"]["schema"]
    assert schema == {"$ref": "#/components/schemas/GroupOut"}
