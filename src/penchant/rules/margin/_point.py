"""Where both players of the margin master stand, and steps from there (PRL-5)."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from penchant.typing import FloatArray

Lengths: TypeAlias = tuple[float, float]
"""How far the two sides go along a step."""

_SPREAD = 10.0
"""Products within this factor of the centre count as central."""


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
        return (
            min(1.0, share * _reach(self.primal, step.primal)),
            min(1.0, share * _reach(self.dual, step.dual)),
        )

    def excess(self, step: "Point", lengths: Lengths, centre: float) -> FloatArray:
        """Give changes that would bring far products near the centre after a step."""
        ahead = self.move(step, lengths).products
        low, high = centre / _SPREAD, centre * _SPREAD
        changes: FloatArray = np.maximum(np.clip(ahead, low, high) - ahead, -high)
        return changes


def _reach(values: FloatArray, change: FloatArray) -> float:
    fastest = float((change / values).min())
    return np.inf if fastest >= 0.0 else -1.0 / fastest
