"""Database: SQLite made durable or PostgreSQL, and what all parts of a store use."""

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite

from penchant._cached import cached_property
from penchant.exceptions import ConflictError, MissingExtraError, StoreError
from penchant.studies.store._migrate import TO_WRITE, migrate
from penchant.studies.store._tables import leases

KEY_VARIABLE: Final = "PENCHANT_KEY"
"""The environment variable that holds the key, where there is no file."""

_FREE: Final = 20_000_000
"""Bytes on the disk of a SQLite file; with fewer the next answers may be refused."""

_PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)

_POOL: Final = {"pool_size": 10, "max_overflow": 30, "pool_use_lifo": True}
"""Connections that are kept open, and how many more: one for each of 40 threads."""

_TRUSTED: Final = 2.0
"""Seconds after its last use in which a connection is taken to be there still."""

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
        # Options make an engine of their own, which takes as long as a query.
        once: dict[str, Any] = {"penchant_begin": ""}
        moment: dict[str, Any] = {}
        if self.is_postgresql:
            once["isolation_level"] = "AUTOCOMMIT"
            moment["isolation_level"] = "REPEATABLE READ"
        self._once = self.engine.execution_options(**once)
        self._moment = self.engine.execution_options(**moment)
        self._to_write = self.engine.execution_options(**TO_WRITE)
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
        if not self.is_postgresql:
            # If others use the file at this moment, some of it may stay beside it.
            with suppress(sa.exc.DBAPIError), self._once.connect() as connection:
                connection.exec_driver_sql("PRAGMA busy_timeout = 1000")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        self.engine.dispose()

    def read(self, query: sa.Select[Any], **values: Any) -> list[sa.Row[Any]]:
        """Run one query, which needs no transaction; values are its parameters."""
        with wrap_errors(self.place), self._once.connect() as connection:
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
        """Give a connection that sees one moment, however many queries it runs."""
        with wrap_errors(self.place), self._moment.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Give a connection inside one transaction that may write."""
        with self._turn, wrap_errors(self.place), self._to_write.begin() as connection:
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


def make_engine(url: str) -> sa.Engine:
    """Make an engine for SQLite (WAL mode, synchronous FULL) or PostgreSQL."""
    try:
        # Other programs write the short form; SQLAlchemy no longer knows it.
        address = sa.make_url(url.replace("postgres://", "postgresql://", 1))
    except sa.exc.ArgumentError as error:
        raise _no_address(url, str(error)) from None
    if address.get_backend_name() == "sqlite":
        return _sqlite(address)
    if address.get_backend_name() == "postgresql":
        return _postgresql(address)
    raise _no_address(url, "only SQLite and PostgreSQL are supported")


def _postgresql(address: sa.URL) -> sa.Engine:
    try:
        engine = sa.create_engine(address.set(drivername="postgresql+psycopg"), **_POOL)
    except ImportError:
        raise MissingExtraError("psycopg", "postgres") from None
    event.listen(engine, "checkin", _note_use)
    event.listen(engine, "checkout", _see_whether_it_is_there)
    return engine


def _note_use(_connection: Any, record: Any) -> None:
    record.info["used"] = time.monotonic()


def _see_whether_it_is_there(connection: Any, record: Any, _proxy: Any) -> None:
    """Try a connection that was silent for a while; another takes its place if not."""
    if time.monotonic() - record.info.get("used", time.monotonic()) > _TRUSTED:
        try:
            connection.execute("")
            connection.rollback()
        except Exception as error:
            raise sa.exc.DisconnectionError from error


def _sqlite(address: sa.URL) -> sa.Engine:
    if address.database in (None, "", ":memory:"):
        raise StoreError(
            "Studies need a database that outlives a connection. "
            f"Got {str(address)!r}; name a file, as in 'sqlite:///studies.sqlite'."
        )
    if not address.database.startswith("file:"):
        with suppress(OSError):  # it is there, or SQLite says why it cannot be made
            Path(address.database).touch(mode=0o600, exist_ok=False)
    engine = sa.create_engine(address, connect_args={"timeout": 30}, **_POOL)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _no_address(url: str, reason: str) -> StoreError:
    return StoreError(
        f"{url!r} is not the address of a database that can be used here: {reason}."
    )


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # Transactions are begun below, not by the driver: it would commit before
    # statements that change tables, and a migration could be left half done.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    begin = connection.get_execution_options().get("penchant_begin", "BEGIN")
    if begin:
        connection.exec_driver_sql(begin)


def make_private(engine: sa.Engine) -> None:
    """Let nobody but its owner read a SQLite file and what SQLite keeps beside it."""
    if engine.dialect.name != "sqlite" or not hasattr(os, "getuid"):
        return
    for ending in ("", "-wal", "-shm", ".key"):
        with suppress(OSError):  # such as: there is none
            file = Path(f"{engine.url.database}{ending}")
            if file.stat().st_uid == os.getuid():
                file.chmod(0o600)


@contextmanager
def wrap_errors(place: str) -> Iterator[None]:
    """Turn errors of the database into a StoreError that names the place."""
    try:
        yield
    except sa.exc.IntegrityError as error:
        raise ConflictError(
            "The database refused: it contradicts what is kept already."
        ) from error
    except sa.exc.DBAPIError as error:
        raise StoreError(f"The database at {place} refused: {error.orig}.") from error
    except sa.exc.TimeoutError as error:
        raise StoreError(f"The database at {place} is too busy: {error}.") from error


def find_key(url: sa.URL) -> bytes:
    """Find the key of a store, which is never in its database.

    It is what the environment variable PENCHANT_KEY says; else that in a file beside
    a SQLite database, which is made, readable by its owner only, if it is not there;
    else empty. With an empty key seals show damage, but not what somebody forged.
    """
    if said := os.environ.get(KEY_VARIABLE):
        return said.encode()
    path = url.database or ""
    if url.get_backend_name() != "sqlite" or path.startswith("file:"):
        return b""
    file = Path(f"{path}.key")
    with suppress(OSError):  # such as a folder that cannot be written
        if not file.exists():
            _make_key(file)
        return file.read_bytes().strip()
    return b""


def _make_key(file: Path) -> None:
    """Make a key that is there as a whole or not at all, for all processes."""
    unfinished = file.with_name(f"{file.name}-{os.urandom(8).hex()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as opened:
        opened.write(os.urandom(32).hex())
        opened.flush()
        os.fsync(opened.fileno())
    try:
        with suppress(FileExistsError):  # another process was faster
            os.link(unfinished, file)
    finally:
        unfinished.unlink()
