"""Near the Shapley value with few models: smoothest game, weighted squares (EX-7)."""

from collections.abc import Sequence
from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from penchant.explanation._shapley import mask_of, membership, spread_gap
from penchant.typing import BoolArray, FloatArray, IntArray

MAX_INTERPOLATED = 4096
"""With more sets the linear system would take longer than it is worth."""

_DECAY = 3.0 / 7.0
"""Correlation of the worths of two sets that differ in one player."""

_TREND = 0.1
"""Variance of the additive part per player, against that of the rest.

Both were chosen on eight games of 7 to 9 players and one of 30, where larger values of
this one came out worse with few models, and smaller ones with smooth kernel models.
"""


def interpolation_weights(masks: Sequence[int], n_players: int) -> FloatArray:
    """Give the weights of the Shapley value of an interpolated game.

    Worths are taken for a Gaussian process over sets: an additive part, and a part
    whose correlation falls by a factor with each player in which two sets differ. The
    mean of the process goes through all known worths, and its Shapley value is linear
    in them. It adds up to Delta_N, and is exact where all sets are known.

    Parameters
    ----------
    masks : sequence of int
        Different non-empty sets, with the set of all players.
    n_players : int

    Returns
    -------
    ndarray of shape (n_masks, n_players)
        ``worths @ weights`` are the influences.
    """
    factor, effects = _system(masks, n_players)
    solved = cho_solve(factor, effects)
    return spread_gap(solved[1:], masks, (1 << n_players) - 1)


def interpolation_deviations(
    masks: Sequence[int], n_players: int, worths: FloatArray
) -> FloatArray:
    """Give how far the influences of an interpolated game may be from the true ones.

    The standard deviation of the process given the known worths, times its scale,
    which is the most likely one for the worths of each row. On models of real data it
    came out larger than the errors, by a half on average.

    Parameters
    ----------
    masks : sequence of int
        As in `interpolation_weights`.
    n_players : int
    worths : ndarray of shape (n_rows, n_masks)

    Returns
    -------
    ndarray of shape (n_rows, n_players)
    """
    factor, effects = _system(masks, n_players)
    left = _prior_variance(n_players) - (effects * cho_solve(factor, effects)).sum(0)
    known = np.vstack([np.zeros(len(worths)), worths.T])
    scale = (known * cho_solve(factor, known)).mean(axis=0)
    return np.sqrt(np.outer(np.maximum(scale, 0.0), np.maximum(left, 0.0)))


def _system(masks: Sequence[int], n_players: int) -> tuple[Any, FloatArray]:
    """Factorise the covariance of the known worths; give theirs with the influences.

    The empty set comes first: it is known, too, and its worth is 0.
    """
    is_in = membership([0, *masks], n_players)
    signs = np.where(is_in, 1.0, -1.0)
    products = signs @ signs.T
    gram = _DECAY ** ((n_players - products) / 2) + _TREND * (1.0 + products)
    effects = (1.0 - _DECAY) * _mean_steps(is_in) * signs + 2.0 * _TREND * signs
    return cho_factor(gram, lower=True), effects


def _prior_variance(n_players: int) -> float:
    """Give the variance of an influence before any worth is known.

    By the multilinear extension, once for each argument of the covariance: another
    player keeps two sets alike with the chance that both or neither have it.
    """
    nodes, weights = np.polynomial.legendre.leggauss(max(n_players, 1))
    chance = (nodes + 1.0) / 2.0
    differ = np.add.outer(chance, chance) - 2.0 * np.outer(chance, chance)
    alike = (1.0 - (1.0 - _DECAY) * differ) ** (n_players - 1)
    return float(
        2.0 * (1.0 - _DECAY) * (weights @ alike @ weights) / 4.0 + 4.0 * _TREND
    )


