"""Interior-point method: Newton steps along the central path of a cone program.

All iterates are strictly feasible on both sides, so every iterate carries its gap.
"""

from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from penchant.gai.solver._cone_program import ConeProgram, Iterate, Point
from penchant.gai.solver._cones import (
    Scaling,
    fill_row_moves,
    inverse_product,
    longest_cone_step,
    nesterov_todd,
    square_of_tail,
)
from penchant.gai.solver._evidence import RowScaling, row_scaling
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
    rows : ndarray of shape (2, n_rows)
        Of a ds + s da and u dxi - xi da.
    heads : ndarray of shape (n_subsets,)
    tails : ndarray of shape (n_columns,)
        Of (dt, dv) + W^2 (0, dg) = (heads, tails).
    utilities : ndarray of shape (n_items,)
        L times the tails.
    """

    rows: FloatArray
    heads: FloatArray
    tails: FloatArray
    utilities: FloatArray


class Direction(NamedTuple):
    """A Newton direction of every part of an iterate.

    Parameters
    ----------
    rows : ndarray of shape (n_rows,)
        da.
    primals : ndarray of shape (2, n_rows)
        ds and dxi.
    intercept : float
    heads : ndarray of shape (n_subsets,)
    tails, dual_tails : ndarray of shape (n_columns,)
    primal_step, dual_step : float
        The longest steps that stay feasible.
    """

    rows: FloatArray
    primals: FloatArray
    intercept: float
    heads: FloatArray
    tails: FloatArray
    dual_tails: FloatArray
    primal_step: float
    dual_step: float

    @property
    def is_short(self) -> bool:
        """Whether one of the longest steps is short."""
        return min(self.primal_step, self.dual_step) < _SHORT_STEP


class NewtonSystem:
    """The linear system of one iteration, factored: A = I + R H R' = U'U.

    H = sum_S L_S W_S^2 L_S', with W_S^2 restricted to the tails, is the kernel.

    Parameters
    ----------
    program : ConeProgram
    iterate : Iterate
    careful : bool
        Whether to factor by QR: slower, more digits.
    """

    def __init__(self, program: ConeProgram, iterate: Iterate, careful: bool) -> None:
        point, evidence = iterate.point, program.evidence
        n_items = program.dictionary.n_items
        self.cones = nesterov_todd(
            program.offsets, point.heads, point.tails, iterate.dual_tails
        )
        # Slacks and multipliers of the rows are eliminated first and leave this weight.
        pairs = iterate.primals / iterate.duals
        self.roots = 1.0 / np.sqrt(pairs[0] + pairs[1])
        self.rows = row_scaling(evidence, self.roots, n_items)
        # L_S w_S of every subset, w_S the tail of the scaling
        # W^2 on the tails is eta (I + 2 w w'): a kernel of each subset and one spike.
        spikes = program.block_utilities(self.cones.tail)
        longer = np.sqrt(2.0 * self.cones.eta)[:, None] * spikes
        self.kernel: FloatArray = longer.T @ longer
        program.add_kernels(self.cones.eta, self.kernel)
        triangle = None if careful else _factored(self.rows, self.kernel)
        if triangle is None:
            triangle = _carefully_factored(program, self.cones, self.rows, spikes)
        self._triangle = triangle
        self._has_intercept = program.has_intercept
        if program.has_intercept:
            self._ones = self.rows.scale(np.ones(n_items))
            self._solved_ones = self._solve(self._ones)
            self._height = self._ones @ self._solved_ones
            self._levels = evidence.levels
            self._drift = evidence.levels @ point.rows
            # What takes a drift of h'a away with the least change in the metric E^-1 of
            # the rows: a multiple of E h.
            weights = self.roots**2 * evidence.levels
            self._balance = weights / (evidence.levels @ weights)

    def _solve(self, right: FloatArray) -> FloatArray:
        """Solve A x = right."""
        return lapack.dpotrs(self._triangle, right)[0]

    def solve(
        self, right: FloatArray, guess: FloatArray | None = None
    ) -> tuple[FloatArray, float]:
        """Solve A x + (R1) db = right with (R1)'(x + guess) = -h'a for x and db."""
        x = self._solve(right)
        if not self._has_intercept:
            return x, 0.0
        whole = x if guess is None else x + guess
        intercept = float((self._ones @ whole + self._drift) / self._height)
        return x - self._solved_ones * intercept, intercept

    def balanced(self, moves: FloatArray) -> FloatArray:
        """Correct da so that h'(a + da) = 0 to rounding: otherwise c'a is no bound."""
        if not self._has_intercept:
            return moves
        drift = self._drift + self._levels @ moves
        return moves - drift * self._balance


def _factored(rows: RowScaling, kernel: FloatArray) -> FloatArray | None:
    """Factor A by Cholesky, unless rounding has swallowed its identity."""
    matrix = rows.scale(rows.scale(kernel).T)
    matrix = matrix if matrix.flags.f_contiguous else matrix.T  # it is symmetric
    matrix.T.reshape(-1)[:: len(matrix) + 1] += 1.0
    triangle, failed = lapack.dpotrf(matrix, clean=False, overwrite_a=True)
    return None if failed else triangle


def _carefully_factored(
    program: ConeProgram, cones: Scaling, rows: RowScaling, spikes: FloatArray
) -> FloatArray:
    """Factor A by QR of its square root, which never forms A."""
    # (I + 2 w w')^(1/2) = I + c w w' on each tail
    length = program.norms(cones.tail)
    factor = 2.0 / (np.sqrt(1.0 + 2.0 * length**2) + 1.0)
    along = np.repeat(factor * spikes.T, np.diff(program.offsets), axis=1)
    roots = program.columns.T + along * cones.tail
    roots *= program.spread(np.sqrt(cones.eta))
    scaled = rows.scale(roots)
    stacked = np.vstack([scaled.T, np.eye(len(scaled))])
    # Householder's reflections keep the digits of small rows if large ones come first.
    order = np.argsort(-np.abs(stacked).max(axis=1), kind="stable")
    (triangle,) = linalg.qr(
        stacked[order], mode="r", overwrite_a=True, check_finite=False
    )
    return np.asfortranarray(triangle[: len(scaled)])


def newton_direction(
    program: ConeProgram,
    iterate: Iterate,
    system: NewtonSystem,
    aim: Aim,
    n_refine: int = 0,
) -> Direction:
    """Solve for a direction and refine it some times (GAI-5)."""
    rows, point, offsets = system.rows, iterate.point, program.offsets
    pairs = aim.rows / iterate.duals
    scaled_rows = system.roots * (pairs[0] - pairs[1])
    aimed = rows.from_rows(scaled_rows)
    x, intercept = system.solve(aimed - rows.scale(aim.utilities))
    heads, tails, dual_tails = _cone_moves(program, system, aim, x)
    for _ in range(n_refine):
        gained = program.utilities(tails) + intercept
        dx, more = system.solve((aimed - x) - rows.scale(gained), x)
        x, intercept = x + dx, intercept + more
        heads, tails, dual_tails = _cone_moves(program, system, aim, x)
    if n_refine:
        gained = program.utilities(tails)
    else:  # the kernel is enough for a first guess; the columns have more digits
        gained = aim.utilities + system.kernel @ rows.scale_back(x)
    # Through x, not as E (rho - Q df - h db): see row_scaling.
    moves = system.roots * (scaled_rows - rows.to_rows(aimed - x))
    moves = system.balanced(moves)
    primals = np.empty((2, len(moves)))
    primal_step, dual_step = fill_row_moves(
        program.evidence.raised,
        program.evidence.lowered,
        gained + intercept,
        aim.rows,
        iterate.duals,
        iterate.primals,
        moves,
        primals,
    )
    return Direction(
        moves,
        primals,
        intercept,
        heads,
        tails,
        dual_tails,
        min(
            primal_step,
            longest_cone_step(offsets, point.heads, point.tails, heads, tails),
        ),
        min(
            dual_step,
            longest_cone_step(
                offsets,
                program.dual_heads,
                iterate.dual_tails,
                program.no_heads,
                dual_tails,
            ),
        ),
    )


def _cone_moves(
    program: ConeProgram, system: NewtonSystem, aim: Aim, x: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give dt, dv and dg that belong to a solution x."""
    dual_tails = program.columns @ -system.rows.scale_back(x)
    heads, tails = square_of_tail(program.offsets, system.cones, dual_tails)
    return aim.heads - heads, aim.tails - tails, dual_tails


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
        # Feasible on both sides, so that this gap is a certificate, not an estimate.
        if iterate.gap <= gap * iterate.primal or short_steps >= _PATIENCE:
            return iterate, n_iter
        system = NewtonSystem(program, iterate, careful)
        # Near the end cones are so flat that a first solution has few digits left.
        refine = iterate.gap <= _REFINE_BELOW * iterate.primal
        n_refine = 3 if careful else int(refine)
        direction = _direction(program, iterate, system, short_steps > 0, n_refine)
        moved = program.iterate(_moved(iterate.point, direction))
        if not moved.inside:
            return iterate, n_iter
        short_steps = short_steps + 1 if direction.is_short else 0
        iterate = moved
    return iterate, max_iter


