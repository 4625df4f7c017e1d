"""Expectation propagation for many people in one compiled loop."""

from math import log, sqrt

import numpy as np
from numba import njit

from penchant.gp.inference._sites import standardised
from penchant.gp.inference._truncated_normal import truncated_normal
from penchant.typing import FloatArray, IntArray

__all__ = ["log_masses", "node_means", "sweep_people"]

_SMALLEST = 1e-10
"""Share of a variance below which what is left of it is rounding."""


@njit(cache=True)
def sweep_people(
    node_start: IntArray,
    nodes: IntArray,
    site_start: IntArray,
    first: IntArray,
    second: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    weights: FloatArray,
    noise: float,
    means: FloatArray,
    cov: FloatArray,
    factor: FloatArray,
    residual: float,
    features: FloatArray,
    n_sweeps: int,
    pace: float,
    tau: FloatArray,
    nu: FloatArray,
    cavity_means: FloatArray,
    cavity_variances: FloatArray,
    duals: FloatArray,
    information: FloatArray,
) -> tuple[float, float]:
    """Improve the sites of all people; add up what the M-step needs.

    The prior of a person is given by the means of the nodes and by `cov` of all
    items or, if that is empty, by ``factor factor' + residual I``. Sites (tau, nu)
    and cavities are changed in place. On return `duals` holds S^-1 (m - prior mean)
    of each node, and `information` the sum over people of R = (S + W^-1)^-1: over
    pairs of items, or over pairs of `features` if `cov` is empty. Sites go the share
    `pace` of the way.

    Returns
    -------
    log_evidence : float
        Exact once the sites stand still.
    trace : float
        Sum over people of the trace of R.
    """
    information[:] = 0.0
    log_evidence, trace = 0.0, 0.0
    for u in range(len(node_start) - 1):
        start, stop = node_start[u], node_start[u + 1]
        if start == stop:
            continue
        items = nodes[start:stop]
        some = slice(site_start[u], site_start[u + 1])
        mean = means[start:stop].copy()
        block = _prior_block(cov, factor, residual, items)
        log_evidence += _sweep(
            mean,
            block,
            first[some],
            second[some],
            lower[some],
            upper[some],
            weights[some],
            noise,
            n_sweeps,
            pace,
            tau[some],
            nu[some],
            cavity_means[some],
            cavity_variances[some],
        )
        for r in range(len(items)):
            block[:r, r] = block[r, :r]
        precision = weights[some] * tau[some]
        shift = weights[some] * nu[some]
        duals[start:stop] = _pull(mean, first[some], second[some], precision, shift)
        R = _information(block, first[some], second[some], precision)
        trace += np.trace(R)
        if len(cov) > 0:
            for r in range(len(items)):
                for c in range(len(items)):
                    information[items[r], items[c]] += R[r, c]
        else:
            own = features[items]
            information += own.T @ (R @ own)
    return log_evidence, trace


@njit(cache=True)
def _prior_block(
    cov: FloatArray, factor: FloatArray, residual: float, items: IntArray
) -> FloatArray:
    """Give the prior covariance of some items."""
    n = len(items)
    if len(cov) > 0:
        block = np.empty((n, n))
        for r in range(n):
            for c in range(n):
                block[r, c] = cov[items[r], items[c]]
        return block
    own = factor[items]
    product: FloatArray = own @ own.T
    for r in range(n):
        product[r, r] += residual
    return product


@njit(cache=True)
def _sweep(
    mean: FloatArray,
    cov: FloatArray,
    first: IntArray,
    second: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    weights: FloatArray,
    noise: float,
    n_sweeps: int,
    pace: float,
    tau: FloatArray,
    nu: FloatArray,
    cavity_means: FloatArray,
    cavity_variances: FloatArray,
) -> float:
    """Turn one person's prior into the posterior, and improve the sites (GP-10).

    Nothing is inverted: every site is a change of rank one, so repeated and
    contradictory answers and singular priors are welcome.
    """
    column = np.empty(len(mean))
    log_evidence = 0.0
    for k in range(len(tau)):
        s, v = _look(mean, cov, first[k], second[k], column)
        precision, shift = weights[k] * tau[k], weights[k] * nu[k]
        log_evidence += _log_integral(s, v, precision, shift)
        _add_site(mean, cov, column, s, v, precision, shift)
    for sweep in range(n_sweeps):
        for k in range(len(tau)):
            s, v = _look(mean, cov, first[k], second[k], column)
            left = max(1.0 - v * tau[k], _SMALLEST)
            m, v_rest = (s - v * nu[k]) / left, v / left  # without one copy
            scale = sqrt(v_rest + noise * noise)
            a, width = standardised(lower[k], upper[k], m, scale)
            log_mass, pull, spread, _, shrinkage, _, _ = truncated_normal(a, width)
            rest = noise * noise + v_rest * spread
            cavity_means[k], cavity_variances[k] = m, v_rest
            if sweep == 0:
                log_mass -= _log_integral(m, v_rest, tau[k], nu[k])
                log_evidence += weights[k] * log_mass
            more_tau = pace * (shrinkage / rest - tau[k])
            more_nu = pace * ((shrinkage * m + pull * scale) / rest - nu[k])
            _add_site(
                mean, cov, column, s, v, weights[k] * more_tau, weights[k] * more_nu
            )
            tau[k] += more_tau
            nu[k] += more_nu
    return log_evidence


