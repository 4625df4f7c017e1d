"""Choose one pair: candidates, a policy, and a fair draw between equals."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from penchant.elicitation._belief import Moments, Pair, View, gains_over
from penchant.elicitation._dominance import LARGE, Dominance
from penchant.elicitation.person import PersonBelief
from penchant.elicitation.policies._bald import bald
from penchant.elicitation.policies._duels import (
    best_and_largest,
    knockout,
    random_pair,
    thompson,
)
from penchant.elicitation.policies._scores import (
    eubo,
    evoi,
    gradient_of,
    knowledge_gradient,
    restricted_voi,
    upper_of,
)
from penchant.exceptions import DataError
from penchant.typing import FloatArray, IntArray

_MAX_CANDIDATES = 256
"""Items of which all pairs are scored; of more, a shortlist of so many."""

_N_DRAWN = 30
"""Items of which all pairs are scored on the draws of a `PersonBelief`."""

_SHORTLIST = 500
"""Pairs of the largest EUBO whose exact knowledge gradient is computed."""

_EQUAL = 1e-9
"""Scores that differ by less than this share of a utility's spread are equal."""

Policy = str | Callable[[Any, IntArray], Any]


@dataclass(frozen=True, eq=False)
class Situation:
    """All that a choice depends on.

    Parameters
    ----------
    posterior : Posterior
        What is known of the person.
    contenders : ndarray of int
        Items that can be the best.
    blocked : ndarray of int of shape (n, 2)
        Pairs not to ask.
    order : ndarray of int of shape (n_items,)
        Items by popularity at the start, for the knockout.
    rng : Generator
        Draws between equals, and for the policies that draw.
    known : Dominance or None
        What need not be asked.
    contenders_only : bool
        Whether questions about other items are pointless.
    allowed : ndarray of int, optional
        The items that may be asked about and recommended; default: all.
    """

    posterior: Moments
    contenders: IntArray
    blocked: IntArray
    order: IntArray
    rng: np.random.Generator
    known: Dominance | None = None
    contenders_only: bool = False
    allowed: IntArray | None = None

    def pairs_of(self, items: IntArray) -> IntArray:
        """Give the pairs of some items that may be asked, shape (n_pairs, 2)."""
        first, second = _triangle(items.size)
        allowed = np.ones((items.size, items.size), dtype=bool)
        if len(self.blocked):
            place = np.full(self.order.size, -1)
            place[items] = np.arange(items.size)
            rows, columns = place[self.blocked].T
            here = (rows >= 0) & (columns >= 0)
            allowed[rows[here], columns[here]] = False
            allowed[columns[here], rows[here]] = False
        if self.known is not None:
            if self.order.size <= LARGE:
                relation = self.known.relation[np.ix_(items, items)]
            else:
                relation = self.known.between(items, items)
            allowed &= ~(relation | relation.T)
        kept = allowed[first, second]
        return np.column_stack([items[first[kept]], items[second[kept]]])


@lru_cache(maxsize=8)
def _triangle(size: int) -> tuple[IntArray, IntArray]:
    first, second = np.triu_indices(size, k=1)
    return first.astype(np.int64), second.astype(np.int64)


def check_policy(policy: Policy) -> Policy:
    """Return a policy that can be called, or its name with hyphens."""
    if callable(policy):
        return policy
    name = str(policy).replace("_", "-")
    if name in POLICIES:
        return name
    raise DataError(
        f"policy must be one of {', '.join(sorted(POLICIES))}, or a function of a "
        f"posterior and pairs. Got {policy!r}."
    )


def choose_pair(policy: Policy, situation: Situation) -> Pair | None:
    """Give the pair that a policy asks next, None if there is nothing to ask."""
    allowed = situation.allowed
    rivals = np.arange(situation.order.size) if allowed is None else allowed
    pools = [situation.contenders, rivals]
    if situation.contenders_only:
        pools = pools[:1]
    elif policy in ("bald", "random-pair"):
        pools = pools[1:]
    for pool in pools:
        pairs = situation.pairs_of(_shortlist(policy, situation, pool))
        if len(pairs):
            return _decide(policy, situation, pairs)
    return None


def _shortlist(policy: Policy, situation: Situation, pool: IntArray) -> IntArray:
    """Keep so few items that all pairs of them can be scored."""
    posterior = situation.posterior
    on_draws = policy in _ON_DRAWS and isinstance(posterior, PersonBelief)
    size = _N_DRAWN if on_draws else _MAX_CANDIDATES
    if pool.size <= size:
        return pool
    if on_draws:
        upper = posterior.mean[pool] + np.sqrt(posterior.variance[pool])
        return np.sort(pool[np.argpartition(-upper, size)[:size]])
    if policy == "random-pair":
        return np.sort(situation.rng.choice(pool, size, replace=False))
    if policy == "bald":
        return np.sort(pool[np.argsort(-posterior.variance[pool])[:size]])
    if policy == "knockout":
        return _next_in_order(situation, pool, size)
    return leading_items(posterior, pool, size)


