"""Draws of what a person may be like: the one source of all that is told."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from penchant._cached import cached_property
from penchant.elicitation.person._components import PriorMoments
from penchant.elicitation.person._propagation import State
from penchant.elicitation.person._rows import Rows
from penchant.elicitation.person._space import PersonSpace
from penchant.gp import Draws
from penchant.typing import FloatArray, IntArray

N_DRAWS = 768


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


class Drawn:
    """What is believed of the items' utilities: moments, and the draws behind them.

    What it is made of is said by `PersonBelief`.
    """

    space: PersonSpace
    prior: PriorMoments
    rows: Rows
    state: State
    log_weights: FloatArray

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
        deviation = np.sqrt(prior.block)[:, space.block_of]
        theta = _normals(half, space.block_of.size, 0) * deviation[h]
        spread = prior.rest @ space.unknown
        own = _normals(half, space.n_items, 1) * np.sqrt(spread)[h]
        seen = theta @ rows.features.T + own @ rows.items.T
        noisy = seen + _normals(*seen.shape, 2) / np.sqrt(tau[h])
        pull = np.empty_like(noisy)
        ends = np.searchsorted(h, np.arange(len(self.weights) + 1))
        for inner, first, last in zip(state.inner, ends[:-1], ends[1:], strict=True):
            # a copy per draw would be large
            pull[first:last] = noisy[first:last] @ inner
        theta = theta - deviation[h] ** 2 * (pull @ rows.features)
        own = own - spread[h] * (pull @ rows.items)
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
