"""Runner: jobs in processes of their own, one after the other, for as long as a server.

A process is told what to do on its standard input, which stays open: when the server is
gone, however that happened, the process reads its end and ends, too. The job is then
taken up again by the next server, or by another one that shares the store.
"""

import json
import logging
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import IO, Any, Final

from penchant.exceptions import PenchantError
from penchant.jobs._work import LostError, work
from penchant.studies import JobRecord, SqlStore, Store

_log = logging.getLogger(__name__)

_PROGRAM: Final = """
import os
if hasattr(os, "nice"):
    os.nice(10)
from penchant.jobs._runner import work_as_told
work_as_told()
"""

_ONE_THREAD: Final = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)

_MOST_RUNS: Final = 3
"""Runs that may be lost with their server: the job may be what takes it down."""

PROBLEMS: Final = {
    "memory": "It needs more than {memory} GB of memory. Leave rows or columns out.",
    "time": "It took more than {minutes} minutes. Leave rows or columns out.",
    "killed": "The process that learned was ended from outside ({reason}), perhaps for "
    "want of memory. What was compared is kept: go on, or leave rows out.",
    "lost": "The server ended {runs} times while it learned this. Leave rows or "
    "columns out, or try again.",
    "fault": "Learning ended with a fault of ours ({reason}). What was compared is "
    "kept.",
}


@dataclass(frozen=True)
class Limits:
    """What a job may take.

    Parameters
    ----------
    seconds : float
        After so long, comparing begins no further fit: what was compared counts. A
        process that is still there after three times as long is ended.
    memory : int
        Bytes of memory of the process, where the system can hold it to that.
    rows, columns, bytes : int
        Of a table.
    """

    seconds: float = 900.0
    memory: int = 3_000_000_000
    rows: int = 20_000
    columns: int = 200
    bytes: int = 10_000_000

    def options(self) -> dict[str, int]:
        """Give what reading a table takes."""
        return {
            "max_rows": self.rows,
            "max_columns": self.columns,
            "max_bytes": self.bytes,
        }


class Runner:
    """Run the jobs of a store, a few at once, until it is stopped.

    Parameters
    ----------
    store : Store
        Where the jobs are; several runners may share it.
    limits : Limits
    n_at_once : int
        Processes.
    lease : float
        Seconds after which another runner takes a job of one that is gone.
    pause : float
        Seconds between looks at the store.
    """

    def __init__(
        self,
        store: Store,
        limits: Limits | None = None,
        *,
        n_at_once: int = 1,
        lease: float = 10.0,
        pause: float = 1.0,
    ) -> None:
        self.store, self.limits = store, limits or Limits()
        self.n_at_once, self.lease, self.pause = n_at_once, lease, pause
        self._wake, self._over = threading.Event(), threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin to run jobs in the background."""
        self._over.clear()
        for _ in range(self.n_at_once):
            thread = threading.Thread(target=self._go_on, name="jobs", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """End what runs, so that it can be taken up elsewhere, and begin nothing."""
        self._over.set()
        self._wake.set()
        for thread in self._threads:
            thread.join(5.0)
        self._threads.clear()

    def wake(self) -> None:
        """Look for jobs at once."""
        self._wake.set()

    def _go_on(self) -> None:
        while not self._over.is_set():
            try:
                if self.run_next():
                    continue
            except PenchantError as error:
                _log.warning("Jobs cannot be run at the moment: %s", error)
            self._wake.wait(self.pause)
            self._wake.clear()

    def run_next(self) -> bool:
        """Run the next job to its end; False: there is none.

        A job whose run was lost with its server begins anew where that one ended, a
        few times.
        """
        run = secrets.token_hex(16)
        job = self.store.claim_job(run, self.lease)
        if job is None:
            return False
        if job.n_runs > _MOST_RUNS:
            self._fail(job, run, "lost")
            return True
        with tempfile.TemporaryFile() as said:
            process = self._begin(job, run, said)
            try:
                self._watch(job, run, process)
                if process.poll():
                    said.seek(0)
                    self._ended(job, run, process.returncode, said.read())
            finally:
                process.kill()
                process.communicate()
        return True

    def _begin(
        self, job: JobRecord, run: str, said: IO[bytes]
    ) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env={**os.environ, **_ONE_THREAD},
        )
        told = {
            "address": self.store.address,
            "job": job.id,
            "run": run,
            "limits": asdict(self.limits),
        }
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(told).encode() + b"\n")
            process.stdin.flush()
        return process

    def _watch(
        self, job: JobRecord, run: str, process: "subprocess.Popen[bytes]"
    ) -> None:
        """Wait for a process, keep its job for it, and end it when it must end."""
        end = time.monotonic() + 3 * self.limits.seconds
        renewed = time.monotonic()
        while process.poll() is None:
            time.sleep(min(self.pause, 0.2))
            if self._over.is_set():
                process.kill()
                self.store.end_job(job.id, run, "waiting", job.progress)
                return
            if time.monotonic() > end:
                self._fail(job, run, "time")
                return
            if time.monotonic() - renewed > self.lease / 4:
                renewed = time.monotonic()
                with suppress(PenchantError):  # the next time may work
                    if not self.store.hold_job(job.id, run, self.lease):
                        return  # cancelled, removed, or taken

    def _ended(self, job: JobRecord, run: str, code: int, said: bytes) -> None:
        """Keep how a process ended that could not tell it."""
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        reason = last[:200] or str(code)
        if code < 0:
            with suppress(ValueError):
                reason = signal.Signals(-code).name
        key = "killed" if code < 0 else "fault"
        if "MemoryError" in reason:
            key = "memory"
        _log.warning("A job ended with %s: %s", code, reason)
        self._fail(job, run, key, reason=reason)

    def _fail(self, job: JobRecord, run: str, key: str, **values: Any) -> None:
        """Keep what went wrong, as a sentence and as what other languages make of."""
        values |= {"memory": round(self.limits.memory / 1e9, 1), "runs": _MOST_RUNS}
        values["minutes"] = round(3 * self.limits.seconds / 60)
        words = PROBLEMS[key].format(**values)
        told = {"error": words, "problem": key, "values": values}
        self.store.end_job(job.id, run, "failed", told)


def work_as_told() -> None:
    """Run the job that the standard input names, for `Runner`."""
    told = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    limits = Limits(**told["limits"])
    _hold_memory(limits.memory)
    job_id, run = told["job"], told["run"]
    with SqlStore(told["address"]) as store:
        try:
            work(store, job_id, run, limits.seconds, **limits.options())
        except LostError:
            return
        except PenchantError as error:
            store.end_job(job_id, run, "failed", {"error": str(error)})
            return
        store.end_job(job_id, run, "done", {"share": 1.0})


def _end_with_parent() -> None:
    """End when nobody is at the other end of the standard input any more."""
    # Not by its buffer: a thread that holds that makes Python abort when it ends.
    while os.read(sys.stdin.fileno(), 1024):
        continue
    os._exit(1)


def _hold_memory(most: int) -> None:
    """Let the system refuse more memory to this process, where it can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
