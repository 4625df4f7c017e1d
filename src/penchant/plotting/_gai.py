"""Pictures of single parts of a GAI model: curves, surfaces, importances."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import blended_transform_factory

from penchant.exceptions import DataError
from penchant.plotting._attribute_axis import AttributeAxis, column_of
from penchant.plotting._marks import (
    Bar,
    HeatScale,
    draw_bars,
    draw_points,
    label_contours,
    write,
)
from penchant.plotting._numbers import format_numbers, format_round, format_share
from penchant.plotting._style import (
    SMALL,
    Theme,
    ThemeName,
    drawing,
    number_axis,
    write_title,
)
from penchant.typing import FloatArray
from penchant.utility import FactorFunction, GAIModel

_CURVE_POINTS = 201
_SURFACE_POINTS = 61
_RUG_HEIGHT = 0.09
"""Longest line of the rug, as a share of the height of the axes."""


def plot_curve(
    model: GAIModel,
    attribute: int | str,
    *,
    X: Any = None,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw what one attribute adds to the utility.

    The part u_i of the utility (GAI-1) is zero on average, so the zero line is the
    average value of the attribute. Levels are drawn as bars, numbers as a curve.

    Parameters
    ----------
    model : GAIRegressor, GAIRanker or another fitted GAI model
    attribute : int or str
        Index or name.
    X : Items or array-like of shape (n_items, n_features), optional
        Items for the rug: marks at the values that occur, longer where
        items share one.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.datasets import make_gai
    >>> from penchant.models import GAIRegressor
    >>> from penchant.plotting import plot_curve
    >>> sample = make_gai(80, 3, n_factors=2, random_state=0)
    >>> model = GAIRegressor(C=10.0, domain=(0, 1)).fit(sample.X, sample.y)
    >>> ax = plot_curve(model, 0)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'added utility')
    """
    function = model.factor_function(attribute)
    (i,) = function.attributes
    axis = AttributeAxis.of_encoding(model.encoding_, i, _CURVE_POINTS)
    heights = function(axis.values)
    with drawing(ax, theme) as (axes, colours):
        axes.axhline(0, color=colours.line_strong, linewidth=0.8, zorder=1)
        if axis.has_levels:
            _draw_levels(axes, axis, heights, colours)
        else:
            axes.plot(axis.places, heights, color=colours.accent, linewidth=2.2)
        axes.margins(y=0.08)
        axis.apply(axes, "x")
        number_axis(axes.yaxis)
        axes.set_ylabel("added utility")
        if X is not None:
            _draw_rug(axes, axis, column_of(X, model.encoding_, i), colours)
            pad_for_rug(axes)
    return axes


def _draw_levels(
    ax: Axes, axis: AttributeAxis, heights: FloatArray, theme: Theme
) -> None:
    """Draw bars from zero that end in a dot; a line joins levels with an order."""
    fills = [theme.pro if height >= 0 else theme.con for height in heights]
    ax.bar(axis.places, heights, width=0.5, color=fills, alpha=0.45, zorder=2)
    joint = ":" if axis.ordered else ""
    ax.plot(
        axis.places,
        heights,
        linestyle=joint,
        linewidth=1.0,
        marker="o",
        markersize=5.5,
        color=theme.accent,
        zorder=3,
    )


def _draw_rug(ax: Axes, axis: AttributeAxis, values: list[Any], theme: Theme) -> None:
    places = axis.place(values)
    places, counts = np.unique(places[np.isfinite(places)], return_counts=True)
    heights = _RUG_HEIGHT * np.sqrt(counts / counts.max(initial=1))
    inside = blended_transform_factory(ax.transData, ax.transAxes)
    if axis.has_levels:
        ax.bar(places, heights, 0.5, color=theme.line, transform=inside)
    else:
        ax.vlines(
            places, 0, heights, colors=theme.line_strong, linewidth=1, transform=inside
        )


def pad_for_rug(ax: Axes) -> None:
    """Make room for the rug below the curve."""
    low, high = ax.get_ylim()
    ax.set_ylim(low - 1.3 * _RUG_HEIGHT * (high - low), high)


