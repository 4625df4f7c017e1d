"""The linear system behind one step of the interior-point method."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from penchant.solvers._cone_program import ConeProgram, Iterate, Slacks
from penchant.solvers._cones import Point, Scaling
from penchant.solvers._row_scaling import row_scaling
from penchant.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Direction:
    """A Newton direction of every part of an iterate and of its slacks."""

    rows: FloatArray
    intercept: float
    excess: FloatArray
    cone: Point
    slack: FloatArray
    dual_tails: FloatArray


class NewtonSystem:
    """The linear system of one iteration, factored once and solved twice."""

    def __init__(
        self, program: ConeProgram, iterate: Iterate, slacks: Slacks, careful: bool
    ) -> None:
        self.program, self.iterate, self.slacks = program, iterate, slacks
        n_items = program.dictionary.n_items
        self.scaling = Scaling.between(
            program.cones, (iterate.heads, iterate.tails), slacks.dual_tails
        )
        inverse = slacks.slack / iterate.rows + iterate.excess / slacks.room
        self.roots = 1.0 / np.sqrt(inverse)
        self.scaled = row_scaling(program.evidence, self.roots, n_items)
        # L_S w_S of every subset, w_S the tail of the scaling
        spikes = program.block_utilities(self.scaling.tail)
        longer = np.sqrt(2.0 * self.scaling.eta)[:, None] * spikes
        self.kernel = program.combine(self.scaling.eta) + longer.T @ longer
        self.factor = self._factor(spikes, careful)
        self.ones = self.scaled.scale(np.ones(n_items))
        self.solved_ones = self._solve(self.ones)

    def _factor(self, spikes: FloatArray, careful: bool) -> tuple[FloatArray, bool]:
        """Factor A = I + R (sum_S L_S W_S^2 L_S') R', as a triangle; tell if lower."""
        if not careful:
            matrix = self.scaled.sandwich(self.kernel)
            matrix.flat[:: len(matrix) + 1] += 1.0
            lower, failed = lapack.dpotrf(
                matrix.T, lower=True, clean=False, overwrite_a=True
            )
            if not failed:  # rounding may have swallowed the identity
                return lower, True
        return self._orthogonal_factor(spikes), False

    def _orthogonal_factor(self, spikes: FloatArray) -> FloatArray:
        """Factor A by QR of its square root, which never forms A."""
        cones, scaling = self.program.cones, self.scaling
        # (I + 2 w w')^(1/2) = I + c w w' on each tail
        length = cones.norms(scaling.tail)
        factor = 2.0 / (np.sqrt(1.0 + 2.0 * length**2) + 1.0)
        along = np.repeat(factor * spikes.T, np.diff(cones.offsets), axis=1)
        roots = self.program.columns + along * scaling.tail
        roots *= cones.spread(np.sqrt(scaling.eta))
        scaled = self.scaled.scale(roots)
        stacked = np.vstack([scaled.T, np.eye(len(scaled))])
        order = np.argsort(-np.abs(stacked).max(axis=1), kind="stable")
        (triangle,) = linalg.qr(
            stacked[order], mode="r", overwrite_a=True, check_finite=False
        )
        upper: FloatArray = triangle[: len(scaled)]
        return upper

    def _solve(self, right: FloatArray) -> FloatArray:
        triangle, lower = self.factor
        solution: FloatArray = lapack.dpotrs(triangle, right, lower=lower)[0]
        return solution

    def _solve_with_intercept(
        self, right: FloatArray, total: float
    ) -> tuple[FloatArray, float]:
        """Solve A x + (R1) db = right with (R1)'x = total."""
        x = self._solve(right)
        if not self.program.has_intercept:
            return x, 0.0
        intercept = (self.ones @ x - total) / (self.ones @ self.solved_ones)
        return x - self.solved_ones * intercept, float(intercept)

    def direction(
        self,
        first: FloatArray,
        second: FloatArray,
        cone: Point,
        cone_utilities: FloatArray,
        n_refine: int,
    ) -> Direction:
        """Solve for the direction with the given right-hand sides (GAI-5).

        Parameters
        ----------
        first, second : ndarray of shape (n_rows,)
            Of a ds + s da = first and u dxi - xi da = second.
        cone : Point
            Of (dt, dv) + W^2 (0, dg) = cone.
        cone_utilities : ndarray of shape (n_items,)
            L times the tails of `cone`.
        n_refine : int
            Number of refinement steps.
        """
        program, iterate, slacks = self.program, self.iterate, self.slacks
        scaled_rows = self.roots * (first / iterate.rows - second / slacks.room)
        aimed = self.scaled.from_rows(scaled_rows)
        right = aimed - self.scaled.scale(cone_utilities)
        drift = -float(program.levels @ iterate.rows)
        x, intercept = self._solve_with_intercept(right, drift)
        # The kernel is enough for a first guess of df; the columns have more digits.
        gained = cone_utilities + self.kernel @ self.scaled.scale_back(x)
        cone_move, dual_tails = self._cone_move(cone, x)
        for _ in range(n_refine):
            gained = program.utilities(cone_move[1])
            residual = (aimed - x) - self.scaled.scale(gained + intercept)
            dx, di = self._solve_with_intercept(residual, drift - float(self.ones @ x))
            x, intercept = x + dx, intercept + di
            cone_move, dual_tails = self._cone_move(cone, x)
        if n_refine:
            gained = program.utilities(cone_move[1])
        # Through x, not as E (rho - Q df - h db): see RowScaling.
        rows = self.roots * (scaled_rows - self.scaled.to_rows(aimed - x))
        rows = self._keep_balance(rows, drift)
        excess = (second + iterate.excess * rows) / slacks.room
        slack = excess + program.evidence.differences(gained)
        slack += program.levels * intercept
        return Direction(rows, intercept, excess, cone_move, slack, dual_tails)

    def _cone_move(self, cone: Point, x: FloatArray) -> tuple[Point, FloatArray]:
        """Give (dt, dv) and dg that belong to a solution x."""
        dual_tails = -(self.scaled.scale_back(x) @ self.program.columns)
        heads, tails = self.scaling.square_of_tail(dual_tails)
        return (cone[0] - heads, cone[1] - tails), dual_tails

    def _keep_balance(self, rows: FloatArray, drift: float) -> FloatArray:
        """Correct da so that h'(a + da) = 0 to rounding."""
        if not self.program.has_intercept:
            return rows
        levels = self.program.levels
        weights = self.roots**2 * levels
        return rows + weights * (drift - levels @ rows) / (weights @ levels)
