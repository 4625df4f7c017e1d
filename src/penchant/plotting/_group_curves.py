"""What segments of people value: small curves side by side."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penchant.exceptions import DataError
from penchant.plotting._group import _COLOURS, _MARKERS
from penchant.plotting._style import (
    SMALL,
    Theme,
    ThemeName,
    date_axis,
    find_theme,
    number_axis,
    set_margins,
    styled,
    write_title,
)
from penchant.typing import ArrayLike

_PER_ROW: Final = 3
_WIDTH, _HEIGHT, _HEAD = 3.2, 2.2, 0.5
"""Inches of a picture, and of the legend above all of them."""

_LONGEST_LEVEL: Final = 12


def plot_segment_curves(
    curves: Mapping[str, tuple[Sequence[Any], ArrayLike]],
    *,
    labels: Sequence[str],
    theme: ThemeName = "light",
) -> Figure:
    """Draw what the values of attributes are worth to segments of people.

    All pictures share the axis of points, so that heights can be compared.

    Parameters
    ----------
    curves : mapping of str to (values, points)
        For each attribute its values (numbers, dates or names of levels) and an array
        of points of shape (n_segments, n_values).
    labels : sequence of str
        Names of the 1 to 3 segments.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Figure

    Examples
    --------
    >>> from penchant.plotting import plot_segment_curves
    >>> rent = ([500, 900], [[20, -20], [5, -5]])
    >>> figure = plot_segment_curves({"rent": rent}, labels=["young", "old"])
    >>> [line.get_ydata().tolist() for line in figure.axes[0].lines[1:]]
    [[20.0, -20.0], [5.0, -5.0]]
    """
    if not curves or not 1 <= len(labels) <= len(_MARKERS):
        raise DataError(
            "plot_segment_curves draws at least one attribute for 1 to 3 segments. "
            f"Got {len(curves)} attributes and {len(labels)} segments."
        )
    colours = find_theme(theme)
    n_columns = min(_PER_ROW, len(curves))
    n_rows = -(-len(curves) // n_columns)
    size = (_WIDTH * n_columns, _HEAD + _HEIGHT * n_rows)
    with styled(colours):
        figure, axes = plt.subplots(
            n_rows,
            n_columns,
            figsize=size,
            sharey=True,
            squeeze=False,
            layout="constrained",
        )
        set_margins(figure)
        for ax, (name, (values, points)) in zip(
            axes.flat, curves.items(), strict=False
        ):
            _draw(ax, values, np.asarray(points, dtype=np.float64), theme, colours)
            write_title(ax, name, colours.ink)
        for ax in axes.flat[len(curves) :]:
            ax.set_visible(False)
        _add_legend(figure, axes.flat[0], labels)
    return figure


def _draw(
    ax: Axes, values: Sequence[Any], points: Any, theme: ThemeName, colours: Theme
) -> None:
    numeric = not any(isinstance(value, str) for value in values)
    has_dates = np.asarray(values).dtype.kind == "M"
    if has_dates:
        values = (np.asarray(values, dtype="M8[s]").astype(float) / 86_400).tolist()
    places = [float(value) for value in values] if numeric else list(range(len(values)))
    ax.axhline(0.0, color=colours.line_strong, linewidth=1.0, zorder=0)
    for k, row in enumerate(points):
        ax.plot(
            places,
            row,
            color=_COLOURS[theme][k],
            marker=_MARKERS[k],
            markersize=4,
            markevery=max(1, len(places) // 5) if numeric else 1,
            linewidth=1.6,
            linestyle="-" if numeric else ":",
        )
    if numeric:
        (date_axis if has_dates else number_axis)(ax.xaxis)
    else:
        ax.set_xticks(places, [str(value)[:_LONGEST_LEVEL] for value in values])
        ax.tick_params(axis="x", labelsize=SMALL, labelrotation=30)
    number_axis(ax.yaxis)


def _add_legend(figure: Figure, first: Axes, labels: Sequence[str]) -> None:
    handles = first.lines[1:] if len(labels) > 1 else []
    if handles:
        figure.legend(
            handles=handles,
            labels=list(labels),
            loc="outside upper left",
            ncols=len(labels),
        )
