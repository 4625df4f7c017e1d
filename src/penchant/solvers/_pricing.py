"""Find the violated subsets among all 2^d - 1 without enumerating them."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from penchant.solvers._factors import FactorDictionary, Subset
from penchant.typing import BoolArray, FloatArray, IntArray

_MAX_BOUNDS = 3
"""Sizes of subsets with bounds of their own; larger subsets share the last."""


@dataclass(frozen=True)
class Pricing:
    """What a search over all subsets found.

    Parameters
    ----------
    violated : tuple of tuple of int
        Subsets whose value exceeds the threshold, largest value first.
    bound : float
        No subset has a larger value than this.
    n_nodes : int
        Number of subsets whose extensions were looked at.
    complete : bool
        False if the budget ended the search; `bound` holds all the same.
    """

    violated: tuple[Subset, ...]
    bound: float
    n_nodes: int
    complete: bool


@dataclass(frozen=True, eq=False)
class _Branch:
    """A subset, its packed ZZ' o K_S, and the attributes still to extend it by."""

    subset: Subset
    product: FloatArray
    extensions: IntArray
    bounds: FloatArray


class _Search:
    """The state of one search: the best subsets so far and what remains to be seen.

    Once `limit` violated subsets are known, the worst of them is the threshold.
    """

    def __init__(self, threshold: float, limit: int) -> None:
        self.threshold = threshold
        self.violated: list[tuple[float, Subset]] = []
        self.branches: list[_Branch] = []
        self.bound = 0.0
        self.n_nodes = 0
        self._limit = limit

    def add(self, subset: Subset, value: float) -> None:
        """Note a violated subset; forget the worst if there are too many."""
        heapq.heappush(self.violated, (value, subset))
        if len(self.violated) > self._limit:
            heapq.heappop(self.violated)
        if len(self.violated) == self._limit:
            self.threshold = max(self.threshold, self.violated[0][0])

    def next_branch(self) -> tuple[_Branch, IntArray]:
        """Take the last branch and those extensions that may still matter."""
        branch = self.branches.pop()
        matters = branch.bounds > self.threshold
        self.see(branch.bounds, ~matters)
        return branch, branch.extensions[matters]

    def see(self, values: FloatArray, where: BoolArray) -> None:
        """Raise the bound over all subsets to the given values or bounds."""
        self.bound = max(self.bound, float(values.max(where=where, initial=0.0)))


