"""Interior-point master of the margin program, in nature's form (PRL-3, PRL-5).

``min v  subject to  C'p <= v, sum(p) = 1, 0 <= p <= upper`` with multipliers q of the
columns, rho of the sum, z and xi of the two bounds. Every iterate is strictly feasible
on both sides, so it carries its gap, and columns can be added to a stopped master.

Why not a simplex method that starts from its last basis, such as HiGHS: with few
columns it takes 1.4 to 3 times as long, but with hundreds of dense ones more than 40.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.linalg import blas, lapack

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
"""Correctors cost products with C only: worth it where factorising is expensive."""

_WORTHWHILE = 0.05
"""Gain of both step lengths together that keeps a corrector."""

_MAX_SHARE_OF_NEW = 0.2
"""Largest weight that new columns start with, all together."""

_SPREAD = 10.0
"""Products within this factor of the centre count as central."""

Lengths: TypeAlias = tuple[float, float]
"""How far the two sides go along a step."""


class NotDefiniteError(ArithmeticError):
    """Rounding has spoilt the factorisation: no more digits in this precision."""


@dataclass(eq=False)
class Point:
    """Nature's side and the learner's, or a step of both.

    Each slack of nature has a multiplier of the learner at the same place, so that
    ``primal * dual`` are the products that are all equal on the central path.

    Parameters
    ----------
    v, rho : float
        Nature's value and the learner's margin.
    primal : ndarray of shape (n_columns + 2 n_rows,)
        The slacks s = v - C'p, the weights p, and t = upper - p, one after the other.
    dual : ndarray of shape (n_columns + 2 n_rows,)
        The weights q of the columns, then z and xi with z - xi = Cq - rho.
    n_rows : int
    """

    v: float
    rho: float
    primal: FloatArray
    dual: FloatArray
    n_rows: int

    def split(self, values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Give views of the parts for columns, rows from below and from above."""
        k, n = len(values) - 2 * self.n_rows, self.n_rows
        return values[:k], values[k : k + n], values[k + n :]

    @property
    def products(self) -> FloatArray:
        """Slacks times multipliers; of a step, what products gain to second order."""
        return self.primal * self.dual

    def move(self, step: "Point", lengths: Lengths) -> "Point":
        """Go along a step, each side as far as its length says."""
        far, long = lengths
        return Point(
            self.v + far * step.v,
            self.rho + long * step.rho,
            self.primal + far * step.primal,
            self.dual + long * step.dual,
            self.n_rows,
        )

    def reach(self, step: "Point", share: float) -> Lengths:
        """Give how far each side may go: a share of the way to 0, at most 1."""
        falls = (
            float((step.primal / self.primal).min()),
            float((step.dual / self.dual).min()),
        )
        far, long = (
            min(1.0, share * (-1.0 / fall)) if fall < 0.0 else 1.0 for fall in falls
        )
        return far, long

    def excess(self, step: "Point", lengths: Lengths, centre: float) -> FloatArray:
        """Give changes that would bring far products near the centre after a step."""
        ahead = self.move(step, lengths).products
        low, high = centre / _SPREAD, centre * _SPREAD
        changes: FloatArray = np.maximum(np.clip(ahead, low, high) - ahead, -high)
        return changes


