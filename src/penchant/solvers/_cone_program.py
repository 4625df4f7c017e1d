"""The sparse GAI problem on a given list of subsets, as a second-order cone program.

With subsets S, with evidence rows Q, h, c and costs C (GAI-3, GAI-7):

    primal   min  C'xi + sum_S t_S   over xi >= 0, xi >= c - Q f - h b, t_S >= |v_S|
                  with utilities f = sum_S L_S v_S
    dual     max  c'a                over 0 <= a <= C, h'a = 0, |L_S'Q'a| <= 1

"""

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
from numba import njit

from penchant.solvers._cones import dot, norms
from penchant.solvers._evidence import Evidence, net_pull, row_difference
from penchant.solvers._factors import FactorDictionary, Subset, SubsetKernels
from penchant.typing import FloatArray, IntArray


class Point(NamedTuple):
    """What is free on both sides: dual rows a; intercept b, excess xi, t and v.

    Parameters
    ----------
    rows : ndarray of shape (n_rows,)
    intercept : float
    excess : ndarray of shape (n_rows,)
    heads : ndarray of shape (n_subsets,)
    tails : ndarray of shape (n_columns,)
    """

    rows: FloatArray
    intercept: float
    excess: FloatArray
    heads: FloatArray
    tails: FloatArray


class Iterate(NamedTuple):
    """A point and what follows from it: s = xi - r, u = C - a, g = -L'Q'a, the gap.

    Parameters
    ----------
    point : Point
    slack, room : ndarray of shape (n_rows,)
    dual_tails : ndarray of shape (n_columns,)
    utilities : ndarray of shape (n_items,)
    gap, mean_gap : float
        Difference of the objectives, and its share of a complementary pair: the mu
        of the central path.
    primal : float
        Primal objective.
    inside : bool
        Whether the point is strictly feasible on both sides.
    """

    point: Point
    slack: FloatArray
    room: FloatArray
    dual_tails: FloatArray
    utilities: FloatArray
    gap: float
    mean_gap: float
    primal: float
    inside: bool


class ProgramArrays(NamedTuple):
    """A program as compiled code sees it.

    Parameters
    ----------
    raised, lowered : ndarray of shape (n_rows,)
    targets, costs, levels : ndarray of shape (n_rows,)
        c, C and h.
    columns : ndarray of shape (n_columns, n_items)
        All L_S' below each other.
    offsets : ndarray of shape (n_subsets + 1,)
        Where each L_S' begins, and where the last one ends.
    has_intercept : bool
        Whether any row has a level.
    """

    raised: IntArray
    lowered: IntArray
    targets: FloatArray
    costs: FloatArray
    levels: FloatArray
    columns: FloatArray
    offsets: IntArray
    has_intercept: bool


