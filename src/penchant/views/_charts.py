"""Where the marks of a chart go, in percent of its width and height."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace as View
from typing import Self

import numpy as np

_MOST_TICKS = 5
_MARGIN = 0.03
"""Free space at both ends of an axis, as a share of what is shown."""
_MONTHS = np.arange("1500", "2500", dtype="M8[M]")


@dataclass(frozen=True)
class NumberRow:
    """A row of the table behind a chart.

    Parameters
    ----------
    name : str
        What the row is about.
    cells : tuple of str
        The numbers.
    """

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Numbers:
    """The table behind a chart."""

    heads: tuple[str, ...]
    rows: tuple[NumberRow, ...]


@dataclass(frozen=True)
class Tick:
    """A labelled place on an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class Axis:
    """A straight scale from one value to another.

    Parameters
    ----------
    low, high : float
        Values at the left and at the right end.

    Examples
    --------
    >>> axis = Axis(0.0, 200.0)
    >>> axis.place(50.0), axis.ticks()
    (25.0, [0.0, 50.0, 100.0, 150.0, 200.0])
    """

    low: float
    high: float

    @classmethod
    def around(cls, values: Iterable[float]) -> Self:
        """Make an axis that shows all values, with a little space around them."""
        known = list(values)
        low, high = min(known), max(known)
        margin = _MARGIN * (high - low) or 1.0
        return cls(low - margin, high + margin)

    @classmethod
    def both_sides(cls, values: Iterable[float]) -> Self:
        """Make an axis with 0 in the middle that shows all values."""
        reach = max(map(abs, values), default=0.0) * (1 + _MARGIN) or 1.0
        return cls(-reach, reach)

    def place(self, value: float) -> float:
        """Give the place of a value in percent; what is beyond is at the end."""
        share = (
            (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        )
        return round(100 * min(max(share, 0.0), 1.0), 2)

    def ticks(self, most: int = _MOST_TICKS) -> list[float]:
        """Give round values on the axis, at most so many."""
        span = self.high - self.low
        if span <= 0:
            return [self.low]
        power = 10.0 ** math.floor(math.log10(span))
        for step in (each * power for each in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0)):
            first, last = (
                math.ceil(self.low / step - 1e-9),
                math.floor(self.high / step + 1e-9),
            )
            if last - first < most:
                return [k * step for k in range(first, last + 1)]
        return [self.low]

    def dates(self, most: int = _MOST_TICKS) -> list[float]:
        """Give days on an axis of days since 1970: firsts of years or months if any.

        Examples
        --------
        >>> Axis(18_000.0, 18_800.0).dates(4)
        [18078.0, 18262.0, 18444.0, 18628.0]
        """
        firsts = _MONTHS.astype("M8[D]").astype(np.float64)
        inside = (firsts >= self.low) & (firsts <= self.high)
        for step in (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200):
            found = firsts[inside & (_MONTHS.astype(int) % step == 0)]
            if 1 < len(found) <= most:
                return list(found.tolist())
        return sorted({float(round(day)) for day in self.ticks(most)})


@dataclass(frozen=True)
class Estimate:
    """A dot with its range."""

    at: float
    low: float
    high: float

    @classmethod
    def placed(cls, axis: Axis, value: float, low: float, high: float) -> Self:
        """Place an estimate on an axis, to less than a pixel: there are many."""
        return cls(*(round(axis.place(end), 1) for end in (value, low, high)))


@dataclass(frozen=True)
class Bar:
    """A bar from one value to another, with the range of its end.

    Parameters
    ----------
    left, width : float
        The bar.
    side : {"pro", "con"}
        Whether it adds or takes away.
    low, high : float
        The range of its end.
    begin, end : float
        Where it starts and where it ends.
    unsure : bool
        Whether the range includes zero, so that not even the direction is sure.
    """

    left: float
    width: float
    side: str
    low: float
    high: float
    begin: float
    end: float
    unsure: bool = False

    @classmethod
    def placed(
        cls, axis: Axis, start: float, change: float, low: float, high: float
    ) -> Self:
        """Place a change on an axis, and the range in which it lies."""
        begin, end = axis.place(start), axis.place(start + change)
        return cls(
            min(begin, end),
            round(abs(end - begin), 2),
            "pro" if change >= 0 else "con",
            axis.place(start + low),
            axis.place(start + high),
            begin,
            end,
            low <= 0 <= high and low < high,
        )


def waterfall(
    base: float, changes: Sequence[tuple[float, float, float]]
) -> tuple[Axis, list[Bar]]:
    """Place changes one after the other, each beginning where the last one ended.

    Parameters
    ----------
    base : float
        Where the first begins.
    changes : sequence of (float, float, float)
        What each adds, and the ends of its range.
    """
    starts = [base]
    for change, _, _ in changes:
        starts.append(starts[-1] + change)
    reach = list(starts)
    for start, (_, low, high) in zip(starts, changes, strict=False):
        reach += [start + low, start + high]
    axis = Axis.around(reach)
    bars = [
        Bar.placed(axis, start, *each)
        for start, each in zip(starts, changes, strict=False)
    ]
    return axis, bars


def curve_shape(
    across: Axis,
    upward: Axis,
    grid: Sequence[float],
    values: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
) -> View:
    """Draw values over a grid, and the band between two bounds.

    Parameters
    ----------
    across, upward : Axis
        Of the grid and of the values.
    grid, values, low, high : sequence of float of shape (n,)
        In rising order of the grid.
    """
    places = [across.place(x) for x in grid]

    def points(heights: Sequence[float]) -> list[str]:
        return [
            f"{x:g} {round(100 - upward.place(y), 2):g}"
            for x, y in zip(places, heights, strict=True)
        ]

    band = [*points(high), *reversed(points(low))]
    return View(
        line=f"M{'L'.join(points(values))}",
        band=f"M{'L'.join(band)}Z",
    )
