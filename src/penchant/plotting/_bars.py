"""Rows of a label, a bar from zero, and a number."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator

from penchant.plotting._style import TEXT, Theme, quiet

__all__ = ["Bar", "draw_bars"]


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
