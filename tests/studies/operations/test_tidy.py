import threading
from datetime import UTC, datetime, timedelta

import pytest

from penchant.data import Items
from penchant.exceptions import DataError
from penchant.studies import SqlStore, Tidied, check_store, tidy, tidying
from penchant.studies.operations import _tidy
from penchant.studies.store._tables import events


def test_people_are_forgotten_after_a_while(any_store: SqlStore, items: Items) -> None:
    study_id = any_store.create_study("Flats", items)
    joined = [("joined", {"language": "en"})]
    old, new, silent = (
        any_store.add_participant(study_id, events=joined)[0].id for _ in range(3)
    )
    robot, _ = any_store.add_participant(study_id, simulated=True, events=joined)
    long_ago = datetime.now(UTC) - timedelta(days=40)
    aged = events.update().where(events.c.participant_id.in_([old, new, robot.id]))
    any_store.database.change(aged.values(at=long_ago))
    any_store.append(new, 1, [("consented", {})])
    assert tidy(any_store) == Tidied(0, 0, 0)
    assert tidy(any_store, 41) == Tidied(0, 0, 0)
    assert tidy(any_store, 30) == Tidied(0, 0, 1)
    left = {person.id for person in any_store.list_participants(study_id)}
    assert left == {new, silent, robot.id}
    assert all(each.participant_id != old for each in check_store(any_store).problems)


def test_uploads_and_logins_are_forgotten(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_draft("t.csv", b"x")
    owner = store.add_owner("ada", "x")
    store.add_session(owner, "0" * 64, datetime.now(UTC) - timedelta(seconds=1))
    store.add_session(owner, "1" * 64, datetime.now(UTC) + timedelta(days=1))
    assert tidy(store) == Tidied(0, 1, 0)
    monkeypatch.setattr(_tidy, "_DRAFTS_LAST", timedelta(0))
    assert tidy(store) == Tidied(1, 0, 0)


@pytest.mark.parametrize("days", [0, -1, float("nan")])
def test_days_must_be_some(store: SqlStore, days: float) -> None:
    with pytest.raises(DataError, match="more than 0 days"):
        tidy(store, days)


def test_a_server_tidies_again_and_again(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    often = threading.Semaphore(0)
    monkeypatch.setattr(_tidy, "_EVERY", 0.001)
    monkeypatch.setattr(_tidy, "tidy", lambda *_: often.release())
    with tidying(store, 30.0):
        for _ in range(3):
            often.acquire()
