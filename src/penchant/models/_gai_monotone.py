"""Utilities that are monotone in chosen attributes: tables over knots."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from penchant.exceptions import DataError
from penchant.kernels import (
    Categorical,
    KernelSum,
    Ordinal,
    ScaledKernel,
    UnivariateKernel,
)
from penchant.models._gai_network import CompactGAI
from penchant.models._gai_utility import Factor, GAIUtility, Kind, KnotMap, TensorGAI
from penchant.typing import FloatArray

__all__ = ["monotone_utility", "nearest_monotone"]

_MAX_KNOTS = 33
_TABLE_ENTRIES = 5_000
"""Knots per attribute are chosen so that no table gets much larger than this."""
_MAX_TABLE = 2**17
_UNIFORM_SHARE = 0.1
"""Share of the uniform measure in the weights of the projection."""
_TOLERANCE = 1e-6
_MAX_SWEEPS = 20
_MAX_ROUNDS = 50


def monotone_utility(
    utility: GAIUtility,
    kernels: Sequence[UnivariateKernel],
    U: FloatArray,
    directions: Mapping[int, int],
) -> TensorGAI:
    """Give the nearest sum of monotone tables to a learned utility.

    The utility in compact form (GAI-8) is written as tables over knots, with
    straight lines between the knots. Among all such sums whose tables are monotone
    along the chosen attributes, the one nearest to the utility in mean square is
    found: block by block, each block an isotonic regression of what the other
    tables leave over. Interpolation keeps monotone tables monotone, and so does
    summing: the result is monotone everywhere in the domain, and constant outside,
    where values are clamped.

    Parameters
    ----------
    utility : GAIUtility
        What was learned.
    kernels : sequence of UnivariateKernel
        One per attribute; their measures centre the result.
    U : ndarray of shape (n_items, n_features)
        Encoded training items. Nearness counts most where they are.
    directions : mapping of int to {+1, -1}
        Attributes, encoded, in which u must rise or fall.

    Returns
    -------
    TensorGAI
        With the ANOVA decomposition of the monotone utility as its factors.
    """
    compact = CompactGAI(utility)
    maps = _make_maps(compact.factors, kernels)
    wanted = {
        home: compact.factor(home, _grid([maps[i].knots for i in home])).reshape(
            [len(maps[i].knots) for i in home]
        )
        for home in compact.factors
    }
    weights = {i: _data_weights(maps[i], U[:, i]) for i in maps}
    tables = _fit_tables(wanted, weights, directions)
    return _decomposition(tables, maps, compact.intercept)


def nearest_monotone(
    table: FloatArray, weights: Sequence[FloatArray], signs: Sequence[int]
) -> FloatArray:
    """Project a table onto those that are monotone along some of its axes.

    One axis: isotonic regression of every line, exact. Several axes: Dykstra's
    alternating projections, whose limit is the exact projection; a running maximum
    then takes away what is left, so that the result is monotone in any case.

    Parameters
    ----------
    table : ndarray
    weights : sequence of ndarray
        Positive weights of the positions along each axis.
    signs : sequence of {+1, -1, 0}
        Direction along each axis; 0: free.

    Returns
    -------
    ndarray
        Of the same shape.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models._gai_monotone import nearest_monotone
    >>> nearest_monotone(np.array([1.0, 3.0, 2.0, 4.0]), [np.ones(4)], [1])
    array([1. , 2.5, 2.5, 4. ])
    """
    flips = tuple(axis for axis, sign in enumerate(signs) if sign < 0)
    rising = np.flip(table, flips)
    lines = [w[::-1] if sign < 0 else w for w, sign in zip(weights, signs, strict=True)]
    axes = [axis for axis, sign in enumerate(signs) if sign]
    if len(axes) == 1:
        rising = _isotonic(rising, lines[axes[0]], axes[0])
    elif axes:
        rising = _alternate(rising, lines, axes)
    return np.flip(rising, flips)


def _alternate(
    table: FloatArray, lines: Sequence[FloatArray], axes: Sequence[int]
) -> FloatArray:
    """Project along one axis after the other with Dykstra's corrections."""
    corrections = {axis: np.zeros_like(table) for axis in axes}
    slack = _TOLERANCE * np.ptp(table)
    for _ in range(_MAX_ROUNDS):
        before = table
        for axis in axes:
            corrected = table + corrections[axis]
            table = _isotonic(corrected, lines[axis], axis)
            corrections[axis] = corrected - table
        if np.abs(table - before).max() <= slack:
            break
    for axis in axes:
        table = np.maximum.accumulate(table, axis=axis)
    return table


