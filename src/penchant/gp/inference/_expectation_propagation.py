"""Expectation propagation: a Gaussian that matches the moments of every site."""

from dataclasses import dataclass
from math import log

import numpy as np
from numba import njit

from penchant.gp.inference._sites import Rows, Sites, check_sizes, standardised
from penchant.gp.inference._truncated_normal import truncated_normal
from penchant.typing import ArrayLike, FloatArray, IntArray

__all__ = ["EPResult", "expectation_propagation"]

_FRESH_START = 8
"""Sweeps after which the posterior is rebuilt from prior and sites."""
_INNER_STEPS = 100
"""Steps in which the copies of one site are brought in line."""


@dataclass(frozen=True, eq=False)
class EPResult:
    """The Gaussian posterior that expectation propagation found.

    Parameters
    ----------
    status : {"optimal", "stalled"}
        Whether the gap is at most the tolerance.
    n_iter : int
        Sweeps over the sites.
    gap : float
        Largest change of a site's standardised mean or relative variance in the
        last sweep.
    tau, nu : ndarray of shape (n_sites,)
        One copy of site k acts on s as exp(nu s - tau s^2/2); tau >= 0. A site of
        weight w enters w times.
    mean : ndarray of shape (n_nodes,)
    cov : ndarray of shape (n_nodes, n_nodes)
        The posterior of the nodes; in row space these are the sites' functionals.
    log_evidence : float
        Logarithm of the probability of all answers.
    precision : ndarray of shape (n_sites,)
        weights * tau.
    pull : ndarray of shape (n_sites,)
        A'pull is what moves the prior: mean = prior mean + prior cov A' pull, for
        nodes and for all that is jointly Gaussian with them.
    cavity_mean, cavity_variance : ndarray of shape (n_sites,)
        Moments of s without one copy of the site: what each copy is matched against.
    """

    status: str
    n_iter: int
    gap: float
    tau: FloatArray
    nu: FloatArray
    mean: FloatArray
    cov: FloatArray
    log_evidence: float
    precision: FloatArray
    pull: FloatArray
    cavity_mean: FloatArray
    cavity_variance: FloatArray


def expectation_propagation(
    mean: ArrayLike,
    cov: ArrayLike,
    sites: Sites,
    *,
    rows: Rows | None = None,
    start: tuple[FloatArray, FloatArray] | None = None,
    damping: float = 0.9,
    tol: float = 1e-6,
    max_iter: int = 100,
) -> EPResult:
    """Approximate the posterior of a Gaussian given sites (GP-10).

    Sites are visited one after the other; each takes the moments that are exact
    against all others. A sweep costs O(n_sites n_nodes^2). Nothing is inverted, so
    singular priors, repeated and contradictory sites need no special care.

    Parameters
    ----------
    mean : array-like of shape (n_nodes,)
        Prior mean.
    cov : array-like of shape (n_nodes, n_nodes)
        Prior covariance; may be singular.
    sites : Sites
    rows : Rows or None, default=None
        Which nodes each site is about; None: site k is about node k (row space).
    start : (tau, nu) or None, default=None
        Sites of an earlier result. With fewer entries than there are sites, the
        others start at 0: append new answers at the end.
    damping : float, default=0.9
        Share of each step that is taken once a sweep has not come closer.
    tol : float, default=1e-6
        Gap to reach.
    max_iter : int, default=100
        Largest number of sweeps.

    Returns
    -------
    EPResult

    Examples
    --------
    One answer, "f > 0", about a standard normal f with noise 1.

    >>> from penchant.solvers import Sites, expectation_propagation
    >>> result = expectation_propagation([0.0], [[1.0]], Sites([0.0], [float("inf")]))
    >>> result.mean.round(4), round(result.log_evidence, 4)
    (array([0.5642]), -0.6931)
    """
    prior_mean = np.ascontiguousarray(mean, dtype=np.float64)
    prior_cov = np.ascontiguousarray(cov, dtype=np.float64)
    about = Rows.identity(len(sites)) if rows is None else rows
    check_sizes(prior_mean, prior_cov, sites, about)
    tau, nu = np.zeros(len(sites)), np.zeros(len(sites))
    if start is not None:
        known = min(len(start[0]), len(sites))
        tau[:known], nu[:known] = start[0][:known], start[1][:known]
    arrays = (about.raised, about.lowered, sites.lower, sites.upper, sites.noise)
    n_iter, gap, log_evidence, m, C, cavities = _propagate(
        prior_mean, prior_cov, *arrays, sites.weights, tau, nu, damping, tol, max_iter
    )
    return EPResult(
        status="optimal" if gap <= tol else "stalled",
        n_iter=n_iter,
        gap=gap,
        tau=tau,
        nu=nu,
        mean=m,
        cov=C,
        log_evidence=log_evidence,
        precision=sites.weights * tau,
        pull=sites.weights * (nu - tau * about.apply(m)),
        cavity_mean=cavities[0],
        cavity_variance=cavities[1],
    )


