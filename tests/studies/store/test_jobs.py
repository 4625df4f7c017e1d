"""Jobs in either database: one run at a time, whole backups, whole removal."""

import json
import secrets
from concurrent.futures import ThreadPoolExecutor
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
