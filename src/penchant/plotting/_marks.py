"""Marks that several pictures share."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.contour import ContourSet
from matplotlib.patheffects import AbstractPathEffect, withStroke

from penchant.plotting._style import SMALL, Theme
from penchant.typing import ArrayLike

__all__ = ["draw_points", "halo", "label_contours"]

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
