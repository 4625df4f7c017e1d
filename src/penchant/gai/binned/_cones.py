"""Features whose sums with non-negative coefficients rise or fall as told.

With a place s in [0, 1] for each cell, a rising function is a sum of ramps, each of
which rises from 0 to 1 between two neighbouring knots; the norm of its coefficients is
that of its derivative, as for the kernel 1 - ``|s - t|`` of free curves.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from penchant.gai.binned._bins import Axis
from penchant.typing import FloatArray


def rising_curve(axis: Axis, direction: int, rank: int) -> FloatArray:
    """Give ramps of one attribute, centred; blanks may go up or down.

    Parameters
    ----------
    axis : Axis
    direction : {+1, -1}
    rank : int
        Largest number of ramps.
    """
    shares = axis.shares[0]
    ramps = _ramps(axis, 0, direction, rank)
    centred: FloatArray = ramps - (shares @ ramps) / max(1.0 - shares[-1], 1e-300)
    centred[-1] = 0.0
    if shares[-1] > 0:
        blank = -np.ones(len(shares)) * shares[-1]
        blank[-1] += 1.0
        centred = np.column_stack([centred, blank, -blank])
    return centred


def rising_products(
    axes: Sequence[Axis], directions: Sequence[int], rank: int
) -> Iterator[tuple[FloatArray, ...]]:
    """Yield the tables whose products rise and fall as told.

    Products of ramps along directed attributes and of hats along the others. Ramps
    that rise together complement each other; the negative product of ramps that fall
    rises, too, and stands for attributes that replace each other.

    Parameters
    ----------
    axes : sequence of Axis
    directions : sequence of {+1, -1, 0}
        0: any function of this attribute.
    rank : int
        Number of ramps or hats of each attribute.
    """
    order = len(axes) - 1
    pairs = list(zip(axes, directions, strict=True))
    yield tuple(
        _ramps(axis, order, sign, rank) if sign else _hats(axis, order, rank)
        for axis, sign in pairs
    )
    if np.count_nonzero(directions) > 1:
        falling = [
            _ramps(axis, order, -sign, rank) if sign else _hats(axis, order, rank)
            for axis, sign in pairs
        ]
        yield (-falling[0], *falling[1:])


def mid_ranks(axis: Axis, order: int) -> FloatArray:
    """Give the mid-rank of each known cell."""
    known = axis.shares[order][:-1]
    return np.asarray((np.cumsum(known) - known / 2) / max(known.sum(), 1e-300))


def _ramps(axis: Axis, order: int, direction: int, rank: int) -> FloatArray:
    """Give one ramp between each two neighbouring knots; blanks are at 0."""
    places = mid_ranks(axis, order)
    knots = np.unique(np.linspace(0, len(places) - 1, rank + 1).round().astype(int))
    starts, widths = places[knots[:-1]], np.diff(places[knots])
    ramps = np.clip((places[:, None] - starts) / np.maximum(widths, 1e-12), 0.0, 1.0)
    ramps = ramps if direction > 0 else 1.0 - ramps
    return np.vstack([ramps * np.sqrt(widths), np.zeros(len(widths))])


def _hats(axis: Axis, order: int, rank: int) -> FloatArray:
    """Give non-negative functions that add up to 1: around knots, or of levels."""
    shares = axis.shares[order]
    hats = np.zeros((len(shares), rank + 1))
    if axis.is_categorical:
        often = np.argsort(-shares[:-1], kind="stable")[: rank - 1]
        hats[:, rank] = 1.0
        hats[often, np.arange(len(often))] = 1.0
        hats[often, rank] = 0.0
    else:
        places = mid_ranks(axis, order)
        knots = np.unique(np.linspace(0, len(places) - 1, rank).round().astype(int))
        for k in range(len(knots)):
            peak = np.eye(len(knots))[k]
            hats[:-1, k] = np.interp(places, places[knots], peak)
        hats[-1, rank] = 1.0  # blanks
    return hats[:, shares @ hats > 0]
