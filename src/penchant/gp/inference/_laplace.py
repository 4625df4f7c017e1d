"""Laplace's approximation: a Gaussian at the mode, with the curvature there."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dpstrf, dtrtrs

from penchant.gp.inference._sites import (
    GaussianResult,
    Rows,
    SiteDerivatives,
    Sites,
    check_problem,
    earlier_sites,
)
from penchant.typing import ArrayLike, FloatArray

_SUFFICIENT = 1e-4
"""Share of the promised rise that a step must bring."""
_SHORTEST = 1e-12
"""Share of a step below which it is no longer halved."""
_BLOCK = 4096
"""Rows of features that are weighted at once."""


@dataclass(frozen=True, eq=False)
class LaplaceResult(GaussianResult):
    """The Gaussian posterior that Laplace's approximation found (GP-5).

    The mean is the mode, where tau and nu describe the sites. The gap is the length
    of the next Newton step in standard deviations of the posterior; `n_iter` counts
    Newton steps.
    """


def laplace(
    mean: ArrayLike,
    cov: ArrayLike,
    sites: Sites,
    *,
    rows: Rows | None = None,
    start: tuple[FloatArray, FloatArray] | None = None,
    tol: float = 1e-8,
    max_iter: int = 100,
) -> LaplaceResult:
    """Approximate the posterior of a Gaussian given sites at its mode (GP-4).

    Newton's method with step halving on f = mean + L x, cov = LL': the Hessian
    I + L'WL is at least 1, and nothing is inverted, so singular priors need no
    special care. A step costs O(n_sites + n_nodes rank^2).

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
        Sites of an earlier result, with the same or another prior. With fewer
        entries than there are sites, the others start at 0.
    tol : float, default=1e-8
        Gap to reach.
    max_iter : int, default=100

    Returns
    -------
    LaplaceResult

    Examples
    --------
    One answer, "f > 0", about a standard normal f with noise 1.

    >>> from penchant.solvers import Sites, laplace
    >>> result = laplace([0.0], [[1.0]], Sites([0.0], [float("inf")]))
    >>> result.mean.round(4), round(result.log_evidence, 4)
    (array([0.5061]), -0.7007)
    """
    prior_mean, prior_cov = check_problem(mean, cov, sites, rows)
    if rows is None and len(prior_mean) > len(sites):
        rows = Rows.identity(len(sites))  # no site is about the last nodes
    problem = _Problem(prior_mean, root_of_covariance(prior_cov), sites, rows)
    state, n_iter = problem.climb(problem.start(start), tol, max_iter)
    return problem.result(state, n_iter, tol)


def laplace_in_features(
    features: FloatArray,
    sites: Sites,
    *,
    tol: float,
    max_iter: int = 100,
    go_on: Callable[[float], bool] = lambda gap: True,
) -> "NewtonState":
    """Approximate the posterior of weights, where site k is about ``features[k] @ w``.

    The same Newton steps as `laplace`, in O(n_sites n_features^2) each and without a
    covariance of all sites, so that a hundred thousand of them are few seconds.

    Parameters
    ----------
    features : ndarray of shape (n_sites, n_features)
    sites : Sites
    tol : float
        Gap to reach.
    max_iter : int, default=100
    go_on : callable
        Told the gap before each step but the first; False: stop.
    """
    problem = _Problem(np.zeros(len(sites)), features, sites)
    zero = problem.point(np.zeros(features.shape[1]))
    return problem.climb(zero, tol, max_iter, go_on)[0]


@dataclass(frozen=True, eq=False)
class _Point:
    """psi at x, and the derivatives of the sites there."""

    x: FloatArray
    at: SiteDerivatives
    value: float


@dataclass(frozen=True, eq=False)
class NewtonState:
    """A point with the Cholesky factor of the Hessian and the Newton step."""

    point: _Point
    factor: FloatArray
    step: FloatArray
    promise: float

    @property
    def gap(self) -> float:
        """Length of the next step in standard deviations of the posterior."""
        return float(np.sqrt(max(self.promise, 0.0)))

    @property
    def log_evidence(self) -> float:
        half_log_det = float(np.log(np.diagonal(self.factor)).sum())
        return self.point.value - half_log_det


@dataclass(frozen=True, eq=False)
class _Problem:
    """Maximise psi(x) = log p(answers | mean + L x) - x'x/2; no rows: `laplace`."""

    mean: FloatArray
    root: FloatArray
    sites: Sites
    rows: Rows | None = None

    def start(self, sites: tuple[FloatArray, FloatArray] | None) -> _Point:
        """Give the mode with Gaussian sites if it is better than the prior mean."""
        zero = self.point(np.zeros(self.root.shape[1]))
        if sites is None or not zero.x.size:
            return zero
        tau, nu = earlier_sites(sites, len(self.sites))
        w = self.sites.weights
        right = self.root.T @ self.pull(w * (nu - tau * self.apply(self.mean)))
        # After one more answer the old sites are nearly right; after another prior they
        # may be worse than nothing.
        near = self.point(dpotrs(self.factor(w * tau), right, lower=1)[0])
        return near if near.value > zero.value else zero

    def climb(
        self,
        point: _Point,
        tol: float,
        max_iter: int,
        go_on: Callable[[float], bool] = lambda gap: True,
    ) -> tuple[NewtonState, int]:
        """Take Newton steps from a point until the gap is small; count them."""
        state, n_iter = self.newton_state(point), 0
        while state.gap > tol and n_iter < max_iter:
            if n_iter and not go_on(state.gap):
                break
            n_iter += 1
            state = self.newton_state(self.advance(state))
        return state, n_iter

    def factor(self, precision: FloatArray) -> FloatArray:
        """Factorise I + L'WL."""
        # Without rows the sites are about L x itself, and W is diagonal.
        if self.rows is None:
            H = _weighted_gram(self.root, precision)
        else:
            W = self.rows.gram(precision, len(self.mean))
            H = self.root.T @ W @ self.root
        H.ravel()[:: len(H) + 1] += 1.0
        return _factorise(H)

    def apply(self, f: FloatArray) -> FloatArray:
        return f if self.rows is None else self.rows.apply(f)

    def pull(self, values: FloatArray) -> FloatArray:
        return values if self.rows is None else self.rows.pull(values, len(self.mean))

    def point(self, x: FloatArray) -> _Point:
        at = self.sites.derivatives(self.apply(self.mean + self.root @ x))
        return _Point(x, at, float(self.sites.weights @ at.value - 0.5 * x @ x))

    def newton_state(self, point: _Point) -> NewtonState:
        """Find the Newton step of a point."""
        w = self.sites.weights
        # GP-4 in whitened coordinates, where the prior is a standard normal.
        slope = self.root.T @ self.pull(w * point.at.first) - point.x
        factor = self.factor(-w * point.at.second)
        step = dpotrs(factor, slope, lower=1)[0] if len(slope) else slope
        return NewtonState(point, factor, step, float(slope @ step))

    def advance(self, state: NewtonState) -> _Point:
        """Make a Newton step, halved until psi rises enough."""
        size, start = 1.0, state.point
        moved = self.point(start.x + state.step)
        # Rounding hides rises below the last digits of psi.
        slack = 8.0 * np.finfo(float).eps * abs(start.value)
        # Armijo's rule. psi is concave, so that short enough steps rise by any share
        # below one of what the slope promises.
        while moved.value < start.value + _SUFFICIENT * size * state.promise - slack:
            size *= 0.5
            moved = self.point(start.x + size * state.step)
            if size < _SHORTEST:
                break
        return moved

    def result(self, state: NewtonState, n_iter: int, tol: float) -> LaplaceResult:
        x, at = state.point.x, state.point.at
        half = np.zeros_like(self.root.T)
        if len(x):
            half, _ = dtrtrs(state.factor, self.root.T, lower=1)
        # GP-5: the sites become Gaussians with the curvature of the likelihood.
        mean, weights, tau = self.mean + self.root @ x, self.sites.weights, -at.second
        return LaplaceResult(
            status="optimal" if state.gap <= tol else "stalled",
            n_iter=n_iter,
            gap=state.gap,
            tau=tau,
            nu=at.first + tau * self.apply(mean),
            mean=mean,
            cov=half.T @ half,
            log_evidence=state.log_evidence,
            precision=weights * tau,
            pull=weights * at.first,
        )


