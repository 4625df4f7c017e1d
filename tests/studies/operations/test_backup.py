import json
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from penchant.data import Items
from penchant.exceptions import (
    ConflictError,
    FormatError,
    StoreError,
    StudyNotFoundError,
)
from penchant.studies import (
    SqlStore,
    StudyDump,
    backup,
    check_store,
    restore,
    store_url,
)


@pytest.fixture
def empty(tmp_path: Path) -> Any:
    with SqlStore(store_url(tmp_path / "other")) as opened:
        yield opened


def fill(store: SqlStore, items: Items) -> tuple[str, str]:
    ann = store.add_owner("ann", "hash", "admin")
    study_id = store.create_study("Flats", items, owner=ann)
    store.ensure_demo("Demo", items)
    model = store.add_model(study_id, b"\x00\xff", 4)
    start = ("joined", {"language": "en", "model": model})
    _, token = store.add_participant(study_id, label="\u202e名", events=[start])
    store.add_draft("flats.csv", b"x")
    return study_id, token


def assert_same(store: SqlStore, other: SqlStore) -> None:
    assert other.list_studies() == store.list_studies()
    assert other.list_owners() == store.list_owners()
    for study in store.list_studies():
        mine, theirs = store.dump_study(study.id), other.dump_study(study.id)
        assert theirs.study == mine.study
        assert theirs.participants == mine.participants
        assert (theirs.links, theirs.models) == (mine.links, mine.models)
        assert [(e.position, e.kind, e.body, e.at) for e in theirs.events] == [
            (e.position, e.kind, e.body, e.at) for e in mine.events
        ]


def test_backup_of_either_kind_goes_into_sqlite(
    any_store: SqlStore, items: Items, tmp_path: Path, empty: SqlStore
) -> None:
    _, token = fill(any_store, items)
    path = tmp_path / "saved"
    backup(any_store, path)
    assert restore(empty, path) == 2
    assert_same(any_store, empty)
    assert empty.find_participant(token).label == "\u202e名"
    assert check_store(empty).ok


def test_backup_of_sqlite_goes_into_postgresql(
    store: SqlStore, items: Items, tmp_path: Path, postgres_url: str
) -> None:
    fill(store, items)
    backup(store, tmp_path / "saved.sqlite")
    with SqlStore(postgres_url) as other:
        assert restore(other, tmp_path / "saved.sqlite") == 2
        assert_same(store, other)


def test_backup_is_one_private_file(
    any_store: SqlStore, items: Items, tmp_path: Path
) -> None:
    fill(any_store, items)
    folder = tmp_path / "backups"
    folder.mkdir()
    backup(any_store, folder / "saved")
    assert [path.name for path in folder.iterdir()] == ["saved"]
    assert (folder / "saved").stat().st_mode & 0o777 == 0o600
    with pytest.raises(StoreError, match="not overwritten"):
        backup(any_store, folder / "saved")
    with pytest.raises(StoreError, match="cannot be written"):
        backup(any_store, folder / "nowhere" / "saved")


def test_what_a_killed_backup_left_behind_goes_after_a_while(
    empty: SqlStore, tmp_path: Path
) -> None:
    old, young = tmp_path / ".penchant-backup-old", tmp_path / ".penchant-backup-young"
    for place in (old, young):
        place.mkdir()
    an_hour_ago = time.time() - 3600
    os.utime(old, (an_hour_ago, an_hour_ago))
    backup(empty, tmp_path / "monday.backup")
    assert not old.exists()
    assert young.exists()  # it may still be written


def test_backup_is_taken_while_others_write(
    store: SqlStore, items: Items, tmp_path: Path, empty: SqlStore
) -> None:
    study_id, _ = fill(store, items)
    person = store.list_participants(study_id)[0]
    with sqlite3.connect(tmp_path / "penchant.sqlite") as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE participants SET label = 'not committed'")
        backup(store, tmp_path / "saved.sqlite")
        other.rollback()
    other.close()
    restore(empty, tmp_path / "saved.sqlite")
    assert empty.get_participant(person.id) == person


def test_old_backup_is_migrated_and_stays_as_it_is(
    empty: SqlStore, tmp_path: Path, items: Items
) -> None:
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as old:
        old.executescript(
            """
            CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
            INSERT INTO alembic_version VALUES ('0001');
            CREATE TABLE drafts (id VARCHAR(32) PRIMARY KEY);
            CREATE TABLE studies (
                id VARCHAR(32) NOT NULL PRIMARY KEY, name TEXT NOT NULL,
                alternatives JSON NOT NULL, n_items INTEGER NOT NULL,
                n_attributes INTEGER NOT NULL, demo BOOLEAN NOT NULL,
                created DATETIME NOT NULL);
            CREATE UNIQUE INDEX one_demo_per_name ON studies (name) WHERE demo;
            """
        )
        row = ("a" * 32, "Old", json.dumps(items.to_dict()), 3, 2, False)
        old.execute(
            "INSERT INTO studies VALUES (?, ?, ?, ?, ?, ?, '2026-01-01 00:00:00')", row
        )
    old.close()
    before = path.read_bytes()
    assert restore(empty, path) == 1
    assert empty.get_study("a" * 32).items == items
    assert path.read_bytes() == before


