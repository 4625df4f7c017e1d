"""Blocks of rows, and what is asked of them: sums, and scores that stay where they are.

Each function takes a block, and what belongs to its rows, to something small or to
scores of its rows. It depends on its arguments alone, so that a block may live in
another process, and what a lost process knew can be computed again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from penchant.gai.binned._bins import Axis, Codes
from penchant.gai.binned._losses import Loss
from penchant.typing import FloatArray, IntArray
from penchant.utility import Factor

SingleArray: TypeAlias = NDArray[np.float32]

BLOCK_ROWS = 2**16
"""Rows of a block: its columns of codes and pulls stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Side:
    """The items of a block: codes for each order, shape (d, n), and linear columns."""

    codes: tuple[Codes, ...]
    lines: SingleArray

    def rows(self, chosen: IntArray) -> "Side":
        """Keep some rows."""
        codes = tuple(order[:, chosen] for order in self.codes)
        return Side(codes, self.lines[:, chosen])


@dataclass(frozen=True, eq=False)
class Block:
    """Rows that are worked on together, on one worker.

    Parameters
    ----------
    sides : tuple of Side
        The rated items; or the first and the second items of comparisons, whose
        difference is judged.
    y, weights : ndarray of shape (n_rows,)
    """

    sides: tuple[Side, ...]
    y: FloatArray
    weights: FloatArray

    def rows(self, chosen: IntArray) -> "Block":
        """Keep some rows."""
        sides = tuple(side.rows(chosen) for side in self.sides)
        return Block(sides, self.y[chosen], self.weights[chosen])


class Place(Protocol):
    """Where blocks live."""

    def keep(self, function: Callable[..., Any], *columns: Sequence[Any]) -> list[Any]:
        """Apply a function block by block; results stay there."""

    def fetch(self, function: Callable[..., Any], *columns: Sequence[Any]) -> list[Any]:
        """Apply a function block by block and bring the results here."""


class Here:
    """Blocks in this process."""

    def fetch(self, function: Callable[..., Any], *columns: Sequence[Any]) -> list[Any]:
        """Apply a function block by block."""
        return [function(*each) for each in zip(*columns, strict=True)]

    keep = fetch


