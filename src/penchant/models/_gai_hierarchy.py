"""Strong heredity: a factor enters only with all its parts."""

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from penchant.models._gai_utility import Factor
from penchant.solvers import Evidence, SparseGAIProblem, SparseGAIResult
from penchant.solvers._pricing import Pricing
from penchant.typing import FloatArray

__all__ = ["solve_hierarchical"]


def solve_hierarchical(
    features: Sequence[FloatArray],
    evidence: Evidence,
    C: float,
    tol: float,
    max_order: int | None,
) -> SparseGAIResult:
    """Grow the factors order by order; none enters without all its parts.

    Candidates of the next order are the subsets all of whose parts were chosen.
    When a factor loses a part, it is taken from the candidates and the problem is
    solved again; this ends because candidates only get fewer.
    """
    largest = min(max_order or len(features), len(features))
    singles: set[Factor] = {(i,) for i in range(len(features))}
    result = _ListedProblem(features, evidence, singles).solve(C, tol=tol)
    for order in range(2, largest + 1):
        grown = _next_order(result.factors, order)
        if not grown:
            break
        admissible = singles.union(result.factors, grown)
        while True:
            problem = _ListedProblem(features, evidence, admissible)
            support = admissible.intersection(result.factors)
            result = problem.solve(C, tol=tol, support=support)
            orphans = _orphans(result.factors)
            if not orphans:
                break
            admissible -= orphans
    return result


def _next_order(factors: Iterable[Factor], order: int) -> set[Factor]:
    """List the subsets of a size all of whose parts are factors."""
    known = set(factors)
    smaller = [s for s in known if len(s) == order - 1]
    singles = {s[0] for s in known if len(s) == 1}
    longer = {(*s, i) for s in smaller for i in singles if i > s[-1]}
    return {s for s in longer if all(p in known for p in combinations(s, order - 1))}


def _orphans(factors: Iterable[Factor]) -> set[Factor]:
    """Find the factors that miss a part, or a part of a part."""
    kept: set[Factor] = set()
    for factor in sorted(factors, key=len):
        if len(factor) == 1 or kept.issuperset(combinations(factor, len(factor) - 1)):
            kept.add(factor)
    return set(factors) - kept


class _ListedPricer:
    """Price an explicit list of subsets instead of all of them."""

    def __init__(self, kernels: FloatArray, n_items: int, subsets: set[Factor]) -> None:
        self._rows, self._columns = np.tril_indices(n_items)
        self._doubling = np.where(self._rows == self._columns, 1.0, 2.0)
        self._kernels = kernels
        self._subsets = sorted(subsets, key=lambda s: (len(s), s))

    def search(
        self, pull: FloatArray, threshold: float, *, limit: int, budget: int
    ) -> Pricing:
        """Find the listed subsets with the largest values above a threshold."""
        root = self._doubling * pull[self._rows] * pull[self._columns]
        values = {
            s: float(root @ np.multiply.reduce(self._kernels[list(s)], axis=0))
            for s in self._subsets
        }
        ranked = sorted(values, key=lambda s: -values[s])
        return Pricing(
            violated=tuple(s for s in ranked if values[s] > threshold)[:limit],
            bound=max(0.0, values[ranked[0]]),
            n_nodes=len(ranked),
            complete=True,
        )


class _ListedProblem(SparseGAIProblem):
    """The sparse problem over an explicit list of subsets, all singles among them."""

    def __init__(
        self,
        features: Sequence[FloatArray],
        evidence: Evidence,
        subsets: set[Factor],
    ) -> None:
        super().__init__(features, evidence, max_order=max(map(len, subsets)))
        if not self._trivial:
            dictionary = self._dictionary
            self._pricer = _ListedPricer(  # type: ignore[assignment]
                dictionary.kernels, dictionary.n_items, subsets
            )
