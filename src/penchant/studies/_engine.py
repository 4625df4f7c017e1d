"""Database engines: SQLite made durable, any other database as it comes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from penchant.exceptions import StoreError

__all__ = ["make_engine", "wrap_errors", "writing"]

_WRITES = "penchant_writes"

_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)


def make_engine(url: str) -> sa.Engine:
    """Make an engine; a SQLite file is opened in WAL mode, synchronous FULL."""
    try:
        address = sa.make_url(url)
        if address.get_backend_name() != "sqlite":
            return sa.create_engine(address, pool_pre_ping=True)
    except (sa.exc.ArgumentError, ImportError) as error:
        raise StoreError(
            f"{url!r} is not the address of a database that can be used here: {error}."
        ) from None
    if address.database in (None, "", ":memory:"):
        raise StoreError(
            "Studies need a database that outlives a connection. "
            f"Got {url!r}; name a file, as in 'sqlite:///studies.sqlite'."
        )
    engine = sa.create_engine(address, connect_args={"timeout": 30})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # Transactions are begun below, not by the driver: it would commit before
    # statements that change tables, and a migration could be left half done.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    # A writer takes the lock at once: a transaction that reads first and asks for
    # the lock later fails when another one has written in between.
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def writing(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Give a connection inside one transaction that may write."""
    with engine.execution_options(**{_WRITES: True}).begin() as connection:
        yield connection


@contextmanager
def wrap_errors(place: str) -> Iterator[None]:
    """Turn errors of the database into a StoreError that names the place."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        raise StoreError(f"The database at {place} refused: {error.orig}.") from error
