"""Find the violated subsets among all 2^d - 1 without enumerating them."""

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from penchant.typing import FloatArray
from penchant.utility import FactorDictionary, Subset, SubsetKernels

_MAX_BOUNDS = 3
"""Sizes of subsets with bounds of their own; larger subsets share the last."""

_FEW_NUMBERS = 2**18
"""Entries of kernels that a cache holds: to look at all is faster than to search."""

_BATCH = 64
"""Number of subsets whose extensions are priced together, if there are as many."""


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
class _Family:
    """A subset, its packed ZZ' o K_S, and bounds of its extensions.

    The extensions are by the attributes after the subset's last, in turn. The last
    attribute of all is left out: it ends a branch.
    """

    subset: Subset
    product: FloatArray
    bounds: FloatArray


class _Search:
    """The state of one search: the best subsets so far and what remains to be seen.

    Once `limit` violated subsets are known, the worst of them is the threshold.
    """

    def __init__(self, threshold: float, limit: int) -> None:
        self.threshold = threshold
        self.violated: list[tuple[float, Subset]] = []
        self.families: list[_Family] = []
        self.bound = 0.0
        self.n_nodes = 0
        self._limit = limit

    def keep(self, subset: Subset, value: float) -> None:
        """Note a violated subset; forget the worst if there are too many."""
        heapq.heappush(self.violated, (value, subset))
        if len(self.violated) > self._limit:
            heapq.heappop(self.violated)
        if len(self.violated) == self._limit:
            self.threshold = max(self.threshold, self.violated[0][0])

    def see(self, values: FloatArray) -> None:
        """Raise the bound over all subsets to the given values or bounds."""
        self.bound = max(self.bound, float(values.max(initial=0.0)))

    def add(self, families: Iterable[_Family]) -> None:
        """Note families that may matter, the best to be taken first."""
        ranked = sorted(
            ((family.bounds.max(initial=0.0), family) for family in families),
            key=lambda pair: pair[0],
        )
        for bound, family in ranked:
            if bound > self.threshold:
                self.families.append(family)
            else:
                self.bound = max(self.bound, bound)

    def next_batch(self, kernels: FloatArray) -> tuple[list[Subset], FloatArray]:
        """Take extensions that may still matter, all of one size, with products."""
        subsets: list[Subset] = []
        parents: list[FloatArray] = []
        while self.families and len(subsets) < _BATCH:
            family = self.families[-1]
            if subsets and len(subsets[0]) != len(family.subset) + 1:
                break
            self.families.pop()
            matters = family.bounds > self.threshold
            self.see(family.bounds[~matters])
            added = _next_attribute(family.subset) + np.flatnonzero(matters)
            subsets += [(*family.subset, i) for i in added.tolist()]
            parents += [family.product] * len(added)
        products = kernels[[subset[-1] for subset in subsets]]
        for product, parent in zip(products, parents, strict=True):
            product *= parent
        return subsets, products


def _next_attribute(subset: Subset) -> int:
    return subset[-1] + 1 if subset else 0


class Pricer:
    """Depth-first search with the bound of GAI-4, over subsets up to an order.

    The value of a subset is |L_S'Z|^2 = Z'K_S Z. All terms are non-negative, so
    Z'(K_S o B)Z, with B the sum of the products of later attributes' kernels, bounds
    the values of S and of all its extensions by later attributes.

    Parameters
    ----------
    dictionary : FactorDictionary
    """

    def __init__(self, dictionary: FactorDictionary) -> None:
        self._dictionary = dictionary
        self._kernels = dictionary.kernels
        self._bounds = self._make_bounds()

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
        subsets: list[Subset] = [()]
        products = self._dictionary.packed_square(pull)[None, :]
        while subsets:
            self._extend(subsets, products, search)
            if search.n_nodes >= budget:
                break
            subsets, products = search.next_batch(self._kernels)
        for family in search.families:
            search.see(family.bounds)
        return Pricing(
            violated=tuple(subset for _, subset in sorted(search.violated)[::-1]),
            bound=search.bound,
            n_nodes=search.n_nodes,
            complete=not search.families,
        )

    def _extend(
        self, subsets: Sequence[Subset], products: FloatArray, search: _Search
    ) -> None:
        """Price all extensions of subsets of one size by one later attribute."""
        search.n_nodes += len(subsets)
        size = len(subsets[0]) + 1
        first = np.array([_next_attribute(subset) for subset in subsets])
        low = int(first.min())
        # Z'(K_S o K_i)Z of the whole batch and all attributes as one product.
        values = products @ self._kernels[low:].T
        # Extensions by earlier attributes belong to other subsets: no one counts twice.
        values[np.arange(low, len(self._kernels)) < first[:, None]] = 0.0
        search.see(values)
        for row, column in np.argwhere(values > search.threshold).tolist():
            search.keep((*subsets[row], low + column), float(values[row, column]))
        if size == self._dictionary.max_order:
            return
        bounds = products @ self._bounds[min(size, len(self._bounds)) - 1][low:].T
        search.add(
            _Family(subset, product, row[_next_attribute(subset) - low : -1])
            for subset, product, row in zip(subsets, products, bounds, strict=True)
        )

    def _make_bounds(self) -> list[FloatArray]:
        """Give K_i o B_i for each size of S + i, B_i over the attributes after i."""
        n_attributes, max_order = len(self._kernels), self._dictionary.max_order
        if max_order >= n_attributes:  # no order is cut off: one bound for all sizes
            return [self._bound_stack(n_attributes)]
        sizes = range(1, min(max_order, _MAX_BOUNDS + 1))
        return [self._bound_stack(max_order - size + 1) for size in sizes]

    def _bound_stack(self, n_orders: int) -> FloatArray:
        """Give K_i o sum_j e_j, e_j over products of j < n_orders later attributes."""
        stack = np.empty_like(self._kernels)
        sums = np.zeros((n_orders, self._kernels.shape[1]))
        sums[0] = 1.0
        for i in range(len(self._kernels) - 1, -1, -1):
            stack[i] = self._kernels[i] * (np.ones(n_orders) @ sums)
            # From the largest order down, so that no attribute enters a product twice.
            for order in range(n_orders - 1, 0, -1):
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
        self._subsets = sorted(subsets, key=lambda s: (len(s), s))
        self._products = SubsetKernels(dictionary.kernels, self._subsets)

    @classmethod
    def of_all(cls, dictionary: FactorDictionary) -> "ListPricer | None":
        """List all subsets, if their kernels are small enough to look at each."""
        n_attributes, max_order = dictionary.n_attributes, dictionary.max_order
        n_subsets = sum(math.comb(n_attributes, q) for q in range(1, max_order + 1))
        if n_subsets * dictionary.kernels.shape[1] > _FEW_NUMBERS:
            return None
        sizes = range(1, max_order + 1)
        return cls(
            dictionary,
            (s for size in sizes for s in combinations(range(n_attributes), size)),
        )

    def search(
        self, pull: FloatArray, threshold: float, *, limit: int, budget: int
    ) -> Pricing:
        """Find the listed subsets with the largest values; `budget` has no effect."""
        root = self._dictionary.packed_square(pull)
        values = self._products.values(root)
        ranked = np.argsort(-values, kind="stable")
        chosen = ranked[values[ranked] > threshold][:limit]
        return Pricing(
            violated=tuple(self._subsets[n] for n in chosen.tolist()),
            bound=max(0.0, float(values[ranked[0]])),
            n_nodes=len(ranked),
            complete=True,
        )