def plot_surface(
    model: GAIModel,
    pair: Sequence[int | str],
    *,
    X: Any = None,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw what two attributes add to the utility together, beyond their curves.

    The colour has four steps each way. Lines of equal value carry numbers; where
    an attribute has levels, the cells do.

    Parameters
    ----------
    model : GAIRegressor, GAIRanker or another fitted GAI model
    pair : sequence of two int or str
        Indices or names of the attributes of a factor of the model; the first is
        drawn along x.
    X : Items or array-like of shape (n_items, n_features), optional
        Items to draw as dots, where both attributes are numeric.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.datasets import make_gai
    >>> from penchant.models import GAIRegressor
    >>> from penchant.plotting import plot_surface
    >>> sample = make_gai(150, 4, n_factors=3, noise=0.01, random_state=0)
    >>> model = GAIRegressor(C=10.0, domain=(0, 1)).fit(sample.X, sample.y)
    >>> ax = plot_surface(model, (2, 3))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x2', 'x3')
    """
    first, second = _check_pair(model, pair)
    function = model.factor_function((first, second))
    x = AttributeAxis.of_encoding(model.encoding_, first, _SURFACE_POINTS)
    y = AttributeAxis.of_encoding(model.encoding_, second, _SURFACE_POINTS)
    table = _table(function, {first: x.values, second: y.values}, (second, first))
    with drawing(ax, theme, (4.4, 3.6)) as (axes, colours):
        heat = HeatScale(table, colours)
        if x.has_levels or y.has_levels:
            _draw_cells(axes, x, y, table, heat)
        else:
            _draw_contours(axes, x, y, table, heat)
            if X is not None:
                points = [column_of(X, model.encoding_, i) for i in (first, second)]
                draw_points(axes, *points, theme=colours)
        x.apply(axes, "x")
        y.apply(axes, "y")
    return axes


def _check_pair(model: GAIModel, pair: Sequence[int | str]) -> tuple[int, int]:
    if isinstance(pair, str) or len(pair) != 2:
        raise DataError(
            f"pair must be two attributes, such as (0, 1). Got {pair!r}; "
            "plot_curve draws a single attribute."
        )
    first, second = (model.encoding_.position(member) for member in pair)
    return first, second


def _table(
    function: FactorFunction, values: dict[int, Sequence[Any]], order: tuple[int, int]
) -> FloatArray:
    """Evaluate a factor of two attributes on a grid; the axes come in `order`."""
    rows, columns = function.attributes
    grid = np.asarray(values[rows])[:, None], np.asarray(values[columns])[None, :]
    table = function(*grid)
    return table if order == function.attributes else table.T


def _draw_contours(
    ax: Axes, x: AttributeAxis, y: AttributeAxis, table: FloatArray, heat: HeatScale
) -> None:
    ax.contourf(x.places, y.places, table, levels=heat.edges, cmap=heat.cmap)
    if np.ptp(table) == 0:
        return
    theme = heat.theme
    lines = ax.contour(
        x.places,
        y.places,
        table,
        levels=heat.edges,
        colors=theme.ink_2,
        linewidths=np.where(heat.edges == 0, 1.4, 0.6).tolist(),
        linestyles="solid",
    )
    ax.set(xlim=x.limits, ylim=y.limits)
    label_contours(ax, lines, format_round(heat.edges, signed=True), theme)


def _draw_cells(
    ax: Axes, x: AttributeAxis, y: AttributeAxis, table: FloatArray, heat: HeatScale
) -> None:
    """Draw a stripe or a cell for every level, with numbers on it."""
    ax.pcolormesh(
        _edges(x), _edges(y), table, cmap=heat.cmap, norm=heat.norm, rasterized=True
    )
    for axis, draw in ((x, ax.axvline), (y, ax.axhline)):
        for edge in axis.places[1:] - 0.5 if axis.has_levels else ():
            draw(edge, color=heat.theme.surface, linewidth=2)
    columns, rows = _marked(x), _marked(y)
    shown = table[np.ix_(rows, columns)]
    texts = format_numbers(shown.ravel(), digits=2, signed=True)
    cells = [(row, column) for row in rows for column in columns]
    for (row, column), text in zip(cells, texts, strict=True):
        place, value = (x.places[column], y.places[row]), table[row, column]
        style = {"va": "center", "fontsize": SMALL, "behind": heat.colour(value)}
        write(ax, place, text, heat.text_colour(value), **style)


def _edges(axis: AttributeAxis) -> FloatArray:
    """Give the borders of the cells around the values."""
    middles = (axis.places[1:] + axis.places[:-1]) / 2
    low, high = axis.limits
    return np.concatenate([[low], middles, [high]])


def _marked(axis: AttributeAxis) -> list[int]:
    """Give the values that get a number: every level, or three of many numbers."""
    n = len(axis.values)
    return list(range(n)) if axis.has_levels else [n // 7, n // 2, n - 1 - n // 7]


def plot_importances(
    model: GAIModel,
    *,
    max_factors: int = 10,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw the share of each factor in the variance of the utility.

    Parameters
    ----------
    model : GAIRegressor, GAIRanker or another fitted GAI model
    max_factors : int, default=10
        How many bars; what the other factors have together is the last one.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.datasets import make_gai
    >>> from penchant.models import GAIRegressor
    >>> from penchant.plotting import plot_importances
    >>> sample = make_gai(150, 4, n_factors=3, noise=0.01, random_state=0)
    >>> model = GAIRegressor(C=10.0, domain=(0, 1)).fit(sample.X, sample.y)
    >>> ax = plot_importances(model.select(min_share=0.02), max_factors=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['x0', 'x1', '1 more']
    """
    if max_factors < 1:
        raise DataError(f"max_factors must be at least 1. Got {max_factors}.")
    shares = shares_of(model)
    names = model.encoding_.names
    bars = [
        Bar(factor_label(factor, names), share, format_share(share))
        for factor, share in list(shares.items())[:max_factors]
    ]
    rest = list(shares.values())[max_factors:]
    if rest:
        bars.append(Bar(f"{len(rest)} more", sum(rest), format_share(sum(rest))))
    with drawing(ax, theme, (5.0, 0.9 + 0.27 * len(bars))) as (axes, colours):
        draw_bars(axes, bars, colours)
        write_title(axes, "share of the variance of the utility")
    return axes


def factor_label(factor: tuple[int, ...], names: Sequence[str]) -> str:
    """Name a factor by its attributes."""
    return " \N{MULTIPLICATION SIGN} ".join(names[i] for i in factor)


def shares_of(model: GAIModel) -> dict[tuple[int, ...], float]:
    """Give the share of variance of every factor, largest first."""
    shares = zip(model.factors_, model.variance_shares_.tolist(), strict=True)
    return dict(sorted(shares, key=lambda entry: -entry[1]))
