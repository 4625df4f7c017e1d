"""Interior-point method: Newton steps along the central path of a cone program.

All iterates are strictly feasible on both sides, so every iterate carries its gap.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import linalg
from scipy.linalg import lapack

from penchant.gai.solver._cone_program import (
    ConeProgram,
    Iterate,
    Point,
    ProgramArrays,
    Scaling,
    inverse_product,
    iterate_at,
    longest_cone_step,
    nesterov_todd,
    square_of_tail,
)
from penchant.gai.solver._evidence import (
    RowScaling,
    dot,
    from_rows,
    row_difference,
    row_scaling,
    sandwich,
    scale,
    scale_back,
    scaled_columns,
    to_rows,
)
from penchant.typing import FloatArray

_STEP_SHARE = 0.98
"""Share of the way to the boundary that a step may go."""

_REFINE_BELOW = 0.01
"""Relative gap from which on directions are refined: they need more digits then."""

_SHORT_STEP = 0.05
_PATIENCE = 6
"""Short steps in a row after which the method gives up."""


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
    # Householder's reflections keep the digits of small rows if large ones come first.
    order = np.argsort(-np.abs(stacked).max(axis=1), kind="stable")
    (triangle,) = linalg.qr(
        stacked[order], mode="r", overwrite_a=True, check_finite=False
    )
    return np.ascontiguousarray(triangle[: len(scaled)])


@njit(cache=True)
def _solve(triangle: FloatArray, right: FloatArray) -> FloatArray:
    """Solve U'U x = right; Numba has no triangular solver."""
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
    point, (heads, tails, dual_tails) = iterate.point, cones
    excess, slack = np.empty_like(rows), np.empty_like(rows)
    primal_slope, dual_slope = heads.sum(), 0.0
    for k in range(len(rows)):
        excess[k] = aim.second[k] + point.excess[k] * rows[k]
        excess[k] /= iterate.room[k]
        gain = row_difference(program.raised[k], program.lowered[k], gained)
        slack[k] = excess[k] + gain + program.levels[k] * intercept
        primal_slope += program.costs[k] * excess[k]
        dual_slope += program.targets[k] * rows[k]
    primal_step = min(
        _longest_step(point.excess, excess),
        _longest_step(iterate.slack, slack),
        longest_cone_step(program.offsets, point.heads, point.tails, heads, tails),
    )
    ones, zeros = np.ones(len(heads)), np.zeros(len(heads))  # heads of the dual cones
    dual_step = min(
        _longest_step(point.rows, rows),
        _longest_step(iterate.room, -rows),
        longest_cone_step(program.offsets, ones, iterate.dual_tails, zeros, dual_tails),
    )
    return Direction(
        rows,
        intercept,
        excess,
        heads,
        tails,
        slack,
        dual_tails,
        primal_step,
        dual_step,
        primal_slope,
        dual_slope,
    )


@njit(cache=True)
def _balanced(
    levels: FloatArray, rows: FloatArray, roots: FloatArray, moves: FloatArray
) -> FloatArray:
    """Correct da so that h'(a + da) = 0 to rounding: otherwise c'a is no bound."""
    drift, weight = 0.0, 0.0
    for k in range(len(rows)):
        drift += levels[k] * rows[k] + levels[k] * moves[k]
        weight += (roots[k] * levels[k]) ** 2
    if weight == 0.0:
        return moves
    return moves - drift / weight * roots**2 * levels


@njit(cache=True)
def _longest_step(values: FloatArray, moves: FloatArray) -> float:
    longest = np.inf
    for k in range(len(values)):
        if moves[k] < 0.0:
            longest = min(longest, -values[k] / moves[k])
    return longest


