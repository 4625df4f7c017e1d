"""Strong heredity: a factor enters only with all its parts."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from penchant.gai.solver._evidence import Evidence
from penchant.gai.solver._sparse_gai import SparseGAIProblem, SparseGAIResult
from penchant.typing import FloatArray
from penchant.utility import Factor

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
    problem = SparseGAIProblem(features, evidence, max_order=max_order)
    result = problem.solve(C, tol=tol, candidates=())
    for order in range(2, problem.max_order + 1):
        grown = _next_order(result.factors, order)
        if not grown:
            break
        admissible = grown.union(result.factors)
        while True:
            support = admissible.intersection(result.factors)
            result = problem.solve(C, tol=tol, support=support, candidates=admissible)
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
