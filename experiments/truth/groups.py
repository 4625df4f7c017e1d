"""Groups whose tastes are known: how true is what is said of them.

Every group has new tastes, new people and new conversations. Worlds: identical people
(noise .2 and .6 in turn), one crowd, two kinds, two opposed kinds, three kinds, and a
continuum between two tastes, in which there are no kinds. People are linear in the
attributes of forty flats and answer twelve questions as a study asks them; people who
always press left, alternate or press at random join the crowd and the two kinds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from penchant.datasets import load_flats
from penchant.elicitation.groups import (
    GroupBelief,
    Newcomer,
    PersonAnswers,
    believe_group,
    own_checks,
)
from penchant.studies import FORMS, AnsweredQuestion
from penchant.studies._group import tell_group
from penchant.studies._start import Start
from penchant.studies._talk import Talk
from penchant.typing import FloatArray, IntArray

__all__ = ["WORLDS", "run"]

N_PEOPLE, N_ANSWERS = 30, 12
SIZES = (10, 20, 30)
NOISE, NOISY, LAPSE = 0.2, 0.6, 0.03
DIFFERENT = 10.0
"""Points of standard deviation between people from which opinions do differ."""

CLICKERS: dict[str, Callable[[int, np.random.Generator], bool]] = {
    "left": lambda _number, _rng: True,
    "alternating": lambda number, _rng: number % 2 == 0,
    "random": lambda _number, rng: bool(rng.random() < 0.5),
}


@dataclass(frozen=True, eq=False)
class World:
    """One group.

    Parameters
    ----------
    utilities : ndarray of shape (n_people, n_items)
        What is true.
    kinds : ndarray of int of shape (n_people,)
        Who belongs together.
    noise : float
        Of their answers.
    """

    utilities: FloatArray
    kinds: IntArray
    noise: float = NOISE


@cache
def _flats() -> tuple[Start, Newcomer, FloatArray]:
    items = load_flats()
    start = Start.from_items(items)
    X = items.encode()
    return start, Newcomer.from_belief(start.posterior), (X - X.mean(0)) / X.std(0)


def _utilities(tastes: FloatArray) -> FloatArray:
    values = tastes @ _flats()[2].T
    values = values - values.mean(axis=1, keepdims=True)
    standard: FloatArray = values / values.std(axis=1, keepdims=True)
    return standard


def _taste(rng: np.random.Generator) -> FloatArray:
    """Draw weights: a few matter much, and some people want the opposite."""
    weights: FloatArray = rng.exponential(size=_flats()[2].shape[1]) ** 1.5
    return weights * np.where(rng.random(weights.size) < 0.15, -1.0, 1.0)


def _around(
    taste: FloatArray, n: int, share: float, rng: np.random.Generator
) -> FloatArray:
    """Draw people whose weights differ by a share of the mean weight."""
    spread = share * np.abs(taste).mean()
    drawn: FloatArray = taste + spread * rng.standard_normal((n, taste.size))
    return drawn


def _tastes(
    n: int, rng: np.random.Generator, low: float = -1.0, high: float = 0.3
) -> FloatArray:
    """Draw tastes whose utilities correlate by at least `low` and at most `high`."""
    while True:
        found = np.stack([_taste(rng) for _ in range(n)])
        apart = np.corrcoef(_utilities(found))[np.triu_indices(n, 1)]
        if np.all((apart >= low) & (apart <= high)):
            return found


def _segments(
    n_kinds: int, rng: np.random.Generator, n: int, high: float = 0.3
) -> World:
    tastes = _tastes(n_kinds, rng, high=high)
    kinds = rng.permutation(np.arange(n) % n_kinds)
    people = np.stack([_around(tastes[kind], 1, 0.3, rng)[0] for kind in kinds])
    return World(_utilities(people), kinds)


def _identical(number: int, rng: np.random.Generator, n: int) -> World:
    tastes = np.repeat(_taste(rng)[None], n, axis=0)
    noise = (NOISE, NOISY)[number % 2]
    return World(_utilities(tastes), np.zeros(n, dtype=np.int64), noise)


def _crowd(_number: int, rng: np.random.Generator, n: int) -> World:
    people = _around(_taste(rng), n, 0.5, rng)
    return World(_utilities(people), np.zeros(n, dtype=np.int64))


def _continuum(_number: int, rng: np.random.Generator, n: int) -> World:
    ends = _tastes(2, rng)
    along = np.clip(0.5 + 0.25 * rng.standard_normal((n, 1)), 0.0, 1.0)
    people = along * ends[0] + (1 - along) * ends[1]
    return World(_utilities(people), np.zeros(n, dtype=np.int64))


WORLDS: dict[str, Callable[[int, np.random.Generator, int], World]] = {
    "identical": _identical,
    "crowd": _crowd,
    "two": lambda _number, rng, n: _segments(2, rng, n),
    "opposed": lambda _number, rng, n: _segments(2, rng, n, high=-0.3),
    "three": lambda _number, rng, n: _segments(3, rng, n),
    "continuum": _continuum,
}


def converse(
    choose: Callable[[int, int, int], bool],
    seed: int,
    n_answers: int = N_ANSWERS,
    n_checks: int = 0,
) -> PersonAnswers:
    """Ask somebody as a study does, with check questions after the others.

    `choose` tells from the number of the question and its two items whether the left
    one is chosen.
    """
    talk = Talk.from_start(_flats()[0], seed)
    rng = np.random.default_rng([seed, 3])
    for number in range(n_answers):
        found = FORMS["pair"].choose(talk)
        if found is None:
            break
        talk = _answered(talk, number, found[0], choose)
    for winner, loser in _checks(talk, n_checks, rng):
        pair = (winner, loser) if rng.random() < 0.5 else (loser, winner)
        talk = _answered(talk, len(talk.answers), pair, choose)
    return replace(tell_group(talk.answers), checked=n_checks > 0)


def _answered(
    talk: Talk,
    number: int,
    pair: tuple[int, ...],
    choose: Callable[[int, int, int], bool],
) -> Talk:
    said = "left" if choose(number, *pair) else "right"
    return talk.after(AnsweredQuestion(f"{number}", "pair", pair, said))


def _checks(talk: Talk, n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Choose check questions from draws of the belief about the person."""
    if not n:
        return []
    drawn = np.concatenate(list(talk.posterior.sample(256, rng)))
    asked = [(told.items[0], told.items[1]) for told in talk.answers]
    return own_checks(drawn.reshape(-1, talk.posterior.n_items), asked=asked, n=n)


