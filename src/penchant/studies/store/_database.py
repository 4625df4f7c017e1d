"""Database: the ground that the parts of SqlStore stand on."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from penchant.studies.store._engine import (
    complete_file,
    looking,
    make_engine,
    make_private,
    reading,
    wrap_errors,
    writing,
)
from penchant.studies.store._migrate import migrate

__all__ = ["Database", "new_id"]


def new_id() -> str:
    """Make an identifier of 128 random bits."""
    return secrets.token_hex(16)


class Database:
    """A migrated database; errors of its driver come out as StoreError.

    Parameters
    ----------
    url : str
        SQLAlchemy address.
    """

    def __init__(self, url: str) -> None:
        self._engine = make_engine(url)
        # SQLite lets one write at a time, and lets others try again after a pause
        # that grows: in a queue of our own, nobody is passed over.
        is_file = self._engine.dialect.name == "sqlite"
        self._turn = Lock() if is_file else nullcontext()
        self._place = self._engine.url.render_as_string(hide_password=True)
        try:
            with wrap_errors(self._place):
                migrate(self._engine)
            make_private(self._engine)
        except BaseException:
            self._engine.dispose()
            raise

    @property
    def address(self) -> str:
        """How another process opens the same database; it may hold a password."""
        return self._engine.url.render_as_string(hide_password=False)

    def close(self) -> None:
        """Let go of files and connections; a SQLite file has everything in it then."""
        complete_file(self._engine)
        self._engine.dispose()

    def _read(self, query: sa.Select[Any], **values: Any) -> list[sa.Row[Any]]:
        """Run one query; values are those of its bound parameters."""
        with wrap_errors(self._place), looking(self._engine) as connection:
            return list(connection.execute(query, values))

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with wrap_errors(self._place), reading(self._engine) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with self._turn, wrap_errors(self._place), writing(self._engine) as connection:
            yield connection

    def _insert(self, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
        """Begin an INSERT that may say what to do when a row is there already."""
        if self._engine.dialect.name == "postgresql":
            return postgresql.insert(table)
        return sqlite.insert(table)

    def _clock(self, connection: sa.Connection) -> datetime:
        """Read the clock that all processes share."""
        if self._engine.dialect.name != "postgresql":
            return datetime.now(UTC)  # one file, one machine
        now: datetime = connection.execute(
            sa.select(sa.func.clock_timestamp())
        ).scalar_one()
        return now.astimezone(UTC)
