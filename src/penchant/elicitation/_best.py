"""Which item is best, and what recommending the leader may cost."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.special import ndtr

from penchant._validation import frozen_array, set_fields
from penchant.elicitation._belief import Belief
from penchant.elicitation._draws import (
    MAX_DIMENSION,
    answer_weights,
    covariance_root,
    normal_draws,
)
from penchant.elicitation._view import expected_excess
from penchant.typing import FloatArray, IntArray

__all__ = ["BestItem", "best_item", "count_wins", "gains_over"]

_MAX_ITEMS = 64
"""Items that are compared jointly; the others' share is bounded."""

_NEGLIGIBLE = 1e-9
"""Share of the largest gain below which an item cannot matter."""


@dataclass(frozen=True, eq=False)
class BestItem:
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

    def __post_init__(self) -> None:
        set_fields(
            self,
            items=frozen_array(self.items),
            probability=frozen_array(self.probability),
        )

    def of(self, item: int) -> float:
        """Give the probability that an item is the best; 0 if it was left out."""
        return float(self.probability[self.items == item].sum())


def best_item(posterior: Belief, contenders: IntArray | None = None) -> BestItem:
    """Give probabilities of being the best and the expected regret of the leader.

    Exact for two items and no answers. Otherwise 4096 scrambled Sobol points, always
    the same ones, weighted by what the answers really say (see `answer_weights`):
    probabilities are right to about .01 and the regret to about .005 standard
    deviations of a utility. At most 64 items are compared jointly, those with the
    largest expected gain over the leader; `left_out` bounds what the others add.

    Parameters
    ----------
    posterior : Posterior
        What is known of the person.
    contenders : ndarray of int, optional
        The items that can be the best; default: all.

    Returns
    -------
    BestItem
    """
    items = np.arange(posterior.n_items) if contenders is None else contenders
    leader = int(items[np.argmax(posterior.mean[items])])
    items = items[items != leader]
    gains = gains_over(posterior, leader)[items]
    chosen = np.argsort(-gains, kind="stable")[: _MAX_ITEMS - 1]
    chosen = chosen[gains[chosen] > _NEGLIGIBLE * gains.max(initial=0.0)]
    left_out = max(float(gains.sum() - gains[chosen].sum()), 0.0)
    kept = np.concatenate([[leader], items[chosen]])
    if kept.size == 1:
        return BestItem(kept, np.ones(1), 0.0, left_out)
    if kept.size == 2 and not posterior.answers:
        p = _probability_ahead(posterior, kept)
        return BestItem(kept, np.array([1 - p, p]), float(gains[chosen[0]]), left_out)
    share, regret = _by_draws(posterior, kept)
    return BestItem(kept, share, regret, left_out)


def _by_draws(posterior: Belief, kept: IntArray) -> tuple[FloatArray, float]:
    """Give the share of draws in which each item is best, and the mean regret."""
    items = _with_answered(posterior, kept)
    root = covariance_root(posterior.block(items))
    draws = normal_draws(root.shape[1]) @ root.T + posterior.mean[items]
    return count_wins(draws, answer_weights(posterior, items, draws), kept.size)


@njit(cache=True, nogil=True)
def count_wins(
    draws: FloatArray, weights: FloatArray, n_items: int
) -> tuple[FloatArray, float]:
    """Give the weight of the draws that each item wins, and the mean loss of the first.

    Parameters
    ----------
    draws : ndarray of shape (n_draws, at least n_items)
        Utilities; of equals the first item wins.
    weights : ndarray of shape (n_draws,)
    n_items : int
        So many columns take part.
    """
    share, regret = np.zeros(n_items), 0.0
    for k in range(len(draws)):
        best = 0
        for item in range(1, n_items):
            if draws[k, item] > draws[k, best]:
                best = item
        share[best] += weights[k]
        regret += weights[k] * (draws[k, best] - draws[k, 0])
    return share, regret


def _with_answered(posterior: Belief, kept: IntArray) -> IntArray:
    """Append the items that answers are about, as far as there is room."""
    seen = {i: None for answer in posterior.answers for i in answer.items if i >= 0}
    others = [item for item in seen if item not in set(kept.tolist())]
    room = MAX_DIMENSION - kept.size
    return np.concatenate([kept, np.array(others[-room:], dtype=np.int64)])


def _probability_ahead(posterior: Belief, pair: IntArray) -> float:
    """Give the probability that the second of two items is better."""
    cov, mean = posterior.block(pair), posterior.mean[pair]
    spread = np.sqrt(cov[0, 0] + cov[1, 1] - 2.0 * cov[0, 1])
    return float(ndtr((mean[1] - mean[0]) / spread))


def gains_over(posterior: Belief, leader: int) -> FloatArray:
    """Give E max(f_x - f_leader, 0) for every item x; 0 for the leader itself."""
    mean, variance = posterior.mean, posterior.variance
    shared = posterior.cross(np.array([leader]))[:, 0]
    s2 = np.maximum(variance + variance[leader] - 2.0 * shared, 0.0)
    gains = expected_excess(mean - mean[leader], np.sqrt(s2))
    gains[leader] = 0.0
    return gains
