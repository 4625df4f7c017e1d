"""Quotients of sums over tables, and their ranges: tables are drawn, not people."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from experiments.truth._store import Cell

__all__ = ["Figure", "difference", "pooled", "quotient"]

_N_DRAWS = 2000
_NARROW = 0.02
"""A range that is narrower needs a third decimal."""


@dataclass(frozen=True)
class Figure:
    """A figure with its 90 % range and standard error.

    Parameters
    ----------
    value, low, high : float
        The figure and its range, by drawing tables with replacement.
    error : float
        Standard deviation of these draws.
    n : float
        What it is divided by: people or statements.
    """

    value: float
    low: float
    high: float
    error: float
    n: float

    def __format__(self, spec: str) -> str:
        if not self.n:
            return "—"
        places = 3 if self.high - self.low < _NARROW else 2
        value, low, high = (
            _short(x, places) for x in (self.value, self.low, self.high)
        )
        return f"{value} ({low} to {high})"


def _short(value: float, places: int) -> str:
    """Write a number without a leading zero, as in ``.79``."""
    text = f"{value:.{places}f}"
    if not float(text):
        return "0"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def quotient(cell: Cell, figure: str) -> Figure:
    """Give one figure of one cell."""
    return _resampled([cell.sums(figure)])


def pooled(cells: Iterable[Cell], figure: str) -> Figure:
    """Give one figure over several cells."""
    return _resampled([cell.sums(figure) for cell in cells])


def difference(first: Cell, second: Cell, figure: str) -> Figure:
    """Give how much larger a mean is in one cell than in another, same people."""
    common = sorted(set(first.tables) & set(second.tables))
    sums = []
    for number in common:
        ours = first.tables[number].sums.get(figure, (0.0, 0.0))
        theirs = second.tables[number].sums.get(figure, (0.0, 0.0))
        sums.append([ours[0] - theirs[0], ours[1]])
    return _resampled([np.array(sums)])


def _resampled(parts: list[np.ndarray]) -> Figure:
    """Draw tables within each cell, and look at the quotient of all sums."""
    parts = [part for part in parts if part.size]
    total = sum((part.sum(axis=0) for part in parts), np.zeros(2))
    if not total[1]:
        return Figure(np.nan, np.nan, np.nan, np.nan, 0.0)
    rng = np.random.default_rng(0)
    draws = np.zeros((_N_DRAWS, 2))
    for part in parts:
        draws += part[rng.integers(len(part), size=(_N_DRAWS, len(part)))].sum(axis=1)
    values = draws[:, 0] / np.where(draws[:, 1] > 0, draws[:, 1], np.nan)
    low, high = np.nanquantile(values, [0.05, 0.95])
    value = total[0] / total[1]
    return Figure(value, float(low), float(high), float(np.nanstd(values)), total[1])