def interior_point(
    program: ConeProgram,
    iterate: Iterate,
    *,
    gap: float,
    max_iter: int = 60,
    careful: bool = False,
) -> tuple[Iterate, int]:
    """Improve a strictly feasible iterate until its relative gap is small (GAI-5).

    Predictor and corrector with Nesterov-Todd scaling; primal and dual steps differ,
    since both sides are linear and feasible.

    Parameters
    ----------
    program : ConeProgram
    iterate : Iterate
    gap : float
        Relative gap to reach.
    max_iter : int, default=60
        Largest number of iterations.
    careful : bool, default=False
        Whether to factor by QR and refine three times: slower, more digits.

    Returns
    -------
    Iterate
        The last strictly feasible one; rounding may end progress before the gap.
    int
        Iterations done.
    """
    short_steps = 0
    for n_iter in range(max_iter):
        if iterate.gap <= gap * iterate.primal or short_steps >= _PATIENCE:
            return iterate, n_iter
        system = newton_system(program, iterate, careful)
        refine = iterate.gap <= _REFINE_BELOW * iterate.primal
        n_refine = 3 if careful else int(refine)
        moved, step = _step(program.arrays, iterate, system, short_steps > 0, n_refine)
        if not moved.inside:
            return iterate, n_iter
        short_steps = short_steps + 1 if step < _SHORT_STEP else 0
        iterate = moved
    return iterate, max_iter


@njit(cache=True)
def _step(
    program: ProgramArrays,
    iterate: Iterate,
    system: NewtonSystem,
    off_centre: bool,
    n_refine: int,
) -> tuple[Iterate, float]:
    """Predict, choose how much to centre, correct and move (GAI-5).

    The second result is the shorter of the longest primal and dual steps.
    """
    border = system_border(program, system)
    aim = _predictor_aim(iterate)
    none = 0 * n_refine  # a literal 0 would have a version of its own compiled
    predictor = newton_direction(program, iterate, system, border, aim, none)
    reached = iterate.gap + min(1.0, predictor.primal_step) * predictor.primal_slope
    reached -= min(1.0, predictor.dual_step) * predictor.dual_slope
    # Mehrotra's rule: the less the predictor gains, the more the corrector centres.
    centring = max((reached / iterate.gap) ** 3, 0.3 if off_centre else 1e-8)
    target = centring * iterate.mean_gap
    aim = _corrector_aim(program, iterate, system.cones, target, predictor)
    direction = newton_direction(program, iterate, system, border, aim, n_refine)
    moved = _moved(iterate.point, direction)
    step = min(direction.primal_step, direction.dual_step)
    return iterate_at(program, moved), step


@njit(cache=True)
def _predictor_aim(iterate: Iterate) -> Aim:
    """Aim at the boundary: all products of pairs at 0."""
    point = iterate.point
    return Aim(
        -point.rows * iterate.slack,
        -point.excess * iterate.room,
        -point.heads,
        -point.tails,
        -iterate.utilities,
    )


@njit(cache=True)
def _corrector_aim(
    program: ProgramArrays,
    iterate: Iterate,
    scaling: Scaling,
    target: float,
    move: Direction,
) -> Aim:
    """Aim at products of `target`, less those of a long predictor's moves."""
    point = iterate.point
    # Second-order terms are those of a full step: of a short one they tell nothing.
    short = min(move.primal_step, move.dual_step) < _SHORT_STEP
    second_order = 0.0 if short else 1.0
    first, second = np.empty_like(iterate.room), np.empty_like(iterate.room)
    for k in range(len(first)):
        moved = second_order * move.rows[k]
        first[k] = target - point.rows[k] * iterate.slack[k] - moved * move.slack[k]
        second[k] = target - point.excess[k] * iterate.room[k] + moved * move.excess[k]
    heads, tails = inverse_product(
        program.offsets,
        scaling,
        iterate.dual_tails,
        target,
        (move.heads, move.tails),
        second_order * move.dual_tails,
    )
    heads, tails = heads - point.heads, tails - point.tails
    return Aim(first, second, heads, tails, np.dot(tails, program.columns))


@njit(cache=True)
def _moved(point: Point, move: Direction) -> Point:
    """Go a share of the longest primal and of the longest dual step."""
    primal = min(1.0, _STEP_SHARE * move.primal_step)
    dual = min(1.0, _STEP_SHARE * move.dual_step)
    return Point(
        point.rows + dual * move.rows,
        point.intercept + primal * move.intercept,
        point.excess + primal * move.excess,
        point.heads + primal * move.heads,
        point.tails + primal * move.tails,
    )
