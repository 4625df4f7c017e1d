"""Jobs in either database: one run at a time, whole backups, whole removal."""

import json
import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from penchant.exceptions import (
    ConflictError,
    DataError,
    FormatError,
    ModelNotFoundError,
    OwnerNotFoundError,
)
from penchant.studies import SqlStore, backup, check_store, restore, store_url
from penchant.studies.store._tables import job_parts, jobs


def test_every_job_is_claimed_once_and_in_order(any_store: SqlStore) -> None:
    store = any_store
    made = [store.add_job(f"Job {k}", {}, {"table": b"x"}) for k in range(8)]
    assert store.claim_job("a", 60.0) is None  # none is started
    for job in made[:6]:
        store.queue_job(job)
    names = [secrets.token_hex(16) for _ in range(12)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda run: store.claim_job(run, 60.0), names))
    taken = [job.id for job in found if job is not None]
    assert sorted(taken) == sorted(made[:6])
    assert store.claim_job("late", 60.0) is None
    for job, run in zip(found, names, strict=True):
        if job is not None:
            assert store.get_job(job.id).run == run
            assert not store.end_job(job.id, "other", "done", {})
            assert store.end_job(job.id, run, "done", {"share": 1.0})
    assert {job.state for job in store.list_jobs()} == {"done", "new"}


def test_a_run_that_gives_its_job_back_is_not_counted(store: SqlStore) -> None:
    job = store.add_job("Flats", {}, {})
    store.queue_job(job)
    for state, n_runs in (("waiting", 0), ("waiting", 0), ("failed", 1)):
        assert store.claim_job("a", 60.0) is not None
        assert store.get_job(job).n_runs == 1
        assert store.end_job(job, "a", state, {})
        assert (store.get_job(job).state, store.get_job(job).n_runs) == (state, n_runs)


def test_what_a_run_writes_is_kept_until_it_loses_the_job(any_store: SqlStore) -> None:
    store = any_store
    job = store.add_job("Flats", {"target": "y"}, {"table": b"\x00\xff"})
    store.queue_job(job, name="Houses", settings={"target": "z"})
    with pytest.raises(ConflictError, match="already"):
        store.queue_job(job)
    claimed = store.claim_job("a", 60.0)
    assert claimed is not None
    assert (claimed.name, claimed.settings) == ("Houses", {"target": "z"})
    assert store.tell_job(job, "a", {"share": 0.5}, {"result x": b"1"})
    assert store.tell_job(job, "a", {"share": 0.6}, {"result x": b"2"})
    assert store.job_part(job, "result x") == b"2"
    assert store.cancel_job(job)
    assert not store.tell_job(job, "a", {"share": 0.7}, {"result y": b"3"})
    assert not store.hold_job(job, "a", 60.0)
    assert store.job_parts(job) == ["result x", "table"]
    assert store.get_job(job).progress == {"share": 0.6}
    store.queue_job(store.add_job("Other", {}, {}))
    with pytest.raises(ConflictError, match="1 models"):
        store.queue_job(job, most=1)
    store.delete_job(job)
    for call in (store.get_job, store.delete_job, store.cancel_job, store.queue_job):
        with pytest.raises(ModelNotFoundError):
            call(job)
    assert store.job_part(job, "table") is None


def test_jobs_are_in_backups_and_belong_to_nobody_without_their_owner(
    any_store: SqlStore, tmp_path: Path
) -> None:
    store = any_store
    ann = store.add_owner("ann", "hash")
    mine = store.add_job("Mine", {"target": "y"}, {"table": b"\x00\xff"}, owner=ann)
    store.add_job("Nobody's", {}, {})
    store.queue_job(mine)
    store.claim_job("a", 60.0)
    assert [job.id for job in store.list_jobs(owner=ann)] == [mine]
    backup(store, tmp_path / "saved")
    with SqlStore(store_url(tmp_path / "other")) as other:
        restore(other, tmp_path / "saved")
        assert len(other.list_jobs()) == 2
        kept = other.dump_job(mine)
        assert kept.parts == {"table": b"\x00\xff"}
        assert (kept.job.state, kept.job.owner, kept.job.run) == ("waiting", ann, "")
        assert kept.job.created == store.get_job(mine).created
    store.remove_owner(ann)
    assert store.get_job(mine).owner is None
    with pytest.raises(OwnerNotFoundError):
        store.add_job("x", {}, {}, owner=ann)
    with pytest.raises(DataError, match="120"):
        store.add_job("x" * 121, {}, {})


def test_a_damaged_line_of_a_backup_is_named_and_nothing_stays(
    store: SqlStore, tmp_path: Path
) -> None:
    lines = [{"format": "penchant-backup-1"}, {"job": {"record": {}, "parts": {}}}]
    path = tmp_path / "saved"
    path.write_text("\n".join(map(json.dumps, [*lines, {"studies": 0}])))
    with pytest.raises(FormatError, match="line 2"):
        restore(store, path)
    assert store.list_jobs() == []


