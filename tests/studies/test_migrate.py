import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from penchant.exceptions import StoreError
from penchant.studies import SqlStore, store_url
from penchant.studies._engine import make_engine
from penchant.studies._migrate import migrate
from penchant.studies._tables import metadata


def test_migrations_make_the_tables_that_the_code_expects(tmp_path: Path) -> None:
    engine = make_engine(store_url(tmp_path))
    migrate(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, metadata) == []
        names = set(sa.inspect(connection).get_table_names())
    engine.dispose()
    assert names == {"alembic_version", "drafts", "studies"}


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    url = store_url(tmp_path)
    SqlStore(url).close()
    before = _dump(tmp_path)
    SqlStore(url).close()
    assert _dump(tmp_path) == before


def test_newer_database_is_refused_and_untouched(tmp_path: Path) -> None:
    url = store_url(tmp_path)
    SqlStore(url).close()
    with sqlite3.connect(tmp_path / "penchant.sqlite") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    before = _dump(tmp_path)
    with pytest.raises(StoreError, match="written by a newer version"):
        SqlStore(url)
    assert _dump(tmp_path) == before


def test_failed_migration_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "penchant.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE drafts (note TEXT)")
    connection.close()
    with pytest.raises(StoreError, match="already exists"):
        SqlStore(store_url(tmp_path))
    assert _dump(tmp_path) == ["CREATE TABLE drafts (note TEXT);"]


def _dump(folder: Path) -> list[str]:
    with sqlite3.connect(folder / "penchant.sqlite") as connection:
        lines = list(connection.iterdump())
    connection.close()
    return [line for line in lines if line not in ("BEGIN TRANSACTION;", "COMMIT;")]