def _next_in_order(situation: Situation, pool: IntArray, size: int) -> IntArray:
    """Keep items with answers, and then the most popular ones."""
    answers = situation.posterior.answers
    seen = np.array([i for answer in answers for i in answer.items], dtype=np.int64)
    popular = situation.order[np.isin(situation.order, pool)]
    fresh = popular[~np.isin(popular, seen)][:size]
    return np.unique(np.concatenate([np.intersect1d(seen, pool)[-size:], fresh]))


def leading_items(posterior: Moments, pool: IntArray, size: int) -> IntArray:
    """Keep the items of a pool that are most likely to be in a good question.

    Three fifths by the expected gain over the leader, a fifth each by the mean and
    by the upper end of what is believed.
    """
    if pool.size <= size:
        return pool
    mean, std = posterior.mean[pool], np.sqrt(posterior.variance[pool])
    leader = int(pool[np.argmax(mean)])
    gains = gains_over(posterior, leader)[pool]
    parts = [
        _largest(gains, 3 * size // 5),
        _largest(mean, size // 5),
        _largest(mean + 2.0 * std, size // 5),
    ]
    items: IntArray = pool[np.unique(np.concatenate(parts))]
    return items


def _largest(values: FloatArray, n: int) -> IntArray:
    if values.size <= n:
        return np.arange(values.size)
    return np.argpartition(-values, n)[:n]


def pick_largest(scores: FloatArray, rng: np.random.Generator, tolerance: float) -> int:
    """Give the place of the largest score; draw between those that are equal."""
    best = np.flatnonzero(scores >= scores.max() - tolerance)
    return int(best[0] if best.size == 1 else rng.choice(best))


def _decide(policy: Policy, situation: Situation, pairs: IntArray) -> Pair:
    belief = situation.posterior
    if policy in _ON_DRAWS and isinstance(belief, PersonBelief):
        result: Any = belief.better_of(pairs)
    elif isinstance(policy, str):
        result = POLICIES[policy](situation, pairs)
    else:
        result = policy(situation.posterior, pairs)
    if isinstance(result, tuple):
        return int(result[0]), int(result[1])
    chosen = pick_largest(np.asarray(result), situation.rng, _tolerance(situation))
    first, second = pairs[chosen]
    return int(first), int(second)


_ON_DRAWS = ("eubo", "eubo-kg")
"""Policies that a `PersonBelief` answers from its draws: the expected better one."""


def _tolerance(situation: Situation) -> float:
    return _EQUAL * float(np.sqrt(situation.posterior.variance.max()))


def _eubo_then_gradient(situation: Situation, pairs: IntArray) -> Pair:
    """Give the best pair: a shortlist by EUBO, the best of it by the gradient.

    Where no answer to any pair can change the recommendation the gradient is zero
    throughout; EUBO then decides.
    """
    targets = _targets(situation, pairs)
    view, first, second = View.of_pairs(situation.posterior, pairs, targets)
    upper = upper_of(view, first, second)
    chosen = _largest(upper, _SHORTLIST)
    gradient = gradient_of(view, first[chosen], second[chosen])
    tolerance = _tolerance(situation)
    equal = chosen[gradient >= gradient.max() - tolerance]
    best = equal[pick_largest(upper[equal], situation.rng, tolerance)]
    return int(pairs[best, 0]), int(pairs[best, 1])


def _targets(situation: Situation, pairs: IntArray) -> IntArray:
    """Give the items among which the best one is sought."""
    few = situation.posterior.n_items <= LARGE
    return situation.contenders if few else np.unique(pairs)


def _level(situation: Situation) -> float | Literal["mean"]:
    """Give what is to be improved on: the best mean of what may be chosen."""
    if situation.allowed is None:
        return "mean"
    return float(situation.posterior.mean[situation.allowed].max())


POLICIES: dict[str, Callable[[Situation, IntArray], Any]] = {
    "bald": lambda s, pairs: bald(s.posterior, pairs),
    "best-and-largest": lambda s, pairs: best_and_largest(s.posterior, pairs),
    "eubo": lambda s, pairs: eubo(s.posterior, pairs),
    "eubo-kg": _eubo_then_gradient,
    "evoi": lambda s, pairs: evoi(
        s.posterior, pairs, among=_targets(s, pairs), f_best=_level(s)
    ),
    "evoi-refit": lambda s, pairs: evoi(
        s.posterior,
        pairs,
        among=_targets(s, pairs),
        f_best=_level(s),
        refit=s.posterior.update,
    ),
    "knockout": lambda s, pairs: knockout(
        s.posterior, pairs, order=s.order, among=s.allowed
    ),
    "knowledge-gradient": lambda s, pairs: knowledge_gradient(
        s.posterior, pairs, among=_targets(s, pairs)
    ),
    "random-pair": lambda s, pairs: random_pair(s.posterior, pairs, random_state=s.rng),
    "restricted-voi": lambda s, pairs: restricted_voi(
        s.posterior, pairs, among=s.allowed
    ),
    "thompson": lambda s, pairs: thompson(s.posterior, pairs, random_state=s.rng),
}
