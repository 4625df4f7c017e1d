"""Points and steps of the margin master: nature's side and the learner's side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from penchant.typing import FloatArray

Products: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""One vector for q s, one for z p, one for xi t."""

_SPREAD = 10.0
"""Products within this factor of the centre count as central."""


@dataclass(eq=False)
class Primal:
    """Nature's value v, weights p, slacks s = v - C'p and t = upper - p."""

    v: float
    p: FloatArray
    s: FloatArray
    t: FloatArray

    def move(self, step: "Primal", length: float) -> None:
        """Go some way along a step."""
        self.v += length * step.v
        self.p += length * step.p
        self.s += length * step.s
        self.t += length * step.t

    def reach(self, step: "Primal") -> float:
        """Return the length of the step at which the first slack becomes 0."""
        return min(
            _reach(self.p, step.p), _reach(self.s, step.s), _reach(self.t, step.t)
        )


@dataclass(eq=False)
class Dual:
    """The learner's margin rho, weights q, and z - xi = Cq - rho."""

    rho: float
    q: FloatArray
    z: FloatArray
    xi: FloatArray

    def move(self, step: "Dual", length: float) -> None:
        """Go some way along a step."""
        self.rho += length * step.rho
        self.q += length * step.q
        self.z += length * step.z
        self.xi += length * step.xi

    def reach(self, step: "Dual") -> float:
        """Return the length of the step at which the first weight becomes 0."""
        return min(
            _reach(self.q, step.q), _reach(self.z, step.z), _reach(self.xi, step.xi)
        )


@dataclass(frozen=True, eq=False)
class Step:
    """A direction on both sides."""

    primal: Primal
    dual: Dual

    @property
    def curvature(self) -> Products:
        """What the products gain to second order."""
        return products(self.primal, self.dual)

    def lengths(self, primal: Primal, dual: Dual, share: float) -> tuple[float, float]:
        """Return how far each side may go: a share of its reach, at most 1."""
        return (
            min(1.0, share * primal.reach(self.primal)),
            min(1.0, share * dual.reach(self.dual)),
        )

    def plus(self, other: "Step") -> "Step":
        """Add a step."""
        mine, more = self.primal, other.primal
        ours, extra = self.dual, other.dual
        return Step(
            Primal(mine.v + more.v, mine.p + more.p, mine.s + more.s, mine.t + more.t),
            Dual(
                ours.rho + extra.rho,
                ours.q + extra.q,
                ours.z + extra.z,
                ours.xi + extra.xi,
            ),
        )

    def gap_after(
        self, primal: Primal, dual: Dual, primal_length: float, dual_length: float
    ) -> float:
        """Return the sum of all products after going these lengths."""
        ahead = self.products_after(primal, dual, primal_length, dual_length)
        return float(sum(pair.sum() for pair in ahead))

    def products_after(
        self, primal: Primal, dual: Dual, primal_length: float, dual_length: float
    ) -> Products:
        """Return all products after going these lengths."""
        far, long = primal_length, dual_length
        return (
            (dual.q + long * self.dual.q) * (primal.s + far * self.primal.s),
            (dual.z + long * self.dual.z) * (primal.p + far * self.primal.p),
            (dual.xi + long * self.dual.xi) * (primal.t + far * self.primal.t),
        )


def products(primal: Primal, dual: Dual) -> Products:
    """Return q s, z p and xi t, which are all equal on the central path."""
    return dual.q * primal.s, dual.z * primal.p, dual.xi * primal.t


def excess_products(
    primal: Primal, dual: Dual, step: Step, lengths: Sequence[float], centre: float
) -> Products:
    """Return changes that would bring far products near the centre after a step."""
    ahead = step.products_after(primal, dual, lengths[0], lengths[1])
    low, high = centre / _SPREAD, centre * _SPREAD
    columns, lower, upper = (
        np.maximum(np.clip(pair, low, high) - pair, -high) for pair in ahead
    )
    return columns, lower, upper


def _reach(values: FloatArray, change: FloatArray) -> float:
    fastest = float((change / values).min())
    return np.inf if fastest >= 0.0 else -1.0 / fastest