class MarginMaster:
    """A restricted margin program that is solved as far as asked, then extended.

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
        self._scratch: dict[str, Any] = {}
        self._use(len(self._store))
        p = upper / upper.sum()
        pay = self.columns @ p
        # Above the largest payoff, so that all slacks are positive from the start.
        v = float(pay.max() + 0.05 * abs(pay.max()) + 1e-3)
        primal = np.concatenate([v - pay, p, upper - p])
        q = np.full(len(self.columns), 1.0 / len(self.columns))
        margins = q @ self.columns
        low, rho = soft_margin(margins, upper)
        # Split margins above rho into z - xi such that p z and t xi are near the
        # centre: the minimum of p z + t xi - centre (log z + log xi), p = t = upper/2.
        centre = (v - low) / len(primal)
        pull = upper * (margins - rho) / 2.0
        root = np.hypot(pull, centre)
        z, xi = (centre + root + pull) / upper, (centre + root - pull) / upper
        self._go_to(Point(v, rho, primal, np.concatenate([q, z, xi]), len(upper)))

    def _use(self, n_columns: int) -> None:
        """Work with the first columns of the store."""
        self.columns = self._store[:n_columns]
        self._is_large = min(self.columns.shape) >= _LARGE
        self._single: Any = None
        self._precise = not self._is_large

    def _go_to(self, point: Point) -> None:
        self._point, self.ceiling = point, point.v
        self.p, self.q = point.split(point.primal)[1], point.split(point.dual)[0]
        self.gap = float(point.primal @ point.dual)

    def add(self, columns: FloatArray, bound: float) -> None:
        """Add columns whose payoff against p is at most bound; stay feasible."""
        n_old, n_new = len(self.columns), columns.shape[1]
        if n_old + n_new > len(self._store):
            # Half as much again, so that few additions copy what is there.
            n_lines = max(n_old + n_new, 3 * len(self._store) // 2)
            self._store = np.empty((n_lines, len(self.p)))
            self._store[:n_old] = self.columns
        self._store[n_old : n_old + n_new] = columns.T
        self._use(n_old + n_new)
        pay = self.columns @ self.p
        v = float(max(pay.max(), bound) + 0.1 * self.gap)
        slacks = v - pay
        # On the central path weight times slack is the same for all columns.
        new = self.gap / (len(self._point.primal) + n_new) / slacks[-n_new:]
        share = min(new.sum(), _MAX_SHARE_OF_NEW)
        weights = np.concatenate([(1.0 - share) * self.q, new * (share / new.sum())])
        self._replace(v, slacks, weights)

    def keep(self, kept: BoolArray) -> None:
        """Drop the other columns; stay feasible."""
        slacks = self._point.split(self._point.primal)[0][kept]
        weights = self.q[kept] / self.q[kept].sum()
        self._store = self.columns[kept]
        self._use(len(self._store))
        self._replace(self.ceiling, slacks, weights)

    def _replace(self, v: float, slacks: FloatArray, weights: FloatArray) -> None:
        """Give the columns new slacks and weights; z and xi follow their margins."""
        point = self._point
        (_, p, t), (_, z, xi) = point.split(point.primal), point.split(point.dual)
        excess = weights @ self.columns - point.rho - z + xi
        z, xi = z + np.maximum(excess, 0.0), xi + np.maximum(-excess, 0.0)
        primal, dual = np.concatenate([slacks, p, t]), np.concatenate([weights, z, xi])
        self._go_to(Point(v, point.rho, primal, dual, point.n_rows))

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
                # Single precision has run out of digits: go on from here in double.
                self._precise, self._single = True, None
                continue
            n_short = n_short + 1 if length < _SHORT_STEP else 0
            if n_short == _PATIENCE:
                return n_iter + 1, False
        return max_iter, self.gap <= gap

    def _iterate(self) -> float:
        """Take one step of predictor and correctors; return its shorter length."""
        point, products = self._point, self._point.products
        if not self._precise and self._single is None:
            self._single = self.columns.astype(np.float32)
        working = self.columns if self._precise else self._single
        newton = _Newton(self.columns, working, point, self._scratch)
        guess = newton.step(-products)
        if not self._precise and newton.error(guess) > _MAX_ERROR:
            raise NotDefiniteError
        left = point.move(guess, point.reach(guess, 1.0)).products.sum()
        # Mehrotra: the more the guess reaches, the less the step is centred.
        gap = products.sum()
        centre = (left / gap) ** 3 * gap / products.size
        step = newton.step(centre - products - guess.products)
        if self._is_large:
            step = self._correct(newton, step, centre)
        lengths = point.reach(step, _STEP_SHARE)
        self._go_to(point.move(step, lengths))
        return min(lengths)

    def _correct(self, newton: "_Newton", step: Point, centre: float) -> Point:
        """Bend the step towards the central path while that lengthens it (Gondzio)."""
        point = self._point
        lengths = point.reach(step, _STEP_SHARE)
        for _ in range(_N_CORRECTORS):
            far, long = (min(1.0, 1.1 * length + 0.1) for length in lengths)
            wanted = point.excess(step, (far, long), centre)
            bent = step.move(newton.step(wanted, feasible=True), (1.0, 1.0))
            longer = point.reach(bent, _STEP_SHARE)
            if sum(longer) < sum(lengths) + _WORTHWHILE:
                break
            step, lengths = bent, longer
        return step


class _Newton:
    """Steps from one iterate, for several targets of the products."""

    def __init__(
        self, columns: FloatArray, working: Any, point: Point, scratch: dict[str, Any]
    ) -> None:
        self._working, self._point = working, point
        s, p, t = point.split(point.primal)
        q, z, xi = point.split(point.dual)
        self._short_q, self._short_p = 1.0 - float(q.sum()), 1.0 - float(p.sum())
        self._residual_s = point.v - columns @ p - s
        self._residual_d = q @ columns - point.rho - z + xi
        self._system = _System(working, q / s, 1.0 / (z / p + xi / t), scratch)

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


class _System:
    """The Newton equations for the weights of columns and rows (PRL-5).

    With payoffs ``C`` (rows by columns) the unknowns satisfy

    - ``dq / w - C'dp + dv = g``
    - ``C dq + dp / theta - drho = h``
    - ``sum(dq) = r_q`` and ``sum(dp) = r_p``.

    Eliminating the longer of dq and dp leaves a symmetric positive definite system of
    the size of the shorter; exchanging the players exchanges the two forms. Cost: the
    length of the longer side times the square of the shorter.

    Parameters
    ----------
    columns : ndarray of shape (n_columns, n_rows)
        C', one column of the game after the other. Its type sets the precision of the
        factorisation; in single precision the equations hold to a few digits.
    w : ndarray of shape (n_columns,)
        Positive.
    theta : ndarray of shape (n_rows,)
        Positive.
    scratch : dict
        Memory, see `_borrow`; held until the next system is made with it.
    """

    def __init__(
        self, columns: Any, w: FloatArray, theta: FloatArray, scratch: dict[str, Any]
    ) -> None:
        self._exchanged = len(w) > len(theta)
        if self._exchanged:
            columns, w, theta = columns.T, theta, w
        self._A, self._theta, self._total = columns, theta, theta.sum()
        # Scaled by its root on both sides the matrix is I plus a positive part: its
        # eigenvalues are at least 1, however small the weights become.
        self._root = np.sqrt(w)
        self._pull = self._times(theta)
        matrix = self._matrix(scratch)
        cholesky = lapack.spotrf if matrix.dtype == np.float32 else lapack.dpotrf
        self._factor, failed = cholesky(matrix.T, overwrite_a=True, clean=False)
        if failed:
            raise NotDefiniteError
        self._unit = self._apply(np.ones(len(w)))

    def _times(self, y: FloatArray) -> FloatArray:
        product: FloatArray = (self._A @ y.astype(self._A.dtype)).astype(np.float64)
        return product

    def _matrix(self, scratch: dict[str, Any]) -> Any:
        """Return I + R (A D A' + weight 11') R, D the centred theta, R the root of w.

        Near a vertex only the sum of x fixes it, so that row is added, squared.
        """
        A, dtype, root = self._A, self._A.dtype, self._root.astype(self._A.dtype)
        # Centred first: subtracting the squared mean afterwards would lose digits.
        centre = (self._pull / self._total).astype(dtype)
        # In the order of A, since numpy multiplies the other one more slowly.
        lines = A if A.flags.c_contiguous else A.T
        scaled = _borrow(scratch, "scaled", lines.shape, dtype)
        scaled = scaled if lines is A else scaled.T
        np.subtract(A, centre[:, None], out=scaled)
        scaled *= np.sqrt(self._theta).astype(dtype)
        matrix = _borrow(scratch, "matrix", (len(root), len(root)), dtype)
        np.matmul(scaled, scaled.T, out=matrix)
        self._weight = float(matrix.trace()) / len(root)
        matrix += dtype.type(self._weight)
        matrix *= root
        matrix *= root[:, None]
        matrix.flat[:: len(root) + 1] += 1.0
        return matrix

    def _apply(self, b: FloatArray) -> FloatArray:
        is_single = self._factor.dtype == np.float32
        solve = blas.strsv if is_single else blas.dtrsv  # dpotrs is slow for a vector
        solution = solve(self._factor, solve(self._factor, self._root * b, trans=1))
        x: FloatArray = self._root * solution
        return x

    def solve(
        self, g: FloatArray, h: FloatArray, r_q: float, r_p: float
    ) -> tuple[FloatArray, FloatArray, float, float]:
        """Return dq, dp, dv and drho."""
        if self._exchanged:
            g, h, r_q, r_p = h, -g, r_p, -r_q
        weighted = self._theta * h
        missing = r_p - weighted.sum()
        b = g + self._times(weighted) + self._pull * (missing / self._total)
        x = self._apply(b + self._weight * r_q)
        alpha = float((x.sum() - r_q) / self._unit.sum())
        x -= alpha * self._unit
        beta = float((missing + self._pull @ x) / self._total)
        pay = (x.astype(self._A.dtype) @ self._A).astype(np.float64)
        y = weighted + self._theta * (beta - pay)
        return (-y, x, beta, -alpha) if self._exchanged else (x, y, alpha, beta)


def _borrow(
    scratch: dict[str, Any], name: str, shape: tuple[int, int], dtype: Any
) -> Any:
    """Return an array with arbitrary content, in memory that is used again and again.

    New large arrays would cost as much as filling them. One array at a time for each
    name.
    """
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    if name not in scratch or len(scratch[name]) < size:
        scratch[name] = np.empty(size + size // 2, dtype=np.uint8)
    return scratch[name][:size].view(dtype).reshape(shape)
