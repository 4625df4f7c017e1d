"""The sparse GAI problem on a given list of subsets, as a second-order cone program.

With subsets S, with evidence rows Q, h, c and costs C (GAI-3, GAI-7):

    primal   min  C'xi + sum_S t_S   over xi >= 0, xi >= c - Q f - h b, t_S >= |v_S|
                  with utilities f = sum_S L_S v_S
    dual     max  c'a                over 0 <= a <= C, h'a = 0, |L_S'Q'a| <= 1

"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numba import njit

from penchant.solvers._cones import Cones
from penchant.solvers._evidence import Evidence
from penchant.solvers._factors import FactorDictionary, Subset, SubsetKernels
from penchant.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Iterate:
    """A strictly feasible pair: dual rows a; intercept b, excess xi, heads t, tails v.

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
        parts = [dictionary.columns(subset) for subset in subsets]
        self.cones = Cones([part.shape[1] for part in parts])
        self.columns = np.concatenate([part.T for part in parts]).T
        self.levels = evidence.levels
        self.has_intercept = bool(self.levels.any())
        self._kernels = SubsetKernels(dictionary.kernels, subsets)
        self._squares = dictionary.scales[[len(subset) for subset in subsets]] ** 2

    def utilities(self, tails: FloatArray) -> FloatArray:
        """Give f = sum_S L_S v_S, shape (n_items,)."""
        values: FloatArray = self.columns @ tails
        return values

    def block_utilities(self, tails: FloatArray) -> FloatArray:
        """Give L_S v_S of every subset, shape (n_subsets, n_items)."""
        values: FloatArray = _block_utilities(self.columns.T, self.cones.offsets, tails)
        return values

    def pulls(self, rows: FloatArray) -> FloatArray:
        """Give L'Q'a, shape (n_columns,)."""
        pulls: FloatArray = self.item_pull(rows) @ self.columns
        return pulls

    def combine(self, weights: FloatArray) -> FloatArray:
        """Give sum_S weights_S K_S, shape (n_items, n_items)."""
        return self._kernels.combine(self._squares * weights)

    def item_pull(self, rows: FloatArray) -> FloatArray:
        """Give Z = Q'a, shape (n_items,)."""
        return self.evidence.pull(rows, self.dictionary.n_items)

    def block_norms(self, rows: FloatArray) -> FloatArray:
        """Give |L_S'Q'a| of every subset."""
        return self.cones.norms(self.pulls(rows))

    def missing(self, utilities: FloatArray, intercept: float) -> FloatArray:
        """Give r = c - Q f - h b of every row."""
        reached = self.evidence.differences(utilities) + self.levels * intercept
        return self.evidence.targets - reached

    def with_costs(self, share: float) -> "ConeProgram":
        """Give the same program with all costs times `share`."""
        other = copy(self)
        other.evidence = self.evidence.scaled(share)
        return other

    def mean_gap(self, iterate: Iterate) -> float:
        """Give the gap per complementary pair, the mu of the central path."""
        n_pairs = 2 * len(iterate.rows) + len(self.cones)
        return Slacks.of(self, iterate).gap / n_pairs

    def start(self) -> Iterate:
        """Give a first iterate: v = 0 and half of every cost as dual row."""
        evidence = self.evidence
        rated = self.levels != 0
        kinks = evidence.targets[rated] * self.levels[rated]
        intercept = float(np.median(kinks)) if self.has_intercept else 0.0
        missing = evidence.targets - self.levels * intercept
        size = float(np.abs(missing).max())
        return Iterate(
            rows=evidence.costs / 2.0,
            intercept=intercept,
            excess=np.maximum(missing, 0.0) + size,
            heads=np.full(len(self.subsets), size * evidence.costs.mean()),
            tails=np.zeros(self.columns.shape[1]),
        )


@dataclass(frozen=True, eq=False)
class Slacks:
    """What follows from an iterate: s = xi - r, u = C - a, g = -L'Q'a and the gap.

    Parameters
    ----------
    slack, room : ndarray of shape (n_rows,)
    dual_tails : ndarray of shape (n_columns,)
    utilities : ndarray of shape (n_items,)
    gap, primal : float
        Difference of the objectives, and the primal one.
    """

    slack: FloatArray
    room: FloatArray
    dual_tails: FloatArray
    utilities: FloatArray
    gap: float
    primal: float

    @classmethod
    def of(cls, program: ConeProgram, iterate: Iterate) -> "Slacks":
        """Compute all of them anew, so that no rounding error is carried along."""
        costs = program.evidence.costs
        utilities = program.utilities(iterate.tails)
        slack = iterate.excess - program.missing(utilities, iterate.intercept)
        room = costs - iterate.rows
        dual_tails = -program.pulls(iterate.rows)
        sizes = float(iterate.heads.sum())
        gap = iterate.rows @ slack + room @ iterate.excess + iterate.tails @ dual_tails
        primal = float(costs @ iterate.excess) + sizes
        return cls(slack, room, dual_tails, utilities, float(gap) + sizes, primal)


@njit(cache=True)
def _block_utilities(
    columns: FloatArray, offsets: IntArray, tails: FloatArray
) -> FloatArray:
    values = np.empty((len(offsets) - 1, columns.shape[1]))
    for s in range(len(values)):
        low, high = offsets[s], offsets[s + 1]
        np.dot(tails[low:high], columns[low:high], values[s])
    return values
