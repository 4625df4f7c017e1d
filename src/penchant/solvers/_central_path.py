"""Interior-point method: follow the central path of a cone program.

All iterates are strictly feasible on both sides, so every iterate carries its gap.
"""

import numpy as np
from numba import njit

from penchant.solvers._cone_program import ConeProgram, Iterate, Slacks
from penchant.solvers._newton import Direction, NewtonSystem
from penchant.typing import FloatArray

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
) -> tuple[Iterate, int, bool]:
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
    int
        Iterations done.
    bool
        Whether the gap was reached.
    """
    short_steps = 0
    slacks = Slacks.of(program, iterate)
    for n_iter in range(max_iter):
        if slacks.gap <= gap * slacks.primal:
            return iterate, n_iter, True
        if short_steps >= _PATIENCE:
            return iterate, n_iter, False
        system = NewtonSystem(program, iterate, slacks, careful)
        refine = slacks.gap <= _REFINE_BELOW * slacks.primal
        direction = _centred_direction(
            system, short_steps > 0, 3 if careful else int(refine)
        )
        steps = _longest_steps(system, direction)
        moved = _move(iterate, direction, *(min(1.0, _STEP_SHARE * s) for s in steps))
        new_slacks = Slacks.of(program, moved)
        if not _strictly_feasible(program, moved, new_slacks):
            return iterate, n_iter, False
        short_steps = short_steps + 1 if min(steps) < _SHORT_STEP else 0
        iterate, slacks = moved, new_slacks
    return iterate, max_iter, slacks.gap <= gap * slacks.primal


def _centred_direction(
    system: NewtonSystem, off_centre: bool, n_refine: int
) -> Direction:
    """Predict, choose how much to centre, correct (GAI-5)."""
    program, iterate, slacks = system.program, system.iterate, system.slacks
    products = iterate.rows * slacks.slack, slacks.room * iterate.excess
    predictor = system.direction(
        -products[0],
        -products[1],
        (-iterate.heads, -iterate.tails),
        -slacks.utilities,
        0,
    )
    steps = _longest_steps(system, predictor)
    reached = _gap_after(system, predictor, *(min(1.0, step) for step in steps))
    centring = max((reached / slacks.gap) ** 3, 0.3 if off_centre else 1e-8)
    second_order = 1.0 if min(steps) >= _SHORT_STEP else 0.0
    target = centring * slacks.gap / (2 * len(iterate.rows) + len(program.cones))
    heads, tails = system.scaling.inverse_product(
        slacks.dual_tails, target, predictor.cone, second_order * predictor.dual_tails
    )
    heads, tails = heads - iterate.heads, tails - iterate.tails
    moved = second_order * predictor.rows
    return system.direction(
        target - products[0] - moved * predictor.slack,
        target - products[1] + moved * predictor.excess,
        (heads, tails),
        program.utilities(tails),
        n_refine,
    )


def _longest_steps(system: NewtonSystem, move: Direction) -> tuple[float, float]:
    """Give the longest primal and the longest dual step that stay feasible."""
    cones, iterate, slacks = system.program.cones, system.iterate, system.slacks
    primal = min(
        _longest_step(iterate.excess, move.excess),
        _longest_step(slacks.slack, move.slack),
        cones.longest_step((iterate.heads, iterate.tails), move.cone),
    )
    dual = min(
        _longest_step(iterate.rows, move.rows),
        _longest_step(slacks.room, -move.rows),
        cones.longest_step(
            (cones.ones, slacks.dual_tails), (cones.zeros, move.dual_tails)
        ),
    )
    return primal, dual


@njit(cache=True)
def _longest_step(values: FloatArray, direction: FloatArray) -> float:
    longest = np.inf
    for k in range(len(values)):
        if direction[k] < 0.0:
            longest = min(longest, -values[k] / direction[k])
    return longest


def _gap_after(
    system: NewtonSystem, move: Direction, primal: float, dual: float
) -> float:
    """Give the gap after a primal and a dual step: both objectives are linear."""
    evidence = system.program.evidence
    risen = evidence.costs @ move.excess + move.cone[0].sum()
    return system.slacks.gap + float(
        primal * risen - dual * (evidence.targets @ move.rows)
    )


def _move(iterate: Iterate, move: Direction, primal: float, dual: float) -> Iterate:
    return Iterate(
        rows=iterate.rows + dual * move.rows,
        intercept=iterate.intercept + primal * move.intercept,
        excess=iterate.excess + primal * move.excess,
        heads=iterate.heads + primal * move.cone[0],
        tails=iterate.tails + primal * move.cone[1],
    )


def _strictly_feasible(program: ConeProgram, iterate: Iterate, slacks: Slacks) -> bool:
    """Tell whether rounding has left the iterate inside all cones."""
    cones = program.cones
    smallest = min(
        iterate.rows.min(),
        iterate.excess.min(),
        slacks.slack.min(),
        slacks.room.min(),
        cones.depth((iterate.heads, iterate.tails)),
        cones.depth((cones.ones, slacks.dual_tails)),
    )
    return bool(smallest > 0)