@njit(cache=True)
def _propagate(
    prior_mean: FloatArray,
    prior_cov: FloatArray,
    raised: IntArray,
    lowered: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    noise: FloatArray,
    weights: FloatArray,
    tau: FloatArray,
    nu: FloatArray,
    damping: float,
    tol: float,
    max_iter: int,
) -> tuple[int, float, float, FloatArray, FloatArray, FloatArray]:
    """Sweep until the sites stand still; tau and nu are changed in place."""
    n, q = len(prior_mean), len(tau)
    column = np.empty(n)
    widest = np.empty(q)
    for k in range(q):
        _, widest[k] = _look(prior_mean, prior_cov, raised[k], lowered[k], column)
    mean, cov, _ = _rebuild(prior_mean, prior_cov, raised, lowered, weights, tau, nu)
    step, gap, n_iter = 1.0, np.inf if q else 0.0, 0
    while gap > tol and n_iter < max_iter:
        before, gap = gap, 0.0
        for k in range(q):
            s, v = _look(mean, cov, raised[k], lowered[k], column)
            w = weights[k]
            m_rest, v_rest = _without(s, v, w * tau[k], w * nu[k], widest[k])
            new_tau, new_nu = _match_copies(
                lower[k], upper[k], noise[k], m_rest, v_rest, w, tau[k], nu[k], tol
            )
            more_tau = step * w * (new_tau - tau[k])
            more_nu = step * w * (new_nu - nu[k])
            growth = 1.0 + more_tau * v
            if growth <= 1e-12:  # rounding; the next rebuild puts it right
                continue
            tau[k] += step * (new_tau - tau[k])
            nu[k] += step * (new_nu - nu[k])
            shift = (more_nu - more_tau * s) / growth
            change = max(abs(shift) * np.sqrt(v), abs(more_tau) * v / growth)
            gap = max(gap, change)
            if change > 1e-3 * tol:
                _add_site(mean, cov, column, shift, more_tau / growth)
        n_iter += 1
        if gap >= before:
            step = damping
        if n_iter % _FRESH_START == 0:
            mean, cov, _ = _rebuild(
                prior_mean, prior_cov, raised, lowered, weights, tau, nu
            )
    mean, cov, log_evidence = _rebuild(
        prior_mean, prior_cov, raised, lowered, weights, tau, nu
    )
    cavities = np.empty((2, q))
    for k in range(q):
        s, v = _look(mean, cov, raised[k], lowered[k], column)
        share = min(weights[k], 1.0)
        m_cavity, v_cavity = _without(s, v, share * tau[k], share * nu[k], widest[k])
        cavities[0, k], cavities[1, k] = m_cavity, v_cavity
        _, _, log_mass = _match(lower[k], upper[k], noise[k], m_cavity, v_cavity)
        log_mass -= _log_integral(m_cavity, v_cavity, tau[k], nu[k])
        log_evidence += weights[k] * log_mass
    return n_iter, gap, log_evidence, mean, cov, cavities


@njit(cache=True)
def _look(
    mean: FloatArray, cov: FloatArray, i: int, j: int, column: FloatArray
) -> tuple[float, float]:
    """Give mean and variance of a'f, and write cov a into column."""
    m, v = 0.0, 0.0
    column[:] = 0.0
    if i >= 0:
        column += cov[i]
        m += mean[i]
    if j >= 0:
        column -= cov[j]
        m -= mean[j]
    if i >= 0:
        v += column[i]
    if j >= 0:
        v -= column[j]
    return m, max(v, 0.0)


