"""What the answers of many people tell of their common prior, in one compiled loop."""

from typing import NamedTuple

import numpy as np
from numba import njit

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
from penchant.gp.inference._sites import add_gram, row_variances
from penchant.typing import FloatArray, IntArray

__all__ = ["Expectation", "PeoplePrior", "sweep_people"]


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
    information : ndarray
        Sum over people of R: over pairs of items, or over pairs of features if the
        covariance of the items is not written out.
    """

    log_evidence: float
    trace: float
    duals: FloatArray
    information: FloatArray


@njit(cache=True)
def sweep_people(
    people: GroupedSites,
    prior: PeoplePrior,
    noise: FloatArray,
    state: SiteState,
    n_sweeps: int,
    step: float,
) -> Expectation:
    """Improve the sites of all people, in place, and add up what they tell.

    Each sweep goes the share `step` of the way. Copies of one answer are brought in
    line over the sweeps, not within one: the prior moves on after each anyway.
    """
    size = len(prior.cov) if len(prior.cov) > 0 else prior.features.shape[1]
    duals, information = np.zeros(len(people.nodes)), np.zeros((size, size))
    log_evidence, trace = 0.0, 0.0
    for u in range(len(people.node_start) - 1):
        nodes = slice(people.node_start[u], people.node_start[u + 1])
        items = people.nodes[nodes]
        if len(items) == 0:
            continue
        own, at = _of_person(people, noise, state, u)
        belief = _before(prior, u, items)
        widest = row_variances(belief.cov, own.raised, own.lowered)
        log_evidence += add_sites(belief, own, at)
        for k in range(n_sweeps):
            _, log_masses = sweep(belief, own, at, widest, Pace(step, 0.0, 1))
            if k == 0:  # the Gaussians above are those before the first sweep
                log_evidence += log_masses
        R = _tell(belief, own, at, duals[nodes])
        trace += np.trace(R)
        if len(prior.cov) > 0:
            for r in range(len(items)):
                for c in range(len(items)):
                    information[items[r], items[c]] += R[r, c]
        else:
            features = prior.features[items]
            information += features.T @ (R @ features)
    return Expectation(log_evidence, trace, duals, information)


@njit(cache=True)
def _of_person(
    people: GroupedSites, noise: FloatArray, state: SiteState, u: int
) -> tuple[SiteArrays, SiteState]:
    """Give views of the sites of one person."""
    some = slice(people.site_start[u], people.site_start[u + 1])
    sites = SiteArrays(
        people.first[some],
        people.second[some],
        people.lower[some],
        people.upper[some],
        noise[some],
        people.weights[some],
        0.0,
    )
    cavities = state.cavity_mean[some], state.cavity_variance[some]
    return sites, SiteState(state.tau[some], state.nu[some], *cavities)


@njit(cache=True)
def _before(prior: PeoplePrior, u: int, items: IntArray) -> Belief:
    """Give the prior of a person's utilities of some items."""
    n, mean = len(items), prior.offsets[items]
    for k in range(n):
        for f in range(prior.features.shape[1]):
            mean[k] += prior.weights[u, f] * prior.features[items[k], f]
    if len(prior.cov) == 0:
        own = prior.factor[items]
        block: FloatArray = own @ own.T
        for r in range(n):
            block[r, r] += prior.residual
        return Belief(mean, block, np.empty(n))
    block = np.empty((n, n))
    for r in range(n):
        for c in range(r + 1):
            block[r, c] = prior.cov[items[r], items[c]]
    return Belief(mean, block, np.empty(n))


@njit(cache=True)
def _tell(
    belief: Belief, sites: SiteArrays, state: SiteState, duals: FloatArray
) -> FloatArray:
    """Add A'(nu - T A m) to duals; give R = W - W C W with W = A'TA."""
    mean, cov, column = belief
    precision, WC, R = sites.weights * state.tau, np.zeros_like(cov), np.zeros_like(cov)
    add_gram(sites.raised, sites.lowered, precision, R)
    for k in range(len(precision)):
        i, j = sites.raised[k], sites.lowered[k]
        s, _ = look(mean, cov, i, j, column)
        push = sites.weights[k] * state.nu[k] - precision[k] * s
        duals[i] += push
        duals[j] -= push
        for c in range(len(column)):
            part = precision[k] * column[c]
            WC[i, c] += part
            WC[j, c] -= part
    for k in range(len(precision)):
        i, j = sites.raised[k], sites.lowered[k]
        for r in range(len(column)):
            part = precision[k] * (WC[r, i] - WC[r, j])
            R[r, i] -= part
            R[r, j] += part
    return R
