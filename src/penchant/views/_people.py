"""Participants as the owner of a study sees them: who, how far, how carefully."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import count
from statistics import median
from types import SimpleNamespace as View
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from penchant.exceptions import DataError
from penchant.studies import (
    Calibration,
    ParticipantRecord,
    Participation,
    Replay,
    Study,
    StudySettings,
    find_contradictions,
    replays,
)
from penchant.texts import Texts
from penchant.views._display import Fact, show_name
from penchant.views._invite import arrivals_view

PEOPLE_PER_PAGE: Final = 25


class Asked(NamedTuple):
    """Which part of the list of participants somebody wants to see.

    Parameters
    ----------
    page : int
        From 1.
    simulated : bool
        Whether simulated people are listed too.
    who : str
        Only those whose name holds this; empty: all.
    by : str
        What to sort by, one of `COLUMNS`.
    turned : bool
        Whether to sort the other way round.
    """

    page: int = 1
    simulated: bool = False
    who: str = ""
    by: str = "joined"
    turned: bool = False

    def link(self, **changes: Any) -> str:
        """Give the address of another part."""
        other, usual = self._replace(**changes), Asked()
        said = {
            "people" if key == "page" else key: int(value)
            if isinstance(value, bool)
            else value
            for key, value in other._asdict().items()
            if value != getattr(usual, key)
        }
        return f"?{urlencode(said)}#people"


class _Person(NamedTuple):
    """A participant with what their log says."""

    record: ParticipantRecord
    name: str
    replay: Replay
    study: Study

    @property
    def now(self) -> Participation:
        return self.replay.participation

    @property
    def certainty(self) -> float | None:
        """Chance that the favourite is best, or as good; None: no answer yet."""
        member = self.study.member(self.record)
        return None if member.favourite is None else member.certainty


_Key = Callable[[_Person], Any]

COLUMNS: Final[Mapping[str, tuple[_Key, bool]]] = {
    "name": (lambda person: person.name.casefold(), False),
    "state": (lambda person: person.now.state, False),
    "answers": (lambda person: len(person.now.answered), True),
    "certainty": (lambda person: person.certainty, True),
    "took": (lambda person: person.replay.seconds, True),
    "weight": (lambda person: person.now.weight, True),
    "joined": (lambda person: person.record.created, False),
}
"""What the list can be sorted by, and whether it is a number."""

_LATEST_FIRST: Final = ("joined", "answers", "certainty", "took", "weight")


def people_view(study: Study, texts: Texts, asked: Asked | None = None) -> View:
    """Show one page of the participants, those who joined last first.

    Parameters
    ----------
    study : Study
        Which study.
    texts : Texts
        In the language of the owner.
    asked : Asked, optional
        Which part of the list; default: the first.
    """
    asked = Asked() if asked is None else asked
    if asked.by not in COLUMNS:
        asked = asked._replace(by=Asked().by)
    records = study.store.list_participants(study.id)
    logs = replays(study.store, study.id, len(study.items))
    nothing = Replay(Participation(len(study.items)), (), ())
    everybody = [
        _Person(who, _name(who, number, texts), logs.get(who.id, nothing), study)
        for number, who in zip(count(1), records, strict=False)
    ]
    listed = [who for who in everybody if asked.simulated or not who.record.simulated]
    found = _sorted(_matching(listed, asked.who), asked)
    n_pages = max(1, -(-len(found) // PEOPLE_PER_PAGE))
    if asked.page > n_pages:
        raise DataError("The list of participants has no such page.")
    first = (asked.page - 1) * PEOPLE_PER_PAGE
    part = found[first : first + PEOPLE_PER_PAGE]
    last = first + len(part)
    shown = texts("owner.study.shown", first=first + 1, last=last, n=len(found))
    careless = study.known_careless()
    return View(
        facts=_facts(everybody, texts),
        columns=_columns(asked, texts),
        lines=tuple(_line(who, careless.get(who.record.id, ""), texts) for who in part),
        shown=shown if n_pages > 1 else "",
        previous=asked.link(page=asked.page - 1) if asked.page > 1 else "",
        following=asked.link(page=asked.page + 1) if asked.page < n_pages else "",
        asked=asked,
        searchable=bool(asked.who) or len(listed) > PEOPLE_PER_PAGE,
        any_simulated=any(who.record.simulated for who in everybody),
        simulated_link=asked.link(simulated=not asked.simulated, page=1),
        states=_states(everybody, texts),
        arrivals=_arrivals(everybody, texts),
        typical=_typical(everybody, texts),
    )


def _name(person: ParticipantRecord, number: int, texts: Texts) -> str:
    plain = show_name(person.label)
    return plain or texts("owner.study.person_number", number=number)


def _matching(people: Sequence[_Person], who: str) -> list[_Person]:
    wanted = who.strip().casefold()
    return [each for each in people if wanted in each.name.casefold()]


def _sorted(people: list[_Person], asked: Asked) -> list[_Person]:
    """Sort people; those of whom nothing is known come last, however it is sorted."""
    key, _ = COLUMNS[asked.by]
    known = [(key(each), each) for each in people]
    there = [pair for pair in known if pair[0] is not None]
    down = (asked.by in _LATEST_FIRST) != asked.turned
    there.sort(key=lambda pair: pair[0], reverse=down)
    return [each for _, each in there] + [each for k, each in known if k is None]


def _columns(asked: Asked, texts: Texts) -> list[View]:
    heads = []
    for key, (_, numeric) in COLUMNS.items():
        here = key == asked.by
        down = (key in _LATEST_FIRST) != asked.turned
        heads.append(
            View(
                label=texts(f"owner.people.{key}"),
                link=asked.link(by=key, turned=here and not asked.turned, page=1),
                sorted=("descending" if down else "ascending") if here else "",
                numeric=numeric,
            )
        )
    return heads


def _states(people: Sequence[_Person], texts: Texts) -> tuple[Fact, ...]:
    found = [who.now.state for who in people]
    counts = {"joined": len(found)}
    counts |= {key: found.count(key) for key in ("finished", "asking", "new")}
    return tuple(
        Fact(texts(f"owner.study.state_{key}"), texts.number(n))
        for key, n in counts.items()
    )


def _arrivals(people: Sequence[_Person], texts: Texts) -> View | None:
    joined = [(who.record.created.date(), _ended(who)) for who in people]
    answered: list[date] = [at.date() for who in people for _, at in who.replay.answers]
    return arrivals_view(joined, answered, texts)


def _ended(person: _Person) -> bool:
    return person.now.state == "finished"


def _typical(people: Sequence[_Person], texts: Texts) -> str:
    """Say how many answers people typically gave until they had finished."""
    lengths = [len(who.now.answered) for who in people if _ended(who)]
    if not lengths:
        return ""
    return texts.count("owner.study.typical", round(median(lengths)))


def _facts(people: Sequence[_Person], texts: Texts) -> str:
    if not people:
        return texts("owner.study.nobody")
    n_real = sum(not who.record.simulated for who in people)
    facts = texts.count("owner.study.n_people", n_real)
    if n_real < len(people):
        n_simulated = texts.number(len(people) - n_real)
        facts = texts("owner.study.and_simulated", people=facts, n=n_simulated)
    done = texts.number(sum(map(_ended, people)))
    return texts("owner.study.finished", people=facts, done=done)


def _line(person: _Person, careless: str, texts: Texts) -> View:
    now, seconds = person.now, person.replay.seconds
    certainty = person.certainty
    return View(
        id=person.record.id,
        name=person.name,
        state=texts(f"owner.study.states.{now.state}"),
        answers=len(now.answered),
        certainty="" if certainty is None else texts.share(certainty),
        took="" if seconds is None else texts.duration(seconds),
        quality=_quality(now, careless, texts),
        careless=bool(careless),
        weight=now.weight,
        joined=texts.short_day(person.record.created),
        simulated=person.record.simulated,
        left_out=now.left_out,
        opens=now.shows_result and person.study.settings.owner_sees,
        about=_about(person.study.settings, now),
    )


def _about(settings: StudySettings, now: Participation) -> tuple[Fact, ...]:
    """Give what a person said of themselves, under the names of the questions."""
    said = dict(now.about)
    shown = ((q.name, said[q.name]) for q in settings.about if q.name in said)
    return tuple(
        Fact(name, ", ".join(value) if isinstance(value, tuple) else f"{value}")
        for name, value in shown
    )


def _quality(now: Participation, careless: str, texts: Texts) -> str:
    """Say what the answers look like; empty: nothing can be said."""
    told = [texts(f"owner.group.careless_{careless}")] if careless else []
    checks = Calibration.count(now.answered)
    if checks.n:
        right = texts.number(checks.right)
        told.append(texts.count("owner.people.checks", checks.n, right=right))
    if against := len(find_contradictions(now.answered)):
        told.append(texts.count("owner.people.contradictions", against))
    return "; ".join(told)
