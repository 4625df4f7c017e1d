"""The performance maps: distance to the complete method against time."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from experiments.coalitional._methods import (
    COMPLETE,
    DEPTHS,
    OURS,
    SHARES,
    STRATEGIES,
    ZERO,
)
from experiments.coalitional._peers import PEERS
from penchant.plotting._marks import halo
from penchant.plotting._style import (
    HEADING,
    LIGHT,
    SMALL,
    drawing,
    number_axis,
    set_margins,
    styled,
    write_title,
)

__all__ = ["Point", "map_figure"]

_COLOURS = {
    OURS: LIGHT.accent,
    "Spearman": LIGHT.con,
    "PCA": LIGHT.minus[2],
    "VIF": LIGHT.line_strong,
    "Reverse-Spearman": LIGHT.line_strong,
    "Reverse-VIF": LIGHT.line_strong,
    "k-depth": LIGHT.ink,
}
_MARKERS = {
    OURS: "o",
    "Spearman": "s",
    "PCA": "D",
    "VIF": "^",
    "Reverse-Spearman": "v",
    "Reverse-VIF": "<",
    "k-depth": "P",
}
_NAMES = {"forest": "Random forest", "SVC": "SVC"}
_TITLES = {
    "seconds": "per row when all rows are explained",
    "seconds_one": "for a single row",
}


class Point(NamedTuple):
    """Mean distance L2, and times as shares of that of the complete method."""

    l2: float
    seconds: float
    seconds_one: float


def map_figure(model: str, points: Mapping[str, Point], n_data_sets: int) -> Figure:
    """Draw one panel per way to count time."""
    with styled(LIGHT):
        figure = Figure(figsize=(11.5, 5.0), layout="constrained")
        set_margins(figure)
        panels = figure.subplots(1, 2, sharey=True)
        for panel, field in zip(panels, _TITLES, strict=True):
            with drawing(panel, "light"):
                _draw_panel(panel, points, field)
        panels[0].set_ylabel("mean distance to the complete method, L2 / (2√d)")
        figure.suptitle(
            f"{_NAMES[model]}, mean over {n_data_sets} data sets. Points: 10, 25, 50 % "
            "of all models, k from 1 to 4. Hollow: another game, its distance is no "
            "error.",
            x=0.01,
            ha="left",
            fontsize=HEADING,
        )
    return figure


def _draw_panel(ax: Axes, points: Mapping[str, Point], field: str) -> None:
    lines = {
        name: [(getattr(points[each], field), points[each].l2) for each in members]
        for name, members in _series().items()
    }
    for name, line in lines.items():
        _draw_line(ax, name, line)
    for name in PEERS:
        if name in points:
            _draw_peer(ax, name, getattr(points[name], field), points[name].l2)
    zeros = points[ZERO].l2
    ax.axhline(zeros, color=LIGHT.line_strong, linestyle=":", linewidth=1)
    ax.plot(1.0, 0.0, marker="*", markersize=10, color=LIGHT.ink, clip_on=False)
    ax.set_xscale("log")
    first = min(line[0][0] for line in lines.values())
    drawn = [getattr(points[name], field) for name in PEERS if name in points]
    ax.set_xlim(
        min(first / 12, *(x / 2 for x in drawn)), max(3.0, *(3 * x for x in drawn))
    )
    highest = max(error for line in lines.values() for _, error in line)
    ax.set_ylim(0.0, 1.15 * max(highest, zeros))
    _label_lines(ax, lines, first / 1.5)
    _write(ax, (1.12, 0.0), COMPLETE, LIGHT.ink, va="bottom")
    right = ax.get_xlim()[1]
    _write(ax, (right, zeros), "all zeros", LIGHT.ink_2, ha="right", va="bottom")
    ax.set_xlabel("CPU time relative to the complete method")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    number_axis(ax.yaxis)
    write_title(ax, _TITLES[field])


def _series() -> dict[str, list[str]]:
    """Give the methods that belong on one line, from fast to slow."""
    by_share = {
        name: [f"{name} {share:.0%}" for share in SHARES]
        for name in (OURS, *STRATEGIES)
    }
    return {**by_share, "k-depth": [f"{k}-depth" for k in DEPTHS]}


def _draw_line(ax: Axes, name: str, line: Sequence[tuple[float, float]]) -> None:
    times, errors = np.transpose(line)
    strong = name in (OURS, "Spearman")
    ax.plot(
        times,
        errors,
        color=_COLOURS[name],
        marker=_MARKERS[name],
        markersize=6 if strong else 5,
        linewidth=2.0 if strong else 1.0,
        zorder=4 if strong else 3,
    )


def _draw_peer(ax: Axes, name: str, x: float, y: float) -> None:
    ax.plot(x, y, marker="o", markersize=7, mfc=LIGHT.surface, mec=LIGHT.pro, mew=1.6)
    ax.annotate(
        name,
        (x, y),
        xytext=(0, -16 if name == "shapiq" else 8),  # it is near KernelSHAP
        textcoords="offset points",
        ha="center",
        color=LIGHT.pro,
        fontsize=SMALL,
        path_effects=halo(LIGHT.surface),
        zorder=5,
    )


def _label_lines(
    ax: Axes, lines: Mapping[str, Sequence[tuple[float, float]]], x: float
) -> None:
    """Write names left of the first points, spread so that they do not overlap."""
    order = sorted(lines, key=lambda name: lines[name][0][1])
    step = 0.05 * ax.get_ylim()[1]
    heights = np.array([lines[name][0][1] for name in order])
    for k in range(1, len(heights)):
        heights[k] = max(heights[k], heights[k - 1] + step)
    excess = max(0.0, heights[-1] - ax.get_ylim()[1])
    for k, name in enumerate(order):
        place = (x, heights[k] - excess * k / (len(order) - 1))
        ax.annotate(
            name,
            xy=lines[name][0],
            xytext=place,
            ha="right",
            va="center",
            fontsize=SMALL,
            fontweight="bold" if name == OURS else "normal",
            color=_COLOURS[name]
            if _COLOURS[name] != LIGHT.line_strong
            else LIGHT.ink_2,
            arrowprops={
                "arrowstyle": "-",
                "color": LIGHT.line,
                "lw": 0.8,
                "relpos": (1.0, 0.5),
            },
        )


def _write(
    ax: Axes,
    place: tuple[float, float],
    text: str,
    colour: str,
    *,
    ha: str = "left",
    va: str = "center",
) -> None:
    ax.text(*place, text, color=colour, fontsize=SMALL, ha=ha, va=va)
