"""A quadratic model of the objective around a point, and its minimum."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy.linalg import lapack

from penchant.gai.binned._blocks import Block
from penchant.gai.binned._groups import Group, Joined
from penchant.typing import BoolArray, FloatArray, IntArray

_CHUNK = 4_096
_SWEEPS = 2
_MAX_ROUNDS = 12
_MAX_TURNS = 6
_CONE_STEPS = 40
_NOTHING = 1e-10
_DAMPING = 1e-7
"""Share of the mean curvature that is added to Newton's matrix: collinear attributes
leave directions in which neither the loss nor the norms bend."""


class Curvature:
    """H = Phi'W Phi of the groups of the working set, from a sample of rows.

    Offsets are free, so H is centred. Columns are kept in the order in which their
    groups came.

    Parameters
    ----------
    rows : Block
        The sample.
    groups : sequence of Group or Joined
        All candidates.
    """

    def __init__(self, rows: Block, groups: Sequence[Group | Joined]) -> None:
        self.rows = rows
        self.groups = groups
        self.has_offsets = True
        self.has_weights = False
        self._weights = np.zeros((0, len(rows.y)))
        self._stiffness = 0.0
        self._clear()

    def _clear(self) -> None:
        self.members: list[int] = []
        self._sizes: list[int] = []
        self._bounded = np.zeros(0, dtype=bool)
        self._raw = np.zeros((0, 0))
        self._means = np.zeros((0, 0))
        self._centred = np.zeros((0, 0))
        self._rotations: dict[int, tuple[FloatArray, FloatArray]] = {}

    def reweigh(self, curvatures: FloatArray, moved: float) -> None:
        """Take new curvatures, of shape (n_offsets, n_rows), if they have moved."""
        weights = curvatures * self.rows.weights
        if self.has_weights:
            change = np.abs(weights - self._weights).sum()
            if change <= moved * self._weights.sum():
                return
        self._weights = weights
        self._total = float(self.rows.weights.sum())
        self._offset_sums = weights.sum(axis=1) / self._total
        self.has_weights = True
        members = self.members
        self._clear()
        self.grow(members)

    def grow(self, members: Iterable[int]) -> None:
        """Let groups in that are not in yet."""
        new = [k for k in members if k not in set(self.members)]
        if not new:
            return
        old, added = self.size, sum(self.groups[k].size for k in new)
        raw = np.zeros((old + added, old + added))
        raw[:old, :old] = self._raw
        means = np.zeros((old + added, len(self._weights)))
        means[:old] = self._means if old else 0.0
        every = [*self.members, *new]
        # In single precision: a wrong H costs steps, never digits of the solution.
        weights = self._weights.sum(axis=0).astype(np.float32)
        for low in range(0, len(self.rows.y), _CHUNK):
            chosen = np.arange(low, min(low + _CHUNK, len(self.rows.y)))
            chunk = self.rows.rows(chosen)
            columns = np.concatenate(
                [self.groups[k].columns(chunk) for k in every], axis=1
            )
            fresh = columns[:, old:]
            raw[:, old:] += columns.T @ (weights[chosen, None] * fresh)
            means[old:] += fresh.T @ self._weights[:, chosen].T
        raw[:, old:] /= self._total
        raw[old:, :old] = raw[:old, old:].T
        means[old:] /= self._total
        self._raw, self._means = raw, means
        self.members = every
        self._sizes += [self.groups[k].size for k in new]
        self._bounded = np.concatenate([self.groups[k].bounded for k in every])
        self._owners = np.repeat(np.arange(len(every)), self._sizes)
        self._centre()

    def _centre(self) -> None:
        """Take out what the offsets can do."""
        self._centred = self._raw
        if self.has_offsets:  # the Schur complement of their diagonal block
            shares = self._means / np.maximum(self._offset_sums, 1e-12)
            self._centred = self._raw - shares @ self._means.T
        if self._stiffness:
            extra = self._stiffness * np.diag(self._raw).mean()
            self._centred = self._centred + extra * np.eye(len(self._raw))
        sizes = np.array(self._sizes, dtype=np.int64)
        ends = np.cumsum(sizes)
        self._starts: IntArray = ends - sizes
        self._slices = [slice(a, b) for a, b in zip(self._starts, ends, strict=True)]
        self._rotations = {}

    def stiffen(self) -> None:
        """Let all directions bend more: the sample does not see how much some do."""
        self._stiffness = max(0.1, 10.0 * self._stiffness)
        self._centre()

    def relax(self) -> None:
        """Take back some of `stiffen`: a whole step was right, as in damped Newton."""
        if self._stiffness:
            self._stiffness = self._stiffness / 10.0 if self._stiffness > 0.01 else 0.0
            self._centre()

    @property
    def size(self) -> int:
        """Number of columns."""
        return sum(self._sizes)

    def part(self, members: Iterable[int]) -> FloatArray:
        """Give H of some groups of the working set."""
        places = [self._slices[self.members.index(k)] for k in members]
        chosen = np.concatenate([np.arange(own.start, own.stop) for own in places])
        return self._centred[np.ix_(chosen, chosen)]

    def stacked(self, coefs: Mapping[int, FloatArray]) -> FloatArray:
        """Put coefficients of groups one after the other."""
        return np.concatenate([coefs[k] for k in self.members])

    def split(self, stacked: FloatArray) -> dict[int, FloatArray]:
        """Give coefficients back to their groups."""
        pieces = zip(self.members, self._slices, strict=True)
        return {k: stacked[own] for k, own in pieces}

    def offset_change(self, change: FloatArray) -> FloatArray:
        """Give the change of offsets that goes with a change of coefficients."""
        if not self.has_offsets:
            return np.zeros(0)
        return -(change @ self._means) / np.maximum(self._offset_sums, 1e-12)

    def penalty_slope(
        self, before: FloatArray, change: FloatArray, costs: FloatArray, t: float
    ) -> float:
        """Give the derivative of the penalty along a direction."""
        now = before + t * change
        norms = self._norms(now)
        along = np.add.reduceat(now * change, self._starts)
        at_zero = self._norms(change)
        slopes = np.where(norms > 0, along / np.maximum(norms, 1e-300), at_zero)
        return float(costs[self.members] @ slopes)

    def _norms(self, stacked: FloatArray) -> FloatArray:
        return np.sqrt(np.add.reduceat(stacked**2, self._starts))

    def minimise(
        self, start: FloatArray, gradient: FloatArray, costs: FloatArray, tol: float
    ) -> FloatArray:
        """Minimise gradient'd + d'Hd/2 + sum_S costs_S ||v_S||, d = v - start.

        Sweeps over the groups find those that are zero; Newton steps on the others do
        what sweeps do slowly where attributes are nearly collinear. Ends by the
        residual of the optimality conditions, in units of the costs: the gap is of
        first order in it, the objective of second.
        """
        own = costs[self.members]
        v, slope = start.copy(), gradient.copy()
        for _ in range(_MAX_ROUNDS):
            for _ in range(_SWEEPS):
                self._sweep(v, slope, own)
            if self._residual(v, slope, own) <= tol:
                break
            self._newton(v, slope, own)
            if self._residual(v, slope, own) <= tol:
                break
        return v

    def _residual(self, v: FloatArray, slope: FloatArray, costs: FloatArray) -> float:
        # On: H d + g + cost v / ||v|| = 0. At zero: ||H d + g|| <= cost suffices.
        norms = self._norms(v)
        units = (costs / np.maximum(norms, 1e-300))[self._owners]
        downhill = np.where(np.isfinite(units), units, 0.0) * v + slope
        held = self._bounded & (v == 0.0)  # these cannot follow a slope that rises
        on = self._norms(np.where(held, np.minimum(downhill, 0.0), downhill)) / costs
        felt = np.where(self._bounded, np.minimum(slope, 0.0), slope)
        inside = np.maximum(self._norms(felt) / costs - 1.0, 0.0)
        return float(np.where(norms > 0, on, inside).max())

    def _sweep(self, v: FloatArray, slope: FloatArray, costs: FloatArray) -> None:
        """Minimise over one group after the other."""
        H = self._centred
        moving = (self._norms(slope) > costs) | (self._norms(v) > 0)
        for k in np.flatnonzero(moving).tolist():
            own = self._slices[k]
            values, vectors = self._rotation(k)
            if self._bounded[own].any():
                linear = slope[own] - H[own, own] @ v[own]
                block = H[own, own], linear, costs[k], self._bounded[own]
                new = _cone_minimum(v[own], block, values[-1])
            else:
                old = vectors.T @ v[own]
                linear = vectors.T @ slope[own] - values * old
                new = vectors @ _block_minimum(values, linear, costs[k])
            change = new - v[own]
            if change.any():
                v[own] = new  # exactly zero where it is zero
                slope += H[:, own] @ change

    def _rotation(self, k: int) -> tuple[FloatArray, FloatArray]:
        if k not in self._rotations:
            own = self._slices[k]
            values, vectors = np.linalg.eigh(self._centred[own, own])
            # directions that the sample did not see still cost something
            self._rotations[k] = np.maximum(values, 1e-6 * values[-1]), vectors
        return self._rotations[k]

    def _newton(self, v: FloatArray, slope: FloatArray, costs: FloatArray) -> None:
        """Move all that is not zero together.

        Groups that would turn round and coefficients that would become negative and
        must not are sent to zero, and the others move without them: between nearly
        collinear attributes all is then decided at once.
        """
        held = self._bounded & (v == 0.0)
        stay = (self._norms(v) > 0)[self._owners] & ~held
        direction = np.zeros(len(v))
        for _ in range(_MAX_TURNS):
            if not stay.any():
                break
            direction = np.where(stay, 0.0, -v)
            change = self._newton_step(
                v, slope + self._centred @ direction, costs, stay
            )
            if change is None:
                return
            direction[stay] = change
            along = np.add.reduceat(v * (v + direction), self._starts)
            leaves = (along <= 0)[self._owners] | (self._bounded & (v + direction < 0))
            if not (stay & leaves).any():
                break
            stay &= ~leaves
        falls = self._bounded & (direction < 0)
        reach = float(np.min(-v[falls] / direction[falls], initial=1.0))
        image = self._centred @ direction
        line = float(slope @ direction), float(direction @ image)
        t = self._best_step(v, direction, costs, line, reach)
        v += t * direction
        v[self._bounded] = np.maximum(v[self._bounded], 0.0)  # rounding
        slope += t * image

    def _newton_step(
        self, v: FloatArray, slope: FloatArray, costs: FloatArray, stay: BoolArray
    ) -> FloatArray | None:
        """Solve for the step of some columns; None: the matrix is not definite."""
        columns = np.flatnonzero(stay)
        owners = self._owners[columns]
        bends = costs / np.maximum(self._norms(v), 1e-300)
        bend = bends[owners]
        matrix = self._centred[np.ix_(columns, columns)]
        damping = _DAMPING * np.trace(matrix) / len(columns)
        matrix.flat[:: len(columns) + 1] += bend + damping
        kept, starts = np.unique(owners, return_index=True)
        norms = self._norms(v)
        for k, begin, end in zip(
            kept, starts, [*starts[1:], len(columns)], strict=True
        ):
            # The norm bends by (I - uu') / ||v|| across u = v / ||v||, not along it.
            unit = v[columns[begin:end]] / norms[k]
            matrix[begin:end, begin:end] -= bends[k] * np.outer(unit, unit)
        right = -slope[columns] - bend * v[columns]
        _, change, failed = lapack.dposv(matrix, right, lower=True)
        return None if failed else change

    def _best_step(
        self,
        v: FloatArray,
        direction: FloatArray,
        costs: FloatArray,
        line: tuple[float, float],
        reach: float,
    ) -> float:
        """Minimise the model along a direction, up to a reach.

        Where attributes are nearly collinear, groups change places along directions
        that are almost flat: full steps go far beyond the point where one is zero.
        """

        def slope(t: float) -> float:
            now = v + t * direction
            along = np.add.reduceat(now * direction, self._starts)
            norms = np.maximum(self._norms(now), 1e-300)
            return float(line[0] + t * line[1] + costs @ (along / norms))

        low, high = 0.0, reach
        if slope(high) <= 0:
            return high
        # The slope jumps where a group passes zero, which misleads secants: bisect.
        for _ in range(50):
            middle = (low + high) / 2
            if slope(middle) <= 0:
                low = middle
            else:
                high = middle
        return low


def _block_minimum(values: FloatArray, linear: FloatArray, cost: float) -> FloatArray:
    """Minimise values'v^2/2 + linear'v + cost ||v||: a root in the norm."""
    if np.sqrt(linear @ linear) <= cost:
        return np.zeros(len(linear))
    # Where v is not zero, v_i = -linear_i / (values_i + cost / norm); that this has the
    # norm that it was made with is sum_i linear_i^2 / (values_i norm + cost)^2 = 1.
    squares = linear**2
    norm = 0.0
    for _ in range(50):
        bottom = values * norm + cost
        ratio = squares / bottom**2
        total = float(ratio.sum())
        slope = float((ratio / bottom) @ values)  # -d total / d norm / 2
        if slope <= 0 or abs(total - 1.0) <= 1e-13:
            break
        # Newton on total^(-1/2) = 1, which is nearly linear
        norm = max(0.0, norm + total * (np.sqrt(total) - 1.0) / slope)
    if norm * values[-1] <= _NOTHING * cost:  # a norm that nobody sees bends a lot
        return np.zeros(len(linear))
    return -linear * norm / (values * norm + cost)


def _cone_minimum(
    start: FloatArray,
    block: tuple[FloatArray, FloatArray, float, BoolArray],
    steepest: float,
) -> FloatArray:
    """Minimise v'Hv/2 + linear'v + cost ||v|| with some v_i >= 0, nearly.

    Accelerated gradient steps, each followed by what the norm and the bounds ask for
    together: first to the cone, then towards zero. Newton's steps do the rest.
    """
    H, linear, cost, bounded = block
    v, ahead, momentum = start, start, 1.0
    for _ in range(_CONE_STEPS):
        moved = ahead - (H @ ahead + linear) / steepest
        moved = np.where(bounded, np.maximum(moved, 0.0), moved)
        norm = float(np.sqrt(moved @ moved))
        shrunk = max(0.0, 1.0 - cost / (steepest * max(norm, 1e-300))) * moved
        faster = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = shrunk + (momentum - 1.0) / faster * (shrunk - v)
        v, momentum = shrunk, faster
    return v
