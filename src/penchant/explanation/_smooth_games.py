"""The Shapley value of the smoothest games through the worths of some sets (EX-7)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import softmax

from penchant.explanation._shapley import membership
from penchant.typing import BoolArray, FloatArray

MAX_INTERPOLATED = 4096
"""With more sets the linear systems would take longer than they are worth."""

_RATIOS = (0.05, 0.1, 0.2, 0.4, 0.7, 0.95)
"""How much an interaction varies, against one of a player fewer: smooth to rough."""

_TRENDS = 10.0 ** np.arange(-2, 7)
"""Variance of the additive part per player, against that of the rest.

The worths choose between all of these: the ends are so wide that no game needs more.
"""

_ROUNDING = 1e-10
"""Added to the variance of each worth, so that smooth games have a Cholesky factor."""


def smooth_influences(
    masks: Sequence[int], n_players: int, worths: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give the Shapley values of interpolated games, and their standard errors.

    Worths are taken for a Gaussian process over sets: an additive part, and a part
    whose correlation falls by a factor with each player in which two sets differ. How
    large the one is and how fast the other falls is averaged over, by the likelihood
    of the worths of each row, so that a row is explained alike in any company. Values
    add up to Delta_N.

    The Shapley value does not change when the worths of a set and of its complement
    both grow by as much, so that half their difference is all that is looked at.

    Parameters
    ----------
    masks : sequence of int
        As `draw_sets` gives them: each set before its complement, all players last.
    n_players : int
    worths : ndarray of shape (n_rows, n_masks)

    Returns
    -------
    values, errors : ndarray of shape (n_rows, n_players)
    """
    known = np.pad(worths, ((0, 0), (0, 1))).T  # the empty set completes the last pair
    halves = (known[::2] - known[1::2]) / 2.0
    is_in = membership(masks[::2], n_players)
    fits = [_fit(is_in, halves, ratio) for ratio in _RATIOS]
    chances = softmax(np.stack([fit.log_likelihoods for fit in fits]), axis=(0, 1))
    values, squares = np.zeros((2, n_players, worths.shape[0]))
    for fit, by_trend in zip(fits, chances, strict=True):
        for k, chance in enumerate(by_trend):
            found = fit.fixed + fit.gains @ (fit.shrunk[k][:, None] * fit.slopes)
            left = fit.left + fit.gains**2 @ fit.shrunk[k]
            values += chance * found
            squares += chance * (found**2 + np.outer(left, fit.scales[k]))
    errors = np.sqrt(np.maximum(squares - values**2, 0.0))
    missing = worths[:, -1] - values.sum(axis=0)  # rounding alone
    return (values + missing / n_players).T, errors.T


class _Fit(NamedTuple):
    """The processes of one ratio, given the worths, by trend.

    With `gains` = 2 I - E'S (what a slope adds, less what it takes from the rest) the
    influences are ``fixed + gains @ (shrunk * slopes)``, in the eigenvectors of the
    slopes' information.
    """

    fixed: FloatArray  # (n_players, n_rows)
    gains: FloatArray  # (n_players, n_players)
    slopes: FloatArray  # (n_players, n_rows)
    shrunk: FloatArray  # (n_trends, n_players)
    left: FloatArray  # (n_players,): variance of influences without a trend
    scales: FloatArray  # (n_trends, n_rows)
    log_likelihoods: FloatArray  # (n_trends, n_rows)


def _fit(is_in: BoolArray, halves: FloatArray, ratio: float) -> _Fit:
    n_pairs, n_players = is_in.shape
    signs = np.where(is_in, 1.0, -1.0)
    factor = (1.0 - ratio) / (1.0 + ratio)
    n_different = (n_players - signs @ signs.T) / 2.0
    gram = (factor**n_different - factor ** (n_players - n_different)) / 2.0
    gram[np.diag_indices(n_pairs)] += _ROUNDING
    root = cholesky(gram, lower=True)
    effects = (1.0 - factor) * _mean_steps(is_in, factor) * signs
    white, lines, effects = (
        solve_triangular(root, each, lower=True) for each in (halves, signs, effects)
    )
    information, vectors = np.linalg.eigh(lines.T @ lines)
    lines = lines @ vectors
    slopes = lines.T @ white
    rest = white - lines @ (slopes / information[:, None])
    shrunk = 1.0 / (1.0 / _TRENDS[:, None] + information)
    # Squares of the best slopes' rest, and what shrinking the slopes adds to them.
    squares = (rest**2).sum(axis=0) + (1.0 / information - shrunk) @ slopes**2
    squares = np.maximum(squares, np.finfo(float).tiny)
    used = (shrunk * information).sum(axis=1, keepdims=True)  # worths that slopes eat
    log_determinant = 2.0 * np.log(np.diag(root)).sum() + np.log1p(
        _TRENDS[:, None] * information
    ).sum(axis=1, keepdims=True)
    return _Fit(
        effects.T @ white,
        2.0 * vectors - effects.T @ lines,
        slopes,
        shrunk,
        np.maximum(_prior_variance(n_players, factor) - (effects**2).sum(axis=0), 0.0),
        squares / (n_pairs - used),
        -0.5 * (n_pairs * np.log(squares) + log_determinant),
    )


def _prior_variance(n_players: int, factor: float) -> float:
    """Give the variance of an influence before any worth is known, without a trend.

    By the multilinear extension, once for each argument of the covariance: another
    player keeps two sets alike with the chance that both or neither have it.
    """
    nodes, weights = np.polynomial.legendre.leggauss(max(n_players, 1))
    chance = (nodes + 1.0) / 2.0
    differ = np.add.outer(chance, chance) - 2.0 * np.outer(chance, chance)
    alike = (1.0 - (1.0 - factor) * differ) ** (n_players - 1)
    return float(2.0 * (1.0 - factor) * (weights @ alike @ weights) / 4.0)


def _mean_steps(is_in: BoolArray, factor: float) -> FloatArray:
    """Give the part of the Shapley value of q^hamming(., T) that i in T does not tell.

    By the multilinear extension: player i changes the value by (1 - q) times the
    integral over p of (p + (1-p) q)^t (1-p + p q)^(d-1-t), where T has t players
    besides i. The integrand is a polynomial of degree d - 1, so that Gauss and
    Legendre's rule is exact.
    """
    n_players = is_in.shape[1]
    nodes, weights = np.polynomial.legendre.leggauss((n_players + 1) // 2)
    chance = (nodes + 1.0) / 2.0
    inside = chance + (1.0 - chance) * factor
    outside = 1.0 - chance + chance * factor
    sizes = np.arange(n_players)[:, None]
    by_size = (inside**sizes * outside ** (n_players - 1 - sizes)) @ weights / 2.0
    others = is_in.sum(axis=1, keepdims=True) - is_in
    return by_size[others]
