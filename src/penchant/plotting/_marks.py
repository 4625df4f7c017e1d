"""Marks that several pictures share: dots, contours, bars, and steps of colour."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.contour import ContourSet
from matplotlib.patheffects import AbstractPathEffect, withStroke
from matplotlib.ticker import FixedLocator

from penchant.plotting._style import SMALL, TEXT, Theme, hide_numbers, quiet
from penchant.typing import ArrayLike, FloatArray

_SINGLE, _LARGEST = 7.0, 60.0
"""Areas of dots in square points: of a single item, and of the most at one place."""

_EDGE = 0.025
"""Share of the axes within which a number on a contour line would be cut."""


def halo(colour: str) -> list[AbstractPathEffect]:
    """Surround text with a colour, so that it can be read across lines."""
    return [withStroke(linewidth=2.8, foreground=colour)]


def write(
    ax: Axes,
    place: tuple[Any, Any],
    text: str,
    colour: Any,
    *,
    shift: Any = None,
    behind: Any = None,
    **style: Any,
) -> None:
    """Write text at a place, shifted by points; the colour behind keeps it readable."""
    settings: dict[str, Any] = {"ha": "center", "va": "center_baseline"}
    settings |= {"fontsize": TEXT} | style
    if behind is not None:
        settings["path_effects"] = halo(behind)
    if shift is None:
        ax.text(*place, text, color=colour, **settings)
        return
    settings |= {"xytext": shift, "textcoords": "offset points"}
    ax.annotate(text, place, color=colour, **settings)


def label_rows(
    ax: Axes, labels: Sequence[str], theme: Theme, room: float = 0.0
) -> None:
    """Write the rows' names on the left, the first on top."""
    ax.yaxis.set_major_locator(FixedLocator(list(range(len(labels)))))
    ax.set_yticklabels(list(labels))
    ax.tick_params(axis="y", labelcolor=theme.ink, labelsize=TEXT)
    ax.set_ylim(max(len(labels), 1) - 0.5 + room, -0.5 - room)
    quiet(ax, "left")


def write_on_right(
    ax: Axes, row: float, text: str, theme: Theme, shift: float = 6
) -> None:
    """Write beside a row, outside of the axes."""
    frame = ("axes fraction", "data")
    write(ax, (1.0, row), text, theme.ink, xycoords=frame, shift=(shift, 0), ha="left")


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


def circle(order: Sequence[int]) -> FloatArray:
    """Place what comes in an order clockwise from the top, (n, 2)."""
    n = len(order)
    places = np.empty((n, 2))
    # Half a step off the top when even, so that labels stand beside each other.
    angles = np.pi / 2 - 2 * np.pi * (np.arange(n) + 0.5 * (n % 2 == 0)) / n
    places[list(order)] = np.column_stack([np.cos(angles), np.sin(angles)])
    return places


def draw_discs(
    ax: Axes,
    places: FloatArray,
    labels: Sequence[str],
    areas: FloatArray,
    theme: Theme,
    is_filled: Sequence[bool] | None = None,
) -> None:
    """Draw attributes on a circle as discs, or rings, with their names outside."""
    filled = [True] * len(labels) if is_filled is None else is_filled
    for place, label, area, full in zip(places, labels, areas, filled, strict=True):
        face, edge = (theme.accent, theme.surface)
        if not full:
            face, edge = (theme.surface, theme.line_strong)
        x, y = place
        style: dict[str, Any] = {"edgecolor": edge, "linewidths": 1.5, "zorder": 4}
        ax.scatter(x, y, s=area, facecolor=face, **style)
        across = "center" if abs(x) < 0.2 else ("left" if x > 0 else "right")
        up = "center" if abs(y) < 0.5 else ("bottom" if y > 0 else "top")
        colour = theme.ink if full else theme.ink_2
        write(ax, (1.2 * x, 1.2 * y), label, colour, ha=across, va=up, zorder=5)


def write_on_line(ax: Axes, place: FloatArray, text: str, theme: Theme) -> None:
    """Write a number on a line between discs."""
    style = {"va": "center", "fontsize": SMALL, "zorder": 5}
    write(ax, (place[0], place[1]), text, theme.ink, behind=theme.surface, **style)


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
        side, align = (5, "left") if bar.length >= 0 else (-5, "right")
        place = (bar.length, row)
        write(ax, place, bar.text, theme.ink, shift=(side, 0), ha=align)
    ax.axvline(0, color=theme.line_strong, linewidth=0.8, zorder=3)
    label_rows(ax, [bar.label for bar in bars], theme)
    hide_numbers(ax)
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
