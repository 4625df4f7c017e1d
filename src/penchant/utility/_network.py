"""The GAI network: maximal factors, and the best configurations by elimination."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush
from typing import Any, NamedTuple, Self

import numpy as np

from penchant.exceptions import DataError
from penchant.typing import FloatArray, IntArray
from penchant.utility._parts import Factor, GAIUtility

_MAX_TABLE = 2**24
"""Elimination refuses to build a larger table than this."""


class Configuration(NamedTuple):
    """A value for every attribute, and the utility of that item.

    Parameters
    ----------
    values : tuple
        One value per attribute, in the units of the domains that were given.
    utility : float
    """

    values: tuple[Any, ...]
    utility: float


def maximal_factors(factors: Iterable[Factor]) -> tuple[Factor, ...]:
    """Keep the factors that are not part of another one.

    Examples
    --------
    >>> from penchant.utility._network import maximal_factors
    >>> maximal_factors([(0,), (1,), (2,), (0, 1), (1, 3)])
    ((2,), (0, 1), (1, 3))
    """
    maximal: list[Factor] = []
    # The largest first: a factor can only be part of one that has been kept.
    for factor in sorted(set(factors), key=lambda s: (-len(s), s)):
        if not any(set(factor) <= set(other) for other in maximal):
            maximal.append(factor)
    return tuple(sorted(maximal, key=lambda s: (len(s), s)))


@dataclass(frozen=True, eq=False)
class CompactGAI(GAIUtility):
    """The same utility with its maximal factors only (GAI-8).

    Every factor goes in equal parts to the maximal factors that contain it. These
    then have zero mean, but share variance where they overlap.

    Parameters
    ----------
    full : GAIUtility
        The utility with all its factors.
    """

    full: GAIUtility

    @property
    def intercept(self) -> float:  # type: ignore[override]
        """The constant of the utility."""
        return self.full.intercept

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        if not self.full.complete:
            raise DataError(
                "The compact form needs all factors, and this dense model has more "
                "than it can list. Fit with a smaller max_order, or with sparse=True."
            )
        return maximal_factors(self.full.factors)

    @cached_property
    def parts(self) -> dict[Factor, dict[Factor, float]]:
        """For each maximal factor: the factors inside it and the shares it takes."""
        n_homes = {
            part: sum(set(part) <= set(home) for home in self.factors)
            for part in self.full.factors
        }
        return {
            home: {part: 1 / n for part, n in n_homes.items() if set(part) <= set(home)}
            for home in self.factors
        }

    @cached_property
    def weights(self) -> FloatArray:
        # Parts of one maximal factor are orthogonal to each other: squares of shares
        # add up.
        return np.sqrt(self._add_squares(np.square(self.full.weights)))

    @cached_property
    def variances(self) -> FloatArray:
        return self._add_squares(self.full.variances)

    def _add_squares(self, values: FloatArray) -> FloatArray:
        squares = dict(zip(self.full.factors, values, strict=True))
        return np.array(
            [
                sum(share**2 * squares[part] for part, share in parts.items())
                for parts in self.parts.values()
            ]
        )

    @property
    def variance(self) -> float:
        return self.full.variance

    def factor(self, subset: Factor, values: FloatArray) -> FloatArray:
        if subset not in self.parts:
            raise DataError(
                f"{subset} is not a maximal factor. They are: "
                f"{', '.join(map(str, self.factors)) or 'none'}."
            )
        total = np.zeros(len(values))
        for part, share in self.parts[subset].items():
            columns = [subset.index(i) for i in part]
            total += share * self.full.factor(part, values[:, columns])
        return total

    def decompose(self, U: FloatArray) -> dict[Factor, FloatArray]:
        values = self.full.decompose(U)
        start = np.zeros(len(U))
        return {
            home: sum((share * values[part] for part, share in parts.items()), start)
            for home, parts in self.parts.items()
        }

    def restricted(self, factors: Iterable[Factor]) -> "CompactGAI":
        """Keep the factors inside some of the maximal ones."""
        kept = {part for home in factors for part in self.parts[home]}
        return CompactGAI(self.full.restricted(kept))

    def scaled(self, offset: float, scale: float) -> Self:
        return replace(self, full=self.full.scaled(offset, scale))


def best_choices(
    tables: Mapping[Factor, FloatArray], sizes: Sequence[int], n: int
) -> list[tuple[tuple[int, ...], float]]:
    """Find the n best choices of one value per attribute by elimination (GAI-8).

    The attributes are eliminated one after the other, so that the cost grows with
    the largest table that this makes (the treewidth of the factors' graph), not
    with the number of choices. After each best choice, the remaining ones are split
    into at most n_attributes disjoint sets, whose best choices come next (Lawler).

    Parameters
    ----------
    tables : mapping of tuple of int to ndarray
        The value of each factor for all combinations of values of its attributes.
    sizes : sequence of int
        Number of values of each attribute.
    n : int
        How many choices; fewer come back when there are fewer.

    Returns
    -------
    list of (tuple of int, float)
        Positions of the chosen values and the sum of the tables; best first.

    References
    ----------
    Lawler, "A procedure for computing the K best solutions to discrete optimization
    problems", Management Science 18(7), 1972.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.utility._network import best_choices
    >>> tables = {(0,): np.array([0.0, 1.0]), (0, 1): np.array([[3.0, 0.0], [0.5, 1]])}
    >>> [(choice, float(value)) for choice, value in best_choices(tables, [2, 2], n=2)]
    [((0, 0), 3.0), ((1, 1), 2.0)]
    """
    order = _elimination_order(tables, sizes)
    everything = [np.arange(size) for size in sizes]
    value, choice = _best(tables, order, everything)
    heap = [(-value, choice, everything)]
    found: list[tuple[tuple[int, ...], float]] = []
    while heap and len(found) < n:
        value, choice, allowed = heappop(heap)
        found.append((choice, -value))
        for i, chosen in enumerate(choice):
            others = allowed[i][allowed[i] != chosen]
            if others.size:
                # The first i attributes as chosen, this one otherwise, the rest free:
                # every choice but the best is in exactly one of these sets.
                fixed = [np.array([position]) for position in choice[:i]]
                rest = [*fixed, others, *allowed[i + 1 :]]
                top, where = _best(tables, order, rest)
                heappush(heap, (-top, where, rest))
    return found


def _elimination_order(
    tables: Mapping[Factor, FloatArray], sizes: Sequence[int]
) -> list[int]:
    """Take the attribute next whose elimination makes the smallest table."""
    scopes = [set(factor) for factor in tables]
    left = set(range(len(sizes)))
    order = []
    while left:
        joined = {
            i: {i}.union(*(scope for scope in scopes if i in scope)) for i in left
        }
        cost = {i: np.prod([float(sizes[j]) for j in joined[i]]) for i in left}
        # The best order is NP-hard to find; the smallest next table is a good one
        # (min-weight).
        chosen = min(left, key=lambda i: (cost[i], i))
        if cost[chosen] > _MAX_TABLE:
            raise DataError(
                f"The factors are so connected that a table of {cost[chosen]:.1e} "
                f"entries would be needed, more than {_MAX_TABLE:.1e}. Give fewer "
                "values per attribute, or fit with a smaller C or max_order."
            )
        scopes = [scope for scope in scopes if chosen not in scope]
        scopes.append(joined[chosen] - {chosen})
        left.remove(chosen)
        order.append(chosen)
    return order


def _best(
    tables: Mapping[Factor, FloatArray],
    order: Sequence[int],
    allowed: Sequence[IntArray],
) -> tuple[float, tuple[int, ...]]:
    """Maximise the sum of the tables over the allowed positions."""
    pool = [
        (factor, table[np.ix_(*(allowed[i] for i in factor))])
        for factor, table in tables.items()
    ]
    decisions = []
    total = 0.0
    for i in order:
        joined = [entry for entry in pool if i in entry[0]]
        pool = [entry for entry in pool if i not in entry[0]]
        scope = tuple(sorted({i}.union(*(factor for factor, _ in joined))))
        summed = np.zeros([len(allowed[j]) for j in scope])
        for factor, table in joined:
            summed += np.expand_dims(
                table, tuple(k for k, j in enumerate(scope) if j not in factor)
            )
        axis = scope.index(i)
        rest = (*scope[:axis], *scope[axis + 1 :])
        # The best value of i given its neighbours, to be read off once these are known.
        decisions.append((i, rest, summed.argmax(axis=axis)))
        largest = summed.max(axis=axis)
        if rest:
            pool.append((rest, largest))
        else:
            total += float(largest)
    positions: dict[int, int] = {}
    # Last eliminated, first known: its neighbours are gone already.
    for i, rest, argmax in reversed(decisions):
        positions[i] = int(argmax[tuple(positions[j] for j in rest)])
    chosen = tuple(int(allowed[i][positions[i]]) for i in range(len(allowed)))
    return total, chosen
