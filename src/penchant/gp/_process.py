"""The learned Gaussian process, and the few items that can stand for many."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from penchant.gp._kernels import ItemKernel
from penchant.gp.inference._laplace import NewtonState
from penchant.gp.inference._sites import Rows
from penchant.typing import FloatArray

_N_CANDIDATES = 2000
"""The inducing items are chosen among this many, drawn at random."""
_TOL = 1e-10
"""Share of the largest prior variance below which nothing more is to be explained."""
_BLOCK = 4096
"""Answers whose features are computed at once."""


@dataclass(frozen=True, eq=False)
class GaussianProcess:
    """A posterior belief about the utilities of all items that could be (GP-6).

    Parameters
    ----------
    kernel : ItemKernel
        Prior covariance, in units of the variance of the noise.
    items : ndarray of shape (n_items, n_features)
        Encoded items that answers speak of, or few of them that stand for all.
    coef : ndarray of shape (n_items,)
        The mean is noise * K(x, items) @ coef.
    root : ndarray of shape (rank, n_items)
        The covariance is noise^2 (K(x, x') - K(x, items) root' root K(items, x')).
    noise : float
        Standard deviation of the noise, the unit of the utility.
    """

    kernel: ItemKernel
    items: FloatArray
    coef: FloatArray
    root: FloatArray
    noise: float

    def mean(self, gram: FloatArray) -> FloatArray:
        """Give the posterior mean from covariances with the items, (n, n_items)."""
        return self.noise * (gram @ self.coef)

    def cov(self, prior: FloatArray, gram: FloatArray) -> FloatArray:
        """Give the posterior covariance from the prior one, shape (n, n)."""
        seen = gram @ self.root.T
        return self.noise**2 * (prior - seen @ seen.T)

    def deviation(self, prior: FloatArray, gram: FloatArray) -> FloatArray:
        """Give posterior standard deviations from prior variances, shape (n,)."""
        seen = gram @ self.root.T
        left = prior - np.einsum("ij,ij->i", seen, seen)
        return self.noise * np.sqrt(np.maximum(left, 0.0))


@dataclass(frozen=True, eq=False)
class InducingItems:
    """Items z whose utilities tell those of all others, nearly.

    Nystrom features phi(x) = R^-1 K(z, x) with RR' = K(z, z) have phi(x)'phi(y) close
    to K(x, y), and equal to it where x is one of the items.

    Parameters
    ----------
    kernel : ItemKernel
    items : ndarray of shape (n_inducing, n_features)
    projection : ndarray of shape (n_inducing, n_inducing)
        The transpose of R^-1, which takes covariances with the items to features.
    residual : float
        Mean prior variance that phi leaves out, as a share of the mean prior
        variance, over the items that they were chosen from.
    """

    kernel: ItemKernel
    items: FloatArray
    projection: FloatArray
    residual: float

    @classmethod
    def from_items(
        cls,
        kernel: ItemKernel,
        U: FloatArray,
        n_inducing: int,
        rng: np.random.RandomState,
    ) -> "InducingItems":
        """Choose by pivoted Cholesky: each time the item that is least explained."""
        some = U
        if len(U) > _N_CANDIDATES:
            # The choice costs O(n_candidates n_inducing^2), whatever the number of
            # items.
            some = U[np.sort(rng.choice(len(U), _N_CANDIDATES, replace=False))]
        K = kernel.gram(some, some)
        total = float(np.trace(K))
        if total <= 0.0:  # nothing to learn: all items are alike
            return cls(kernel, some[:0], np.zeros((0, 0)), 0.0)
        tol = _TOL * float(np.diagonal(K).max())
        factor, pivots, rank, _ = dpstrf(K, lower=1, tol=tol)
        size = min(rank, n_inducing)
        lower = np.tril(factor)[:, :size]
        return cls(
            kernel=kernel,
            items=some[pivots[:size] - 1],
            projection=solve_triangular(lower[:size], np.eye(size), lower=True).T,
            residual=max(1.0 - float(np.square(lower).sum()) / total, 0.0),
        )

    def features(self, U: FloatArray) -> FloatArray:
        """Give phi of encoded items, shape (n_items, n_inducing), block by block."""
        blocks = (U[low : low + _BLOCK] for low in range(0, len(U), _BLOCK))
        found = [self.kernel.gram(b, self.items) @ self.projection for b in blocks]
        return np.concatenate(found)

    def differences(self, U: FloatArray, rows: Rows) -> FloatArray:
        """Give A phi(U), what answers are about, of shape (n_answers, n_inducing)."""
        found = np.empty((len(rows), len(self.items)))
        for low in range(0, len(rows), _BLOCK):
            some = np.arange(low, min(low + _BLOCK, len(rows)))
            # Features of the items that these answers speak of, and never of all at
            # once.
            block, used = rows.take(some)
            found[some] = block.apply(self.features(U[used]))
        return found

    def process(self, mode: NewtonState, noise: float) -> GaussianProcess:
        """Write the posterior of the weights of phi as a process.

        With H the precision of the weights the covariance is
        ``K(x, y) - phi(x)'(I - H^-1) phi(y)``: away from the items it is the prior.
        """
        # I - H^-1 has eigenvalues from 0 (nothing learned) to 1; rounding may take H
        # below 1.
        values, vectors = np.linalg.eigh(mode.factor @ mode.factor.T)
        known = vectors * np.sqrt(np.maximum(1.0 - 1.0 / values, 0.0))
        coef = self.projection @ mode.point.x
        root = known.T @ self.projection.T
        return GaussianProcess(self.kernel, self.items, coef, root, noise)
