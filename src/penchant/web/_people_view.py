"""Participants as the owner of a study sees them: who, how far, never what."""

from dataclasses import dataclass
from typing import Final

from penchant.exceptions import DataError
from penchant.studies import ParticipantRecord, Participation, Store, StudyRecord
from penchant.studies._population import participations
from penchant.web._display import show_name
from penchant.web._views import count, day

__all__ = ["PEOPLE_PER_PAGE", "PeopleView", "people_view"]

PEOPLE_PER_PAGE: Final = 25

_STATES: Final = {
    "new": "has not answered yet",
    "asking": "is answering",
    "finished": "has finished",
}


@dataclass(frozen=True)
class PersonLine:
    """One participant."""

    id: str
    name: str
    state: str
    answers: int
    joined: str
    simulated: bool


@dataclass(frozen=True)
class PeopleView:
    """One page of the participants of a study."""

    facts: str
    lines: tuple[PersonLine, ...]
    shown: str
    previous: str
    following: str


def people_view(store: Store, study: StudyRecord, page: int = 1) -> PeopleView:
    """Show one page of the participants, those who joined last first.

    Parameters
    ----------
    store : Store
        Where the study is kept.
    study : StudyRecord
        Which study.
    page : int
        Which part of the list, from 1.
    """
    people = store.list_participants(study.id)[::-1]
    n_pages = max(1, -(-len(people) // PEOPLE_PER_PAGE))
    if page > n_pages:
        raise DataError("The list of participants has no such page.")
    states = participations(store, study.id, len(study.items))
    first = (page - 1) * PEOPLE_PER_PAGE
    part = people[first : first + PEOPLE_PER_PAGE]
    lines = [
        _line(person, states.get(person.id), len(people) - first - place)
        for place, person in enumerate(part)
    ]
    return PeopleView(
        _facts(people, states),
        tuple(lines),
        f"{first + 1} to {first + len(part)} of {len(people)}" if n_pages > 1 else "",
        f"?people={page - 1}#people" if page > 1 else "",
        f"?people={page + 1}#people" if page < n_pages else "",
    )


def _facts(people: list[ParticipantRecord], states: dict[str, Participation]) -> str:
    if not people:
        return "Nobody has joined yet."
    real = [person for person in people if not person.simulated]
    done = sum(
        person.id in states and states[person.id].state == "finished"
        for person in people
    )
    facts = f"{count(len(real), 'person').replace('persons', 'people')}"
    if len(real) < len(people):
        facts += f" and {len(people) - len(real):,} simulated"
    return f"{facts}; {done:,} of them have finished."


def _line(
    person: ParticipantRecord, now: Participation | None, number: int
) -> PersonLine:
    return PersonLine(
        person.id,
        show_name(person.label) or f"Participant {number}",
        _STATES[now.state if now else "new"],
        len(now.answered) if now else 0,
        day(person.created),
        person.simulated,
    )
