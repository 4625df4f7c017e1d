"""Groups of features: lines, curves, pairs and triples."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from penchant.gai.binned._bins import SMALL, Axis, make_axes
from penchant.gai.binned._blocks import Block, Cells, SingleArray, Table
from penchant.gai.binned._cones import mid_ranks, rising_curve, rising_products
from penchant.typing import BoolArray, FloatArray, IntArray
from penchant.utility import Factor

WEIGHTS = (1.0, 1.5, 2.0)
"""Price of factors of 1, 2 and 3 attributes."""
LINEAR_WEIGHT = 0.5
_SKEWED = 0.95
"""Ranks that follow the values less closely than this say something else; those of a
normal attribute follow them by .98."""
_FINE_RANKS, _COARSE_RANKS = (48, 8, 4), (48, 5, 3)
_FINE_COLUMNS, _COARSE_COLUMNS = (48, 64, 32), (12, 16, 16)
"""The penalty decides how rough a function is; ranks only cut off what it would. Curves
have many: prices jump at round numbers, and few features are flat at both ends. Ramps
that must rise, and losses with corners, would need too many steps for that."""


@dataclass(frozen=True, eq=False)
class Group:
    """The features of one factor, or the linear column of an attribute.

    Parameters
    ----------
    factor : tuple of int
        Positions of its attributes among the axes.
    axes : tuple of Axis
        Of these attributes.
    tables : tuple of ndarray of shape (n_cells, n_features)
        The features of each attribute in each cell; none: a line.
    n_columns : int
        Only the products of features with the largest variances are kept: with
        variances that fall like 1/k^2, most of all products matter little.
    is_cone : bool
        Whether coefficients must not be negative.
    sign : {1, -1}
        Direction of a line.
    is_rank : bool
        Whether this is a line, too, but over the ranks of the values.
    """

    factor: Factor
    axes: tuple[Axis, ...]
    tables: tuple[FloatArray, ...]
    n_columns: int
    is_cone: bool = False
    sign: int = 1
    is_rank: bool = False

    @property
    def is_line(self) -> bool:
        """Whether this is the linear column of an attribute."""
        return not self.tables

    @cached_property
    def bounded(self) -> BoolArray:
        """Which coefficients must not be negative."""
        return np.full(self.size, self.is_cone)

    @property
    def price(self) -> float:
        """The weight w_S of the group's norm in the penalty."""
        if self.is_line or self.is_rank:
            return LINEAR_WEIGHT
        return WEIGHTS[len(self.factor) - 1]

    @cached_property
    def cells(self) -> tuple[Cells, ...]:
        """Where sums of pulls are wanted."""
        return (Cells(self.factor, tuple(len(table) for table in self.tables)),)

    @cached_property
    def _picks(self) -> IntArray:
        """Which products of features are columns: positions in the full tensor."""
        variances = self._variances
        order = np.argsort(-variances, kind="stable")[: self.n_columns]
        return np.sort(order)

    @cached_property
    def _variances(self) -> FloatArray:
        product = np.ones(1)
        for axis, table in zip(self.axes, self.tables, strict=True):
            shares = axis.shares[len(self.factor) - 1]
            product = np.outer(product, shares @ table**2).ravel()
        return product

    @cached_property
    def scale(self) -> float:
        """What products of features are multiplied with."""
        return float(1.0 / np.sqrt(self._variances[self._picks].sum()))

    @cached_property
    def size(self) -> int:
        """Number of columns."""
        return 1 if self.is_line else len(self._picks)

    def correlation(self, sums: FloatArray) -> FloatArray:
        """Take sums of pulls in the cells (or along the line) to columns."""
        if self.is_line:
            return self.sign * sums
        tensor = sums
        for table in self.tables:  # each step moves the first axis to the end
            tensor = tensor.reshape(len(table), -1).T @ table
        return self.scale * tensor.ravel()[self._picks]

    def table(self, coef: FloatArray) -> FloatArray:
        """Give the function with these coefficients in each cell, or the slope."""
        if self.is_line:
            return self.sign * coef
        ranks = [table.shape[1] for table in self.tables]
        tensor = np.zeros(int(np.prod(ranks)))
        tensor[self._picks] = self.scale * coef
        tensor = tensor.reshape(ranks)
        for table in self.tables:
            tensor = np.tensordot(tensor, table, axes=(0, 1))
        return tensor

    def coefficients(self, table: FloatArray) -> FloatArray:
        """Give the coefficients that come nearest to a table."""
        order = len(self.factor) - 1
        for place, axis in enumerate(self.axes):
            table = np.moveaxis(
                np.moveaxis(table, place, -1) * axis.shares[order], -1, place
            )
        return self.correlation(table) / (self.scale**2 * self._variances[self._picks])

    def over_cells(self, coef: FloatArray) -> list[Table]:
        """Give the function with these coefficients over its cells."""
        return [(self.cells[0], self.table(coef))]

    def columns(self, block: Block) -> SingleArray:
        """Give the columns of the rows of a block, single precision."""
        total = np.zeros((len(block.y), self.size), dtype=np.float32)
        for sign, side in zip((1, -1), block.sides, strict=False):
            if self.is_line:
                line = side.lines[self.factor[0]]
                total[:, 0] += np.float32(sign * self.sign) * line
            else:
                total += (
                    np.float32(sign) * self._cell_columns[self.cells[0].places(side)]
                )
        return total

    def columns_at(self, values: FloatArray) -> FloatArray:
        """Give the columns at encoded values, shape (n_values, n_attributes)."""
        if self.is_line:
            return self.sign * self.axes[0].line(values[:, 0])[:, None]
        order = len(self.factor) - 1
        pairs = zip(self.axes, values.T, strict=True)
        cells = [axis.cells[order][axis.fine(column)] for axis, column in pairs]
        shape = [len(table) for table in self.tables]
        places = np.ravel_multi_index([c.astype(np.intp) for c in cells], shape)
        return self._cell_columns[places].astype(np.float64)

    @cached_property
    def _cell_columns(self) -> SingleArray:
        """The columns of every cell."""
        products = np.ones((1, 1))
        for table in self.tables:
            wide = products[:, None, :, None] * table[None, :, None, :]
            products = wide.reshape(wide.shape[0] * wide.shape[1], -1)
        return (self.scale * products[:, self._picks]).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Joined:
    """Several groups under one norm. All lines under one norm: ridge regression.

    Parameters
    ----------
    parts : tuple of Group
    """

    parts: tuple[Group, ...]
    price: float = LINEAR_WEIGHT

    @property
    def size(self) -> int:
        """Number of columns."""
        return sum(part.size for part in self.parts)

    @property
    def bounded(self) -> BoolArray:
        """Which coefficients must not be negative."""
        return np.concatenate([part.bounded for part in self.parts])

    def split(self, coef: FloatArray) -> list[FloatArray]:
        """Give coefficients back to the parts."""
        return np.split(coef, np.cumsum([part.size for part in self.parts])[:-1])

    @property
    def cells(self) -> tuple[Cells, ...]:
        """Where sums of pulls are wanted."""
        return tuple(cells for part in self.parts for cells in part.cells)

    def correlation(self, sums: FloatArray) -> FloatArray:
        """Take sums of pulls to columns."""
        ends = np.cumsum([cells.size for cells in self.cells])[:-1]
        pieces = zip(self.parts, np.split(sums, ends), strict=True)
        return np.concatenate([part.correlation(piece) for part, piece in pieces])

    def over_cells(self, coef: FloatArray) -> list[Table]:
        """Give the functions with these coefficients over their cells."""
        pieces = zip(self.parts, self.split(coef), strict=True)
        return [table for part, piece in pieces for table in part.over_cells(piece)]

    def columns(self, block: Block) -> SingleArray:
        """Give the columns of the rows of a block, single precision."""
        return np.concatenate([part.columns(block) for part in self.parts], axis=1)