def test_store_that_is_not_empty_is_refused(
    store: SqlStore, items: Items, tmp_path: Path, empty: SqlStore
) -> None:
    fill(store, items)
    backup(store, tmp_path / "saved.sqlite")
    with pytest.raises(StoreError, match="empty store"):
        restore(store, tmp_path / "saved.sqlite")
    empty.add_owner("bob", "hash")
    with pytest.raises(StoreError, match="empty store"):
        restore(empty, tmp_path / "saved.sqlite")


def json_lines(
    store: SqlStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Write lines of JSON, as a store does that is not a file."""
    with monkeypatch.context() as patch:
        patch.setattr(store, "copy_to", lambda _path: False)
        backup(store, path)
    return path.read_text().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        (lambda lines: lines[:-1], "not complete"),
        (lambda lines: lines[:-2] + lines[-1:], "not complete"),
        (lambda lines: lines[1:], "is not a backup"),
        (lambda lines: ["", *lines[1:]], "is not a backup"),
        (lambda lines: [*lines[:-1], lines[-1][:5]], "Line 5 of the backup is damaged"),
        (lambda lines: [*lines, "[]\n"], "Line 6 of the backup is damaged"),
        (
            lambda lines: [lines[0], '{"owner": {}}\n', *lines[2:]],
            "owner in line 2 is damaged",
        ),
        (lambda lines: [lines[0], '{"study": {}}\n'], "not an exported study"),
    ],
    ids=["end", "study", "head", "empty head", "cut", "more", "owner", "other"],
)
def test_damaged_backup_leaves_the_store_empty(
    store: SqlStore,
    items: Items,
    tmp_path: Path,
    empty: SqlStore,
    monkeypatch: pytest.MonkeyPatch,
    cut: Any,
    said: str,
) -> None:
    fill(store, items)
    path = tmp_path / "saved.jsonl"
    lines = json_lines(store, path, monkeypatch)
    path.write_text("".join(cut(lines)))
    with pytest.raises(FormatError, match=said):
        restore(empty, path)
    assert empty.list_studies() == []
    assert empty.list_owners() == []


def test_study_twice_in_a_backup_is_a_conflict(
    store: SqlStore,
    items: Items,
    tmp_path: Path,
    empty: SqlStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(store, items)
    path = tmp_path / "saved.jsonl"
    lines = json_lines(store, path, monkeypatch)
    path.write_text("".join([*lines[:3], lines[2], *lines[3:]]))
    with pytest.raises(ConflictError):
        restore(empty, path)
    assert empty.list_studies() == []


def test_owner_removed_during_the_backup_leaves_the_study(
    store: SqlStore,
    items: Items,
    tmp_path: Path,
    empty: SqlStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study_id, _ = fill(store, items)
    path = tmp_path / "saved.jsonl"
    lines = json_lines(store, path, monkeypatch)
    path.write_text("".join([lines[0], *lines[2:]]))
    assert restore(empty, path) == 2
    assert empty.get_study(study_id).owner is None


def test_study_removed_during_the_backup_is_left_out(
    store: SqlStore,
    items: Items,
    tmp_path: Path,
    empty: SqlStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study_id, _ = fill(store, items)
    dump_study = store.dump_study

    def dump(one: str) -> StudyDump:
        if one == study_id:
            raise StudyNotFoundError("gone")
        return dump_study(one)

    monkeypatch.setattr(store, "dump_study", dump)
    json_lines(store, tmp_path / "saved.jsonl", monkeypatch)
    assert restore(empty, tmp_path / "saved.jsonl") == 1


def test_file_that_is_none_is_refused(empty: SqlStore, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        restore(empty, tmp_path / "nothing")
    (tmp_path / "noise").write_bytes(bytes(range(256)))
    with pytest.raises(FormatError, match="not a backup"):
        restore(empty, tmp_path / "noise")
    (tmp_path / "half").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    with pytest.raises(FormatError, match="half' is damaged: it was cut off"):
        restore(empty, tmp_path / "half")
    (tmp_path / "nil").write_bytes(b"")
    with pytest.raises(FormatError, match="not a backup"):
        restore(empty, tmp_path / "nil")
