"""The logs of the participants of a study: read once, written before anything else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from penchant._cached import LRUCache
from penchant.exceptions import ConflictError, ParticipantNotFoundError
from penchant.studies._participation import Participation
from penchant.studies.store._records import StudyRecord, Who
from penchant.studies.store._store import NewEvent, Store

__all__ = ["Log"]

_MOST_TRIES = 20
"""Writes that others may overtake before it is an error."""


@dataclass(frozen=True, eq=False)
class Log:
    """Where the participants of one study stand.

    Parameters
    ----------
    store : Store
        Where the events are kept.
    study : StudyRecord
        Which study.
    places : LRUCache
        Where participants stood when this process last looked.
    """

    store: Store
    study: StudyRecord
    places: LRUCache[str, Participation]

    def read(self, participant: Who) -> Participation:
        """Give where a participant stands."""
        record = participant
        if isinstance(record, str):
            record = self.store.get_participant(record)
        if record.study_id != self.study.id:
            raise ParticipantNotFoundError("This study has no such participant.")
        known = self.places.get(record.id)
        if known is not None and known.n_events == record.n_events:
            return known
        log = self.store.events(record.id)
        now = Participation.of(((e.kind, e.body) for e in log), len(self.study.items))
        self.places.put(record.id, now)
        return now

    def write(
        self,
        participant_id: str,
        decide: Callable[[Participation], Sequence[NewEvent]],
        now: Participation | None = None,
    ) -> Participation:
        """Append what is decided from where a person stands, before anybody else."""
        for _ in range(_MOST_TRIES):
            now = self.read(participant_id) if now is None else now
            events = decide(now)
            if not events:
                return now
            try:
                self.store.append(participant_id, now.n_events, events)
            except ConflictError:
                now = None  # another process was faster: read again, decide again
                continue
            for kind, body in events:
                now = now.after(kind, body)
            self.places.put(participant_id, now)
            return now
        raise ConflictError(
            f"Others changed this conversation {_MOST_TRIES} times in a row. Try again."
        )