class Cells(NamedTuple):
    """The joint cells of some attributes, or the line of one.

    Parameters
    ----------
    factor : tuple of int
        Positions of the attributes.
    shape : tuple of int
        Number of cells along each; none: the line.
    """

    factor: Factor
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of cells; 1 for a line."""
        return prod(self.shape)

    def places(self, side: Side) -> IntArray:
        """Give the joint cell of each row, in the integers that bincount wants."""
        codes = side.codes[len(self.factor) - 1]
        cells: IntArray = codes[self.factor[0]].astype(np.intp)
        for i, n_cells in zip(self.factor[1:], self.shape[1:], strict=True):
            cells *= n_cells
            cells += codes[i]
        return cells

    def sums(self, block: Block, pull: FloatArray) -> FloatArray:
        """Add up the pulls of a block in each cell, or along the line."""
        total = np.zeros(self.size)
        for sign, side in zip((1, -1), block.sides, strict=False):
            if self.shape:
                total += sign * np.bincount(self.places(side), pull, len(total))
            else:
                total += sign * (side.lines[self.factor[0]] @ pull)
        return total

    def add(self, block: Block, table: FloatArray, values: FloatArray) -> None:
        """Add the function with this table to values of the rows of a block."""
        for sign, side in zip((1, -1), block.sides, strict=False):
            if self.shape:
                values += (sign * table).ravel()[self.places(side)]
            else:
                values += (sign * table[0]) * side.lines[self.factor[0]]


Table: TypeAlias = tuple[Cells, FloatArray]
"""A function over cells: its value in each, or its slope."""


def make_blocks(
    axes: Sequence[Axis],
    sides: Sequence[FloatArray],
    y: FloatArray,
    weights: FloatArray,
    block_rows: int = BLOCK_ROWS,
) -> list[Block]:
    """Encode rows block by block."""
    ranges = (slice(low, low + block_rows) for low in range(0, len(y), block_rows))
    return [
        make_block(axes, [side[own] for side in sides], y[own], weights[own])
        for own in ranges
    ]


def make_block(
    axes: Sequence[Axis],
    sides: Sequence[FloatArray],
    y: FloatArray,
    weights: FloatArray,
) -> Block:
    """Encode rows: a byte per attribute and order, a single per line."""
    return Block(tuple(_make_side(axes, side) for side in sides), y, weights)


def _make_side(axes: Sequence[Axis], U: FloatArray) -> Side:
    columns = np.ascontiguousarray(U.T)
    lines = np.zeros(columns.shape, dtype=np.float32)
    codes: list[list[Codes]] = []
    for i, (axis, column) in enumerate(zip(axes, columns, strict=True)):
        codes.append(axis.codes(column))
        if axis.has_line:
            lines[i] = axis.line(column)
    n_orders = len(codes[0]) if codes else 0
    by_order = (np.stack([own[q] for own in codes]) for q in range(n_orders))
    return Side(tuple(by_order), lines)


def row_weights(block: Block) -> FloatArray:
    """Give the weights of the rows."""
    return block.weights


def reweighted(block: Block, shares: FloatArray) -> Block:
    """Let rows count for a share of what they count."""
    return replace(block, weights=block.weights * shares)


def no_scores(block: Block) -> FloatArray:
    """Give scores of zero."""
    return np.zeros(len(block.y))


def scores_of(tables: Iterable[Table], block: Block) -> FloatArray:
    """Give the scores of functions over cells."""
    values = np.zeros(len(block.y))
    for cells, table in tables:
        cells.add(block, table, values)
    return values


def moved(t: float, scores: FloatArray, change: FloatArray) -> FloatArray:
    """Move scores by a part of a change."""
    return scores + t * change


def picked(scores: FloatArray, rows: IntArray) -> FloatArray:
    """Give the scores of some rows."""
    return scores[rows]


def picked_rows(block: Block, rows: IntArray) -> Block:
    """Give some rows."""
    return block.rows(rows)


def joined(parts: Sequence[Block]) -> Block:
    """Put blocks together."""

    def together(sides: Sequence[Side]) -> Side:
        codes = zip(*(side.codes for side in sides), strict=True)
        orders = tuple(np.concatenate(order, axis=1) for order in codes)
        return Side(orders, np.concatenate([side.lines for side in sides], axis=1))

    return Block(
        tuple(together(s) for s in zip(*(p.sides for p in parts), strict=True)),
        np.concatenate([part.y for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )


def sums_of_pulls(
    loss: Loss,
    cells: Mapping[int, Sequence[Cells]],
    offsets: FloatArray,
    block: Block,
    scores: FloatArray,
) -> tuple[FloatArray, dict[int, FloatArray]]:
    """Give sums of the loss, of a y and of a^2, and of pulls a in cells."""
    pulls = loss.pulls(block.y, scores, offsets).sum(axis=0)
    weighted = block.weights * pulls
    values = loss.value(block.y, scores, offsets)
    scalars = block.weights @ values, weighted @ block.y, weighted @ pulls
    sums = {
        k: np.concatenate([part.sums(block, weighted) for part in parts])
        for k, parts in cells.items()
    }
    return np.array(scalars), sums


def dual_value(
    loss: Loss, offsets: FloatArray, scale: float, block: Block, scores: FloatArray
) -> float:
    """Give the sum of the dual values of scaled pulls."""
    pulls = loss.pulls(block.y, scores, offsets)
    return float(block.weights @ loss.dual(block.y, pulls, scale))


def line_slopes(
    loss: Loss,
    offsets: FloatArray,
    t: float,
    block: Block,
    scores: FloatArray,
    change: FloatArray,
) -> FloatArray:
    """Give slopes of the loss: along a change of scores, then for each offset."""
    pulls = loss.pulls(block.y, scores + t * change, offsets)
    along = (block.weights * pulls.sum(axis=0)) @ change
    return -np.append(along, pulls @ block.weights)


def offset_slopes(
    loss: Loss, offsets: FloatArray, block: Block, scores: FloatArray
) -> FloatArray:
    """Give the pull on each offset, and the curvature."""
    pulls = loss.pulls(block.y, scores, offsets) @ block.weights
    curvatures = loss.curvatures(block.y, scores, offsets) @ block.weights
    return np.stack([pulls, curvatures])
