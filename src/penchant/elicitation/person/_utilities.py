"""What is believed of the items' utilities: draws, moments, and the best item.

The draws of what a person may be like are the one source of all that is told.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import expit, logit, ndtr

from penchant._cached import cached_property
from penchant.elicitation.person._components import PriorMoments
from penchant.elicitation.person._propagation import State
from penchant.elicitation.person._rows import Rows, chosen, rejected
from penchant.elicitation.person._space import PersonSpace
from penchant.gp import Answer, Draws
from penchant.typing import FloatArray, IntArray

N_DRAWS = 768

_EQUAL = 0.1
"""Differences that nobody minds, in standard deviations of utility."""

TIES = 0.66
"""What `ties_at_the_top` adds to the logit of the share of the draws.

The share of draws in which an item is the best, or as good, was compared with the truth
for simulated people of many kinds (``python -m experiments.truth.calibration``). It was
too small above all for people who call some of the items that they like best equal: to
them several are as good as the best. What is said counts these ties; the one constant
was chosen so that no kind of people is told much more than is true.
"""

_N_TOP = 8
_MOST_TIES = 4
"""More were seldom seen."""


@dataclass(frozen=True, eq=False)
class PersonDraws:
    """Utilities with standard deviation 1 over the items, and what makes them.

    Parameters
    ----------
    utilities : ndarray of shape (n_draws, n_items)
        Centred and scaled, draw by draw.
    theta : ndarray of shape (n_draws, n_columns)
        Coefficients of the features, at the same scale.
    like : ndarray of shape (n_draws,)
        How much of the earlier people's mean is in it, at the same scale.
    width : ndarray of shape (n_draws,)
        Difference that the person calls equal, at the same scale.
    noise, lapse : ndarray of shape (n_draws,)
        How noisy (at the same scale) and how careless the answers are.
    weights : ndarray of shape (n_draws,)
        How much each draw counts; they sum to 1.
    """

    utilities: FloatArray
    theta: FloatArray
    like: FloatArray
    width: FloatArray
    noise: FloatArray
    lapse: FloatArray
    weights: FloatArray


def systematic(weights: FloatArray, n: int, start: float) -> IntArray:
    """Give n places, each as often as its weight says up to rounding."""
    points = (np.arange(n) + start) / n
    places = np.searchsorted(np.cumsum(weights), points * weights.sum())
    return np.asarray(np.minimum(places, weights.size - 1), dtype=np.int64)


@lru_cache(maxsize=4)
def _normals(n: int, width: int, seed: int) -> FloatArray:
    values = np.random.default_rng([seed, n, width]).standard_normal((n, width))
    values.setflags(write=False)
    return values


def ties_at_the_top(answers: Iterable[Answer], mean: FloatArray) -> float:
    """Give log(1 + ties among the best fifth of the items), four ties at most.

    Parameters
    ----------
    answers : iterable of Answer
        What the person said; a common grade is no tie.
    mean : ndarray of shape (n_items,)
        Expected utility of each item; the best fifth are two to eight items.
    """
    n_top = min(_N_TOP, max(2, mean.size // 5))
    top = set(np.argsort(-mean, kind="stable")[:n_top].tolist())
    tied = [a.items for a in answers if a.kind == "tie" and a.width is None]
    return float(np.log1p(min(sum(map(top.issuperset, tied)), _MOST_TIES)))


def calibrated(chance: FloatArray | float, ties: float) -> FloatArray:
    """Give the probability to tell: at least the share of the draws.

    Parameters
    ----------
    chance : float or ndarray
        Share of the draws.
    ties : float
        As `ties_at_the_top` gives it.
    """
    share = np.clip(chance, 0.0, 1.0)
    return np.asarray(expit(logit(share) + TIES * ties) if ties else share)


class Utilities:
    """What is believed of the items' utilities; what it is made of: `PersonBelief`."""

    space: PersonSpace
    prior: PriorMoments
    rows: Rows
    state: State
    log_weights: FloatArray
    answers: tuple[Answer, ...]

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.space.n_items

    @cached_property
    def weights(self) -> FloatArray:
        """Weights of the explanations; they sum to 1."""
        raw = np.exp(self.log_weights - self.log_weights.max())
        return np.asarray(raw / raw.sum())

    @cached_property
    def _means(self) -> tuple[FloatArray, FloatArray]:
        """Posterior means of theta and utilities under each explanation."""
        space, prior, rows, told = self.space, self.prior, self.rows, self.state.weights
        pulled = told @ rows.features
        theta = prior.mean + prior.block[:, space.block_of] * pulled
        own = space.own_scale * (prior.rest @ space.unknown) * (told @ rows.items)
        known = prior.like[:, None] * space.population_mean
        return theta, theta @ space.table.T + own + known

    @cached_property
    def mean(self) -> FloatArray:
        """Expected utility of each item in closed form, shape (n_items,)."""
        mean = self.weights @ self._means[1]
        mean.setflags(write=False)
        return np.asarray(mean)

    @cached_property
    def draws(self) -> PersonDraws:
        """What the person may be like: Matheron's rule on the rows, antithetic normals.

        A draw of explanation h is its posterior mean plus or minus a deviation: that of
        the prior, less what the rows would have told of it. Within an explanation draws
        count alike: what expectation propagation leaves out of one is small beside what
        tells them apart, and weights by likelihood over sites, with few draws that
        count, made the belief surer than it was right.
        """
        space, prior, rows, state = self.space, self.prior, self.rows, self.state
        half = N_DRAWS // 2
        h = systematic(self.weights, half, 0.5)
        tau = state.sites.tau
        deviation = np.sqrt(prior.block)[:, space.block_of][h]
        theta = _normals(half, space.block_of.size, 0) * deviation
        spread = (prior.rest @ space.unknown)[h]
        own = _normals(half, space.n_items, 1) * np.sqrt(spread)
        seen = theta @ rows.features.T + own @ rows.items.T
        noisy = seen + _normals(*seen.shape, 2) / np.sqrt(tau[h])
        pull = np.empty_like(noisy)
        drawn, starts = np.unique(h, return_index=True)
        ends = [*starts[1:].tolist(), half]
        for k, first, last in zip(drawn.tolist(), starts.tolist(), ends, strict=True):
            # a copy per draw would be large
            np.matmul(noisy[first:last], state.inner[k], out=pull[first:last])
        theta = theta - deviation**2 * (pull @ rows.features)
        own = own - spread * (pull @ rows.items)
        theta_mean, u_mean = self._means
        u_dev = theta @ space.table.T + space.own_scale * own
        both = np.concatenate([h, h])
        utilities = np.vstack([u_mean[h] + u_dev, u_mean[h] - u_dev])
        utilities -= utilities.mean(axis=1, keepdims=True)
        size = np.maximum(np.sqrt((utilities**2).mean(axis=1)), 1e-9)
        utilities /= size[:, None]
        coefficients = np.vstack([theta_mean[h] + theta, theta_mean[h] - theta])
        return PersonDraws(
            utilities,
            coefficients / size[:, None],
            prior.like[both] / size,
            prior.width[both] / size,
            prior.noise[both] / size,
            prior.lapse[both],
            np.full(both.size, 1.0 / both.size),
        )

    @cached_property
    def variance(self) -> FloatArray:
        """Variance of each utility, shape (n_items,)."""
        drawn = self.draws
        away = drawn.utilities - drawn.weights @ drawn.utilities
        return np.asarray(drawn.weights @ away**2)

    @property
    def cov(self) -> FloatArray:
        """Covariance of the utilities, (n_items, n_items)."""
        return self.block(np.arange(self.n_items))

    def block(self, items: IntArray) -> FloatArray:
        """Give the covariance among some items, shape (k, k)."""
        return self._covariance(items, items)

    def cross(self, items: IntArray) -> FloatArray:
        """Give columns of the covariance, shape (n_items, k)."""
        return self._covariance(np.arange(self.n_items), items)

    def _covariance(self, first: IntArray, second: IntArray) -> FloatArray:
        drawn = self.draws
        a, b = drawn.utilities[:, first], drawn.utilities[:, second]
        a, b = a - drawn.weights @ a, b - drawn.weights @ b
        return np.asarray((a * drawn.weights[:, None]).T @ b)

    def draw(self, items: IntArray) -> Draws:
        """Give the drawn utilities of some items, with weights."""
        return Draws(self.draws.utilities[:, items], self.draws.weights)

    def sample(
        self, n: int, rng: np.random.Generator, items: IntArray | None = None
    ) -> Iterator[FloatArray]:
        """Yield utilities of n people of whom the same is believed."""
        for k in rng.choice(self.draws.weights.size, size=n, p=self.draws.weights):
            yield self.draws.utilities[k].copy()

    # ------------------------------------------------------------ the best item

    @cached_property
    def rejected(self) -> frozenset[int]:
        """Items that the person called not acceptable and never chose."""
        out = rejected(self.answers)
        return frozenset(out) - frozenset(chosen(self.answers) if out else ())

    @property
    def contradicts(self) -> tuple[int, ...]:
        """Items that the person both rejected and preferred to another."""
        both = set(rejected(self.answers)) & set(chosen(self.answers))
        return tuple(sorted(both))

    @cached_property
    def favourite(self) -> int:
        """The item of the largest mean among those that were not rejected."""
        mean, out = self.mean, self.rejected
        if 0 < len(out) < mean.size:
            mean = mean.copy()
            mean[list(out)] = -np.inf
        return int(np.argmax(mean))

    def gaps(self, item: int, among: IntArray | None = None) -> FloatArray:
        """Give what an item loses against the best, draw by draw."""
        utilities = self.draws.utilities
        rivals = utilities if among is None else utilities[:, among]
        gaps: FloatArray = np.maximum(rivals.max(axis=1) - utilities[:, item], 0.0)
        return gaps

    def as_good(self, item: int, among: IntArray | None = None) -> float:
        """Give the probability that no item is better by what the person notices.

        Parameters
        ----------
        item : int
        among : ndarray of int, optional
            Items that can be better; default: all.
        """
        return float(self.unnoticed(self.gaps(item, among)))

    def all_as_good(self, among: IntArray) -> FloatArray:
        """Give `as_good` of some items among themselves, shape (len(among),)."""
        utilities = self.draws.utilities[:, among]
        return self.unnoticed(utilities.max(axis=1, keepdims=True) - utilities)

    def unnoticed(self, gaps: FloatArray) -> FloatArray:
        """Give the probability to tell that gaps, (n_draws, ...), are not noticed."""
        near = np.maximum(_EQUAL, self.draws.width) >= gaps.T
        ties = ties_at_the_top(self.answers, self.mean)
        return calibrated(near @ self.draws.weights, ties)

    @cached_property
    def noticed(self) -> float:
        """Points by which an item may be worse and still count as good, expected."""
        drawn = self.draws
        width = drawn.weights @ np.maximum(_EQUAL, drawn.width)
        return float(100.0 / self.scale[1] * width)

    def regret(self, item: int, among: IntArray | None = None) -> float:
        """Give what an item loses, in expectation, against the best one."""
        return float(self.draws.weights @ self.gaps(item, among))

    @cached_property
    def certainty(self) -> float:
        """Probability that the favourite is the best, or as good."""
        return self.as_good(self.favourite)

    @cached_property
    def expected_regret(self) -> float:
        """What the favourite loses against the best: tell "about, probably less"."""
        return self.regret(self.favourite)

    def prefers(self, differences: FloatArray) -> FloatArray:
        """Give the chance of an answer for the first item, ties counting half.

        Parameters
        ----------
        differences : ndarray of shape (n_draws, ...)
            Of utility, draw by draw.
        """
        drawn = self.draws
        shape = (-1,) + (1,) * (differences.ndim - 1)
        width, noise, lapse = (
            part.reshape(shape) for part in (drawn.width, drawn.noise, drawn.lapse)
        )
        above = ndtr((differences - width) / noise)
        not_below = ndtr((differences + width) / noise)
        return np.asarray(lapse + (0.5 - lapse) * (above + not_below))

    def better_of(self, pairs: IntArray) -> FloatArray:
        """Score pairs by the expected utility of the better item (GP-9, EUBO).

        Parameters
        ----------
        pairs : ndarray of int of shape (n_pairs, 2)

        Returns
        -------
        ndarray of shape (n_pairs,)
        """
        items, places = np.unique(pairs, return_inverse=True)
        first, second = places.reshape(-1, 2).T
        utilities, weights = self.draws.utilities.T[items], self.draws.weights
        # max(a, b) = (a + b + abs(a - b)) / 2, the last term in single precision; row
        # by row, since memory for all differences at once costs more than they do
        rough, light = utilities.astype(np.float32), weights.astype(np.float32)
        apart = np.zeros((items.size, items.size), dtype=np.float32)
        for k, row in enumerate(rough):
            apart[k, k:] = apart[k:, k] = np.abs(rough[k:] - row) @ light
        means = utilities @ weights
        worth = means[first] + means[second] + apart[first, second]
        return np.asarray(0.5 * worth)

    @cached_property
    def scale(self) -> tuple[float, float]:
        """Utility of 50 points, and the utility that makes 100 points.

        0 is the item that is liked least, 100 the one that is liked best, by the
        means of the draws; at least a standard deviation makes 100.
        """
        means = self.draws.weights @ self.draws.utilities
        low, high = float(means.min()), float(means.max())
        return 0.5 * (low + high), max(high - low, 1.0)
