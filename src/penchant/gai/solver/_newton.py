"""The linear system behind one step of the interior-point method."""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import linalg
from scipy.linalg import lapack

from penchant.gai.solver._cone_program import ConeProgram, Iterate, ProgramArrays
from penchant.gai.solver._cones import (
    Scaling,
    dot,
    longest_cone_step,
    nesterov_todd,
    square_of_tail,
)
from penchant.gai.solver._evidence import row_difference
from penchant.gai.solver._row_scaling import (
    RowScaling,
    from_rows,
    row_scaling,
    sandwich,
    scale,
    scale_back,
    scaled_columns,
    to_rows,
)
from penchant.typing import FloatArray, IntArray


class Aim(NamedTuple):
    """The right-hand sides that a direction is solved for (GAI-5).

    Parameters
    ----------
    first, second : ndarray of shape (n_rows,)
        Of a ds + s da = first and u dxi - xi da = second.
    heads : ndarray of shape (n_subsets,)
    tails : ndarray of shape (n_columns,)
        Of (dt, dv) + W^2 (0, dg) = (heads, tails).
    utilities : ndarray of shape (n_items,)
        L times the tails.
    """

    first: FloatArray
    second: FloatArray
    heads: FloatArray
    tails: FloatArray
    utilities: FloatArray


class Direction(NamedTuple):
    """A Newton direction of every part of a point, and of s and g.

    Parameters
    ----------
    rows, excess, slack : ndarray of shape (n_rows,)
    intercept : float
    heads : ndarray of shape (n_subsets,)
    tails, dual_tails : ndarray of shape (n_columns,)
    primal_step, dual_step : float
        The longest steps that stay feasible.
    primal_slope, dual_slope : float
        What a unit step adds to the objectives.
    """

    rows: FloatArray
    intercept: float
    excess: FloatArray
    heads: FloatArray
    tails: FloatArray
    slack: FloatArray
    dual_tails: FloatArray
    primal_step: float
    dual_step: float
    primal_slope: float
    dual_slope: float


class NewtonSystem(NamedTuple):
    """The linear system of one iteration, factored: A = I + R H R' = U'U.

    H = sum_S L_S W_S^2 L_S', with W_S^2 restricted to the tails, is the kernel.

    Parameters
    ----------
    cones : Scaling
        W.
    rows : RowScaling
        R and O.
    kernel : ndarray of shape (n_items, n_items)
    triangle : ndarray of shape (rank, rank)
        U; what lies below its diagonal is not used.
    """

    cones: Scaling
    rows: RowScaling
    kernel: FloatArray
    triangle: FloatArray


def newton_system(
    program: ConeProgram, iterate: Iterate, careful: bool
) -> NewtonSystem:
    """Set up and factor the system of an iterate.

    Parameters
    ----------
    program : ConeProgram
    iterate : Iterate
    careful : bool
        Whether to factor by QR: slower, more digits.
    """
    point, n_items = iterate.point, program.dictionary.n_items
    cones: Scaling = nesterov_todd(
        program.arrays.offsets, point.heads, point.tails, iterate.dual_tails
    )
    inverse = iterate.slack / point.rows + point.excess / iterate.room
    rows = row_scaling(program.evidence, 1.0 / np.sqrt(inverse), n_items)
    # L_S w_S of every subset, w_S the tail of the scaling
    spikes = program.block_utilities(cones.tail)
    longer = np.sqrt(2.0 * cones.eta)[:, None] * spikes
    kernel: FloatArray = longer.T @ longer
    program.add_kernels(cones.eta, kernel)
    triangle = None if careful else _factored(rows, kernel)
    if triangle is None:
        triangle = _carefully_factored(program, cones, rows, spikes)
    return NewtonSystem(cones, rows, kernel, triangle)


def _factored(rows: RowScaling, kernel: FloatArray) -> FloatArray | None:
    """Factor A by Cholesky, unless rounding has swallowed its identity."""
    matrix = sandwich(rows, kernel)
    matrix.flat[:: len(matrix) + 1] += 1.0
    lower, failed = lapack.dpotrf(matrix.T, lower=True, clean=False, overwrite_a=True)
    return None if failed else lower.T


def _carefully_factored(
    program: ConeProgram, cones: Scaling, rows: RowScaling, spikes: FloatArray
) -> FloatArray:
    """Factor A by QR of its square root, which never forms A."""
    # (I + 2 w w')^(1/2) = I + c w w' on each tail
    length = program.norms(cones.tail)
    factor = 2.0 / (np.sqrt(1.0 + 2.0 * length**2) + 1.0)
    counts = np.diff(program.arrays.offsets)
    along = np.repeat(factor * spikes.T, counts, axis=1)
    roots = program.arrays.columns.T + along * cones.tail
    roots *= program.spread(np.sqrt(cones.eta))
    scaled = scaled_columns(rows, roots)
    stacked = np.vstack([scaled.T, np.eye(len(scaled))])
    order = np.argsort(-np.abs(stacked).max(axis=1), kind="stable")
    (triangle,) = linalg.qr(
        stacked[order], mode="r", overwrite_a=True, check_finite=False
    )
    return np.ascontiguousarray(triangle[: len(scaled)])


@njit(cache=True)
def _solve(triangle: FloatArray, right: FloatArray) -> FloatArray:
    """Solve U'U x = right."""
    x = right.copy()
    for j in range(len(x)):
        x[j] /= triangle[j, j]
        for i in range(j + 1, len(x)):
            x[i] -= x[j] * triangle[j, i]
    for j in range(len(x) - 1, -1, -1):
        x[j] = (x[j] - dot(triangle[j, j + 1 :], x[j + 1 :])) / triangle[j, j]
    return x


