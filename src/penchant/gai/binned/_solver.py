"""The binned solver: exact sums over all rows, a model of curvature from a sample.

Minimises (1/W) sum_k w_k loss(y_k, f_k + b) + lam sum_S price_S ||v_S|| over the
coefficients v_S of groups of features, f = sum_S Phi_S v_S; coefficients of groups that
rise or fall as told must not be negative. A working set of groups
grows by those that the pull of the data moves; the gap is stated only after every
candidate has been priced.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from penchant._progress import Deadline
from penchant.gai.binned import _blocks as on
from penchant.gai.binned._bins import sampled
from penchant.gai.binned._blocks import Here, Place
from penchant.gai.binned._curvature import Curvature
from penchant.gai.binned._groups import Group, Joined
from penchant.gai.binned._losses import Loss
from penchant.typing import BoolArray, FloatArray, IntArray

SAMPLE_ROWS = 40_000
"""Rows of the model of curvature. A sample costs steps, never accuracy."""
MAX_COLUMNS = 3_000
_GOAL = 0.2
"""The model is solved to this share of the gap that is left."""
_MOVED = 0.2
"""The model is made anew when the curvatures have moved by this share."""
_MAX_TRIALS = 30
_SHORT = 0.1
"""A model that leads ten times too far bends too little: it has seen too few rows, or
the loss bends more there than here."""


@dataclass(eq=False)
class Point:
    """Coefficients, and what follows from them.

    Parameters
    ----------
    coefs : dict of int to ndarray
        Coefficients of the groups of the working set, by the position of the group.
    offsets : ndarray of shape (n_offsets,)
    scores : list
        f of the rows of each block, where the block is.
    gap : float
        Certified relative distance from the minimum; infinite before the first
        pricing of all candidates.
    n_iter : int
    status : str
    """

    coefs: dict[int, FloatArray]
    offsets: FloatArray
    scores: list[Any]
    gap: float = np.inf
    n_iter: int = 0
    status: str = "stalled"

    def copy(self) -> "Point":
        """Give a point to move on from."""
        return replace(self, coefs=dict(self.coefs))


@dataclass(frozen=True, eq=False)
class Pricing:
    """What the pull of the data is worth to groups of features at a point.

    Parameters
    ----------
    loss : float
        Mean loss.
    correlations : dict of int to ndarray
        Phi_S'a / W of each priced group.
    norms : dict of int to float
        How much of it each group feels: a coefficient that must not be negative feels
        no pull downwards. In the dual this is the projection onto the cone.
    pull_by_y, pull_square : float
        Means of a y and a^2.
    """

    loss: float
    correlations: dict[int, FloatArray]
    norms: dict[int, float]
    pull_by_y: float
    pull_square: float

    def largest_ratio(self, prices: FloatArray) -> float:
        """Give the largest norm of a correlation in units of the group's price."""
        return max((norm / prices[k] for k, norm in self.norms.items()), default=0.0)


