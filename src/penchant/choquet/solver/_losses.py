"""Convex losses of one score, as an interior-point method needs them.

Each loss is a sum over rows of ``weight * loss(score)``. Where the loss has a kink
it keeps slacks of its own and follows the central path together with the solver.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, xlogy

from penchant.typing import FloatArray, IntArray


class Loss:
    """What the interior-point method asks of a loss; t are the scores, u the slopes.

    The methods with a body here are those of a loss without kinks, which has no slacks.
    """

    n_pairs = 0  # products that must vanish at the optimum

    def value(self, t: FloatArray) -> float:
        """Sum of the losses."""
        raise NotImplementedError

    def slope(self, t: FloatArray) -> FloatArray:
        """Give the slope of each row's loss, or its dual variable at a kink."""
        raise NotImplementedError

    def linearize(
        self, t: FloatArray, tau: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Give g, h such that the slopes after a step dt are g + h dt."""
        raise NotImplementedError

    def dual_value(self, u: FloatArray) -> float:
        """Give minus the sum of the convex conjugates at slopes u."""
        raise NotImplementedError

    def subgradient(self, t: FloatArray) -> FloatArray:
        """Give a slope of each row's loss at any scores, whatever the solver did."""
        return self.slope(t)

    def start(self, t: FloatArray) -> None:
        """Choose slacks for the first scores."""

    def aim(self, dt: FloatArray, tau: FloatArray) -> None:
        """Choose the direction of the slacks that belongs to dt."""

    def correction(self) -> FloatArray:
        """Products of the last directions, the second-order error of a full step."""
        return np.zeros((2, 0))

    def max_step(self) -> float:
        """Give the largest step that keeps slacks positive."""
        return np.inf

    def advance(self, step: float) -> None:
        """Move the slacks."""

    def complementarity(self, step: float = 0.0) -> float:
        """Sum of the products that must vanish, after a step."""
        return 0.0

    def balance(self, u: FloatArray, groups: IntArray, n_groups: int) -> FloatArray:
        """Change u a little, within its domain, so that each group sums to zero.

        The heavier of the positive and the negative slopes of each group shrink.
        """
        # Conjugates are finite on an interval that holds 0: a slope that shrinks stays
        # inside, and the dual value remains a bound.
        above = np.bincount(groups, np.maximum(u, 0), n_groups)
        below = np.bincount(groups, np.maximum(-u, 0), n_groups)
        lighter = np.minimum(above, below)
        tiny = np.finfo(np.float64).tiny
        factor = np.where(
            u > 0,
            (lighter / np.maximum(above, tiny))[groups],
            (lighter / np.maximum(below, tiny))[groups],
        )
        return u * factor


@dataclass
class SquaredLoss(Loss):
    """weight * (score - target)^2 / 2."""

    target: FloatArray
    weight: FloatArray

    def value(self, t: FloatArray) -> float:
        """Sum of the losses."""
        return float(self.weight @ (t - self.target) ** 2) / 2

    def slope(self, t: FloatArray) -> FloatArray:
        """Weighted residuals."""
        return self.weight * (t - self.target)

    def linearize(
        self, t: FloatArray, tau: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Slopes are linear already."""
        return self.slope(t), self.weight

    def dual_value(self, u: FloatArray) -> float:
        """Minus the sum of u^2 / (2 weight) + u target."""
        return -float(u @ (u / self.weight / 2 + self.target))

    def balance(self, u: FloatArray, groups: IntArray, n_groups: int) -> FloatArray:
        """Subtract the weighted mean of each group."""
        # The conjugate is finite everywhere: project, in the norm of the dual value.
        sums = np.bincount(groups, u, n_groups) / np.bincount(
            groups, self.weight, n_groups
        )
        return u - self.weight * sums[groups]


@dataclass
class LogisticLoss(Loss):
    """weight * log(1 + exp(-sign * score)), with sign 1 or -1."""

    sign: FloatArray
    weight: FloatArray

    def value(self, t: FloatArray) -> float:
        """Sum of the losses."""
        return float(self.weight @ np.logaddexp(0, -self.sign * t))

    def slope(self, t: FloatArray) -> FloatArray:
        """Minus the probability of the wrong side, signed."""
        return -self.weight * self.sign * expit(-self.sign * t)

    def linearize(
        self, t: FloatArray, tau: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Slopes and curvatures."""
        p = expit(-self.sign * t)
        return -self.weight * self.sign * p, self.weight * p * (1 - p)

    def dual_value(self, u: FloatArray) -> float:
        """Weighted entropy of the probabilities of the wrong side."""
        # Rounding and balancing may leave [0, 1] in the last bits only.
        p = np.clip(-u * self.sign / self.weight, 0, 1)
        return -float(self.weight @ (xlogy(p, p) + xlogy(1 - p, 1 - p)))


@dataclass
class HingeLoss(Loss):
    """weight * max(0, offset - sign * score), with sign 1 or -1.

    Epsilon-insensitive loss is two rows of it. With w = over + sign * score - offset
    >= 0 and over >= 0, the dual variable v of the first lies in [0, weight].
    """

    sign: FloatArray
    offset: FloatArray
    weight: FloatArray
    over: FloatArray = field(init=False)
    under: FloatArray = field(init=False)
    v: FloatArray = field(init=False)
    free: FloatArray = field(init=False)  # weight - v, kept apart from rounding
    _moves: tuple[FloatArray, FloatArray, FloatArray] = field(init=False)

    def start(self, t: FloatArray) -> None:
        """Put every slack about one unit inside; two products per row."""
        self.n_pairs = 2 * self.sign.size
        margin = self.sign * t - self.offset
        self.over = np.maximum(-margin, 0) + 1
        self.under = np.maximum(margin, 0) + 1
        # In the middle of its box: no product starts near 0, where steps are short.
        self.v = self.weight / 2
        self.free = self.weight / 2

    def value(self, t: FloatArray) -> float:
        """Sum of the losses."""
        return float(self.weight @ np.maximum(0, self.offset - self.sign * t))

    def slope(self, t: FloatArray) -> FloatArray:
        """Signed dual variables."""
        return -self.sign * self.v

    def subgradient(self, t: FloatArray) -> FloatArray:
        """Slope 0 from the kink on."""
        inside = self.sign * t < self.offset
        return np.where(inside, -self.sign * self.weight, 0.0)

    def linearize(
        self, t: FloatArray, tau: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Eliminate the slacks from the Newton step of v w = tau, (c - v) xi = tau."""
        # A row keeps its own slacks: the Newton matrix is no larger than without them.
        curvature = self._curvature()
        shift = self._shift(tau)
        return -self.sign * (self.v + curvature * shift), curvature

    def aim(self, dt: FloatArray, tau: FloatArray) -> None:
        """Recover the directions of v and both slacks."""
        # Without the term dv dw of second order, which `correction` gives back.
        dv = self._curvature() * (self._shift(tau) - self.sign * dt)
        d_under = (tau[0] - self.under * dv) / self.v - self.under
        d_over = (tau[1] + self.over * dv) / self.free - self.over
        self._moves = dv, d_under, d_over

    def correction(self) -> FloatArray:
        """Products of the directions in both kinds of pairs."""
        dv, d_under, d_over = self._moves
        return np.array([dv * d_under, -dv * d_over])

    def max_step(self) -> float:
        """Keep v inside its box and both slacks positive."""
        dv, d_under, d_over = self._moves
        falls = (
            (self.v, dv),
            (self.free, -dv),
            (self.under, d_under),
            (self.over, d_over),
        )
        fall = max(float(np.max(-d / s, initial=0)) for s, d in falls)
        return 1 / fall if fall > 0 else np.inf

    def advance(self, step: float) -> None:
        """Move v and both slacks."""
        dv, d_under, d_over = self._moves
        self.v = self.v + step * dv
        self.free = self.free - step * dv
        self.under = self.under + step * d_under
        self.over = self.over + step * d_over

    def complementarity(self, step: float = 0.0) -> float:
        """Sum of v w + (c - v) xi."""
        if not step:
            return float(self.v @ self.under + self.free @ self.over)
        dv, d_under, d_over = self._moves
        below = (self.v + step * dv) @ (self.under + step * d_under)
        return float(below + (self.free - step * dv) @ (self.over + step * d_over))

    def dual_value(self, u: FloatArray) -> float:
        """Sum of v * offset."""
        return -float((self.sign * u) @ self.offset)

    def _curvature(self) -> FloatArray:
        # A kink has no curvature: this is that of the barrier, which grows as 1 / tau.
        return 1 / (self.under / self.v + self.over / self.free)

    def _shift(self, tau: FloatArray) -> FloatArray:
        below: FloatArray = tau[0] / self.v - self.under
        above: FloatArray = tau[1] / self.free - self.over
        return below - above
