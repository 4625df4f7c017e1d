"""Policies that give every pair a score: the larger, the better the question."""

from collections.abc import Callable
from typing import Any, Literal, cast

import numpy as np
from numba import njit
from scipy.special import log_ndtr, ndtr

from penchant.elicitation._belief import (
    Belief,
    Moments,
    View,
    density,
    expected_excess,
)
from penchant.elicitation.policies._pairs import check_pairs_of, shaped
from penchant.exceptions import DataError
from penchant.typing import ArrayLike, FloatArray, IntArray

BestRule = Literal["mean", "seen", "sampled"] | float

_CHUNK = 100_000
"""Numbers that one step of a score over many pairs holds at once: they fit a cache."""


def eubo(posterior: Moments, pairs: ArrayLike | None = None) -> FloatArray:
    """Score pairs by the expected utility of the better of the two items.

    EUBO(i, j) = E max(f_i, f_j) (GP-9). The best first choice when one question is
    left and answers are exact; cheap, and the best single rule for finding the top
    item with few questions.

    Parameters
    ----------
    posterior : Posterior
        What is known of the person.
    pairs : array-like of int of shape (n_pairs, 2), optional
        The pairs to judge; default: all.

    Returns
    -------
    ndarray of shape (n_pairs,), or (n_items, n_items) without `pairs`
        The matrix is symmetric with minus infinity on its diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation.policies import eubo
    >>> from penchant.models import Posterior
    >>> posterior = Posterior(np.zeros(3), np.diag([1.0, 1.0, 4.0]), noise=0.5)
    >>> eubo(posterior)[0].round(3)
    array([ -inf, 0.564, 0.892])
    """
    table = check_pairs_of(posterior, pairs)
    view, first, second = View.of_pairs(posterior, table)
    return shaped(upper_of(view, first, second), posterior, pairs)


def upper_of(view: View, first: IntArray, second: IntArray) -> FloatArray:
    """Give EUBO of pairs of positions in a view."""
    upper: FloatArray = view.mean[second] + expected_excess(
        *view.difference(first, second)
    )
    return upper


def knowledge_gradient(
    posterior: Moments,
    pairs: ArrayLike | None = None,
    *,
    among: ArrayLike | None = None,
) -> FloatArray:
    """Score pairs by how much the answer raises the best mean, in expectation.

    The exact closed form of GP-9. Time is O(n_pairs n_items).

    Parameters
    ----------
    posterior : Posterior
        What is known of the person.
    pairs : array-like of int of shape (n_pairs, 2), optional
        The pairs to judge; default: all.
    among : array-like of int, optional
        The items that may be recommended; default: all.

    Returns
    -------
    ndarray of shape (n_pairs,), or (n_items, n_items) without `pairs`
        Never negative; minus infinity on the diagonal of the matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation.policies import knowledge_gradient
    >>> from penchant.models import Posterior
    >>> posterior = Posterior(np.zeros(3), np.diag([1.0, 1.0, 4.0]), noise=0.5)
    >>> knowledge_gradient(posterior)[0].round(3)
    array([ -inf, 0.532, 0.871])
    """
    table = check_pairs_of(posterior, pairs)
    targets = _all_items(posterior) if among is None else np.asarray(among, np.int64)
    view, first, second = View.of_pairs(posterior, table, targets)
    return shaped(gradient_of(view, first, second), posterior, pairs)


def gradient_of(view: View, first: IntArray, second: IntArray) -> FloatArray:
    """Give the knowledge gradient of pairs of positions in a view."""
    d, spread = view.difference(first, second)
    t = view.answer_scale(spread)
    # measured from the best mean, so that nothing cancels when the gain is small
    below = view.target_mean - view.target_mean.max()
    won = ndtr(d / t)
    return _gradients(view.rows, first, second, below, won, density(d / t) / t)


