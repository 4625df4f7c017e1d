"""Expectation propagation for many small Gaussian models at once, in row space.

Model h says ``s ~ N(m_h, G_h)`` of the numbers s_r that the rows of evidence are
about, and row r that s_r plus noise lies between two ends, but for lapses:

    p(row | s) = lapse + (1 - 2 lapse) [Phi((upper - s)/noise) - Phi((lower - s)/noise)]

Sites ``exp(nu s - tau s^2 / 2)`` replace the rows. All arrays have the models first.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from penchant.typing import FloatArray

_LEAST = 1e-6
"""Least precision of a site: rows that look like lapses would have negative ones."""

_ROOT = 1.0 / np.sqrt(2.0 * np.pi)


class Likelihood(NamedTuple):
    """Ends, noise and lapses of rows, each of shape (n_models, n_rows)."""

    lower: FloatArray
    upper: FloatArray
    noise: FloatArray
    lapse: FloatArray


class Sites(NamedTuple):
    """Precisions and shifts, each of shape (n_models, n_rows)."""

    tau: FloatArray
    nu: FloatArray


class State(NamedTuple):
    """Where propagation ended.

    Parameters
    ----------
    sites : Sites
    inner : ndarray of shape (n_models, n_rows, n_rows)
        C = (G + T^-1)^-1, T the precisions.
    weights : ndarray of shape (n_models, n_rows)
        w = nu - C (m + G nu): the posterior mean of s is m + G w.
    log_evidence : ndarray of shape (n_models,)
        Of the rows.
    """

    sites: Sites
    inner: FloatArray
    weights: FloatArray
    log_evidence: FloatArray


def propagate(
    mean: FloatArray,
    gram: FloatArray,
    rows: Likelihood,
    start: Sites,
    *,
    max_iter: int = 4,
    tol: float = 1e-2,
    damping: float = 0.9,
) -> State:
    """Find the sites, all at once in each sweep, from where they stand.

    Parameters
    ----------
    mean : ndarray of shape (n_models, n_rows)
    gram : ndarray of shape (n_models, n_rows, n_rows)
    rows : Likelihood
    start : Sites
        Those of rows that are new may be 0.
    max_iter : int
        Most sweeps.
    tol : float
        Change of standardised means at which to stop.
    damping : float
        Share of a step that is taken.
    """
    tau, nu = np.maximum(start.tau, _LEAST), start.nu
    for sweep in range(max_iter + 1):
        state, middle, spread = _gaussian(mean, gram, Sites(tau, nu))
        left = np.maximum(1.0 - spread * tau, 1e-9)
        v, mu = spread / left, (middle - spread * nu) / left
        log_z, slope, curvature = _moments(mu, v, rows)
        evidence = state.log_evidence + (log_z - _log_site(mu, v, tau, nu)).sum(axis=1)
        state = state._replace(log_evidence=evidence)
        # how far the marginal would move, in its own standard deviations
        moved = np.abs(mu + v * slope - middle) / np.sqrt(spread + 1e-12)
        moved = moved * (spread > 1e-12)
        if sweep == max_iter or (sweep and moved.max(initial=0.0) < tol):
            break
        new_tau = np.maximum(curvature / np.maximum(1.0 - v * curvature, 1e-9), _LEAST)
        new_nu = new_tau * mu + slope * (1.0 + v * new_tau)
        fresh = tau <= _LEAST  # what starts from nothing takes the whole step
        step = np.where(fresh, 1.0, damping)
        tau = np.maximum(tau + step * (new_tau - tau), _LEAST)
        nu = nu + step * (new_nu - nu)
    return state


def _gaussian(
    mean: FloatArray, gram: FloatArray, sites: Sites
) -> tuple[State, FloatArray, FloatArray]:
    """Give the state, and the marginal means and variances of s."""
    tau, nu = sites
    scale = np.sqrt(tau)
    system = scale[:, :, None] * gram * scale[:, None, :]
    each = np.arange(tau.shape[1])
    system[:, each, each] += 1.0
    lower = np.linalg.cholesky(system)
    log_det = 2.0 * np.log(lower[:, each, each]).sum(axis=1)
    inner = scale[:, :, None] * np.linalg.inv(system) * scale[:, None, :]
    pulled = np.einsum("hrs,hs->hr", gram, nu)
    weights = nu - np.einsum("hrs,hs->hr", inner, mean + pulled)
    middle = mean + np.einsum("hrs,hs->hr", gram, weights)
    shrink = gram @ inner
    spread = gram[:, each, each] - np.einsum("hrs,hrs->hr", shrink, gram)
    spread = np.maximum(spread, 0.0)
    alone = mean - np.einsum("hrs,hs->hr", shrink, mean)
    total = (nu * alone).sum(axis=1) + 0.5 * (nu * (middle - alone)).sum(axis=1)
    total = total - 0.5 * (tau * mean * alone).sum(axis=1) - 0.5 * log_det
    return State(sites, inner, weights, total), middle, spread


def _log_site(
    mu: FloatArray, v: FloatArray, tau: FloatArray, nu: FloatArray
) -> FloatArray:
    """Give the logarithm of the integral of N(mu, v) times a site."""
    grown = 1.0 + v * tau
    inside = (2.0 * nu * mu + nu**2 * v - tau * mu**2) / grown
    return np.asarray(0.5 * (inside - np.log(grown)))


def _moments(
    mu: FloatArray, v: FloatArray, rows: Likelihood
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give log Z of each row under N(mu, v), its slope and minus its curvature."""
    scale = np.sqrt(v + rows.noise**2)
    a, b = (rows.lower - mu) / scale, (rows.upper - mu) / scale
    # ends at infinity: the density is 0 there, also when multiplied by the end
    a, b = np.clip(a, -40.0, 40.0), np.clip(b, -40.0, 40.0)
    at_a, at_b = _ROOT * np.exp(-0.5 * a * a), _ROOT * np.exp(-0.5 * b * b)
    clear = 1.0 - 2.0 * rows.lapse
    z = rows.lapse + clear * (ndtr(b) - ndtr(a))
    slope = clear * (at_a - at_b) / (scale * z)
    second = clear * (a * at_a - b * at_b) / (scale**2 * z)
    return np.log(z), slope, slope**2 - second
