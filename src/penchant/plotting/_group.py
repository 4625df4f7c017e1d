"""Pictures of a group: what people think of each item, and what divides them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penchant.exceptions import DataError
from penchant.plotting._marks import label_rows, write_on_right
from penchant.plotting._style import (
    SMALL,
    Theme,
    ThemeName,
    date_axis,
    drawing,
    find_theme,
    number_axis,
    set_margins,
    styled,
    write_title,
)
from penchant.typing import ArrayLike, FloatArray

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
            _draw_curves(
                ax, values, np.asarray(points, dtype=np.float64), theme, colours
            )
            write_title(ax, name, colours.ink)
        for ax in axes.flat[len(curves) :]:
            ax.set_visible(False)
        _figure_legend(figure, axes.flat[0], labels)
    return figure


def _draw_curves(
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


def _figure_legend(figure: Figure, first: Axes, labels: Sequence[str]) -> None:
    handles = first.lines[1:] if len(labels) > 1 else []
    if handles:
        figure.legend(
            handles=handles,
            labels=list(labels),
            loc="outside upper left",
            ncols=len(labels),
        )


_MARKERS: Final = "os^"
_COLOURS: Final = {
    "light": ("#2a7c85", "#c4602e", "#6a4c93"),
    "dark": ("#62b3ba", "#e58e63", "#b79be0"),
}
_CHART_WIDTH, _LETTER = 5.0, 0.075
"""Inches of a chart, and of a letter beside it."""

_LONG_LEGEND: Final = 60
"""A legend of more letters is written in lines."""

_LANE: Final = 0.22
"""Distance between the lanes of two segments; rows are 1 apart."""


def plot_group_ranking(
    means: ArrayLike,
    people: ArrayLike,
    *,
    names: Sequence[str],
    labels: Sequence[str] = (),
    n_items: int = 12,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw what the people of a group think of the items that come first.

    A bar from low to high and a mark at the mean, one lane per segment; the tall line
    is the mean of all, which is also the number on the right.

    Parameters
    ----------
    means : array-like of shape (n_items,)
        Mean points of all people, in the order to draw.
    people : array-like of shape (n_segments, n_items, 3)
        For 1 to 3 segments the mean, and the points between which most of its people
        lie.
    names : sequence of str
        Names of the items.
    labels : sequence of str, optional
        Names of the segments, for the legend.
    n_items : int, default=12
        How many items are drawn.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.plotting import plot_group_ranking
    >>> people = [[(70, 50, 90), (40, 20, 60)]]
    >>> ax = plot_group_ranking([70, 40], people, names=["a", "b"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b']
    """
    mean = np.asarray(means, dtype=np.float64)
    lanes = np.asarray(people, dtype=np.float64)
    fits = lanes.ndim == 3 and lanes.shape[1:] == (len(names), 3)
    if mean.shape != (len(names),) or not fits or not 1 <= len(lanes) <= len(_MARKERS):
        raise DataError(
            f"plot_group_ranking needs a mean per name ({len(names)}), and people of "
            f"shape (1 to 3, {len(names)}, 3). Got shapes {mean.shape}, {lanes.shape}."
        )
    labelled = list(names[:n_items])
    size = (_width(labelled), 1.2 + 0.42 * len(labelled) + 0.2 * len(labels))
    with drawing(ax, theme, size) as (axes, colours):
        for row in range(len(labelled)):
            _draw_row(axes, row, mean[row], lanes[:, row], theme, colours)
        _label_rows(axes, labelled, mean[: len(labelled)], colours)
        _add_legend(axes, labels, theme)
    return axes


def _width(labels: Sequence[str]) -> float:
    return _CHART_WIDTH + _LETTER * max(map(len, labels))


def _draw_row(
    ax: Axes, row: int, mean: float, lanes: FloatArray, theme: ThemeName, colours: Theme
) -> None:
    ax.vlines(mean, row - 0.42, row + 0.42, color=colours.ink, linewidth=1.2)
    for lane, (own, low, high) in enumerate(lanes):
        y = row + _LANE * (lane - (len(lanes) - 1) / 2)
        colour = _COLOURS[theme][lane]
        ax.hlines(y, low, high, color=colour, linewidth=2.0, alpha=0.5)
        ax.scatter(
            own,
            y,
            s=22,
            marker=_MARKERS[lane],
            color=colour,
            linewidths=0.4,
            edgecolors=colours.surface,
            zorder=3,
            clip_on=False,
        )


def _label_rows(
    ax: Axes, names: Sequence[str], means: FloatArray, colours: Theme
) -> None:
    for row, mean in enumerate(means):
        write_on_right(ax, row, f"{mean:.0f}", colours, shift=10)
    label_rows(ax, names, colours)
    ax.set_xlabel("points; the tall line and the number are the mean of all")
    number_axis(ax.xaxis)


def _add_legend(ax: Axes, labels: Sequence[str], theme: ThemeName) -> None:
    if len(labels) < 2:
        return
    handles = [
        ax.scatter([], [], marker=_MARKERS[k], color=_COLOURS[theme][k], label=label)
        for k, label in enumerate(labels)
    ]
    ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=len(labels) if sum(map(len, labels)) < _LONG_LEGEND else 1,
        handletextpad=0.2,
    )


def plot_segment_weights(
    weights: Mapping[str, Mapping[str, float]],
    *,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw how much each attribute weighs for segments of people, widest gap first.

    Parameters
    ----------
    weights : mapping of str to mapping of str to float
        For each of 1 to 3 segments the share of each attribute.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.plotting import plot_segment_weights
    >>> near, far = {"rent": 0.6, "size": 0.4}, {"rent": 0.3, "size": 0.35}
    >>> ax = plot_segment_weights({"young": near, "old": far})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['rent', 'size']
    """
    if not 1 <= len(weights) <= len(_MARKERS):
        raise DataError(
            f"plot_segment_weights draws 1 to 3 segments. Got {len(weights)}."
        )
    attributes = list(dict.fromkeys(name for each in weights.values() for name in each))
    table = 100 * np.array(
        [[each.get(name, 0.0) for name in attributes] for each in weights.values()]
    )
    gap = np.ptp(table, axis=0)
    order = np.lexsort((-table.max(axis=0), -gap))
    rows = np.arange(len(attributes))
    size = (_width(attributes), 1.2 + 0.32 * len(attributes) + 0.2 * len(weights))
    with drawing(ax, theme, size) as (axes, colours):
        low, high = table.min(axis=0)[order], table.max(axis=0)[order]
        axes.hlines(rows, low, high, color=colours.line_strong, linewidth=1.2)
        for k, shares in enumerate(table):
            axes.scatter(
                shares[order],
                rows,
                s=36,
                marker=_MARKERS[k],
                color=_COLOURS[theme][k],
                zorder=3,
                clip_on=False,
            )
        label_rows(axes, [attributes[k] for k in order], colours)
        axes.set_xlim(left=0.0)
        axes.set_xlabel("weight in the decision, in percent")
        number_axis(axes.xaxis)
        _add_legend(axes, list(weights), theme)
    return axes
