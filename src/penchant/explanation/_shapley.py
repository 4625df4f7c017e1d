"""Sets of players as bits of a number, and influences as one product with worths."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, factorial

import numpy as np

from penchant.typing import BoolArray, FloatArray


def mask_of(players: Sequence[int]) -> int:
    """Give the set of some players."""
    return sum(1 << player for player in players)


def members(mask: int) -> tuple[int, ...]:
    """List the players of a set."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def submasks(mask: int) -> Iterator[int]:
    """Yield all non-empty subsets of a set."""
    part = mask
    while part:
        yield part
        part = (part - 1) & mask


def masks_up_to(n_players: int, size: int) -> list[int]:
    """List the non-empty sets of at most so many players."""
    return [
        mask_of(players)
        for order in range(1, size + 1)
        for players in combinations(range(n_players), order)
    ]


def membership(masks: Sequence[int], n_players: int) -> BoolArray:
    """Tell who is in which set, shape (n_masks, n_players)."""
    n_bytes = (n_players + 7) // 8
    text = b"".join(mask.to_bytes(n_bytes, "little") for mask in masks)
    rows = np.frombuffer(text, dtype=np.uint8).reshape(len(masks), n_bytes)
    bits = np.unpackbits(rows, axis=1, count=n_players, bitorder="little")
    return bits.astype(np.bool_)


def order_chances(n_others: int) -> FloatArray:
    """Give the chance that a set of s others comes first, s!(n - s)!/(n + 1)!.

    In a random order of a player and n others: what the player adds to this very set
    counts with this weight in the Shapley value (EX-2).

    Returns
    -------
    ndarray of shape (n_others + 1,)
        For s = 0, ..., n_others.
    """
    n = n_others + 1
    return np.array([1 / (n * comb(n_others, size)) for size in range(n)])


def shapley_of_table(table: FloatArray) -> FloatArray:
    """Give Shapley values of a game with one axis of length 2 per player."""
    if table.ndim == 0:
        return np.empty(0)
    sizes = np.indices((2,) * (table.ndim - 1)).sum(axis=0)
    chances = order_chances(table.ndim - 1)[sizes]
    gains = (np.diff(table, axis=k).squeeze(k) for k in range(table.ndim))
    return np.array([(gain * chances).sum() for gain in gains])


def depth_weights(masks: Sequence[int], n_players: int, depth: int) -> FloatArray:
    """Give the weights of the k-depth influence (EX-3); of Shapley values if k = d.

    A set of s <= k players is ``S + i`` for those inside, with weight
    1/(k C(d-1, s-1)), and ``S`` for those outside if s < k, with -1/(k C(d-1, s)).

    Parameters
    ----------
    masks : sequence of int
        All non-empty sets of at most `depth` players.
    n_players, depth : int

    Returns
    -------
    ndarray of shape (n_masks, n_players)
        ``worths @ weights`` are the influences, where the worth of a set is
        Delta_S.
    """
    return _weights_by_size(membership(masks, n_players), depth)


def _weights_by_size(is_in: BoolArray, depth: int) -> FloatArray:
    n_players = is_in.shape[1]
    # Averages over sizes below the depth, not over all d of them: times d / k.
    chances = order_chances(n_players - 1)[:depth] * (n_players / depth)
    inside, outside = np.zeros((2, n_players + 1))
    inside[1 : depth + 1], outside[:depth] = chances, -chances
    sizes = is_in.sum(axis=1)[:, None]
    return np.where(is_in, inside[sizes], outside[sizes])


def coalitional_weights(
    masks: Sequence[int], n_players: int, groups: Sequence[int]
) -> FloatArray:
    """Give the weights of the coalitional influence (EX-4), as `depth_weights`.

    Each player gets the mean of their Shapley values within the groups that they
    belong to, weighted by the factorials of the groups' sizes.

    Parameters
    ----------
    masks : sequence of int
        Contains all non-empty subsets of all groups.
    n_players : int
    groups : sequence of int
        Sets that cover all players.
    """
    position = {mask: row for row, mask in enumerate(masks)}
    weights = np.zeros((len(masks), n_players))
    # Each player's shares add up to 1 over the groups that they belong to (EX-4).
    totals = [
        sum(factorial(g.bit_count()) for g in groups if g >> i & 1)
        for i in range(n_players)
    ]
    for group in groups:
        players = list(members(group))
        parts = list(submasks(group))
        rows = [position[part] for part in parts]
        shares = [factorial(len(players)) / totals[i] for i in players]
        is_in = membership(parts, n_players)[:, players]
        local = _weights_by_size(is_in, len(players))
        weights[np.ix_(rows, players)] += local * shares
    return weights


def spread_gap(weights: FloatArray, masks: Sequence[int], full: int) -> FloatArray:
    """Spread what is missing to Delta_N evenly over the players.

    This is the projection on the influences that add up, so it brings them nearer
    to any others that do, such as those of the complete method.

    Parameters
    ----------
    weights : ndarray of shape (n_masks, n_players)
    masks : sequence of int
        Contains `full`.
    full : int
        The set of all players.
    """
    wanted = np.array([float(mask == full) for mask in masks])
    missing = (wanted - weights.sum(axis=1)) / weights.shape[1]
    return weights + missing[:, None]


def normalized(
    masks: list[int], weights: FloatArray, full: int
) -> tuple[list[int], FloatArray]:
    """Let the influences add up; the model of all attributes is asked then."""
    if full not in masks:
        masks = [*masks, full]
        weights = np.vstack([weights, np.zeros(weights.shape[1])])
    return masks, spread_gap(weights, masks, full)