def _weighted_gram(root: FloatArray, precision: FloatArray) -> FloatArray:
    """Give L' diag(precision) L, block by block: nothing as large as L is made."""
    total, sizes = np.zeros((root.shape[1], root.shape[1])), np.sqrt(precision)
    for low in range(0, len(root), _BLOCK):
        some = slice(low, low + _BLOCK)
        block = sizes[some, None] * root[some]
        total += block.T @ block
    return total


def _factorise(H: FloatArray) -> FloatArray:
    """Give the Cholesky factor of H >= 1, whatever rounding did to it."""
    factor, failed = dpotrf(H.T, lower=1)  # symmetric: saves a copy
    nugget = np.finfo(float).eps * float(np.trace(H))
    while failed:
        factor, failed = dpotrf(H + nugget * np.eye(len(H)), lower=1)
        nugget *= 10.0
    return factor


def root_of_covariance(cov: FloatArray) -> FloatArray:
    """Give L of shape (n, rank) with cov = LL', by pivoted Cholesky.

    Parameters
    ----------
    cov : ndarray of shape (n, n)
        Positive semi-definite; may be singular.

    Returns
    -------
    ndarray of shape (n, rank)
    """
    if not cov.any():
        return np.zeros((len(cov), 0))
    # Pivoting ends at the numerical rank: equal items, or few features, only make L
    # narrower.
    factor, pivots, rank, _ = dpstrf(cov, lower=1)
    root = np.zeros((len(cov), rank))
    root[pivots - 1] = np.tril(factor)[:, :rank]
    return root
