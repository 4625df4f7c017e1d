"""Guard: what every request must satisfy and every response must carry."""

from collections.abc import Awaitable, Callable
from typing import Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["POLICY_HEADERS", "Guard"]

POLICY_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Not "no-referrer": browsers would then send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

_RAW_POLICY: Final = [
    (name.lower().encode(), value.encode()) for name, value in POLICY_HEADERS.items()
]
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class Guard:
    """Refuse foreign and oversized requests; put policy headers on every answer.

    Parameters
    ----------
    app : ASGI app
        What is guarded.
    respond : coroutine function
        Turns a request and an HTTPException into a response.
    max_bytes : int
        Largest body. One that announces more is refused unread; one that does not
        say is read up to here and no further.
    hosts : tuple of str
        Names under which the app may be reached; empty: any. On a machine without
        a login this stops foreign sites that point their own name at it.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        respond: Callable[[Request, HTTPException], Awaitable[Response]],
        max_bytes: int,
        hosts: tuple[str, ...] = (),
    ) -> None:
        self.app = app
        self.respond = respond
        self.max_bytes = max_bytes
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                there = {name.lower() for name, _ in headers}
                headers += [pair for pair in _RAW_POLICY if pair[0] not in there]
                message = {**message, "headers": headers}
            await send(message)

        try:
            self._check(scope)
        except HTTPException as error:
            response = await self.respond(Request(scope), error)
            await response(scope, receive, send_with_policy)
            return
        await self.app(scope, self._limited(receive), send_with_policy)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts and _hostname(host) not in self.hosts:
            raise HTTPException(400, "The app is not served under this name.")
        if scope["method"] not in _SAFE_METHODS and not _same_site(headers, host):
            raise HTTPException(
                403, "The form was sent from another site, so nothing was done."
            )
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self.max_bytes:
            raise self._too_large()

    def _limited(self, receive: Receive) -> Receive:
        received = 0

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.max_bytes:
                raise self._too_large()
            return message

        return limited

    def _too_large(self) -> HTTPException:
        return HTTPException(
            413,
            f"The file is larger than {self.max_bytes / 1e6:g} MB, which is the most "
            "that can be uploaded; keep the rows and columns that matter.",
        )


def _same_site(headers: Headers, host: str) -> bool:
    """Tell whether a page of ours sent this; clients without a browser say nothing."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == host


def _hostname(host: str) -> str:
    """Cut the port off; text that is no host matches no name either."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
