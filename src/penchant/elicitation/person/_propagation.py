"""Expectation propagation for many small Gaussian models at once, in row space.

Model h says ``s ~ N(m_h, G_h)`` of the numbers s_r that the rows of evidence are
about, and row r that s_r plus noise lies between two ends, but for lapses:

    p(row | s) = lapse + (1 - 2 lapse) [Phi((upper - s)/noise) - Phi((lower - s)/noise)]

Sites ``exp(nu s - tau s^2 / 2)`` replace the rows. All arrays have the models first.
"""

import math
from typing import NamedTuple

import numpy as np

from penchant.elicitation._compiled import compiled, inlined, scaled_inverse
from penchant.typing import FloatArray

_LEAST = 1e-6
"""Least precision of a site: rows that look like lapses would have negative ones."""

_ROOT, _HALF = 1.0 / math.sqrt(2.0 * math.pi), math.sqrt(0.5)


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
        w = C (T^-1 nu - m): the posterior mean of s is m + G w.
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
    inner: FloatArray | None = None,
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
        Of the first rows; those after them are new.
    inner : ndarray of shape (n_models, n_old, n_old), optional
        C of the first rows, where it is known.
    max_iter : int
        Most sweeps, at least 1.
    tol : float
        Change of standardised means at which to stop.
    damping : float
        Share of a step that is taken.
    """
    n_new = mean.shape[1] - start.tau.shape[1]
    none = np.zeros((len(mean), n_new))
    tau, nu = (np.hstack([part, none]) for part in start)
    np.maximum(tau, _LEAST, out=tau)
    known = np.empty((len(mean), 0, 0)) if inner is None else inner
    # plain arrays: tuples of tuples of them take long to compile
    sites, told = np.stack([tau, nu], axis=1), np.stack(rows, axis=1)
    found, weights = np.empty_like(gram), np.empty_like(mean)
    limits = (max_iter, tol, damping)
    evidence = _settle(mean, gram, told, known, sites, found, weights, limits)
    return State(Sites(sites[:, 0], sites[:, 1]), found, weights, evidence)


@compiled
def _settle(
    mean: FloatArray,
    gram: FloatArray,
    rows: FloatArray,
    known: FloatArray,
    sites: FloatArray,
    inner: FloatArray,
    weights: FloatArray,
    limits: tuple[int, float, float],
) -> FloatArray:
    """Sweep over all models until they hardly move; give the evidence.

    Rows are (lower, upper, noise, lapse), sites (tau, nu). Sites, inner and weights are
    written to.
    """
    n_models, n = mean.shape
    max_iter, tol, damping = limits
    evidence, moved = np.empty(n_models), np.empty((n_models, 2, n))
    log_det = np.zeros(n_models)  # found in the first step, and needed after it
    for h in range(n_models):
        if known.shape[1] == 0:
            scaled_inverse(gram[h], sites[h, 0], inner[h])
        else:
            _border(gram[h], sites[h, 0], known[h], inner[h])
    for sweep in range(max_iter + 1):
        most = 0.0
        for h in range(n_models):
            change, evidence[h] = _look(
                mean[h],
                gram[h],
                rows[h],
                sites[h],
                inner[h],
                weights[h],
                moved[h],
                damping,
            )
            most = max(most, change)
        if sweep == max_iter or (sweep > 0 and most < tol):
            break
        for h in range(n_models):
            for r in range(n):
                sites[h, 0, r], sites[h, 1, r] = moved[h, 0, r], moved[h, 1, r]
            log_det[h] = scaled_inverse(gram[h], sites[h, 0], inner[h])
    for h in range(n_models):
        evidence[h] -= 0.5 * log_det[h]
    return evidence


@compiled
def _look(
    mean: FloatArray,
    gram: FloatArray,
    rows: FloatArray,
    sites: FloatArray,
    inner: FloatArray,
    weights: FloatArray,
    moved: FloatArray,
    damping: float,
) -> tuple[float, float]:
    """Write the weights of one model, and where its sites move.

    Returns how far a marginal would move at most, in its own standard deviations, and
    the logarithm of the evidence but for a determinant.
    """
    tau, nu, n = sites[0], sites[1], len(mean)
    most, evidence = 0.0, 0.0
    for r in range(n):
        total = 0.0
        for s in range(n):
            total += inner[r, s] * (nu[s] / tau[s] - mean[s])
        weights[r] = total
    for r in range(n):
        middle, spread, told = mean[r], 0.0, 0.0
        for s in range(n):
            middle += gram[r, s] * weights[s]
            spread += inner[r, s] * gram[r, s]
            told += inner[r, s] * mean[s]
        spread = max(spread / tau[r], 0.0)  # G - G C G = T^-1 C G
        left = max(1.0 - spread * tau[r], 1e-9)
        v, mu = spread / left, (middle - spread * nu[r]) / left
        z, slope, curvature = _moments(mu, v, rows, r)
        if spread > 1e-12:
            change = abs(mu + v * slope - middle) / math.sqrt(spread)
            most = max(most, change)
        new_tau = max(curvature / max(1.0 - v * curvature, 1e-9), _LEAST)
        new_nu = new_tau * mu + slope * (1.0 + v * new_tau)
        # what starts from nothing takes the whole step
        step = 1.0 if tau[r] <= _LEAST else damping
        moved[0, r] = max(tau[r] + step * (new_tau - tau[r]), _LEAST)
        moved[1, r] = nu[r] + step * (new_nu - nu[r])
        # the row instead of its site, of which the integral is one of N(mu, v)
        grown = 1.0 + v * tau[r]
        site = (2.0 * nu[r] * mu + nu[r] ** 2 * v - tau[r] * mu**2) / grown
        whole = nu[r] * (told / tau[r] + middle) - mean[r] * told
        evidence += 0.5 * (whole - site + math.log(z * z * grown))
    return most, evidence


@compiled
def _border(
    gram: FloatArray, tau: FloatArray, known: FloatArray, inner: FloatArray
) -> None:
    """Write C of all rows from that of the first ones: few are new."""
    n_old, n = len(known), len(gram)
    pulled = np.empty(n)
    for r in range(n_old):
        for s in range(n_old):
            inner[r, s] = known[r, s]
    for k in range(n_old, n):
        corner = gram[k, k] + 1.0 / tau[k]
        for r in range(k):
            total = 0.0
            for s in range(k):
                total += inner[r, s] * gram[k, s]
            pulled[r] = total
            corner -= total * gram[k, r]
        for r in range(k):
            share = pulled[r] / corner
            for s in range(k):
                inner[r, s] += share * pulled[s]
            inner[r, k] = inner[k, r] = -share
        inner[k, k] = 1.0 / corner


@inlined
def _moments(
    mu: float, v: float, rows: FloatArray, r: int
) -> tuple[float, float, float]:
    """Give Z of a row under N(mu, v), the slope of log Z and minus its curvature."""
    lower, upper, noise, lapse = rows[0, r], rows[1, r], rows[2, r], rows[3, r]
    scale = math.sqrt(v + noise**2)
    below, at_a, end_a = _end((lower - mu) / scale)
    above, at_b, end_b = 1.0, 0.0, 0.0
    if upper < np.inf:  # only ties have an upper end
        above, at_b, end_b = _end((upper - mu) / scale)
    clear = 1.0 - 2.0 * lapse
    z = lapse + clear * (above - below)
    slope = clear * (at_a - at_b) / (scale * z)
    second = clear * (end_a - end_b) / (scale**2 * z)
    return z, slope, slope**2 - second


@inlined
def _end(x: float) -> tuple[float, float, float]:
    """Give the normal distribution at x, its density, and x times its density.

    Both are 0 at infinity.
    """
    x = min(max(x, -40.0), 40.0)
    density = _ROOT * math.exp(-0.5 * x * x)
    return 0.5 * math.erfc(-x * _HALF), density, x * density
