"""The Shapley value of the smoothest game through the worths that are known (EX-7)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from penchant.explanation._coalitions import membership
from penchant.explanation._shapley import spread_gap
from penchant.typing import BoolArray, FloatArray

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
