"""Expectation propagation: a Gaussian that matches the moments of every site.

One compiled `sweep` serves one person, many people (`_person_sweeps`) and answers
that may be slips.
"""

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
from numba import njit

from penchant.exceptions import DataError
from penchant.gp.inference._sites import (
    GaussianResult,
    Rows,
    Sites,
    check_problem,
    earlier_sites,
)
from penchant.gp.inference._truncated_normal import standardised, truncated_normal
from penchant.typing import ArrayLike, FloatArray, IntArray

_FRESH_START = 8
"""Sweeps after which the posterior is rebuilt from prior and sites."""
_INNER_STEPS = 100
"""Steps in which the copies of one site are brought in line."""


@dataclass(frozen=True, eq=False)
class EPResult(GaussianResult):
    """The Gaussian posterior that expectation propagation found.

    The gap is the largest change of a site's standardised mean or relative variance
    in the last sweep; `n_iter` counts sweeps.

    Parameters
    ----------
    cavity_mean, cavity_variance : ndarray of shape (n_sites,)
        Moments of s without one copy of the site: what each copy is matched against.
        The other parameters are those of `GaussianResult`.
    """

    cavity_mean: FloatArray
    cavity_variance: FloatArray


class SiteArrays(NamedTuple):
    """Sites and what they are about, as arrays for compiled loops.

    Parameters
    ----------
    raised, lowered : ndarray of int of shape (n_sites,)
        As in `Rows`.
    lower, upper, noise, weights : ndarray of shape (n_sites,)
        As in `Sites`.
    lapse : float
        Probability that a clear answer is reported wrongly.
    """

    raised: IntArray
    lowered: IntArray
    lower: FloatArray
    upper: FloatArray
    noise: FloatArray
    weights: FloatArray
    lapse: float


class SiteState(NamedTuple):
    """What stands for each site now; changed in place.

    Parameters
    ----------
    tau, nu : ndarray of shape (n_sites,)
        One copy of the site acts on s as exp(nu s - tau s^2/2).
    cavity_mean, cavity_variance : ndarray of shape (n_sites,)
        Moments of s without one copy, when the site was last looked at.
    widest : ndarray of shape (n_sites,)
        Prior variance of s: no cavity can be wider.
    """

    tau: FloatArray
    nu: FloatArray
    cavity_mean: FloatArray
    cavity_variance: FloatArray
    widest: FloatArray


def new_state(tau: FloatArray, nu: FloatArray, widest: FloatArray) -> SiteState:
    """Give the state of sites that no sweep has visited yet."""
    return SiteState(tau, nu, np.zeros_like(tau), np.zeros_like(tau), widest)


class Belief(NamedTuple):
    """A Gaussian belief about the nodes; changed in place.

    Parameters
    ----------
    mean : ndarray of shape (n_nodes,)
    cov : ndarray of shape (n_nodes, n_nodes)
    column : ndarray of shape (n_nodes,)
        Room for the covariances of one site with the nodes.
    """

    mean: FloatArray
    cov: FloatArray
    column: FloatArray


class Pace(NamedTuple):
    """How far a sweep goes.

    Parameters
    ----------
    step : float
        Share of the way to the matched site that is taken; 0: only look.
    tol : float
        The gap that is wanted; copies of one site agree to a tenth of it.
    n_inner : int
        Most steps in which the copies of one site are brought in line.
    """

    step: float
    tol: float
    n_inner: int


class Limits(NamedTuple):
    """When `propagate` stops, and the step once a sweep has not come closer."""

    damping: float
    tol: float
    max_iter: int


class _Site(NamedTuple):
    """One site of `SiteArrays`."""

    lower: float
    upper: float
    noise: float
    lapse: float


