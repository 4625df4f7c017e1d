"""The rival: a Bayesian linear model that asks by EUBO over all pairs."""

import numpy as np

from experiments.truth._people import Person
from experiments.truth._tables import Table
from experiments.truth._worlds import World
from penchant.elicitation.policies import eubo
from penchant.gp import Posterior

__all__ = ["rival_regrets"]

_NOISE, _WIDTH = 0.2, 0.1


def rival_regrets(
    world: World, person: Person, n_questions: int, rng: np.random.Generator
) -> np.ndarray:
    """Give the regret of its favourite before and after each question."""
    belief = _prior(world)
    pairs = np.column_stack(np.triu_indices(belief.n_items, k=1))
    asked = np.zeros(len(pairs), dtype=bool)
    regrets = [person.regret(int(belief.mean.argmax()))]
    for _ in range(n_questions):
        best = int(np.where(asked, -np.inf, eubo(belief, pairs)).argmax())
        asked[best] = True
        i, j = pairs[best].tolist()
        answer = person.answer(i, j, rng)
        if answer == "tie":
            belief = belief.update_tie(i, j)
        else:
            belief = belief.update(*((i, j) if answer == "left" else (j, i)))
        regrets.append(person.regret(int(belief.mean.argmax())))
    return np.array(regrets)


def _prior(world: World) -> Posterior:
    """Give what the population tells or, without one, a line per attribute.

    Every attribute has the same prior variance v; one that everybody wants more of
    has mean sqrt(v/2) and variance v/2. A plain list has a number per item.
    """
    if world.population is not None:
        return world.population
    n_items, lines = len(world.table.items), _lines(world.table)
    if not lines:
        return Posterior(np.zeros(n_items), np.eye(n_items), _NOISE, _WIDTH)
    v = 1.0 / len(lines)
    mean, cov = np.zeros(n_items), np.zeros((n_items, n_items))
    for line, directed in zip(lines, world.table.directed, strict=True):
        mean += np.sqrt(v / 2) * line.sum(axis=1) * directed
        cov += (v / 2 if directed else v) * line @ line.T
    return Posterior(mean, cov, _NOISE, _WIDTH)


def _lines(table: Table) -> list[np.ndarray]:
    """Give each attribute's features, centred, with mean squared row norm 1."""
    lines = []
    for column in table.columns:
        centred = column.reshape(len(column), -1) - column.mean(axis=0)
        lines.append(centred / np.sqrt((centred**2).sum(axis=1).mean()))
    return lines
