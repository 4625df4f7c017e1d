"""Bringing the tables of a database to the form that this version expects."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from penchant.exceptions import StoreError

# Alembic keeps what it works on in a module, so two threads would mix it up.
_ONE_AT_A_TIME = threading.Lock()

# Any number that no other program on the same PostgreSQL locks.
_LOCK = 0x70656E6368616E74

TO_WRITE: Final = {"penchant_begin": "BEGIN IMMEDIATE"}
"""Options of a transaction that writes: in SQLite it takes the lock at once. One that
reads first and asks for the lock later fails when another has written in between."""

_MIGRATIONS = Path(__file__).with_name("migrations")


def migrate(engine: sa.Engine, key: Callable[[], bytes] = bytes) -> None:
    """Run the migrations that the database has not seen, in one transaction.

    Logs are sealed with what `key` gives.
    """
    if not _is_current(engine):
        _run(engine, "upgrade", "head", key)


def go_back(engine: sa.Engine, form: str) -> None:
    """Bring a database to the form that an older version expects."""
    _run(engine, "downgrade", form)


def _is_current(engine: sa.Engine) -> bool:
    """Look without Alembic, which takes longer to import than to do its work."""
    files = (_MIGRATIONS / "versions").glob("v*.py")
    newest = max(path.name[1:5] for path in files)  # as in v0001_what_it_does.py
    with engine.connect() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return False
        stamp = sa.text("SELECT version_num FROM alembic_version")
        return connection.execute(stamp).scalars().all() == [newest]


def _run(
    engine: sa.Engine, way: str, form: str, key: Callable[[], bytes] = bytes
) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util.exc import CommandError

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    as_writer = engine.execution_options(**TO_WRITE)
    try:
        with _ONE_AT_A_TIME, as_writer.begin() as connection:
            _wait_for_other_processes(connection)
            config.attributes["connection"] = connection
            config.attributes["key"] = key
            getattr(command, way)(config, form)
    except CommandError as error:
        raise StoreError(
            "The database was written by a newer version of penchant. "
            f"Upgrade penchant to use it ({error})."
        ) from None


def _wait_for_other_processes(connection: sa.Connection) -> None:
    # In SQLite the transaction holds the lock already.
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
