"""Draws of what a person may be like: the one source of all that is told."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from penchant.elicitation.person._components import PriorMoments
from penchant.elicitation.person._propagation import State
from penchant.elicitation.person._rows import Rows
from penchant.elicitation.person._space import PersonSpace
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


def draw_person(
    space: PersonSpace,
    prior: PriorMoments,
    rows: Rows,
    state: State,
    weights: FloatArray,
) -> PersonDraws:
    """Draw by Matheron's rule on the rows, with antithetic normals.

    A draw of component h is its posterior mean plus or minus a deviation: that of the
    prior, less what the rows would have told of it. Within a component draws count
    alike: what expectation propagation leaves out of a component is small beside what
    tells components apart, and weights by likelihood over sites, with few draws that
    count, made the belief surer than it was right.

    Parameters
    ----------
    space, prior, rows, state
        What is believed.
    weights : ndarray of shape (n_components,)
        Weights of the components; they sum to 1.
    """
    half = N_DRAWS // 2
    h = systematic(weights, half, 0.5)
    tau = state.sites.tau
    deviation = np.sqrt(prior.block)[:, space.block_of]
    theta = _normals(half, space.block_of.size, 0) * deviation[h]
    spread = prior.rest @ space.unknown
    own = _normals(half, space.n_items, 1) * np.sqrt(spread)[h]
    seen = theta @ rows.features.T + own @ rows.items.T
    noisy = seen + _normals(*seen.shape, 2) / np.sqrt(tau[h])
    pull = np.empty_like(noisy)
    ends = np.searchsorted(h, np.arange(len(weights) + 1))
    for inner, first, last in zip(state.inner, ends[:-1], ends[1:], strict=True):
        pull[first:last] = noisy[first:last] @ inner  # a copy per draw would be large
    theta = theta - deviation[h] ** 2 * (pull @ rows.features)
    own = own - spread[h] * (pull @ rows.items)
    theta_mean, u_mean = posterior_means(space, prior, rows, state)
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


def posterior_means(
    space: PersonSpace, prior: PriorMoments, rows: Rows, state: State
) -> tuple[FloatArray, FloatArray]:
    """Give the posterior means of theta and utilities under each component."""
    pulled = state.weights @ rows.features
    theta = prior.mean + prior.block[:, space.block_of] * pulled
    spread = prior.rest @ space.unknown
    own = space.own_scale * spread * (state.weights @ rows.items)
    known = prior.like[:, None] * space.population_mean
    return theta, theta @ space.table.T + own + known
