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

from penchant.gai.solver._cones import block_products, fill_rows, is_inside, norms
from penchant.gai.solver._evidence import Evidence
from penchant.typing import FloatArray
from penchant.utility import FactorDictionary, Subset, SubsetKernels


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
    duals : ndarray of shape (2, n_rows)
        a and u.
    primals : ndarray of shape (2, n_rows)
        s and xi, complementary to a and u.
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
    duals: FloatArray
    primals: FloatArray
    dual_tails: FloatArray
    utilities: FloatArray
    gap: float
    mean_gap: float
    primal: float
    inside: bool


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
        self.columns = np.concatenate(parts)
        self.offsets = np.cumsum([0, *map(len, parts)])
        self.dual_heads, self.no_heads = np.ones(len(parts)), np.zeros(len(parts))
        self.has_intercept = bool(evidence.levels.any())
        self._kernels = SubsetKernels(dictionary.kernels, subsets)

    def utilities(self, tails: FloatArray) -> FloatArray:
        """Give f = sum_S L_S v_S, shape (n_items,)."""
        return tails @ self.columns

    def block_utilities(self, tails: FloatArray) -> FloatArray:
        """Give L_S v_S of every subset, shape (n_subsets, n_items)."""
        return block_products(self.offsets, tails, self.columns)

    def add_kernels(self, weights: FloatArray, matrix: FloatArray) -> None:
        """Add sum_S weights_S K_S to a matrix of shape (n_items, n_items)."""
        self._kernels.add(weights, matrix)

    def pull(self, rows: FloatArray) -> FloatArray:
        """Give Z = Q'a, shape (n_items,)."""
        return self.evidence.pull(rows, self.dictionary.n_items)

    def pulls(self, rows: FloatArray) -> FloatArray:
        """Give |L_S'Q'a| of every subset."""
        return self.norms(self.columns @ self.pull(rows))

    def norms(self, tails: FloatArray) -> FloatArray:
        """Give the norm of the part of each subset."""
        return norms(self.offsets, tails)

    def spread(self, numbers: FloatArray) -> FloatArray:
        """Repeat each subset's number along its columns."""
        return np.repeat(numbers, np.diff(self.offsets))

    def split(self, tails: FloatArray) -> list[FloatArray]:
        """Cut a vector with an entry per column into the subsets' parts."""
        return np.split(tails, self.offsets[1:-1])

    def with_costs(self, share: float) -> "ConeProgram":
        """Give the same program with all costs times `share`."""
        other = copy(self)
        other.evidence = self.evidence.scaled(share)
        return other

    def iterate(self, point: Point) -> Iterate:
        """Compute all that follows anew, so that no rounding error is carried along."""
        evidence, (rows, intercept, excess, heads, tails) = self.evidence, point
        utilities = self.utilities(tails)
        duals, primals = np.empty((2, 2, len(rows)))
        duals[0], primals[1] = rows, excess
        positive = fill_rows(
            evidence.raised,
            evidence.lowered,
            utilities + intercept,
            evidence.targets,
            evidence.costs,
            duals,
            primals,
        )
        dual_tails = -(self.columns @ self.pull(rows))
        total = heads.sum()
        gap = float(np.vdot(duals, primals) + total + tails @ dual_tails)
        return Iterate(
            point,
            duals,
            primals,
            dual_tails,
            utilities,
            gap=gap,
            mean_gap=gap / (duals.size + len(heads)),
            primal=float(evidence.costs @ excess + total),
            inside=positive and is_inside(self.offsets, heads, tails, dual_tails),
        )

    def start(self) -> Iterate:
        """Give a first iterate: v = 0 and half of every cost as dual row."""
        evidence, levels = self.evidence, self.evidence.levels
        rated = levels != 0
        kinks = evidence.targets[rated] * levels[rated]
        intercept = float(np.median(kinks)) if self.has_intercept else 0.0
        missing = evidence.targets - levels * intercept
        # All slacks about as large as the largest residual, and heads such that their
        # products with the dual heads, 1, are about those of the rows: near the centre.
        size = float(np.abs(missing).max())
        return self.iterate(
            Point(
                rows=evidence.costs / 2.0,
                intercept=intercept,
                excess=np.maximum(missing, 0.0) + size,
                heads=np.full(len(self.subsets), size * evidence.costs.mean()),
                tails=np.zeros(len(self.columns)),
            )
        )
