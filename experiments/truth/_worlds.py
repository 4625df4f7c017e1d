"""Worlds: a table, perhaps earlier people who answered, and new people."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from zlib import crc32

import numpy as np
import pandas as pd

from experiments.truth._people import FAMILIES, Person, Taste
from experiments.truth._tables import Table, make_list, make_table
from penchant.data import Comparisons, Items
from penchant.elicitation import PersonBelief, PersonSpace, learn_like_earlier
from penchant.gp import PopulationGP, Posterior

__all__ = [
    "N_PEOPLE",
    "N_TABLES",
    "World",
    "learned_likeness",
    "make_world",
    "people_of",
]

N_PEOPLE, N_TABLES = 300, 24
"""Of a family in a full run."""

_N_EARLIER, _N_ANSWERS = 60, 15
_N_AFTER = 20
"""So many of the earlier people answered after the others, see `learned_likeness`."""

_LEAST_ALIKE = 0.2
"""People unlike the earlier ones correlate with their mean at most so much."""

_TRIES = 20_000


@dataclass(frozen=True, eq=False)
class World:
    """Where conversations take place.

    Parameters
    ----------
    table : Table
        The alternatives.
    population : Posterior or None
        What earlier people tell of a new one.
    draw : callable
        Draws a new person.
    like_earlier : float or None
        How likely a new person is like them, learned from the earlier people alone.
    """

    table: Table
    population: Posterior | None
    draw: Callable[[np.random.Generator], Person]
    like_earlier: float | None = None


def people_of(world: World, family: str, number: int) -> Iterator[Person]:
    """Draw the people of a table: 12 or 13, so that 24 tables make 300."""
    rng = np.random.default_rng([crc32(family.encode()), number, 1])
    for _ in range(N_PEOPLE // N_TABLES + (1 - number % 2) * (N_PEOPLE % N_TABLES > 0)):
        yield world.draw(rng)


def make_world(family: str, n_items: int, number: int) -> World:
    """Make the world of a table's number; always the same."""
    rng = np.random.default_rng([crc32(family.encode()), n_items, number])
    if family == "plain":
        table = make_list(n_items)
        return World(table, None, partial(FAMILIES[family], table))
    table = make_table(n_items, rng)
    if family in FAMILIES:
        return World(table, None, partial(FAMILIES[family], table))
    kind = Taste.draw(table, rng)
    earlier = [kind.near(table, rng).person() for _ in range(_N_EARLIER)]
    told = _answers(table, earlier, rng)
    population = PopulationGP().fit(table.items, told).for_user()
    like = learned_likeness(table.items, told, _N_AFTER, table.items)
    if family == "matched":
        return World(table, population, lambda r: kind.near(table, r).person(), like)
    usual = np.mean([person.utility for person in earlier], axis=0)
    other = _unlike(usual, lambda: Taste.draw(table, rng))
    return World(
        table,
        population,
        lambda r: _unlike(usual, lambda: other.near(table, r)).person(),
        like,
    )


def _unlike(usual: np.ndarray, draw: Callable[[], Taste]) -> Taste:
    """Draw until somebody is not like the usual person."""
    for _ in range(_TRIES):
        taste = draw()
        if np.corrcoef(taste.parts.sum(axis=1), usual)[0, 1] <= _LEAST_ALIKE:
            return taste
    raise RuntimeError(f"{_TRIES} draws found nobody unlike the earlier people.")


def _answers(
    table: Table, earlier: list[Person], rng: np.random.Generator
) -> Comparisons:
    """Let earlier people answer random questions."""
    pairs, users, ties = [], [], []
    for number, person in enumerate(earlier):
        for _ in range(_N_ANSWERS):
            i, j = rng.choice(len(table.items), 2, replace=False)
            said = person.answer(i, j, rng)
            pairs.append((j, i) if said == "right" else (i, j))
            users.append(number)
            ties.append(said == "tie")
    return Comparisons(*np.transpose(pairs), ties, users)


def learned_likeness(
    items: Items,
    told: Comparisons,
    n_after: int,
    features: Items | None,
    known: pd.DataFrame | None = None,
) -> float:
    """Learn how often people are like those before them, as a study does.

    Of the people who answered, the last `n_after`, at most half, are believed about
    with what those before them had answered.

    Parameters
    ----------
    items : Items
        What they compared.
    told : Comparisons
        Their answers.
    n_after : int
        How many came after the others.
    features : Items or None
        What the population knows of the items.
    known : DataFrame, optional
        What it knows of the people, whose numbers are its rows.
    """
    users, people = np.asarray(told.users), np.unique(np.asarray(told.users))
    after = people[-min(n_after, len(people) // 2) :]
    before = told.take(np.flatnonzero(~np.isin(users, after)))
    population = PopulationGP().fit(features, before, known)
    space = PersonSpace.from_items(items, population.for_user())
    chances = []
    for seed, user in enumerate(after):
        if known is not None:
            earlier = population.for_user(known.iloc[user])
            space = PersonSpace.from_items(items, earlier)
        mine = told.take(np.flatnonzero(users == user))
        belief = PersonBelief.begin(space, seed)
        for i, j, tie in zip(mine.winners, mine.losers, mine.ties, strict=True):
            belief = (belief.update_tie if tie else belief.update)(int(i), int(j))
        chances.append(belief.like_others)
    return learn_like_earlier(chances, space)
