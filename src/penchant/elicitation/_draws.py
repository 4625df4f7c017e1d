"""Draws of utilities from a belief, and how much each of them counts."""

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh
from scipy.special import log_ndtr, ndtri
from scipy.stats import qmc

from penchant._validation import frozen_array
from penchant.elicitation._belief import Belief
from penchant.gp.inference import Sites
from penchant.typing import FloatArray, IntArray

__all__ = ["MAX_DIMENSION", "answer_weights", "covariance_root", "normal_draws"]

MAX_DIMENSION = 192
"""Items whose utilities are drawn jointly, at most."""

_N_DRAWS = 4096
_MIN_EFFECTIVE = 100.0
"""Fewer draws than this that count: then the Gaussian itself is the better guess."""


def covariance_root(cov: FloatArray) -> FloatArray:
    """Give a matrix L with ``L @ L.T = cov``; the covariance may be singular."""
    try:
        root: FloatArray = cholesky(cov, lower=True)
    except LinAlgError:
        values, vectors = eigh(cov)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
    return root


def normal_draws(dimension: int) -> FloatArray:
    """Give points of a standard normal, the same in every call.

    Parameters
    ----------
    dimension : int
        At most 192.

    Returns
    -------
    ndarray of shape (4096, dimension)
        Read-only.
    """
    return _all_draws()[:, :dimension]


@lru_cache(maxsize=1)
def _all_draws() -> FloatArray:
    sobol = qmc.Sobol(MAX_DIMENSION, scramble=True, seed=0)
    edge = 0.5 / _N_DRAWS**2  # the scrambled points may touch 0
    uniform = np.clip(sobol.random(_N_DRAWS), edge, 1.0 - edge)
    draws: FloatArray = frozen_array(ndtri(uniform))
    return draws


def answer_weights(posterior: Belief, items: IntArray, draws: FloatArray) -> FloatArray:
    """Weight draws from a Gaussian posterior by the likelihood of the answers.

    The posterior replaces every answer by a Gaussian site (GP-10). The quotient of
    the two turns draws of the approximation into draws of the true posterior, which
    is skewed: an item that won is rarely the worse one, though a Gaussian allows it.
    Answers about items that were not drawn do not enter. Where too few draws would
    count, all count alike.

    Parameters
    ----------
    posterior : Posterior
        Its ``evidence`` holds answers and sites; without one all draws count alike.
    items : ndarray of int of shape (k,)
        The items that were drawn.
    draws : ndarray of shape (n_draws, k)
        Their utilities.

    Returns
    -------
    ndarray of shape (n_draws,)
        They sum to 1.
    """
    equal = np.full(len(draws), 1.0 / len(draws))
    evidence = getattr(posterior, "evidence", None)
    if evidence is None or not posterior.answers:
        return equal
    place = {int(item): k for k, item in enumerate(items)}
    used = [
        k
        for k, answer in enumerate(posterior.answers)
        if all(item in place for item in answer.items)
    ]
    log_weights = np.zeros(len(draws))
    for k in used:
        first, *second = (place[item] for item in posterior.answers[k].items)
        s = draws[:, first] - draws[:, second[0]] if second else draws[:, first]
        log_weights += _log_likelihood(evidence, k, s, float(posterior.noise))
        log_weights -= s * (evidence.shift[k] - 0.5 * evidence.precision[k] * s)
    weights = np.exp(log_weights - log_weights.max())
    weights /= weights.sum()
    return weights if 1.0 / (weights @ weights) >= _MIN_EFFECTIVE else equal


def _log_likelihood(evidence: Any, k: int, s: FloatArray, noise: float) -> FloatArray:
    """Give the log-likelihood of answer k for values of its functional."""
    lower, upper = evidence.lower[k], evidence.upper[k]
    if lower == 0.0 and np.isinf(upper):
        values: FloatArray = log_ndtr(s / noise)
        return values
    ends = np.full(s.size, lower), np.full(s.size, upper)
    return Sites(*ends, noise).log_likelihood(s)
