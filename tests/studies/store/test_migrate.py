import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext

import penchant.studies
from penchant.data import Items
from penchant.exceptions import StoreError
from penchant.studies import SqlStore, StudySettings, store_url
from penchant.studies.store import _migrate
from penchant.studies.store._database import make_engine
from penchant.studies.store._migrate import TO_WRITE, migrate
from penchant.studies.store._tables import metadata


def go_to(engine: sa.Engine, revision: str, way: str = "upgrade") -> None:
    """Migrate to an older version."""
    config = Config()
    folder = Path(penchant.studies.__file__).parent / "store" / "migrations"
    config.set_main_option("script_location", str(folder))
    with engine.execution_options(**TO_WRITE).begin() as connection:
        config.attributes["connection"] = connection
        getattr(command, way)(config, revision)


def test_migrations_make_the_tables_that_the_code_expects(any_url: str) -> None:
    engine = make_engine(any_url)
    migrate(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, metadata) == []
        names = set(sa.inspect(connection).get_table_names())
    engine.dispose()
    assert names == {"alembic_version", *metadata.tables}


def test_studies_of_the_first_version_come_along(any_url: str, items: Items) -> None:
    engine = make_engine(any_url)
    go_to(engine, "0001")
    old = sa.table(
        "studies",
        *map(sa.column, ("id", "name", "n_items", "n_attributes", "demo", "created")),
        sa.column("alternatives", sa.JSON),
    )
    row = {"id": "a" * 32, "name": "Old", "n_items": 3, "n_attributes": 2}
    moment = sa.cast("2026-01-01 00:00:00", sa.DateTime)
    with engine.begin() as connection:
        for demo in (False, True):
            row |= {"id": ("b" if demo else "a") * 32, "demo": demo}
            columns = row | {"alternatives": items.to_dict(), "created": moment}
            if engine.dialect.name == "sqlite":
                columns["created"] = "2026-01-01 00:00:00.000000"
            connection.execute(old.insert().values(columns))
    engine.dispose()
    with SqlStore(any_url) as store:
        study = store.get_study("a" * 32)
        assert (study.name, study.items) == ("Old", items)
        assert (study.settings, study.owner) == (StudySettings(), None)
        assert store.ensure_demo("Old", items) == "b" * 32


def test_going_back_keeps_the_studies(any_url: str, items: Items) -> None:
    with SqlStore(any_url) as store:
        study_id = store.create_study("Flats", items)
        store.add_participant(study_id, events=[("joined", {})])
        go_to(store.database.engine, "0001", way="downgrade")
        names = set(sa.inspect(store.database.engine).get_table_names())
    assert names == {"alembic_version", "drafts", "studies"}
    with SqlStore(any_url) as store:
        assert store.get_study(study_id).items == items
        assert store.list_participants(study_id) == []


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


def test_a_database_that_is_up_to_date_is_not_touched(
    any_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgraded: list[sa.Engine] = []
    SqlStore(any_url).close()
    monkeypatch.setattr(_migrate, "_run", lambda engine, *_: upgraded.append(engine))
    SqlStore(any_url).close()
    assert upgraded == []
