"""Interior-point master of the margin program, in nature's form (PRL-3, PRL-5).

``min v  subject to  C'p <= v, sum(p) = 1, 0 <= p <= upper`` with multipliers q of the
columns, rho of the sum, z and xi of the two bounds. Every iterate is strictly feasible
on both sides, so it carries its gap, and columns can be added to a stopped master.

Why not a simplex method that starts from its last basis, such as HiGHS: with few
columns it takes 1.4 to 3 times as long, but with hundreds of dense ones more than 40.
"""

from typing import Any

import numpy as np

from penchant.rules.margin._newton import NewtonSystem, NotDefiniteError, Scratch
from penchant.rules.margin._point import Point
from penchant.rules.margin._weights import soft_margin
from penchant.typing import BoolArray, FloatArray

_STEP_SHARE = 0.99
"""Share of the way to the boundary that a step may go."""

_SHORT_STEP, _PATIENCE = 1e-3, 4
"""Steps that are too short, and how many in a row end the attempt."""

_LARGE = 400
"""Length of the shorter side from which single precision and correctors pay."""

_MAX_ERROR = 0.2
"""Relative error of a step in single precision that is still worth taking."""

_N_CORRECTORS = 3
"""Correctors cost products with C only: worth it where factorising is dear."""

_WORTHWHILE = 0.05
"""Gain of both step lengths together that keeps a corrector."""

_MAX_SHARE_OF_NEW = 0.2
"""Largest weight that new columns start with, all together."""


