"""What all people have in common, as the prior of a new person (GP-11)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.exceptions import DataError
from penchant.gp._covariance import Covariance, DenseCovariance, LowRankCovariance
from penchant.gp._item_prior import ItemPrior, contrasts, find_rows
from penchant.gp._kernels import ItemKernel, KernelFamily
from penchant.gp._process import InducingItems
from penchant.gp.inference._grouped_sites import GroupedSites
from penchant.gp.inference._hierarchical_em import (
    LARGEST_DENSE,
    HierarchicalEM,
    HierarchicalResult,
)
from penchant.typing import FloatArray, IntArray

_N_SAMPLE = 1000
"""The first steps use every k-th person, about this many."""
LARGEST_FREE = 500
"""Most items with features whose covariance is free."""


@dataclass(frozen=True, eq=False)
class DenseHierarchy:
    """Mean and free covariance of the utilities of all items.

    Parameters
    ----------
    coef : ndarray of shape (1 + n_user_features, n_items)
        Mean utilities, then what each standardised feature of a person adds.
    cov : ndarray of shape (n_items, n_items)
        Covariance between people with equal features. Rows add up to 0: utilities
        are measured from the average item.
    spread : ndarray of shape (n_user_features, n_user_features)
        Covariance of the features over the training people.
    items : ItemPrior or None
        What features of items tell; None: there are none.
    """

    coef: FloatArray
    cov: FloatArray
    spread: FloatArray
    items: ItemPrior | None

    def prior(
        self,
        user: FloatArray | None,
        items: FloatArray | None,
        places: IntArray | None = None,
    ) -> tuple[FloatArray, Covariance]:
        """Give mean and covariance of the utilities of a new person.

        Parameters
        ----------
        user : ndarray of shape (n_user_features,) or None
            Standardised features; NaN, or None for all: not known, which widens the
            prior.
        items : ndarray of shape (n, n_item_features) or None
            Encoded items; None: those of training.
        places : ndarray of int of shape (n,), optional
            Which of training each is, -1: none; default: the one that equals it.
        """
        mean, cov = _person(self.coef, self.cov, self.spread, user)
        if items is None:
            return mean, DenseCovariance(cov)
        if self.items is None:
            raise DataError(
                "New items need features, and the model was fitted without any. Give "
                "X_items to fit."
            )
        # A new item is predicted from the training items by the kernel, on top of which
        # comes what the kernel leaves open.
        weights, rest = self.items.regression(items, places)
        return weights @ mean, DenseCovariance(weights @ cov @ weights.T + rest)


@dataclass(frozen=True, eq=False)
class LowRankHierarchy:
    """Mean and covariance of weights of item features, for very many items.

    Parameters
    ----------
    coef : ndarray of shape (1 + n_user_features, rank)
    cov : ndarray of shape (rank, rank)
    spread : ndarray of shape (n_user_features, n_user_features)
    offsets : ndarray of shape (n_items,)
        What a training item is worth beyond its features.
    residual : float
        Variance of that between people.
    items : ndarray of shape (n_items, n_item_features)
        Encoded training items.
    kernel : ItemKernel
    landmarks : ndarray of shape (rank, n_item_features)
        Items against which others are measured.
    projection : ndarray of shape (rank, rank)
        Takes covariances with the landmarks to features.
    """

    coef: FloatArray
    cov: FloatArray
    spread: FloatArray
    offsets: FloatArray
    residual: float
    items: FloatArray
    kernel: ItemKernel
    landmarks: FloatArray
    projection: FloatArray

    def prior(
        self,
        user: FloatArray | None,
        items: FloatArray | None,
        places: IntArray | None = None,
    ) -> tuple[FloatArray, Covariance]:
        """Give mean and covariance of the utilities of a new person."""
        weights, cov = _person(self.coef, self.cov, self.spread, user)
        wanted, offsets = self.items, self.offsets
        if items is not None:
            wanted = items
            places = find_rows(items, self.items) if places is None else places
            offsets = np.append(offsets, 0.0)[places]
        known = InducingItems(self.kernel, self.landmarks, self.projection, 0.0)
        features = known.features(wanted)
        factor = features @ np.linalg.cholesky(cov)
        belief = LowRankCovariance(factor, np.full(len(wanted), self.residual))
        mean = features @ weights + offsets
        if len(wanted) <= LARGEST_DENSE:  # written out once, not at every answer
            return mean, DenseCovariance(belief.dense())
        return mean, belief


def _person(
    coef: FloatArray, cov: FloatArray, spread: FloatArray, user: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Give mean and covariance of one person, of whom some features may be unknown.

    What is unknown is predicted from the rest, as of a Gaussian with the covariance of
    the training people, and the doubt that is left widens the prior.
    """
    if user is None:
        user = np.full(len(spread), np.nan)
    blank = np.isnan(user)
    known = user[~blank]
    mean = coef[0] + known @ coef[1:][~blank]
    if not blank.any():
        return mean, cov
    # Levels of one question add up to 1: their covariance has no inverse.
    within = np.linalg.pinv(spread[np.ix_(~blank, ~blank)], hermitian=True)
    slopes = spread[np.ix_(blank, ~blank)] @ within
    doubt = spread[np.ix_(blank, blank)] - slopes @ spread[np.ix_(~blank, blank)]
    unseen = coef[1:][blank]
    return mean + slopes @ known @ unseen, cov + unseen.T @ doubt @ unseen


