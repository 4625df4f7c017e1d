"""Guard: what every request must satisfy and every response must carry."""

import ipaddress
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeAlias

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_Header: TypeAlias = tuple[bytes, bytes]

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
"""Names of this machine for itself."""

POLICY_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    # Pages are private: nobody finds them with the back button of a shared computer.
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Not "no-referrer": browsers would then send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

_RAW_POLICY: Final = [
    (name.lower().encode(), value.encode()) for name, value in POLICY_HEADERS.items()
]
_FOR_ALL: Final = (b"cache-control", b"no-cache")
"""Of what is the same for everybody: kept, and asked about before each use."""

_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

_UPLOADS: Final = (
    "/drafts",
    "/models",
    "/api/v1/models",
    "/api/v1/studies",
    "/api/v1/tables",
)
"""Where tables are sent, which may be large."""

_NEW_ROWS: Final = (("/models/", "/rows"), ("/api/v1/models/", "/predictions"))
"""Where tables are sent that a model is asked about: how such paths begin and end."""

_DRAFTS: Final = "/drafts/"
"""Where pictures are sent along with what columns mean."""

_OWNERS: Final = ("/studies/", "/models/", "/api/v1/studies/", "/api/v1/models/")
"""Where owners send forms and settings, all but the invitations to join."""

_FORM, _SMALL = 1_000_000, 50_000
"""Bytes of what an owner sends, and of what everybody may send.

A body is parsed before it is known who sent it, and everybody waits meanwhile: a
megabyte of names that JSON should not have takes two seconds.
"""

_LARGE_AT_ONCE: Final = 8
"""Bodies larger than a form that are received at the same time, by all together."""


class Guard:
    """Refuse foreign and oversized requests; put policy headers on every answer.

    Parameters
    ----------
    app : ASGI app
        What is guarded.
    respond : coroutine function
        Turns a request and an HTTPException into a response.
    max_bytes : int
        Largest body of an upload; other bodies may have 1 MB at most, and those that
        need no login 50 kB. One that announces more is refused unread; one that does
        not say is read up to here and no further.
    hosts : tuple of str
        Names under which the app may be reached; empty: any. On a machine without
        a login this stops foreign sites that point their own name at it; with one,
        invitations that lead elsewhere.
    secure : bool
        Whether all cookies are for https, however the request came: a proxy may have
        taken it over.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        respond: Callable[[Request, HTTPException], Awaitable[Response]],
        max_bytes: int,
        hosts: tuple[str, ...] = (),
        secure: bool = False,
    ) -> None:
        self.app = app
        self.respond = respond
        self.max_bytes = max_bytes
        self.hosts = hosts
        self.secure = secure
        self._n_large = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send_with_policy = partial(self._send, scope, send)
        limit = self._limit(scope["path"])
        try:
            self._check(scope, limit)
        except HTTPException as error:
            response = await self.respond(Request(scope), error)
            await response(scope, receive, send_with_policy)
            return
        received = 0

        async def receive_within_limit() -> Message:
            nonlocal received
            message = await receive()
            before, received = received, received + len(message.get("body", b""))
            if before <= _FORM < received:
                self._begin_large()
            if received > limit:
                raise _too_large(limit)
            return message

        try:
            await self.app(scope, receive_within_limit, send_with_policy)
        except ClientDisconnect:
            pass  # nobody is there to be answered
        finally:
            self._n_large -= received > _FORM

    async def _send(self, scope: Scope, send: Send, message: Message) -> None:
        """Send with the policy headers that are not there."""
        if message["type"] == "http.response.start":
            given = message.get("headers", ())
            headers = [_secured(*pair) if self.secure else pair for pair in given]
            if scope["path"].startswith("/static/"):
                headers.append(_FOR_ALL)
            there = {name.lower() for name, _ in headers}
            headers += [pair for pair in _RAW_POLICY if pair[0] not in there]
            message = {**message, "headers": headers}
        await send(message)

    def _check(self, scope: Scope, limit: int) -> None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts and not self._is_here(_hostname(host), scope):
            raise HTTPException(400, "The app is not served under this name.")
        if scope["method"] not in _SAFE_METHODS and not _same_site(headers, host):
            raise HTTPException(
                403, "The form was sent from another site, so nothing was done."
            )
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > limit:
            raise _too_large(limit)

    def _is_here(self, name: str, scope: Scope) -> bool:
        """Tell whether a name is one of ours, or the address that was called."""
        if name in self.hosts:
            return True
        own, _ = scope.get("server") or ("", 0)
        try:
            return ipaddress.ip_address(name) == ipaddress.ip_address(own)
        except ValueError:
            return False

    def _limit(self, path: str) -> int:
        """Say how long a body may be that is sent there."""
        if path in _UPLOADS or path.startswith(_DRAFTS):
            return self.max_bytes
        if any(path.startswith(a) and path.endswith(b) for a, b in _NEW_ROWS):
            return self.max_bytes
        of_owner = path.startswith(_OWNERS) and not path.endswith("/join")
        return min(_FORM if of_owner else _SMALL, self.max_bytes)

    def _begin_large(self) -> None:
        self._n_large += 1
        if self._n_large > _LARGE_AT_ONCE:
            raise HTTPException(
                503, "Too many tables are being sent.", {"Retry-After": "10"}
            )


def _secured(name: bytes, value: bytes) -> _Header:
    if name.lower() == b"set-cookie" and b"; secure" not in value.lower():
        value += b"; Secure"
    return name, value


def _too_large(limit: int) -> HTTPException:
    return HTTPException(
        413,
        f"This is larger than {limit / 1e6:g} MB, the most that is taken here. "
        "Keep what matters and send it again.",
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
