"""What may be said about a group of people, all of it read off one set of draws."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from penchant.elicitation.groups._careless import FEWEST_CLICKS, log_careless
from penchant.elicitation.groups._draws import draw_group
from penchant.elicitation.groups._kinds import find_kinds
from penchant.elicitation.groups._mixture import Data
from penchant.elicitation.groups._people import Newcomer, PersonAnswers, Rows
from penchant.elicitation.groups._propagation import Sites, propagate
from penchant.exceptions import DataError
from penchant.typing import BoolArray, FloatArray, IntArray

SURE = 0.95
"""Probability with which one item is called clearly behind another."""

SURE_MEMBER = 0.9
"""Probability with which a person is said to be of a kind."""

DIFFER = 13.0
"""Standard deviation between people, in points, above which opinions differ."""

AS_GOOD = 2.0
"""Items that are this near in mean points are as good for a group."""

_ODDS, _ODDS_CHECKED = 0.0, -1.0
"""Log odds from which answers look careless, without and with check questions."""


@dataclass(frozen=True, eq=False)
class Consensus:
    """What several people want together.

    Parameters
    ----------
    mean : ndarray of shape (n_items,)
        Expected mean points.
    low, high : ndarray of shape (n_items,)
        90 % ranges of the mean.
    least, people_low, people_high : ndarray of shape (n_items,)
        Expected points from whoever likes an item least, and those between which
        eight of ten people lie.
    tier : ndarray of int of shape (n_items,)
        0 for the leader and what is not clearly behind it; tier t + 1 begins where
        an item, and each with fewer points, is clearly behind the leader of tier t.
    order : ndarray of int of shape (n_items,)
        Items by tier, then by mean, best first.
    chance : float
        Probability that the first item is the best, or as good: within 2 points.
    draws : ndarray of shape (n_draws, n_items)
        Mean points, that all of this is read off.
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray
    least: FloatArray
    people_low: FloatArray
    people_high: FloatArray
    tier: IntArray
    order: IntArray
    chance: float
    draws: FloatArray

    @classmethod
    def from_draws(cls, draws: FloatArray, people: FloatArray) -> "Consensus":
        """Read off draws of mean points, and what `GroupDraws` says of people."""
        mean = draws.mean(axis=0)
        low, high = np.quantile(draws, [0.05, 0.95], axis=0)
        tier = _tiers(draws, mean)
        order = np.lexsort((-mean, tier))
        ahead = draws[:, order[0]] >= draws.max(axis=1) - AS_GOOD
        least, most_low, most_high = people
        return cls(
            mean,
            low,
            high,
            least,
            most_low,
            most_high,
            tier,
            order,
            float(ahead.mean()),
            draws,
        )


def _tiers(draws: FloatArray, mean: FloatArray) -> IntArray:
    """Begin a tier where an item, and each behind it, is clearly behind the leader.

    Items are taken by their means, so that none of a tier has more points than one of
    the tier above.
    """
    tier = np.zeros(mean.size, dtype=np.int64)
    left = np.argsort(-mean, kind="stable")
    while left.size:
        behind = (draws[:, left[:1]] > draws[:, left]).mean(axis=0) >= SURE
        left = left[int(np.flatnonzero(~behind)[-1]) + 1 :]
        tier[left] += 1
    return tier


@dataclass(frozen=True, eq=False)
class GroupBelief:
    """What may be said about a group of people.

    Parameters
    ----------
    points : ndarray of shape (n_people, n_items)
        Expected points of each person, from 0 to 100.
    everybody : Consensus
        What all want together.
    statement : {"none", "lean", "two", "three"}
        No clear kinds of people; people lean to one of two sides; at least two
        kinds; three kinds, perhaps more.
    kind : ndarray of int of shape (n_people,)
        The kind of each person, the largest is 0; -1: between kinds. All 0 if there
        are no clear kinds.
    kinds : tuple of Consensus
        What the people of each kind want; empty if there are no clear kinds.
    deviation : ndarray of shape (n_items,)
        Expected standard deviation of the points between people.
    differ : int or None
        The one item on which opinions differ; None: that cannot be said of any.
    in_top : ndarray of shape (n_items,)
        Expected number of people who have an item among their first three.
    agreement : float
        How often two people put two items in the same order, expected; NaN for one
        person or one item.
    log_odds : ndarray of shape (n_people,)
        Of answers without reading against honest ones; minus infinity if unknown.
    careless : ndarray of bool of shape (n_people,)
        Whose answers look like clicking without reading.
    """

    points: FloatArray
    everybody: Consensus
    statement: str
    kind: IntArray
    kinds: tuple[Consensus, ...]
    deviation: FloatArray
    differ: int | None
    in_top: FloatArray
    agreement: float
    log_odds: FloatArray
    careless: BoolArray


