"""Database: the engine and the transactions that all parts of a store use."""

import hashlib
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from penchant._cached import cached_property
from penchant.exceptions import StoreError
from penchant.studies.store._engine import (
    complete_file,
    looking,
    make_engine,
    make_private,
    reading,
    wrap_errors,
    writing,
)
from penchant.studies.store._key import find_key
from penchant.studies.store._migrate import migrate
from penchant.studies.store._tables import leases

_FREE: Final = 20_000_000
"""Bytes on the disk of a SQLite file; with fewer the next answers may be refused."""

_Record = TypeVar("_Record")


def new_id() -> str:
    """Make an identifier of 128 random bits."""
    return secrets.token_hex(16)


def new_link() -> tuple[str, str]:
    """Make the token of a link, 256 random bits, and what is kept of it."""
    token = secrets.token_urlsafe(32)
    return token, link_digest(token)


def link_digest(token: str) -> str:
    """Give what is kept of the token of a link: its SHA-256."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Database:
    """A migrated database; errors of its driver come out as StoreError.

    Parameters
    ----------
    url : str
        SQLAlchemy address.
    """

    def __init__(self, url: str) -> None:
        self.engine = make_engine(url)
        # SQLite lets one write at a time, and lets others try again after a pause
        # that grows: in a queue of our own, nobody is passed over.
        self._turn = nullcontext() if self.is_postgresql else Lock()
        self.place = self.engine.url.render_as_string(hide_password=True)
        try:
            with wrap_errors(self.place):
                migrate(self.engine, lambda: self.key)
            make_private(self.engine)
        except BaseException:
            self.engine.dispose()
            raise

    @cached_property
    def key(self) -> bytes:
        """With what logs are sealed."""
        return find_key(self.engine.url)

    @property
    def is_postgresql(self) -> bool:
        """Whether it is PostgreSQL; otherwise it is SQLite."""
        return self.engine.dialect.name == "postgresql"

    def close(self) -> None:
        """Let go of files and connections; a SQLite file has everything in it then."""
        complete_file(self.engine)
        self.engine.dispose()

    def read(self, query: sa.Select[Any], **values: Any) -> list[sa.Row[Any]]:
        """Run one query; values are those of its bound parameters."""
        with wrap_errors(self.place), looking(self.engine) as connection:
            return list(connection.execute(query, values))

    def records(
        self, kind: Callable[..., _Record], query: sa.Select[Any], **values: Any
    ) -> list[_Record]:
        """Run one query and make a record of each row."""
        return [kind(**row._mapping) for row in self.read(query, **values)]

    def find(
        self, kind: Callable[..., _Record], query: sa.Select[Any], **values: Any
    ) -> _Record | None:
        """Make a record of the first row; None if there is none."""
        return next(iter(self.records(kind, query, **values)), None)

    def faults(self) -> list[str]:
        """Let a SQLite file check itself; PostgreSQL does so whenever it reads."""
        if self.is_postgresql:
            return []
        try:
            with self.reading() as connection:
                said = [
                    " ".join(map(str, row))
                    for pragma in ("integrity_check", "foreign_key_check")
                    for row in connection.exec_driver_sql(f"PRAGMA {pragma}")
                ]
        except StoreError as error:
            return [str(error)]
        return [line for line in said if line != "ok"]

    def why_not_ready(self) -> str:
        """Say why nothing can be kept at the moment; empty: it can.

        Raises
        ------
        StoreError
            If the database refuses to write.
        """
        if not self.is_postgresql:
            folder = Path(self.engine.url.database or "").parent
            with suppress(OSError):
                if shutil.disk_usage(folder).free < _FREE:
                    return "the disk is full"
        # Nobody reads it; what matters is that it reaches the disk.
        row = {"name": "ready", "holder": "", "until": datetime.now(UTC)}
        write = self.insert(leases).values(row)
        self.change(
            write.on_conflict_do_update(index_elements=[leases.c.name], set_=row)
        )
        return ""

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Give a connection that sees one moment."""
        with wrap_errors(self.place), reading(self.engine) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Give a connection inside one transaction that may write."""
        with self._turn, wrap_errors(self.place), writing(self.engine) as connection:
            yield connection

    def change(self, statement: sa.Executable) -> int:
        """Run one statement that writes; give how many rows it met."""
        with self.writing() as connection:
            return int(connection.execute(statement).rowcount)

    def insert(self, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
        """Begin an INSERT that may say what to do when a row is there already."""
        return postgresql.insert(table) if self.is_postgresql else sqlite.insert(table)

    def clock(self, connection: sa.Connection) -> datetime:
        """Read the clock that all processes share."""
        if not self.is_postgresql:
            return datetime.now(UTC)  # one file, one machine
        now: datetime = connection.execute(
            sa.select(sa.func.clock_timestamp())
        ).scalar_one()
        return now.astimezone(UTC)


def hold(connection: sa.Connection, table: sa.Table, key: str) -> bool:
    """Keep a row from being deleted until this transaction ends; False: it is gone."""
    held = sa.select(table.c.id).where(table.c.id == key)
    held = held.with_for_update(read=True, key_share=True)
    return connection.execute(held).first() is not None
