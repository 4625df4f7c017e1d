"""How the log evidence changes with the prior covariance and the sites' ends."""

from typing import NamedTuple

import numpy as np

from penchant.gp.inference._expectation_propagation import EPResult
from penchant.gp.inference._laplace import LaplaceResult
from penchant.gp.inference._sites import Rows, Sites
from penchant.typing import FloatArray


class EvidenceGradient(NamedTuple):
    """Derivatives of the log evidence.

    Parameters
    ----------
    cov : ndarray of shape (n_nodes, n_nodes)
        Symmetric Q: a change dK of the prior covariance changes the log evidence
        by sum(Q * dK), for all hyper-parameters together (GP-5).
    lower, upper : ndarray of shape (n_sites,)
        By the ends of the sites' intervals; 0 at infinite ends.
    """

    cov: FloatArray
    lower: FloatArray
    upper: FloatArray


def evidence_gradient(
    result: LaplaceResult | EPResult, sites: Sites, rows: Rows
) -> EvidenceGradient:
    """Differentiate the log evidence of a result (GP-5), in O(n_nodes^3).

    Parameters
    ----------
    result : LaplaceResult or EPResult
        At its optimum. With expectation propagation the derivative is exact for
        weights of 1 and above.
    sites : Sites
    rows : Rows
        What the result was computed with.

    Returns
    -------
    EvidenceGradient
    """
    n_nodes = len(result.mean)
    W = rows.gram(result.precision, n_nodes)
    g = rows.pull(result.pull, n_nodes)
    # At fixed sites, eq. (GP-5): half of gg' - R. It is all there is for expectation
    # propagation, whose evidence is stationary in its sites.
    slope = 0.5 * (np.outer(g, g) - (W - W @ result.cov @ W))
    if isinstance(result, EPResult):
        spread = np.sqrt(result.cavity_variance + sites.noise**2)
        masses = Sites(sites.lower, sites.upper, spread)
        by_lower, by_upper = masses.end_derivatives(result.cavity_mean)
        return EvidenceGradient(
            slope, sites.weights * by_lower[0], sites.weights * by_upper[0]
        )
    # Laplace: the mode follows the prior, and the curvature there follows the mode.
    s = rows.apply(result.mean)
    variances = rows.variances(result.cov)
    third = sites.weights * sites.derivatives(s).third
    push = rows.pull(0.5 * variances * third, n_nodes)
    moved = result.cov @ push  # how the mode answers to a change of the log-likelihood
    implicit = np.outer(push - W @ moved, g)
    cov = slope + 0.5 * (implicit + implicit.T)
    drift = rows.apply(moved)
    lower, upper = (
        sites.weights * (by[0] + drift * by[1] + 0.5 * variances * by[2])
        for by in sites.end_derivatives(s)
    )
    return EvidenceGradient(cov, lower, upper)
