import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from penchant.data import Items
from penchant.exceptions import DraftNotFoundError, StoreError, StudyNotFoundError
from penchant.studies import (
    SqlStore,
    add_demo,
    store_url,
)


def test_study_comes_back_as_it_was_kept(store: SqlStore, items: Items) -> None:
    before = datetime.now(UTC)
    study = store.get_study(store.create_study("Flats <i>", items))
    assert study.name == "Flats <i>"
    assert study.items == items
    assert not study.demo
    assert before <= study.created <= datetime.now(UTC)


def test_study_is_there_after_reopening(tmp_path: Path, items: Items) -> None:
    url = store_url(tmp_path)
    with SqlStore(url) as store:
        study_id = store.create_study("Flats", items)
    with SqlStore(url) as store:
        assert store.get_study(study_id).items == items


def test_unknown_study_is_an_error(store: SqlStore) -> None:
    with pytest.raises(StudyNotFoundError, match="no such study"):
        store.get_study("0" * 32)


def test_list_has_the_newest_first_and_demos_last(
    store: SqlStore, items: Items
) -> None:
    demo = store.ensure_demo("Demo", items)
    older = store.create_study("older", items)
    newer = store.create_study("newer", items)
    listed = store.list_studies()
    assert [study.id for study in listed] == [newer, older, demo]
    assert [study.demo for study in listed] == [False, False, True]
    assert (listed[0].n_items, listed[0].n_attributes) == (3, 2)


def test_identifiers_have_128_random_bits(store: SqlStore, items: Items) -> None:
    ids = {store.create_study("s", items) for _ in range(20)}
    ids |= {store.add_draft("t.csv", b"x") for _ in range(20)}
    assert len(ids) == 40
    assert all(len(bytes.fromhex(one)) == 16 for one in ids)


def test_draft_comes_back_and_is_discarded(store: SqlStore) -> None:
    draft_id = store.add_draft("flats.csv", b"a,b\n\x00\xff")
    draft = store.get_draft(draft_id)
    assert (draft.filename, draft.content) == ("flats.csv", b"a,b\n\x00\xff")
    store.discard_draft(draft_id)
    with pytest.raises(DraftNotFoundError, match="Upload the file again"):
        store.get_draft(draft_id)
    store.discard_draft(draft_id)


def test_old_drafts_expire_and_new_ones_stay(store: SqlStore) -> None:
    draft_id = store.add_draft("flats.csv", b"x")
    assert store.expire_drafts(datetime.now(UTC) - timedelta(hours=1)) == 0
    assert store.get_draft(draft_id).id == draft_id
    assert store.expire_drafts(datetime.now(UTC) + timedelta(hours=1)) == 1
    with pytest.raises(DraftNotFoundError):
        store.get_draft(draft_id)


def test_draft_becomes_a_study_once(store: SqlStore, items: Items) -> None:
    draft_id = store.add_draft("flats.csv", b"x")
    store.create_study("Flats", items, draft_id=draft_id)
    with pytest.raises(DraftNotFoundError):
        store.create_study("Flats", items, draft_id=draft_id)
    assert len(store.list_studies()) == 1


def test_draft_becomes_a_study_once_from_many_threads(
    store: SqlStore, items: Items
) -> None:
    draft_id = store.add_draft("flats.csv", b"x")
    outcomes = []

    def confirm() -> None:
        try:
            outcomes.append(store.create_study("Flats", items, draft_id=draft_id))
        except DraftNotFoundError as error:
            outcomes.append(error)

    threads = [threading.Thread(target=confirm) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = [outcome for outcome in outcomes if isinstance(outcome, str)]
    assert len(outcomes) == 8
    assert [study.id for study in store.list_studies()] == made


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
    with pytest.raises(StoreError, match=r"penchant\.sqlite refused: disk is full"):
        store.create_study("Flats", items, draft_id=draft_id)
    assert store.get_draft(draft_id).content == b"x"
    assert store.list_studies() == []


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


def test_two_stores_share_one_file(tmp_path: Path, items: Items) -> None:
    url = store_url(tmp_path)
    with SqlStore(url) as first, SqlStore(url) as second:
        assert second.get_study(first.create_study("s", items)).items == items


def test_demo_is_made_once(store: SqlStore) -> None:
    demo = add_demo(store)
    assert add_demo(store) == demo
    listed = store.list_studies()
    assert [(study.name, study.demo) for study in listed] == [("Flats in town", True)]
    assert store.get_study(demo).items.names[0]


def test_sqlite_is_durable(store: SqlStore) -> None:
    with store._engine.connect() as connection:
        ask = connection.exec_driver_sql
        assert ask("PRAGMA journal_mode").scalar() == "wal"
        assert ask("PRAGMA synchronous").scalar() == 2
        assert ask("PRAGMA foreign_keys").scalar() == 1


def test_address_that_is_none_is_refused() -> None:
    with pytest.raises(StoreError, match="is not the address of a database"):
        SqlStore("nonsense")
    with pytest.raises(StoreError, match="is not the address of a database"):
        SqlStore("unheardof://localhost/studies")


def test_database_in_memory_is_refused() -> None:
    with pytest.raises(StoreError, match="name a file"):
        SqlStore("sqlite://")


def test_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("These are my notes, not a database. " * 100)
    with pytest.raises(StoreError, match="file is not a database"):
        SqlStore(store_url(path))
    assert path.read_text().startswith("These are my notes")
