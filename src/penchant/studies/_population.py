"""What earlier participants tell of later ones: learned by one process at a time."""

import json
import logging
import secrets
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from penchant.data import Comparisons
from penchant.elicitation import learn_like_earlier
from penchant.exceptions import PenchantError
from penchant.gp import PopulationGP
from penchant.studies._about import people_table
from penchant.studies._fit_apart import fit_apart
from penchant.studies._participation import LARGEST_WEIGHT, Participation, evidence
from penchant.studies._start import complete
from penchant.studies._talk import Memory, memory
from penchant.studies.store._packed_models import pack_model
from penchant.studies.store._store import SqlStore, Store

_FEWEST = 5
"""Participants with answers that a population needs."""

_ANSWERED = 2
"""Events of a participant who has answered something, at least: asked, answered."""

_GROWTH = 1.2
"""A new model is due when the log has grown by this factor."""

_MOST_ASKED = 100
"""Latest participants of whom is learned whether people are like earlier ones."""

_LEASE = 60.0
"""Seconds after which another process may try, should this one be gone; while it is
there, it asks for more in time."""

_KEPT = timedelta(hours=1)
"""Models that nobody started from are forgotten after so long."""

_REST = 4.0
"""How long nothing is fitted after a fit in the background, relative to it."""

_COUNTS = {"done": 0, "failed": 0}
"""Fits of this process, by how they ended."""

_log = logging.getLogger(__name__)


def participations(
    store: Store, study_id: str, n_items: int
) -> dict[str, Participation]:
    """Give where every participant of a study stands, in order of joining."""
    logs: dict[str, list[tuple[int, str, Any]]] = defaultdict(list)
    for event in store.study_events(study_id):
        logs[event.participant_id].append((event.position, event.kind, event.body))
    return {
        who: Participation.from_events(
            ((kind, body) for _, kind, body in sorted_log), n_items
        )
        for who, log in logs.items()
        for sorted_log in [sorted(log, key=lambda entry: entry[0])]
    }


def pool(
    people: dict[str, Participation], largest: float = LARGEST_WEIGHT
) -> Comparisons:
    """Turn answers of those who count to comparisons; users are numbered from 0 on.

    Parameters
    ----------
    people : dict of str to Participation
        Everybody.
    largest : float
        Who counts more often counts as often as this.
    """
    rows: list[tuple[int, int, int, int, float]] = []
    for user, now in enumerate(_counted(people)):
        weight = min(now.weight, largest)
        for k, told in enumerate(now.answered):
            rows += [
                (answer.items[0], answer.items[1], answer.kind == "tie", user, weight)
                for answer in evidence(told, now.answered[:k])
                if answer.kind != "below"
            ]
    found = zip(*rows, strict=True) if rows else ((),) * 5
    winners, losers, ties, users, weights = found
    tied = np.array(ties, dtype=bool)
    return Comparisons(winners, losers, ties=tied, users=users, weights=weights)


def _counted(people: dict[str, Participation]) -> list[Participation]:
    return [now for now in people.values() if not now.left_out]


def is_due(store: Store, study_id: str) -> bool:
    """Tell whether the log has grown enough, since the latest model or for a first."""
    latest = store.latest_model(study_id)
    if latest is not None:
        return store.count_events(study_id) >= _GROWTH * latest.n_events
    people = store.list_participants(study_id)
    return sum(person.n_events >= _ANSWERED for person in people) >= _FEWEST


def refit(store: Store, study_id: str, *, apart: bool = False) -> str | None:
    """Fit the population model of a study again, if it is due.

    Of all processes that share the store one fits at a time; the others go on with
    the latest model. Answers are never held up: participants start from the model
    that was the latest when they joined, and keep it.

    Parameters
    ----------
    store : Store
        Where the answers are.
    study_id : str
        The study.
    apart : bool, default=False
        Whether another process does the work, so that this one can go on answering.
        It opens the same store.

    Returns
    -------
    str or None
        Identifier of the new model; None: it is not due, another process fits at
        the moment, or fewer than 5 people have answered.
    """
    name, holder = f"refit {study_id}", secrets.token_hex(8)
    if not store.lease(name, holder, _LEASE):
        return None
    with _holding(store, name, holder):
        if not is_due(store, study_id):
            return None
        if apart:
            return fit_apart(store.address, study_id)
        return fit(store, study_id)


@contextmanager
def _holding(store: Store, name: str, holder: str) -> Iterator[None]:
    """Keep a lease for as long as the block takes, and give it back."""
    done = threading.Event()

    def ask_again() -> None:
        while not done.wait(_LEASE / 3):
            with suppress(PenchantError):  # the next time may work
                store.lease(name, holder, _LEASE)

    asking = threading.Thread(target=ask_again, daemon=True)
    asking.start()
    try:
        yield
    finally:
        done.set()
        asking.join()
        store.release(name, holder)


def fit(store: Store, study_id: str) -> str | None:
    """Fit the population of a study to the answers of all, and keep the model.

    Returns
    -------
    str or None
        Identifier of the model; None: fewer than 5 people have answered.
    """
    record, n_events = store.get_study(study_id), store.count_events(study_id)
    people = participations(store, study_id, len(record.items))
    # More votes do not make anybody a better witness of what others want.
    answered = pool(people, largest=1.0)
    if np.unique(answered.users).size < _FEWEST:
        return None
    known = people_table(record.settings.about, [p.about for p in _counted(people)])
    model = PopulationGP().fit(complete(record.items), answered, known)
    model.like_earlier_ = _like_earlier(memory(store, record), people)
    body = pack_model(model)
    added = store.add_model(study_id, body, n_events, record.version)
    store.prune_models(study_id, datetime.now(UTC) - _KEPT)
    return added


def _like_earlier(kept: Memory, people: dict[str, Participation]) -> float:
    """Learn how often people were like those before them, whose model they had."""
    ended = [
        (who, now)
        for who, now in people.items()
        if now.finished and not now.left_out
        if kept.start(now.model).space.population is not None
    ]
    talks = (kept.talk(*each, keep=False) for each in ended[-_MOST_ASKED:])
    chances = [talk.belief.like_others for talk in talks]
    return learn_like_earlier(chances, kept.start(None).space)


def fit_as_told() -> None:
    """Fit what the standard input says, for `fit_apart`; write which model it is."""
    told = json.load(sys.stdin.buffer)
    with SqlStore(told["address"]) as store:
        sys.stdout.write(fit(store, told["study"]) or "")


def refit_counts() -> dict[str, int]:
    """Say how many populations this process has fitted, and how many it could not."""
    return dict(_COUNTS)


def refit_and_log(store: Store, study_id: str, *, apart: bool = False) -> None:
    """Refit where nobody is there to see an error."""
    try:
        made = refit(store, study_id, apart=apart)
        _COUNTS["done"] += made is not None
    except PenchantError as error:
        _COUNTS["failed"] += 1
        _log.warning("The population of a study could not be fitted: %s", error)


def refit_apart(store: Store, study_id: str, fitting: threading.Lock) -> None:
    """Refit in a process of its own, if it is due and this one is not doing so."""

    def refit_then_rest() -> None:
        # Where many answer, fits shall not follow one another.
        with fitting:
            began = time.perf_counter()
            refit_and_log(store, study_id, apart=True)
            time.sleep(_REST * (time.perf_counter() - began))

    if not fitting.locked() and is_due(store, study_id):
        name = f"refit {study_id}"
        threading.Thread(target=refit_then_rest, name=name, daemon=True).start()
