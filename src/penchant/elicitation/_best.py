"""Which item is best, and what recommending the leader may cost."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from penchant.elicitation._belief import Belief, Moments
from penchant.elicitation._view import expected_excess
from penchant.typing import FloatArray, IntArray

__all__ = ["BestItem", "best_item", "gains_over"]

_MAX_ITEMS = 64
"""Items that are compared jointly; the others' share is bounded."""


class BestItem(NamedTuple):
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

    def chance(self, item: int) -> float:
        """Give the probability that an item is the best; 0 if it was left out."""
        return float(self.probability[self.items == item].sum())


def best_item(belief: Belief, contenders: IntArray | None = None) -> BestItem:
    """Give probabilities of being the best and the expected regret of the leader.

    Exact for two items and no answers, otherwise from draws of the belief: with 4096
    of them probabilities are right to about .01 and the regret to about .005 standard
    deviations of a utility. At most 64 items are compared jointly, those with the
    largest expected gain over the leader; `left_out` bounds what the others add.

    Parameters
    ----------
    belief : Belief
        What is known of the person.
    contenders : ndarray of int, optional
        The items that can be the best; default: all.

    Returns
    -------
    BestItem
    """
    items = np.arange(belief.n_items) if contenders is None else contenders
    leader = int(items[np.argmax(belief.mean[items])])
    items = items[items != leader]
    gains = gains_over(belief, leader)[items]
    chosen = np.argsort(-gains, kind="stable")[: _MAX_ITEMS - 1]
    chosen = chosen[gains[chosen] > belief.negligible * gains.max(initial=0.0)]
    left_out = max(float(gains.sum() - gains[chosen].sum()), 0.0)
    kept = np.concatenate([[leader], items[chosen]])
    if kept.size == 1:
        return BestItem(kept, np.ones(1), 0.0, left_out)
    if kept.size == 2 and not belief.answers:
        p = _probability_ahead(belief, kept)
        return BestItem(kept, np.array([1 - p, p]), float(gains[chosen[0]]), left_out)
    utilities, weights = belief.draw(kept)
    winners = utilities.argmax(axis=1)  # of equals the first, which is the leader
    share = np.bincount(winners, weights, minlength=kept.size).astype(np.float64)
    regret = float(weights @ (utilities.max(axis=1) - utilities[:, 0]))
    return BestItem(kept, share, regret, left_out)


def _probability_ahead(posterior: Moments, pair: IntArray) -> float:
    """Give the probability that the second of two items is better."""
    cov, mean = posterior.block(pair), posterior.mean[pair]
    spread = np.sqrt(cov[0, 0] + cov[1, 1] - 2.0 * cov[0, 1])
    return float(ndtr((mean[1] - mean[0]) / spread))


def gains_over(posterior: Moments, leader: int) -> FloatArray:
    """Give E max(f_x - f_leader, 0) for every item x; 0 for the leader itself."""
    mean, variance = posterior.mean, posterior.variance
    shared = posterior.cross(np.array([leader]))[:, 0]
    s2 = np.maximum(variance + variance[leader] - 2.0 * shared, 0.0)
    gains = expected_excess(mean - mean[leader], np.sqrt(s2))
    gains[leader] = 0.0
    return gains
