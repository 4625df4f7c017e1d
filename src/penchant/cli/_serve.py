"""`penchant serve`: the web app on this machine."""

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

import typer

from penchant.exceptions import PenchantError

__all__ = ["serve"]

FIRST_PORT = 8000
TRIED_PORTS = 50

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; the default is this machine.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help=f"Port; by default {FIRST_PORT}, or the next one that is free.",
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Where studies are kept: a folder, a .sqlite file or a database "
            "address. By default a folder of yours.",
        ),
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo/--no-demo", help="Add the fictional demo study.")
    ] = False,
    browse: Annotated[
        bool | None,
        typer.Option(
            "--open/--no-open",
            help="Open a browser; by default where there is a screen and a terminal.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve the web app until Ctrl-C.

    On this machine alone nobody logs in. On any other address owners do
    (`penchant owner add`), and participants use their links; put a proxy with https
    in front.

    Example: penchant serve --demo
    """
    listener = _listen(host, port)
    if sys.stderr.isatty():
        typer.echo("Getting ready; the very first start takes half a minute.", err=True)

    from penchant.studies import SqlStore, add_demo, store_url
    from penchant.web import create_app

    with listener, SqlStore(store_url(data)) as store:
        if demo:
            add_demo(store)
        local = host in _LOOPBACK
        if not local and not store.list_owners():
            typer.echo(
                "penchant: others can reach this server, so owners must log in, but "
                "there are none yet. Add one: penchant owner add NAME",
                err=True,
            )
        ready = _announce(
            host, listener, port, _has_screen() if browse is None else browse
        )
        app = create_app(store, login=not local, hosts=_LOOPBACK if local else ())
        _run(app, listener, ready)


def _listen(host: str, port: int | None) -> socket.socket:
    """Open the port asked for, or the first free one from 8000 on."""
    tried = range(FIRST_PORT, FIRST_PORT + TRIED_PORTS) if port is None else (port,)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    reason = ""
    for candidate in tried:
        try:
            return socket.create_server((host, candidate), family=family)
        except OSError as error:
            reason = error.strerror or str(error)
    ports = f"{tried[0]}" if port is not None else f"{tried[0]} to {tried[-1]}"
    raise PenchantError(
        f"The server cannot listen on {host} port {ports}: {reason}. "
        "Name another port with --port."
    )


def _announce(
    host: str, listener: socket.socket, asked: int | None, browse: bool
) -> Callable[[], None]:
    port = listener.getsockname()[1]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def ready() -> None:
        if asked is None and port != FIRST_PORT:
            typer.echo(f"Port {FIRST_PORT} is taken, so this is port {port}.")
        typer.echo(f"penchant is ready at {url} (Ctrl-C stops it)")
        sys.stdout.flush()
        if browse:
            # In a thread: some browsers hold on to whoever opens them.
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    return ready


def _has_screen() -> bool:
    screen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    return screen and sys.stdout.isatty()


def _run(app: Any, listener: socket.socket, ready: Callable[[], None]) -> None:
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=5
    )
    # The server stops in good order first and then passes Ctrl-C on.
    with suppress(KeyboardInterrupt):
        Server(config).run([listener])
    typer.echo("Stopped.")