def test_damage_is_found(store: SqlStore) -> None:
    job = store.add_job("Flats", {}, {"table": b"x"})
    assert check_store(store).ok
    store.database.change(job_parts.update().values(body=b"y"))
    store.database.change(jobs.update().values(state="odd"))
    found = [str(problem) for problem in check_store(store).problems]
    assert [job in each for each in found] == [True, True]
    assert "'table' is not as it was written" in found[0]


def test_every_field_of_a_new_job_and_of_one_that_runs(store: SqlStore) -> None:
    began = datetime.now(UTC)
    job = store.add_job("Flats", {"target": "y"}, {"table": b"x"})
    made = store.get_job(job)
    told = (made.id, made.owner, made.name, made.state, made.settings, made.progress)
    assert told == (job, None, "Flats", "new", {"target": "y"}, {})
    assert (made.run, made.n_runs) == ("", 0)
    assert began <= made.created == made.queued == made.until <= datetime.now(UTC)
    store.queue_job(job)
    claimed = store.claim_job("a", 60.0)
    assert claimed is not None
    assert claimed == store.get_job(job)
    assert (claimed.state, claimed.run, claimed.n_runs) == ("running", "a", 1)
    left = (claimed.until - datetime.now(UTC)).total_seconds()
    assert 30.0 < left <= 60.0
    assert store.hold_job(job, "a", 600.0)
    held = (store.get_job(job).until - claimed.until).total_seconds()
    assert 530.0 < held < 600.0
    assert store.end_job(job, "a", "done", {"share": 1.0})
    ended = store.get_job(job)
    assert (ended.state, ended.run, ended.n_runs) == ("done", "", 1)
    assert ended.progress == {"share": 1.0}
    assert not store.cancel_job(job)  # it neither waits nor runs
    store.queue_job(job)  # anew: it begins to count again
    again = store.get_job(job)
    assert (again.state, again.n_runs, again.progress) == ("waiting", 0, {})
    assert again.queued > ended.queued


def test_a_run_that_was_not_heard_of_loses_its_job_to_the_next(store: SqlStore) -> None:
    first, second = (store.add_job(name, {}, {}) for name in ("One", "Two"))
    for job in (second, first):
        store.queue_job(job)
    lost = store.claim_job("a", 0.0)
    assert lost is not None
    assert lost.id == second  # what was queued first is done first
    taken = store.claim_job("b", 60.0)
    assert taken is not None
    assert (taken.id, taken.run, taken.n_runs) == (second, "b", 2)
    assert not store.hold_job(second, "a", 60.0)
    assert not store.tell_job(second, "a", {}, {"x": b"y"})
    assert store.job_parts(second) == []
    other = store.claim_job("c", 60.0)
    assert other is not None
    assert other.id == first
    assert store.claim_job("d", 60.0) is None


def test_jobs_are_counted_by_turn_and_listed_the_newest_first(store: SqlStore) -> None:
    made = [store.add_job(f"Job {k}", {}, {}) for k in range(4)]
    assert [job.id for job in store.list_jobs()] == made[::-1]
    for job in made[:3]:
        store.queue_job(job)

    def before(job: str) -> int:
        return store.jobs_before(store.get_job(job))

    assert [before(job) for job in made[:3]] == [0, 1, 2]
    store.claim_job("a", 60.0)
    assert [before(job) for job in made[1:3]] == [1, 2]
    store.cancel_job(made[1])
    assert before(made[2]) == 1


def test_each_owner_may_have_so_many_jobs_at_once(store: SqlStore) -> None:
    ann, bob = (store.add_owner(name, "hash") for name in ("ann", "bob"))
    made = [store.add_job("x", {}, {}, owner=owner) for owner in (ann, ann, ann, bob)]
    nobodys = [store.add_job("x", {}, {}) for _ in range(2)]
    for job in (*made[:2], made[3], nobodys[0]):
        store.queue_job(job, most=2)
    with pytest.raises(ConflictError, match="2 models are being learned or wait"):
        store.queue_job(made[2], most=2)
    store.queue_job(nobodys[1], most=2)
    assert store.get_job(made[2]).state == "new"
    store.queue_job(made[2], most=3)
    with pytest.raises(DataError, match="120"):
        store.queue_job(made[0], name="x" * 121)


def test_what_nobody_started_is_forgotten_after_a_while(store: SqlStore) -> None:
    old, waits = (store.add_job("x", {}, {"table": b"x"}) for _ in range(2))
    store.queue_job(waits)
    moment = datetime.now(UTC)
    new = store.add_job("x", {}, {})
    assert store.expire_jobs(store.get_job(old).created) == 0
    assert store.expire_jobs(moment) == 1
    assert sorted(job.id for job in store.list_jobs()) == sorted([waits, new])
    assert store.broken_parts(waits) == []
