"""Replaying the logs of a study: where everybody stands, and how they got there."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from penchant.studies._participation import AnsweredQuestion, Participation
from penchant.studies.store._records import EventRecord, ParticipantRecord, StudyDump


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
    """

    participation: Participation
    answers: tuple[tuple[AnsweredQuestion, datetime], ...]
    ignored: tuple[EventRecord, ...]


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
    return Replay(now, tuple(answers), tuple(ignored))


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
