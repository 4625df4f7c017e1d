"""Algebra of second-order cones, for many cones of different sizes at once."""

from dataclasses import dataclass

import numpy as np

from penchant.typing import FloatArray, IntArray

Point = tuple[FloatArray, FloatArray]
"""A head per cone, and all tails in one vector."""


class Cones:
    """The cones {(t, v): |v| <= t}; tails of all cones lie in one vector.

    Parameters
    ----------
    sizes : sequence of int
        Length of each tail; at least 1.
    """

    def __init__(self, sizes: list[int]) -> None:
        ends = np.cumsum(sizes)
        self.starts: IntArray = ends - np.array(sizes)
        self.owner: IntArray = np.repeat(np.arange(len(sizes)), sizes)
        self._slices = [slice(e - n, e) for e, n in zip(ends, sizes, strict=True)]

    def __len__(self) -> int:
        return len(self.starts)

    def sums(self, tails: FloatArray) -> FloatArray:
        """Add up each cone's part of a vector of tails."""
        sums: FloatArray = np.add.reduceat(tails, self.starts)
        return sums

    def norms(self, tails: FloatArray) -> FloatArray:
        """Give the norm of each tail."""
        norms: FloatArray = np.sqrt(self.sums(tails * tails))
        return norms

    def spread(self, heads: FloatArray) -> FloatArray:
        """Repeat each cone's number along its tail."""
        return heads[self.owner]

    def split(self, tails: FloatArray) -> list[FloatArray]:
        """Cut an array with one row per tail entry into the cones' parts."""
        return [tails[part] for part in self._slices]

    def product(self, x: Point, y: Point) -> Point:
        """Give the Jordan product x o y."""
        heads = x[0] * y[0] + self.sums(x[1] * y[1])
        tails = self.spread(x[0]) * y[1] + self.spread(y[0]) * x[1]
        return heads, tails

    def determinant(self, x: Point) -> FloatArray:
        """Give t^2 - |v|^2, as a product: the difference would lose digits."""
        norms = self.norms(x[1])
        return (x[0] - norms) * (x[0] + norms)

    def divide(self, x: Point, y: Point) -> Point:
        """Solve x o z = y for z."""
        heads = x[0] * y[0] - self.sums(x[1] * y[1])
        heads /= self.determinant(x)
        tails = (y[1] - self.spread(heads) * x[1]) / self.spread(x[0])
        return heads, tails

    def longest_step(self, x: Point, direction: Point) -> float:
        """Give the largest step from x that stays inside all cones."""
        norms = self.norms(direction[1])
        square = (direction[0] - norms) * (direction[0] + norms)
        linear = x[0] * direction[0] - self.sums(x[1] * direction[1])
        constant = self.determinant(x)
        # The smallest positive root of square a^2 + 2 linear a + constant.
        root = np.sqrt(np.maximum(linear**2 - square * constant, 0.0))
        leaves = (root > linear) & (linear**2 >= square * constant)
        if not leaves.any():
            return np.inf
        return float((constant[leaves] / (root - linear)[leaves]).min())


@dataclass(frozen=True, eq=False)
class Scaling:
    """The Nesterov-Todd scaling W of a primal and a dual cone point.

    W x takes the dual point and W^-1 the primal point to the same place,
    W^2 = eta (2 w w' - J) with w = (head, tail) and J = diag(1, -1, ..., -1).
    """

    cones: Cones
    eta: FloatArray
    head: FloatArray
    tail: FloatArray

    @classmethod
    def between(cls, cones: Cones, primal: Point, dual: Point) -> "Scaling":
        """Find the scaling of an interior primal and an interior dual point."""
        size_x = np.sqrt(cones.determinant(primal))
        size_s = np.sqrt(cones.determinant(dual))
        tail_x = primal[1] / cones.spread(size_x)
        tail_s = dual[1] / cones.spread(size_s)
        head_x, head_s = primal[0] / size_x, dual[0] / size_s
        inner = head_x * head_s + cones.sums(tail_x * tail_s)
        gamma = np.sqrt(np.maximum(1.0 + inner, 2.0) / 2.0)
        head = (head_x + head_s) / (2 * gamma)
        tail = (tail_x - tail_s) / cones.spread(2 * gamma)
        return cls(cones, size_x / size_s, head, tail)

    def apply(self, x: Point) -> Point:
        """Give W x."""
        return self._arrow(x, self.tail, np.sqrt(self.eta))

    def apply_inverse(self, x: Point) -> Point:
        """Give W^-1 x."""
        return self._arrow(x, -self.tail, 1.0 / np.sqrt(self.eta))

    def _arrow(self, x: Point, tail: FloatArray, factor: FloatArray) -> Point:
        inner = self.cones.sums(tail * x[1])
        heads = self.head * x[0] + inner
        along = x[0] + inner / (1.0 + self.head)
        tails = x[1] + self.cones.spread(along) * tail
        return factor * heads, self.cones.spread(factor) * tails

    def square_of_tail(self, tails: FloatArray) -> Point:
        """Give W^2 (0, tails)."""
        inner = 2.0 * self.eta * self.cones.sums(self.tail * tails)
        heads = self.head * inner
        scaled = self.cones.spread(inner) * self.tail
        return heads, scaled + self.cones.spread(self.eta) * tails
