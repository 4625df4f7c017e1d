"""Capacities read off the dual coefficients of a kernel machine, without 2^n (CH-4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant._validation import frozen_array, set_fields
from penchant.choquet._capacity import Capacity
from penchant.choquet._set_readings import position_of, sampled_monotonicity
from penchant.kernels import choquet_kernel, list_subsets, subset_minima, subset_sizes
from penchant.typing import ArrayLike, FloatArray, IntArray, RandomState


@dataclass(frozen=True, eq=False, repr=False)
class KernelCapacity:
    r"""The capacity of f = sum_s a_s K(x_s, .), where K is a Choquet kernel.

    It answers what `Capacity` answers for numbers of attributes whose subsets cannot
    be listed. A support vector costs O(n log n) in `shapley` and O(n^2) in
    `interaction`.

    Parameters
    ----------
    support : ndarray of shape (n_support, n)
        Support vectors x_s.
    coefficients : ndarray of shape (n_support,)
        Dual coefficients a_s.
    k : int, optional
        Order of the kernel; None: all.
    damping : float, default=1.0
        Damping of the kernel.
    names : tuple of str, optional
        Names of the attributes.

    Examples
    --------
    >>> from penchant.models import KernelCapacity
    >>> capacity = KernelCapacity([[0.5, 0.2, 0.9]], [1.0])
    >>> round(capacity.value({0, 1, 2}), 6)
    2.7
    >>> capacity.shapley().round(6).tolist()
    [0.916667, 0.466667, 1.316667]
    """

    support: FloatArray
    coefficients: FloatArray
    k: int | None = None
    damping: float = 1.0
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        set_fields(
            self,
            support=frozen_array(self.support, np.float64),
            coefficients=frozen_array(self.coefficients, np.float64),
        )

    @property
    def n(self) -> int:
        """Number of attributes."""
        return int(self.support.shape[1])

    @property
    def total(self) -> float:
        """Value of the set of all attributes."""
        return float(self.choquet(np.ones((1, self.n)))[0])

    def value(self, subset: Iterable[int | str]) -> float:
        """Give mu of a set of attributes, named by position or by name."""
        members = np.zeros((1, self.n))
        members[0, [position_of(i, self.n, self.names) for i in subset]] = 1
        return float(self.choquet(members)[0])

    def choquet(self, X: ArrayLike) -> FloatArray:
        """Give the Choquet integral of each row.

        Parameters
        ----------
        X : array-like of shape (n_items, n)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        gram = choquet_kernel(X, self.support, k=self.k, damping=self.damping)
        return gram @ self.coefficients

    def shapley(self) -> FloatArray:
        """Give the importance of each attribute; they add up to `total`.

        Returns
        -------
        ndarray of shape (n,)
        """
        # Shapley is linear in mu, and mu in the kernels at the support vectors: what
        # each of these gives an attribute depends only on the attribute's rank in it.
        ranks, reached = self._reached(offset=1)
        return np.take_along_axis(reached, ranks, axis=1).T @ self.coefficients

    def interaction(self) -> FloatArray:
        """Give how much each pair is worth together beyond its members.

        Returns
        -------
        ndarray of shape (n, n)
            Symmetric, with zeros on the diagonal.
        """
        ranks, reached = self._reached(offset=2)
        pairs = np.zeros((self.n, self.n))
        for i in range(self.n):
            # A pair is in the minimum of a set as long as its lower member is.
            lower = np.minimum(ranks, ranks[:, [i]])
            pairs[i] = np.take_along_axis(reached, lower, axis=1).T @ self.coefficients
        np.fill_diagonal(pairs, 0)
        return pairs

    def monotonicity(
        self,
        *,
        tol: float = 1e-9,
        n_samples: int = 2_000,
        return_std: bool = False,
        random_state: RandomState = 0,
    ) -> Any:
        """Estimate the share of pairs (A, A + i) with mu(A) <= mu(A + i) (CH-5).

        Parameters
        ----------
        tol : float, default=1e-9
            A fall of at most ``tol`` times the largest absolute value of mu in the
            sample counts as none.
        n_samples : int, default=2000
            Pairs to draw.
        return_std : bool, default=False
            Whether to give the standard error as well.
        random_state : int, RandomState, Generator or None, default=0
            Draws the sample.

        Returns
        -------
        float, or tuple of two floats
            The degree and its standard error.
        """
        degree, std = sampled_monotonicity(
            self.choquet, self.n, tol, n_samples, random_state
        )
        return (degree, std) if return_std else degree

    def to_capacity(self) -> Capacity:
        """List all Möbius coefficients; there are 2^n - 1 unless k is small."""
        sizes = subset_sizes(self.n, self.k)
        mobius = subset_minima(self.support, self.k).T @ self.coefficients
        weights = (self.damping**sizes * mobius).tolist()
        subsets = list_subsets(self.n, self.k)
        return Capacity(dict(zip(subsets, weights, strict=True)), self.n, self.names)

    def __repr__(self) -> str:
        n_support = self.support.shape[0]
        return f"KernelCapacity(n={self.n}, n_support={n_support}, k={self.k})"

    def _reached(self, offset: int) -> tuple[IntArray, FloatArray]:
        """Give ranks, and sum_{t <= r} dx_t g(n - t + 1) for each rank r.

        g is G of CH-4 for offset 1 and H for offset 2.
        """
        order = np.argsort(self.support, axis=1, kind="stable")
        ranks = np.argsort(order, axis=1, kind="stable")
        ordered = np.take_along_axis(self.support, order, axis=1)
        # A minimum is the sum of the steps up to it: from 2^n sets to n steps.
        steps = np.diff(ordered, axis=1, prepend=0.0)
        larger = np.arange(self.n, 0, -1)
        return ranks, np.cumsum(steps * self._shares(larger, offset), axis=1)

    def _shares(self, size: IntArray, offset: int) -> FloatArray:
        """Sum C(c - offset, p) w_{p + offset} / (p + 1) over p, for sizes c."""
        top = self.n if self.k is None else min(self.k, self.n)
        free = np.maximum(size - offset, 0)
        valid = (size >= offset) & (top >= offset)
        term = np.where(valid, self.damping**offset, 0.0)
        shares = term.copy()
        for p in range(1, top - offset + 1):
            # C(c, p) damping^(p + offset) from that of p - 1: no factorial overflows.
            term = term * np.maximum(free - p + 1, 0) / p * self.damping
            shares += term / (p + 1)
        return shares
