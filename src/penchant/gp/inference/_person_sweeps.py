"""What the answers of many people tell of their common prior, in one compiled loop."""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from penchant.gp.inference._expectation_propagation import (
    Belief,
    Pace,
    SiteArrays,
    SiteState,
    add_sites,
    look,
    sweep,
)
from penchant.gp.inference._grouped_sites import GroupedSites
from penchant.typing import FloatArray, IntArray

__all__ = ["Expectation", "PeoplePrior", "expect"]


class PeoplePrior(NamedTuple):
    """The prior of everybody's utilities, f_u = F w_u + e_u.

    Parameters
    ----------
    weights : ndarray of shape (n_users, n_features)
        Mean of w_u.
    features : ndarray of shape (n_items, n_features)
        F.
    offsets : ndarray of shape (n_items,)
        Mean of e_u.
    cov : ndarray of shape (n_items, n_items)
        Covariance of f_u; empty if there are too many items to write it out.
    factor : ndarray of shape (n_items, n_features)
        The covariance is ``factor factor' + residual I``.
    residual : float
    """

    weights: FloatArray
    features: FloatArray
    offsets: FloatArray
    cov: FloatArray
    factor: FloatArray
    residual: float


class Expectation(NamedTuple):
    """What a step on the common prior needs of all people.

    Parameters
    ----------
    log_evidence : float
        Exact once the sites no longer change.
    trace : float
        Sum over people of the trace of R = (S + W^-1)^-1.
    duals : ndarray of shape (n_nodes,)
        S^-1 (m - prior mean) of each node.
    information : ndarray of shape (n_features, n_features)
        Sum over people of F'RF.
    state : SiteState
        The improved sites.
    """

    log_evidence: float
    trace: float
    duals: FloatArray
    information: FloatArray
    state: SiteState


def expect(
    people: GroupedSites,
    prior: PeoplePrior,
    noise: float,
    state: SiteState,
    n_sweeps: int,
    step: float,
) -> Expectation:
    """Improve the sites of some people, and add up what they tell.

    Each sweep goes the share `step` of the way. Copies of one answer are brought in
    line over the sweeps, not within one: the prior moves on after each anyway. The
    arguments stay as they are, so that the work can be done, and done again, anywhere.
    """
    moved = SiteState(*(values.copy() for values in state))
    n_pairs = int(np.square(np.diff(people.node_start)).sum())
    duals, told = np.zeros(len(people.nodes)), np.empty(n_pairs)
    spread = np.full(len(people.lower), noise)
    log_evidence = sweep_people(
        people, prior, spread, moved, Telling(duals, told, n_sweeps, step)
    )
    rows, columns = _pairs(people)
    between = csr_array((told, (rows, columns)), shape=2 * (people.n_items,))
    information = prior.features.T @ (between @ prior.features)
    trace = float(between.trace())
    return Expectation(log_evidence, trace, duals, information, moved)


def _pairs(people: GroupedSites) -> tuple[IntArray, IntArray]:
    """Give the two items of each pair of nodes of one person, person by person."""
    counts = np.diff(people.node_start)
    sizes = np.repeat(counts, counts)  # of each node: how many its person has
    rows = np.repeat(people.nodes, sizes)
    first = np.repeat(people.node_start[:-1], counts)
    places = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rows, people.nodes[np.repeat(first, sizes) + places]


class Telling(NamedTuple):
    """Where `sweep_people` writes, and how far it goes."""

    duals: FloatArray
    told: FloatArray
    n_sweeps: int
    step: float


@njit(cache=True, nogil=True)
def sweep_people(
    people: GroupedSites,
    prior: PeoplePrior,
    noise: FloatArray,
    state: SiteState,
    telling: Telling,
) -> float:
    """Improve the sites of all people in place, write what they tell; give evidence."""
    log_evidence, written = 0.0, 0
    for u in range(len(people.node_start) - 1):
        low, n = people.node_start[u], people.node_start[u + 1] - people.node_start[u]
        if n == 0:
            continue
        own, at = _of_person(people, noise, state, u)
        belief = _before(prior, u, people.nodes[low : low + n])
        widest = np.empty(len(at.tau))
        for k in range(len(widest)):
            i, j = own.raised[k], own.lowered[k]
            both = belief.cov[i, j]
            widest[k] = max((belief.cov[i, i] - both) - (both - belief.cov[j, j]), 0.0)
        log_evidence += add_sites(belief, own, at)
        for k in range(telling.n_sweeps):
            _, log_masses = sweep(belief, own, at, widest, Pace(telling.step, 0.0, 1))
            if k == 0:  # the Gaussians above are those before the first sweep
                log_evidence += log_masses
        duals = telling.duals[low : low + n]
        R = np.zeros((n, n))
        _tell(belief, own, at, duals, R)
        for r in range(n):
            for c in range(n):
                telling.told[written] = R[r, c]
                written += 1
    return log_evidence


@njit(inline="always")
def _of_person(
    people: GroupedSites, noise: FloatArray, state: SiteState, u: int
) -> tuple[SiteArrays, SiteState]:
    """Give views of the sites of one person."""
    low, high = people.site_start[u], people.site_start[u + 1]
    sites = SiteArrays(
        people.first[low:high],
        people.second[low:high],
        people.lower[low:high],
        people.upper[low:high],
        noise[low:high],
        people.weights[low:high],
        0.0,
    )
    at = SiteState(
        state.tau[low:high],
        state.nu[low:high],
        state.cavity_mean[low:high],
        state.cavity_variance[low:high],
    )
    return sites, at


@njit(inline="always")
def _before(prior: PeoplePrior, u: int, items: IntArray) -> Belief:
    """Give the prior of a person's utilities of some items."""
    n, n_features = len(items), prior.features.shape[1]
    mean, cov = np.empty(n), np.empty((n, n))
    for r in range(n):
        total = prior.offsets[items[r]]
        for f in range(n_features):
            total += prior.weights[u, f] * prior.features[items[r], f]
        mean[r] = total
        for c in range(r + 1):
            both = 0.0
            if len(prior.cov) > 0:
                both = prior.cov[items[r], items[c]]
            else:
                for f in range(n_features):
                    both += prior.factor[items[r], f] * prior.factor[items[c], f]
                if r == c:
                    both += prior.residual
            cov[r, c] = both
            cov[c, r] = both
    return Belief(mean, cov, np.empty(n))


@njit(inline="always")
def _tell(
    belief: Belief,
    sites: SiteArrays,
    state: SiteState,
    duals: FloatArray,
    R: FloatArray,
) -> None:
    """Add A'(nu - T A m) to duals, and W - W C W with W = A'TA to R."""
    mean, cov, column = belief
    n = len(mean)
    WC = np.zeros((n, n))
    for k in range(len(state.tau)):
        i, j, precision = sites.raised[k], sites.lowered[k], sites.weights[k]
        precision *= state.tau[k]
        s, _ = look(mean, cov, i, j, column)
        push = sites.weights[k] * state.nu[k] - precision * s
        duals[i] += push
        duals[j] -= push
        R[i, i] += precision
        R[j, j] += precision
        R[i, j] -= precision
        R[j, i] -= precision
        for c in range(n):
            part = precision * column[c]
            WC[i, c] += part
            WC[j, c] -= part
    for k in range(len(state.tau)):
        i, j = sites.raised[k], sites.lowered[k]
        for r in range(n):
            part = sites.weights[k] * state.tau[k] * (WC[r, i] - WC[r, j])
            R[r, i] -= part
            R[r, j] += part
