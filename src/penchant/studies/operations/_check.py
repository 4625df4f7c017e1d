"""Checking a store: rebuild everything from the log and compare."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from penchant.exceptions import PenchantError, StudyNotFoundError
from penchant.studies._pictures import check_picture
from penchant.studies.operations._replay import replay_study
from penchant.studies.store._records import (
    EventRecord,
    ParticipantRecord,
    StudyDump,
    StudySummary,
)
from penchant.studies.store._store import Store
from penchant.studies.store.jobs._jobs import STATES

_UNREADABLE = (PenchantError, AttributeError, LookupError, TypeError, ValueError)
"""What reading a damaged database may raise."""


@dataclass(frozen=True)
class StoreProblem:
    """Something in a store that is not as it must be.

    Parameters
    ----------
    study_id : str or None
        Where; None: in the database as a whole.
    participant_id : str or None
        Whose log, if it is about one.
    position : int or None
        Which event, if it is about one.
    text : str
        What is wrong.
    """

    study_id: str | None
    participant_id: str | None
    position: int | None
    text: str

    def __str__(self) -> str:
        place = "database" if self.study_id is None else f"study {self.study_id}"
        if self.participant_id is not None:
            place += f", participant {self.participant_id}"
        if self.position is not None:
            place += f", event {self.position}"
        return f"{place}: {self.text}"


@dataclass(frozen=True)
class StoreReport:
    """What a check of a store found.

    Parameters
    ----------
    n_studies, n_participants, n_events, n_answers : int
        How much was read; answers that were taken back do not count.
    problems : tuple of StoreProblem
        Empty when all is well.
    """

    n_studies: int
    n_participants: int
    n_events: int
    n_answers: int
    problems: tuple[StoreProblem, ...]

    @property
    def ok(self) -> bool:
        """Whether there are no problems."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Give the report as plain values for JSON."""
        return {**asdict(self), "problems": [asdict(p) for p in self.problems]}


def check_store(store: Store) -> StoreReport:
    """Rebuild the state of all participants from the log and compare.

    A SQLite file checks itself first. Every log must be as it was written, event by
    event, and end as it was sealed (see `penchant.studies.store._chain`): a single bit
    that changed is found, and so it is in every version of the table. Every log must
    be numbered 0, 1, 2, ... without a gap and be as long as the store says. Every
    event must make sense where it stands: questions show alternatives that exist and
    are answered at most once, with an answer that fits. Every model that somebody
    started from must be there, and every picture must be as it was written, and so must
    all that models learned from files consist of. Each study is read as it is at one
    moment, so that a store may be checked while in use.

    Examples
    --------
    >>> import tempfile
    >>> from penchant.studies import SqlStore, add_demo, check_store, store_url
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with SqlStore(store_url(folder)) as store:
    ...         _ = add_demo(store)
    ...         report = check_store(store)
    >>> report.ok, report.n_studies
    (True, 1)
    """
    tally = Counter(n_participants=0, n_events=0, n_answers=0)
    problems = [StoreProblem(None, None, None, fault) for fault in store.faults()]
    listed: list[StudySummary] = []
    try:
        listed = store.list_studies()
    except _UNREADABLE as error:
        problems.append(StoreProblem(None, None, None, f"{error}"))
    for study_id in (summary.id for summary in listed):
        try:
            for broken in store.broken_logs(study_id):
                problems.append(StoreProblem(study_id, *broken))
            for text in store.broken_tables(study_id):
                problems.append(StoreProblem(study_id, None, None, text))
            problems.extend(_check_study(store.dump_study(study_id), tally))
        except StudyNotFoundError:
            continue  # removed since it was listed
        except _UNREADABLE as error:
            problems.append(StoreProblem(study_id, None, None, f"{error}"))
    problems.extend(_check_jobs(store))
    return StoreReport(n_studies=len(listed), problems=tuple(problems), **tally)


def _check_jobs(store: Store) -> Iterator[StoreProblem]:
    """Find models learned from files that are not as they were written."""
    try:
        for job in store.list_jobs():
            for name in store.broken_parts(job.id):
                text = f"model {job.id}: {name!r} is not as it was written"
                yield StoreProblem(None, None, None, text)
            if job.state not in STATES or "unreadable" in job.settings:
                text = f"model {job.id}: it cannot be read"
                yield StoreProblem(None, None, None, text)
    except _UNREADABLE as error:
        yield StoreProblem(None, None, None, f"{error}")


def _check_study(dump: StudyDump, tally: Counter[str]) -> Iterator[StoreProblem]:
    models = {model.id for model in dump.models}
    for picture in dump.pictures:
        if problem := check_picture(picture):
            text = f"picture {picture.name!r}: {problem}"
            yield StoreProblem(dump.study.id, None, None, text)
    for person, log, replayed in replay_study(dump):
        n_answers = len(replayed.answers)
        tally.update(n_participants=1, n_events=len(log), n_answers=n_answers)
        start = replayed.participation.model
        problems = list(_numbering(person, log))
        if replayed.participation.version > dump.study.version:
            problems.append((None, "questions are about a table that is not there"))
        if start is not None and start not in models:
            problems.append((None, "the model that the person started from is gone"))
        for event in replayed.ignored:
            text = f"{event.kind!r} makes no sense here and is ignored"
            problems.append((event.position, text))
        for position, text in problems:
            yield StoreProblem(dump.study.id, person.id, position, text)


def _numbering(
    person: ParticipantRecord, log: list[EventRecord]
) -> Iterator[tuple[int | None, str]]:
    if person.n_events != len(log):
        yield None, f"the log should have {person.n_events} events and has {len(log)}"
    for expected, event in enumerate(log):
        if event.position != expected:
            yield event.position, f"the log jumps here; {expected} should come next"
            return
