"""What the answers of many people tell of their common prior, in one compiled loop."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numba import njit

from penchant._parallel import one_thread
from penchant.gp.inference._expectation_propagation import (
    Belief,
    Pace,
    SiteArrays,
    SiteState,
    add_sites,
    marginal,
    sweep,
)
from penchant.gp.inference._grouped_sites import GroupedSites
from penchant.typing import FloatArray, IntArray

_N_PEOPLE = 500
"""People whose answers are one piece of work."""


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
        Sum over people of R, (n_items, n_items); of F'RF, (n_features, n_features), if
        the covariance of the items is not written out.
    state : SiteState
        The improved sites.
    """

    log_evidence: float
    trace: float
    duals: FloatArray
    information: FloatArray
    state: SiteState


class Blocks:
    """People in blocks of 500, whose answers joblib may look at anywhere.

    Sums are formed block by block, in their order: the result is the same to the last
    bit in this process, in others, and on a Dask cluster that loses workers.

    Parameters
    ----------
    people : GroupedSites
    """

    def __init__(self, people: GroupedSites) -> None:
        starts = range(0, max(people.n_users, 1), _N_PEOPLE)
        ends = [*starts[1:], people.n_users]
        self._users = [slice(*both) for both in zip(starts, ends, strict=True)]
        self._blocks = [
            people.take(np.arange(users.start, users.stop)) for users in self._users
        ]
        self._sites = [
            slice(*people.site_start[[users.start, users.stop]].tolist())
            for users in self._users
        ]

    def expect(
        self,
        prior: PeoplePrior,
        noise: float,
        state: SiteState,
        n_sweeps: int,
        step: float,
    ) -> Expectation:
        """Do what `expect` does, for all people."""
        jobs = [
            (
                block,
                prior._replace(weights=prior.weights[users]),
                noise,
                SiteState(*(values[sites] for values in state)),
                n_sweeps,
                step,
            )
            for block, users, sites in zip(
                self._blocks, self._users, self._sites, strict=True
            )
        ]
        if len(jobs) == 1:
            # Up to 500 people: a pool would cost more than it brings.
            return expect(*jobs[0])
        told = Parallel()(delayed(expect)(*job) for job in jobs)
        states = zip(*(each.state for each in told), strict=True)
        return Expectation(
            log_evidence=sum(each.log_evidence for each in told),
            trace=sum(each.trace for each in told),
            duals=np.concatenate([each.duals for each in told]),
            information=np.add.reduce([each.information for each in told]),
            state=SiteState(*map(np.concatenate, states)),
        )


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
    # A worker that is lost, and asked again, must find what the first one found.
    moved = SiteState(*(values.copy() for values in state))
    counts = np.diff(people.node_start)
    is_dense = len(prior.cov) > 0
    telling = Telling(
        duals=np.zeros(len(people.nodes)),
        between=np.zeros_like(prior.cov),
        apart=np.empty(0 if is_dense else int(np.square(counts).sum())),
        trace=np.zeros(1),
    )
    spread = np.full(len(people.lower), noise)
    ends = (people.lower, people.upper, spread, people.weights)
    sites = SiteArrays(people.first, people.second, *ends, 0.0)
    places = Places(people.node_start, people.nodes, people.site_start)
    pace = Pace(step, 0.0, 1)
    log_evidence = sweep_people(places, sites, prior, moved, telling, pace, n_sweeps)
    information = telling.between
    if not is_dense:
        # One thread: the last bits must not depend on where the work is done.
        with one_thread():
            information = _add_up(people, prior.features, telling.apart)
    trace = float(telling.trace[0])
    return Expectation(log_evidence, trace, telling.duals, information, moved)


def _add_up(
    people: GroupedSites, features: FloatArray, apart: FloatArray
) -> FloatArray:
    """Add up F'RF where the matrices R of all people stand one after the other."""
    total, low = np.zeros((features.shape[1], features.shape[1])), 0
    for first, last in pairwise(people.node_start.tolist()):
        n = last - first
        own = features[people.nodes[first:last]]
        total += own.T @ (apart[low : low + n * n].reshape(n, n) @ own)
        low += n * n
    return total


class Telling(NamedTuple):
    """Where `sweep_people` adds up what people tell.

    Parameters
    ----------
    duals : ndarray of shape (n_nodes,)
    between : ndarray of shape (n_items, n_items)
        Sum of R over people; empty if there are too many items to write it out.
    apart : ndarray of shape (n_pairs,)
        Then the R of each person, one after the other.
    trace : ndarray of shape (1,)
        Sum of the traces of R.
    """

    duals: FloatArray
    between: FloatArray
    apart: FloatArray
    trace: FloatArray


