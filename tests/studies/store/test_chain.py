"""Logs are as they were written, or a check says so: every bit of them."""

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from penchant.data import Items
from penchant.exceptions import ParticipantNotFoundError, PenchantError
from penchant.studies import (
    SqlStore,
    backup,
    check_store,
    export_study,
    import_study,
    restore,
    store_url,
)
from penchant.studies.store._database import KEY_VARIABLE
from penchant.studies.store._migrate import go_back
from penchant.studies.store._tables import events, participants, registers

N_PEOPLE, N_ANSWERS = 6, 5
GOLDEN = Path(__file__).parents[2] / "golden" / "studies.sqlite"


def fill(store: SqlStore, items: Items, n_people: int = N_PEOPLE) -> str:
    """Let some people answer some questions."""
    study_id = store.create_study("Flats", items)
    for number in range(n_people):
        person, _ = store.add_participant(
            study_id, label=f"Ann {number}", events=[("joined", {"language": "en"})]
        )
        for k in range(N_ANSWERS):
            question = f"{number:08x}{k:08x}"
            asked = {"question": question, "form": "pair", "items": [0, 1 + k % 2]}
            told = {"question": question, "answer": ("left", "right")[k % 2]}
            log = [("asked", asked), ("answered", told)]
            store.append(person.id, 1 + 2 * k, log)
    return study_id


def test_what_was_written_is_as_it_was_written(
    any_store: SqlStore, items: Items
) -> None:
    study_id = fill(any_store, items)
    assert list(any_store.broken_logs(study_id)) == []
    assert check_store(any_store).problems == ()
    gone = any_store.list_participants(study_id)[2]
    any_store.renew_link(any_store.list_participants(study_id)[1].id)
    any_store.remove_participant(gone.id)
    assert check_store(any_store).problems == ()


