"""Primal-dual interior point for convex losses over a cone, with a rigorous gap."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from penchant._progress import Progress
from penchant.choquet.solver._losses import Loss
from penchant.typing import FloatArray, IntArray

_TO_BOUNDARY = 0.995  # share of the way to the boundary that one step may go
_MAX_HALVINGS = 12
_TINY_VALUE = 1e-9  # smaller values measure their relative gap against this
_TOO_FAR_AHEAD = 1e-6  # complementarity relative to the stationarity residual
_NEAR_ENOUGH = 0.01  # stationarity residual relative to complementarity
_EXHAUSTED = 1e-15  # complementarity, relative to the value, at rounding level
_LIFTS = (0.0, 1e-14, 1e-13, 1e-12, 1e-10)


@dataclass(frozen=True)
class ConeModel:
    r"""Scores t = A x + b_group, cone C x >= 0 and penalty alpha / 2 ||S x||^2.

    Attributes
    ----------
    design : ndarray of shape (n_rows, n_weights)
        A.
    alpha : float
        Strength of the penalty, > 0.
    start : ndarray of shape (n_weights,)
        A point strictly inside the cone.
    rows : ndarray of shape (n_constraints, n_weights) or None
        C; None: the identity, weights >= 0. No rows: no constraint.
    spread : ndarray of shape (n_coefficients, n_weights) or None
        S; None: the identity. Where given, its columns add up to 1 and rows is None.
    groups : ndarray of shape (n_rows,) or None
        The intercept that each row has; None: no intercepts.
    total : float or None
        What the weights must add up to; None: anything.
    """

    design: FloatArray
    alpha: float
    start: FloatArray
    rows: FloatArray | None = None
    spread: FloatArray | None = None
    groups: IntArray | None = None
    total: float | None = None


@dataclass(frozen=True)
class ConeFit:
    """Result of `minimize_over_cone`; primal and dual bound the optimum.

    Attributes
    ----------
    weights : ndarray of shape (n_weights,)
        x, strictly inside the cone.
    intercepts : ndarray of shape (n_groups,)
        b.
    primal, dual : float
        Objective at x, and a lower bound of the optimum.
    status : str
        "optimal" when primal - dual is within the tolerance, else "stopped".
    n_iter : int
        Interior-point steps.
    """

    weights: FloatArray
    intercepts: FloatArray
    primal: float
    dual: float
    status: str = "stopped"
    n_iter: int = 0


def minimize_over_cone(
    loss: Loss,
    model: ConeModel,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    progress: Progress | None = None,
) -> ConeFit:
    """Minimise loss(A x + b) + alpha / 2 ||S x||^2 over C x >= 0.

    Mehrotra's predictor and corrector; every iterate is strictly feasible, so the
    primal value is an upper bound, and the dual value is that of a feasible dual
    point, so that their difference is a certificate whatever the rounding. A step
    costs a Cholesky factor of n_weights^2, or of n_rows^2 where that is smaller and
    both cone and penalty are plain.

    Parameters
    ----------
    loss : Loss
        Loss of the scores, one per row of the design.
    model : ConeModel
        Scores, cone and penalty.
    tol : float, default=1e-8
        Largest gap, relative to the primal value.
    max_iter : int, default=100
        Largest number of steps.
    progress : Progress or None, default=None
        Told of each step; when its time is over, this ends after one more.

    Returns
    -------
    ConeFit
        Best point met, by its primal value, and the best lower bound.
    """
    solver = _InteriorPoint(loss, model)
    best = solver.snapshot()
    while not is_within(best, tol) and best.n_iter < max_iter and solver.step():
        now = solver.snapshot()
        gap = best.primal - best.dual
        lower = max(best.dual, now.dual)
        point = now if now.primal <= best.primal else best
        best = replace(point, dual=lower, n_iter=best.n_iter + 1)
        if solver.is_exhausted() and best.primal - best.dual > gap / 2:
            break
        if progress is not None and not progress.step(gap=relative_gap(best)):
            break
    return replace(best, status="optimal" if is_within(best, tol) else "stopped")


def is_within(fit: ConeFit, tol: float) -> bool:
    """Tell whether the gap is at most tol, relative to the primal value."""
    return relative_gap(fit) <= tol


def relative_gap(fit: ConeFit) -> float:
    """Give the gap relative to the primal value."""
    return (fit.primal - fit.dual) / max(abs(fit.primal), _TINY_VALUE)


class _ScaledCholesky:
    """Cholesky factor of a matrix scaled to a unit diagonal, lifted when singular.

    Near the optimum the entries span twenty orders of magnitude.
    """

    def __init__(self, matrix: FloatArray) -> None:
        self.scale = 1 / np.sqrt(np.diag(matrix))
        matrix *= self.scale
        matrix *= self.scale[:, np.newaxis]
        for lift in _LIFTS:
            lifted = matrix.copy()
            lifted[np.diag_indices_from(lifted)] += lift
            try:
                self.factor = cho_factor(lifted, overwrite_a=True, check_finite=False)
            except np.linalg.LinAlgError:
                continue
            return
        raise np.linalg.LinAlgError("not positive definite")

    def solve(self, right: FloatArray) -> FloatArray:
        """Solve for one right-hand side."""
        scaled = cho_solve(self.factor, self.scale * right, check_finite=False)
        return self.scale * scaled


class _InteriorPoint:
    """The iterate: x, slack s = C x, multiplier of s, intercepts, loss slacks."""

    def __init__(self, loss: Loss, model: ConeModel) -> None:
        self.loss, self.model = loss, model
        self.penalty = None if model.spread is None else model.spread.T @ model.spread
        groups = model.groups
        self.n_groups = 0 if groups is None else int(groups.max()) + 1
        self.x = np.array(model.start, dtype=np.float64)
        self.b = np.zeros(self.n_groups)
        self.nu = 0.0
        self.t = self._scores(self.x, self.b)
        loss.start(self.t)
        self.s = self._cone(self.x)
        self.n_pairs = loss.n_pairs + self.s.size
        # All products s * multiplier are equal: the start is on the central path.
        scale = 1.0 / max(self.n_pairs, 1)
        self.multiplier = scale / self.s

    def snapshot(self) -> ConeFit:
        """Give the iterate with both of its bounds."""
        return ConeFit(self.x, self.b, self.primal(), self.dual())

    def primal(self) -> float:
        """Evaluate the objective."""
        spread = self.model.spread
        m = self.x if spread is None else spread @ self.x
        return self.loss.value(self.t) + self.model.alpha / 2 * float(m @ m)

    def dual(self) -> float:
        """Evaluate the dual at a point made feasible from the current slopes."""
        model = self.model
        u = self.loss.slope(self.t)
        if model.groups is not None:
            u = self.loss.balance(u, model.groups, self.n_groups)
        # The rest of the Lagrangian, pull'x + alpha/2 |x|^2, is at least
        # -|w|^2 / (2 alpha), w being what a multiplier of the cone leaves of the pull.
        pull = model.design.T @ u - self.nu
        # Any feasible point bounds the optimum from below, also far from it.
        nu = self.nu
        if model.rows is not None:
            w = pull - self._cone_transpose(self.multiplier)
        elif model.spread is None:
            w = np.minimum(pull, 0)
        else:
            # The multiplier that makes x stationary, lifted to be non-negative along
            # the direction of ones, which is inside the dual cone.
            w = model.alpha * (model.spread @ self.x)
            lift = max(0.0, -float(np.min(pull + model.spread.T @ w)))
            if model.total is None:
                w = w + lift
            else:
                nu -= lift
        equality = 0.0 if model.total is None else nu * model.total
        return self.loss.dual_value(u) - float(w @ w) / (2 * model.alpha) + equality

    def is_exhausted(self) -> bool:
        """Tell whether complementarity has reached the level of rounding."""
        left = self._complementarity(0.0)
        return self.n_pairs > 0 and left <= _EXHAUSTED * self.primal()

    def step(self) -> bool:
        """Take one predictor-corrector step; False when rounding ends progress."""
        zero = np.zeros((2, self.loss.n_pairs // 2))
        _, curvature = self.loss.linearize(self.t, zero)
        try:
            self._factor(curvature)
            centre = self._centre_after_predictor(zero)
            self._solve(*centre)
        except np.linalg.LinAlgError:
            return False
        length = min(1.0, _TO_BOUNDARY * self._max_step())
        length = self._shorten(length)
        if length < 1e-10 or not np.isfinite(length):
            return False
        self._advance(length)
        return True

    def _centre_after_predictor(
        self, zero: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Choose how far to follow the central path (Mehrotra)."""
        n_pairs = self.n_pairs
        if not n_pairs:
            return zero, np.zeros(0)
        self._solve(zero, np.zeros_like(self.s))
        length = min(1.0, self._max_step())
        now = self._complementarity(0.0)
        # Mehrotra's cube: the more the predictor gains, the less the step is centred.
        tau = (self._complementarity(length) / now) ** 3 * now / n_pairs
        if not self.loss.n_pairs and now < _TOO_FAR_AHEAD * self._residual(0.0):
            # A curved loss is still far from stationary: wait for it.
            tau = now / n_pairs
        return tau - self.loss.correction(), tau - self.ds * self.d_multiplier

    def _solve(self, tau_loss: FloatArray, tau_cone: FloatArray) -> None:
        """Solve the Newton system for all directions."""
        model = self.model
        g, _ = self.loss.linearize(self.t, tau_loss)
        right = -self.centred.T @ g - model.alpha * self._penalty(self.x) + self.nu
        right += self._cone_transpose(tau_cone / self.s)
        self.dx, self.d_nu = self._solve_block(right), 0.0
        if model.total is not None:
            missing = model.total - float(self.x.sum() + self.dx.sum())
            self.d_nu = missing / float(self.solved_ones.sum())
            self.dx = self.dx + self.d_nu * self.solved_ones
        self.db = np.zeros(0)
        if model.groups is not None:
            # The intercepts that belong to dx: their own equations, solved exactly.
            self.db = -np.bincount(model.groups, g) / self.group_curvature
            self.db -= self.means @ self.dx
        self.dt = self._scores(self.dx, self.db)
        self.ds = self._cone(self.dx)
        self.d_multiplier = (tau_cone - self.multiplier * self.ds) / self.s
        self.d_multiplier -= self.multiplier
        self.loss.aim(self.dt, tau_loss)

    def _factor(self, curvature: FloatArray) -> None:
        """Eliminate the intercepts by centring, then factor the block of x."""
        model = self.model
        self.centred = model.design
        if model.groups is not None:
            self.group_curvature = np.bincount(model.groups, curvature)
            sums = np.zeros((self.n_groups, self.x.size))
            for group in range(self.n_groups):
                members = model.groups == group
                sums[group] = curvature[members] @ model.design[members]
            self.means = sums / self.group_curvature[:, np.newaxis]
            self.centred = model.design - self.means[model.groups]
        self._factor_block(curvature)
        if model.total is not None:
            self.solved_ones = self._solve_block(np.ones(self.x.size))

    def _factor_block(self, curvature: FloatArray) -> None:
        model, ratio = self.model, self.multiplier / self.s
        n_rows, n_weights = model.design.shape
        self.thin = model.rows is None and model.spread is None and n_rows < n_weights
        if self.thin:
            # Woodbury: diagonal plus A' H A, factored in the space of the rows.
            self.diagonal = model.alpha + ratio
            self.root = np.sqrt(curvature)[:, np.newaxis] * self.centred
            inner = (self.root / self.diagonal) @ self.root.T
            inner[np.diag_indices(n_rows)] += 1
            self.factor = _ScaledCholesky(inner)
            return
        # Hessian of the loss, then that of the penalty, then the barrier C'(y/s)C.
        # In the space of the weights: they are fewer, or cone or penalty not diagonal.
        block = self.centred.T @ (self.centred * curvature[:, np.newaxis])
        if self.penalty is None:
            block[np.diag_indices(n_weights)] += model.alpha
        else:
            block += model.alpha * self.penalty
        if model.rows is None:
            block[np.diag_indices(n_weights)] += ratio
        elif model.rows.size:
            block += model.rows.T @ (ratio[:, np.newaxis] * model.rows)
        self.factor = _ScaledCholesky(block)

    def _solve_block(self, right: FloatArray) -> FloatArray:
        if not self.thin:
            return self.factor.solve(right)
        scaled = right / self.diagonal
        inner = self.factor.solve(self.root @ scaled)
        return scaled - (self.root.T @ inner) / self.diagonal

    def _max_step(self) -> float:
        """Give the largest step that keeps all slacks and multipliers positive."""
        fall = max(
            float(np.max(-self.ds / self.s, initial=0)),
            float(np.max(-self.d_multiplier / self.multiplier, initial=0)),
        )
        return min(np.inf if fall <= 0 else 1 / fall, self.loss.max_step())

    def _complementarity(self, length: float) -> float:
        """Sum the products that must vanish, after a step."""
        s, multiplier = self.s, self.multiplier
        if length:
            s = s + length * self.ds
            multiplier = multiplier + length * self.d_multiplier
        return float(s @ multiplier) + self.loss.complementarity(length)

    def _shorten(self, length: float) -> float:
        """Halve the step until a smooth loss is nearer to stationary, or near enough.

        An iterate may be far nearer to stationary than to complementary. Then a curved
        loss lets no long step improve both, and the residual may grow a little.
        """
        if self.loss.n_pairs:
            return length
        old = self._residual(0.0)
        for _ in range(_MAX_HALVINGS):
            enough = _NEAR_ENOUGH * self._complementarity(length)
            if self._residual(length) <= max((1 - 0.01 * length) * old, enough) + 1e-13:
                break
            length /= 2
        return length

    def _residual(self, length: float) -> float:
        model = self.model
        u = self.loss.slope(self.t + length * self.dt)
        gradient = model.design.T @ u - (self.nu + length * self.d_nu)
        gradient += model.alpha * self._penalty(self.x + length * self.dx)
        gradient -= self._cone_transpose(self.multiplier + length * self.d_multiplier)
        sums = np.zeros(0) if model.groups is None else np.bincount(model.groups, u)
        return float(np.sqrt(gradient @ gradient + sums @ sums))

    def _advance(self, length: float) -> None:
        self.x = self.x + length * self.dx
        self.b = self.b + length * self.db
        self.nu += length * self.d_nu
        self.t = self._scores(self.x, self.b)
        self.s = self.s + length * self.ds
        self.multiplier = self.multiplier + length * self.d_multiplier
        self.loss.advance(length)

    def _scores(self, x: FloatArray, b: FloatArray) -> FloatArray:
        t: FloatArray = self.model.design @ x
        return t if self.model.groups is None else t + b[self.model.groups]

    def _penalty(self, x: FloatArray) -> FloatArray:
        return x if self.penalty is None else self.penalty @ x

    def _cone(self, x: FloatArray) -> FloatArray:
        return x.copy() if self.model.rows is None else self.model.rows @ x

    def _cone_transpose(self, s: FloatArray) -> FloatArray:
        return s if self.model.rows is None else self.model.rows.T @ s
