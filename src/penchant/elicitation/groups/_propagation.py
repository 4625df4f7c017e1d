"""Expectation propagation for many people at once, on their answers only."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from penchant.elicitation._belief import density
from penchant.elicitation._compiled import scaled_inverses
from penchant.elicitation.groups._people import LAPSE, Rows
from penchant.typing import FloatArray

_DAMPING = 0.8
_LEAST_PRECISION = 1e-8
"""Slips make likelihoods that are not log-concave; no site is less than flat."""


class Sites(NamedTuple):
    """What replaces each answer: the Gaussian ``exp(shift s - precision s^2 / 2)``."""

    precision: FloatArray
    shift: FloatArray


class State(NamedTuple):
    """Where expectation propagation stands.

    Parameters
    ----------
    sites : Sites
        Arrays of shape (..., n_people, n_rows).
    log_z : ndarray of shape (..., n_people)
        Logarithm of the probability of each person's answers.
    weights : ndarray of shape (..., n_people, n_rows)
        Its gradient with respect to the prior mean of the rows.
    curvature : ndarray of shape (..., n_people, n_rows, n_rows)
        Minus its Hessian, for fixed sites.
    """

    sites: Sites
    log_z: FloatArray
    weights: FloatArray
    curvature: FloatArray


def propagate(
    rows: Rows, mean: FloatArray, root: FloatArray, sites: Sites, n_sweeps: int
) -> State:
    """Improve the sites of all answers together, and give what they tell.

    The likelihood of a row s is ``LAPSE + (1 - 2 LAPSE) P(lower < s + e < upper)``,
    e standard normal.

    Parameters
    ----------
    rows : Rows
        The answers.
    mean : ndarray of shape (..., n_people, n_rows)
        Prior means of the rows.
    root : ndarray of shape (n_people, n_rows, n_columns)
        A root of their prior covariance.
    sites : Sites
        Where to start from.
    n_sweeps : int
        How often all sites are changed.
    """
    prior = root
    if root.shape[-2] <= root.shape[-1]:
        prior = root @ root.swapaxes(-1, -2)
    for _ in range(n_sweeps):
        now = _posterior(mean, prior, sites)
        sites = _moved(rows, _cavity(now, sites), sites)
    now = _posterior(mean, prior, sites)
    log_z = _log_evidence(rows, mean, now, sites)
    return State(sites, log_z, now.weights, now.curvature)


class _Posterior(NamedTuple):
    centre: FloatArray
    variance: FloatArray
    weights: FloatArray
    curvature: FloatArray
    log_det: FloatArray


def _posterior(mean: FloatArray, prior: FloatArray, sites: Sites) -> _Posterior:
    """Put prior and sites together.

    The smaller of two systems is solved: that of the rows, if the prior is their
    covariance, or that of its columns, if it is a root of the covariance.
    """
    precision, shift = sites
    solve = _by_rows if prior.shape[-2] == prior.shape[-1] else _by_columns
    cov, curvature, log_det = solve(prior, precision)
    pull = shift - precision * mean
    moved = (cov @ pull[..., None])[..., 0]
    variance = np.maximum(np.diagonal(cov, axis1=-2, axis2=-1), 0.0)
    weights = pull - precision * moved
    return _Posterior(mean + moved, variance, weights, curvature, log_det)


_Solved = tuple[FloatArray, FloatArray, FloatArray]


def _by_rows(cov: FloatArray, precision: FloatArray) -> _Solved:
    """Give ``C - C M C``, ``M = (C + 1 / precision)^-1`` and ``log|I + C T|``."""
    curvature, log_det = scaled_inverses(cov, precision)
    return cov - cov @ curvature @ cov, curvature, log_det


def _by_columns(root: FloatArray, precision: FloatArray) -> _Solved:
    """Give the same of ``C = R R'`` from ``(I + R' T R)^-1``."""
    seen = precision[..., :, None] * root
    system = np.eye(root.shape[-1]) + root.swapaxes(-1, -2) @ seen
    cov = root @ np.linalg.inv(system) @ root.swapaxes(-1, -2)
    curvature = -precision[..., :, None] * cov * precision[..., None, :]
    diagonal = np.arange(cov.shape[-1])
    curvature[..., diagonal, diagonal] += precision
    return cov, curvature, np.linalg.slogdet(system)[1]


def _cavity(now: _Posterior, sites: Sites) -> tuple[FloatArray, FloatArray]:
    """Give mean and variance of each row without its own site."""
    rest = np.maximum(1.0 - sites.precision * now.variance, 1e-9)
    return (now.centre - now.variance * sites.shift) / rest, now.variance / rest


def _tilted(
    rows: Rows, mean: FloatArray, variance: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the log probability of each answer, and two derivatives by the mean."""
    scale = np.sqrt(1.0 + variance)
    low, high = (rows.lower - mean) / scale, (rows.upper - mean) / scale
    at_low, at_high = density(low), density(high)
    careful = 1.0 - 2.0 * LAPSE
    chance = LAPSE + careful * (ndtr(high) - ndtr(low))
    slope = careful * (at_low - at_high) / (scale * chance)
    ends = np.where(at_low > 0, low, 0.0) * at_low
    ends = ends - np.where(at_high > 0, high, 0.0) * at_high
    bend = careful * ends / (scale**2 * chance) - slope**2
    return np.log(chance), slope, bend


def _moved(rows: Rows, cavity: tuple[FloatArray, FloatArray], sites: Sites) -> Sites:
    mean, variance = cavity
    _, slope, bend = _tilted(rows, mean, variance)
    precision = -bend / np.maximum(1.0 + variance * bend, 1e-6)
    precision = np.maximum(precision, _LEAST_PRECISION)
    shift = slope + precision * (mean + variance * slope)
    return Sites(
        np.where(
            rows.used, sites.precision + _DAMPING * (precision - sites.precision), 0.0
        ),
        np.where(rows.used, sites.shift + _DAMPING * (shift - sites.shift), 0.0),
    )


def _log_evidence(
    rows: Rows, mean: FloatArray, now: _Posterior, sites: Sites
) -> FloatArray:
    """Give log Z: the Gaussian integral, with each site exchanged for its answer."""
    precision, shift = sites
    middle, variance = _cavity(now, sites)
    log_chance, _, _ = _tilted(rows, middle, variance)
    more = 1.0 + precision * variance
    exchanged = 2 * middle * shift + variance * shift**2 - middle**2 * precision
    whole = shift * mean + (shift - precision * mean) * now.centre
    each = log_chance + 0.5 * (np.log(more) - exchanged / more + whole)
    total: FloatArray = np.where(rows.used, each, 0.0).sum(axis=-1) - 0.5 * now.log_det
    return total
