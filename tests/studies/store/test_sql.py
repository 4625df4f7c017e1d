"""What is particular to one kind of database."""

import os
import shutil
import sqlite3
import sys
import threading
from pathlib import Path

import pytest

from penchant.data import Items
from penchant.exceptions import MissingExtraError, StoreError
from penchant.studies import SqlStore, store_url
from penchant.studies.store import _database


def test_failed_creation_keeps_the_draft(
    store: SqlStore, items: Items, tmp_path: Path
) -> None:
    draft_id = store.add_draft("flats.csv", b"x")
    with sqlite3.connect(tmp_path / "penchant.sqlite") as other:
        other.execute(
            "CREATE TRIGGER no_studies BEFORE INSERT ON studies "
            "BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
        )
    other.close()
    with pytest.raises(StoreError, match="The database refused"):
        store.create_study("Flats", items, draft_id=draft_id)
    assert store.get_draft(draft_id).content == b"x"
    assert store.list_studies() == []


def test_event_that_fails_halfway_leaves_no_trace(
    store: SqlStore, items: Items, tmp_path: Path
) -> None:
    person, _ = store.add_participant(store.create_study("Flats", items))
    with sqlite3.connect(tmp_path / "penchant.sqlite") as other:
        other.execute(
            "CREATE TRIGGER full BEFORE INSERT ON events WHEN NEW.position = 1 "
            "BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
        )
    other.close()
    with pytest.raises(StoreError, match="The database refused"):
        store.append(person.id, 0, [("a", {}), ("b", {})])
    assert store.events(person.id) == []
    assert store.get_participant(person.id).n_events == 0


def test_new_file_may_be_opened_by_many_at_once(tmp_path: Path, items: Items) -> None:
    start = threading.Barrier(6)
    demos = []

    def open_store() -> None:
        start.wait()
        with SqlStore(store_url(tmp_path)) as store:
            demos.append(store.ensure_demo("Demo", items))

    threads = [threading.Thread(target=open_store) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(demos) == 6
    assert len(set(demos)) == 1


def test_sqlite_is_durable(store: SqlStore) -> None:
    with store.database.engine.connect() as connection:
        ask = connection.exec_driver_sql
        assert ask("PRAGMA journal_mode").scalar() == "wal"
        assert ask("PRAGMA synchronous").scalar() == 2
        assert ask("PRAGMA foreign_keys").scalar() == 1


def modes(folder: Path) -> dict[str, int]:
    return {each.name: each.stat().st_mode & 0o777 for each in folder.iterdir()}


PRIVATE = {f"penchant.sqlite{ending}": 0o600 for ending in ("", "-wal", "-shm", ".key")}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_only_its_owner_can_read_a_database(tmp_path: Path) -> None:
    url = store_url(tmp_path)
    with SqlStore(url):
        assert modes(tmp_path) == PRIVATE


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_database_that_others_could_read_becomes_private(tmp_path: Path) -> None:
    url = store_url(tmp_path)
    with SqlStore(url) as first:
        for name in PRIVATE:
            (tmp_path / name).chmod(0o644)
        with SqlStore(url):
            assert modes(tmp_path) == PRIVATE
        assert first.list_studies() == []


def test_file_that_is_no_database_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("These are my notes, not a database. " * 100)
    path.chmod(0o644)
    with pytest.raises(StoreError):
        SqlStore(store_url(path))
    assert path.stat().st_mode & 0o777 == 0o644


def test_closed_store_is_one_file(tmp_path: Path, items: Items) -> None:
    """Also while another store is open: a copy of the file alone has it all."""
    url = store_url(tmp_path / "studies")
    with SqlStore(url):
        with SqlStore(url) as store:
            study_id = store.create_study("Flats", items)
        copy = tmp_path / "copy.sqlite"
        shutil.copyfile(tmp_path / "studies" / "penchant.sqlite", copy)
    with SqlStore(store_url(copy)) as copied:
        assert copied.get_study(study_id).items == items


def test_store_whose_file_is_in_use_closes_all_the_same(
    tmp_path: Path, items: Items
) -> None:
    url = store_url(tmp_path)
    with SqlStore(url) as other:
        store = SqlStore(url)
        study_id = store.create_study("Flats", items)
        with other.database.writing():
            store.close()
        assert other.get_study(study_id).items == items


@pytest.mark.parametrize(
    "url", ["nonsense", "unheardof://localhost/studies", "mysql://localhost/studies"]
)
def test_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(StoreError, match="is not the address of a database"):
        SqlStore(url)


def test_database_in_memory_is_refused() -> None:
    with pytest.raises(StoreError, match="name a file"):
        SqlStore("sqlite://")


def test_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("These are my notes, not a database. " * 100)
    with pytest.raises(StoreError, match="file is not a database"):
        SqlStore(store_url(path))
    assert path.read_text().startswith("These are my notes")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_may_be_written_in_every_usual_way(
    postgres_url: str, items: Items, scheme: str
) -> None:
    address = postgres_url.replace("postgresql+psycopg", scheme)
    with SqlStore(address) as store:
        assert store.get_study(store.create_study("Flats", items)).items == items


def test_postgresql_that_is_not_there_is_an_error_without_the_password() -> None:
    with pytest.raises(StoreError, match="refused") as caught:
        SqlStore("postgresql://ann:secret@127.0.0.1:9/studies")
    assert "secret" not in str(caught.value)


def test_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"penchant\[postgres\]"):
        SqlStore("postgresql://127.0.0.1/studies")


def test_store_without_a_free_connection_says_so(store: SqlStore) -> None:
    engine = store.database.engine
    busy = [engine.connect() for _ in range(engine.pool.size())]
    engine.pool._max_overflow, engine.pool._timeout = 0, 0.01
    with pytest.raises(StoreError, match="too busy"):
        store.list_studies()
    for connection in busy:
        connection.close()


def test_connections_that_died_while_nobody_used_them_are_replaced(
    postgres_url: str, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SqlStore(postgres_url) as store, SqlStore(postgres_url) as other:
        study_id = store.create_study("Flats", items)

        def end_all() -> None:
            with other.database.writing() as connection:
                connection.exec_driver_sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE pid <> pg_backend_pid() AND datname = current_database()"
                )

        end_all()  # a moment after its last use: one request fails, and no more
        with pytest.raises(StoreError):
            store.get_study(study_id)
        assert store.get_study(study_id).name == "Flats"
        monkeypatch.setattr(_database, "_TRUSTED", 0.0)
        end_all()  # after a silence: nobody notices
        assert store.get_study(study_id).name == "Flats"
        store.update_study(study_id, name="Houses")
        assert store.get_study(study_id).name == "Houses"
