"""Interior-point method: follow the central path of a cone program.

All iterates are strictly feasible on both sides, so every iterate carries its gap.
"""

import numpy as np
from numba import njit

from penchant.gai.solver._cone_program import (
    ConeProgram,
    Iterate,
    Point,
    ProgramArrays,
    iterate_at,
)
from penchant.gai.solver._cones import Scaling, inverse_product
from penchant.gai.solver._newton import (
    Aim,
    Direction,
    NewtonSystem,
    newton_direction,
    newton_system,
    system_border,
)

_STEP_SHARE = 0.98
"""Share of the way to the boundary that a step may go."""

_REFINE_BELOW = 0.01
"""Relative gap from which on directions are refined: they need more digits then."""

_SHORT_STEP = 0.05
_PATIENCE = 6
"""Short steps in a row after which the method gives up."""


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
