"""What a utility pays for its errors: value, pull, curvature and conjugate."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit, xlogy

from penchant.typing import FloatArray

_FAR_SHARE = 0.03
"""Share of a touching parabola's curvature that rows on straight pieces get."""


class Loss(ABC):
    """A convex loss of the score f + offset, row by row.

    The pull is a = -dloss/df. A dual point s a has the value `dual`, which bounds the
    objective from below if no group of features feels more of it than its price.
    """

    n_offsets: int = 1
    is_quadratic: bool = False
    is_likelihood: bool = True

    @abstractmethod
    def value(self, y: FloatArray, f: FloatArray, offsets: FloatArray) -> FloatArray:
        """Give the loss of each row."""

    @abstractmethod
    def pulls(self, y: FloatArray, f: FloatArray, offsets: FloatArray) -> FloatArray:
        """Give the pulls on each offset, shape (n_offsets, n_rows)."""

    @abstractmethod
    def curvatures(
        self, y: FloatArray, f: FloatArray, offsets: FloatArray
    ) -> FloatArray:
        """Give the second derivatives by each offset, shape (n_offsets, n_rows)."""

    @abstractmethod
    def dual(self, y: FloatArray, pulls: FloatArray, scale: float) -> FloatArray:
        """Give the dual value of scaled pulls of each row."""

    def scale(self, limit: float, pull_by_y: float, pull_square: float) -> float:
        """Choose the scale of a dual point below its limit."""
        return min(1.0, limit)


class Squared(Loss):
    """(y - f)^2/2."""

    is_quadratic = True

    def value(self, y: FloatArray, f: FloatArray, offsets: FloatArray) -> FloatArray:
        return 0.5 * (y - f - offsets[0]) ** 2

    def pulls(self, y: FloatArray, f: FloatArray, offsets: FloatArray) -> FloatArray:
        rest: FloatArray = y - f - offsets[0]
        return rest[None]

    def curvatures(
        self, y: FloatArray, f: FloatArray, offsets: FloatArray
    ) -> FloatArray:
        return np.ones((1, len(y)))

    def dual(self, y: FloatArray, pulls: FloatArray, scale: float) -> FloatArray:
        a = scale * pulls[0]
        return a * y - a**2 / 2

    def scale(self, limit: float, pull_by_y: float, pull_square: float) -> float:
        return min(limit, pull_by_y / pull_square if pull_square > 0 else 1.0)


