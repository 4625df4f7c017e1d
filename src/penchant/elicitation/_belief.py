"""The belief about a person: one protocol, and what is read off it.

Scores of pairs need moments (`View`), recommendations which item is best (`best_item`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

import numpy as np
from scipy.special import ndtr

from penchant.elicitation.person import PersonBelief
from penchant.gp import Answer, Draws
from penchant.typing import FloatArray, IntArray

Pair: TypeAlias = tuple[int, int]

_MAX_ITEMS = 64
"""Items that are compared jointly; the others' share is bounded."""

_TINY = 1e-13
"""Share of the largest variance below which a variance is rounding."""


class Moments(Protocol):
    """Means and covariances of what the items are worth: what scores of pairs need."""

    @property
    def n_items(self) -> int:
        """Number of items."""
        ...

    @property
    def mean(self) -> FloatArray:
        """Mean utility of each item, shape (n_items,)."""
        ...

    @property
    def variance(self) -> FloatArray:
        """Variance of each utility, shape (n_items,)."""
        ...

    @property
    def noise(self) -> float:
        """Standard deviation sigma of an answer (GP-1)."""
        ...

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The evidence so far, in order."""
        ...

    def block(self, items: IntArray) -> FloatArray:
        """Give the covariance among some items, shape (k, k)."""
        ...

    def cross(self, items: IntArray) -> FloatArray:
        """Give columns of the covariance, shape (n_items, k)."""
        ...

    def update(self, winner: int, loser: int) -> Self:
        """Give the belief after one item was preferred to another."""
        ...


class Belief(Moments, Protocol):
    """The belief about one person; it never changes, what is learned gives a new one.

    `PersonBelief` is the one of the app, `Posterior` that of GPPE. Whatever is asked,
    recommended or told goes through these methods only.
    """

    @property
    def negligible(self) -> float:
        """Share of the largest expected gain below which an item cannot matter."""
        ...

    def with_answers(self, answers: Iterable[Answer]) -> Self:
        """Learn from evidence of any kind."""
        ...

    def without(self, k: int) -> Self:
        """Forget the k-th piece of evidence."""
        ...

    def draw(self, items: IntArray) -> Draws:
        """Draw utilities of some items; every draw has a weight."""
        ...

    def sample(
        self, n: int, rng: np.random.Generator, items: IntArray | None = None
    ) -> Iterator[FloatArray]:
        """Yield utilities of n people of whom the same is believed."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Give the belief as plain values for JSON."""
        ...


def density(z: FloatArray) -> FloatArray:
    """Give the standard normal density."""
    values: FloatArray = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    return values


def expected_excess(mean: FloatArray, spread: FloatArray) -> FloatArray:
    """Give E max(g, 0) of g ~ N(mean, spread^2); the positive part where spread is 0.

    Written as ``max(mean, 0) + spread * (phi(a) - a Phi(-a))``, a = abs(mean)/spread,
    so that nothing cancels.
    """
    safe = np.where(spread > 0, spread, 1.0)
    a = np.abs(mean) / safe
    tail = np.maximum(density(a) - a * ndtr(-a), 0.0)
    excess: FloatArray = np.maximum(mean, 0.0) + np.where(spread > 0, spread * tail, 0)
    return excess


