"""What comes over the wire: long, slow and half-sent requests, and proxies."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI

from penchant.studies import SqlStore
from penchant.web import _server, create_app
from penchant.web.security._connections import Connections

HOST = b"Host: 127.0.0.1\r\n"


@contextmanager
def serving(app: Any, **options: Any) -> Iterator[int]:
    """Serve an app in a thread, and give its port."""
    options.setdefault("http", _server.LimitedProtocol)
    config = uvicorn.Config(app, log_level="critical", **options)
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answer with how many bytes the body had."""
    if scope["type"] != "http":
        return
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message["body"]), message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"%d bytes" % size})


Talk = Callable[..., bytes]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving(echo, lifespan="off") as found:
        yield found


@pytest.fixture
def talk(port: int) -> Talk:
    """Send parts with pauses, and give all that comes until the server hangs up."""

    def send(*parts: bytes, pause: float = 0.0) -> bytes:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            received = b""
            try:
                for part in parts:
                    client.sendall(part)
                    time.sleep(pause)
                while piece := client.recv(65536):
                    received += piece
            except ConnectionError:
                pass  # hung up before it had read everything
            return received

    return send


LAST = b"GET / HTTP/1.1\r\n" + HOST + b"Connection: close\r\n"


def test_ordinary_requests_pass(talk: Talk) -> None:
    form = b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\n\r\nabc"
    said = talk(form + LAST + b"X: " + b"a" * 60_000 + b"\r\n\r\n")
    assert said.count(b"200 OK") == 2
    assert b"3 bytes" in said
    assert b"0 bytes" in said


@pytest.mark.parametrize(
    "request_",
    [
        LAST + b"X: " + b"a" * 70_000 + b"\r\n\r\n",
        LAST + b"X: " + b"a" * 1_000_000,
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
        LAST + b"".join(b"X%d: a\r\n" % k for k in range(100)) + b"\r\n",
        LAST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + b"a" * 1_000_000,
    ],
    ids=["header", "endless header", "address", "many headers", "trailer"],
)
def test_head_that_is_too_long_is_refused(talk: Talk, request_: bytes) -> None:
    said = talk(request_)
    # The rest may still be on its way when the server hangs up.
    assert said.startswith(b"HTTP/1.1 431 ") or (not said and len(request_) > 100_000)
    assert b"200 OK" not in said


def test_nonsense_is_refused(talk: Talk) -> None:
    assert talk(b"what?\r\n\r\n").startswith(b"HTTP/1.1 400 ")


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_server, "PATIENCE", 0.3)


BODY = b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 1000\r\n\r\n"


@pytest.mark.parametrize(
    "parts",
    [
        (LAST,),
        (LAST + b"X: a",),
        tuple(b"GET / HTTP/1.1\r\nX: aaaaaaaaaaaaa"[k : k + 1] for k in range(20)),
        (BODY,),
        (BODY, b"a" * 999),
        (BODY, *[b"a"] * 20),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + HOST + b"\r\n5\r\na",),
    ],
    ids=["head", "line", "trickle", "no body", "half", "drops", "chunk"],
)
@pytest.mark.usefixtures("hurry")
def test_request_that_does_not_arrive_is_ended(
    talk: Talk, parts: tuple[bytes, ...]
) -> None:
    start = time.monotonic()
    said = talk(*parts, pause=0.05)
    assert time.monotonic() - start < 3.0
    assert said.startswith(b"HTTP/1.1 408 ") or (not said and len(parts) > 5)


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize(
    "parts", [(), (b"\r\n",), (BODY + b"a" * 1000, b"\r\n")], ids=["", "line", "next"]
)
def test_silent_connection_is_ended(talk: Talk, parts: tuple[bytes, ...]) -> None:
    start = time.monotonic()
    said = talk(*parts, pause=0.1)
    assert time.monotonic() - start < 3.0
    assert (b"408" in said, b"200 OK" in said) == (len(parts) > 0, len(parts) > 1)


@pytest.mark.usefixtures("hurry")
def test_slow_body_that_keeps_coming_is_waited_for(talk: Talk) -> None:
    parts = [b"a" * 100] * 10
    said = talk(BODY.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), *parts)
    assert b"1000 bytes" in said
    slow = talk(
        BODY.replace(b"1000\r\n", b"4000\r\nConnection: close\r\n"),
        *[b"a" * 400] * 10,
        pause=0.1,
    )
    assert b"4000 bytes" in slow


@pytest.mark.usefixtures("hurry")
def test_whoever_goes_on_sending_after_the_answer_is_cut_off(
    store: SqlStore,
) -> None:
    with serving(create_app(store), lifespan="off") as port:
        head = b"POST /language HTTP/1.1\r\nContent-Length: 9000000000\r\n" + HOST
        client = socket.create_connection(("127.0.0.1", port), timeout=10)
        client.sendall(head + b"\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 413 ")
        start = time.monotonic()
        with pytest.raises(ConnectionError):
            _go_on(client)
        assert time.monotonic() - start < 3.0
        client.close()


def _go_on(client: socket.socket) -> None:
    while True:
        client.sendall(b"a" * 100)
        time.sleep(0.02)


