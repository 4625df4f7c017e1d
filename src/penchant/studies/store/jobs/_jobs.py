"""Jobs in a database: who may run one, how far it is, and what it leaves.

A job belongs to one run at a time. A run has a name of its own, and whatever it writes
is refused once the job was cancelled, removed, or given to another run: a process that
was thought dead and was not cannot spoil anything.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from penchant.exceptions import ConflictError, ModelNotFoundError, OwnerNotFoundError
from penchant.studies.store._database import Database, hold, new_id
from penchant.studies.store._plain import check_text
from penchant.studies.store._tables import job_parts, jobs, owners

STATES: Final = ("new", "waiting", "running", "done", "failed", "cancelled")
_LONGEST: Final = 120


@dataclass(frozen=True)
class JobRecord:
    """A file to learn from, and how far that is.

    Parameters
    ----------
    id : str
        Unguessable identifier.
    owner : str or None
        Whose it is.
    name : str
        As people call it.
    state : str
        One of `STATES`: "new" is not started yet.
    settings : dict
        What was asked for, as plain values.
    progress : dict
        What the last run told, as plain values.
    run : str
        The run that may write; empty: none.
    until : datetime
        When another run may begin, should this one be gone.
    n_runs : int
        How many have begun since somebody asked for it.
    created, queued : datetime
        In UTC; the job that was queued first is done first.
    """

    id: str
    owner: str | None
    name: str
    state: str
    settings: dict[str, Any]
    progress: dict[str, Any]
    run: str
    until: datetime
    n_runs: int
    created: datetime
    queued: datetime


@dataclass(frozen=True)
class JobDump:
    """Everything about a job: the record, and its parts by name."""

    job: JobRecord
    parts: dict[str, bytes] = field(repr=False)


@dataclass(frozen=True)
class Jobs:
    """The part of a store that keeps jobs."""

    database: Database

    def add_job(
        self,
        name: str,
        settings: Mapping[str, Any],
        parts: Mapping[str, bytes],
        *,
        owner: str | None = None,
    ) -> str:
        """Keep a new job with its files, which is not started; return its id."""
        now = datetime.now(UTC)
        job = JobRecord(
            new_id(), owner, name, "new", dict(settings), {}, "", now, 0, now, now
        )
        self.load_job(JobDump(job, dict(parts)))
        return job.id

    def load_job(self, dump: JobDump) -> None:
        """Keep a job under the identifier of the dump; one that ran waits again."""
        job = dump.job
        check_text("The name of a model", job.name, longest=_LONGEST)
        if job.state == "running":
            job = replace(job, state="waiting", run="")
        with self.database.writing() as connection:
            if job.owner is not None and not hold(connection, owners, job.owner):
                raise OwnerNotFoundError("There is no such owner to give a model to.")
            connection.execute(jobs.insert().values(vars(job)))
            for name, body in dump.parts.items():
                connection.execute(job_parts.insert().values(_part(job.id, name, body)))

    def dump_job(self, job_id: str) -> JobDump:
        """Return everything about a job as it is at one moment."""
        query = sa.select(jobs).where(jobs.c.id == job_id)
        parts = sa.select(job_parts).where(job_parts.c.job_id == job_id)
        with self.database.reading() as connection:
            row = connection.execute(query).first()
            if row is None:
                raise _no_job()
            found = {part.name: part.body for part in connection.execute(parts)}
        return JobDump(JobRecord(**row._mapping), found)

    def get_job(self, job_id: str) -> JobRecord:
        """Return one job, or raise ModelNotFoundError."""
        query = sa.select(jobs).where(jobs.c.id == job_id)
        if (job := self.database.find(JobRecord, query)) is None:
            raise _no_job()
        return job

    def list_jobs(self, owner: str | None = None) -> list[JobRecord]:
        """List the jobs of an owner, or all; the newest first."""
        query = sa.select(jobs).order_by(jobs.c.created.desc(), jobs.c.id)
        if owner is not None:
            query = query.where(jobs.c.owner == owner)
        return self.database.records(JobRecord, query)

    def jobs_before(self, job: JobRecord) -> int:
        """Count the jobs that are done before one that waits."""
        query = sa.select(sa.func.count()).where(
            sa.or_(
                jobs.c.state == "running",
                sa.and_(jobs.c.state == "waiting", jobs.c.queued < job.queued),
            )
        )
        return int(self.database.read(query)[0][0])

    def queue_job(
        self,
        job_id: str,
        *,
        name: str | None = None,
        settings: Mapping[str, Any] | None = None,
        most: int | None = None,
    ) -> None:
        """Let a job wait for its turn, anew or again; what it left before stays.

        Parameters
        ----------
        job_id : str
        name, settings : str, mapping, optional
            What to change.
        most : int, optional
            Jobs of the same owner that may wait or run at once.

        Raises
        ------
        ConflictError
            It waits or runs already, or too many others do.
        """
        values: dict[str, Any] = {
            "state": "waiting",
            "progress": {},
            "run": "",
            "n_runs": 0,
            "queued": datetime.now(UTC),
        }
        if name is not None:
            check_text("The name of a model", name, longest=_LONGEST)
            values["name"] = name
        if settings is not None:
            values["settings"] = dict(settings)
        active = jobs.c.state.in_(("waiting", "running"))
        with self.database.writing() as connection:
            chosen = sa.select(jobs.c.owner).where(jobs.c.id == job_id)
            found = connection.execute(chosen).first()
            if found is None:
                raise _no_job()
            others = sa.select(sa.func.count()).where(
                jobs.c.owner == found.owner
                if found.owner is not None
                else jobs.c.owner.is_(None),
                active,
            )
            if most is not None and connection.execute(others).scalar_one() >= most:
                raise ConflictError(
                    f"{most} models are being learned or wait already. Let one end, or "
                    "cancel it, and try again."
                )
            change = jobs.update().where(jobs.c.id == job_id, ~active)
            if connection.execute(change.values(values)).rowcount != 1:
                raise ConflictError("This model is being learned already.")

    def cancel_job(self, job_id: str) -> bool:
        """End a job that waits or runs; what it left stays. False: it does neither."""
        self.get_job(job_id)
        change = jobs.update().where(
            jobs.c.id == job_id, jobs.c.state.in_(("waiting", "running"))
        )
        return self.database.change(change.values(state="cancelled", run="")) == 1

    def delete_job(self, job_id: str) -> None:
        """Forget a job with all that belongs to it."""
        if self.database.change(jobs.delete().where(jobs.c.id == job_id)) != 1:
            raise _no_job()

    def expire_jobs(self, before: datetime) -> int:
        """Forget jobs that nobody started, made before a moment; say how many."""
        old = jobs.delete().where(jobs.c.state == "new", jobs.c.created < before)
        return self.database.change(old)

    def claim_job(self, run: str, seconds: float) -> JobRecord | None:
        """Give a job to a run: the first that waits, or whose run was not heard of.

        Parameters
        ----------
        run : str
            Name of the run: letters and digits, never used before.
        seconds : float
            For how long nobody else may have it, unless `hold_job` asks for more.
        """
        with self.database.writing() as connection:
            now = self.database.clock(connection)
            gone = sa.and_(jobs.c.state == "running", jobs.c.until <= now)
            is_free = sa.or_(jobs.c.state == "waiting", gone)
            query = sa.select(jobs.c.id).where(is_free).order_by(jobs.c.queued)
            for (job_id,) in connection.execute(query.limit(5)).all():
                take = jobs.update().where(jobs.c.id == job_id, is_free)
                values = {
                    "state": "running",
                    "run": run,
                    "until": now + timedelta(seconds=seconds),
                    "n_runs": jobs.c.n_runs + 1,
                }
                if connection.execute(take.values(values)).rowcount == 1:
                    row = connection.execute(
                        sa.select(jobs).where(jobs.c.id == job_id)
                    ).one()
                    return JobRecord(**row._mapping)
        return None

    def hold_job(self, job_id: str, run: str, seconds: float) -> bool:
        """Ask for more time; False: the run has lost the job, and must end."""
        with self.database.writing() as connection:
            until = self.database.clock(connection) + timedelta(seconds=seconds)
            change = _owned(job_id, run).values(until=until)
            return bool(connection.execute(change).rowcount == 1)

    def tell_job(
        self,
        job_id: str,
        run: str,
        progress: Mapping[str, Any],
        parts: Mapping[str, bytes] | None = None,
    ) -> bool:
        """Keep how far a run is, and what it made; False: it has lost the job."""
        with self.database.writing() as connection:
            change = _owned(job_id, run).values(progress=dict(progress))
            if connection.execute(change).rowcount != 1:
                return False
            for name, body in (parts or {}).items():
                row = _part(job_id, name, body)
                put = self.database.insert(job_parts).values(row)
                connection.execute(
                    put.on_conflict_do_update(
                        index_elements=[job_parts.c.job_id, job_parts.c.name],
                        set_=row,
                    )
                )
        return True

    def end_job(
        self, job_id: str, run: str, state: str, progress: Mapping[str, Any]
    ) -> bool:
        """End a run: "done", "failed", or given back, "waiting" for another one."""
        values: dict[str, Any] = {
            "state": state,
            "run": "",
            "progress": dict(progress),
        }
        if state == "waiting":  # it was not lost
            values["n_runs"] = jobs.c.n_runs - 1
        return self.database.change(_owned(job_id, run).values(values)) == 1

    def job_part(self, job_id: str, name: str) -> bytes | None:
        """Return what a job keeps under a name; None: nothing."""
        query = sa.select(job_parts.c.body).where(
            job_parts.c.job_id == job_id, job_parts.c.name == name
        )
        found = self.database.read(query)
        return found[0].body if found else None

    def job_parts(self, job_id: str) -> list[str]:
        """List the names of what a job keeps."""
        query = sa.select(job_parts.c.name).where(job_parts.c.job_id == job_id)
        return sorted(row.name for row in self.database.read(query))

    def broken_parts(self, job_id: str) -> list[str]:
        """List the names of parts that are not as they were written."""
        query = sa.select(job_parts).where(job_parts.c.job_id == job_id)
        return [
            row.name
            for row in self.database.read(query)
            if hashlib.sha256(row.body).hexdigest() != row.digest
        ]


def _owned(job_id: str, run: str) -> sa.Update:
    """Change a job that this run still has."""
    own = (jobs.c.id == job_id, jobs.c.run == run, jobs.c.state == "running")
    return jobs.update().where(*own)


def _part(job_id: str, name: str, body: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(body).hexdigest()
    return {"job_id": job_id, "name": name, "digest": digest, "body": body}


def _no_job() -> ModelNotFoundError:
    return ModelNotFoundError("There is no such model. It may have been removed.")