class Places(NamedTuple):
    """Which nodes and sites are whose, as in `GroupedSites`."""

    node_start: IntArray
    nodes: IntArray
    site_start: IntArray


@njit(cache=True, nogil=True)
def sweep_people(
    places: Places,
    sites: SiteArrays,
    prior: PeoplePrior,
    state: SiteState,
    telling: Telling,
    pace: Pace,
    n_sweeps: int,
) -> float:
    """Improve the sites of all people in place, write what they tell; give evidence."""
    log_evidence, written, is_dense = 0.0, 0, len(prior.cov) > 0
    for u in range(len(places.node_start) - 1):
        low, n = places.node_start[u], places.node_start[u + 1] - places.node_start[u]
        first, last = places.site_start[u], places.site_start[u + 1]
        # The prior has moved since the last step: the belief, and how wide a cavity may
        # be, are made anew; only tau and nu are kept.
        belief = _before(prior, u, places.nodes, low, n)
        for k in range(first, last):
            i, j = sites.raised[k], sites.lowered[k]
            both = belief.cov[i, j]
            # Two differences, each small where items are alike: a sum less twice the
            # covariance would cancel later, with more digits lost.
            spread = (belief.cov[i, i] - both) - (both - belief.cov[j, j])
            state.widest[k] = max(spread, 0.0)
        log_evidence += add_sites(belief, sites, state, first, last)
        for k in range(n_sweeps):
            _, log_masses = sweep(belief, sites, state, pace, first, last)
            if k == 0:  # the Gaussians above are those before the first sweep
                log_evidence += log_masses
        R = _dual_and_information(belief, sites, state, telling.duals, low, first, last)
        for r in range(n):
            telling.trace[0] += R[r, r]
            for c in range(n):
                if is_dense:
                    i, j = places.nodes[low + r], places.nodes[low + c]
                    telling.between[i, j] += R[r, c]
                else:
                    telling.apart[written] = R[r, c]
                    written += 1
    return log_evidence


@njit(inline="always")
def _before(prior: PeoplePrior, u: int, nodes: IntArray, low: int, n: int) -> Belief:
    """Give the prior of a person's utilities of n items, which begin at `low`."""
    n_features = prior.features.shape[1]
    mean, cov = np.empty(n), np.empty((n, n))
    for r in range(n):
        i = nodes[low + r]
        total = prior.offsets[i]
        for f in range(n_features):
            total += prior.weights[u, f] * prior.features[i, f]
        mean[r] = total
        for c in range(r + 1):
            j, both = nodes[low + c], 0.0
            if len(prior.cov) > 0:
                both = prior.cov[i, j]
            else:
                for f in range(n_features):
                    both += prior.factor[i, f] * prior.factor[j, f]
                if r == c:
                    both += prior.residual
            cov[r, c] = both
            cov[c, r] = both
    return Belief(mean, cov, np.empty(n))


@njit(inline="always")
def _dual_and_information(
    belief: Belief,
    sites: SiteArrays,
    state: SiteState,
    duals: FloatArray,
    low: int,
    first: int,
    last: int,
) -> FloatArray:
    """Add A'(nu - T A m) to duals from `low` on; give W - W C W with W = A'TA."""
    mean, cov, column = belief
    n = len(mean)
    WC, R = np.zeros((n, n)), np.zeros((n, n))
    for k in range(first, last):
        # Rows of A have two entries: products with W cost n per answer, not n^2.
        i, j, precision = sites.raised[k], sites.lowered[k], sites.weights[k]
        precision *= state.tau[k]
        s, _ = marginal(mean, cov, i, j, column)
        push = sites.weights[k] * state.nu[k] - precision * s
        duals[low + i] += push
        duals[low + j] -= push
        R[i, i] += precision
        R[j, j] += precision
        R[i, j] -= precision
        R[j, i] -= precision
        for c in range(n):
            part = precision * column[c]
            WC[i, c] += part
            WC[j, c] -= part
    for k in range(first, last):
        i, j = sites.raised[k], sites.lowered[k]
        for r in range(n):
            part = sites.weights[k] * state.tau[k] * (WC[r, i] - WC[r, j])
            R[r, i] -= part
            R[r, j] += part
    return R
