"""Second-order cones {(t, v): |v| <= t} of different sizes, many at once.

A point has a head t per cone; the tails v of all cones lie in one vector, and `offsets`
tells where each begins and the last one ends. What an iteration asks for many times is
compiled: loops over plain arrays, which take little time to compile.
"""

import math
from typing import NamedTuple

import numpy as np

from penchant._compiled import compiled
from penchant.typing import FloatArray, IntArray

# Sums may be reordered for speed; infinities and NaN keep their meaning.
_compiled = compiled(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})


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


def norms(offsets: IntArray, tails: FloatArray) -> FloatArray:
    """Give the norm of each tail; none may be empty."""
    return np.sqrt(np.add.reduceat(tails * tails, offsets[:-1]))


def nesterov_todd(
    offsets: IntArray, heads: FloatArray, tails: FloatArray, dual_tails: FloatArray
) -> Scaling:
    """Find the scaling of the interior points (heads, tails) and (1, dual_tails)."""
    eta, head = np.empty((2, len(heads)))
    scaling = Scaling(eta, head, np.empty(len(tails)))
    _fill_scaling(offsets, heads, tails, dual_tails, *scaling)
    return scaling


def square_of_tail(
    offsets: IntArray, scaling: Scaling, tails: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give W^2 (0, tails)."""
    square = np.empty(len(scaling.head)), np.empty(len(tails))
    _fill_square(offsets, *scaling, tails, *square)
    return square


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
    product = np.full(len(scaling.head), float(goal)), np.empty(len(dual_tails))
    place = np.empty(len(dual_tails))
    _fill_product(offsets, scaling, dual_tails, move, dual_move, place, product)
    return product


def block_products(
    offsets: IntArray, tails: FloatArray, columns: FloatArray
) -> FloatArray:
    """Give the product of each tail with its rows of `columns`, one per row."""
    products = np.zeros((len(offsets) - 1, columns.shape[1]))
    _add_products(offsets, tails, columns, products)
    return products


@_compiled
def _add_products(
    offsets: IntArray, tails: FloatArray, columns: FloatArray, products: FloatArray
) -> None:
    for s in range(len(products)):
        for e in range(offsets[s], offsets[s + 1]):
            for i in range(products.shape[1]):
                products[s, i] += tails[e] * columns[e, i]


@_compiled
def _inner(x: FloatArray, y: FloatArray, low: int, high: int) -> float:
    """Give the inner product of one cone's parts of two vectors."""
    total = 0.0
    for e in range(low, high):
        total += x[e] * y[e]
    return total


@_compiled
def _determinant(head: float, square: float) -> float:
    """Give t^2 - |v|^2 as a product: the difference would lose digits."""
    norm = math.sqrt(square)
    return (head - norm) * (head + norm)


@_compiled
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
    longest = math.inf
    for s in range(len(heads)):
        low, high = offsets[s], offsets[s + 1]
        square = _determinant(head_moves[s], _inner(tail_moves, tail_moves, low, high))
        linear = heads[s] * head_moves[s] - _inner(tails, tail_moves, low, high)
        constant = _determinant(heads[s], _inner(tails, tails, low, high))
        # square step^2 + 2 linear step + constant = 0
        discriminant = linear * linear - square * constant
        if discriminant >= 0.0 and math.sqrt(discriminant) > linear:
            # The quotient form of the root: where the step ends soon, linear < 0, and
            # nothing cancels.
            longest = min(longest, constant / (math.sqrt(discriminant) - linear))
    return longest


@_compiled
def is_inside(
    offsets: IntArray, heads: FloatArray, tails: FloatArray, dual_tails: FloatArray
) -> bool:
    """Tell whether (heads, tails) and (1, dual_tails) are inside all cones."""
    inside = True
    for s in range(len(heads)):
        low, high = offsets[s], offsets[s + 1]
        inside &= math.sqrt(_inner(tails, tails, low, high)) < heads[s]
        inside &= _inner(dual_tails, dual_tails, low, high) < 1.0
    return inside


@_compiled
def _fill_scaling(
    offsets: IntArray,
    heads: FloatArray,
    tails: FloatArray,
    dual_tails: FloatArray,
    eta: FloatArray,
    head: FloatArray,
    tail: FloatArray,
) -> None:
    for s in range(len(heads)):
        low, high = offsets[s], offsets[s + 1]
        size_x = math.sqrt(_determinant(heads[s], _inner(tails, tails, low, high)))
        dual_square = _inner(dual_tails, dual_tails, low, high)
        size_s = math.sqrt(_determinant(1.0, dual_square))
        inner = (heads[s] + _inner(tails, dual_tails, low, high)) / (size_x * size_s)
        # Points of determinant 1 have an inner product of at least 1; so must these.
        double_gamma = math.sqrt(2.0 * max(1.0 + inner, 2.0))
        eta[s] = size_x / size_s
        head[s] = (heads[s] / size_x + 1.0 / size_s) / double_gamma
        share_x, share_s = 1.0 / (double_gamma * size_x), 1.0 / (double_gamma * size_s)
        for e in range(low, high):
            tail[e] = share_x * tails[e] - share_s * dual_tails[e]


@_compiled
def _fill_square(
    offsets: IntArray,
    eta: FloatArray,
    head: FloatArray,
    tail: FloatArray,
    tails: FloatArray,
    heads: FloatArray,
    scaled: FloatArray,
) -> None:
    for s in range(len(head)):
        low, high = offsets[s], offsets[s + 1]
        inner = 2.0 * eta[s] * _inner(tail, tails, low, high)
        heads[s] = head[s] * inner
        for e in range(low, high):
            scaled[e] = inner * tail[e] + eta[s] * tails[e]


@_compiled
def _fill_product(
    offsets: IntArray,
    scaling: Scaling,
    g: FloatArray,
    move: tuple[FloatArray, FloatArray],
    ds: FloatArray,
    m: FloatArray,
    product: tuple[FloatArray, FloatArray],
) -> None:
    """Write W z to the product, whose heads hold the goal, in few passes per cone.

    W (x, v) = root (w0 x + w'v, v + (x + w'v / (1 + w0)) w); W^-1 has -w and 1 / root.
    """
    eta, head, w = scaling
    head_moves, dx = move
    heads, z = product
    for s in range(len(head)):
        low, high = offsets[s], offsets[s + 1]
        root, w0, dx0 = math.sqrt(eta[s]), head[s], head_moves[s]
        wg, wx = _inner(w, g, low, high), _inner(w, dx, low, high)
        ws = _inner(w, ds, low, high)
        # m = lambda = W (1, g), x = W^-1 dx, y = W (0, ds)
        m0, x0, y0 = root * (w0 + wg), (w0 * dx0 - wx) / root, root * ws
        share = 1.0 / (1.0 + w0)
        mm = xy = my = 0.0
        for e in range(low, high):
            m[e] = root * (g[e] + (1.0 + share * wg) * w[e])
            x = (dx[e] - (dx0 - share * wx) * w[e]) / root
            y = root * (ds[e] + share * ws * w[e])
            z[e] = -x0 * y - y0 * x  # the tail of the right-hand side
            mm += m[e] * m[e]
            xy += x * y
            my += m[e] * z[e]
        z0 = (m0 * (heads[s] - x0 * y0 - xy) - my) / _determinant(m0, mm)
        for e in range(low, high):
            z[e] = (z[e] - z0 * m[e]) / m0
        wz = _inner(w, z, low, high)
        heads[s] = root * (w0 * z0 + wz)
        for e in range(low, high):
            z[e] = root * (z[e] + (z0 + share * wz) * w[e])


@_compiled
def fill_rows(
    raised: IntArray,
    lowered: IntArray,
    utilities: FloatArray,
    targets: FloatArray,
    costs: FloatArray,
    duals: FloatArray,
    primals: FloatArray,
) -> bool:
    """Add u to a and s to xi, and tell whether all these numbers are positive."""
    positive = True
    for k in range(len(targets)):
        reached = utilities[raised[k]] if raised[k] >= 0 else 0.0
        reached -= utilities[lowered[k]] if lowered[k] >= 0 else 0.0
        duals[1, k] = costs[k] - duals[0, k]
        primals[0, k] = primals[1, k] - (targets[k] - reached)
        positive &= duals[0, k] > 0.0 and duals[1, k] > 0.0
        positive &= primals[0, k] > 0.0 and primals[1, k] > 0.0
    return positive


@_compiled
def fill_row_moves(
    raised: IntArray,
    lowered: IntArray,
    gained: FloatArray,
    aim: FloatArray,
    duals: FloatArray,
    primals: FloatArray,
    rows: FloatArray,
    moves: FloatArray,
) -> tuple[float, float]:
    """Write ds and dxi that belong to da; give the longest primal and dual steps."""
    fall = dual_fall = 0.0
    for k in range(len(rows)):
        reached = gained[raised[k]] if raised[k] >= 0 else 0.0
        reached -= gained[lowered[k]] if lowered[k] >= 0 else 0.0
        excess = (aim[1, k] + primals[1, k] * rows[k]) / duals[1, k]
        moves[0, k], moves[1, k] = excess + reached, excess
        fall = max(fall, -moves[0, k] / primals[0, k])
        fall = max(fall, -excess / primals[1, k])
        dual_fall = max(dual_fall, -rows[k] / duals[0, k])
        dual_fall = max(dual_fall, rows[k] / duals[1, k])
    return 1.0 / fall, 1.0 / dual_fall