@pytest.mark.parametrize(
    "change",
    [
        {"body": '{"answer":"right","question":"0000000000000000"}'},
        {"body": '{"answer": "left","question":"0000000000000000"}'},
        {"kind": "because"},
        {"at": "2026-01-01 00:00:00.000000"},
        {"digest": "0" * 64},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_change_is_found_where_it_is(
    any_store: SqlStore, items: Items, change: dict[str, Any]
) -> None:
    study_id = fill(any_store, items)
    person = any_store.list_participants(study_id)[0]
    ((name, value),) = change.items()
    if name == "at" and any_store.database.is_postgresql:
        value = sa.cast(value, sa.DateTime)
    # As texts, past all that the store does when it writes.
    plain = sa.table("events", *map(sa.column, (name, "participant_id", "position")))
    place = plain.c.participant_id == person.id, plain.c.position == 2
    any_store.database.change(sa.update(plain).values({name: value}).where(*place))
    problem = check_store(any_store).problems[0]
    assert (problem.participant_id, problem.position) == (person.id, 2)
    assert "is not as it was written" in str(problem)


def test_a_log_without_its_end_or_with_a_forged_one_is_found(
    any_store: SqlStore, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_id = fill(any_store, items)
    cut, label, forged = any_store.list_participants(study_id)[:3]
    last = (events.c.participant_id == cut.id, events.c.position >= 9)
    any_store.database.change(events.delete().where(*last))
    shorter = participants.update().where(participants.c.id == cut.id)
    any_store.database.change(shorter.values(n_events=9))
    named = participants.update().where(participants.c.id == label.id)
    any_store.database.change(named.values(label="Bob"))
    monkeypatch.setattr(any_store.database, "key", b"a guess")
    any_store.append(forged.id, 11, [("finished", {"reason": "person"})])
    monkeypatch.undo()
    found = check_store(any_store).problems
    assert {each.participant_id for each in found} == {cut.id, label.id, forged.id}
    assert all("does not end as it was sealed" in str(each) for each in found)


def take_out(store: SqlStore, participant_id: str) -> None:
    """Remove somebody as if penchant were not there."""
    for table, column in ((events, "participant_id"), (participants, "id")):
        store.database.change(table.delete().where(table.c[column] == participant_id))


def test_somebody_taken_out_as_a_whole_is_missed_for_good(
    any_store: SqlStore, items: Items
) -> None:
    study_id = fill(any_store, items)
    first, second, *_ = any_store.list_participants(study_id)
    take_out(any_store, first.id)
    (problem,) = check_store(any_store).problems
    assert (problem.study_id, problem.participant_id) == (study_id, None)
    assert "5 people take part, and the register says 6" in str(problem)
    any_store.add_participant(study_id, label="Bob")
    any_store.remove_participant(second.id)
    (problem,) = check_store(any_store).problems
    assert "removed or added without penchant" in str(problem)


def test_somebody_put_back_or_exchanged_is_found(
    any_store: SqlStore, items: Items
) -> None:
    study_id = fill(any_store, items)
    gone, other, *_ = any_store.list_participants(study_id)
    row = sa.select(participants).where(participants.c.id == gone.id)
    log = sa.select(events).where(events.c.participant_id == gone.id)
    kept = [dict(each._mapping) for each in any_store.database.read(row)]
    said = [dict(each._mapping) for each in any_store.database.read(log)]
    any_store.remove_participant(gone.id)
    assert check_store(any_store).ok
    any_store.database.change(participants.insert().values(kept))
    any_store.database.change(events.insert().values(said))
    (problem,) = check_store(any_store).problems
    assert "6 people take part" in str(problem)
    take_out(any_store, other.id)  # as many as before, but not the same
    (problem,) = check_store(any_store).problems
    assert "or others" in str(problem)


@pytest.mark.parametrize(
    "change", [{"people": 5}, {"marks": "0" * 64}, {"seal": "0" * 64}, None], ids=str
)
def test_a_register_that_was_changed_stays_so(
    any_store: SqlStore, items: Items, change: dict[str, Any] | None
) -> None:
    study_id = fill(any_store, items)
    write = registers.delete() if change is None else registers.update().values(change)
    any_store.database.change(write)
    any_store.add_participant(study_id)
    (problem,) = check_store(any_store).problems
    assert "register" in str(problem)


def test_joining_and_leaving_at_once_keep_the_register(
    any_store: SqlStore, items: Items
) -> None:
    study_id = fill(any_store, items)

    def come_and_go(number: int) -> None:
        person, _ = any_store.add_participant(study_id, label=str(number))
        any_store.append(person.id, 0, [("joined", {})])
        if number % 2:
            any_store.remove_participant(person.id)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(come_and_go, range(40)))
    assert len(any_store.list_participants(study_id)) == N_PEOPLE + 20
    assert list(any_store.broken_logs(study_id)) == []


def test_nobody_who_answers_waits_for_the_register(
    postgres_url: str, items: Items
) -> None:
    with SqlStore(postgres_url) as store:
        study_id = fill(store, items)
        person = store.list_participants(study_id)[0]
        held = sa.select(registers).with_for_update()
        with store.database.writing() as connection:
            connection.execute(held)  # somebody is about to join
            with ThreadPoolExecutor(1) as pool:
                told = pool.submit(store.append, person.id, 11, [("finished", {})])
                told.result(30)
        assert store.get_participant(person.id).n_events == 12
        assert list(store.broken_logs(study_id)) == []


def test_a_study_that_goes_while_people_leave_makes_no_trouble(
    any_store: SqlStore, items: Items
) -> None:
    for _ in range(5):
        study_id = fill(any_store, items)
        people = any_store.list_participants(study_id)

        def leave(participant_id: str) -> None:
            with suppress(ParticipantNotFoundError):
                any_store.remove_participant(participant_id)

        with ThreadPoolExecutor(4) as pool:
            leaving = [pool.submit(leave, person.id) for person in people]
            any_store.delete_study(study_id)
            for each in leaving:
                each.result()
    assert check_store(any_store).ok


def test_studies_without_a_register_get_one_and_can_go_back(
    any_url: str, items: Items
) -> None:
    with SqlStore(any_url) as store:
        study_id = fill(store, items)
        go_back(store.database.engine, "0005")
        assert not sa.inspect(store.database.engine).has_table("registers")
    with SqlStore(any_url) as store:
        assert check_store(store).ok
        take_out(store, store.list_participants(study_id)[0].id)
        assert not check_store(store).ok


def test_the_key_is_beside_the_file_and_for_its_owner_only(
    tmp_path: Path, items: Items
) -> None:
    with SqlStore(store_url(tmp_path)) as store:
        fill(store, items)
        key = store.database.key
    (file,) = tmp_path.glob("*.key")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_bytes() == key
    with SqlStore(store_url(tmp_path)) as store:
        assert check_store(store).ok
    file.unlink()
    with SqlStore(store_url(tmp_path)) as store:
        assert store.database.key != key
        found = str(check_store(store).problems[0])
    assert "or the store has another key" in found
    assert "must copy penchant.sqlite.key, too" in found


def test_the_key_may_stand_in_the_settings(
    any_url: str, items: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "from the settings")
    with SqlStore(any_url) as store:
        fill(store, items)
        assert store.database.key == b"from the settings"
    monkeypatch.setenv(KEY_VARIABLE, "another")
    with SqlStore(any_url) as store:
        found = check_store(store).problems
    assert len([each for each in found if each.participant_id]) == N_PEOPLE
    assert all("PENCHANT_KEY must be as it was then" in each.text for each in found)
    # Of the study itself: who takes part, and the table.
    assert len([each for each in found if not each.participant_id]) == 2


def test_a_backup_keeps_the_digests_and_a_copy_has_its_own(
    any_store: SqlStore, items: Items, tmp_path: Path
) -> None:
    study_id = fill(any_store, items)
    import_study(any_store, export_study(any_store, study_id))
    assert check_store(any_store).ok
    person = any_store.list_participants(study_id)[0]
    other = events.update().where(events.c.participant_id == person.id)
    other = other.where(events.c.position == 2)
    any_store.database.change(
        other.values(body={"answer": "tie", "question": "0000000000000000"})
    )
    backup(any_store, tmp_path / "saved")
    with SqlStore(store_url(tmp_path / "restored")) as restored:
        restore(restored, tmp_path / "saved")
        problem = check_store(restored).problems[0]
    assert (problem.participant_id, problem.position) == (person.id, 2)


# ------------------------------------------------------------------- single bits


def answers_in(content: bytes, path: Path) -> list[range]:
    """Give where in a SQLite file the records of answers are, with their heads."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT participant_id, digest FROM events WHERE kind = 'answered'"
        ).fetchall()
    found = []
    for participant_id, digest in rows:
        end = content.index(digest.encode()) + len(digest)
        start = content.rindex(participant_id.encode(), 0, end)
        found.append(range(start - 9, end))
    return found


def n_found(path: Path, places: list[range], n_flips: int, folder: Path) -> int:
    content, random, found = path.read_bytes(), Random(0), 0
    for number in range(n_flips):
        place, bit = random.choice(random.choice(places)), random.randrange(8)
        torn = bytearray(content)
        torn[place] ^= 1 << bit
        copy = folder / f"{number}.sqlite"
        copy.write_bytes(torn)
        shutil.copyfile(f"{path}.key", f"{copy}.key")
        try:
            with SqlStore(f"sqlite:///{copy}") as store:
                found += not check_store(store).ok
        except PenchantError:
            found += 1  # `penchant check` says so and exits with 1
        copy.unlink()
    return found


@pytest.mark.parametrize(
    "n_flips", [40, pytest.param(200, marks=pytest.mark.soak)], ids=["40", "200"]
)
def test_every_flipped_bit_of_an_answer_is_found(
    tmp_path: Path, items: Items, n_flips: int
) -> None:
    with SqlStore(store_url(tmp_path / "sound.sqlite")) as store:
        fill(store, items, 20)
    path = tmp_path / "sound.sqlite"
    places = answers_in(path.read_bytes(), path)
    assert n_found(path, places, n_flips, tmp_path) == n_flips


# ------------------------------------------------------------ there and back again


def rows_of(path: Path) -> dict[str, list[dict[str, Any]]]:
    names = ("studies", "participants", "events", "models", "owners", "sessions")
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return {
            name: [
                dict(row)
                for row in connection.execute(f"SELECT * FROM {name} ORDER BY 1")
            ]
            for name in names
        }


def test_the_first_version_comes_along_and_can_go_back(tmp_path: Path) -> None:
    path = tmp_path / "golden.sqlite"
    shutil.copyfile(GOLDEN, path)
    before = rows_of(path)
    with SqlStore(f"sqlite:///{path}") as store:
        report = check_store(store)
        assert report.ok
        assert report.n_events == len(before["events"])
        go_back(store.database.engine, "0002")
    assert rows_of(path) == before
    with SqlStore(f"sqlite:///{path}") as store:
        assert check_store(store).ok
        backup(store, tmp_path / "saved")
    with SqlStore(store_url(tmp_path / "again")) as store:
        restore(store, tmp_path / "saved")
        assert check_store(store).ok