@dataclass(frozen=True, eq=False)
class View:
    """A belief about candidate items, and how they move with the target items.

    Parameters
    ----------
    items : ndarray of shape (k,)
        The candidates for questions; `first` and `second` are positions in it.
    mean : ndarray of shape (k,)
        Their means.
    cov : ndarray of shape (k, k)
        Their covariance.
    targets : ndarray of shape (m,)
        The items that may be recommended.
    target_mean : ndarray of shape (m,)
        Their means.
    rows : ndarray of shape (k, m)
        Covariance of candidates with targets.
    noise : float
        Standard deviation of an answer.
    """

    items: IntArray
    mean: FloatArray
    cov: FloatArray
    targets: IntArray
    target_mean: FloatArray
    rows: FloatArray
    noise: float

    @classmethod
    def from_belief(
        cls, posterior: Moments, items: IntArray, targets: IntArray | None = None
    ) -> Self:
        """Look at some items of a posterior; without targets they are the targets."""
        mean = posterior.mean
        if targets is None:
            cov = rows = posterior.block(items)
            targets = items
        else:
            columns = posterior.cross(items)
            cov, rows = columns[items], np.ascontiguousarray(columns[targets].T)
        return cls(
            items,
            mean[items],
            cov,
            targets,
            mean[targets],
            rows,
            float(posterior.noise),
        )

    @classmethod
    def of_pairs(
        cls, posterior: Moments, pairs: IntArray, targets: IntArray | None = None
    ) -> tuple[Self, IntArray, IntArray]:
        """Look at the items of some pairs; give also the pairs as positions."""
        place = np.zeros(posterior.n_items, dtype=np.int64)
        place[pairs] = 1
        items = np.flatnonzero(place)
        place[items] = np.arange(items.size)
        return (
            cls.from_belief(posterior, items, targets),
            place[pairs[:, 0]],
            place[pairs[:, 1]],
        )

    def difference(
        self, first: IntArray, second: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Give mean and standard deviation of the difference of utilities."""
        variance = np.diagonal(self.cov)
        s2 = variance[first] + variance[second] - 2.0 * self.cov[first, second]
        floor = _TINY * variance.max(initial=0.0)
        spread = np.sqrt(np.where(s2 > floor, s2, 0.0))
        return self.mean[first] - self.mean[second], spread

    def answer_scale(self, spread: FloatArray) -> FloatArray:
        """Give t of GP-8, the standard deviation of a noisy difference, never 0."""
        floor = _TINY * (1.0 + np.diagonal(self.cov).max(initial=0.0))
        scale: FloatArray = np.sqrt(np.maximum(spread**2 + self.noise**2, floor))
        return scale


@dataclass(frozen=True)
class Recommendation:
    """An item, and what is believed about it.

    Parameters
    ----------
    item : int
        The item.
    mean, std : float
        Expected utility and its standard deviation.
    probability_best : float
        Probability that no other item is better; from a `PersonBelief`, that none is
        better by more than the person would call equal.
    expected_regret : float
        What the person loses in expectation by taking it instead of the best one.
    """

    item: int
    mean: float
    std: float
    probability_best: float
    expected_regret: float

    def to_dict(self) -> dict[str, Any]:
        """Give the recommendation as plain values for JSON."""
        return asdict(self)


class BestItem(NamedTuple):
    """The belief about which of some items is the best.

    Parameters
    ----------
    items : ndarray of int of shape (k,)
        The items that have a chance, the leader (largest mean) first.
    probability : ndarray of shape (k,)
        The probability of being the best; sums to 1.
    expected_regret : float
        E max f - E f of the leader over these items: what is lost, in expectation,
        by taking the leader.
    left_out : float
        At most so much the items that were left out could add to the regret; a
        crude bound, the sum of their expected gains over the leader.
    """

    items: IntArray
    probability: FloatArray
    expected_regret: float
    left_out: float

    def chance(self, item: int) -> float:
        """Give the probability that an item is the best; 0 if it was left out."""
        return float(self.probability[self.items == item].sum())


def best_item(belief: Belief, contenders: IntArray | None = None) -> BestItem:
    """Give probabilities of being the best and the expected regret of the leader.

    Exact for two items and no answers, otherwise from draws of the belief: with 4096
    of them probabilities are right to about .01 and the regret to about .005 standard
    deviations of a utility. At most 64 items are compared jointly, those with the
    largest expected gain over the leader; `left_out` bounds what the others add.

    Parameters
    ----------
    belief : Belief
        What is known of the person.
    contenders : ndarray of int, optional
        The items that can be the best; default: all.

    Returns
    -------
    BestItem
    """
    items = np.arange(belief.n_items) if contenders is None else contenders
    leader = int(items[np.argmax(belief.mean[items])])
    items = items[items != leader]
    if isinstance(belief, PersonBelief):  # its draws are there, for all items
        return _best_drawn(belief, np.concatenate([[leader], items]), 0.0)
    gains = gains_over(belief, leader)[items]
    chosen = np.argsort(-gains, kind="stable")[: _MAX_ITEMS - 1]
    chosen = chosen[gains[chosen] > belief.negligible * gains.max(initial=0.0)]
    left_out = max(float(gains.sum() - gains[chosen].sum()), 0.0)
    kept = np.concatenate([[leader], items[chosen]])
    if kept.size == 1:
        return BestItem(kept, np.ones(1), 0.0, left_out)
    if kept.size == 2 and not belief.answers:
        p = _probability_ahead(belief, kept)
        return BestItem(kept, np.array([1 - p, p]), float(gains[chosen[0]]), left_out)
    return _best_drawn(belief, kept, left_out)


def _best_drawn(belief: Belief, kept: IntArray, left_out: float) -> BestItem:
    """Count in draws which item is the best; the leader is the first."""
    utilities, weights = belief.draw(kept)
    winners = utilities.argmax(axis=1)  # of equals the first, which is the leader
    share = np.bincount(winners, weights, minlength=kept.size).astype(np.float64)
    regret = float(weights @ (utilities.max(axis=1) - utilities[:, 0]))
    return BestItem(kept, share, regret, left_out)


def _probability_ahead(posterior: Moments, pair: IntArray) -> float:
    """Give the probability that the second of two items is better."""
    cov, mean = posterior.block(pair), posterior.mean[pair]
    spread = np.sqrt(cov[0, 0] + cov[1, 1] - 2.0 * cov[0, 1])
    return float(ndtr((mean[1] - mean[0]) / spread))


def gains_over(posterior: Moments, leader: int) -> FloatArray:
    """Give E max(f_x - f_leader, 0) for every item x; 0 for the leader itself."""
    mean, variance = posterior.mean, posterior.variance
    shared = posterior.cross(np.array([leader]))[:, 0]
    s2 = np.maximum(variance + variance[leader] - 2.0 * shared, 0.0)
    gains = expected_excess(mean - mean[leader], np.sqrt(s2))
    gains[leader] = 0.0
    return gains
