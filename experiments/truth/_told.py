"""What a conversation tells a person, read off as the app does, against the truth."""

from collections.abc import Callable
from typing import Any

import numpy as np

from experiments.truth._people import Person
from experiments.truth._tables import Table
from experiments.truth._worlds import World
from penchant.elicitation import Elicitor
from penchant.gp import LapsePosterior

__all__ = ["CARES", "elicitor_for", "told_to"]

CARES = 0.05
"""A person cares about an attribute that has at least this share."""

Add = Callable[..., None]


def elicitor_for(world: World, seed: int, *, gaussian: bool) -> Elicitor:
    """Begin a conversation as the app does, or as it did with a Gaussian belief."""
    items, population = world.table.items, world.population
    if not gaussian:
        like = world.like_earlier
        return Elicitor(population, items=items, random_state=seed, like_earlier=like)
    if population is None:
        raise ValueError("The Gaussian belief is compared with earlier people only.")
    belief = LapsePosterior(
        population.prior_mean,
        population.prior_cov,
        noise=max(population.noise, 0.2),
        tie_width=population.tie_width,
    )
    return Elicitor(belief, random_state=seed, items=items, belief="gaussian")


def told_to(
    elicitor: Elicitor, table: Table, person: Person, item: int, q: int, add: Add
) -> None:
    """Check every statement after q answers; the Gaussian belief makes none."""
    belief: Any = elicitor.posterior
    if not hasattr(belief, "points"):
        return
    (centre, span), names = belief.scale, table.names
    truth = 50 + 100 / span * (person.utility - centre)
    _cover(belief.points(), truth, f"points {q}", add)
    if not names:
        return
    _cover(belief.parts(item), 100 / span * person.parts[item], f"parts {q}", add)
    _cover(belief.shares(), person.shares, f"shares {q}", add)
    told = elicitor.main_reason().attributes
    add(f"told {q}", bool(told))
    if told:
        add(f"reason {q}", names[int(person.parts[item].argmax())] in told)
    cared = {names[k] for k in np.flatnonzero(person.shares >= CARES)}
    listed = belief.cared_about()
    add(f"listed {q}", len(cared & set(listed)), len(listed))
    true = {frozenset(names[k] for k in pair) for pair in person.pairs}
    pairs = {frozenset(pair[:2]) for pair in belief.together()}
    add(f"false pairs {q}", bool(pairs - true))
    add(f"true pairs {q}", bool(pairs & true))


def _cover(estimate: Any, truth: np.ndarray, figure: str, add: Add) -> None:
    """Count how many of the ranges hold the truth."""
    inside = (estimate.low <= truth) & (truth <= estimate.high)
    add(figure, inside.sum(), inside.size)
