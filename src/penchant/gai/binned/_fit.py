"""From encoded items to a learned utility, by a path or at a given penalty."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from penchant._progress import Progress
from penchant._validation import check_memory
from penchant.gai.binned._bins import EDGE_ROWS, Axis, sampled
from penchant.gai.binned._blocks import Block, make_block, make_blocks
from penchant.gai.binned._groups import Group, Joined, make_groups
from penchant.gai.binned._losses import Loss
from penchant.gai.binned._path import (
    FOLD_ROWS,
    Chosen,
    Table,
    choose,
    fit_at,
    hold_out,
)
from penchant.gai.binned._solver import BinnedProblem, Point
from penchant.gai.binned._spread import Spread
from penchant.gai.binned._utility import BinnedGAI
from penchant.typing import FloatArray, IntArray
from penchant.utility import Factor

_VALUE_BYTES, _ROW_BYTES, _LEAST_BYTES = 40.0, 80.0, 7e8
"""What a fit holds for each value of the table and for each row, and in any case: the
encoded table twice, codes and a line; scores, pulls and moves; curvatures."""


@dataclass(frozen=True, eq=False)
class Rows:
    """What to learn from.

    Parameters
    ----------
    sides : sequence of ndarray of shape (n_rows, n_attributes), or of one Spread
        Encoded items; or the first and the second items of comparisons.
    y, weights : ndarray of shape (n_rows,)
    categorical : sequence of bool
        Which attributes are codes of categories.
    directions : mapping of int to {+1, -1} or None
        Attributes along which the utility must rise or fall.
    """

    sides: Sequence[Any]
    y: FloatArray
    weights: FloatArray
    categorical: Sequence[bool]
    directions: Mapping[int, int] | None = None

    def sample(self) -> FloatArray:
        """Give the items from which bins are made."""
        first = self.sides[0]
        if isinstance(first, Spread):
            return first.pick(sampled(len(self.y), EDGE_ROWS))
        items: FloatArray = np.concatenate(self.sides) if len(self.sides) > 1 else first
        return items[sampled(len(items), EDGE_ROWS)]

    def table(
        self,
        axes: Sequence[Axis],
        groups: Sequence[Group | Joined],
        loss: Loss,
        progress: Progress,
    ) -> Table:
        """Encode the rows block by block, where they are."""
        first = self.sides[0]
        if isinstance(first, Spread):
            columns = first.pieces, first.parts(self.y), first.parts(self.weights)
            blocks = first.place.keep(partial(_one_sided, axes), *columns)
            return Table(blocks, groups, loss, first.sizes, first.place, progress)
        n_values = sum(side.size for side in self.sides)
        need = _VALUE_BYTES * n_values + _ROW_BYTES * len(self.y) + _LEAST_BYTES
        check_memory(
            need,
            f"The binned solver with {len(self.y)} rows",
            "Use fewer rows, or a Dask array on a cluster.",
        )
        blocks = make_blocks(axes, self.sides, self.y, self.weights)
        sizes = [len(block.y) for block in blocks]
        return Table(blocks, groups, loss, sizes, progress=progress)


def _one_sided(
    axes: Sequence[Axis], U: FloatArray, y: FloatArray, weights: FloatArray
) -> Block:
    return make_block(axes, [U], y, weights)


@dataclass(frozen=True, eq=False)
class BinnedFit:
    """A learned utility and how well it solves its problem.

    Parameters
    ----------
    utility : BinnedGAI
    offsets : ndarray
        The first is in the utility's intercept, too.
    gap : float
        Relative duality gap over all candidates; of the linear problem if `solver`
        says so.
    status : str
        "optimal", "stalled" or "time_limit".
    n_iter : int
    solver : {"binned", "linear"}
    lam : float
        The penalty, per row.
    error : float
        Mean loss of rows that were held out; NaN at a given penalty.
    scores : ndarray of shape (n_rows,) or None
        Scores of rows while they were held out, if these were asked for; NaN of rows
        that never were.
    state : tuple of BinnedProblem and Point, or None
        What was solved, and where.
    """

    utility: BinnedGAI
    offsets: FloatArray
    gap: float
    status: str
    n_iter: int
    solver: str
    lam: float
    error: float
    scores: FloatArray | None = None
    state: tuple[BinnedProblem, Point] | None = None


def fit_binned(
    rows: Rows,
    loss: Loss,
    *,
    max_order: int = 2,
    tol: float = 1e-3,
    lam: float | None = None,
    random_state: np.random.RandomState | None = None,
    progress: Progress | None = None,
    keep_scores: bool = False,
) -> BinnedFit:
    """Learn a sparse utility over bins.

    Parameters
    ----------
    rows : Rows
    loss : Loss
    max_order : int
        Largest number of attributes in a factor, at most 3; 0: lines and levels.
    tol : float
        Relative gap to reach.
    lam : float or None
        The penalty of (P); None: chosen by rows that are held out, and a linear
        utility is taken where these say that it does better.
    random_state : RandomState or None
        Draws the rows that are held out.
    progress : Progress or None
        Tells when time is up, and others how far the fit is.
    keep_scores : bool
        Whether to tell the scores of held-out rows.
    """
    order = min(max(max_order, 1), max(1, len(rows.categorical)))
    groups: Sequence[Group | Joined]
    axes, groups = make_groups(
        rows.sample(),
        rows.categorical,
        order,
        rows.directions,
        is_smooth=loss.is_likelihood,
    )
    line = tuple(group for group in groups if _is_linear(group))
    name = "binned"
    if max_order == 0:
        name, groups = "linear", [Joined(line)] if line else []
    table = rows.table(axes, groups, loss, progress or Progress("fit_binned"))
    if not groups or len(rows.y) < 2:
        point = replace(table.problem().start(), gap=0.0, status="optimal")
        nothing = Chosen(point, np.inf, np.nan, np.nan, table.problem())
        return _learned(nothing, axes, [], name)
    if lam is not None:
        return _learned(fit_at(table, lam, tol), axes, groups, name)
    random = np.random.RandomState(0) if random_state is None else random_state
    held_out = hold_out(rows.y, random)
    chosen = choose(table, held_out, tol, keep_scores=keep_scores)
    if name == "binned" and line and len(rows.y) <= FOLD_ROWS:
        lines = replace(table, groups=[Joined(line)])
        linear = choose(lines, held_out, tol, keep_scores=keep_scores)
        if linear.least < chosen.least:
            return _learned(linear, axes, lines.groups, "linear")
    return _learned(chosen, axes, groups, name)


def _is_linear(group: Group) -> bool:
    """Tell whether a group is part of a linear model: a line, or levels."""
    levels = len(group.factor) == 1 and group.axes[0].is_categorical
    return group.is_line or levels


def _learned(
    chosen: Chosen,
    axes: Sequence[Axis],
    groups: Sequence[Group | Joined],
    solver: str,
) -> BinnedFit:
    """Write coefficients as tables."""
    point = chosen.point
    tables: dict[Factor, FloatArray] = {}
    slopes: dict[Factor, float] = {}
    for k, coef in point.coefs.items():
        group = groups[k]
        parts = group.parts if isinstance(group, Joined) else (group,)
        pieces = group.split(coef) if isinstance(group, Joined) else [coef]
        for part, piece in zip(parts, pieces, strict=True):
            if not piece.any():
                continue
            if part.is_line:
                slopes[part.factor] = float(part.table(piece)[0])
                n_cells = len(part.axes[0].shares[0])
                tables.setdefault(part.factor, np.zeros(n_cells))
            elif part.is_cone and len(part.factor) > 1:
                for factor, table in _parts(part, piece):
                    tables[factor] = tables.get(factor, 0.0) + table
            else:
                tables[part.factor] = tables.get(part.factor, 0.0) + part.table(piece)
    offsets = point.offsets + tables.pop((), 0.0)
    subsets = tuple(sorted(tables, key=lambda s: (len(s), s)))
    lean = {i: replace(axis, features=()) for i, axis in enumerate(axes)}
    utility = BinnedGAI(
        lean,
        subsets,
        tuple(tables[s] for s in subsets),
        tuple(slopes.get(s, 0.0) for s in subsets),
        float(offsets[0]) if len(offsets) else 0.0,
    )
    return BinnedFit(
        utility,
        offsets,
        point.gap,
        point.status,
        point.n_iter,
        solver,
        chosen.lam,
        chosen.error,
        chosen.scores,
        (chosen.problem, point),
    )


def _parts(group: Group, coef: FloatArray) -> Iterator[tuple[Factor, FloatArray]]:
    """Split a table that is not centred into those of all parts of its factor."""
    order = len(group.factor)
    for size in range(order + 1):
        for part in combinations(range(order), size):
            table = group.table(coef)
            for place in reversed(range(order)):
                shares = group.axes[place].shares[order - 1]
                means = np.tensordot(table, shares, axes=(place, 0))
                inside = place in part
                table = table - np.expand_dims(means, place) if inside else means
            for axis, place in enumerate(part):
                cells = _coarser(group.axes[place], size, order)
                table = np.take(table, cells, axis=axis)
            yield tuple(group.factor[place] for place in part), table


def _coarser(axis: Axis, order: int, larger: int) -> IntArray:
    """Give for each cell in factors of one order its cell in larger factors."""
    cells = np.zeros(len(axis.shares[order - 1]), dtype=np.int64)
    cells[axis.cells[order - 1]] = axis.cells[larger - 1]
    return cells
