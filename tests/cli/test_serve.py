import contextlib
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from typer.testing import CliRunner

from penchant.cli import _serve
from penchant.cli._app import app
from penchant.studies import LANGUAGES, SqlStore, store_url


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start real servers and end those that are left."""
    servers = []

    def run(*args: str) -> subprocess.Popen[str]:
        command = "from penchant.cli import main; main()"
        server = subprocess.Popen(
            [sys.executable, "-c", command, "serve", *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        servers.append(server)
        return server

    yield run
    for server in servers:
        if server.poll() is None:
            server.kill()
        server.communicate()


LINK = re.compile(r"ready at (http://127\.0\.0\.1:(\d+)/\?token=[\w-]{43}) ")


def link_of(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    for line in server.stdout:
        found = LINK.search(line)
        if found:
            return found[1]
    raise AssertionError(f"no address: {server.communicate()}")


def fetch(url: str) -> str:
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(url, timeout=30) as response:
        text: str = response.read().decode()
        return text


@contextlib.contextmanager
def taken_ports(first: int, count: int) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for port in range(first, first + count):
            with contextlib.suppress(OSError):  # somebody else has it: also taken
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
        yield


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a child")
def test_server_starts_moves_on_from_a_taken_port_and_stops(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    with taken_ports(_serve.FIRST_PORT, 1):
        first = start("--demo", "--data", str(tmp_path), "--no-open")
        url = link_of(first)
    second = start("--demo", "--data", str(tmp_path), "--no-open")
    other = link_of(second)
    assert url != other
    assert f":{_serve.FIRST_PORT}" not in url
    for one in (url, other):
        page = fetch(one)
        assert page.count("Demo, fictional") == 1
        assert "Demo, fictional" not in fetch(one.partition("?")[0])
    for server in (first, second):
        server.send_signal(signal.SIGINT)
        output, errors = server.communicate(timeout=60)
        assert server.returncode == 0
        assert output == "Stopped.\n"
        assert errors == ""
    with sqlite3.connect(tmp_path / "penchant.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        studies = connection.execute("SELECT count(*) FROM studies WHERE demo")
        assert studies.fetchone() == (len(LANGUAGES),)
    connection.close()


async def stop(server: uvicorn.Server) -> None:
    server.handle_exit(signal.SIGINT, None)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Any]:
    # Servers are asked to stop as soon as they are ready.
    monkeypatch.setattr(uvicorn.Server, "main_loop", stop)
    monkeypatch.setattr(_serve, "_READ_IN", 0.0)
    opened: list[str] = []

    def open_browser(url: str) -> None:
        file = Path(urllib.request.url2pathname(url.removeprefix("file:")))
        assert file.stat().st_mode & 0o077 == 0
        assert file.parent.stat().st_mode & 0o077 == 0
        opened.append(file.read_text())

    monkeypatch.setattr("webbrowser.open", open_browser)

    def run(*args: str) -> Any:
        result = CliRunner().invoke(app, ["serve", "--data", str(tmp_path), *args])
        return result, opened

    return run


def test_ready_server_says_where_and_ctrl_c_is_a_good_end(
    serve: Callable[..., Any],
) -> None:
    result, opened = serve("--port", "0")
    assert result.exit_code == 0
    assert LINK.search(result.stdout)
    assert result.stdout.endswith("Stopped.\n")
    assert opened == []


def test_browser_is_opened_when_asked(serve: Callable[..., Any]) -> None:
    result, opened = serve("--port", "0", "--open")
    assert result.exit_code == 0
    (page,) = opened
    link = LINK.search(result.stdout)
    assert link is not None
    assert f'content="0; url={link[1]}"' in page


def test_every_start_has_its_own_secret(serve: Callable[..., Any]) -> None:
    links = {LINK.search(serve("--port", "0")[0].stdout)[1][-43:] for _ in range(2)}
    assert len(links) == 2


@pytest.mark.parametrize("proxy", ["127.0.0.1", "10.0.0.7/8", "::1", "fd00::/8"])
def test_behind_a_proxy_owners_log_in(serve: Callable[..., Any], proxy: str) -> None:
    result, _ = serve("--port", "0", "--proxy", "192.0.2.1", "--proxy", proxy)
    assert result.exit_code == 0
    assert "penchant owner add" in result.stderr
    assert "token=" not in result.stdout


@pytest.mark.parametrize("proxy", ["nginx", "10.0.0.0/99", "*", ""])
def test_what_is_no_proxy_is_refused(serve: Callable[..., Any], proxy: str) -> None:
    result, _ = serve("--port", "0", "--proxy", proxy)
    assert result.exit_code == 2
    assert "--proxy must be an address or a network" in " ".join(
        result.stderr.replace("│", " ").split()
    )


def test_taken_port_that_was_asked_for_is_an_error(serve: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result, _ = serve("--port", str(port))
    assert result.exit_code == 1
    assert f"cannot listen on 127.0.0.1 port {port}" in result.stderr
    assert "--port" in result.stderr


def test_no_free_port_is_an_error(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_serve, "TRIED_PORTS", 2)
    with taken_ports(_serve.FIRST_PORT, 2):
        result, _ = serve()
    assert result.exit_code == 1
    assert "port 8000 to 8001" in result.stderr


def test_open_network_needs_owners(serve: Callable[..., Any], tmp_path: Path) -> None:
    result, _ = serve("--host", "0.0.0.0", "--port", "0")
    assert result.exit_code == 0
    assert "penchant owner add" in result.stderr
    with SqlStore(store_url(tmp_path)) as store:
        store.add_owner("ada", "x")
    result, _ = serve("--host", "0.0.0.0", "--port", "0")
    assert result.stderr == ""
    local, _ = serve("--port", "0")
    assert local.stderr == ""


def test_unusable_data_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("no database " * 100)
    result = CliRunner().invoke(app, ["serve", "--port", "0", "--data", str(path)])
    assert result.exit_code == 1
    assert "is not a database" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("platform", "display", "terminal", "expected"),
    [
        ("linux", "", True, False),
        ("linux", ":0", True, True),
        ("linux", ":0", False, False),
        ("darwin", "", True, True),
    ],
)
def test_browser_needs_a_screen_and_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    display: str,
    terminal: bool,
    expected: bool,
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert _serve._has_screen() is expected


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Note with what a server would have been started."""
    import penchant.web

    noted: dict[str, Any] = {}

    def create_app(_store: Any, **given: Any) -> str:
        noted.update(given)
        return "the app"

    def run_server(make_app: Any, listener: Any, **given: Any) -> None:
        noted.update(given, app=make_app(), port=listener.getsockname()[1])

    monkeypatch.setattr(penchant.web, "create_app", create_app)
    monkeypatch.setattr(penchant.web, "run_server", run_server)
    return noted


