"""A margin program with some columns: interior points, or a vertex (PRL-3, PRL-5).

Nature's form is ``min v  subject to  C'p <= v, sum(p) = 1, 0 <= p <= upper``, with
multipliers q of the columns, rho of the sum, z and xi of the two bounds. Every iterate
is strictly feasible on both sides, so it carries its gap, and columns can be added to a
stopped master.

Why not a simplex method that starts from its last basis, such as HiGHS: with few
columns it takes 1.4 to 3 times as long, but with hundreds of dense ones more than 40.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import blas, lapack
from scipy.optimize import linprog

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
"""Correctors cost products with C only: worth it where factorising is expensive."""

_WORTHWHILE = 0.05
"""Gain of both step lengths together that keeps a corrector."""

_MAX_SHARE_OF_NEW = 0.2
"""Largest weight that new columns start with, all together."""

_SPREAD = 10.0
"""Products within this factor of the centre count as central."""


class NotDefiniteError(ArithmeticError):
    """Rounding has spoilt the factorisation: no more digits in this precision."""


class MarginMaster:
    """A restricted margin program that is solved as far as asked, then extended.

    An iterate, or a step, is a table of two lines: nature's v, the slacks s = v - C'p,
    the weights p and t = upper - p; and the learner's rho, the weights q of the
    columns, z and xi with z - xi = Cq - rho. Each slack has its multiplier below it, so
    that the products of the lines (but for the first entry) are all equal on the
    central path.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
        At least one; entries of about unit size. Not written to.
    upper : ndarray of shape (n_rows,)
        Bounds of p in (0, 1], of sum above 1.

    Attributes
    ----------
    columns : ndarray of shape (n_columns, n_rows)
        The columns, one per line.
    p : ndarray of shape (n_rows,)
        Weights of the rows: strictly between the bounds, of sum 1.
    q : ndarray of shape (n_columns,)
        Weights of the columns: positive, of sum 1.
    ceiling : float
        No column of the master pays more than this against p.
    gap : float
        Complementarity: bounds the distance of both sides to the optimum.
    """

    def __init__(self, columns: FloatArray, upper: FloatArray) -> None:
        # The order in memory does not matter; a copy would.
        whole = columns.flags.c_contiguous or columns.flags.f_contiguous
        self._store = columns.T if whole else np.ascontiguousarray(columns.T)
        p, n_columns = upper / upper.sum(), len(self._store)
        pay = self._store @ p
        # Above the largest payoff, so that all slacks are positive from the start.
        v = float(pay.max() + 0.05 * abs(pay.max()) + 1e-3)
        q = np.full(n_columns, 1.0 / n_columns)
        margins = q @ self._store
        low, rho = soft_margin(margins, upper)
        # Split margins above rho into z - xi such that p z and t xi are near the
        # centre: the minimum of p z + t xi - centre (log z + log xi), p = t = upper/2.
        centre = (v - low) / (n_columns + 2 * len(upper))
        pull = upper * (margins - rho) / 2.0
        root = np.hypot(pull, centre)
        z, xi = (centre + root + pull) / upper, (centre + root - pull) / upper
        self._begin((v, v - pay, p, upper - p), (rho, q, z, xi))

    def _begin(self, nature: tuple[Any, ...], learner: tuple[Any, ...]) -> None:
        """Start with the first columns of the store, as many as there are slacks."""
        self.columns = self._store[: len(nature[1])]
        self._is_large = min(self.columns.shape) >= _LARGE
        # Half the digits cost half the time, and suffice until near the end.
        self._working: Any = (
            self.columns.astype(np.float32) if self._is_large else self.columns
        )
        self._go_to(np.array([np.hstack(nature), np.hstack(learner)]))

    def _go_to(self, point: FloatArray) -> None:
        self._point, self.ceiling = point, float(point[0, 0])
        k = len(self.columns)
        self.p, self.q = (
            point[0, 1 + k : 1 + k + self.columns.shape[1]],
            point[1, 1 : 1 + k],
        )
        self.gap = float(point[0, 1:] @ point[1, 1:])

    def add(self, columns: FloatArray, bound: float) -> None:
        """Add columns whose payoff against p is at most bound; stay feasible."""
        n_old, n_new = len(self.columns), columns.shape[1]
        if n_old + n_new > len(self._store):
            # Half as much again, so that few additions copy what is there.
            n_lines = max(n_old + n_new, 3 * len(self._store) // 2)
            self._store = np.empty((n_lines, len(self.p)))
            self._store[:n_old] = self.columns
        self._store[n_old : n_old + n_new] = columns.T
        pay = self._store[: n_old + n_new] @ self.p
        v = float(max(pay.max(), bound) + 0.1 * self.gap)
        slacks = v - pay
        # On the central path weight times slack is the same for all columns.
        new = self.gap / (self._point.shape[1] - 1 + n_new) / slacks[-n_new:]
        share = min(new.sum(), _MAX_SHARE_OF_NEW)
        weights = np.concatenate([(1.0 - share) * self.q, new * (share / new.sum())])
        self._replace(v, slacks, weights)

    def keep(self, kept: BoolArray) -> None:
        """Drop the other columns; stay feasible."""
        slacks = self._point[0, 1 : 1 + len(kept)][kept]
        weights = self.q[kept] / self.q[kept].sum()
        self._store = self.columns[kept]
        self._replace(self.ceiling, slacks, weights)

    def _replace(self, v: float, slacks: FloatArray, weights: FloatArray) -> None:
        """Give the columns new slacks and weights; z and xi follow their margins."""
        p, t = np.split(self._point[0, 1 + len(self.q) :], 2)
        z, xi = np.split(self._point[1, 1 + len(self.q) :], 2)
        rho = self._point[1, 0]
        # Margins move with the weights: what they gain goes to z, what they lose to xi,
        # so that both stay positive.
        excess = weights @ self._store[: len(weights)] - rho - z + xi
        z, xi = z + np.maximum(excess, 0.0), xi + np.maximum(-excess, 0.0)
        self._begin((v, slacks, p, t), (rho, weights, z, xi))

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
                if self._working is self.columns:
                    return n_iter, False
                # Single precision has run out of digits: go on from here in double.
                self._working = self.columns
                continue
            n_short = n_short + 1 if length < _SHORT_STEP else 0
            if n_short == _PATIENCE:
                return n_iter + 1, False
        return max_iter, self.gap <= gap

    def _iterate(self) -> float:
        """Take one step of predictor and correctors; return its shorter length."""
        point = self._point
        products = point[0, 1:] * point[1, 1:]
        newton = _Newton(self.columns, self._working, point)
        guess = newton.step(-products)
        if self._working is not self.columns and newton.error(guess) > _MAX_ERROR:
            raise NotDefiniteError
        # Mehrotra: the more the guess reaches, the less the step is centred, and what
        # it would change to second order is taken off beforehand.
        ahead = point + _reach(point, guess, 1.0) * guess
        gap = products.sum()
        centre = ((ahead[0, 1:] * ahead[1, 1:]).sum() / gap) ** 3 * gap / products.size
        step = newton.step(centre - products - guess[0, 1:] * guess[1, 1:])
        if self._is_large:
            step = self._correct(newton, step, centre)
        lengths = _reach(point, step, _STEP_SHARE)
        self._go_to(point + lengths * step)
        return float(lengths.min())

    def _correct(
        self, newton: "_Newton", step: FloatArray, centre: float
    ) -> FloatArray:
        """Bend the step towards the central path while that lengthens it (Gondzio)."""
        point, low, high = self._point, centre / _SPREAD, centre * _SPREAD
        lengths = _reach(point, step, _STEP_SHARE)
        for _ in range(_N_CORRECTORS):
            ahead = point + np.minimum(1.0, 1.1 * lengths + 0.1) * step
            products = ahead[0, 1:] * ahead[1, 1:]
            wanted = np.maximum(np.clip(products, low, high) - products, -high)
            bent = step + newton.step(wanted, feasible=True)
            longer = _reach(point, bent, _STEP_SHARE)
            if longer.sum() < lengths.sum() + _WORTHWHILE:
                break
            step, lengths = bent, longer
        return step


def _reach(point: FloatArray, step: FloatArray, share: float) -> FloatArray:
    """Give how far each side may go: a share of the way to 0, at most 1."""
    falls = (step[:, 1:] / point[:, 1:]).min(axis=1)
    reach = [min(1.0, share * (-1.0 / fall)) if fall < 0.0 else 1.0 for fall in falls]
    return np.array(reach)[:, None]


class _Newton:
    """Steps from one iterate, for several targets of the products (PRL-5).

    With w = q / s and 1 / theta = z / p + xi / t the unknowns satisfy

    - ``dq / w - C'dp + dv = g``
    - ``C dq + dp / theta - drho = h``
    - ``sum(dq) = r_q`` and ``sum(dp) = r_p``.

    Eliminating the longer of dq and dp leaves a symmetric positive definite system of
    the size of the shorter; exchanging the players exchanges the two forms. Cost: the
    length of the longer side times the square of the shorter.

    Parameters
    ----------
    columns : ndarray of shape (n_columns, n_rows)
        C', one column of the game after the other.
    working : ndarray of shape (n_columns, n_rows)
        The same in the precision of the factorisation; in single precision the
        equations hold to a few digits.
    point : ndarray of shape (2, 1 + n_columns + 2 n_rows)
    """

    def __init__(self, columns: FloatArray, working: Any, point: FloatArray) -> None:
        self._working, self._point = working, point
        self._ends = [len(columns), len(columns) + columns.shape[1]]
        (s, p, t), (q, z, xi) = (np.split(line[1:], self._ends) for line in point)
        # What rounding took from feasibility.
        self._short_q, self._short_p = 1.0 - float(q.sum()), 1.0 - float(p.sum())
        self._residual_s = point[0, 0] - columns @ p - s
        self._residual_d = q @ columns - point[1, 0] - z + xi
        w, theta = q / s, 1.0 / (z / p + xi / t)
        self._exchanged = len(w) > len(theta)
        if self._exchanged:
            working, w, theta = working.T, theta, w
        self._A, self._theta, self._total = working, theta, theta.sum()
        # Scaled by its root on both sides the matrix is I plus a positive part: its
        # eigenvalues are at least 1, however small the weights become.
        self._root = np.sqrt(w)
        self._pull = (working @ theta.astype(working.dtype)).astype(np.float64)
        self._factorise()
        self._unit = self._apply(np.ones(len(w)))

    def _factorise(self) -> None:
        """Factorise I + R (A D A' + weight 11') R, D the centred theta, R the root.

        Near a vertex only the sum of x fixes it, so that row is added, squared.
        """
        A, dtype, root = self._A, self._A.dtype, self._root.astype(self._A.dtype)
        # Centred first: subtracting the squared mean afterwards would lose digits.
        scaled = A - (self._pull / self._total).astype(dtype)[:, None]
        scaled *= np.sqrt(self._theta).astype(dtype)
        matrix = scaled @ scaled.T
        self._weight = float(matrix.trace()) / len(root)
        matrix += dtype.type(self._weight)
        matrix *= root
        matrix *= root[:, None]
        matrix.flat[:: len(root) + 1] += 1.0
        cholesky = lapack.spotrf if dtype == np.float32 else lapack.dpotrf
        self._factor, failed = cholesky(matrix.T, overwrite_a=True, clean=False)
        if failed:
            raise NotDefiniteError

    def _apply(self, b: FloatArray) -> FloatArray:
        is_single = self._factor.dtype == np.float32
        solve = blas.strsv if is_single else blas.dtrsv  # dpotrs is slow for a vector
        solution = solve(self._factor, solve(self._factor, self._root * b, trans=1))
        return self._root * solution

    def step(self, changes: FloatArray, *, feasible: bool = False) -> FloatArray:
        """Change the products by the given amounts, to first order.

        Also removes what rounding took from feasibility, unless `feasible`.
        """
        (_, p, t), (q, z, xi) = (np.split(line[1:], self._ends) for line in self._point)
        c_q, c_p, c_t = np.split(changes, self._ends)
        part = 0.0 if feasible else 1.0
        residual_s, residual_d = part * self._residual_s, part * self._residual_d
        dq, dp, dv, drho = self._solve(
            c_q / q - residual_s,
            c_p / p - c_t / t - residual_d,
            part * self._short_q,
            part * self._short_p,
        )
        ds = dv - self._working @ dp.astype(self._working.dtype) + residual_s
        dz, dxi = (c_p - z * dp) / p, (c_t + xi * dp) / t
        return np.array([np.hstack([dv, ds, dp, -dp]), np.hstack([drho, dq, dz, dxi])])

    def _solve(
        self, g: FloatArray, h: FloatArray, r_q: float, r_p: float
    ) -> tuple[FloatArray, FloatArray, float, float]:
        """Return dq, dp, dv and drho."""
        if self._exchanged:
            g, h, r_q, r_p = h, -g, r_p, -r_q
        weighted = self._theta * h
        missing = r_p - weighted.sum()
        pulled = (self._A @ weighted.astype(self._A.dtype)).astype(np.float64)
        b = g + pulled + self._pull * (missing / self._total)
        x = self._apply(b + self._weight * r_q)
        alpha = float((x.sum() - r_q) / self._unit.sum())
        x -= alpha * self._unit
        beta = float((missing + self._pull @ x) / self._total)
        pay = (x.astype(self._A.dtype) @ self._A).astype(np.float64)
        y = weighted + self._theta * (beta - pay)
        return (-y, x, beta, -alpha) if self._exchanged else (x, y, alpha, beta)

    def error(self, step: FloatArray) -> float:
        """Return by how much a step fails to remove the products, as a share of them.

        Of the equations that a step should satisfy only two can be wrong: that of q s,
        or that of the learner's margins, which z and xi pass on to the products.
        """
        (s, p, _), (q, z, _) = (np.split(line[1:], self._ends) for line in self._point)
        (ds, _, _), (dq, dz, dxi) = (np.split(line[1:], self._ends) for line in step)
        margins = dq.astype(self._working.dtype) @ self._working - step[1, 0]
        lost = p * (margins - dz + dxi + self._residual_d)
        shares = (
            np.linalg.norm(part) / np.linalg.norm(whole)
            for part, whole in ((q * ds + s * dq + q * s, q * s), (lost, z * p))
        )
        return float(max(shares))


def soft_margin(margins: FloatArray, upper: FloatArray) -> tuple[float, float]:
    """Find the best soft margin for given margins of the rows (PRL-3).

    It is ``max over rho of rho - sum(upper * max(rho - margins, 0))``, or nature's
    ``min p @ margins subject to 0 <= p <= upper, sum(p) = 1``. Cost: one sort.

    Parameters
    ----------
    margins : ndarray of shape (n_rows,)
    upper : ndarray of shape (n_rows,)
        Not negative, of sum at least 1.

    Returns
    -------
    float
        The soft margin: a lower bound of the program's value.
    float
        The rho that attains it.
    """
    order = np.argsort(margins)
    # Nature fills the rows of the smallest margins up to their bounds, until her
    # weights add up to 1; the margin of the last of these rows is rho.
    filled = np.cumsum(upper[order])
    last = min(int(np.searchsorted(filled, 1.0)), len(order) - 1)
    rho = float(margins[order[last]])
    return rho - float(upper @ np.maximum(rho - margins, 0.0)), rho


class Vertex(NamedTuple):
    """An exact solution: weights of the columns and of the rows."""

    weights: FloatArray
    p: FloatArray
    n_iter: int


def simplex(columns: Any, upper: FloatArray, max_iter: int) -> Vertex | None:
    """Solve ``min v subject to C'p <= v, sum(p) = 1, 0 <= p <= upper`` at a vertex.

    The basis has the size of the columns, not of the rows (PRL-5).

    Parameters
    ----------
    columns : ndarray or sparse array of shape (n_columns, n_rows)
        C', one column after the other.
    upper : ndarray of shape (n_rows,)
    max_iter : int
        Largest number of pivots.

    Returns
    -------
    Vertex or None
        None if the pivots did not suffice.
    """
    k, n = columns.shape
    stack = sparse.hstack if sparse.issparse(columns) else np.hstack
    result = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=stack([columns, np.full((k, 1), -1.0)]),
        b_ub=np.zeros(k),
        A_eq=np.append(np.ones(n), 0.0)[None],
        b_eq=[1.0],
        bounds=np.vstack([np.c_[np.zeros(n), upper], [[-np.inf, np.inf]]]),
        method="highs-ds",
        options={"maxiter": max_iter},
    )
    if result.status != 0:
        return None
    # Rounding leaves entries of size 1e-17 on either side of 0.
    weights = np.maximum(-result.ineqlin.marginals, 0.0)
    p = np.clip(result.x[:-1], 0.0, upper)
    return Vertex(weights / weights.sum(), p / p.sum(), int(result.nit))