def _isotonic(table: FloatArray, weights: FloatArray, axis: int) -> FloatArray:
    """Regress all lines along an axis, by v_k = max_{a<=k} min_{b>=k} mean(a..b).

    As computed, these values rise without exception, whatever the rounding.
    """
    lines = np.moveaxis(table, axis, 0)
    flat = lines.reshape(len(lines), -1).copy()
    falling = (np.diff(flat, axis=0) < 0).any(axis=0)
    flat[:, falling] = _max_min_means(flat[:, falling], weights)
    return np.moveaxis(flat.reshape(lines.shape), 0, axis)


def _max_min_means(lines: FloatArray, weights: FloatArray) -> FloatArray:
    """Regress the columns of an array of shape (n_positions, n_lines)."""
    mass = np.append(0.0, np.cumsum(weights))[:, None]
    sums = np.cumsum(weights[:, None] * lines, axis=0)
    sums = np.vstack([np.zeros((1, lines.shape[1])), sums])
    fitted = np.full_like(lines, -np.inf)
    for first in range(len(lines)):
        means = (sums[first + 1 :] - sums[first]) / (mass[first + 1 :] - mass[first])
        lowest = np.minimum.accumulate(means[::-1], axis=0)[::-1]
        fitted[first:] = np.maximum(fitted[first:], lowest)
    return fitted


def _fit_tables(
    wanted: Mapping[Factor, FloatArray],
    weights: Mapping[int, FloatArray],
    directions: Mapping[int, int],
) -> dict[Factor, FloatArray]:
    """Minimise the mean square of sum(wanted) - sum(tables), block by block."""
    tables = dict(wanted)
    lost = {home: np.zeros_like(table) for home, table in wanted.items()}
    scale = max((np.ptp(table) for table in wanted.values()), default=0.0)
    for _ in range(_MAX_SWEEPS):
        change = 0.0
        for home, table in wanted.items():
            target = table.copy()
            for other, rest in lost.items():
                if other != home and set(other) & set(home):
                    target += _conditional_mean(rest, other, home, weights)
            signs = [directions.get(i, 0) for i in home]
            fitted = nearest_monotone(target, [weights[i] for i in home], signs)
            change = max(change, float(np.abs(fitted - tables[home]).max()))
            tables[home], lost[home] = fitted, table - fitted
        if change <= _TOLERANCE * scale:
            break
    return tables


def _conditional_mean(
    table: FloatArray,
    factor: Factor,
    given: Factor,
    weights: Mapping[int, FloatArray],
) -> FloatArray:
    """Average a table over the attributes that are not given; shape it like those."""
    for axis in range(len(factor) - 1, -1, -1):
        if factor[axis] not in given:
            mass = weights[factor[axis]] / weights[factor[axis]].sum()
            table = np.tensordot(table, mass, axes=(axis, 0))
    missing = tuple(k for k, i in enumerate(given) if i not in factor)
    return np.expand_dims(table, missing)


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
    mixed: FloatArray = (1 - _UNIFORM_SHARE) * shares / total + _UNIFORM_SHARE * uniform
    return mixed


def _grid(axes: Sequence[FloatArray]) -> FloatArray:
    """List all combinations of values, one per row."""
    return np.stack([c.ravel() for c in np.meshgrid(*axes, indexing="ij")], axis=1)
