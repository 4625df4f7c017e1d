"""The server: HTTP from the wire within limits, and an end in good order."""

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Sequence
from http import HTTPStatus
from types import FrameType
from typing import Any, Final

from penchant.exceptions import MissingExtraError

try:
    import uvicorn
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:
    raise MissingExtraError("uvicorn and httptools", "app") from None

__all__ = ["LimitedProtocol", "run_server"]

MAX_HEAD: Final = 65_536
"""Bytes of the first line and the headers of a request; browsers send about 1,000."""

MAX_HEADERS: Final = 100

PATIENCE: Final = 20.0
"""Seconds in which a head must arrive, and for which a body may pause."""

SLOWEST: Final = 1000.0
"""Bytes in a second at which a body must arrive, after the first 20 seconds."""

GRACE: Final = 7.0
"""Seconds that a server which is told to stop has for what it is doing."""

_WORDS: Final = {
    400: "The request could not be understood.",
    408: "The request did not arrive in time. Send it again.",
    431: f"The head of the request has more than {MAX_HEAD:,} bytes or "
    f"{MAX_HEADERS} lines. Shorten the address, or delete the cookies of this site.",
}


class LimitedProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, with bounds on what a stranger may send.

    The parser gathers a head, however long, and waits for the rest of a request,
    however late; a few such requests would keep the server from everybody else. Here
    a head that is too long is answered with 431, and a request that does not arrive
    with 408. How long a body may be is for the app to say.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._unseen = 0  # bytes since the parser last gave us something
        self._whole = False  # whether the last thing that came ended a request
        self._refusal = 400
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait(0)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came, and see whether something is still to come."""
        self._unseen += len(data)
        self._whole = False
        super().data_received(data)
        if self._whole:
            self._stop_waiting()
        elif self._unseen > MAX_HEAD:
            self._refuse(431)
        else:
            self._wait(len(data))

    def on_headers_complete(self) -> None:
        """Let the app begin, if the head is a reasonable one."""
        sizes = [len(name) + len(value) for name, value in self.headers]
        if len(self.url) + sum(sizes) > MAX_HEAD or len(sizes) > MAX_HEADERS:
            self._refusal = 431
            raise ValueError("The head is too long.")  # ends the parser's work
        self._unseen = 0
        self._stop_waiting()  # the body has its own time
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass a part of the body on."""
        self._unseen = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note the end of a request."""
        self._unseen = 0
        self._whole = True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Say why the parser gave up."""
        self._refuse(self._refusal)

    def _wait(self, n_bytes: int) -> None:
        """See to it that the rest of a request comes soon."""
        now = self.loop.time()
        if self._timer is None:
            self._deadline = now + PATIENCE
            self._timer = self.loop.call_at(self._deadline, self._check)
        elif self.cycle is not None and not self.cycle.response_complete:
            # A body: whatever arrives buys time, a few bytes buy little. When the
            # answer is out already, nobody reads the rest, and nothing buys time.
            later = self._deadline + n_bytes / SLOWEST
            self._deadline = min(later, now + PATIENCE)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        now = self.loop.time()
        if self.flow.read_paused:  # the app is late, not the client
            self._deadline = now + PATIENCE
        if now < self._deadline:
            self._timer = self.loop.call_at(self._deadline, self._check)
        else:
            self._refuse(408)

    def _refuse(self, status: int) -> None:
        """Answer without the app, unless it is answering, and hang up."""
        self._stop_waiting()
        if self.transport.is_closing():
            return
        running = self.cycle is not None and not self.cycle.response_complete
        answering = self.pipeline or (running and self.cycle.response_started)
        # Browsers open connections in advance; such a silent one just ends.
        if not answering and (self._unseen or running):
            self.transport.write(_answer(status))
        self.transport.close()


def _answer(status: int) -> bytes:
    words = f"{_WORDS[status]}\n"
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "content-type: text/plain; charset=utf-8",
        f"content-length: {len(words)}",
        "connection: close",
    )
    return "\r\n".join((*head, "", words)).encode()


class Server(uvicorn.Server):
    """A server that ends when it is told to, whatever it is doing.

    Parameters
    ----------
    config : uvicorn.Config
        What to serve.
    ready : callable
        Called as soon as requests are answered.
    close : callable
        Called before the process is ended in the middle of something.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        ready: Callable[[], None],
        close: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._ready, self._close = ready, close
        self._told, self._over = threading.Event(), threading.Event()

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal comes."""
        # A thread that is there before: a signal may come while locks are held that
        # starting one needs.
        threading.Thread(target=self._watch, daemon=True).start()
        try:
            super().run(sockets)
        finally:
            self._over.set()
            self._told.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Get ready and say so."""
        await super().startup(sockets)
        self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, and let whoever runs the server go on: they have a store to close."""
        self.force_exit = self.should_exit  # who asks twice is in a hurry
        self.should_exit = True
        self._told.set()

    def _watch(self) -> None:
        """End the process if it does not end by itself.

        Compiling code, and work in threads, cannot be broken off. Before the server
        is ready nothing was acknowledged, so nothing is waited for.
        """
        self._told.wait()
        if not self._over.wait(GRACE if self.started else 0.0):
            self._close()
            os._exit(0)


def run_server(
    app: Any,
    listener: socket.socket,
    *,
    proxies: Sequence[str] = (),
    ready: Callable[[], None] = lambda: None,
    close: Callable[[], None] = lambda: None,
) -> None:
    """Serve an app until SIGINT or SIGTERM, within limits and with an end.

    Parameters
    ----------
    app : ASGI app
        What `create_app` made.
    listener : socket
        Where to listen.
    proxies : sequence of str
        Addresses and networks of proxies that are believed when they say who their
        client is (X-Forwarded-For) and how it came (X-Forwarded-Proto); nobody else
        is.
    ready : callable
        Called as soon as requests are answered.
    close : callable
        Called before the process is ended because work goes on 7 seconds after the
        signal, or while it is still getting ready. Close the store in it.
    """
    config = uvicorn.Config(
        app,
        http=LimitedProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_graceful_shutdown=5,
    )
    Server(config, ready, close).run([listener])