def honest(
    utilities: FloatArray, noise: float, seed: int, n_checks: int = 0
) -> PersonAnswers:
    """Ask an honest person who slips now and then."""
    rng = np.random.default_rng([seed, 1])

    def choose(_number: int, a: int, b: int) -> bool:
        felt = utilities[a] - utilities[b] + noise * rng.standard_normal()
        return bool((felt > 0) != (rng.random() < LAPSE))

    return converse(choose, seed, n_checks=n_checks)


def clicker(kind: str, seed: int, n_checks: int = 0) -> PersonAnswers:
    """Ask somebody who does not read."""
    rng = np.random.default_rng([seed, 2])
    press = CLICKERS[kind]
    return converse(lambda number, _a, _b: press(number, rng), seed, n_checks=n_checks)


def groups(
    name: str, n_groups: int, seed: int, n: int = N_PEOPLE, n_checks: int = 0
) -> Iterator[tuple[World, list[PersonAnswers], np.random.Generator]]:
    """Make groups of a world, with the answers of everybody."""
    for number in range(n_groups):
        rng = np.random.default_rng([seed, sorted(WORLDS).index(name), number])
        world = WORLDS[name](number, rng, n)
        people = [
            honest(row, world.noise, int(rng.integers(2**31)), n_checks)
            for row in world.utilities
        ]
        yield world, people, rng


def points_of(utilities: FloatArray) -> FloatArray:
    """Give true points from 0 to 100 per person."""
    low = utilities.min(axis=1, keepdims=True)
    points: FloatArray = 100 * (utilities - low) / np.ptp(utilities, axis=1)[:, None]
    return points