@njit(cache=True)
def _look(
    mean: FloatArray, cov: FloatArray, i: int, j: int, column: FloatArray
) -> tuple[float, float]:
    """Give mean and variance of f_i - f_j; write its covariances into column.

    Of cov only the lower triangle is read and, in `_add_site`, kept up to date.
    """
    for k in range(len(mean)):
        column[k] = cov[max(i, k), min(i, k)] - cov[max(j, k), min(j, k)]
    return mean[i] - mean[j], max(column[i] - column[j], 0.0)


@njit(cache=True)
def _add_site(
    mean: FloatArray,
    cov: FloatArray,
    column: FloatArray,
    s: float,
    v: float,
    tau: float,
    nu: float,
) -> None:
    """Multiply the Gaussian by exp(nu s - tau s^2 / 2)."""
    growth = max(1.0 + tau * v, _SMALLEST)
    step, gain = (nu - tau * s) / growth, tau / growth
    for r in range(len(mean)):
        mean[r] += step * column[r]
        lost = gain * column[r]
        for c in range(r + 1):
            cov[r, c] -= lost * column[c]


@njit(cache=True)
def _log_integral(m: float, v: float, tau: float, nu: float) -> float:
    """Give log of the integral of N(s; m, v) exp(nu s - tau s^2 / 2)."""
    growth = 1.0 + tau * v
    inside = nu * m - 0.5 * tau * m * m + 0.5 * nu * nu * v
    return inside / growth - 0.5 * log(growth)


@njit(cache=True)
def _pull(
    mean: FloatArray,
    first: IntArray,
    second: IntArray,
    precision: FloatArray,
    shift: FloatArray,
) -> FloatArray:
    """Give A'(nu - T A m), which is S^-1 (m - prior mean)."""
    pulled = np.zeros(len(mean))
    for k in range(len(first)):
        i, j = first[k], second[k]
        force = shift[k] - precision[k] * (mean[i] - mean[j])
        pulled[i] += force
        pulled[j] -= force
    return pulled


@njit(cache=True)
def _information(
    cov: FloatArray, first: IntArray, second: IntArray, precision: FloatArray
) -> FloatArray:
    """Give R = W - W C W with W = A'TA, C the posterior covariance."""
    n = len(cov)
    product = np.zeros((n, n))
    for k in range(len(first)):
        i, j = first[k], second[k]
        for c in range(n):
            part = precision[k] * (cov[i, c] - cov[j, c])
            product[i, c] += part
            product[j, c] -= part
    # product = W C; each column of I - W C, spread over the two ends of a site
    R = np.zeros((n, n))
    for k in range(len(first)):
        i, j = first[k], second[k]
        R[i, i] += precision[k]
        R[j, j] += precision[k]
        R[i, j] -= precision[k]
        R[j, i] -= precision[k]
        for r in range(n):
            part = precision[k] * (product[r, i] - product[r, j])
            R[r, i] -= part
            R[r, j] += part
    return R


@njit(cache=True)
def node_means(
    node_start: IntArray,
    nodes: IntArray,
    weights: FloatArray,
    features: FloatArray,
    offsets: FloatArray,
) -> FloatArray:
    """Give the prior mean of each node: person's weights times item's features."""
    means = np.empty(len(nodes))
    for u in range(len(node_start) - 1):
        for k in range(node_start[u], node_start[u + 1]):
            total = offsets[nodes[k]]
            for f in range(features.shape[1]):
                total += weights[u, f] * features[nodes[k], f]
            means[k] = total
    return means


@njit(cache=True)
def log_masses(
    means: FloatArray,
    variances: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    weights: FloatArray,
    noise: float,
) -> float:
    """Give the log-probability of all sites against their cavities, added up."""
    total = 0.0
    for k in range(len(means)):
        scale = sqrt(variances[k] + noise * noise)
        a, width = standardised(lower[k], upper[k], means[k], scale)
        total += weights[k] * truncated_normal(a, width)[0]
    return total
