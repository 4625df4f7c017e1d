"""The server: HTTP from the wire within limits, and an end in good order."""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from types import FrameType
from typing import Any, ClassVar, Final, Self

from penchant.exceptions import MissingExtraError
from penchant.web.security._connections import MOST, Connections

try:
    import uvicorn
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:
    raise MissingExtraError("uvicorn and httptools", "app") from None

MAX_HEAD: Final = 65_536
"""Bytes of the first line and the headers of a request; browsers send about 1,000."""

MAX_HEADERS: Final = 100

PATIENCE: Final = 20.0
"""Seconds in which a head must arrive, and for which a body may pause."""

SLOWEST: Final = 1000.0
"""Bytes in a second at which a body must arrive, after the first 20 seconds."""

GRACE: Final = 5.0
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
    with 408; a client that does not read its answer loses it. How long a body may be
    is for the app to say.

    Attributes
    ----------
    by_address : Connections
        All that are open; a server has a class of its own with its own.
    """

    by_address: ClassVar = Connections()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._unseen = 0  # bytes since the parser last gave us something
        self._whole = False  # whether the last thing that came ended a request
        self._refusal = 400
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait(0)
        self._address = self.client[0] if self.client else ""
        self.by_address.enter(self._address, self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        self._stop_unread()
        self.by_address.leave(self._address, self)
        super().connection_lost(exc)

    @property
    def has_sent_nothing_whole(self) -> bool:
        """Whether no request has come, or not all of its head."""
        return self.cycle is None

    def hang_up(self) -> None:
        """End the connection at once."""
        self.transport.abort()

    def pause_writing(self) -> None:
        """See to it that the client reads what it asked for."""
        super().pause_writing()
        self._stop_unread()
        self._unread = self.loop.call_later(PATIENCE, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on writing."""
        self._stop_unread()
        super().resume_writing()

    def _stop_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

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

    def shutdown(self) -> None:
        """End the connection when its request is answered, if it has come at all."""
        if self._whole:
            super().shutdown()
        else:
            self.transport.close()

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


class Ending:
    """See to it that the process ends soon after a signal, whatever it is doing.

    Compiling code, and work in threads, cannot be broken off, and an error raised in
    the midst of it may get lost. So a thread of its own closes what must be closed,
    and ends the process, unless the block is left by itself before.

    Parameters
    ----------
    close : callable
        Called before the process is ended in the midst of something.

    Attributes
    ----------
    patience : float
        Seconds from the signal to the end of the process.
    """

    def __init__(self, close: Callable[[], None]) -> None:
        self.patience = 0.0
        self._close = close
        self._told, self._over = threading.Event(), threading.Event()
        self._handlers: dict[int, Any] = {}

    def tell(self, *_: Any) -> None:
        """Say that the process has to end; a handler of signals."""
        self._told.set()

    def __enter__(self) -> Self:
        # The thread is there before: a signal may come while somebody holds a lock
        # that starting one needs.
        threading.Thread(target=self._watch, daemon=True).start()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._handlers[number] = signal.signal(number, self.tell)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._over.set()
        self._told.set()

    def _watch(self) -> None:
        self._told.wait()
        if self._over.wait(self.patience):
            return
        try:
            self._close()
        finally:
            os._exit(0)


class Server(uvicorn.Server):
    """A server that says when it is ready, and leaves signals to an `Ending`."""

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], ending: Ending
    ) -> None:
        super().__init__(config)
        self._ready, self._ending = ready, ending

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Get ready and say so; from then on there is something to bring to its end."""
        await super().startup(sockets)
        self._ending.patience = GRACE
        self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, and let whoever runs the server go on: they have a store to close."""
        self.force_exit = self.should_exit  # who asks twice is in a hurry
        self.should_exit = True
        self._ending.tell()


def run_server(
    make_app: Callable[[], Any],
    listener: socket.socket,
    *,
    proxies: Sequence[str] = (),
    max_connections: int = MOST,
    ready: Callable[[], None] = lambda: None,
    close: Callable[[], None] = lambda: None,
) -> None:
    """Serve an app until SIGINT or SIGTERM, within limits and with an end.

    Parameters
    ----------
    make_app : callable
        Gives the app. A signal breaks off what it does.
    listener : socket
        Where to listen.
    proxies : sequence of str
        Addresses and networks of proxies that are believed when they say who their
        client is (X-Forwarded-For) and how it came (X-Forwarded-Proto); nobody else
        is.
    max_connections : int
        How many connections one address may have at the same time; a proxy may have
        any number, and has to count those of its clients itself.
    ready : callable
        Called as soon as requests are answered.
    close : callable
        Called before the process is ended because work goes on 5 seconds after the
        signal, or because it was still getting ready. Close the store in it.
    """

    class OwnProtocol(LimitedProtocol):
        by_address = Connections(max_connections, proxies)

    _allow_files()
    with Ending(close) as ending:
        config = uvicorn.Config(
            make_app(),
            http=OwnProtocol,
            ws="none",
            log_level="warning",
            access_log=False,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=list(proxies),
            timeout_graceful_shutdown=3,
        )
        Server(config, ready, ending).run([listener])


def _allow_files() -> None:
    """Let the process have as many connections as the system allows.

    Many systems begin with 1,024, which a few addresses use up.
    """
    with suppress(ImportError, OSError, ValueError):  # such as on Windows
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
