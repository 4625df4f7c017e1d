"""Real servers in processes of their own."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from penchant.datasets import load_flats
from penchant.studies import SqlStore, Study, StudySettings

SCRIPT = Path(__file__).with_name("nursery.py")
N_ITEMS = 8


class Nursery:
    """The process that starts servers, see nursery.py."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )

    def start(self, url: str, log: Path) -> int:
        """Start a server and give the number of its process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{url}\t{log}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


class Server:
    """A server that can be killed and started again, each time on a new port."""

    def __init__(self, nursery: Nursery, url: str, log: Path) -> None:
        self.port = 0
        self._nursery, self._url, self._log = nursery, url, log
        self._process = 0

    def start(self) -> None:
        """Start, and return when it answers."""
        self._log.unlink(missing_ok=True)
        self._process = self._nursery.start(self._url, self._log)
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)", self.words)):
            assert Path(f"/proc/{self._process}").exists(), self.words
            time.sleep(0.005)
        self.port = int(found[1])

    def kill(self) -> None:
        """End it at once, whatever it is doing."""
        with suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)

    def stop(self) -> float:
        """Ask it to end, and give how many seconds that took."""
        start = time.monotonic()
        os.kill(self._process, signal.SIGTERM)
        while Path(f"/proc/{self._process}").exists():
            assert time.monotonic() < start + 60, self.words
            time.sleep(0.01)
        return time.monotonic() - start

    @property
    def words(self) -> str:
        """What the server has said since its start."""
        return self._log.read_text() if self._log.exists() else ""


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    if not hasattr(os, "fork"):
        pytest.skip("Servers are forked, which this system cannot do.")
    opened = Nursery()
    yield opened
    opened.close()


@pytest.fixture
def serve(nursery: Nursery, tmp_path: Path) -> Iterator[Callable[[str], Server]]:
    """Start a server on a database."""
    servers: list[Server] = []

    def started(url: str) -> Server:
        server = Server(nursery, url, tmp_path / f"server-{len(servers)}.log")
        server.start()
        servers.append(server)
        return server

    yield started
    for server in servers:
        server.kill()


@pytest.fixture
def make_study() -> Callable[..., Study]:
    """Make a study of eight flats that asks until the budget is spent."""

    def make(store: SqlStore, **settings: object) -> Study:
        chosen = StudySettings(**{"max_regret": 0.0, **settings})  # type: ignore[arg-type]
        flats = load_flats().take(range(N_ITEMS))
        return Study(store, store.create_study("Flats", flats, settings=chosen))

    return make