@njit(cache=True)
def _without(
    m: float, v: float, tau: float, nu: float, widest: float
) -> tuple[float, float]:
    """Take a site out of the marginal N(m, v); no wider than the prior."""
    left = 1.0 - tau * v
    if left * widest <= v:  # v / left would exceed the prior variance
        if v <= 0.0:
            return m, 0.0
        left = v / widest
    return (m - nu * v) / left, v / left


@njit(cache=True)
def _match(
    lower: float, upper: float, noise: float, m: float, v: float
) -> tuple[float, float, float]:
    """Give tau and nu that match the moments, and the log mass (GP-8, GP-10).

    1/variance' - 1/v = shrinkage/(noise^2 + v variance_e): nothing is subtracted.
    """
    scale = np.sqrt(v + noise * noise)
    a, width = standardised(lower, upper, m, scale)
    log_mass, first, second, _, shrinkage, _, _ = truncated_normal(a, width)
    rest = noise * noise + v * second
    return shrinkage / rest, (shrinkage * m + first * scale) / rest, log_mass


@njit(cache=True)
def _match_copies(
    lower: float,
    upper: float,
    noise: float,
    m: float,
    v: float,
    weight: float,
    tau: float,
    nu: float,
    tol: float,
) -> tuple[float, float]:
    """Match the moments of each copy of a site against all else, N(m, v), and the rest.

    A weight up to 1 leaves no other copy. Else the copies are brought in line with
    each other here, in numbers only, with shorter steps when a step did not help.
    """
    others = max(weight - 1.0, 0.0)
    step, last = 1.0, np.inf
    for _ in range(_INNER_STEPS if others > 0.0 else 1):
        growth = 1.0 + others * tau * v
        m_cavity, v_cavity = (m + others * nu * v) / growth, v / growth
        new_tau, new_nu, _ = _match(lower, upper, noise, m_cavity, v_cavity)
        if others == 0.0:
            return new_tau, new_nu
        spread = v / (1.0 + weight * tau * v)
        more_tau, more_nu = weight * (new_tau - tau), weight * (new_nu - nu)
        middle = (m + weight * nu * v) / (1.0 + weight * tau * v)
        change = max(
            abs(more_nu - more_tau * middle) * np.sqrt(spread), abs(more_tau) * spread
        )
        if change >= last:
            step = max(0.5 * step, 1.0 / weight)
        last = change
        tau += step * (new_tau - tau)
        nu += step * (new_nu - nu)
        if change <= 0.1 * tol:
            break
    return tau, nu


@njit(cache=True)
def _add_site(
    mean: FloatArray, cov: FloatArray, column: FloatArray, shift: float, gain: float
) -> None:
    """Add shift * column to the mean, take gain * column column' off cov."""
    for r in range(len(mean)):
        mean[r] += shift * column[r]
        factor = gain * column[r]
        for c in range(len(mean)):
            cov[r, c] -= factor * column[c]


@njit(cache=True)
def _rebuild(
    prior_mean: FloatArray,
    prior_cov: FloatArray,
    raised: IntArray,
    lowered: IntArray,
    weights: FloatArray,
    tau: FloatArray,
    nu: FloatArray,
) -> tuple[FloatArray, FloatArray, float]:
    """Add all sites to the prior, and give the log integral of their product."""
    mean, cov, column = prior_mean.copy(), prior_cov.copy(), np.empty(len(prior_mean))
    total = 0.0
    for k in range(len(tau)):
        more_tau, more_nu = weights[k] * tau[k], weights[k] * nu[k]
        if more_tau == 0.0 and more_nu == 0.0:
            continue
        m, v = _look(mean, cov, raised[k], lowered[k], column)
        growth = 1.0 + more_tau * v
        total += _log_integral(m, v, more_tau, more_nu)
        _add_site(
            mean, cov, column, (more_nu - more_tau * m) / growth, more_tau / growth
        )
    return mean, cov, total


@njit(cache=True)
def _log_integral(m: float, v: float, tau: float, nu: float) -> float:
    """Give log of the integral of N(s; m, v) exp(nu s - tau s^2/2)."""
    growth = 1.0 + tau * v
    pull = nu - tau * m
    return (
        nu * m - 0.5 * tau * m * m + 0.5 * pull * pull * v / growth - 0.5 * log(growth)
    )
