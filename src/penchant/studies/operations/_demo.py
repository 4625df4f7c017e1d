"""The study that is there at the first start: forty fictional flats."""

import secrets
from collections import defaultdict
from typing import Any

import numpy as np

from penchant.datasets import Population, make_flats_population
from penchant.studies._population import refit
from penchant.studies._settings import StudySettings
from penchant.studies.operations._study_templates import study_template
from penchant.studies.store._records import NewEvent
from penchant.studies.store._store import Store

_N_PEOPLE = 80
_N_QUESTIONS = 20
_SEED = 1
_LEASE = 300.0


def add_demo(store: Store) -> str:
    """Add the demo study to a store, once, and return its identifier.

    Simulated people have compared the flats before, and are marked as simulated;
    what they have in common is what the belief about a new participant starts from.
    """
    flats = study_template("flats")
    study_id = store.ensure_demo(
        "Flats in town", flats.items, settings=StudySettings(nouns=flats.nouns)
    )
    add_simulated_people(store, study_id)
    return study_id


def add_simulated_people(store: Store, study_id: str) -> None:
    """Add the earlier participants of the demo and their population model, once.

    Parameters
    ----------
    store : Store
        Where the study is.
    study_id : str
        A study of the flats of `load_flats`.
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
        for label, events in _logs(people).items():
            if label not in there:
                store.add_participant(
                    study_id, label=label, simulated=True, events=events
                )
        refit(store, study_id)
    finally:
        store.release(name, holder)


def _logs(people: Population) -> dict[str, list[NewEvent]]:
    """Write what simulated people said as the logs of participants."""
    logs: dict[str, list[NewEvent]] = defaultdict(list)
    told, kinds = people.comparisons, people.segments or ()
    swaps = np.random.default_rng(_SEED).integers(0, 2, len(told.winners))
    duels = zip(told.users, told.winners, told.losers, swaps, strict=True)
    for k, (user, winner, loser, swap) in enumerate(duels):
        log = logs[f"Simulated {kinds[user]} {user + 1}"]
        if not log:
            log.append(("joined", {"language": "en", "model": None}))
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
