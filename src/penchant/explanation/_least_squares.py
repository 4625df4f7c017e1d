"""Which sets bring few models near the Shapley value, and their squares (EX-7)."""

from collections.abc import Sequence
from itertools import combinations, islice
from math import comb

import numpy as np

from penchant.explanation._shapley import mask_of, membership, spread_gap
from penchant.typing import FloatArray, IntArray


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
        Each set before its complement, the set of all players last.
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