def _mean_steps(is_in: BoolArray) -> FloatArray:
    """Give the part of the Shapley value of q^hamming(., T) that i in T does not tell.

    By the multilinear extension: player i changes the value by (1 - q) times the
    integral over p of (p + (1-p) q)^t (1-p + p q)^(d-1-t), where T has t players
    besides i. The integrand is a polynomial of degree d - 1, so that Gauss and
    Legendre's rule is exact.
    """
    n_players = is_in.shape[1]
    nodes, weights = np.polynomial.legendre.leggauss((n_players + 1) // 2)
    chance = (nodes + 1.0) / 2.0
    inside = chance + (1.0 - chance) * _DECAY
    outside = 1.0 - chance + chance * _DECAY
    sizes = np.arange(n_players)[:, None]
    by_size = (inside**sizes * outside ** (n_players - 1 - sizes)) @ weights / 2.0
    others = is_in.sum(axis=1, keepdims=True) - is_in
    return by_size[others]


def smallest_budget(n_players: int) -> int:
    """Give the number of models of sizes 1, d - 1 and d."""
    return min(2 * n_players + 1, (1 << n_players) - 1)


def draw_sets(
    n_players: int, budget: int, rng: np.random.Generator
) -> tuple[list[int], FloatArray]:
    """Choose the sets whose models are trained, and their weights.

    A set always comes with its complement. Sizes 1 and d - 1 are complete; the rest
    of the budget goes to the other sizes by their share of the Shapley kernel
    1/(s (d-s)), never to the same set twice, until all sets are in.

    Parameters
    ----------
    n_players : int
    budget : int
        Number of models, that of all players included; at least `smallest_budget`.
    rng : Generator

    Returns
    -------
    masks : list of int
        The set of all players last.
    weights : ndarray of shape (n_masks,)
        Weights of the squares; 0 for the last, which is a constraint.
    """
    sizes = np.arange(1, n_players // 2 + 1)
    available = [_count_pairs(n_players, int(size)) for size in sizes]
    shares = 1.0 / (sizes * (n_players - sizes))
    shares[2 * sizes == n_players] /= 2  # a pair of halves fills one size, not two
    counts = _allocate((budget - 1) // 2, available, shares, rng)
    taken = np.array(counts) > 0
    # Sizes without a set leave their share to the others that are not complete.
    partial = taken & (np.array(counts) < available)
    lost = shares[~taken].sum()
    factor = 1.0 + lost / shares[partial].sum() if partial.any() else 1.0
    masks: list[int] = []
    weights: list[float] = []
    full = (1 << n_players) - 1
    for size, n_pairs, share, scaled in zip(
        sizes.tolist(), counts, shares, partial, strict=True
    ):
        weight = share / max(n_pairs, 1) * (factor if scaled else 1.0)
        for mask in _draw_pairs(n_players, size, n_pairs, rng):
            masks += [mask, full ^ mask]
            weights += [weight, weight]
    return [*masks, full], np.array([*weights, 0.0])


def least_squares_weights(
    masks: Sequence[int], weights: FloatArray, n_players: int
) -> FloatArray:
    """Solve the least squares for all worths at once.

    Minimises sum_S w_S (Delta_S - sum_{i in S} phi_i)^2 such that the phi add up to
    Delta_N; phi is linear in Delta.

    Returns
    -------
    ndarray of shape (n_masks, n_players)
        ``worths @ weights`` are the influences.
    """
    full = (1 << n_players) - 1
    is_in = membership(masks, n_players).astype(np.float64)
    weighted = is_in * weights[:, None]
    normal = is_in.T @ weighted
    # Least squares without the constraint, then the shortest way to where the values
    # add up, in the metric of the normal equations: Lagrange in closed form.
    free = np.linalg.solve(normal, weighted.T)
    direction = np.linalg.solve(normal, np.ones(n_players))
    wanted = np.array([float(mask == full) for mask in masks])
    excess = free.sum(axis=0) - wanted
    solution = free - np.outer(direction / direction.sum(), excess)
    return spread_gap(solution.T.astype(np.float64), masks, full)


def _count_pairs(n_players: int, size: int) -> int:
    """Count the pairs of a set of this size and its complement."""
    n_sets = comb(n_players, size)
    return n_sets // 2 if 2 * size == n_players else n_sets


def _allocate(
    n_pairs: int, available: Sequence[int], shares: FloatArray, rng: np.random.Generator
) -> list[int]:
    """Give each size a number of pairs: all to size 1, the rest by share.

    Systematic sampling: each size gets its share rounded up or down, up with the
    probability of the remainder, and what a full size cannot take goes to the rest.
    """
    counts = [0] * len(available)
    if not available:
        return counts
    counts[0] = min(available[0], n_pairs)
    while (left := n_pairs - sum(counts)) > 0:
        room = np.array([a - c for a, c in zip(available, counts, strict=True)], float)
        open_shares = np.where(room > 0, shares, 0.0)
        if not open_shares.any():
            break
        ends = np.cumsum(open_shares) / open_shares.sum() * left
        ends[-1] = left
        steps = np.floor(np.append(0.0, ends) + rng.random())
        given: IntArray = np.minimum(np.diff(steps), room).astype(np.int64)
        counts = [c + int(g) for c, g in zip(counts, given, strict=True)]
    return counts


def _draw_pairs(
    n_players: int, size: int, n_pairs: int, rng: np.random.Generator
) -> list[int]:
    """Draw different sets of a size; of two complementary halves the one with 0."""
    halves = 2 * size == n_players
    n_available = _count_pairs(n_players, size)
    if n_available <= 4 * n_pairs:
        # Halves with player 0 come first in lexicographic order.
        listed = islice(combinations(range(n_players), size), n_available)
        every = [mask_of(players) for players in listed]
        chosen = rng.choice(n_available, n_pairs, replace=False)
        return [every[k] for k in sorted(chosen)]
    drawn: dict[int, None] = {}
    full = (1 << n_players) - 1
    while len(drawn) < n_pairs:
        mask = mask_of(rng.choice(n_players, size, replace=False).tolist())
        drawn[full ^ mask if halves and not mask & 1 else mask] = None
    return list(drawn)
