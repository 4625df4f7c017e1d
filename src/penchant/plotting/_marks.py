"""Marks that several pictures share: dots, contours, bars, and steps of colour."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.contour import ContourSet
from matplotlib.patheffects import AbstractPathEffect, withStroke
from matplotlib.ticker import FixedLocator, NullLocator

from penchant.plotting._style import SMALL, TEXT, Theme, quiet
from penchant.typing import ArrayLike, FloatArray

__all__ = ["Bar", "HeatScale", "draw_bars", "draw_points", "halo", "label_contours"]


_SINGLE, _LARGEST = 7.0, 60.0
"""Areas of dots in square points: of a single item, and of the most at one place."""

_EDGE = 0.025
"""Share of the axes within which a number on a contour line would be cut."""


def halo(colour: str) -> list[AbstractPathEffect]:
    """Surround text with a colour, so that it can be read across lines."""
    return [withStroke(linewidth=2.8, foreground=colour)]


def label_contours(ax: Axes, lines: ContourSet, names: list[str], theme: Theme) -> None:
    """Write their values on contour lines, but not where the edge would cut them."""
    texts = dict(zip(lines.levels, names, strict=True))
    for text in ax.clabel(lines, fmt=texts, fontsize=SMALL, colors=theme.ink):
        text.set(path_effects=halo(theme.surface), zorder=4)
        place = ax.transLimits.transform(text.get_position())
        if min(*place, *(1 - place)) < _EDGE:
            text.set_visible(False)


def draw_points(ax: Axes, x: ArrayLike, y: ArrayLike, *, theme: Theme) -> None:
    """Draw items as dots, larger where several coincide."""
    points = np.column_stack([np.asarray(x), np.asarray(y)]).astype(np.float64)
    places, counts = np.unique(points, axis=0, return_counts=True)
    growth = min(_SINGLE, (_LARGEST - _SINGLE) / max(counts.max(initial=1) - 1, 1))
    ax.scatter(
        places[:, 0],
        places[:, 1],
        s=_SINGLE + growth * (counts - 1),
        color=theme.ink,
        alpha=0.5,
        linewidths=0,
        zorder=3,
        clip_on=False,
    )


@dataclass(frozen=True)
class Bar:
    """One row: what it is about, how long, and the number to read."""

    label: str
    length: float
    text: str


def draw_bars(ax: Axes, bars: Sequence[Bar], theme: Theme) -> None:
    """Draw the rows from top to bottom; negative bars go left and change colour."""
    rows = np.arange(len(bars))
    lengths = np.array([bar.length for bar in bars])
    fills = [theme.pro if length >= 0 else theme.con for length in lengths]
    ax.barh(rows, lengths, height=0.62, color=fills, zorder=2)
    for row, bar in zip(rows, bars, strict=True):
        side = 1 if bar.length >= 0 else -1
        ax.annotate(
            bar.text,
            (bar.length, row),
            xytext=(5 * side, 0),
            textcoords="offset points",
            ha="left" if side > 0 else "right",
            va="center_baseline",
            color=theme.ink,
            fontsize=TEXT,
        )
    ax.axvline(0, color=theme.line_strong, linewidth=0.8, zorder=3)
    ax.yaxis.set_major_locator(FixedLocator(rows.tolist()))
    ax.set_yticklabels([bar.label for bar in bars])
    ax.tick_params(axis="y", labelcolor=theme.ink, labelsize=TEXT)
    ax.xaxis.set_major_locator(NullLocator())
    quiet(ax, "left", "bottom")
    ax.set_ylim(max(len(bars), 1) - 0.5, -0.5)
    # The numbers stand beside the bars and must not be cut off.
    low, high = min(0.0, lengths.min(initial=0)), max(0.0, lengths.max(initial=0))
    room = 0.16 * ((high - low) or 1.0)
    ax.set_xlim(low - room * (low < 0), high + room)


_STEPS = 4
_ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


class HeatScale:
    """Colours of signed values: four steps of a round width on each side of zero.

    Parameters
    ----------
    values : array-like
        What will be coloured.
    theme : Theme
    """

    def __init__(self, values: ArrayLike, theme: Theme) -> None:
        self.theme = theme
        self.step = _round_up(float(np.abs(np.asarray(values)).max()) / _STEPS)

    @property
    def edges(self) -> FloatArray:
        """Where the colour changes; the middle one is zero."""
        return self.step * np.arange(-_STEPS, _STEPS + 1, dtype=np.float64)

    @property
    def cmap(self) -> ListedColormap:
        """The colours in the order of the values."""
        return ListedColormap([*self.theme.minus[::-1], *self.theme.plus])

    @property
    def norm(self) -> BoundaryNorm:
        """The map from values to colours."""
        return BoundaryNorm(self.edges.tolist(), 2 * _STEPS)

    def colour(self, value: float) -> str:
        """Give the fill of a cell; zero has none."""
        number = self._number(value)
        if number == 0:
            return self.theme.sunk
        side = self.theme.plus if value > 0 else self.theme.minus
        return side[number - 1]

    def text_colour(self, value: float) -> str:
        """Give the colour of text that can be read on the fill."""
        strongest = self._number(value) == _STEPS
        return self.theme.surface if strongest else self.theme.ink

    def _number(self, value: float) -> int:
        """Give the step of a value, 1 to 4; 0 for what rounding may have left."""
        size = abs(value) / self.step
        return 0 if size < 1e-9 else min(_STEPS, int(np.ceil(size - 1e-9)))


def _round_up(value: float) -> float:
    """Give the next round number; 1 for 0, where all values are equal anyway."""
    if value <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    found = (nice * power for nice in _ROUND if nice * power >= value * (1 - 1e-9))
    return float(next(found))