def make_groups(
    U: FloatArray,
    categorical: Sequence[bool],
    max_order: int,
    directions: Mapping[int, int] | None = None,
    *,
    is_smooth: bool = True,
) -> tuple[list[Axis], list[Group]]:
    """Bin the attributes and list the candidates: lines, curves, pairs, triples.

    Candidates with an attribute in `directions` rise (+1) or fall (-1) along it; the
    loss has no corners if `is_smooth`.
    """
    small = len(U) <= SMALL
    ranks = (_COARSE_RANKS if small else _FINE_RANKS)[:max_order]
    n_columns = _COARSE_COLUMNS if small else _FINE_COLUMNS
    if small and not is_smooth:
        ranks = (n_columns[0], *ranks[1:])
    axes = make_axes(U, categorical, ranks)
    signs = dict(directions or {})
    groups = [
        Group((i,), (axis,), (), 1, i in signs, signs.get(i, 1))
        for i, axis in enumerate(axes)
        if axis.has_line
    ]
    groups += [
        Group((i,), (axis,), (_ranks(axis),), 1, is_rank=True)
        for i, axis in enumerate(axes)
        if axis.has_line and i not in signs and _is_skewed(axis)
    ]
    for order in range(1, max_order + 1):
        for factor in combinations(range(len(axes)), order):
            chosen = tuple(axes[i] for i in factor)
            own = [signs.get(i, 0) for i in factor]
            groups += _candidates(factor, chosen, own, n_columns[order - 1])
    return axes, [group for group in groups if group.size]


def _ranks(axis: Axis) -> FloatArray:
    """Give the centred rank of each cell, a single feature; blanks are at the mean."""
    ranks = np.append(mid_ranks(axis, 0) - 0.5, 0.0)
    return ranks[:, None]


def _is_skewed(axis: Axis) -> bool:
    """Tell whether values are far from their ranks, as money and counts are.

    A line in the value then leans on the few largest; most of what is learned of such
    attributes is nearer to their logarithm, and to their rank.
    """
    shares, ranks, line = axis.shares[0], _ranks(axis)[:, 0], axis.lines
    covariance = shares @ (ranks * line)
    variances = (shares @ ranks**2) * (shares @ line**2)
    return bool(covariance < _SKEWED * np.sqrt(variances))


def _candidates(
    factor: Factor, axes: tuple[Axis, ...], signs: Sequence[int], n_columns: int
) -> Iterator[Group]:
    """Yield the group of a factor; two if several attributes have a direction."""
    order = len(factor)
    if not any(signs):
        tables = tuple(axis.features[order - 1] for axis in axes)
        if order == 1:  # all levels of a category
            n_columns = max(n_columns, tables[0].shape[1])
        yield Group(factor, axes, tables, n_columns)
    elif order == 1:
        curve = rising_curve(axes[0], signs[0], n_columns)
        yield Group(factor, axes, (curve,), curve.shape[1], is_cone=True)
    else:
        rank = int(n_columns ** (1 / order) + 1e-9)
        for tables in rising_products(axes, signs, rank):
            n_products = int(np.prod([table.shape[1] for table in tables]))
            yield Group(factor, axes, tables, n_products, is_cone=True)