class MarginMaster:
    """A restricted margin program that is solved as far as asked, then extended.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        At least one; entries of about unit size. Not written to.
    upper : ndarray of shape (n_rows,)
        Bounds of p in (0, 1], of sum above 1.
    """

    def __init__(self, columns: FloatArray, upper: FloatArray) -> None:
        self._upper = upper
        # The order in memory does not matter; a copy would.
        whole = columns.flags.c_contiguous or columns.flags.f_contiguous
        self._store = columns.T if whole else np.ascontiguousarray(columns.T)
        self._n_columns = len(self._store)
        self._single: Any = None
        self._precise = not self._is_large
        self._scratch = Scratch()
        self._start()

    @property
    def columns(self) -> FloatArray:
        """The columns, one per line: shape (n_columns, n_rows)."""
        return self._store[: self._n_columns]

    @property
    def p(self) -> FloatArray:
        """Weights of the rows: strictly between the bounds, of sum 1."""
        return self._point.split(self._point.primal)[1]

    @property
    def q(self) -> FloatArray:
        """Weights of the columns: positive, of sum 1."""
        return self._point.split(self._point.dual)[0]

    @property
    def ceiling(self) -> float:
        """No column of the master pays more than this against p."""
        return self._point.v

    @property
    def gap(self) -> float:
        """Complementarity: bounds the distance of both sides to the optimum."""
        return float(self._point.primal @ self._point.dual)

    @property
    def _is_large(self) -> bool:
        return bool(min(self.columns.shape) >= _LARGE)

    def _start(self) -> None:
        k, upper = self._n_columns, self._upper
        p = upper / upper.sum()
        pay = self.columns @ p
        v = float(pay.max() + 0.05 * abs(pay.max()) + 1e-3)
        primal = np.concatenate([v - pay, p, upper - p])
        q = np.full(k, 1.0 / k)
        margins = q @ self.columns
        low, rho = soft_margin(margins, upper)
        z, xi = _central_bounds(margins - rho, upper, (v - low) / len(primal))
        dual = np.concatenate([q, z, xi])
        self._point = Point(v, rho, primal, dual, len(upper))

    def add(self, columns: FloatArray, bound: float) -> None:
        """Add columns whose payoff against p is at most bound; stay feasible."""
        gap, n_new, q, p = self.gap, columns.shape[1], self.q, self.p
        self._append(columns)
        pay = self.columns @ p
        v = float(max(pay.max(), bound) + 0.1 * gap)
        slacks = v - pay
        # On the central path weight times slack is the same for all columns.
        new = gap / (len(self._point.primal) + n_new) / slacks[-n_new:]
        share = min(new.sum(), _MAX_SHARE_OF_NEW)
        weights = np.concatenate([(1.0 - share) * q, new * (share / new.sum())])
        self._replace(v, slacks, weights)

    def keep(self, kept: BoolArray) -> None:
        """Drop the other columns; stay feasible."""
        slacks = self._point.split(self._point.primal)[0][kept]
        weights = self.q[kept] / self.q[kept].sum()
        self._store = self.columns[kept]
        self._n_columns = len(self._store)
        self._single, self._precise = None, not self._is_large
        self._replace(self._point.v, slacks, weights)

    def _replace(self, v: float, slacks: FloatArray, weights: FloatArray) -> None:
        """Give the columns new slacks and weights; z and xi follow their margins."""
        point = self._point
        (_, p, t), (_, z, xi) = point.split(point.primal), point.split(point.dual)
        excess = weights @ self.columns - point.rho - z + xi
        z, xi = z + np.maximum(excess, 0.0), xi + np.maximum(-excess, 0.0)
        primal, dual = np.concatenate([slacks, p, t]), np.concatenate([weights, z, xi])
        self._point = Point(v, point.rho, primal, dual, point.n_rows)

    def _append(self, columns: FloatArray) -> None:
        total = self._n_columns + columns.shape[1]
        if total > len(self._store):
            grown = np.empty((max(total, 3 * len(self._store) // 2), len(self.p)))
            grown[: self._n_columns] = self.columns
            self._store = grown
        self._store[self._n_columns : total] = columns.T
        self._n_columns = total
        self._single, self._precise = None, not self._is_large

    def solve(self, gap: float, max_iter: int = 60) -> tuple[int, bool]:
        """Go on until the complementarity gap is reached.

        Returns
        -------
        int
            Iterations done.
        bool
            Whether the gap was reached.
        """
        n_short = 0
        for n_iter in range(max_iter):
            if self.gap <= gap:
                return n_iter, True
            try:
                length = self._iterate()
            except NotDefiniteError:
                if self._precise:
                    return n_iter, False
                self._precise, self._single = True, None
                continue
            n_short = n_short + 1 if length < _SHORT_STEP else 0
            if n_short == _PATIENCE:
                return n_iter + 1, False
        return max_iter, self.gap <= gap

    def _iterate(self) -> float:
        """Take one step of predictor and correctors; return its shorter length."""
        point, products = self._point, self._point.products
        newton = _Newton(self.columns, self._working_columns(), point, self._scratch)
        guess = newton.step(-products)
        if not self._precise and newton.error(guess) > _MAX_ERROR:
            raise NotDefiniteError
        left = point.move(guess, point.reach(guess, 1.0)).products.sum()
        # Mehrotra: the more the guess reaches, the less the step is centred.
        gap = products.sum()
        centre = (left / gap) ** 3 * gap / products.size
        step = newton.step(centre - products - guess.products)
        step = self._correct(newton, step, centre)
        lengths = point.reach(step, _STEP_SHARE)
        self._point = point.move(step, lengths)
        return min(lengths)

    def _correct(self, newton: "_Newton", step: Point, centre: float) -> Point:
        """Bend the step towards the central path while that lengthens it (Gondzio)."""
        point = self._point
        lengths = point.reach(step, _STEP_SHARE)
        for _ in range(_N_CORRECTORS if self._is_large else 0):
            far, long = (min(1.0, 1.1 * length + 0.1) for length in lengths)
            wanted = point.excess(step, (far, long), centre)
            bent = step.move(newton.step(wanted, feasible=True), (1.0, 1.0))
            longer = point.reach(bent, _STEP_SHARE)
            if sum(longer) < sum(lengths) + _WORTHWHILE:
                break
            step, lengths = bent, longer
        return step

    def _working_columns(self) -> Any:
        """Return the columns in the precision of the Newton system."""
        if self._precise:
            return self.columns
        if self._single is None:
            self._single = self.columns.astype(np.float32)
        return self._single


class _Newton:
    """Steps from one iterate, for several targets of the products."""

    def __init__(
        self, columns: FloatArray, working: Any, point: Point, scratch: Scratch
    ) -> None:
        self._working, self._point = working, point
        s, p, t = point.split(point.primal)
        q, z, xi = point.split(point.dual)
        self._short_q, self._short_p = 1.0 - float(q.sum()), 1.0 - float(p.sum())
        self._residual_s = point.v - columns @ p - s
        self._residual_d = q @ columns - point.rho - z + xi
        self._system = NewtonSystem(working, q / s, 1.0 / (z / p + xi / t), scratch)

    def step(self, changes: FloatArray, *, feasible: bool = False) -> Point:
        """Change the products by the given amounts, to first order.

        Also removes what rounding took from feasibility, unless `feasible`.
        """
        point = self._point
        _, p, t = point.split(point.primal)
        q, z, xi = point.split(point.dual)
        c_q, c_p, c_t = point.split(changes)
        part = 0.0 if feasible else 1.0
        residual_s, residual_d = part * self._residual_s, part * self._residual_d
        dq, dp, dv, drho = self._system.solve(
            c_q / q - residual_s,
            c_p / p - c_t / t - residual_d,
            part * self._short_q,
            part * self._short_p,
        )
        ds = dv - self._working @ dp.astype(self._working.dtype) + residual_s
        dz, dxi = (c_p - z * dp) / p, (c_t + xi * dp) / t
        primal, dual = np.concatenate([ds, dp, -dp]), np.concatenate([dq, dz, dxi])
        return Point(dv, drho, primal, dual, point.n_rows)

    def error(self, step: Point) -> float:
        """Return by how much a step fails to remove the products, as a share of them.

        Of the equations that a step should satisfy only two can be wrong: that of q s,
        or that of the learner's margins, which z and xi pass on to the products.
        """
        point = self._point
        s, p, _ = point.split(point.primal)
        q, z, _ = point.split(point.dual)
        dq, dz, dxi = point.split(step.dual)
        wrong = q * point.split(step.primal)[0] + s * dq + q * s
        margins = dq.astype(self._working.dtype) @ self._working - step.rho
        lost = p * (margins - dz + dxi + self._residual_d)
        return max(_share(wrong, q * s), _share(lost, z * p))


def _share(part: FloatArray, whole: FloatArray) -> float:
    return float(np.linalg.norm(part) / np.linalg.norm(whole))


def _central_bounds(
    excess: FloatArray, upper: FloatArray, centre: float
) -> tuple[FloatArray, FloatArray]:
    """Split margins above rho into z - xi such that p z and t xi are near centre.

    Minimises ``p z + t xi - centre (log z + log xi)`` for p = t = upper / 2.
    """
    pull = upper * excess / 2.0
    root = np.hypot(pull, centre)
    return (centre + root + pull) / upper, (centre + root - pull) / upper
