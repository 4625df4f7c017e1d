"""What every store must do, on SQLite and on PostgreSQL."""

import itertools
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from penchant.data import Items
from penchant.exceptions import (
    ConflictError,
    DataError,
    DraftNotFoundError,
    ModelNotFoundError,
    OwnerNotFoundError,
    ParticipantNotFoundError,
    StudyNotFoundError,
)
from penchant.studies import (
    ModelHead,
    SqlStore,
    StudySettings,
    add_demo,
)
from penchant.studies.store import _attempts
from penchant.studies.store._tables import attempts

NOBODY = "0" * 32
# What people put into addresses; a database must not stumble over any of it.
ODD_IDS = ["", NOBODY, "../etc", "a\0b", "\ud800", "é" * 40, "x" * 5000, "' OR 1=1 --"]
HOUR = timedelta(hours=1)


@pytest.fixture
def study_id(any_store: SqlStore, items: Items) -> str:
    return any_store.create_study("Flats", items)


def at_once(job: Callable[[], Any], times: int = 8) -> list[Any]:
    """Run a job in several threads and collect results and errors."""
    outcomes: list[Any] = []
    start = threading.Barrier(times)

    def run() -> None:
        start.wait()
        try:
            outcomes.append(job())
        except Exception as error:
            outcomes.append(error)

    threads = [threading.Thread(target=run) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


# Studies


def test_study_comes_back_as_it_was_kept(any_store: SqlStore, items: Items) -> None:
    settings = StudySettings(question="ranking", consent="I agree.\n", open=False)
    owner = any_store.add_owner("ann", "hash")
    before = datetime.now(UTC)
    study = any_store.get_study(
        any_store.create_study("Flats <i>", items, settings=settings, owner=owner)
    )
    assert study.name == "Flats <i>"
    assert study.items == items
    assert study.settings == settings
    assert study.owner == owner
    assert not study.demo
    assert before <= study.created <= datetime.now(UTC)


def test_study_is_there_after_reopening(any_url: str, items: Items) -> None:
    with SqlStore(any_url) as store:
        study_id = store.create_study("Flats", items)
    with SqlStore(any_url) as store:
        assert store.get_study(study_id).items == items


def test_two_stores_share_one_place(any_url: str, items: Items) -> None:
    with SqlStore(any_url) as first, SqlStore(any_url) as second:
        study_id = first.create_study("s", items)
        assert second.get_study(study_id).items == items
        first.update_study(study_id, name="t", settings=StudySettings(open=False))
        study = second.get_study(study_id)
        assert (study.name, study.settings.open, study.items) == ("t", False, items)
        first.delete_study(study_id)
        with pytest.raises(StudyNotFoundError, match="no such study"):
            second.get_study(study_id)


@pytest.mark.parametrize("name", ["a\0b", "half \udfff", None])
def test_name_that_cannot_be_kept_is_refused(
    any_store: SqlStore, items: Items, name: Any
) -> None:
    with pytest.raises(DataError, match="name of a study"):
        any_store.create_study(name, items)
    assert any_store.list_studies() == []


def test_study_for_nobody_is_refused(any_store: SqlStore, items: Items) -> None:
    with pytest.raises(OwnerNotFoundError):
        any_store.create_study("Flats", items, owner=NOBODY)
    assert any_store.list_studies() == []


def test_list_has_the_newest_first_and_demos_last(
    any_store: SqlStore, items: Items
) -> None:
    demo = any_store.ensure_demo("Demo", items)
    older = any_store.create_study("older", items)
    newer = any_store.create_study("newer", items)
    listed = any_store.list_studies()
    assert [study.id for study in listed] == [newer, older, demo]
    assert [study.demo for study in listed] == [False, False, True]
    assert (listed[0].n_items, listed[0].n_attributes) == (3, 2)


def test_list_counts_people_and_simulated_ones_apart(
    any_store: SqlStore, items: Items, study_id: str
) -> None:
    any_store.create_study("empty", items)
    for simulated in (True, False, True):
        any_store.add_participant(study_id, simulated=simulated)
    listed = [
        (s.name, s.n_participants, s.n_simulated) for s in any_store.list_studies()
    ]
    assert listed == [("empty", 0, 0), ("Flats", 1, 2)]


def test_list_of_one_owner(any_store: SqlStore, items: Items) -> None:
    ann = any_store.add_owner("ann", "hash")
    mine = any_store.create_study("mine", items, owner=ann)
    any_store.create_study("nobody's", items)
    assert [study.id for study in any_store.list_studies(owner=ann)] == [mine]
    assert any_store.list_studies(owner="nobody") == []


def test_study_changes(any_store: SqlStore, items: Items, study_id: str) -> None:
    any_store.update_study(study_id, name="Houses")
    any_store.update_study(study_id, settings=StudySettings(max_questions=3))
    any_store.update_study(study_id)
    study = any_store.get_study(study_id)
    assert (study.name, study.settings.max_questions) == ("Houses", 3)
    assert study.items == items


def test_deleted_study_leaves_nothing(any_store: SqlStore, study_id: str) -> None:
    person, token = any_store.add_participant(study_id, events=[("joined", {})])
    model = any_store.add_model(study_id, b"m", 1)
    any_store.delete_study(study_id)
    for gone in (
        lambda: any_store.get_study(study_id),
        lambda: any_store.find_participant(token),
        lambda: any_store.events(person.id),
        lambda: any_store.get_model(model),
        lambda: any_store.delete_study(study_id),
    ):
        with pytest.raises(LookupError):
            gone()
    with any_store.database.engine.connect() as connection:
        for table in ("studies", "participants", "events", "models"):
            rows = connection.exec_driver_sql(f"SELECT count(*) FROM {table}")
            assert rows.scalar() == 0


def test_what_is_no_identifier_finds_nothing(any_store: SqlStore) -> None:
    expected = {
        StudyNotFoundError: [
            any_store.get_study,
            any_store.delete_study,
            any_store.update_study,
            any_store.dump_study,
            any_store.study_events,
            any_store.count_events,
            any_store.add_participant,
            lambda one: any_store.add_model(one, b"", 0),
        ],
        ParticipantNotFoundError: [
            any_store.get_participant,
            any_store.find_participant,
            any_store.remove_participant,
            any_store.renew_link,
            any_store.events,
            lambda one: any_store.append(one, 0, [("joined", {})]),
        ],
        OwnerNotFoundError: [
            any_store.get_owner,
            any_store.remove_owner,
            lambda one: any_store.set_password(one, "hash"),
            lambda one: any_store.add_session(one, "ab", datetime.now(UTC)),
        ],
        DraftNotFoundError: [any_store.get_draft],
        ModelNotFoundError: [any_store.get_model],
    }
    for odd in ODD_IDS:
        for error, calls in expected.items():
            for call in calls:
                with pytest.raises(error):
                    call(odd)
        assert any_store.find_owner(odd) is None
        assert any_store.find_session(odd) is None
        assert any_store.latest_model(odd) is None
        assert any_store.list_participants(odd) == []
        any_store.discard_draft(odd)
        any_store.end_session(odd)


def test_identifiers_have_128_random_bits(any_store: SqlStore, items: Items) -> None:
    ids = {any_store.create_study("s", items) for _ in range(5)}
    ids |= {any_store.add_draft("t.csv", b"x") for _ in range(5)}
    ids |= {any_store.add_owner(str(number), "h") for number in range(5)}
    study_id = any_store.create_study("s", items)
    ids |= {any_store.add_participant(study_id)[0].id for _ in range(5)}
    assert len(ids) == 20
    assert all(len(bytes.fromhex(one)) == 16 for one in ids)


def test_demo_is_made_once(any_store: SqlStore) -> None:
    demo = add_demo(any_store)
    assert add_demo(any_store) == demo
    listed = any_store.list_studies()
    assert [(study.name, study.demo) for study in listed] == [("Flats in town", True)]
    assert any_store.get_study(demo).items.names[0]


def test_demo_is_made_once_from_many_threads(any_store: SqlStore, items: Items) -> None:
    made = at_once(lambda: any_store.ensure_demo("Demo", items))
    assert [study.id for study in any_store.list_studies()] == list(set(made))


# Drafts


def test_draft_comes_back_and_is_discarded(any_store: SqlStore) -> None:
    draft_id = any_store.add_draft("flats.csv", b"a,b\n\x00\xff")
    draft = any_store.get_draft(draft_id)
    assert (draft.filename, draft.content) == ("flats.csv", b"a,b\n\x00\xff")
    any_store.discard_draft(draft_id)
    with pytest.raises(DraftNotFoundError, match="Upload the file again"):
        any_store.get_draft(draft_id)
    any_store.discard_draft(draft_id)


def test_old_drafts_expire_and_new_ones_stay(any_store: SqlStore) -> None:
    draft_id = any_store.add_draft("flats.csv", b"x")
    assert any_store.expire_drafts(datetime.now(UTC) - HOUR) == 0
    assert any_store.get_draft(draft_id).id == draft_id
    assert any_store.expire_drafts(datetime.now(UTC) + HOUR) == 1
    with pytest.raises(DraftNotFoundError):
        any_store.get_draft(draft_id)


def test_draft_becomes_a_study_once(any_store: SqlStore, items: Items) -> None:
    draft_id = any_store.add_draft("flats.csv", b"x")
    any_store.create_study("Flats", items, draft_id=draft_id)
    with pytest.raises(DraftNotFoundError):
        any_store.create_study("Flats", items, draft_id=draft_id)
    assert len(any_store.list_studies()) == 1


def test_draft_becomes_a_study_once_from_many_threads(
    any_store: SqlStore, items: Items
) -> None:
    draft_id = any_store.add_draft("flats.csv", b"x")
    outcomes = at_once(
        lambda: any_store.create_study("Flats", items, draft_id=draft_id)
    )
    made = [outcome for outcome in outcomes if isinstance(outcome, str)]
    refused = [one for one in outcomes if isinstance(one, DraftNotFoundError)]
    assert (len(made), len(refused)) == (1, 7)
    assert [study.id for study in any_store.list_studies()] == made


# Participants and their log


def test_participant_comes_back_by_link_and_by_id(
    any_store: SqlStore, study_id: str
) -> None:
    first, token = any_store.add_participant(study_id, label="Ann <3")
    second, _ = any_store.add_participant(study_id, simulated=True)
    assert (first.label, first.simulated, first.n_events) == ("Ann <3", False, 0)
    assert any_store.find_participant(token) == first
    assert any_store.get_participant(second.id) == second
    assert any_store.list_participants(study_id) == [first, second]


def test_link_has_256_random_bits_and_is_not_kept(
    any_store: SqlStore, study_id: str
) -> None:
    person, token = any_store.add_participant(study_id)
    assert len(token) == 43  # 256 bits, six per character
    with any_store.database.engine.connect() as connection:
        row = connection.exec_driver_sql("SELECT * FROM participants").one()
    assert token not in map(str, row)
    with pytest.raises(ParticipantNotFoundError, match="mistyped"):
        any_store.find_participant(any_store.dump_study(study_id).links[0])
    with pytest.raises(ParticipantNotFoundError):
        any_store.find_participant(person.id)


def test_renewed_link_replaces_the_old_one(any_store: SqlStore, study_id: str) -> None:
    person, old = any_store.add_participant(study_id)
    new = any_store.renew_link(person.id)
    assert any_store.find_participant(new) == person
    with pytest.raises(ParticipantNotFoundError):
        any_store.find_participant(old)


def test_removed_participant_takes_the_log_along(
    any_store: SqlStore, study_id: str
) -> None:
    person, _ = any_store.add_participant(study_id, events=[("joined", {})])
    other, _ = any_store.add_participant(study_id, events=[("joined", {})])
    any_store.remove_participant(person.id)
    assert any_store.list_participants(study_id) == [other]
    assert [e.participant_id for e in any_store.study_events(study_id)] == [other.id]
    assert any_store.count_events(study_id) == 1


def test_events_come_back_as_they_were_appended(
    any_store: SqlStore, study_id: str
) -> None:
    body = {"items": (1, 2), "repeat": False, "x": None, "y": 0.1, "z": "\0\ud800名"}
    before = datetime.now(UTC)
    person, _ = any_store.add_participant(
        study_id, events=[("joined", {"model": None})]
    )
    any_store.append(person.id, 1, [("asked", body), ("answered", {})])
    log = any_store.events(person.id)
    assert [event.position for event in log] == [0, 1, 2]
    assert [event.kind for event in log] == ["joined", "asked", "answered"]
    assert log[1].body == {**body, "items": [1, 2]}
    assert all(before <= event.at <= datetime.now(UTC) for event in log)
    assert any_store.get_participant(person.id).n_events == 3
    assert any_store.study_events(study_id) == log


def test_log_of_a_study_is_in_order_of_writing(
    any_store: SqlStore, study_id: str
) -> None:
    first, _ = any_store.add_participant(study_id)
    second, _ = any_store.add_participant(study_id)
    for position in range(3):
        for person in (second, first):
            any_store.append(person.id, position, [("note", {"n": position})])
    log = any_store.study_events(study_id)
    assert [event.participant_id for event in log] == [second.id, first.id] * 3
    assert [event.id for event in log] == sorted(event.id for event in log)
    assert any_store.count_events(study_id) == 6


def test_new_participant_and_new_study_have_empty_logs(
    any_store: SqlStore, study_id: str
) -> None:
    assert any_store.study_events(study_id) == []
    assert any_store.count_events(study_id) == 0
    person, _ = any_store.add_participant(study_id)
    assert any_store.events(person.id) == []


@pytest.mark.parametrize("position", [0, 1, 3, -1])
def test_position_other_than_the_next_is_a_conflict(
    any_store: SqlStore, study_id: str, position: int
) -> None:
    person, _ = any_store.add_participant(study_id, events=[("a", {}), ("b", {})])
    with pytest.raises(ConflictError, match="has 2 events"):
        any_store.append(person.id, position, [("c", {})])
    assert [event.kind for event in any_store.events(person.id)] == ["a", "b"]


@pytest.mark.parametrize(
    "event",
    [
        ("a", {"x": float("nan")}),
        ("a", {"x": object()}),
        ("a", ["x"]),
        ("a\0", {}),
        (None, {}),
        ("a", {"x": 10**5000}),
    ],
    ids=["nan", "object", "list", "nul", "none", "long number"],
)
def test_event_that_cannot_be_kept_is_refused_with_all_others(
    any_store: SqlStore, study_id: str, event: Any
) -> None:
    person, _ = any_store.add_participant(study_id)
    with pytest.raises(DataError, match="of an event"):
        any_store.append(person.id, 0, [("fine", {}), event])
    with pytest.raises(DataError, match="of an event"):
        any_store.add_participant(study_id, events=[event])
    assert any_store.events(person.id) == []
    assert any_store.list_participants(study_id) == [person]


def test_stored_text_that_is_no_body_can_be_read(
    any_store: SqlStore, study_id: str
) -> None:
    texts = ["", "{", "[1]", "NaN", '{"x": 1e999}', "[" * 100_000, "9" * 5000]
    person, _ = any_store.add_participant(study_id, events=[("a", {})] * len(texts))
    with any_store.database.engine.begin() as connection:
        for position, text in enumerate(texts):
            connection.exec_driver_sql(
                f"UPDATE events SET body = '{text}' WHERE position = {position}"
            )
    bodies = [event.body for event in any_store.events(person.id)]
    assert bodies == [{"unreadable": text} for text in texts]


def test_one_of_many_threads_gets_a_position(
    any_store: SqlStore, study_id: str
) -> None:
    person, _ = any_store.add_participant(study_id)
    outcomes = at_once(lambda: any_store.append(person.id, 0, [("a", {}), ("b", {})]))
    conflicts = [one for one in outcomes if isinstance(one, ConflictError)]
    assert (outcomes.count(None), len(conflicts)) == (1, 7)
    assert [event.kind for event in any_store.events(person.id)] == ["a", "b"]


# Models and leases


def test_models_come_back_and_the_newest_is_the_latest(
    any_store: SqlStore, study_id: str
) -> None:
    assert any_store.latest_model(study_id) is None
    first = any_store.add_model(study_id, b"\x00\xff", 3)
    second = any_store.add_model(study_id, b"two", 9)
    model = any_store.get_model(first)
    assert (model.study_id, model.body, model.n_events) == (study_id, b"\x00\xff", 3)
    latest = any_store.latest_model(study_id)
    newest = any_store.get_model(second)
    assert latest == ModelHead(second, study_id, 9, newest.created)
    assert newest.body == b"two"


def test_pruning_keeps_the_newest_and_those_in_use(
    any_store: SqlStore, study_id: str
) -> None:
    used, idle, newest = (any_store.add_model(study_id, b"m", n) for n in range(3))
    any_store.add_participant(study_id, events=[("joined", {"model": used})])
    any_store.add_participant(study_id, events=[("joined", {"model": {}})])
    assert any_store.prune_models(study_id, datetime.now(UTC) - HOUR) == 0
    assert any_store.prune_models(study_id, datetime.now(UTC) + HOUR) == 1
    with pytest.raises(ModelNotFoundError):
        any_store.get_model(idle)
    assert any_store.get_model(used).n_events == 0
    assert any_store.get_model(newest).n_events == 2


def test_lease_has_one_holder(any_store: SqlStore) -> None:
    assert any_store.lease("refit", "a", 60)
    assert any_store.lease("refit", "a", 60)
    assert not any_store.lease("refit", "b", 60)
    assert any_store.lease("other", "b", 60)
    any_store.release("refit", "b")
    assert not any_store.lease("refit", "b", 60)
    any_store.release("refit", "a")
    assert any_store.lease("refit", "b", 60)


def test_lease_that_is_over_goes_to_the_next(any_store: SqlStore) -> None:
    assert any_store.lease("refit", "a", -1)
    assert any_store.lease("refit", "b", 60)
    assert not any_store.lease("refit", "a", 60)


def test_one_of_many_threads_gets_a_lease(any_store: SqlStore) -> None:
    numbers = iter(range(8))
    outcomes = at_once(lambda: any_store.lease("refit", str(next(numbers)), 60))
    assert sorted(outcomes) == [False] * 7 + [True]


# Owners and their logins


def test_owner_comes_back_and_names_are_taken_once(any_store: SqlStore) -> None:
    ann = any_store.add_owner("ann", "hash", "admin")
    bob = any_store.add_owner("bob", "hash")
    owner = any_store.find_owner("ann")
    assert owner is not None
    assert (owner.id, owner.role, owner.password_hash) == (ann, "admin", "hash")
    assert "hash" not in repr(owner).replace("password_hash", "")
    assert any_store.get_owner(bob).role == "analyst"
    with pytest.raises(ConflictError, match="'ann' already"):
        any_store.add_owner("ann", "other")
    assert [one.name for one in any_store.list_owners()] == ["ann", "bob"]
    with pytest.raises(DataError, match="role"):
        any_store.add_owner("eve", "hash", "god")
    with pytest.raises(DataError, match="name of an owner"):
        any_store.add_owner("a\0", "hash")


def test_removed_owner_leaves_studies_behind(any_store: SqlStore, items: Items) -> None:
    ann = any_store.add_owner("ann", "hash")
    study_id = any_store.create_study("Flats", items, owner=ann)
    any_store.add_session(ann, "ab" * 32, datetime.now(UTC) + HOUR)
    any_store.remove_owner(ann)
    assert any_store.get_study(study_id).owner is None
    assert any_store.find_session("ab" * 32) is None


def test_session_holds_until_it_ends_or_expires(any_store: SqlStore) -> None:
    ann = any_store.add_owner("ann", "hash")
    now = datetime.now(UTC)
    any_store.add_session(ann, "aa", now + HOUR)
    any_store.add_session(ann, "bb", now + HOUR)
    any_store.add_session(ann, "cc", now - HOUR)
    session = any_store.find_session("aa")
    assert session is not None
    assert session.owner == any_store.get_owner(ann)
    assert session.created >= now
    assert session.expires == now + HOUR
    assert any_store.find_session("cc") is None
    assert any_store.expire_sessions(now) == 1
    any_store.end_session("aa")
    assert any_store.find_session("aa") is None
    assert any_store.find_session("bb") is not None


def test_new_password_ends_all_sessions(any_store: SqlStore) -> None:
    ann = any_store.add_owner("ann", "old")
    any_store.add_session(ann, "aa", datetime.now(UTC) + HOUR)
    any_store.set_password(ann, "new")
    assert any_store.get_owner(ann).password_hash == "new"
    assert any_store.find_session("aa") is None


# Whole studies


def test_whole_study_moves_under_its_identifiers(
    any_store: SqlStore, items: Items, study_id: str
) -> None:
    model = any_store.add_model(study_id, b"m", 0)
    _, token = any_store.add_participant(
        study_id, events=[("joined", {"model": model}), ("asked", {"items": [0, 1]})]
    )
    dump = any_store.dump_study(study_id)
    with pytest.raises(ConflictError):
        any_store.load_study(dump)
    assert any_store.dump_study(study_id) == dump
    any_store.delete_study(study_id)
    any_store.load_study(dump)
    again = any_store.dump_study(study_id)
    assert (again.study, again.participants) == (dump.study, dump.participants)
    assert (again.links, again.models) == (dump.links, dump.models)
    assert [e.body for e in again.events] == [e.body for e in dump.events]
    assert any_store.find_participant(token) == dump.participants[0]


def test_dump_of_an_empty_study_can_be_loaded(
    any_store: SqlStore, study_id: str
) -> None:
    dump = any_store.dump_study(study_id)
    any_store.delete_study(study_id)
    any_store.load_study(dump)
    assert any_store.dump_study(study_id) == dump


# Attempts


def three_then_slower(n_tried: float) -> float:
    return 0.0 if n_tried <= 2 else 100.0


def test_attempts_are_counted_until_a_pause_is_needed(any_store: SqlStore) -> None:
    key, other = "a" * 64, "b" * 64
    for count in range(3):
        wait, n_tried = any_store.attempt(key, 1000.0, three_then_slower)
        assert wait == 0.0
        assert n_tried == pytest.approx(count, abs=0.1)
    for _ in range(2):  # what comes too soon is not counted
        wait, n_tried = any_store.attempt(key, 1000.0, three_then_slower)
        assert 90.0 < wait <= 100.0
        assert n_tried == pytest.approx(3, abs=0.1)
    assert any_store.attempt(other, 1000.0, three_then_slower) == (0.0, 0.0)
    any_store.forget_attempts([key])
    assert any_store.attempt(key, 1000.0, three_then_slower) == (0.0, 0.0)


def test_attempts_are_forgotten_and_leave_nothing(any_store: SqlStore) -> None:
    for key in "abc":
        any_store.attempt(key * 64, 0.001, three_then_slower)
    time.sleep(0.02)
    assert any_store.attempt("d" * 64, 1000.0, three_then_slower) == (0.0, 0.0)
    with any_store.database.engine.connect() as connection:
        assert [row.key for row in connection.execute(attempts.select())] == ["d" * 64]


def test_all_threads_and_stores_count_together(any_url: str) -> None:
    with SqlStore(any_url) as one, SqlStore(any_url) as other:
        stores = itertools.cycle((one, other))
        outcomes = at_once(
            lambda: next(stores).attempt("a" * 64, 1000.0, three_then_slower)[0] == 0
        )
        assert sorted(outcomes) == [False] * 5 + [True] * 3
        free = at_once(lambda: next(stores).attempt("b" * 64, 1000.0, lambda _: 0.0))
    assert [wait for wait, _ in free] == [0.0] * 8
    assert sorted(n for _, n in free) == pytest.approx(range(8), abs=0.1)


def test_many_names_push_out_those_that_were_tried_least(
    any_store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_attempts, "MAX_ROWS", 20)
    real = "a" * 64
    for _ in range(3):
        any_store.attempt(real, 1000.0, three_then_slower)
    for number in range(60):
        any_store.attempt(f"{number:064}", 1000.0, three_then_slower)
    assert any_store.attempt(real, 1000.0, three_then_slower)[0] > 0
    with any_store.database.engine.connect() as connection:
        assert len(connection.execute(attempts.select()).all()) <= 21
