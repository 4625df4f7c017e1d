"""A real PostgreSQL for the tests that need one."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

__all__ = ["Postgres"]


class Postgres:
    """A PostgreSQL of our own on a loopback port, run by a user without rights."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        # PostgreSQL refuses to run as root.
        self._user = {"user": "nobody"} if os.geteuid() == 0 else {}
        if self._user:
            shutil.chown(folder, "nobody")
        options = ["-U", "penchant", "-A", "trust", "-E", "UTF8", "--locale=C"]
        self._run([binaries / "initdb", "-D", folder / "data", "--no-sync", *options])
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        options = [f"port={self._port}", "listen_addresses=127.0.0.1"]
        options += ["unix_socket_directories=", "max_connections=100"]
        command = [binaries / "postgres", "-D", folder / "data"]
        for option in options:
            command += ["-c", option]
        with (folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=folder, stdout=log, stderr=log, **self._user
            )
        self._engine = sa.create_engine(
            self._url("postgres"), isolation_level="AUTOCOMMIT"
        )
        self._count = 0
        self._wait(folder / "log")

    def databases(self) -> Iterator[str]:
        """Make a database, give its address, and drop it."""
        self._count += 1
        name = f"test{self._count}"
        with self._engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        yield self._url(name)
        with self._engine.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")

    def stop(self) -> None:
        self._engine.dispose()
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _url(self, database: str) -> str:
        return f"postgresql+psycopg://penchant@127.0.0.1:{self._port}/{database}"

    def _run(self, command: list[str | Path]) -> None:
        done = subprocess.run(
            command, cwd="/", capture_output=True, text=True, **self._user
        )
        if done.returncode != 0:
            pytest.skip(f"PostgreSQL cannot be set up here: {done.stderr}")

    def _wait(self, log: Path) -> None:
        for _ in range(600):
            try:
                self._engine.connect().close()
                return
            except sa.exc.OperationalError:
                if self._process.poll() is not None:
                    pytest.skip(f"PostgreSQL does not start: {log.read_text()}")
                time.sleep(0.1)
        self.stop()
        pytest.skip("PostgreSQL does not answer.")
