"""The study that is there at the first start: forty fictional flats."""

import secrets
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from penchant.datasets import Population, make_flats_population
from penchant.studies._population import refit
from penchant.studies._settings import StudySettings
from penchant.studies.operations._study_templates import study_template
from penchant.studies.store._records import NewEvent, StudySummary
from penchant.studies.store._store import Store
from penchant.texts import Texts, load_texts

_N_PEOPLE = 80
_N_QUESTIONS = 20
_SEED = 1
_LEASE = 300.0


def add_demo(store: Store, language: str = "en") -> str:
    """Add the demo study of a language to a store, once, and return its identifier.

    Simulated people have compared the flats before, and are marked as simulated;
    what they have in common is what the belief about a new participant starts from.

    Parameters
    ----------
    store : Store
        Where to keep it.
    language : str, default="en"
        Of its name and table: answers are kept with the words of one table.
    """
    flats, texts = study_template("flats"), load_texts(language)
    study_id = store.ensure_demo(
        flats.title(texts),
        flats.table(texts),
        settings=StudySettings(nouns=flats.nouns),
    )
    add_simulated_people(store, study_id, texts)
    return study_id


def demo_in(language: str, studies: Iterable[StudySummary]) -> str | None:
    """Give the demo study of a language, if it is there and still offers it."""
    title = study_template("flats").title(load_texts(language))
    return next(
        (
            study.id
            for study in studies
            if study.demo and study.name == title
            if language in study.settings.languages
        ),
        None,
    )


def add_simulated_people(store: Store, study_id: str, texts: Texts) -> None:
    """Add the earlier participants of the demo and their population model, once.

    Parameters
    ----------
    store : Store
        Where the study is.
    study_id : str
        A study of the flats of `load_flats`.
    texts : Texts
        In the language of the study.
    """
    name, holder = f"demo {study_id}", secrets.token_hex(8)
    if store.latest_model(study_id) is not None:
        return
    if not store.lease(name, holder, _LEASE):
        return  # another process is adding them
    try:
        people = make_flats_population(
            _N_PEOPLE, n_comparisons=_N_QUESTIONS, random_state=_SEED
        )
        there = {person.label for person in store.list_participants(study_id)}
        for label, events in _logs(people, texts).items():
            if label not in there:
                store.add_participant(
                    study_id, label=label, simulated=True, events=events
                )
        refit(store, study_id)
    finally:
        store.release(name, holder)


def _logs(people: Population, texts: Texts) -> dict[str, list[NewEvent]]:
    """Write what simulated people said as the logs of participants."""
    logs: dict[str, list[NewEvent]] = defaultdict(list)
    told, kinds = people.comparisons, people.segments or ()
    swaps = np.random.default_rng(_SEED).integers(0, 2, len(told.winners))
    duels = zip(told.users, told.winners, told.losers, swaps, strict=True)
    for k, (user, winner, loser, swap) in enumerate(duels):
        kind = texts(f"table.people.{kinds[user]}")
        log = logs[texts("table.people.label", kind=kind, number=user + 1)]
        if not log:
            log.append(("joined", {"language": texts.language, "model": None}))
        log += _exchange(f"{k:016x}", int(winner), int(loser), swap=bool(swap))
    for log in logs.values():
        log.append(("finished", {"reason": "budget"}))
    return logs


def _exchange(question: str, winner: int, loser: int, *, swap: bool) -> list[NewEvent]:
    items = [loser, winner] if swap else [winner, loser]
    asked: dict[str, Any] = {"question": question, "form": "pair", "items": items}
    answer = "right" if swap else "left"
    return [
        ("asked", {**asked, "repeat": False}),
        ("answered", {"question": question, "answer": answer}),
    ]
