"""Algebra of second-order cones, for many cones of different sizes at once."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from penchant.typing import FloatArray, IntArray

Point = tuple[FloatArray, FloatArray]
"""A head per cone, and all tails in one vector."""


class Cones:
    """The cones {(t, v): |v| <= t}; tails of all cones lie in one vector.

    Parameters
    ----------
    sizes : sequence of int
        Length of each tail; at least 1.

    Attributes
    ----------
    offsets : ndarray of shape (n_cones + 1,)
        Where each tail begins, and where the last one ends.
    """

    def __init__(self, sizes: list[int]) -> None:
        self.offsets: IntArray = np.cumsum([0, *sizes])
        self.zeros = np.zeros(len(sizes))
        self.ones = np.ones(len(sizes))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def norms(self, tails: FloatArray) -> FloatArray:
        """Give the norm of each tail."""
        norms: FloatArray = _norms(self.offsets, tails)
        return norms

    def spread(self, heads: FloatArray) -> FloatArray:
        """Repeat each cone's number along its tail."""
        return np.repeat(heads, np.diff(self.offsets))

    def split(self, tails: FloatArray) -> list[FloatArray]:
        """Cut an array with one row per tail entry into the cones' parts."""
        return np.split(tails, self.offsets[1:-1])

    def depth(self, x: Point) -> float:
        """Give the smallest t - |v|, which is positive inside the cones."""
        return float((x[0] - self.norms(x[1])).min())

    def longest_step(self, x: Point, direction: Point) -> float:
        """Give the largest step from x that stays inside all cones."""
        return float(_longest_step(self.offsets, *x, *direction))


@dataclass(frozen=True, eq=False)
class Scaling:
    """The Nesterov-Todd scaling W of a primal point and a dual point (1, g).

    W takes the dual point and W^-1 the primal point to the same place lambda,
    W^2 = eta (2 w w' - J) with w = (head, tail) and J = diag(1, -1, ..., -1).
    """

    cones: Cones
    eta: FloatArray
    head: FloatArray
    tail: FloatArray

    @classmethod
    def between(cls, cones: Cones, primal: Point, dual_tails: FloatArray) -> "Scaling":
        """Find the scaling of an interior primal and an interior dual point."""
        return cls(cones, *_nesterov_todd(cones.offsets, *primal, dual_tails))

    def square_of_tail(self, tails: FloatArray) -> Point:
        """Give W^2 (0, tails)."""
        point: Point = _square_of_tail(
            self.cones.offsets, self.eta, self.head, self.tail, tails
        )
        return point

    def inverse_product(
        self, dual_tails: FloatArray, goal: float, move: Point, dual_move: FloatArray
    ) -> Point:
        """Give W z, z the solution of lambda o z = goal e - (W^-1 dx) o (W ds).

        Parameters
        ----------
        dual_tails : ndarray of shape (n_columns,)
            g, with lambda = W (1, g).
        goal : float
        move : Point
            dx, a move of the primal point.
        dual_move : ndarray of shape (n_columns,)
            Of ds = (0, dual_move), a move of the dual point.
        """
        scaling = self.eta, self.head, self.tail
        point: Point = _inverse_product(
            self.cones.offsets, scaling, dual_tails, goal, move, dual_move
        )
        return point


@njit(cache=True, fastmath={"reassoc", "contract"})
def _dot(x: FloatArray, y: FloatArray) -> float:
    """Give the inner product, in an order that the processor likes."""
    total = 0.0
    for e in range(len(x)):
        total += x[e] * y[e]
    return total


@njit(cache=True)
def _norms(offsets: IntArray, tails: FloatArray) -> FloatArray:
    norms = np.empty(len(offsets) - 1)
    for s in range(len(norms)):
        part = tails[offsets[s] : offsets[s + 1]]
        norms[s] = np.sqrt(_dot(part, part))
    return norms


@njit(cache=True)
def _determinant(head: float, tail: FloatArray) -> float:
    """Give t^2 - |v|^2, as a product: the difference would lose digits."""
    norm: float = np.sqrt(_dot(tail, tail))
    return (head - norm) * (head + norm)


