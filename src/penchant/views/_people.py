"""Participants as the owner of a study sees them: who, how far, never what."""

from dataclasses import dataclass
from typing import Final

from penchant.exceptions import DataError
from penchant.studies import (
    ParticipantRecord,
    Participation,
    Store,
    StudyRecord,
    participations,
)
from penchant.texts import Texts
from penchant.views._display import show_name

__all__ = ["PEOPLE_PER_PAGE", "PeopleView", "people_view"]

PEOPLE_PER_PAGE: Final = 25


@dataclass(frozen=True)
class PersonLine:
    """One participant."""

    id: str
    name: str
    state: str
    answers: int
    joined: str
    simulated: bool
    left_out: bool


@dataclass(frozen=True)
class PeopleView:
    """One page of the participants of a study.

    Parameters
    ----------
    facts : str
        How many there are, and how far.
    lines : tuple of PersonLine
        Those on this page.
    shown, previous, following : str
        Which part of the list it is, and links to others.
    simulated : bool
        Whether simulated people are listed too.
    any_simulated : bool
        Whether there are any.
    """

    facts: str
    lines: tuple[PersonLine, ...]
    shown: str
    previous: str
    following: str
    simulated: bool
    any_simulated: bool


def people_view(
    store: Store,
    study: StudyRecord,
    texts: Texts,
    page: int = 1,
    *,
    simulated: bool = False,
) -> PeopleView:
    """Show one page of the participants, those who joined last first.

    Parameters
    ----------
    store : Store
        Where the study is kept.
    study : StudyRecord
        Which study.
    texts : Texts
        In the language of the owner.
    page : int
        Which part of the list, from 1.
    simulated : bool
        Whether simulated people are listed too.
    """
    everybody = store.list_participants(study.id)
    numbered = [
        (number, person)
        for number, person in enumerate(everybody, start=1)
        if simulated or not person.simulated
    ][::-1]
    n_pages = max(1, -(-len(numbered) // PEOPLE_PER_PAGE))
    if page > n_pages:
        raise DataError("The list of participants has no such page.")
    states = participations(store, study.id, len(study.items))
    first = (page - 1) * PEOPLE_PER_PAGE
    part = numbered[first : first + PEOPLE_PER_PAGE]
    last = first + len(part)
    shown = texts("owner.study.shown", first=first + 1, last=last, n=len(numbered))
    return PeopleView(
        _facts(everybody, states, texts),
        tuple(_line(who, states.get(who.id), number, texts) for number, who in part),
        shown if n_pages > 1 else "",
        _link(page - 1, simulated) if page > 1 else "",
        _link(page + 1, simulated) if page < n_pages else "",
        simulated,
        any(person.simulated for person in everybody),
    )


def _link(page: int, simulated: bool) -> str:
    return f"?people={page}{'&simulated=1' if simulated else ''}#people"


def _facts(
    people: list[ParticipantRecord], states: dict[str, Participation], texts: Texts
) -> str:
    if not people:
        return texts("owner.study.nobody")
    n_real = sum(not person.simulated for person in people)
    done = sum(
        person.id in states and states[person.id].state == "finished"
        for person in people
    )
    facts = texts.count("owner.study.n_people", n_real)
    if n_real < len(people):
        n_simulated = texts.number(len(people) - n_real)
        facts = texts("owner.study.and_simulated", people=facts, n=n_simulated)
    return texts("owner.study.finished", people=facts, done=texts.number(done))


def _line(
    person: ParticipantRecord, now: Participation | None, number: int, texts: Texts
) -> PersonLine:
    return PersonLine(
        person.id,
        show_name(person.label) or texts("owner.study.person_number", number=number),
        texts(f"owner.study.states.{now.state if now else 'new'}"),
        len(now.answered) if now else 0,
        texts.day(person.created),
        person.simulated,
        now is not None and now.left_out,
    )