@njit(cache=True, nogil=True)
def _gradients(
    rows: FloatArray,
    first: IntArray,
    second: IntArray,
    below: FloatArray,
    p: FloatArray,
    weight: FloatArray,
) -> FloatArray:
    """Give the gain of the best mean by the answer to each pair, never negative."""
    scores = np.zeros(first.size)
    for k in range(first.size):
        i, j = first[k], second[k]
        won, lost = -np.inf, -np.inf
        for target in range(below.size):
            shift = weight[k] * (rows[i, target] - rows[j, target])
            won = max(won, p[k] * below[target] + shift)
            lost = max(lost, (1.0 - p[k]) * below[target] - shift)
        scores[k] = max(won + lost, 0.0)
    return scores


def evoi(
    posterior: Moments,
    pairs: ArrayLike | None = None,
    *,
    f_best: BestRule = "mean",
    among: ArrayLike | None = None,
    refit: Callable[[int, int], Any] | None = None,
) -> FloatArray:
    """Score pairs by the expected gain in expected improvement (GP-7).

    The rule of Bonilla, Guo and Sanner. Without `refit` the look-ahead uses the
    exact moments after one more answer (GP-8): O(n_pairs n_items) in all. With
    `refit` every answer to every pair is learned anew, as in the paper.

    Parameters
    ----------
    posterior : Posterior
        What is known of the person.
    pairs : array-like of int of shape (n_pairs, 2), optional
        The pairs to judge; default: all.
    f_best : {"mean", "seen", "sampled"} or float, default="mean"
        The utility to improve on: the largest mean of all items; the largest mean
        of the items in the answers so far (of all items before the first answer);
        the mean of the best utility in draws of the posterior; or a number, such as
        the largest mean over all people. It stays the same in all terms of the score.
    among : array-like of int, optional
        The items that may improve on it; default: all.
    refit : callable (winner, loser) -> posterior, optional
        Learns a hypothetical answer; needs ``mean`` and ``variance`` only. For
        example ``posterior.update``.

    Returns
    -------
    ndarray of shape (n_pairs,), or (n_items, n_items) without `pairs`
        Minus infinity on the diagonal of the matrix.

    References
    ----------
    Bonilla, Guo, Sanner, "Gaussian process preference elicitation", NIPS 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation.policies import evoi
    >>> from penchant.models import Posterior
    >>> posterior = Posterior(np.zeros(3), np.diag([1.0, 1.0, 4.0]), noise=0.5)
    >>> evoi(posterior)[0].round(3)
    array([ -inf, 0.   , 0.249])
    """
    table = check_pairs_of(posterior, pairs)
    targets = _all_items(posterior) if among is None else np.asarray(among, np.int64)
    level = _improve_on(posterior, f_best)
    view, first, second = View.of_pairs(posterior, table, targets)
    d, spread = view.difference(first, second)
    t = view.answer_scale(spread)
    variance = posterior.variance[targets]
    if refit is None:
        won = _improvements(view, variance, first, second, (d / t, t), level)
        lost = _improvements(view, variance, second, first, (-d / t, t), level)
    else:
        won = _refitted(refit, table, targets, level)
        lost = _refitted(refit, table[:, ::-1], targets, level)
    now = _best_improvement(view.target_mean, variance, level)
    return shaped(ndtr(d / t) * won + ndtr(-d / t) * lost - now, posterior, pairs)


def _improve_on(posterior: Moments, rule: BestRule) -> float:
    mean = posterior.mean
    if rule == "mean":
        return float(mean.max())
    if rule == "seen":
        seen = sorted({item for answer in posterior.answers for item in answer.items})
        return float(mean[seen].max() if seen else mean.max())
    if rule == "sampled":
        # Only what can be drawn from has a best utility; moments alone have none.
        draws = cast(Belief, posterior).draw(_all_items(posterior))
        return float(draws.weights @ draws.utilities.max(axis=1))
    if not isinstance(rule, int | float) or not np.isfinite(rule):
        known = "'mean', 'seen', 'sampled' or a number"
        raise DataError(f"f_best must be {known}. Got {rule!r}.")
    return float(rule)


def _best_improvement(
    mean: FloatArray, variance: FloatArray, level: float
) -> FloatArray:
    """Give MEI of GP-7 along the last axis."""
    spread = np.sqrt(np.maximum(variance, 0.0))
    best: FloatArray = expected_excess(mean - level, spread).max(axis=-1)
    return best


