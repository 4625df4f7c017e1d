"""Under which address people reach the app, when it is not the one it listens on."""

import re
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from penchant.exceptions import DataError

_OWN_LINKS: Final = re.compile(rb'(\s(?:href|src|action|formaction)=")/(?!/)')

_COOKIE_PATH: Final = re.compile(rb"(; ?path=)/(?=;|$)", re.IGNORECASE)


@dataclass(frozen=True)
class PublicAddress:
    """The address that stands in links which people send to each other.

    Parameters
    ----------
    url : str
        Without a slash at its end; empty: whatever people typed.
    host : str
        Its name.
    path : str
        What comes before the paths of the app, such as "/penchant"; may be empty.

    Examples
    --------
    >>> PublicAddress.from_url("https://example.org/penchant/").path
    '/penchant'
    """

    url: str = ""
    host: str = ""
    path: str = ""

    @classmethod
    def from_url(cls, url: str | None) -> Self:
        """Take an address apart, or raise a DataError."""
        if not url:
            return cls()
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
        except ValueError:
            host = ""
        plain = re.fullmatch(r"https?://[\w.:\[\]-]+(/[\w.~/-]*)?", url, re.ASCII)
        if not host or not plain or "//" in parts.path:
            raise DataError(
                "The public address must be as in https://example.org/penchant/, "
                f"without a query. Got {url!r}."
            )
        return cls(url.rstrip("/"), host, parts.path.rstrip("/"))

    @property
    def is_secure(self) -> bool:
        """Whether people come by https."""
        return self.url.startswith("https:")


def link_to(request: Request, path: str) -> str:
    """Give the whole address of a page, for people to send to each other."""
    address: PublicAddress = request.app.state.address
    if address.url:
        return f"{address.url}{path}"
    return str(request.url.replace(path=path, query="", fragment=""))


class SubPath:
    """Let an app live under a path, such as /penchant/ of a site with other pages.

    The app knows nothing of it: what comes in loses the path, whether or not a proxy
    in front has removed it already, and what goes out (links in pages, redirects,
    cookies) gets it.

    Parameters
    ----------
    app : ASGI app
        Whose links begin with a slash.
    path : str
        Begins with a slash and does not end with one.
    """

    def __init__(self, app: ASGIApp, path: str) -> None:
        self.app = app
        self.path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path: str = scope["path"]
        if path == self.path or path.startswith(f"{self.path}/"):
            raw: bytes = scope.get("raw_path") or path.encode()
            short = raw.removeprefix(self.path.encode()) or b"/"
            inner = path.removeprefix(self.path) or "/"
            scope = {**scope, "path": inner, "raw_path": short}
        await self.app(scope, receive, _Rewriter(self.path, send))


class _Rewriter:
    """Send an answer with the path in all that leads back to the app."""

    def __init__(self, path: str, send: Send) -> None:
        self._path, self._send = path.encode(), send
        self._start: Message | None = None
        self._page = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [self._header(*pair) for pair in message.get("headers", ())]
            message = {**message, "headers": headers}
            kind = dict(headers).get(b"content-type", b"")
            if kind.startswith(b"text/html"):
                self._start = message  # its length is not known yet
                return
        elif self._start is not None:
            self._page += message.get("body", b"")
            if message.get("more_body"):
                return
            message = await self._begin()
        await self._send(message)

    def _header(self, name: bytes, value: bytes) -> tuple[bytes, bytes]:
        if name == b"location" and value[:1] == b"/" and value[1:2] != b"/":
            value = self._path + value
        elif name == b"set-cookie":
            value = _COOKIE_PATH.sub(rb"\g<1>" + self._path, value)
        return name, value

    async def _begin(self) -> Message:
        assert self._start is not None
        page = _OWN_LINKS.sub(rb"\g<1>" + self._path + b"/", self._page)
        headers = [
            (name, str(len(page)).encode() if name == b"content-length" else value)
            for name, value in self._start["headers"]
        ]
        await self._send({**self._start, "headers": headers})
        return {"type": "http.response.body", "body": page}