def test_app_that_does_not_read_is_not_the_fault_of_the_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_server, "PATIENCE", 0.2)

    async def late(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(0.8)
        await echo(scope, receive, send)

    size = 1_000_000
    head = b"POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: %d\r\n" % size
    with serving(late, lifespan="off") as port:
        client = socket.create_connection(("127.0.0.1", port), timeout=10)
        client.sendall(head + HOST + b"\r\n" + b"a" * size)
        assert b"200 OK" in client.recv(65536)
        client.close()


def counting(most: int, *proxies: str) -> type[_server.LimitedProtocol]:
    class Protocol(_server.LimitedProtocol):
        by_address = Connections(most, proxies)

    return Protocol


@contextmanager
def half_open(port: int, n: int) -> Iterator[list[socket.socket]]:
    """Open connections that send half a head, one after the other."""
    with ExitStack() as stack:
        opened = []
        for _ in range(n):
            link = socket.create_connection(("127.0.0.1", port), timeout=30)
            opened.append(stack.enter_context(link))
            link.sendall(b"GET / HTTP/1.1\r\nHost: ")
        yield opened


def is_ended(link: socket.socket) -> bool:
    try:
        return link.recv(1) == b""
    except ConnectionError:
        return True


def ask(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as link:
        link.sendall(LAST + b"\r\n")
        return b"".join(iter(lambda: link.recv(65536), b""))


def test_an_address_with_too_many_half_sent_requests_loses_the_oldest() -> None:
    with (
        serving(echo, http=counting(5), lifespan="off") as port,
        half_open(port, 7) as opened,
    ):
        assert [is_ended(link) for link in opened[:2]] == [True, True]
        assert b"200 OK" in ask(port)  # somebody else at the same address
        assert is_ended(opened[2])
        opened[-1].sendall(b"127.0.0.1\r\nConnection: close\r\n\r\n")
        assert opened[-1].recv(100).startswith(b"HTTP/1.1 200 OK")
        assert b"200 OK" in ask(port)
        opened[3].sendall(b"127.0.0.1\r\n\r\n")  # those that ended do not count
        assert opened[3].recv(100).startswith(b"HTTP/1.1 200 OK")


def test_requests_that_are_being_answered_are_not_ended_for_new_ones() -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    async def late(scope: Any, receive: Any, send: Any) -> None:
        begun.release()
        await asyncio.to_thread(go_on.wait, 30)
        await echo(scope, receive, send)

    said: list[bytes] = []
    with serving(late, http=counting(2), lifespan="off") as port:
        asking = [
            threading.Thread(target=lambda: said.append(ask(port))) for _ in range(2)
        ]
        for each in asking:
            each.start()
            assert begun.acquire(timeout=5)
        with half_open(port, 1) as (refused,):
            assert is_ended(refused)
        go_on.set()
        for each in asking:
            each.join()
    assert [b"200 OK" in each for each in said] == [True, True]


def test_proxies_may_have_any_number_of_connections() -> None:
    with (
        serving(echo, http=counting(2, "127.0.0.0/8"), lifespan="off") as port,
        half_open(port, 10) as opened,
    ):
        assert b"200 OK" in ask(port)
        opened[0].sendall(b"127.0.0.1\r\n\r\n")
        assert opened[0].recv(100).startswith(b"HTTP/1.1 200 OK")


async def who(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    body = f"{scope['client'][0]} {scope['scheme']}".encode()
    await send({"type": "http.response.body", "body": body})


@pytest.mark.parametrize(
    ("proxies", "client"),
    [
        ((), "127.0.0.1 http"),
        (("10.0.0.0/8",), "127.0.0.1 http"),
        (("127.0.0.1",), "203.0.113.9 https"),
        (("10.0.0.1", "127.0.0.0/8"), "203.0.113.9 https"),
    ],
)
def test_only_named_proxies_are_believed(
    monkeypatch: pytest.MonkeyPatch, proxies: tuple[str, ...], client: str
) -> None:
    said: list[bytes] = []

    def ask() -> None:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), timeout=10) as link:
            said_by_it = b"X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: https\r\n"
            link.sendall(LAST + said_by_it + b"\r\n")
            while piece := link.recv(65536):
                said.append(piece)

    async def once(self: uvicorn.Server) -> None:
        await asyncio.to_thread(ask)

    monkeypatch.setattr(uvicorn.Server, "main_loop", once)
    listener = socket.create_server(("127.0.0.1", 0))
    app = FastAPI()
    app.mount("/", who)
    _server.run_server(lambda: app, listener, proxies=proxies)
    assert client.encode() in b"".join(said)


def test_answers_that_nobody_reads_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_server, "PATIENCE", 0.2)
    gone = threading.Event()

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        piece = {"type": "http.response.body", "body": bytes(2**20), "more_body": True}
        try:
            while True:
                await asyncio.wait_for(send(piece), 30.0)
                message = asyncio.ensure_future(receive())
                await asyncio.sleep(0)
                if message.done() and message.result()["type"] == "http.disconnect":
                    gone.set()
                    return
                message.cancel()
        except TimeoutError:
            return

    with (
        serving(endless, lifespan="off") as port,
        socket.create_connection(("127.0.0.1", port)) as client,
    ):
        client.sendall(LAST + b"\r\n")
        assert gone.wait(25.0)  # long before the app would have given up
