"""The sparse GAI problem on a given list of subsets, as a second-order cone program.

With subsets S, with evidence rows Q, h, c and costs C (GAI-3, GAI-7):

    primal   min  C'xi + sum_S t_S   over xi >= 0, xi >= c - Q f - h b, t_S >= |v_S|
                  with utilities f = sum_S L_S v_S
    dual     max  c'a                over 0 <= a <= C, h'a = 0, |L_S'Q'a| <= 1

The cones {(t, v): |v| <= t} have different sizes. A point has a head t per cone; the
tails v of all cones lie in one vector, and `offsets` tells where each begins and the
last one ends.
"""

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
from numba import njit

from penchant.gai.solver._evidence import Evidence, dot, net_pull, row_difference
from penchant.typing import FloatArray, IntArray
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


class Scaling(NamedTuple):
    """The Nesterov-Todd scaling W of a primal point and a dual point (1, g).

    W takes the dual point and W^-1 the primal point to the same place lambda,
    W^2 = eta (2 w w' - J) with w = (head, tail) and J = diag(1, -1, ..., -1).

    Parameters
    ----------
    eta, head : ndarray of shape (n_cones,)
    tail : ndarray of shape (n_columns,)
    """

    eta: FloatArray
    head: FloatArray
    tail: FloatArray


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

    def iterate(self, point: Point) -> Iterate:
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
        return self.iterate(
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


@njit(cache=True)
def norms(offsets: IntArray, tails: FloatArray) -> FloatArray:
    """Give the norm of each tail."""
    lengths = np.empty(len(offsets) - 1)
    for s in range(len(lengths)):
        part = tails[offsets[s] : offsets[s + 1]]
        lengths[s] = np.sqrt(dot(part, part))
    return lengths


@njit(cache=True)
def _difference_of_squares(x: float, y: float) -> float:
    """Give x^2 - y^2, as a product: the difference would lose digits."""
    return (x - y) * (x + y)


@njit(cache=True)
def _determinant(head: float, tail: FloatArray) -> float:
    """Give t^2 - |v|^2."""
    determinant: float = _difference_of_squares(head, np.sqrt(dot(tail, tail)))
    return determinant


@njit(cache=True)
def longest_cone_step(
    offsets: IntArray,
    heads: FloatArray,
    tails: FloatArray,
    head_moves: FloatArray,
    tail_moves: FloatArray,
) -> float:
    """Find the largest step that stays inside all cones.

    It is the smallest positive root of det(x + step d), over all cones.
    """
    longest = np.inf
    for s in range(len(heads)):
        tail = tails[offsets[s] : offsets[s + 1]]
        move = tail_moves[offsets[s] : offsets[s + 1]]
        square = _determinant(head_moves[s], move)
        linear = heads[s] * head_moves[s] - dot(tail, move)
        constant = _determinant(heads[s], tail)
        # square step^2 + 2 linear step + constant = 0
        discriminant = linear * linear - square * constant
        if discriminant >= 0.0 and np.sqrt(discriminant) > linear:
            longest = min(longest, constant / (np.sqrt(discriminant) - linear))
    return longest


@njit(cache=True)
def nesterov_todd(
    offsets: IntArray, heads: FloatArray, tails: FloatArray, dual_tails: FloatArray
) -> Scaling:
    """Find the scaling of the interior points (heads, tails) and (1, dual_tails)."""
    eta, head, tail = np.empty_like(heads), np.empty_like(heads), np.empty_like(tails)
    for s in range(len(heads)):
        low, high = offsets[s], offsets[s + 1]
        x, g = tails[low:high], dual_tails[low:high]
        size_x = np.sqrt(_determinant(heads[s], x))
        size_s = np.sqrt(_determinant(1.0, g))
        inner = (heads[s] + dot(x, g)) / (size_x * size_s)
        double_gamma = np.sqrt(2.0 * max(1.0 + inner, 2.0))
        eta[s] = size_x / size_s
        head[s] = (heads[s] / size_x + 1.0 / size_s) / double_gamma
        share_x, share_s = 1.0 / (double_gamma * size_x), 1.0 / (double_gamma * size_s)
        for e in range(low, high):
            tail[e] = share_x * tails[e] - share_s * dual_tails[e]
    return Scaling(eta, head, tail)


@njit(cache=True)
def square_of_tail(
    offsets: IntArray, scaling: Scaling, tails: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give W^2 (0, tails)."""
    eta, head, tail = scaling
    heads, scaled = np.empty_like(head), np.empty_like(tail)
    for s in range(len(heads)):
        low, high = offsets[s], offsets[s + 1]
        inner = 2.0 * eta[s] * dot(tail[low:high], tails[low:high])
        heads[s] = head[s] * inner
        for e in range(low, high):
            scaled[e] = inner * tail[e] + eta[s] * tails[e]
    return heads, scaled


@njit(cache=True)
def inverse_product(
    offsets: IntArray,
    scaling: Scaling,
    dual_tails: FloatArray,
    goal: float,
    move: tuple[FloatArray, FloatArray],
    dual_move: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Give W z, z the solution of lambda o z = goal e - (W^-1 dx) o (W ds).

    Parameters
    ----------
    offsets : ndarray of shape (n_cones + 1,)
    scaling : Scaling
    dual_tails : ndarray of shape (n_columns,)
        g, with lambda = W (1, g).
    goal : float
    move : tuple of ndarray
        dx, a move of the primal point: heads and tails.
    dual_move : ndarray of shape (n_columns,)
        Of ds = (0, dual_move), a move of the dual point.
    """
    heads, tails = np.empty_like(scaling.head), np.empty_like(scaling.tail)
    for s in range(len(heads)):
        part = slice(offsets[s], offsets[s + 1])
        heads[s] = _inverse_product(
            scaling.head[s],
            scaling.tail[part],
            np.sqrt(scaling.eta[s]),
            dual_tails[part],
            goal,
            (move[0][s], move[1][part]),
            dual_move[part],
            tails[part],
        )
    return heads, tails


@njit(cache=True, fastmath={"reassoc", "contract"})
def _inverse_product(
    w0: float,
    w: FloatArray,
    root: float,
    g: FloatArray,
    goal: float,
    move: tuple[float, FloatArray],
    ds: FloatArray,
    out: FloatArray,
) -> float:
    """Write the tail of one cone's W z to `out` and give its head, in few passes.

    W (x, v) = root (w0 x + w'v, v + (x + w'v / (1 + w0)) w); W^-1 has -w and 1 / root.
    """
    dx0, dx = move
    wg = wx = ws = 0.0
    for e in range(len(w)):
        wg += w[e] * g[e]
        wx += w[e] * dx[e]
        ws += w[e] * ds[e]
    # m = lambda = W (1, g), x = W^-1 dx, y = W (0, ds)
    m0, x0, y0 = root * (w0 + wg), (w0 * dx0 - wx) / root, root * ws
    m, x, y = np.empty((3, len(w)))
    share = 1.0 / (1.0 + w0)
    mm = xy = my = wz = 0.0
    for e in range(len(w)):
        m[e] = root * (g[e] + (1.0 + share * wg) * w[e])
        x[e] = (dx[e] - (dx0 - share * wx) * w[e]) / root
        y[e] = root * (ds[e] + share * ws * w[e])
        mm += m[e] * m[e]
        xy += x[e] * y[e]
    for e in range(len(w)):  # the tail of the right-hand side
        y[e] = -x0 * y[e] - y0 * x[e]
        my += m[e] * y[e]
    z0 = (m0 * (goal - x0 * y0 - xy) - my) / _difference_of_squares(m0, np.sqrt(mm))
    for e in range(len(w)):  # the tail of z
        y[e] = (y[e] - z0 * m[e]) / m0
        wz += w[e] * y[e]
    for e in range(len(w)):
        out[e] = root * (y[e] + (z0 + share * wz) * w[e])
    return root * (w0 * z0 + wz)