def _direction(
    program: ConeProgram,
    iterate: Iterate,
    system: NewtonSystem,
    off_centre: bool,
    n_refine: int,
) -> Direction:
    """Predict, choose how much to centre and correct (GAI-5)."""
    point, evidence = iterate.point, program.evidence
    # Aim at the boundary: all products of pairs at 0.
    products = iterate.duals * iterate.primals
    aim = Aim(-products, -point.heads, -point.tails, -iterate.utilities)
    move = newton_direction(program, iterate, system, aim)
    rise = evidence.costs @ move.primals[1] + move.heads.sum()
    reached = iterate.gap + min(1.0, move.primal_step) * rise
    reached -= min(1.0, move.dual_step) * (evidence.targets @ move.rows)
    # Mehrotra's rule: the less the predictor gains, the more the corrector centres.
    centring = max((reached / iterate.gap) ** 3, 0.3 if off_centre else 1e-8)
    target = centring * iterate.mean_gap
    # Second-order terms are those of a full step: of a short one they tell nothing.
    second_order = 0.0 if move.is_short else 1.0
    heads, tails = inverse_product(
        program.offsets,
        system.cones,
        iterate.dual_tails,
        target,
        (move.heads, move.tails),
        second_order * move.dual_tails,
    )
    heads, tails = heads - point.heads, tails - point.tails
    products[0] += second_order * move.rows * move.primals[0]
    products[1] -= second_order * move.rows * move.primals[1]
    aim = Aim(target - products, heads, tails, program.utilities(tails))
    return newton_direction(program, iterate, system, aim, n_refine)


def _moved(point: Point, move: Direction) -> Point:
    """Go a share of the longest primal and of the longest dual step."""
    primal = min(1.0, _STEP_SHARE * move.primal_step)
    dual = min(1.0, _STEP_SHARE * move.dual_step)
    return Point(
        point.rows + dual * move.rows,
        point.intercept + primal * move.intercept,
        point.excess + primal * move.primals[1],
        point.heads + primal * move.heads,
        point.tails + primal * move.tails,
    )
