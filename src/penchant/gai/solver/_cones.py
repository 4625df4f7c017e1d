"""Algebra of second-order cones, for many cones of different sizes at once.

The cones are {(t, v): |v| <= t}. A point has a head t per cone; the tails v of all
cones lie in one vector, and `offsets` tells where each begins and the last one ends.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from penchant.typing import FloatArray, IntArray


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


_ANY_ORDER = {"reassoc", "contract"}
"""Lets the compiler add up in an order that the processor likes."""


@njit(cache=True, fastmath=_ANY_ORDER)
def dot(x: FloatArray, y: FloatArray) -> float:
    """Give the inner product."""
    total = 0.0
    for e in range(len(x)):
        total += x[e] * y[e]
    return total


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
            move[0][s],
            move[1][part],
            dual_move[part],
            tails[part],
        )
    return heads, tails


@njit(cache=True, fastmath=_ANY_ORDER)
def _inverse_product(
    w0: float,
    w: FloatArray,
    root: float,
    g: FloatArray,
    goal: float,
    dx0: float,
    dx: FloatArray,
    ds: FloatArray,
    out: FloatArray,
) -> float:
    """Write the tail of one cone's W z to `out` and give its head, in few passes.

    W (x, v) = root (w0 x + w'v, v + (x + w'v / (1 + w0)) w); W^-1 has -w and 1 / root.
    """
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