@njit(cache=True)
def system_border(
    program: ProgramArrays, system: NewtonSystem
) -> tuple[FloatArray, FloatArray]:
    """Give R1 and A^-1 R1, which all directions need."""
    ones = scale(system.rows, np.ones(program.columns.shape[1]))
    return ones, _solve(system.triangle, ones)


@njit(cache=True)
def _solve_with_intercept(
    system: NewtonSystem,
    border: tuple[FloatArray, FloatArray],
    right: FloatArray,
    has_intercept: bool,
    total: float,
) -> tuple[FloatArray, float]:
    """Solve A x + (R1) db = right with (R1)'x = total."""
    x = _solve(system.triangle, right)
    if not has_intercept:
        return x, 0.0
    ones, solved_ones = border
    intercept = (dot(ones, x) - total) / dot(ones, solved_ones)
    return x - solved_ones * intercept, intercept


@njit(cache=True)
def newton_direction(
    program: ProgramArrays,
    iterate: Iterate,
    system: NewtonSystem,
    border: tuple[FloatArray, FloatArray],
    aim: Aim,
    n_refine: int,
) -> Direction:
    """Solve for a direction and refine it some times (GAI-5)."""
    point, rows, rated = iterate.point, system.rows, program.has_intercept
    scaled_rows = rows.roots * (aim.first / point.rows - aim.second / iterate.room)
    aimed = from_rows(rows, scaled_rows)
    right = aimed - scale(rows, aim.utilities)
    drift = -dot(program.levels, point.rows)
    x, intercept = _solve_with_intercept(system, border, right, rated, drift)
    # The kernel is enough for a first guess of df; the columns have more digits.
    gained = aim.utilities + np.dot(system.kernel, scale_back(rows, x))
    cones = _cone_moves(program, system, aim, x)
    for _ in range(n_refine):
        gained = np.dot(cones[1], program.columns)
        right = (aimed - x) - scale(rows, gained + intercept)
        total = drift - dot(border[0], x)
        dx, di = _solve_with_intercept(system, border, right, rated, total)
        x, intercept = x + dx, intercept + di
        cones = _cone_moves(program, system, aim, x)
    if n_refine > 0:
        gained = np.dot(cones[1], program.columns)
    # Through x, not as E (rho - Q df - h db): see RowScaling.
    moves = rows.roots * (scaled_rows - to_rows(rows, aimed - x))
    moves = _balanced(program.levels, point.rows, rows.roots, moves)
    return _completed(program, iterate, aim, moves, intercept, gained, cones)


@njit(cache=True)
def _cone_moves(
    program: ProgramArrays, system: NewtonSystem, aim: Aim, x: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give dt, dv and dg that belong to a solution x."""
    dual_tails = np.dot(program.columns, -scale_back(system.rows, x))
    heads, tails = square_of_tail(program.offsets, system.cones, dual_tails)
    return aim.heads - heads, aim.tails - tails, dual_tails


@njit(cache=True)
def _completed(
    program: ProgramArrays,
    iterate: Iterate,
    aim: Aim,
    rows: FloatArray,
    intercept: float,
    gained: FloatArray,
    cones: tuple[FloatArray, FloatArray, FloatArray],
) -> Direction:
    """Add dxi and ds, the longest steps and the slopes to da, db, df and the cones'."""
    heads, tails, dual_tails = cones
    excess, slack = np.empty_like(rows), np.empty_like(rows)
    primal_slope, dual_slope = heads.sum(), 0.0
    for k in range(len(rows)):
        excess[k] = aim.second[k] + iterate.point.excess[k] * rows[k]
        excess[k] /= iterate.room[k]
        gain = row_difference(program.raised[k], program.lowered[k], gained)
        slack[k] = excess[k] + gain + program.levels[k] * intercept
        primal_slope += program.costs[k] * excess[k]
        dual_slope += program.targets[k] * rows[k]
    return Direction(
        rows,
        intercept,
        excess,
        heads,
        tails,
        slack,
        dual_tails,
        _primal_step(program.offsets, iterate, excess, slack, heads, tails),
        _dual_step(program.offsets, iterate, rows, dual_tails),
        primal_slope,
        dual_slope,
    )


@njit(cache=True)
def _balanced(
    levels: FloatArray, rows: FloatArray, roots: FloatArray, moves: FloatArray
) -> FloatArray:
    """Correct da so that h'(a + da) = 0 to rounding."""
    drift, weight = 0.0, 0.0
    for k in range(len(rows)):
        drift += levels[k] * rows[k] + levels[k] * moves[k]
        weight += (roots[k] * levels[k]) ** 2
    if weight == 0.0:
        return moves
    return moves - drift / weight * roots**2 * levels


@njit(cache=True)
def _primal_step(
    offsets: IntArray,
    iterate: Iterate,
    excess: FloatArray,
    slack: FloatArray,
    heads: FloatArray,
    tails: FloatArray,
) -> float:
    point = iterate.point
    return min(
        _longest_step(point.excess, excess),
        _longest_step(iterate.slack, slack),
        longest_cone_step(offsets, point.heads, point.tails, heads, tails),
    )


@njit(cache=True)
def _dual_step(
    offsets: IntArray, iterate: Iterate, rows: FloatArray, dual_tails: FloatArray
) -> float:
    n_cones = len(offsets) - 1
    ones, zeros = np.ones(n_cones), np.zeros(n_cones)
    return min(
        _longest_step(iterate.point.rows, rows),
        _longest_step(iterate.room, -rows),
        longest_cone_step(offsets, ones, iterate.dual_tails, zeros, dual_tails),
    )


@njit(cache=True)
def _longest_step(values: FloatArray, moves: FloatArray) -> float:
    longest = np.inf
    for k in range(len(values)):
        if moves[k] < 0.0:
            longest = min(longest, -values[k] / moves[k])
    return longest