@dataclass(eq=False)
class BinnedProblem:
    """Blocks of rows, candidate groups and a loss.

    Parameters
    ----------
    blocks : list of Block
        Or what stands for them at their place.
    groups : sequence of Group or Joined
        All candidates.
    loss : Loss
    sample_rows : int
        Largest number of rows of the model of curvature.
    place : Place
        Where the blocks are.
    deadline : Deadline
    """

    blocks: list[Any]
    groups: Sequence[Group | Joined]
    loss: Loss
    sample_rows: int = SAMPLE_ROWS
    place: Place = field(default_factory=Here)
    deadline: Deadline = field(default_factory=Deadline)
    total: float = field(init=False)

    def __post_init__(self) -> None:
        weights = self.place.fetch(on.row_weights, self.blocks)
        used = np.flatnonzero(np.concatenate(weights))
        self.total = float(np.concatenate(weights).sum())
        rows: IntArray = used[sampled(len(used), self.sample_rows)]
        ends = np.cumsum([len(own) for own in weights])
        parts = np.split(rows, np.searchsorted(rows, ends[:-1]))
        self._rows = [
            own - (end - len(w))
            for own, end, w in zip(parts, ends, weights, strict=True)
        ]
        self._is_exact = self.loss.is_quadratic and len(rows) == len(used)
        self._model: Curvature | None = None

    @property
    def model(self) -> Curvature:
        """The model of curvature."""
        if self._model is None:
            parts = self.place.fetch(on.picked_rows, self.blocks, self._rows)
            self._model = Curvature(on.joined(parts), self.groups)
        return self._model

    def start(self) -> Point:
        """Give the best constant."""
        scores = self.place.keep(on.no_scores, self.blocks)
        point = Point({}, np.zeros(self.loss.n_offsets), scores)
        self._fit_offsets(point)
        return point

    def point(self, coefs: dict[int, FloatArray]) -> Point:
        """Compute the scores of coefficients from nothing else."""
        own = {k: v.copy() for k, v in coefs.items()}
        point = Point(own, np.zeros(self.loss.n_offsets), self._changes(coefs))
        self._fit_offsets(point)
        return point

    def largest_lam(self, prices: FloatArray) -> float:
        """Give the smallest penalty at which the best constant is optimal."""
        every = range(len(self.groups))
        return self.price(self.start(), every).largest_ratio(prices)

    def price(self, point: Point, chosen: Iterable[int]) -> Pricing:
        """Add up the pulls of all rows for some groups."""
        cells = {k: self.groups[k].cells for k in chosen}
        ask = partial(on.sums_of_pulls, self.loss, cells, point.offsets)
        parts = self.place.fetch(ask, self.blocks, point.scores)
        scalars = sum(part[0] for part in parts) / self.total
        correlations = {
            k: self.groups[k].correlation(sum(part[1][k] for part in parts))
            / self.total
            for k in cells
        }
        norms = {k: _felt(c, self.groups[k].bounded) for k, c in correlations.items()}
        return Pricing(float(scalars[0]), correlations, norms, *map(float, scalars[1:]))

    def gap(
        self, point: Point, pricing: Pricing, lam: float, prices: FloatArray
    ) -> float:
        """Bound the relative distance from the minimum over the priced groups."""
        primal = pricing.loss + lam * _penalty(point.coefs, prices)
        # Weak duality (GAI-3): the pulls a, shrunk until no group feels more than its
        # price, are feasible in the dual, and its value there bounds the minimum.
        ratio = pricing.largest_ratio(prices) / lam
        limit = 1.0 / ratio if ratio > 0 else np.inf
        scale = self.loss.scale(limit, pricing.pull_by_y, pricing.pull_square)
        ask = partial(on.dual_value, self.loss, point.offsets, scale)
        dual = sum(self.place.fetch(ask, self.blocks, point.scores))
        return float((primal - dual / self.total) / max(primal, 1e-300))

    def solve(
        self,
        lam: float,
        prices: FloatArray,
        start: Point,
        tol: float,
        max_iter: int = 200,
    ) -> Point:
        """Minimise for one penalty, from a point nearby.

        Parameters
        ----------
        lam : float
        prices : ndarray of shape (n_groups,)
        start : Point
            Is not changed.
        tol : float
            Relative gap to reach.
        max_iter : int

        Returns
        -------
        Point
            With status "optimal", "stalled" or "time_limit".
        """
        point = start.copy()
        point.gap, point.status = np.inf, "stalled"
        for k in self.model.members:  # what the model knows can move at no cost
            point.coefs.setdefault(k, np.zeros(self.groups[k].size))
        every = range(len(self.groups))
        pricing = self.price(point, every)  # warm starts are often near the end
        for point.n_iter in range(max_iter):
            gap = self.gap(point, pricing, lam, prices)
            if len(pricing.correlations) == len(self.groups):
                point.gap = gap
                if gap <= tol:
                    point.status = "optimal"
                    break
                if self.deadline.is_over:
                    point.status = "time_limit"
                    break
                self._grow(point, pricing, lam * prices)
            elif gap <= 0.3 * tol or self.deadline.is_over:
                # Only now: pricing all costs far more than what a step needs.
                pricing = self.price(point, every)
                continue
            goal = _GOAL * max(min(gap, 0.1), tol)
            if not self._step(point, pricing, lam, prices, goal):
                break
            pricing = self.price(point, every if self._is_exact else point.coefs)
        if point.status == "stalled":
            point.gap = self.gap(point, self.price(point, every), lam, prices)
        return point

    def _grow(self, point: Point, pricing: Pricing, costs: FloatArray) -> None:
        """Take the groups into the working set that the pull would move most."""
        ratios = {
            k: norm / costs[k]
            for k, norm in pricing.norms.items()
            if k not in point.coefs
        }
        violated = sorted(
            (k for k, r in ratios.items() if r > 1.0), key=lambda k: ratios[k]
        )
        for k in violated[::-1][: 20 + len(point.coefs) // 2]:
            point.coefs[k] = np.zeros(self.groups[k].size)

    def _step(
        self,
        point: Point,
        pricing: Pricing,
        lam: float,
        prices: FloatArray,
        goal: float,
    ) -> bool:
        """Minimise the model and move there; False: there is nowhere to go."""
        self.update_model(point)
        model = self.model
        before = model.stacked(point.coefs)
        gradient = -model.stacked(pricing.correlations)
        for _ in range(_MAX_TRIALS):
            after = model.minimise(before, gradient, lam * prices, goal)
            change = after - before
            if not change.any():
                return False
            moves = self._changes(model.split(change))
            shift = model.offset_change(change)
            if self._is_exact:  # then the model is the objective itself
                t = 1.0
                break
            line = before, change, lam * prices
            t = self._search(point, moves, shift, model, line)
            if t < _SHORT:
                model.stiffen()
            elif t == 1.0:
                model.relax()
            if t > 0:
                break
        else:
            return False
        point.coefs.update(model.split(before + t * change))
        point.offsets = point.offsets + t * shift
        point.scores = self.place.keep(partial(on.moved, t), point.scores, moves)
        self._fit_offsets(point)
        return True

    def update_model(self, point: Point) -> None:
        """Let the model know the working set and the curvatures of today."""
        model = self.model
        if not model.has_weights or not self.loss.is_quadratic:
            scores = np.concatenate(
                self.place.fetch(on.picked, point.scores, self._rows)
            )
            weights = self.loss.curvatures(model.rows.y, scores, point.offsets)
            model.reweigh(weights, _MOVED)
            model.has_offsets = self.loss.n_offsets > 0
        model.grow(point.coefs)

    def _changes(self, coefs: dict[int, FloatArray]) -> list[Any]:
        """Give the scores of coefficients, block by block."""
        moving = [(self.groups[k], v) for k, v in coefs.items() if v.any()]
        tables = [table for group, v in moving for table in group.over_cells(v)]
        return self.place.keep(partial(on.scores_of, tables), self.blocks)

    def _search(
        self,
        point: Point,
        moves: list[Any],
        shift: FloatArray,
        model: Curvature,
        step: tuple[FloatArray, FloatArray, FloatArray],
    ) -> float:
        """Find a step along a direction by secants on the slope of the objective.

        Not on its values: near the minimum these differ by rounding only. 0: the model
        does not lead downhill.
        """

        def slope(t: float) -> float:
            ask = partial(on.line_slopes, self.loss, point.offsets + t * shift, t)
            parts = self.place.fetch(ask, self.blocks, point.scores, moves)
            along, *by_offset = sum(parts)
            total = float(along) + float(shift @ by_offset[: len(shift)])
            return total / self.total + model.penalty_slope(*step, t)

        low, at_low = 0.0, slope(0.0)
        high, at_high = 1.0, slope(1.0)
        if at_high <= 0.0:
            return 1.0
        if not (at_low < 0.0 and np.isfinite(at_high)):
            return 0.0
        for _ in range(_MAX_TRIALS):
            t = high - at_high * (high - low) / (at_high - at_low)
            t = min(max(t, low + 0.05 * (high - low)), high - 0.05 * (high - low))
            now = slope(t)
            if abs(now) <= 0.1 * abs(at_low) or high - low < 1e-3 * high:
                return t
            if now > 0:
                high, at_high = t, now
            else:
                low, at_low = t, now
        return low  # where the objective is still falling

    def _fit_offsets(self, point: Point) -> None:
        """Find the best offsets: then the pulls on each of them add up to 0."""
        if not len(point.offsets):
            return
        offsets = point.offsets
        gradient, curvature = self._offset_slopes(point, offsets)
        for _ in range(60):
            # To rounding: the dual asks for pulls of sum 0, and its value would be no
            # bound with any other.
            if np.abs(gradient).max() <= 1e-13:
                break
            step = gradient / np.maximum(curvature, 1e-8)
            # Far out a logistic loss is nearly straight, and Newton would leap.
            step = np.clip(step, -2.0, 2.0)
            for _ in range(20):
                tried = offsets + step
                g, h = self._offset_slopes(point, tried)
                # too far beyond the best is no better than too short
                limit = np.where(g * gradient < 0, 0.5, 1.0)
                worse = np.abs(g) > limit * np.abs(gradient)
                if not worse.any():
                    break
                step = np.where(worse, step / 2, step)
            else:
                break
            offsets, gradient, curvature = tried, g, h
            if self.loss.is_quadratic:
                break
        point.offsets = offsets

    def _offset_slopes(
        self, point: Point, offsets: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        ask = partial(on.offset_slopes, self.loss, offsets)
        gradient, curvature = sum(self.place.fetch(ask, self.blocks, point.scores))
        return gradient / self.total, curvature / self.total


def _felt(correlation: FloatArray, bounded: BoolArray) -> float:
    """Give the norm of what coefficients can follow."""
    if bounded.any():
        correlation = np.where(bounded, np.maximum(correlation, 0.0), correlation)
    return sqrt(correlation @ correlation)  # called for every group in every step


def _penalty(coefs: dict[int, FloatArray], prices: FloatArray) -> float:
    return float(sum(prices[k] * np.linalg.norm(v) for k, v in coefs.items()))
