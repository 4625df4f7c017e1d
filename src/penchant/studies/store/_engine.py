"""Database engines: SQLite made durable, PostgreSQL as it comes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from penchant.exceptions import ConflictError, MissingExtraError, StoreError

_BEGIN = "penchant_begin"
"""How a transaction of SQLite begins; empty: there is none."""

_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)


_POOL = {"pool_size": 10, "max_overflow": 30}
"""Connections that are kept open, and how many more: one for each of 40 threads."""


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
        return sa.create_engine(
            address.set(drivername="postgresql+psycopg"), pool_pre_ping=True, **_POOL
        )
    except ImportError:
        raise MissingExtraError("psycopg", "postgres") from None


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
    begin = connection.get_execution_options().get(_BEGIN, "BEGIN")
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


def complete_file(engine: sa.Engine) -> None:
    """Bring what SQLite keeps beside its file into it, so that a copy has it all.

    If others use the file at this moment, some of it may stay where it is.
    """
    if engine.dialect.name != "sqlite":
        return
    with suppress(sa.exc.DBAPIError), looking(engine) as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 1000")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def writing(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Give a connection inside one transaction that may write."""
    # A writer takes the lock at once: a transaction that reads first and asks for
    # the lock later fails when another one has written in between.
    with engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"}).begin() as connection:
        yield connection


@contextmanager
def looking(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Give a connection for a single query, which needs no transaction around it."""
    if engine.dialect.name == "postgresql":
        engine = engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.execution_options(**{_BEGIN: ""}).connect() as connection:
        yield connection


@contextmanager
def reading(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Give a connection that sees one moment, however many queries it runs."""
    if engine.dialect.name == "postgresql":
        engine = engine.execution_options(isolation_level="REPEATABLE READ")
    with engine.begin() as connection:
        yield connection


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
