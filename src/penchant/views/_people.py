"""Participants as the owner of a study sees them: who, how far, never what."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
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
from penchant.views._display import Fact, show_name
from penchant.views._invite import Arrivals, arrivals_view

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
    about: tuple[Fact, ...] = ()


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
    states : tuple of Fact
        How many joined, finished, are answering and have not begun.
    arrivals : Arrivals or None
        When they joined.
    typical : str
        How many answers those who finished gave; empty: nobody has.
    """

    facts: str
    lines: tuple[PersonLine, ...]
    shown: str
    previous: str
    following: str
    simulated: bool
    any_simulated: bool
    states: tuple[Fact, ...]
    arrivals: Arrivals | None
    typical: str


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
        tuple(
            replace(
                _line(who, states.get(who.id), number, texts),
                about=_about(study, states.get(who.id)),
            )
            for number, who in part
        ),
        shown if n_pages > 1 else "",
        _link(page - 1, simulated) if page > 1 else "",
        _link(page + 1, simulated) if page < n_pages else "",
        simulated,
        any(person.simulated for person in everybody),
        _states([states.get(person.id) for person in everybody], texts),
        _arrivals(everybody, states, texts),
        _typical(everybody, states, texts),
    )


def _states(states: Sequence[Participation | None], texts: Texts) -> tuple[Fact, ...]:
    found = [now.state if now else "new" for now in states]
    counts = {"joined": len(found)}
    counts |= {key: found.count(key) for key in ("finished", "asking", "new")}
    return tuple(
        Fact(texts(f"owner.study.state_{key}"), texts.number(n))
        for key, n in counts.items()
    )


def _arrivals(
    people: Sequence[ParticipantRecord],
    states: dict[str, Participation],
    texts: Texts,
) -> Arrivals | None:
    return arrivals_view(
        [(who.created.date(), _ended(states.get(who.id))) for who in people], texts
    )


def _ended(now: Participation | None) -> bool:
    return now is not None and now.state == "finished"


def _typical(
    people: Sequence[ParticipantRecord],
    states: dict[str, Participation],
    texts: Texts,
) -> str:
    """Say how many answers it took people to finish, in the middle of them."""
    known = [states[who.id] for who in people if who.id in states]
    lengths = [len(now.answered) for now in known if _ended(now)]
    if not lengths:
        return ""
    return texts.count("owner.study.typical", round(median(lengths)))


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


def _about(study: StudyRecord, now: Participation | None) -> tuple[Fact, ...]:
    """Give what a person said of themselves, under the names of the questions."""
    said = {} if now is None else dict(now.about)
    shown = ((q.name, said[q.name]) for q in study.settings.about if q.name in said)
    return tuple(
        Fact(name, ", ".join(value) if isinstance(value, tuple) else f"{value}")
        for name, value in shown
    )


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