def expectation_propagation(
    mean: ArrayLike,
    cov: ArrayLike,
    sites: Sites,
    *,
    rows: Rows | None = None,
    start: tuple[FloatArray, FloatArray] | None = None,
    lapse: float = 0.0,
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
    lapse : float, default=0.0
        Probability, below 0.5, that a clear answer is reported wrongly: the
        likelihood is ``lapse + (1 - 2 lapse) p`` with p that of the sites.
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
    if not 0.0 <= lapse < 0.5:
        raise DataError(f"lapse must be at least 0 and below 0.5. Got {lapse!r}.")
    prior_mean, prior_cov = check_problem(mean, cov, sites, rows)
    about = Rows.identity(len(sites)) if rows is None else rows
    tau, nu = earlier_sites(start, len(sites))
    state = new_state(tau, nu, about.variances(prior_cov))
    ends = (sites.lower, sites.upper, sites.noise, sites.weights)
    arrays = SiteArrays(about.raised, about.lowered, *ends, float(lapse))
    limits = Limits(damping, tol, max_iter)
    n_iter, gap, log_evidence, m, C = propagate(
        prior_mean, prior_cov, arrays, state, limits
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
        cavity_mean=state.cavity_mean,
        cavity_variance=state.cavity_variance,
    )


def propagate(
    prior_mean: FloatArray,
    prior_cov: FloatArray,
    sites: SiteArrays,
    state: SiteState,
    limits: Limits,
) -> tuple[int, float, float, FloatArray, FloatArray]:
    """Sweep until the sites no longer change; the state is changed in place."""
    n_sites = len(state.tau)
    belief, _ = with_sites(prior_mean, prior_cov, sites, state)
    # Full steps first: most problems converge in a few. Nothing guarantees it, so that
    # the first sweep without progress ends them for good.
    step, gap, n_iter = 1.0, np.inf if n_sites else 0.0, 0
    while gap > limits.tol and n_iter < limits.max_iter:
        before, pace = gap, Pace(step, limits.tol, _INNER_STEPS)
        gap, _ = sweep(belief, sites, state, pace, 0, n_sites)
        n_iter += 1
        if gap >= before:
            step = limits.damping
        # Thousands of changes of rank one add up their rounding errors.
        if n_iter % _FRESH_START == 0:
            belief, _ = with_sites(prior_mean, prior_cov, sites, state)
    belief, log_evidence = with_sites(prior_mean, prior_cov, sites, state)
    # Evidence: integral of prior times sites, and for each answer the ratio of its mass
    # to that of its site, against the same cavity.
    looking = Pace(0.0, limits.tol, 1)
    _, log_masses = sweep(belief, sites, state, looking, 0, n_sites)
    return n_iter, gap, log_evidence + log_masses, belief.mean, belief.cov


def with_sites(
    prior_mean: FloatArray, prior_cov: FloatArray, sites: SiteArrays, state: SiteState
) -> tuple[Belief, float]:
    """Give the belief with all sites, in arrays of its own, and their log integral."""
    belief = Belief(prior_mean.copy(), prior_cov.copy(), np.empty(len(prior_mean)))
    return belief, add_sites(belief, sites, state, 0, len(state.tau))


@njit(cache=True, nogil=True)
def add_sites(
    belief: Belief, sites: SiteArrays, state: SiteState, first: int, last: int
) -> float:
    """Turn a prior into the belief with some sites; give the log of their integral.

    These are the sites from `first` on, before `last`; the same for `sweep`.
    """
    mean, cov, column = belief
    total = 0.0
    for k in range(first, last):
        tau, nu = sites.weights[k] * state.tau[k], sites.weights[k] * state.nu[k]
        # New answers stand for nothing yet; the others come in one by one, rank one
        # each.
        if tau == 0.0 and nu == 0.0:
            continue
        m, v = marginal(mean, cov, sites.raised[k], sites.lowered[k], column)
        growth = 1.0 + tau * v
        total += _log_integral(m, v, tau, nu)
        _add_site(mean, cov, column, (nu - tau * m) / growth, tau / growth)
    return total


@njit(cache=True, nogil=True)
def sweep(
    belief: Belief,
    sites: SiteArrays,
    state: SiteState,
    pace: Pace,
    first: int,
    last: int,
) -> tuple[float, float]:
    """Match the moments of every site in turn (GP-10); belief and state change.

    Parameters
    ----------
    belief : Belief
        With all sites.
    sites : SiteArrays
    state : SiteState
    pace : Pace
    first, last : int
        Which sites.

    Returns
    -------
    gap : float
        Largest change of a standardised mean or relative variance.
    log_masses : float
        What must be added to the log integral that `add_sites` gave to make it the
        log evidence; exact if no site moved.
    """
    mean, cov, column = belief
    gap, log_masses = 0.0, 0.0
    for k in range(first, last):
        w, tau, nu = sites.weights[k], state.tau[k], state.nu[k]
        s, v = marginal(mean, cov, sites.raised[k], sites.lowered[k], column)
        # All copies go at once: beliefs about s alone are cheap to change back.
        m_rest, v_rest = _without(s, v, w * tau, w * nu, state.widest[k])
        site = _Site(sites.lower[k], sites.upper[k], sites.noise[k], sites.lapse)
        new_tau, new_nu, m, v_cavity, log_mass = _match_copies(
            site, w, m_rest, v_rest, tau, nu, pace
        )
        state.cavity_mean[k], state.cavity_variance[k] = m, v_cavity
        log_masses += w * log_mass
        more_tau, more_nu = pace.step * (new_tau - tau), pace.step * (new_nu - nu)
        growth = 1.0 + w * more_tau * v
        if growth <= 1e-12:  # rounding; the next fresh start puts it right
            continue
        state.tau[k] += more_tau
        state.nu[k] += more_nu
        shift, gain = w * (more_nu - more_tau * s) / growth, w * more_tau / growth
        change = max(abs(shift) * sqrt(v), abs(gain) * v)  # in posterior units
        gap = max(gap, change)
        # What is far too small to count, or rounding only, waits for a fresh start.
        if change > 1e-3 * pace.tol:
            _add_site(mean, cov, column, shift, gain)
    return gap, log_masses


@njit(cache=True)
def marginal(
    mean: FloatArray, cov: FloatArray, i: int, j: int, column: FloatArray
) -> tuple[float, float]:
    """Give mean and variance of a'f, and write cov a into column."""
    for k in range(len(mean)):
        column[k] = (cov[i, k] if i >= 0 else 0.0) - (cov[j, k] if j >= 0 else 0.0)
    m = (mean[i] if i >= 0 else 0.0) - (mean[j] if j >= 0 else 0.0)
    v = (column[i] if i >= 0 else 0.0) - (column[j] if j >= 0 else 0.0)
    return m, max(v, 0.0)


@njit(inline="always")
def _without(
    m: float, v: float, tau: float, nu: float, widest: float
) -> tuple[float, float]:
    """Take a site out of the marginal N(m, v); no wider than the prior."""
    left = 1.0 - tau * v
    if left * widest <= v:  # v / left would exceed the prior variance
        if widest <= 0.0:
            return m, 0.0
        left = v / widest
    return (m - nu * v) / left, v / left


@njit(inline="always")
def _match_copies(
    site: _Site, weight: float, m: float, v: float, tau: float, nu: float, pace: Pace
) -> tuple[float, float, float, float, float]:
    """Match the moments of each copy of a site against all else, N(m, v), and the rest.

    A weight up to 1 leaves no other copy. Else the copies are brought in line with
    each other here, in numbers only, with shorter steps when a step did not help.

    Returns
    -------
    tau, nu : float
        Of the matched site.
    cavity_mean, cavity_variance, log_mass : float
        What one copy met before it moved; its mass is relative to its Gaussian's.
    """
    # The copy that is matched meets all else, and the other copies of itself.
    others, step, last, met = max(weight - 1.0, 0.0), 1.0, np.inf, (m, v, 0.0)
    for inner in range(pace.n_inner):
        growth = 1.0 + others * tau * v
        m_cavity, v_cavity = (m + others * nu * v) / growth, v / growth
        new_tau, new_nu, log_mass = _match(site, m_cavity, v_cavity)
        if inner == 0:
            log_mass -= _log_integral(m_cavity, v_cavity, tau, nu)
            met = (m_cavity, v_cavity, log_mass)
        if others == 0.0:
            tau, nu = new_tau, new_nu
            break
        spread = v / (1.0 + weight * tau * v)
        more_tau, more_nu = weight * (new_tau - tau), weight * (new_nu - nu)
        middle = (m + weight * nu * v) / (1.0 + weight * tau * v)
        change = max(
            abs(more_nu - more_tau * middle) * sqrt(spread), abs(more_tau) * spread
        )
        if change >= last:
            # Not less than the move of a single copy.
            step = max(0.5 * step, 1.0 / weight)
        last = change
        tau += step * (new_tau - tau)
        nu += step * (new_nu - nu)
        if change <= 0.1 * pace.tol:
            break
    return tau, nu, *met


@njit(inline="always")
def _match(site: _Site, m: float, v: float) -> tuple[float, float, float]:
    """Give tau and nu that match the moments against N(m, v), and the log mass.

    Without slips 1/variance' - 1/v = shrinkage/(noise^2 + v variance_e), and nothing
    is subtracted (GP-8, GP-10). With slips and Z(m) the mass, the tilted mean is
    m + v Z'/Z and the tilted variance v + v^2 (log Z)''; a site that would widen the
    belief is left without width.
    """
    scale = sqrt(v + site.noise * site.noise)
    a, width = standardised(site.lower, site.upper, m, scale)
    log_mass, first, second, _, shrinkage, _, _ = truncated_normal(a, width)
    if site.lapse == 0.0:
        rest = site.noise * site.noise + v * second
        return shrinkage / rest, (shrinkage * m + first * scale) / rest, log_mass
    # eq. (GP-10) with lapse + (1 - 2 lapse) p for p; first and second logarithmic
    # derivative by s follow from those of p.
    told = (1.0 - 2.0 * site.lapse) * exp(log_mass)
    mass = site.lapse + told
    share, slope, bend = told / mass, first / scale, -shrinkage / scale**2
    bend = share * (bend + slope * slope) - (share * slope) ** 2
    slope *= share
    if bend >= 0.0:
        return 0.0, slope, log(mass)
    left = 1.0 + v * bend
    return -bend / left, (slope - bend * m) / left, log(mass)


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
def _log_integral(m: float, v: float, tau: float, nu: float) -> float:
    """Give log of the integral of N(s; m, v) exp(nu s - tau s^2/2)."""
    growth = 1.0 + tau * v
    inside = nu * m - 0.5 * tau * m * m + 0.5 * nu * nu * v
    return inside / growth - 0.5 * log(growth)
