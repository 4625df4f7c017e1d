"""Replaying the logs of a study: where everybody stands, and how they got there."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from penchant.studies._participation import AnsweredQuestion, Participation
from penchant.studies.store._records import EventRecord, ParticipantRecord, StudyDump
from penchant.studies.store._store import Store


@dataclass(frozen=True)
class Replay:
    """What the log of one participant amounts to.

    Parameters
    ----------
    participation : Participation
        Where the person stands.
    answers : tuple of (AnsweredQuestion, datetime)
        The answers that stand, in order, and when they were given.
    ignored : tuple of EventRecord
        Events that are unknown or make no sense where they stand.
    began : datetime or None
        When the first question was asked.
    """

    participation: Participation
    answers: tuple[tuple[AnsweredQuestion, datetime], ...]
    ignored: tuple[EventRecord, ...]
    began: datetime | None = None

    @property
    def seconds(self) -> float | None:
        """Time from the first question to the last answer; None: there is none."""
        if self.began is None or not self.answers:
            return None
        return (self.answers[-1][1] - self.began).total_seconds()


def replay(events: Sequence[EventRecord], n_items: int) -> Replay:
    """Replay one log, sorted by position."""
    now = Participation(n_items)
    times: list[datetime] = []
    ignored = []
    for event in events:
        after = now.after(event.kind, event.body)
        if after.ignored > now.ignored:
            ignored.append(event)
        del times[len(after.answered) :]
        if len(after.answered) > len(times):
            times.append(event.at)
        now = after
    answers = zip(now.answered, times, strict=True)
    began = next((event.at for event in events if event.kind == "asked"), None)
    return Replay(now, tuple(answers), tuple(ignored), began)


def replays(store: Store, study_id: str, n_items: int) -> dict[str, Replay]:
    """Replay the log of every participant of a study who has one."""
    logs: dict[str, list[EventRecord]] = defaultdict(list)
    for event in store.study_events(study_id):
        logs[event.participant_id].append(event)
    return {
        who: replay(sorted(log, key=lambda event: event.position), n_items)
        for who, log in logs.items()
    }


def replay_study(
    dump: StudyDump,
) -> Iterator[tuple[ParticipantRecord, list[EventRecord], Replay]]:
    """Replay the log of every participant of a study."""
    logs: dict[str, list[EventRecord]] = defaultdict(list)
    for event in dump.events:
        logs[event.participant_id].append(event)
    for person in dump.participants:
        log = sorted(logs[person.id], key=lambda event: event.position)
        yield person, log, replay(log, len(dump.study.items))