@dataclass(frozen=True)
class Tube(Loss):
    """0 within epsilon, quadratic over the next mu, then of slope 1: mu -> 0 is GAI-2.

    Parameters
    ----------
    epsilon, mu : float
    """

    epsilon: float
    mu: float
    is_likelihood: ClassVar[bool] = False  # type: ignore[misc]

    def _rest(
        self, y: FloatArray, f: FloatArray, offsets: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Give what is missing of y, and how far that is outside the tube."""
        rest = y - f - offsets[0]
        return rest, np.abs(rest) - self.epsilon

    def value(self, y: FloatArray, f: FloatArray, offsets: FloatArray) -> FloatArray:
        beyond = np.maximum(self._rest(y, f, offsets)[1], 0.0)
        bend = np.minimum(beyond, self.mu)
        return bend**2 / (2 * self.mu) + (beyond - bend)

    def pulls(self, y: FloatArray, f: FloatArray, offsets: FloatArray) -> FloatArray:
        rest, outside = self._rest(y, f, offsets)
        pull: FloatArray = np.sign(rest) * np.clip(outside / self.mu, 0.0, 1.0)
        return pull[None]

    def curvatures(
        self, y: FloatArray, f: FloatArray, offsets: FloatArray
    ) -> FloatArray:
        """Give those of the bend; elsewhere a share of what a bend far away has.

        Straight pieces have none, and a model without curvature steps too far. With
        that of a parabola which touches the loss in every row, as in iteratively
        reweighted least squares, steps are ten times as many.
        """
        outside = self._rest(y, f, offsets)[1]
        far = _FAR_SHARE / (self.mu + np.abs(outside))
        inside = (outside > 0) & (outside < self.mu)
        return np.where(inside, 1.0 / self.mu, far)[None]

    def dual(self, y: FloatArray, pulls: FloatArray, scale: float) -> FloatArray:
        a = scale * pulls[0]
        return a * y - self._width(y) * np.abs(a) - self.mu * a**2 / 2

    def _width(self, y: FloatArray) -> FloatArray | float:
        """Give the half-width of the tube of each row."""
        return self.epsilon


class Hinge(Tube):
    """max(0, 1 - f) of the difference f of two items, bent over mu; no offset.

    y is 1. Ties have y = 0: their differences should be within epsilon. mu -> 0 is
    GAI-7.
    """

    n_offsets = 0

    def _rest(
        self, y: FloatArray, f: FloatArray, offsets: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        rest = y - f
        return rest, np.where(y > 0, rest, np.abs(rest) - self.epsilon)

    def _width(self, y: FloatArray) -> FloatArray:
        return np.where(y > 0, 0.0, self.epsilon)


class Logistic(Loss):
    """log(1 + exp(f)) - y f for y in {0, 1}."""

    def value(self, y: FloatArray, f: FloatArray, offsets: FloatArray) -> FloatArray:
        score = f + offsets[0] if self.n_offsets else f
        return np.logaddexp(0.0, score) - y * score

    def pulls(self, y: FloatArray, f: FloatArray, offsets: FloatArray) -> FloatArray:
        score = f + offsets[0] if self.n_offsets else f
        pull: FloatArray = y - expit(score)
        return pull[None]

    def curvatures(
        self, y: FloatArray, f: FloatArray, offsets: FloatArray
    ) -> FloatArray:
        chance: FloatArray = expit(f + offsets[0] if self.n_offsets else f)
        return (chance * (1.0 - chance))[None]

    def dual(self, y: FloatArray, pulls: FloatArray, scale: float) -> FloatArray:
        return _entropy(y - scale * pulls[0])


class Preference(Logistic):
    """log(1 + exp(-f)) of the difference f of two items: no offset."""

    n_offsets = 0


@dataclass(frozen=True)
class Grades(Loss):
    """The logistic losses of all questions "is the grade above t?", t = 0 .. K - 2.

    Parameters
    ----------
    n_grades : int
        y is in {0, ..., n_grades - 1}.
    """

    n_grades: int

    @property
    def n_offsets(self) -> int:  # type: ignore[override]
        """One threshold between neighbouring grades; offsets are minus thresholds."""
        return self.n_grades - 1

    def _above(self, y: FloatArray) -> FloatArray:
        above = y > np.arange(self.n_offsets)[:, None]
        return above.astype(np.float64)

    def value(self, y: FloatArray, f: FloatArray, offsets: FloatArray) -> FloatArray:
        scores = f + offsets[:, None]
        losses = np.logaddexp(0.0, scores) - self._above(y) * scores
        return losses.sum(axis=0)

    def pulls(self, y: FloatArray, f: FloatArray, offsets: FloatArray) -> FloatArray:
        return self._above(y) - expit(f + offsets[:, None])

    def curvatures(
        self, y: FloatArray, f: FloatArray, offsets: FloatArray
    ) -> FloatArray:
        chances = expit(f + offsets[:, None])
        return np.asarray(chances * (1.0 - chances))

    def dual(self, y: FloatArray, pulls: FloatArray, scale: float) -> FloatArray:
        return _entropy(self._above(y) - scale * pulls).sum(axis=0)


def _entropy(share: FloatArray) -> FloatArray:
    inside = np.clip(share, 0.0, 1.0)
    return -(xlogy(inside, inside) + xlogy(1 - inside, 1 - inside))