def fit_hierarchy(
    sites: GroupedSites,
    design: FloatArray,
    known: tuple[KernelFamily, FloatArray] | None,
    *,
    options: dict[str, Any],
    n_kernel_fits: int,
    rank: int,
    limits: dict[str, Any],
    rng: np.random.RandomState,
) -> tuple[DenseHierarchy | LowRankHierarchy, HierarchicalResult]:
    """Learn the hierarchy from all people (GP-11).

    Parameters
    ----------
    sites : GroupedSites
    design : ndarray of shape (n_users, 1 + n_user_features)
        A column of ones, and standardised features of people.
    known : (KernelFamily, ndarray of shape (n_items, n_item_features)) or None
        Kernels between the items, and the items; None: nothing is known of them.
    options : dict
        shrinkage and noise of `HierarchicalEM`.
    n_kernel_fits : int
        How often the kernel is fitted to what was learned.
    rank : int
        Number of landmarks above 500 items.
    limits : dict
        tol, max_iter and go_on of `HierarchicalEM.solve`.
    rng : RandomState
        Draws the landmarks.
    """
    # The columns have mean 0: this is their covariance.
    spread = design[:, 1:].T @ design[:, 1:] / max(len(design), 1)
    fitter = _Fitter(sites, design, options, limits)
    if known is not None and sites.n_items > LARGEST_FREE:
        return fitter.low_rank(*known, spread, rank, rng)
    if sites.n_items > LARGEST_DENSE:
        raise DataError(
            f"With more than {LARGEST_DENSE} items their features are needed. Got "
            f"{sites.n_items} items without features; give X_items to fit."
        )
    return fitter.dense(known, spread, n_kernel_fits)


@dataclass(frozen=True, eq=False)
class _Fitter:
    """Runs EM with a part of the people, then with all."""

    sites: GroupedSites
    design: FloatArray
    options: dict[str, Any]
    limits: dict[str, Any]

    def dense(
        self,
        known: tuple[KernelFamily, FloatArray] | None,
        spread: FloatArray,
        n_kernel_fits: int,
    ) -> tuple[DenseHierarchy, HierarchicalResult]:
        basis = contrasts(self.sites.n_items)
        prior = None if known is None else ItemPrior.from_family(*known)
        target = np.eye(basis.shape[1]) if prior is None else prior.target(basis)
        em = self._sample(basis, target)
        start = em.solve(**self._roughly())
        for _ in range(n_kernel_fits):
            if known is None or prior is None:
                break
            # As many people as the target counts for, if there are so many.
            people = min(self.options["shrinkage"], em.n_people)
            prior = prior.fitted(known[0], start.cov, people)
            em.target = prior.target(basis)
            start = em.solve(**self._roughly())
        result = self._all(basis, em.target, start)
        cov = basis @ result.cov @ basis.T
        return DenseHierarchy(result.coef @ basis.T, cov, spread, prior), result

    def low_rank(
        self,
        family: KernelFamily,
        items: FloatArray,
        spread: FloatArray,
        rank: int,
        rng: np.random.RandomState,
    ) -> tuple[LowRankHierarchy, HierarchicalResult]:
        # A free covariance of the weights takes the place of fitted scales.
        kernel = family.kernel(family.prior_mean)
        known = InducingItems.from_items(kernel, np.unique(items, axis=0), rank, rng)
        features = known.features(items)
        target = np.eye(features.shape[1])
        start = self._sample(features, target, residual=0.1).solve(**self._roughly())
        result = self._all(features, target, start)
        hierarchy = LowRankHierarchy(
            coef=result.coef,
            cov=result.cov,
            spread=spread,
            offsets=result.offsets,
            residual=result.residual,
            items=items,
            kernel=kernel,
            landmarks=known.items,
            projection=known.projection,
        )
        return hierarchy, result

    def _roughly(self) -> dict[str, Any]:
        """Give limits that are enough for a start."""
        return {**self.limits, "tol": 2.0 * self.limits["tol"]}

    def _sample(
        self, features: FloatArray, target: FloatArray, residual: float = 0.0
    ) -> HierarchicalEM:
        """Prepare EM with about a thousand people."""
        step = max(1, self.sites.n_users // _N_SAMPLE)
        some = np.arange(0, self.sites.n_users, step)
        return HierarchicalEM(
            self.sites.take(some),
            self.design[some],
            features,
            target,
            residual=residual,
            **self.options,
        )

    def _all(
        self, features: FloatArray, target: FloatArray, start: HierarchicalResult
    ) -> HierarchicalResult:
        """Go on with all people."""
        if self.sites.n_users < 2 * _N_SAMPLE and start.gap <= self.limits["tol"]:
            return start
        em = HierarchicalEM(
            self.sites, self.design, features, target, start=start, **self.options
        )
        return em.solve(**self.limits)