class ConeProgram:
    """The problem on a given list of subsets.

    Parameters
    ----------
    evidence : Evidence
        Merged rows over the items 0, ..., n_items - 1, costs times C.
    dictionary : FactorDictionary
    subsets : sequence of tuple of int
    """

    def __init__(
        self,
        evidence: Evidence,
        dictionary: FactorDictionary,
        subsets: Sequence[Subset],
    ) -> None:
        self.evidence = evidence
        self.dictionary = dictionary
        self.subsets = tuple(subsets)
        parts = [dictionary.columns(subset).T for subset in subsets]
        self.arrays = ProgramArrays(
            evidence.raised,
            evidence.lowered,
            evidence.targets,
            evidence.costs,
            evidence.levels,
            columns=np.concatenate(parts),
            offsets=np.cumsum([0, *map(len, parts)]),
            has_intercept=bool(evidence.levels.any()),
        )
        self._kernels = SubsetKernels(dictionary.kernels, subsets)

    def utilities(self, tails: FloatArray) -> FloatArray:
        """Give f = sum_S L_S v_S, shape (n_items,)."""
        values: FloatArray = tails @ self.arrays.columns
        return values

    def block_utilities(self, tails: FloatArray) -> FloatArray:
        """Give L_S v_S of every subset, shape (n_subsets, n_items)."""
        columns, offsets = self.arrays.columns, self.arrays.offsets
        values: FloatArray = _block_utilities(columns, offsets, tails)
        return values

    def add_kernels(self, weights: FloatArray, matrix: FloatArray) -> None:
        """Add sum_S weights_S K_S to a matrix of shape (n_items, n_items)."""
        self._kernels.add(weights, matrix)

    def pull(self, rows: FloatArray) -> FloatArray:
        """Give Z = Q'a, shape (n_items,)."""
        return self.evidence.pull(rows, self.dictionary.n_items)

    def pulls(self, rows: FloatArray) -> FloatArray:
        """Give |L_S'Q'a| of every subset."""
        return self.norms(self.arrays.columns @ self.pull(rows))

    def norms(self, tails: FloatArray) -> FloatArray:
        """Give the norm of the part of each subset."""
        lengths: FloatArray = norms(self.arrays.offsets, tails)
        return lengths

    def spread(self, numbers: FloatArray) -> FloatArray:
        """Repeat each subset's number along its columns."""
        return np.repeat(numbers, np.diff(self.arrays.offsets))

    def split(self, tails: FloatArray) -> list[FloatArray]:
        """Cut a vector with an entry per column into the subsets' parts."""
        return np.split(tails, self.arrays.offsets[1:-1])

    def with_costs(self, share: float) -> "ConeProgram":
        """Give the same program with all costs times `share`."""
        other = copy(self)
        other.evidence = self.evidence.scaled(share)
        other.arrays = self.arrays._replace(costs=other.evidence.costs)
        return other

    def at(self, point: Point) -> Iterate:
        """Compute what follows from a point."""
        iterate: Iterate = iterate_at(self.arrays, point)
        return iterate

    def start(self) -> Iterate:
        """Give a first iterate: v = 0 and half of every cost as dual row."""
        evidence, levels = self.evidence, self.evidence.levels
        rated = levels != 0
        kinks = evidence.targets[rated] * levels[rated]
        intercept = float(np.median(kinks)) if self.arrays.has_intercept else 0.0
        missing = evidence.targets - levels * intercept
        size = float(np.abs(missing).max())
        return self.at(
            Point(
                rows=evidence.costs / 2.0,
                intercept=intercept,
                excess=np.maximum(missing, 0.0) + size,
                heads=np.full(len(self.subsets), size * evidence.costs.mean()),
                tails=np.zeros(len(self.arrays.columns)),
            )
        )


@njit(cache=True)
def iterate_at(program: ProgramArrays, point: Point) -> Iterate:
    """Compute all anew, so that no rounding error is carried along."""
    rows, intercept, excess, heads, tails = point
    n_items = program.columns.shape[1]
    utilities = np.dot(tails, program.columns)
    pull = net_pull(program.raised, program.lowered, rows, n_items)
    dual_tails = np.dot(program.columns, -pull)
    slack, room = np.empty_like(rows), np.empty_like(rows)
    gap, primal, inside = 0.0, 0.0, True
    for k in range(len(rows)):
        reached = row_difference(program.raised[k], program.lowered[k], utilities)
        reached += program.levels[k] * intercept
        slack[k] = excess[k] - (program.targets[k] - reached)
        room[k] = program.costs[k] - rows[k]
        gap += rows[k] * slack[k] + room[k] * excess[k]
        primal += program.costs[k] * excess[k]
        inside &= rows[k] > 0 and excess[k] > 0 and slack[k] > 0 and room[k] > 0
    for s in range(len(heads)):
        low, high = program.offsets[s], program.offsets[s + 1]
        tail, dual_tail = tails[low:high], dual_tails[low:high]
        gap += heads[s] + dot(tail, dual_tail)
        primal += heads[s]
        inside &= np.sqrt(dot(tail, tail)) < heads[s]
        inside &= np.sqrt(dot(dual_tail, dual_tail)) < 1.0
    mean_gap = gap / (2 * len(rows) + len(heads))
    return Iterate(
        point, slack, room, dual_tails, utilities, gap, mean_gap, primal, inside
    )


@njit(cache=True)
def _block_utilities(
    columns: FloatArray, offsets: IntArray, tails: FloatArray
) -> FloatArray:
    values = np.empty((len(offsets) - 1, columns.shape[1]))
    for s in range(len(values)):
        low, high = offsets[s], offsets[s + 1]
        np.dot(tails[low:high], columns[low:high], values[s])
    return values
