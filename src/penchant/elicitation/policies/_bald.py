"""The policy that learns the whole ranking: what an answer tells about all items."""

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import ndtr, xlogy

from penchant.elicitation._belief import Moments, View
from penchant.elicitation.policies._pairs import check_pairs_of, shaped
from penchant.typing import ArrayLike, FloatArray

_ENTROPY_SCALE = np.pi * np.log(2.0) / 2.0
"""Squared scale of the Gaussian that resembles the entropy of a probit answer."""

_N_NODES = 21


def bald(posterior: Moments, pairs: ArrayLike | None = None) -> FloatArray:
    """Score pairs by what the answer tells about all utilities, in nats.

    The mutual information of answer and utilities. Use it to learn the whole
    ranking; to find the best item the other policies need fewer questions.

    Parameters
    ----------
    posterior : Posterior
        What is known of the person.
    pairs : array-like of int of shape (n_pairs, 2), optional
        The pairs to judge; default: all.

    Returns
    -------
    ndarray of shape (n_pairs,), or (n_items, n_items) without `pairs`
        Between 0 and log 2; minus infinity on the diagonal of the matrix.

    Notes
    -----
    The expected entropy of the answer is a Gaussian integral; the entropy is
    nearly a Gaussian itself, so Gauss-Hermite quadrature of their quotient is exact
    to about 1e-9.

    References
    ----------
    Houlsby, Huszar, Ghahramani, Lengyel, "Bayesian active learning for
    classification and preference learning", 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation.policies import bald
    >>> from penchant.models import Posterior
    >>> posterior = Posterior(np.zeros(3), np.diag([1.0, 1.0, 4.0]), noise=0.5)
    >>> bald(posterior)[0].round(3)
    array([ -inf, 0.454, 0.536])
    """
    table = check_pairs_of(posterior, pairs)
    view, first, second = View.of_pairs(posterior, table)
    d, spread = view.difference(first, second)
    t = view.answer_scale(spread)
    noise = np.sqrt(np.maximum(t**2 - spread**2, np.finfo(float).tiny))
    expected = _expected_entropy(d / noise, (spread / noise) ** 2)
    scores = np.maximum(_entropy(d / t) - expected, 0.0)
    return shaped(scores, posterior, pairs)


def _entropy(x: FloatArray) -> FloatArray:
    """Give the entropy in nats of an answer with probability Phi(x)."""
    p, q = ndtr(x), ndtr(-x)
    entropy: FloatArray = -(xlogy(p, p) + xlogy(q, q))
    return entropy


def _expected_entropy(mean: FloatArray, variance: FloatArray) -> FloatArray:
    """Give E entropy(Phi(x)) of x ~ N(mean, variance)."""
    total = variance + _ENTROPY_SCALE
    centre = mean * _ENTROPY_SCALE / total
    spread = np.sqrt(variance * (_ENTROPY_SCALE / total))
    nodes, weights = hermegauss(_N_NODES)
    # beyond 30 the entropy is zero, and the exponential would overflow
    x = np.clip(centre[:, None] + spread[:, None] * nodes, -30.0, 30.0)
    quotient = _entropy(x) * np.exp(0.5 * x * x / _ENTROPY_SCALE)
    factor = np.sqrt(_ENTROPY_SCALE / total) * np.exp(-0.5 * mean**2 / total)
    expected: FloatArray = factor * (quotient @ weights) / weights.sum()
    return expected
