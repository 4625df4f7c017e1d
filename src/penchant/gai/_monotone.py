"""Utilities that are monotone in chosen attributes: tables over knots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations

import numpy as np
from scipy import sparse

from penchant.exceptions import DataError
from penchant.gai.solver._isotonic import nearest_monotone
from penchant.kernels import (
    Categorical,
    KernelSum,
    Ordinal,
    ScaledKernel,
    UnivariateKernel,
)
from penchant.typing import FloatArray
from penchant.utility import CompactGAI, Factor, GAIUtility, Kind, KnotMap, TensorGAI

_MAX_KNOTS = 33
_TABLE_ENTRIES = 5_000
"""Knots per attribute are chosen so that no table gets much larger than this."""
_MAX_TABLE = 2**17
_UNIFORM_SHARE = 0.1
"""Share of the uniform measure in the weights of the knots."""
_KNOT_SHARE = 0.02
"""Share of the knots in what the tables should be near to; the rest is the items."""
_TOLERANCE = 1e-4
_MAX_STEPS = 500


def monotone_utility(
    utility: GAIUtility,
    kernels: Sequence[UnivariateKernel],
    U: FloatArray,
    directions: Mapping[int, int],
) -> TensorGAI:
    """Give the nearest sum of monotone tables to a learned utility.

    The utility in compact form (GAI-8) is written as tables over knots, with
    straight lines between the knots. Among all such sums whose tables are monotone
    along the chosen attributes, the one nearest to the utility is found. Nearness
    counts at the training items, so that correlated attributes can stand in for
    each other, and a little at all knots. Interpolation keeps monotone tables
    monotone, and so does summing: the result is monotone everywhere in the domain,
    and constant outside, where values are clamped.

    Parameters
    ----------
    utility : GAIUtility
        What was learned.
    kernels : sequence of UnivariateKernel
        One per attribute; their measures centre the result.
    U : ndarray of shape (n_items, n_features)
        Encoded training items.
    directions : mapping of int to {+1, -1}
        Attributes, encoded, in which u must rise or fall.

    Returns
    -------
    TensorGAI
        With the ANOVA decomposition of the monotone utility as its factors.
    """
    compact = CompactGAI(utility)
    maps = _make_maps(compact.factors, kernels)
    blocks = [
        _Table.from_factor(home, compact, maps, U, directions)
        for home in compact.factors
    ]
    tables = _nearest_tables(blocks, len(U))
    return _decomposition(tables, maps, compact.intercept)


@dataclass(frozen=True, eq=False)
class _Table:
    """A factor as a table over knots, and what is asked of it.

    Parameters
    ----------
    home : tuple of int
        Its attributes.
    wanted : ndarray
        The learned function at the knots.
    axis_weights : list of ndarray
        Importance of the knots along each axis; a cell weighs their product.
    signs : list of {+1, -1, 0}
        Direction along each axis.
    interpolation : sparse array of shape (n_items, n_cells)
        Takes a table to its values at the training items.
    """

    home: Factor
    wanted: FloatArray
    axis_weights: list[FloatArray]
    signs: list[int]
    interpolation: sparse.csr_array

    @classmethod
    def from_factor(
        cls,
        home: Factor,
        compact: CompactGAI,
        maps: Mapping[int, KnotMap],
        U: FloatArray,
        directions: Mapping[int, int],
    ) -> "_Table":
        shape = [len(maps[i].knots) for i in home]
        values = compact.factor(home, _grid([maps[i].knots for i in home]))
        axes = [sparse.csr_array(maps[i](U[:, i])) for i in home]
        return cls(
            home=home,
            wanted=values.reshape(shape),
            axis_weights=[_data_weights(maps[i], U[:, i]) for i in home],
            signs=[directions.get(i, 0) for i in home],
            interpolation=reduce(_row_products, axes),
        )

    @cached_property
    def weights(self) -> FloatArray:
        """The weight of each cell."""
        return reduce(np.multiply.outer, self.axis_weights)

    def project(self, table: FloatArray) -> FloatArray:
        """Give the nearest table that keeps to the directions."""
        return nearest_monotone(table, self.axis_weights, self.signs)


def _nearest_tables(blocks: Sequence[_Table], n_items: int) -> dict[Factor, FloatArray]:
    """Move the tables as little as possible, by accelerated projected gradients.

    With moves m_h = t_h - wanted_h of the tables t_h, the objective is half of
    (1 - r) mean_j (sum_h m_h(x_j))^2 + r sum_h <weights_h, m_h^2>.
    """
    step = 1.0 / _curvature(blocks, n_items)
    tables = [block.project(block.wanted) for block in blocks]
    ahead, momentum = tables, 1.0
    scale = max((np.ptp(block.wanted) for block in blocks), default=0.0)
    for _ in range(_MAX_STEPS):
        moves = [t - block.wanted for t, block in zip(ahead, blocks, strict=True)]
        slopes = _gradient(blocks, moves, n_items)
        before = tables
        tables = [
            block.project(table - step * slope)
            for block, table, slope in zip(blocks, ahead, slopes, strict=True)
        ]
        changes = [new - old for new, old in zip(tables, before, strict=True)]
        if max((np.abs(c).max() for c in changes), default=0.0) <= _TOLERANCE * scale:
            break
        # Nesterov's sequence: the error falls with the square of the number of steps.
        faster = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        push = (momentum - 1.0) / faster
        ahead = [t + push * c for t, c in zip(tables, changes, strict=True)]
        momentum = faster
    return {block.home: table for block, table in zip(blocks, tables, strict=True)}


def _gradient(
    blocks: Sequence[_Table], moves: Sequence[FloatArray], n_items: int
) -> list[FloatArray]:
    """Give the gradient with respect to each table, in the metric of its weights."""
    moved = sum(
        (b.interpolation @ m.ravel() for b, m in zip(blocks, moves, strict=True)),
        np.zeros(n_items),
    )
    pull = (1.0 - _KNOT_SHARE) / n_items * moved
    return [
        (b.interpolation.T @ pull).reshape(m.shape) / b.weights + _KNOT_SHARE * m
        for b, m in zip(blocks, moves, strict=True)
    ]


def _curvature(blocks: Sequence[_Table], n_items: int) -> float:
    """Bound the curvature of the objective: the largest sum of a row of its matrix."""
    totals = np.zeros(n_items)
    for block in blocks:
        spread = block.interpolation.T @ np.ones(n_items) / block.weights.ravel()
        totals += block.interpolation @ spread
    largest = float(totals.max(initial=0.0)) / n_items
    return (1.0 - _KNOT_SHARE) * largest + _KNOT_SHARE


def _row_products(left: sparse.csr_array, right: sparse.csr_array) -> sparse.csr_array:
    """Multiply each entry of a row of `left` with each of the same row of `right`."""
    n_rows, width = left.shape[0], right.shape[1]
    per_left, per_right = np.diff(left.indptr), np.diff(right.indptr)
    rows = np.repeat(np.arange(n_rows), per_left)
    repeats = per_right[rows]
    first = np.repeat(np.arange(left.nnz), repeats)
    offsets = np.arange(len(first)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    second = np.repeat(right.indptr[:-1][rows], repeats) + offsets
    columns = left.indices[first].astype(np.int64) * width + right.indices[second]
    data = left.data[first] * right.data[second]
    shape = (n_rows, left.shape[1] * width)
    return sparse.csr_array((data, (np.repeat(rows, repeats), columns)), shape=shape)


def _decomposition(
    tables: Mapping[Factor, FloatArray], maps: dict[int, KnotMap], intercept: float
) -> TensorGAI:
    """Give the ANOVA decomposition of a sum of tables."""
    components: dict[Factor, FloatArray] = {}
    for home, table in tables.items():
        for size in range(len(home) + 1):
            for part in combinations(home, size):
                centred = _component(table, home, part, maps)
                components[part] = components.get(part, 0.0) + centred
    intercept += float(components.pop((), 0.0))
    subsets = sorted(components, key=lambda s: (len(s), s))
    scale = max((np.ptp(table) for table in tables.values()), default=0.0)
    kept = [s for s in subsets if np.abs(components[s]).max() > 1e-13 * scale]
    return TensorGAI(
        dict(maps), tuple(kept), tuple(components[s] for s in kept), intercept
    )


def _component(
    table: FloatArray, home: Factor, part: Factor, maps: Mapping[int, KnotMap]
) -> FloatArray:
    """Average over the attributes outside a part, centre those inside it."""
    for axis in range(len(home) - 1, -1, -1):
        means = np.tensordot(table, maps[home[axis]].means(), axes=(axis, 0))
        inside = home[axis] in part
        table = table - np.expand_dims(means, axis) if inside else means
    return table


def _make_maps(
    factors: Sequence[Factor], kernels: Sequence[UnivariateKernel]
) -> dict[int, KnotMap]:
    """Choose the knots of each attribute: its levels, or as many as tables allow."""
    maps: dict[int, KnotMap] = {}
    for factor in factors:  # larger factors come later and may thin the knots out
        n_knots = min(_MAX_KNOTS, int(_TABLE_ENTRIES ** (1.0 / len(factor))))
        for i in factor:
            maps[i] = _make_map(kernels[i], max(3, n_knots))
    for factor in factors:
        size = np.prod([float(len(maps[i].knots)) for i in factor])
        if size > _MAX_TABLE:
            raise DataError(
                f"The factor {factor} is too large for monotone: its table would "
                f"have {size:.1e} entries. Fit with a smaller max_order."
            )
    return maps


def _make_map(kernel: UnivariateKernel, n_knots: int) -> KnotMap:
    inner = kernel
    while isinstance(inner, ScaledKernel | KernelSum):
        inner = inner.kernel if isinstance(inner, ScaledKernel) else inner.kernels[0]
    if not isinstance(inner, Ordinal | Categorical):
        return KnotMap(np.linspace(0.0, 1.0, n_knots), "continuous")
    levels, weights = inner.measure()
    order = np.argsort(levels)
    kind: Kind = "ordinal" if isinstance(inner, Ordinal) else "categorical"
    return KnotMap(levels[order], kind, weights[order])


def _data_weights(knots: KnotMap, values: FloatArray) -> FloatArray:
    """Mix the share of the data at each knot with the measure of the attribute."""
    shares = knots(values).sum(axis=0)
    total = max(float(shares.sum()), 1.0)
    uniform = np.maximum(knots.means(), 1e-6)
    return (1 - _UNIFORM_SHARE) * shares / total + _UNIFORM_SHARE * uniform


def _grid(axes: Sequence[FloatArray]) -> FloatArray:
    """List all combinations of values, one per row."""
    return np.stack([c.ravel() for c in np.meshgrid(*axes, indexing="ij")], axis=1)