def judge(found: GroupBelief, world: World) -> dict[str, Any]:
    """Compare what is said about a group with what is true."""
    points = points_of(world.utilities)
    consensus, deviation = points.mean(axis=0), points.std(axis=0)
    order, tier = found.everybody.order, found.everybody.tier
    leaders = [order[tier[order] == t][0] for t in range(tier.max() + 1)]
    behind = [
        consensus[leaders[t]] > consensus[item]
        for item in range(tier.size)
        for t in range(tier[item])
    ]
    first = int(order[0])
    n_said = {"none": 1, "lean": 2, "two": 2, "three": 3}[found.statement]
    sure = found.kind >= 0
    agree = max(
        (
            np.mean(np.array(turn)[found.kind[sure]] == world.kinds[sure])
            for turn in permutations(range(n_said))
        ),
        default=0.0,
    )
    return {
        "said": found.statement,
        "membership": float(agree),
        "assigned": float(sure.mean()),
        "tau": float(kendalltau(found.everybody.mean, consensus).statistic),
        "regret": float(consensus.max() - consensus[first]),
        "chance": found.everybody.chance,
        "as_good": bool(consensus[first] >= consensus.max() - 2.0),
        "in_first_tier": bool(tier[consensus.argmax()] == 0),
        "behind_true": float(np.mean(behind)) if behind else np.nan,
        "n_tiers": int(tier.max() + 1),
        "first_tier": int((tier == 0).sum()),
        "covered": float(
            np.mean(
                (found.everybody.low <= consensus) & (consensus <= found.everybody.high)
            )
        ),
        "differ": found.differ is not None,
        "differ_wrong": found.differ is not None
        and bool(deviation[found.differ] <= DIFFERENT),
        "honest_flagged": float(found.careless.mean()),
    }


def _summary(rows: list[dict[str, Any]]) -> dict[str, float]:
    said = [row["said"] for row in rows]
    figures = {f"said_{s}": said.count(s) / len(said) for s in ("none", "lean", "two")}
    figures["said_three"] = said.count("three") / len(said)
    for key in rows[0]:
        if key != "said":
            figures[key] = float(np.nanmean([float(row[key]) for row in rows]))
    told = [row["membership"] for row in rows if row["said"] != "none"]
    figures["membership"] = float(np.mean(told)) if told else float("nan")
    return figures


def run_kinds(
    n_groups: int,
    random_state: int,
    names: tuple[str, ...] = tuple(WORLDS),
    sizes: tuple[int, ...] = SIZES,
) -> dict[str, dict[str, float]]:
    """Measure worlds at all sizes; smaller groups are the first of the largest."""
    figures = {}
    for name in names:
        rows: dict[int, list[dict[str, Any]]] = {n: [] for n in sizes}
        for world, people, _ in groups(name, n_groups, random_state):
            for n in sizes:
                part = World(world.utilities[:n], world.kinds[:n], world.noise)
                found = believe_group(_flats()[1], people[:n])
                rows[n].append(judge(found, part))
        for n in sizes:
            figures[f"{name} {n}"] = _summary(rows[n])
    return figures


def run_careless(
    n_groups: int,
    random_state: int,
    n_checks: int = 2,
    names: tuple[str, ...] = ("crowd", "two"),
) -> dict[str, dict[str, float]]:
    """Measure who is called careless: one of each kind of clicking, two at random."""
    figures = {}
    kinds = ("left", "alternating", "random", "random")
    for name in names:
        flagged: dict[str, list[bool]] = {kind: [] for kind in (*kinds, "honest")}
        drawn = groups(name, n_groups, random_state + 1, n_checks=n_checks)
        for _, people, rng in drawn:
            seeds = rng.integers(2**31, size=len(kinds))
            clickers = [
                clicker(kind, int(seed), n_checks)
                for kind, seed in zip(kinds, seeds, strict=True)
            ]
            found = believe_group(_flats()[1], [*people, *clickers])
            flagged["honest"] += found.careless[: len(people)].tolist()
            for kind, flag in zip(kinds, found.careless[len(people) :], strict=True):
                flagged[kind].append(bool(flag))
        figures[f"careless {name} checks {n_checks}"] = {
            kind: float(np.mean(flags)) for kind, flags in flagged.items()
        }
    return figures


def run(n_groups: int, random_state: int = 0) -> dict[str, dict[str, float]]:
    """Measure all figures about groups.

    Parameters
    ----------
    n_groups : int
        Groups per world.
    random_state : int
        Seed.

    Returns
    -------
    dict from str to dict from str to float
        Per world and number of people: shares of what was said of kinds, Kendall's
        tau and regret of the common ranking, how often what is said is true; and who
        was called careless.
    """
    return {
        **run_kinds(n_groups, random_state),
        **run_careless(n_groups, random_state, n_checks=0),
        **run_careless(n_groups, random_state, n_checks=2),
    }