def believe_group(
    newcomer: Newcomer,
    people: Sequence[PersonAnswers],
    random_state: int = 0,
    *,
    among: IntArray | None = None,
    votes: ArrayLike | None = None,
) -> GroupBelief:
    """Work out what may be said about a group.

    The answers of all people are fitted together by a mixture of clouds of tastes
    with a common spread, careless people apart; the number of clouds is chosen by
    evidence and guarded by a comparison with one cloud of the same mean and
    covariance. Everything else is read off joint draws.

    Parameters
    ----------
    newcomer : Newcomer
        What is believed of a person before the first question.
    people : sequence of PersonAnswers
        At least one person.
    random_state : int, default=0
        Seed of starts and draws.
    among : ndarray of int, optional
        The items that are looked at, by whose places in it all is told; points are
        those among all items. Default: all.
    votes : array-like of shape (n_people,), optional
        How often each person counts, above 0; default: once. Two votes count as two
        people who think the same. They do not make answers more than they are: what
        all answers together tell of tastes is as much as so many people can tell,
        and only votes in relation to each other matter.

    Notes
    -----
    Cubic in the answers of a person, linear in people; about half a second for 30
    people with 12 answers about 40 items.

    Examples
    --------
    >>> from penchant.gp import Answer
    >>> newcomer = Newcomer.from_moments(np.zeros(3), np.eye(3))
    >>> likes = tuple(Answer("comparison", pair) for pair in ((2, 1), (1, 0)))
    >>> found = believe_group(newcomer, [PersonAnswers(likes)] * 4)
    >>> found.statement, found.everybody.order.tolist(), found.differ
    ('none', [2, 1, 0], None)
    """
    if not people:
        raise DataError("A group needs at least one person with answers. Got none.")
    rng = np.random.default_rng(random_state)
    counted = _check_votes(votes, len(people))
    data = _data(newcomer, people, counted)
    found = find_kinds(data, newcomer, rng)
    member = found.best.membership(data)[:-1]
    kind = _assigned(member, counted)
    sets = np.stack(
        [np.ones(len(people), dtype=bool), *(kind == k for k in range(kind.max() + 1))]
    )
    drawn = draw_group(data, newcomer, found, sets, counted, rng, among)
    log_odds = found.best.log_odds_careless(data)
    limits = [_ODDS_CHECKED if person.checked else _ODDS for person in people]
    everybody, *kinds = map(Consensus.from_draws, drawn.means, drawn.people)
    if len(kinds) < 2:
        kind, kinds = np.zeros(len(people), dtype=np.int64), []
    return GroupBelief(
        points=drawn.points,
        everybody=everybody,
        statement=found.statement if kinds else "none",
        kind=kind,
        kinds=tuple(kinds),
        deviation=drawn.deviations.mean(axis=0),
        differ=_differ(drawn.deviations),
        in_top=drawn.in_top,
        agreement=drawn.agreement,
        log_odds=log_odds,
        careless=log_odds > np.array(limits),
    )


def _check_votes(votes: ArrayLike | None, n_people: int) -> FloatArray:
    if votes is None:
        return np.ones(n_people)
    known = np.asarray(votes, dtype=np.float64)
    if known.shape != (n_people,) or not np.all((known > 0) & (known < np.inf)):
        raise DataError(
            f"votes must be {n_people} numbers above 0, one per person. Got {votes!r}."
        )
    return known


def _assigned(member: FloatArray, votes: FloatArray) -> IntArray:
    """Give kinds of which people are surely one, the largest first; -1: between."""
    share = member / np.maximum(member.sum(axis=0), 1e-300)
    kind = np.where(share.max(axis=0) >= SURE_MEMBER, share.argmax(axis=0), -1)
    sizes = np.bincount(kind[kind >= 0], votes[kind >= 0], minlength=len(member))
    place = np.full(len(member) + 1, -1)
    place[np.argsort(-sizes, kind="stable")] = np.arange(len(member))
    return np.asarray(place[kind])


def _differ(deviations: FloatArray) -> int | None:
    sure = (deviations > DIFFER).mean(axis=0) >= SURE
    if not sure.any():
        return None
    return int(np.argmax(np.where(sure, deviations.mean(axis=0), -np.inf)))


def _data(
    newcomer: Newcomer, people: Sequence[PersonAnswers], votes: FloatArray
) -> Data:
    """Put answers together with what they would be without reading.

    Answers without sides count alike on both hands: they are as likely as for
    somebody new.
    """
    rows = Rows.stack(people, newcomer)
    careless = np.full(len(people), -np.inf)
    sided = np.zeros_like(rows.used)
    for p, person in enumerate(people):
        sided[p, : len(person.sides)] = [side is not None for side in person.sides]
        if len(person.clicks) >= FEWEST_CLICKS:
            careless[p] = log_careless(person.clicks)
    if np.any(rows.used & ~sided) and np.isfinite(careless).any():
        careless = careless + _log_z(rows) - _log_z(rows.only(sided))
    return Data(rows, careless, votes / votes.mean())


def _log_z(rows: Rows) -> FloatArray:
    flat = np.zeros_like(rows.mean)
    return propagate(rows, rows.mean, rows.H, Sites(flat, flat), 20).log_z