CONFIG = """
public_url = "https://ask.example.org/penchant/"
data = "{folder}"
port = 0
proxy = ["10.0.0.0/8", "192.0.2.1"]
max_upload = 3.5
max_connections = 50
retention_days = 90
key = "a key of our own"
"""


def test_settings_come_from_a_file_and_from_variables(
    served: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENCHANT_KEY", "")
    monkeypatch.delenv("PENCHANT_KEY")
    file = tmp_path / "penchant.toml"
    file.write_text(CONFIG.format(folder=tmp_path / "here"))
    monkeypatch.setenv("PENCHANT_METRICS_TOKEN", "a word")
    monkeypatch.setenv("PENCHANT_MAX_UPLOAD", "2")
    words = ["serve", "--config", str(file), "--proxy", "127.0.0.1"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert served["login"]
    assert served["public_url"] == "https://ask.example.org/penchant/"
    assert served["proxies"] == ["127.0.0.1/32"]  # the command line goes first
    assert served["max_upload_bytes"] == 2_000_000  # then variables, then the file
    assert served["max_connections"] == 50
    assert served["metrics_token"] == "a word"
    assert os.environ["PENCHANT_KEY"] == "a key of our own"
    assert (tmp_path / "here" / "penchant.sqlite").exists()
    assert not list((tmp_path / "here").glob("*.key"))


@pytest.mark.parametrize(
    ("text", "said"),
    [("colour = 1", "'colour', which is no setting"), ("port = ", "read as TOML")],
)
def test_settings_that_are_none_are_refused(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "penchant.toml"
    file.write_text(text)
    result = CliRunner().invoke(app, ["serve", "--config", str(file)])
    assert result.exit_code == 2
    assert said in " ".join(result.output.replace("│", " ").split())


def test_other_names_of_a_machine_are_not_ours() -> None:
    assert _serve._names("127.0.0.1") == ("127.0.0.1", "localhost", "::1")
    assert socket.gethostname().lower() in _serve._names("0.0.0.0")
