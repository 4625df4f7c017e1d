"""What a study holds about one participant, as plain values and as a table."""

from typing import Any, Final

from penchant.studies.operations._answers import csv_of, frame_of
from penchant.studies.operations._replay import Replay, replay
from penchant.studies.store._records import ParticipantRecord
from penchant.studies.store._store import Store

_FORMAT: Final = "penchant-participant-1"


def export_person(store: Store, participant_id: str) -> dict[str, Any]:
    """Give all that is kept about one participant as plain values for JSON.

    It holds nothing that opens the link of the participant.
    """
    person, replayed, names = _read(store, participant_id)
    now = replayed.participation
    return {
        "format": _FORMAT,
        "study": person.study_id,
        "id": person.id,
        "label": person.label,
        "simulated": person.simulated,
        "created": person.created.isoformat(),
        "state": now.state,
        "weight": now.weight,
        "seconds": replayed.seconds,
        "answers": [
            {
                "question": told.question,
                "form": told.form,
                "items": [names[item] for item in told.items],
                "positions": list(told.items),
                "answer": told.answer,
                "because": told.because,
                "at": at.isoformat(),
            }
            for told, at in replayed.answers
        ],
        "events": [
            {"kind": event.kind, "body": event.body, "at": event.at.isoformat()}
            for event in store.events(person.id)
        ],
    }


def person_answers_csv(store: Store, participant_id: str) -> str:
    """Give the answers of one participant as CSV, with the columns of all answers."""
    person, replayed, names = _read(store, participant_id)
    return csv_of(frame_of([(person, replayed)], names))


def _read(
    store: Store, participant_id: str
) -> tuple[ParticipantRecord, Replay, tuple[str, ...]]:
    person = store.get_participant(participant_id)
    names = store.get_study(person.study_id).items.names
    return person, replay(store.events(person.id), len(names)), names