@njit(cache=True)
def _longest_step(
    offsets: IntArray,
    heads: FloatArray,
    tails: FloatArray,
    head_moves: FloatArray,
    tail_moves: FloatArray,
) -> float:
    """Find the smallest positive root of det(x + step d), over all cones."""
    longest = np.inf
    for s in range(len(heads)):
        tail = tails[offsets[s] : offsets[s + 1]]
        move = tail_moves[offsets[s] : offsets[s + 1]]
        square = _determinant(head_moves[s], move)
        linear = heads[s] * head_moves[s] - _dot(tail, move)
        constant = _determinant(heads[s], tail)
        # square step^2 + 2 linear step + constant = 0
        discriminant = linear * linear - square * constant
        if discriminant >= 0.0 and np.sqrt(discriminant) > linear:
            longest = min(longest, constant / (np.sqrt(discriminant) - linear))
    return longest


@njit(cache=True)
def _nesterov_todd(
    offsets: IntArray, heads: FloatArray, tails: FloatArray, dual_tails: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give eta, head and tail of the scaling of (heads, tails) and (1, dual_tails)."""
    eta, head, tail = np.empty_like(heads), np.empty_like(heads), np.empty_like(tails)
    for s in range(len(heads)):
        low, high = offsets[s], offsets[s + 1]
        x, g = tails[low:high], dual_tails[low:high]
        size_x = np.sqrt(_determinant(heads[s], x))
        size_s = np.sqrt(_determinant(1.0, g))
        inner = (heads[s] + _dot(x, g)) / (size_x * size_s)
        double_gamma = np.sqrt(2.0 * max(1.0 + inner, 2.0))
        eta[s] = size_x / size_s
        head[s] = (heads[s] / size_x + 1.0 / size_s) / double_gamma
        for e in range(low, high):
            difference = tails[e] / size_x - dual_tails[e] / size_s
            tail[e] = difference / double_gamma
    return eta, head, tail


@njit(cache=True)
def _square_of_tail(
    offsets: IntArray,
    eta: FloatArray,
    head: FloatArray,
    tail: FloatArray,
    tails: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    heads, scaled = np.empty_like(head), np.empty_like(tail)
    for s in range(len(heads)):
        low, high = offsets[s], offsets[s + 1]
        inner = 2.0 * eta[s] * _dot(tail[low:high], tails[low:high])
        heads[s] = head[s] * inner
        for e in range(low, high):
            scaled[e] = inner * tail[e] + eta[s] * tails[e]
    return heads, scaled


@njit(cache=True)
def _arrow(
    head: float,
    tail: FloatArray,
    sign: float,
    root: float,
    x: float,
    v: FloatArray,
    out: FloatArray,
) -> float:
    """Write the tail of W (x, v) to `out` and give its head.

    The inverse W^-1 has sign -1 and root 1 / sqrt(eta) instead of 1 and sqrt(eta).
    """
    inner = sign * _dot(tail, v)
    along = sign * (x + inner / (1.0 + head))
    for e in range(len(v)):
        out[e] = root * (v[e] + along * tail[e])
    return root * (head * x + inner)


@njit(cache=True)
def _inverse_product(
    offsets: IntArray,
    scaling: tuple[FloatArray, FloatArray, FloatArray],
    dual_tails: FloatArray,
    goal: float,
    move: tuple[FloatArray, FloatArray],
    dual_move: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    eta, head, tail = scaling
    heads, tails = np.empty_like(head), np.empty_like(tail)
    middles, primals, duals = np.empty((3, len(tail)))
    for s in range(len(heads)):
        low, high = offsets[s], offsets[s + 1]
        w0, w, root = head[s], tail[low:high], np.sqrt(eta[s])
        m, x, y = middles[low:high], primals[low:high], duals[low:high]
        m0 = _arrow(w0, w, 1.0, root, 1.0, dual_tails[low:high], m)
        x0 = _arrow(w0, w, -1.0, 1.0 / root, move[0][s], move[1][low:high], x)
        y0 = _arrow(w0, w, 1.0, root, 0.0, dual_move[low:high], y)
        c0 = goal - x0 * y0 - _dot(x, y)
        for e in range(high - low):
            y[e] = -x0 * y[e] - y0 * x[e]
        z0 = (m0 * c0 - _dot(m, y)) / _determinant(m0, m)
        for e in range(high - low):
            y[e] = (y[e] - z0 * m[e]) / m0
        heads[s] = _arrow(w0, w, 1.0, root, z0, y, tails[low:high])
    return heads, tails