def _improvements(
    view: View,
    variance: FloatArray,
    winner: IntArray,
    loser: IntArray,
    scaled: tuple[FloatArray, FloatArray],
    level: float,
) -> FloatArray:
    """Give MEI after each answer by the moments of GP-8; `scaled` is z and t."""
    z, t = scaled
    r = np.exp(-0.5 * z * z - log_ndtr(z)) / np.sqrt(2.0 * np.pi)
    up, down = (r / t)[:, None], (r * (z + r) / t**2)[:, None]
    best = np.empty(winner.size)
    for part in _chunks(winner.size, variance.size):
        c = view.rows[winner[part]] - view.rows[loser[part]]
        best[part] = _best_improvement(
            view.target_mean + up[part] * c, variance - down[part] * c * c, level
        )
    return best


def _refitted(
    refit: Callable[[int, int], Any], answers: IntArray, targets: IntArray, level: float
) -> FloatArray:
    learned = (refit(int(winner), int(loser)) for winner, loser in answers)
    improvements = [
        _best_improvement(belief.mean[targets], belief.variance[targets], level)
        for belief in learned
    ]
    return np.array(improvements)


def restricted_voi(
    posterior: Moments,
    pairs: ArrayLike | None = None,
    *,
    among: IntArray | None = None,
) -> FloatArray:
    """Score pairs with the leader by the value of information, item by item.

    The restricted value of information: utilities are taken as independent, and
    only pairs with the item of the largest mean are asked. A baseline of the paper.

    Parameters
    ----------
    posterior : Posterior
        What is known of the person; only mean, variance and noise are used.
    pairs : array-like of int of shape (n_pairs, 2), optional
        The pairs to judge; default: all. The leader is the best of their items.
    among : ndarray of int, optional
        The items that may be recommended; default: all.

    Returns
    -------
    ndarray of shape (n_pairs,), or (n_items, n_items) without `pairs`
        Minus infinity for pairs without the leader.

    References
    ----------
    Guo, Sanner, "Real-time multiattribute Bayesian preference elicitation with
    pairwise comparison queries", AISTATS 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation.policies import restricted_voi
    >>> from penchant.models import Posterior
    >>> posterior = Posterior(np.array([1.0, 0.0, 0.0]), np.diag([1.0, 1.0, 4.0]), 0.5)
    >>> restricted_voi(posterior)[0].round(3)
    array([ -inf, 0.173, 0.46 ])
    """
    table = check_pairs_of(posterior, pairs)
    mean, variance = posterior.mean, posterior.variance
    seen = np.unique(table)
    leader = seen[np.argmax(mean[seen])]
    scores = np.full(len(table), -np.inf)
    mine = np.flatnonzero((table == leader).any(axis=1))
    other = table[mine].sum(axis=1) - leader
    total = variance[leader] + variance[other] + posterior.noise**2
    t = np.sqrt(np.maximum(total, np.finfo(float).tiny))
    d = mean[leader] - mean[other]
    p, weight = ndtr(d / t), density(d / t) / t
    # if it wins, the leader keeps the largest mean; if not, it may hand it to the other
    # item; all further items stay where they are
    items = _all_items(posterior) if among is None else among
    rest = _best_without(mean, items[items != leader], other) - mean[leader]
    won = np.maximum(weight * variance[leader], p * rest)
    lost = np.maximum.reduce(
        [
            -weight * variance[leader],
            weight * variance[other] - (1 - p) * d,
            (1 - p) * rest,
        ]
    )
    scores[mine] = np.maximum(won + lost, 0.0)
    return shaped(scores, posterior, pairs)


def _best_without(mean: FloatArray, rest: IntArray, other: IntArray) -> FloatArray:
    """Give the largest mean of the items behind the leader but each other item."""
    if rest.size == 1:
        return np.full(other.size, np.finfo(float).min)
    top = rest[np.argsort(-mean[rest], kind="stable")[:2]]
    best: FloatArray = np.where(other == top[0], mean[top[1]], mean[top[0]])
    return best


def _all_items(posterior: Moments) -> IntArray:
    return np.arange(posterior.n_items)


def _chunks(n_rows: int, width: int) -> list[slice]:
    step = max(1, _CHUNK // max(width, 1))
    return [slice(start, start + step) for start in range(0, n_rows, step)]
