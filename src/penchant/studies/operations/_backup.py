"""Backups of a whole store, and putting them back."""

import json
import os
import shutil
import tempfile
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

from penchant.exceptions import (
    FormatError,
    ModelNotFoundError,
    StoreError,
    StudyNotFoundError,
)
from penchant.studies.operations._transfer import dump_dict, read_dump
from penchant.studies.store._records import OwnerRecord, StudyDump
from penchant.studies.store._store import SqlStore
from penchant.studies.store.jobs._jobs import JobDump, JobRecord

_FORMAT: Final = "penchant-backup-1"
_UNFINISHED: Final = ".penchant-backup-"
_YOUNG: Final = 60.0
"""Seconds in which a backup that has begun surely holds its folder."""
_SQLITE: Final = b"SQLite format 3\0"

_Entry: TypeAlias = OwnerRecord | StudyDump | JobDump


def backup(store: SqlStore, path: str | Path) -> None:
    """Write everything that a store keeps to a new file, while it is in use.

    A SQLite store becomes a SQLite file, a PostgreSQL one becomes lines of JSON;
    either can be restored into either. The file is complete or not there, and only
    its owner may read it: it holds personal data.

    Parameters
    ----------
    store : SqlStore
        What to save.
    path : str or Path
        Where; a file that exists is not overwritten.

    See Also
    --------
    restore : Put a backup into an empty store.
    """
    with _new_file(Path(path)) as unfinished:
        if not store.copy_to(unfinished):
            with unfinished.open("w", encoding="ascii") as file:
                for line in _lines(store):
                    file.write(json.dumps(line, separators=(",", ":")) + "\n")


def restore(store: SqlStore, path: str | Path) -> int:
    """Put a backup into an empty store and return how many studies it had.

    Identifiers and the links of participants stay as they were. Logins and
    uploads that nobody confirmed are not restored. When something is wrong with
    the backup the store is empty again.

    Parameters
    ----------
    store : SqlStore
        Where to; it must have no studies and no owners, not even a demo.
    path : str or Path
        What `backup` wrote; older versions are brought up to date on the way.

    Raises
    ------
    StoreError
        If the store is not empty or the file cannot be read.
    FormatError
        If the file is damaged or not a backup.
    """
    if store.list_studies() or store.list_owners() or store.list_jobs():
        raise StoreError(
            "A backup can only be restored into an empty store. This one has studies, "
            "models or owners; name another place."
        )
    owners: list[str] = []
    studies: list[str] = []
    jobs: list[str] = []
    try:
        for entry in _entries(Path(path)):
            if isinstance(entry, OwnerRecord):
                store.load_owner(entry)
                owners.append(entry.id)
            elif isinstance(entry, JobDump):
                owner = entry.job.owner if entry.job.owner in owners else None
                store.load_job(replace(entry, job=replace(entry.job, owner=owner)))
                jobs.append(entry.job.id)
            else:
                store.load_study(_with_known_owner(entry, owners))
                studies.append(entry.study.id)
    except BaseException:
        for job_id in jobs:
            store.delete_job(job_id)
        for study_id in studies:
            store.delete_study(study_id)
        for owner_id in owners:
            store.remove_owner(owner_id)
        raise
    return len(studies)


@contextmanager
def _new_file(path: Path) -> Iterator[Path]:
    """Give a file to write that takes its place when it is complete and on disk."""
    if path.exists():
        raise StoreError(
            f"{str(path)!r} exists already and is not overwritten. Name another file."
        )
    try:
        _remove_unfinished(path.parent)
        place = tempfile.mkdtemp(prefix=_UNFINISHED, dir=path.parent)
    except OSError as error:
        raise StoreError(
            f"{str(path)!r} cannot be written: {error.strerror}."
        ) from None
    try:
        unfinished = Path(place) / "backup"
        held = _hold(Path(place))  # for as long as this process lives
        unfinished.touch(mode=0o600)
        yield unfinished
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.rename(path)
    finally:
        if held is not None:
            os.close(held)
        shutil.rmtree(place)


def _remove_unfinished(folder: Path) -> None:
    """Remove what backups left behind that were killed."""
    for place in folder.glob(f"{_UNFINISHED}*"):
        held = _hold(place)
        if held is not None:
            age = time.time() - os.fstat(held).st_mtime
            os.close(held)
            if age > _YOUNG:
                shutil.rmtree(place, ignore_errors=True)


