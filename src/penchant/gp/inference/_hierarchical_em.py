"""What many people have in common, by expectation maximisation (GP-11)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array

from penchant.gp.inference._expectation_propagation import SiteState
from penchant.gp.inference._grouped_sites import GroupedSites
from penchant.gp.inference._person_sweeps import Blocks, PeoplePrior
from penchant.gp.inference._truncated_normal import truncated_normals
from penchant.typing import FloatArray

LARGEST_DENSE = 2000
"""Most items whose covariance is written out while learning."""
NOISE_BOUNDS = (0.1, 10.0)
"""Between these the noise is learned, in units of the standard deviation of utility.

Answers without any contradiction would have it fall to 0, where expectation
propagation needs many sweeps and predicts no better than at 0.1.
"""
_LARGEST_STEP = 10.0
"""How much longer than a step of plain EM a step may be."""
_SLOWEST = 0.05
"""Smallest share of a step that is taken."""
_RIDGE_BOUNDS = (1e-2, 1e6)
_INTERCEPT_RIDGE = 1.0
"""The common mean has the covariance of one person: few people do not prove it."""
_LOG_NOISE = (-0.7, 1.0)
"""Mean and standard deviation of the logarithm of the noise where nobody answered."""
_N_NOISE_SITES = 20_000
_FIRST_SWEEPS, _LAST_SWEEPS = 2, 3


@dataclass(frozen=True, eq=False)
class HierarchicalResult:
    """The prior of a new person, and how far it was found.

    Parameters
    ----------
    status : {"optimal", "iteration_limit"}
        Whether the gap is at most the tolerance.
    n_iter : int
    gap : float
        Largest change of the prior in the last step: of its covariance, relative to
        the largest entry, of the common mean likewise, and of the log noise.
    log_evidence : float
        Logarithm of the probability of all answers.
    coef : ndarray of shape (n_columns, n_features)
        B: the mean of a person with design row t is ``features B't + offsets``.
    cov : ndarray of shape (n_features, n_features)
        Covariance of the weights of the item features between people.
    offsets : ndarray of shape (n_items,)
        What an item is worth beyond its features.
    residual : float
        Variance between people of what an item is worth beyond its features.
    noise : float
    ridge : float
        Precision of the coefficients of the design, in units of cov^-1.
    """

    status: str
    n_iter: int
    gap: float
    log_evidence: float
    coef: FloatArray
    cov: FloatArray
    offsets: FloatArray
    residual: float
    noise: float
    ridge: float


class HierarchicalEM:
    """Learn the mean and the covariance of people's utilities from their answers.

    The utilities of person u are f_u = F w_u + e_u with weights
    ``w_u ~ N(B't_u, L)`` and, with many items, residuals ``e_u ~ N(c, d I)``. F are
    features of the items and t_u is a row of the design. The mean item variance is
    kept at 1, which fixes the unit of utility. Steps have the length that the
    information in the answers allows, which is longer than in plain EM and has the
    same end; one sweep over the sites is made in each step.

    Parameters
    ----------
    sites : GroupedSites
    design : ndarray of shape (n_users, n_columns)
        First column 1; the others have mean 0 over the people.
    features : ndarray of shape (n_items, n_features)
    target : ndarray of shape (n_features, n_features)
        Covariance L to which the learned one is shrunk; positive definite. It may be
        replaced by another between two calls of `solve`.
    shrinkage : float
        How many people the target counts for.
    residual : float
        Start of d; 0: no residuals.
    noise : float or None, default=None
        Noise in a comparison; None: learn it.
    start : HierarchicalResult or None, default=None
        What was found with other people; None: no mean, and the target.
    """

    def __init__(
        self,
        sites: GroupedSites,
        design: FloatArray,
        features: FloatArray,
        target: FloatArray,
        *,
        shrinkage: float,
        residual: float = 0.0,
        noise: float | None = None,
        start: HierarchicalResult | None = None,
    ) -> None:
        self._sites, self._blocks = sites, Blocks(sites)
        self._features = np.ascontiguousarray(features)
        active = np.diff(sites.node_start) > 0
        self.n_people = max(int(active.sum()), 1)
        self._design = design * active[:, None]
        self._shrinkage, self.target = shrinkage, target
        self._learns_noise = noise is None
        self._is_dense = len(features) <= LARGEST_DENSE
        self._gaussians = SiteState(*np.zeros((5, len(sites.first))))
        self._duals = np.zeros(len(sites.nodes))
        self.coef = np.zeros((design.shape[1], len(target)))
        self.cov, self.residual = target.copy(), residual
        self.offsets = np.zeros(len(features))
        self.noise = float(np.exp(_LOG_NOISE[0])) if noise is None else noise
        self.ridge, self._pace = 1.0, 1.0
        self._seen = np.bincount(sites.nodes, minlength=len(features))
        if start is not None:
            self.coef, self.cov, self.offsets = start.coef, start.cov, start.offsets
            self.residual, self.ridge = start.residual, start.ridge
            self.noise = start.noise

    def solve(
        self,
        *,
        tol: float = 7e-3,
        max_iter: int = 100,
        go_on: Callable[[float], bool] = lambda gap: True,
    ) -> HierarchicalResult:
        """Step until the prior changes by no more than `tol` per step.

        `go_on` is told the gap after each step; False: stop.
        """
        self._rescale()
        self._expect(_FIRST_SWEEPS)
        gap, n_iter, self._pace = np.inf, 0, 1.0
        while gap > tol and n_iter < max_iter:
            before, last = self._learned(), gap
            self._step()
            pairs = zip(self._learned(), before, strict=True)
            change = max(np.abs(now - then).max(initial=0.0) for now, then in pairs)
            # A shortened step changes less; what counts is how far a whole one would
            # go.
            gap = float(change / self._pace)
            # Where steps overshoot (contradictory, very few answers) they get shorter.
            # A step that is too long shows in a larger change after it.
            self._pace *= 0.5 if gap > last else 1.1
            self._pace = min(max(self._pace, _SLOWEST), 1.0)
            n_iter += 1
            if not go_on(gap):
                break
        self._expect(_LAST_SWEEPS)
        log_evidence, _, _ = self._expect(1)  # exact, as the sites no longer change
        return HierarchicalResult(
            status="optimal" if gap <= tol else "iteration_limit",
            n_iter=n_iter,
            gap=gap,
            log_evidence=log_evidence,
            coef=self.coef,
            cov=self.cov,
            offsets=self.offsets,
            residual=self.residual,
            noise=self.noise,
            ridge=self.ridge,
        )

    def _learned(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Give what is learned, in units that can be compared."""
        largest = float(np.abs(self.cov).max(initial=1.0))
        size = float(np.abs(self.coef[0]).max(initial=1.0))
        return self.cov / largest, self.coef[0] / size, np.log([self.noise])

    def _step(self) -> None:
        _, information, trace = self._expect(1)
        # One basis in which the prior is the identity and the information diagonal:
        # every direction has a share of its uncertainty that the answers take away.
        root = np.linalg.cholesky(self.cov)
        shares, vectors = np.linalg.eigh(root.T @ information @ root)
        # Answers take from nothing to all of a prior's uncertainty, but for rounding.
        shares = np.clip(shares, 1e-6, 1.0)
        pulls = self._pulls()
        basis = root @ vectors
        coef = self._next_coef(basis, shares, pulls)
        self.cov = self._next_cov(basis, shares, pulls)
        self.coef = coef
        if self.residual > 0.0:
            self._next_residuals(trace)
        if self._learns_noise:
            self._next_noise()
        self._rescale()

    def _expect(self, n_sweeps: int) -> tuple[float, FloatArray, float]:
        """Sweep all people; give evidence, mean information and its trace."""
        features = self._features
        # Few items: their covariance is formed once for everybody. Many: each person's
        # block from the rows of the factor, as nobody has seen more than a few items.
        factor = features @ np.linalg.cholesky(self.cov)
        dense = factor @ factor.T if self._is_dense else np.empty((0, 0))
        if self._is_dense and self.residual > 0.0:
            dense[np.diag_indices_from(dense)] += self.residual
        means = self._design @ self.coef
        told = self._blocks.expect(
            PeoplePrior(means, features, self.offsets, dense, factor, self.residual),
            self.noise,
            self._gaussians,
            n_sweeps,
            self._pace,
        )
        self._duals, self._gaussians = told.duals, told.state
        information = told.information
        if self._is_dense:
            information = features.T @ information @ features
        return told.log_evidence, information / self.n_people, told.trace

    def _pulls(self) -> FloatArray:
        """Give F'S^-1 (m_u - prior mean) of each person, (n_users, n_features)."""
        sites = self._sites
        shape = (sites.n_users, sites.n_items)
        duals = csr_array((self._duals, sites.nodes, sites.node_start), shape=shape)
        return duals @ self._features

    def _next_coef(
        self, basis: FloatArray, shares: FloatArray, pulls: FloatArray
    ) -> FloatArray:
        """Take a Newton step on B, and learn its ridge by evidence.

        In the basis the covariance is I and the information diag(shares); along the
        eigenvectors of the design's moments everything is diagonal.
        """
        sizes, directions = self._moments()
        inverse = np.linalg.inv(basis)
        coef = directions.T @ self.coef @ inverse.T
        ridge = np.full(len(sizes), self.ridge)
        ridge[0] = _INTERCEPT_RIDGE
        gradient = directions.T @ (self._design.T @ pulls) @ basis
        gradient -= ridge[:, None] * coef
        strength = np.outer(sizes, np.maximum(shares, 1.0 / _LARGEST_STEP))
        coef += self._pace * gradient / (strength + ridge[:, None])
        if len(sizes) > 1:
            # Where the evidence is largest, the ridge is the number of coefficients
            # that the answers determine over the sum of their squares (MacKay).
            known = np.outer(sizes[1:], shares)
            freedom = (known / (known + self.ridge)).sum()
            ratio = freedom / max(np.square(coef[1:]).sum(), 1e-12)
            self.ridge = float(np.clip(ratio, *_RIDGE_BOUNDS))
        return np.asarray(directions @ coef @ basis.T)

    def _moments(self) -> tuple[FloatArray, FloatArray]:
        """Give eigenvalues and eigenvectors of the design's moments.

        The first is that of the column of ones, which the others are taken to be
        orthogonal to; they nearly are.
        """
        others = self._design[:, 1:]
        sizes, vectors = np.linalg.eigh(others.T @ others)
        directions = np.eye(len(sizes) + 1)
        directions[1:, 1:] = vectors
        return np.append(float(self.n_people), np.maximum(sizes, 0.0)), directions

    def _next_cov(
        self, basis: FloatArray, shares: FloatArray, pulls: FloatArray
    ) -> FloatArray:
        """Take a step on L that stays positive definite by construction.

        EM gives L + L Q L, Q = mean(aa' - R), and its prior adds people. With J the
        shares of information in the basis, L may instead move by P Q P with
        P = basis J^(-1/2) basis', because R takes at most as much as is there.
        """
        size, prior = self.n_people, self._shrinkage
        scatter = basis.T @ (pulls.T @ pulls) @ basis / size
        inverse = np.linalg.inv(basis)
        wanted = inverse @ self.target @ inverse.T - np.eye(len(shares))
        change = size * (scatter - np.diag(shares)) + prior * wanted
        change /= size + prior
        total = (size * shares + prior) / (size + prior)
        speed = np.sqrt(np.minimum(1.0 / total, _LARGEST_STEP))
        change *= self._pace * np.outer(speed, speed)
        change[np.diag_indices_from(change)] += 1.0
        cov = basis @ change @ basis.T
        return np.asarray(0.5 * (cov + cov.T))

    def _next_residuals(self, trace: float) -> None:
        """Update c and d of the items' residuals."""
        size = len(self._features)
        pulled = np.bincount(self._sites.nodes, self._duals, size)
        # The prior of an offset, N(0, residual), counts as one more person.
        self.offsets = (self._seen * self.offsets + self.residual * pulled) / (
            self._seen + 1.0
        )
        # Both are equal where the evidence is largest in the variance.
        # At most by a factor of 2: while the sites are new, the ratio says little.
        ratio = np.square(self._duals).sum() / max(trace, 1e-12)
        self.residual *= float(np.clip(ratio, 0.5, 2.0))

    def _next_noise(self) -> None:
        """Maximise the probability of the sites against their cavities."""
        # One number is learned: every k-th of many sites tells it nearly as well.
        step = max(1, len(self._sites.lower) // _N_NOISE_SITES)
        some = slice(None, None, step)
        means = self._gaussians.cavity_mean[some]
        variances = self._gaussians.cavity_variance[some]
        lower, upper = self._sites.lower[some], self._sites.upper[some]
        weights = self._sites.weights[some]

        def loss(logarithm: float) -> float:
            away = (logarithm - _LOG_NOISE[0]) / _LOG_NOISE[1]
            spread = np.sqrt(variances + np.exp(2.0 * logarithm))
            gain = weights @ truncated_normals(lower, upper, spread, means)[0]
            return float(0.5 * away**2 - step * gain)

        here = np.log(self.noise)
        ends = (here - 0.7, here + 0.7)
        best = minimize_scalar(
            loss, bounds=ends, method="bounded", options={"xatol": 1e-2}
        )
        found = here + self._pace * (best.x - here)
        self.noise = float(np.clip(np.exp(found), *NOISE_BOUNDS))

    def _rescale(self) -> None:
        """Measure utility in units in which the mean item variance is 1."""
        moments = self._features.T @ self._features / len(self._features)
        # tr(F'F L)/n is the mean of diag(F L F'), without making that matrix.
        unit = float(np.sum(moments * self.cov)) + self.residual or 1.0
        self.cov = self.cov / unit
        self.coef = self.coef / np.sqrt(unit)
        self.offsets = self.offsets / np.sqrt(unit)
        self.residual /= unit
        # tau is per utility squared, nu per utility: the sites go along, and no sweep
        # is lost.
        self._gaussians.tau[:] *= unit
        self._gaussians.nu[:] *= np.sqrt(unit)
        if self._learns_noise:
            self.noise = float(np.clip(self.noise / np.sqrt(unit), *NOISE_BOUNDS))