class Pricer:
    """Depth-first search with the bound of GAI-4, over subsets up to an order.

    The value of a subset is |L_S'Z|^2 = s_|S| Z'K_S Z, where s_q is the square of the
    scale of order q. All terms are non-negative, so Z'(K_S o B)Z, with B the scaled
    sum of the products of later attributes' kernels, bounds the values of S and of
    all its extensions by later attributes.

    Parameters
    ----------
    dictionary : FactorDictionary
    """

    def __init__(self, dictionary: FactorDictionary) -> None:
        self._dictionary = dictionary
        self._kernels = dictionary.kernels
        self._squares = dictionary.scales**2
        self._bounds = self._make_bounds()

    @property
    def _max_order(self) -> int:
        return len(self._squares) - 1

    def search(
        self, pull: FloatArray, threshold: float, *, limit: int, budget: int
    ) -> Pricing:
        """Find the subsets with the largest |L_S'Z|^2 above a threshold.

        Parameters
        ----------
        pull : ndarray of shape (n_items,)
            Z, the net weight of the evidence on each item.
        threshold : float
        limit : int
            Number of violated subsets that is enough.
        budget : int
            Number of nodes after which the search ends.
        """
        search = _Search(threshold, limit)
        root = self._dictionary.packed_square(pull)
        self._extend([()], root[None, :], search)
        while search.branches and search.n_nodes < budget:
            branch, extensions = search.next_branch()
            if len(extensions):
                products = branch.product * self._kernels[extensions]
                subsets = [(*branch.subset, int(i)) for i in extensions]
                self._extend(subsets, products, search)
        unseen = max((branch.bounds.max() for branch in search.branches), default=0.0)
        return Pricing(
            violated=tuple(subset for _, subset in sorted(search.violated)[::-1]),
            bound=max(search.bound, float(unseen)),
            n_nodes=search.n_nodes,
            complete=not search.branches,
        )

    def _extend(
        self, subsets: list[Subset], products: FloatArray, search: _Search
    ) -> None:
        """Price all extensions of subsets of one size by one later attribute."""
        search.n_nodes += len(subsets)
        size = len(subsets[0]) + 1
        last = np.array([subset[-1] if subset else -1 for subset in subsets])
        low = last.min() + 1
        added = np.arange(low, len(self._kernels))
        later = added > last[:, None]
        values = self._squares[size] * (products @ self._kernels[low:].T)
        search.see(values, later)
        for row, column in np.argwhere(later & (values > search.threshold)):
            search.add((*subsets[row], int(added[column])), float(values[row, column]))
        if size == self._max_order:
            return
        stack = self._bounds[min(size, len(self._bounds)) - 1]
        bounds = products @ stack[low:].T
        later &= added < len(self._kernels) - 1  # the last attribute ends a branch
        matters = later & (bounds > search.threshold)
        search.see(bounds, later & ~matters)
        best = bounds.max(axis=1, where=matters, initial=0.0)
        for row in np.argsort(best, kind="stable"):  # the best is to be popped first
            where = matters[row]
            if not where.any():
                continue
            search.branches.append(
                _Branch(subsets[row], products[row], added[where], bounds[row, where])
            )

    def _make_bounds(self) -> list[FloatArray]:
        """Give K_i o B_i for each size of S + i, B_i over the attributes after i."""
        n_attributes, max_order = len(self._kernels), self._max_order
        uniform = np.ptp(self._squares[1:]) == 0
        if max_order >= n_attributes and uniform:
            return [self._bound_stack(np.full(n_attributes, self._squares[1]))]
        stacks = []
        for size in range(1, min(max_order, _MAX_BOUNDS + 1)):
            weights = self._squares[size:]
            if size == _MAX_BOUNDS:  # holds for all larger sizes, too
                weights = np.full(len(weights), weights.max())
            stacks.append(self._bound_stack(weights))
        return stacks

    def _bound_stack(self, weights: FloatArray) -> FloatArray:
        """Give K_i o sum_j weights_j e_j, e_j over products of j later attributes."""
        stack = np.empty_like(self._kernels)
        sums = np.zeros((len(weights), self._kernels.shape[1]))
        sums[0] = 1.0
        for i in range(len(self._kernels) - 1, -1, -1):
            stack[i] = self._kernels[i] * (weights @ sums)
            for order in range(len(weights) - 1, 0, -1):
                sums[order] += self._kernels[i] * sums[order - 1]
        return stack


class ListPricer:
    """Prices an explicit list of subsets instead of all of them.

    Parameters
    ----------
    dictionary : FactorDictionary
    subsets : iterable of tuple of int
        At least one.
    """

    def __init__(self, dictionary: FactorDictionary, subsets: Iterable[Subset]) -> None:
        self._dictionary = dictionary
        self._kernels = dictionary.kernels
        self._squares = dictionary.scales**2
        self._subsets = sorted(subsets, key=lambda s: (len(s), s))

    def search(
        self, pull: FloatArray, threshold: float, *, limit: int, budget: int
    ) -> Pricing:
        """Find the listed subsets with the largest values; `budget` has no effect."""
        root = self._dictionary.packed_square(pull)
        products = (self._kernels[list(s)].prod(axis=0) for s in self._subsets)
        values = {
            subset: float(self._squares[len(subset)] * (root @ product))
            for subset, product in zip(self._subsets, products, strict=True)
        }
        ranked = sorted(values, key=lambda s: -values[s])
        return Pricing(
            violated=tuple(s for s in ranked if values[s] > threshold)[:limit],
            bound=max(0.0, values[ranked[0]]),
            n_nodes=len(ranked),
            complete=True,
        )