def _hold(place: Path) -> int | None:
    """Take a folder for this process; None: somebody has it, or nobody can know."""
    try:
        import fcntl

        descriptor = os.open(place, os.O_RDONLY)
    except (ImportError, OSError):
        return None  # Windows; or it is gone, or not ours
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _lines(store: SqlStore) -> Iterator[dict[str, Any]]:
    yield {"format": _FORMAT, "created": datetime.now(UTC).isoformat()}
    for owner in store.list_owners():
        yield {"owner": {**vars(owner), "created": owner.created.isoformat()}}
    count = 0
    for study in store.list_studies():
        try:
            dump = store.dump_study(study.id)
        except StudyNotFoundError:
            continue  # removed since it was listed
        yield {"study": dump_dict(dump, links=True)}
        count += 1
    for job in store.list_jobs():
        with suppress(ModelNotFoundError):  # removed since it was listed
            yield {"job": _job_line(store.dump_job(job.id))}
    yield {"studies": count}


def _job_line(dump: JobDump) -> dict[str, Any]:
    record = {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in vars(dump.job).items()
    }
    parts = {name: b64encode(body).decode() for name, body in dump.parts.items()}
    return {"record": record, "parts": parts}


def _read_job(values: dict[str, Any], number: int) -> JobDump:
    try:
        record = dict(values["record"])
        for name in ("until", "created", "queued"):
            record[name] = datetime.fromisoformat(record[name])
        parts = {name: b64decode(body) for name, body in values["parts"].items()}
        return JobDump(JobRecord(**record), parts)
    except (AttributeError, LookupError, TypeError, ValueError):
        raise FormatError(f"The model in line {number} is damaged.") from None


def _entries(path: Path) -> Iterator[_Entry]:
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE))
    except OSError as error:
        raise StoreError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    return _sqlite_entries(path) if start == _SQLITE else _json_entries(path)


def _sqlite_entries(path: Path) -> Iterator[_Entry]:
    # A copy is opened: opening an old backup would migrate it.
    with tempfile.TemporaryDirectory(prefix="penchant-restore-") as folder:
        copy = Path(folder) / "copy.sqlite"
        shutil.copyfile(path, copy)
        try:
            with SqlStore(f"sqlite:///{copy}") as saved:
                yield from saved.list_owners()
                for study in saved.list_studies():
                    yield saved.dump_study(study.id)
                for job in saved.list_jobs():
                    yield saved.dump_job(job.id)
        except StoreError as error:
            if error.__cause__ is None:
                raise
            raise FormatError(
                f"{str(path)!r} is damaged: it was cut off, or changed since it was "
                "written. Use another backup."
            ) from error


def _json_entries(path: Path) -> Iterator[_Entry]:
    expected = None
    count = 0
    with path.open(encoding="utf-8", errors="replace") as file:
        if _parse(file.readline()).get("format") != _FORMAT:
            raise FormatError(f"{str(path)!r} is not a backup of penchant.")
        for number, text in enumerate(file, start=2):
            line = _parse(text)
            if "owner" in line:
                yield _read_owner(line["owner"], number)
            elif "study" in line:
                count += 1
                yield read_dump(line["study"])
            elif "job" in line:
                yield _read_job(line["job"], number)
            elif "studies" in line:
                expected = line["studies"]
            else:
                raise FormatError(f"Line {number} of the backup is damaged.")
    if expected != count:
        raise FormatError("The backup is not complete: its last line is missing.")


def _parse(text: str) -> dict[str, Any]:
    """Read one line; empty if it is damaged."""
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return line if isinstance(line, dict) else {}


def _read_owner(values: dict[str, Any], number: int) -> OwnerRecord:
    try:
        created = datetime.fromisoformat(values["created"])
        return OwnerRecord(**{**values, "created": created})
    except (LookupError, TypeError, ValueError):
        raise FormatError(f"The owner in line {number} is damaged.") from None


def _with_known_owner(dump: StudyDump, known: list[str]) -> StudyDump:
    # Somebody may have been removed while the backup was written.
    owner = dump.study.owner if dump.study.owner in known else None
    return replace(dump, study=replace(dump.study, owner=owner))
