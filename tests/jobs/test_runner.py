import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penchant.jobs import Limits, Runner
from penchant.jobs import _runner as module
from penchant.studies import SqlStore, backup, check_store, restore, store_url, tidy

AddJob = Callable[..., str]


def until(true: Callable[[], Any]) -> None:
    """Wait for something that other threads or processes do."""
    for _ in range(3000):
        if true():
            return
        time.sleep(0.02)
    raise AssertionError("It did not happen.")


def sleeping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes wait for their end instead of working."""
    program = "import sys; sys.stdin.buffer.read()"
    monkeypatch.setattr(module, "_PROGRAM", program)


def test_a_job_is_done_in_a_process_of_its_own(
    store: SqlStore, add_job: AddJob, tmp_path: Path
) -> None:
    job_id, bad = add_job(candidates=["linear"]), add_job(target="nothing")
    runner = Runner(store)
    assert runner.run_next()
    job = store.get_job(job_id)
    assert (job.state, job.n_runs, job.run) == ("done", 1, "")
    assert "report linear" in store.job_parts(job_id)
    assert runner.run_next()
    job = store.get_job(bad)
    assert job.state == "failed"
    assert "There is no column 'nothing'" in job.progress["error"]
    assert not runner.run_next()
    # All of it is in backups, checked, and removed as a whole.
    assert check_store(store).ok
    backup(store, tmp_path / "backup")
    with SqlStore(store_url(tmp_path / "other")) as other:
        restore(other, tmp_path / "backup")
        assert other.dump_job(job_id) == store.dump_job(job_id)
    store.delete_job(job_id)
    assert store.job_parts(job_id) == []


def test_a_killed_process_leaves_a_sentence_and_what_was_kept_stays(
    store: SqlStore, add_job: AddJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeping(monkeypatch)
    job_id = add_job()
    runner = Runner(store, pause=0.02)
    begin = runner._begin
    started: list[Any] = []

    def keep(*args: Any) -> Any:
        started.append(begin(*args))
        return started[-1]

    monkeypatch.setattr(runner, "_begin", keep)
    running = threading.Thread(target=runner.run_next)
    running.start()
    until(lambda: started)
    os.kill(started[0].pid, signal.SIGKILL)
    running.join()
    job = store.get_job(job_id)
    assert job.state == "failed"
    assert "SIGKILL" in job.progress["error"]
    assert job.progress["problem"] == "killed"
    store.queue_job(job_id)
    assert store.get_job(job_id).state == "waiting"


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("raise MemoryError", "memory"),
        ("raise ValueError('odd')", "fault"),
    ],
)
def test_a_process_that_fails_leaves_a_sentence(
    store: SqlStore,
    add_job: AddJob,
    monkeypatch: pytest.MonkeyPatch,
    program: str,
    problem: str,
) -> None:
    monkeypatch.setattr(module, "_PROGRAM", program)
    job_id = add_job()
    assert Runner(store, pause=0.02).run_next()
    job = store.get_job(job_id)
    assert (job.state, job.progress["problem"]) == ("failed", problem)


def test_a_process_that_takes_too_long_is_ended(
    store: SqlStore, add_job: AddJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeping(monkeypatch)
    job_id = add_job()
    assert Runner(store, Limits(seconds=0.01), pause=0.02).run_next()
    assert store.get_job(job_id).progress["problem"] == "time"


def test_cancelling_ends_the_process_and_stopping_gives_the_job_back(
    store: SqlStore, add_job: AddJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeping(monkeypatch)
    first, second = add_job(), add_job()
    runner = Runner(store, pause=0.02, lease=0.2)
    runner.start()
    until(lambda: store.get_job(first).state == "running")
    assert store.jobs_before(store.get_job(second)) == 1
    assert store.cancel_job(first)
    assert not store.cancel_job(first)
    until(lambda: store.get_job(second).state == "running")
    assert store.get_job(first).state == "cancelled"
    runner.stop()
    job = store.get_job(second)
    assert (job.state, job.run, job.n_runs) == ("waiting", "", 0)


def test_a_job_of_a_lost_server_is_taken_up_a_few_times(
    store: SqlStore, add_job: AddJob
) -> None:
    job_id = add_job()
    for run in ("a", "b", "c"):
        taken = store.claim_job(run, 60.0 if run == "a" else -1.0)
        if run == "a":
            assert taken is not None
            assert store.claim_job("other", 60.0) is None  # one run at a time
            assert store.hold_job(job_id, "a", -1.0)  # its server is gone now
    assert store.get_job(job_id).n_runs == 3
    assert not store.tell_job(job_id, "a", {}, {"x": b""})  # it is too late for that
    assert not store.end_job(job_id, "a", "done", {})
    assert store.job_parts(job_id) == ["table"]
    assert Runner(store).run_next()
    job = store.get_job(job_id)
    assert (job.state, job.progress["problem"]) == ("failed", "lost")


def test_a_process_is_held_to_its_memory_and_ends_with_its_server() -> None:
    program = """
import threading, time
from penchant.jobs import _runner
_runner._hold_memory(600_000_000)
try:
    bytearray(900_000_000)
except MemoryError:
    print("held", flush=True)
threading.Thread(target=_runner._end_with_parent, daemon=True).start()
time.sleep(600)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    process.stdin.close()
    assert process.wait() == 1
    process.stdout.close()


def test_uploads_that_nobody_starts_are_forgotten(
    store: SqlStore, add_job: AddJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import timedelta

    from penchant.studies.operations import _tidy

    waiting = add_job()
    store.add_job("New", {}, {"table": b"x"})
    tidy(store)
    assert len(store.list_jobs()) == 2
    monkeypatch.setattr(_tidy, "_DRAFTS_LAST", timedelta(0))
    assert tidy(store).drafts == 1
    assert [job.id for job in store.list_jobs()] == [waiting]
