"""`penchant serve`: the web app on this machine."""

import ipaddress
import os
import secrets
import socket
import sys
import tempfile
import threading
import time
import tomllib
import webbrowser
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from penchant.cli._options import Data
from penchant.exceptions import PenchantError

if TYPE_CHECKING:
    from fastapi import FastAPI

FIRST_PORT = 8000
TRIED_PORTS = 50

_LOOPBACK = ("127.0.0.1", "localhost", "::1")

_READ_IN = 30.0
"""Seconds in which a browser has surely read the page that leads it to the app."""


def _read_config(context: typer.Context, path: Path | None) -> Path | None:
    """Take what a file says as defaults; the command line and variables go first."""
    if path is None or context.resilient_parsing:
        return path
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise typer.BadParameter(f"{path} cannot be read as TOML: {error}.") from None
    known = {option.name for option in context.command.params} - {"config", "browse"}
    for name in values.keys() - known - {"key"}:
        raise typer.BadParameter(
            f"{path} says {name!r}, which is no setting. The settings are "
            f"{', '.join(sorted(known | {'key'}))}."
        )
    if "key" in values:  # not an option: others see with what a program was started
        os.environ.setdefault("PENCHANT_KEY", str(values.pop("key")))
    context.default_map = {**(context.default_map or {}), **values}
    return path


def serve(
    *,
    config: Annotated[
        Path | None,
        typer.Option(
            envvar="PENCHANT_CONFIG",
            is_eager=True,
            callback=_read_config,
            exists=True,
            dir_okay=False,
            help="A TOML file with these settings by name, such as port = 8000; "
            "the command line and the variables PENCHANT_... go before it.",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            envvar="PENCHANT_HOST",
            help="Address to listen on; the default is this machine.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            envvar="PENCHANT_PORT",
            min=0,
            max=65535,
            help=f"Port; by default {FIRST_PORT}, or the next one that is free.",
        ),
    ] = None,
    data: Data = None,
    demo: Annotated[
        bool, typer.Option("--demo/--no-demo", help="Add the fictional demo study.")
    ] = False,
    proxy: Annotated[
        list[str],
        typer.Option(
            envvar="PENCHANT_PROXY",
            metavar="ADDRESS",
            help="Address or network of a proxy in front of the server, such as "
            "127.0.0.1 or 10.0.0.0/8: it is believed when it says who its clients "
            "are, and owners log in. Repeat for several.",
        ),
    ] = [],  # noqa: B006 - Typer copies it
    public_url: Annotated[
        str | None,
        typer.Option(
            envvar="PENCHANT_PUBLIC_URL",
            metavar="ADDRESS",
            help="The address that people use, such as https://example.org/penchant/: "
            "it stands in links, and other hosts are refused.",
        ),
    ] = None,
    max_upload: Annotated[
        float,
        typer.Option(
            envvar="PENCHANT_MAX_UPLOAD", min=0.01, help="Largest table, in MB."
        ),
    ] = 10.0,
    max_connections: Annotated[
        int,
        typer.Option(
            envvar="PENCHANT_MAX_CONNECTIONS",
            min=1,
            help="Connections that one address may have at once, but for proxies.",
        ),
    ] = 500,
    retention_days: Annotated[
        float | None,
        typer.Option(
            envvar="PENCHANT_RETENTION_DAYS",
            help="Forget people who have not answered for so many days, every hour.",
        ),
    ] = None,
    metrics_token: Annotated[
        str | None,
        typer.Option(
            envvar="PENCHANT_METRICS_TOKEN",
            help="Offer /metrics to who shows this as a bearer token. Better in a "
            "file or a variable: others see with what a program was started.",
        ),
    ] = None,
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

    On this machine alone nobody logs in: the link that is written here lets you
    in, and nobody else who uses the machine. On any other address, or behind a
    proxy, owners log in (`penchant owner add`). Participants use links of their
    own. For others on a network put a proxy with https in front: the guide on
    hosting shows how.

    Example: penchant serve --demo
    """
    proxies = [_network(address) for address in proxy]
    listener = _listen(host, port)
    if sys.stderr.isatty():
        typer.echo("Getting ready; the very first start takes half a minute.", err=True)

    from penchant.studies import SqlStore, add_demo, store_url, tidying
    from penchant.texts import LANGUAGES
    from penchant.web import create_app, run_server

    local = host in _LOOPBACK and not proxies and not public_url
    secret = secrets.token_urlsafe(32) if local else None
    hosts = _names(host)
    with (
        listener,
        SqlStore(store_url(data)) as store,
        tidying(store, retention_days),
    ):
        if not local and not store.list_owners():
            typer.echo(
                "penchant: others can reach this server, so owners must log in, but "
                "there are none yet. Add one: penchant owner add NAME",
                err=True,
            )

        def make_app() -> "FastAPI":
            if demo:
                for language in LANGUAGES:
                    add_demo(store, language)
            return create_app(
                store,
                login=not local,
                secret=secret,
                hosts=hosts,
                public_url=public_url,
                max_upload_bytes=int(max_upload * 1e6),
                metrics_token=metrics_token,
            )

        def close() -> None:
            store.close()
            _say_goodbye()

        run_server(
            make_app,
            listener,
            proxies=proxies,
            max_connections=max_connections,
            ready=partial(
                _announce,
                _link(host, listener, secret),
                _has_screen() if browse is None else browse,
                moved=port is None,
            ),
            close=close,
        )
    _say_goodbye()


def _names(host: str) -> tuple[str, ...]:
    """Give under which names this machine is known, beside its addresses."""
    own = (
        {host, socket.gethostname(), socket.getfqdn()} if host not in _LOOPBACK else {}
    )
    return (*_LOOPBACK, *sorted(name.lower() for name in own))


def _network(address: str) -> str:
    try:
        return str(ipaddress.ip_network(address, strict=False))
    except ValueError:
        raise typer.BadParameter(
            "--proxy must be an address or a network, such as 127.0.0.1 or "
            f"10.0.0.0/8, not {address!r}."
        ) from None


def _say_goodbye() -> None:
    typer.echo("Stopped.")
    sys.stdout.flush()


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


def _link(host: str, listener: socket.socket, secret: str | None) -> str:
    port = listener.getsockname()[1]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    return url if secret is None else f"{url}/?token={secret}"


def _announce(link: str, browse: bool, *, moved: bool) -> None:
    port = urlsplit(link).port
    if moved and port != FIRST_PORT:
        typer.echo(f"Port {FIRST_PORT} is taken, so this is port {port}.")
    typer.echo(f"penchant is ready at {link} (Ctrl-C stops it)")
    sys.stdout.flush()
    if browse:
        # In a thread: some browsers hold on to whoever opens them.
        threading.Thread(target=_open, args=(link,), daemon=True).start()


def _open(link: str) -> None:
    """Open a browser, which finds the link in a file that only its owner can read.

    With which words a program was started every user of a machine can see.
    """
    with tempfile.TemporaryDirectory(prefix="penchant-") as folder:
        page = Path(folder) / "open.html"
        page.touch(mode=0o600)
        page.write_text(
            f'<!doctype html><title>penchant</title><meta http-equiv="refresh" '
            f'content="0; url={link}"><a href="{link}">penchant</a>\n',
            encoding="ascii",
        )
        webbrowser.open(page.as_uri())
        time.sleep(_READ_IN)


def _has_screen() -> bool:
    screen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    return screen and sys.stdout.isatty()
