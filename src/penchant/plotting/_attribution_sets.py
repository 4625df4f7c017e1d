"""Pictures of many explanations, and of groups of attributes."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from penchant.exceptions import DataError
from penchant.explanation import Attribution
from penchant.plotting._attribution_parts import RANGE, Part, draw_parts, part_of
from penchant.plotting._marks import label_rows
from penchant.plotting._style import (
    Theme,
    ThemeName,
    drawing,
    hide_numbers,
    number_axis,
    write_title,
)
from penchant.typing import FloatArray

_LANES = 0.38
"""Half the height of a row of dots."""
_BINS = 80
"""The axis has this many bins; dots in the same one are stacked."""


def plot_beeswarm(
    attribution: Attribution,
    *,
    max_attributes: int = 12,
    highlight: int | None = None,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw the contributions to many rows: a dot for each, a line per attribute.

    Attributes with the largest mean size are on top. Dots are darker where the value of
    the attribute is high; hollow where it is no number.

    Parameters
    ----------
    attribution : Attribution
    max_attributes : int, default=12
        Others are left out, and the title says how many.
    highlight : int, optional
        A row whose dots are marked.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.explanation import Attribution
    >>> from penchant.plotting import plot_beeswarm
    >>> values = np.random.default_rng(0).standard_normal((50, 2)) * [0.1, 1.0]
    >>> found = Attribution(values, 0.0, values.sum(1), ["rent", "size"], "an example")
    >>> ax = plot_beeswarm(found)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['size', 'rent']
    """
    if len(attribution) < 2:
        raise DataError(
            "plot_beeswarm needs at least 2 rows. Use plot_waterfall for one."
        )
    sizes = np.abs(attribution.values).mean(axis=0)
    order = np.argsort(-sizes, kind="stable")[:max_attributes]
    hidden = len(sizes) - len(order)
    with drawing(ax, theme, (6.2, 1.1 + 0.42 * len(order))) as (axes, colours):
        span = float(np.ptp(attribution.values)) or 1.0
        for row, k in enumerate(order):
            shades = _shades(attribution, int(k), colours)
            _draw_swarm(axes, row, attribution.values[:, k], shades, span, colours)
            if highlight is not None:
                at = attribution.values[highlight, k]
                axes.scatter(at, row, s=52, marker="D", color=colours.con, zorder=6)
        axes.axvline(0, color=colours.line_strong, linewidth=0.8, zorder=1)
        label_rows(axes, [attribution.names[k] for k in order], colours, 0.05)
        axes.set_xlabel("contribution")
        number_axis(axes.xaxis)
        _legend(axes, attribution, highlight, colours)
        write_title(axes, f"{len(attribution):,} rows{_hidden(hidden)}")
    return axes


def _hidden(n: int) -> str:
    return f"; {n} attribute{'s' * (n > 1)} not shown" if n else ""


def _shades(attribution: Attribution, k: int, theme: Theme) -> list[str]:
    """Give a colour per row: four steps from low to high values."""
    steps = (theme.plus[1], theme.plus[2], theme.plus[3], theme.accent)
    if attribution.data is None:
        return [theme.surface] * len(attribution)
    column = attribution.data.iloc[:, k]
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered:
        column = column.cat.codes
    if not pd.api.types.is_numeric_dtype(column):
        return [theme.surface] * len(attribution)
    ranks = column.rank(method="average", pct=True).to_numpy(np.float64)
    return [steps[min(int(4 * rank), 3)] for rank in np.nan_to_num(ranks)]


def _draw_swarm(
    ax: Axes, row: int, values: FloatArray, shades: list[str], span: float, theme: Theme
) -> None:
    """Stack dots that would cover each other, alternately above and below."""
    bins = np.floor(values / span * _BINS).astype(np.int64)
    heights = np.zeros(len(values))
    for place in np.unique(bins):
        members = np.flatnonzero(bins == place)
        turns = (np.arange(len(members)) + 1) // 2
        heights[members] = turns * np.where(np.arange(len(members)) % 2, -1, 1)
    largest = np.abs(heights).max()
    step = min(0.09, _LANES / largest) if largest else 0.0
    ax.scatter(
        values,
        row + step * heights,
        s=15,
        c=shades,
        edgecolors=theme.accent,
        linewidths=0.4,
        zorder=3,
    )


def _legend(
    ax: Axes, attribution: Attribution, highlight: int | None, theme: Theme
) -> None:
    entries = []
    if attribution.data is not None:
        entries += [
            ("low value", theme.plus[1], "o"),
            ("high value", theme.accent, "o"),
        ]
    if highlight is not None:
        entries.append((f"row {attribution.rows[highlight]}", theme.con, "D"))
    if not entries:
        return
    marks = [
        Line2D([], [], ls="", marker=shape, color=colour, markersize=5, label=label)
        for label, colour, shape in entries
    ]
    ax.legend(
        handles=marks,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=len(marks),
        labelcolor=theme.ink_2,
        borderaxespad=0.2,
        handletextpad=0.1,
        columnspacing=1.0,
    )


def plot_attribution_groups(
    attribution: Attribution,
    groups: Mapping[str, Sequence[str]],
    *,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw what groups of attributes add together, and their members below.

    Where attributes say nearly the same, it is hardly defined which of them adds how
    much, and well defined how much they add together.

    Parameters
    ----------
    attribution : Attribution
        Of one row.
    groups : mapping from str to sequence of str
        Attributes of each group; all others stand alone.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.explanation import Attribution
    >>> from penchant.plotting import plot_attribution_groups
    >>> names = ["rent", "size", "rooms"]
    >>> found = Attribution([[0.2, 0.5, -0.1]], 1.0, [1.6], names, "an example")
    >>> ax = plot_attribution_groups(found, {"space": ["size", "rooms"]})
    >>> [label.get_text().strip() for label in ax.get_yticklabels()]
    ['space', 'size', 'rooms', 'rent']
    """
    if len(attribution) != 1:
        raise DataError(f"This draws one row. Got {len(attribution)}; take one: a[0].")
    blocks = _blocks(attribution, groups)
    blocks.sort(key=lambda block: -abs(block[0].value))
    parts, is_member = [], []
    for whole, members in blocks:
        parts += [whole, *members]
        is_member += [False, *(True for _ in members)]
    with drawing(ax, theme, (6.2, 0.9 + 0.34 * len(parts))) as (axes, colours):
        draw_parts(axes, parts, colours, signed=True)
        for row, (bar, small) in enumerate(zip(axes.patches, is_member, strict=True)):
            if small:  # a thin bar
                bar.set(height=0.24, y=row - 0.12, alpha=0.75)
        names = [
            f"    {part.name}" if small else part.name
            for part, small in zip(parts, is_member, strict=True)
        ]
        label_rows(axes, names, colours, 0.05)
        for label, small in zip(axes.get_yticklabels(), is_member, strict=True):
            label.set_color(colours.ink_2 if small else colours.ink)
        hide_numbers(axes)
        ranged = any(part.std is not None for part in parts)
        what = "contribution of groups; thin: of their members"
        write_title(axes, f"{what}; {RANGE}" if ranged else what)
    return axes


def _blocks(
    attribution: Attribution, groups: Mapping[str, Sequence[str]]
) -> list[tuple[Part, list[Part]]]:
    place = {name: k for k, name in enumerate(attribution.names)}
    named = [name for members in groups.values() for name in members]
    for name in named:
        if name not in place or named.count(name) > 1:
            raise DataError(
                "groups must name attributes, each at most once. "
                f"Got {name!r}; the attributes are: {', '.join(attribution.names)}."
            )
    blocks = []
    for group, members in groups.items():
        columns = [place[name] for name in members]
        parts = [part_of(attribution, attribution.names[k], [k]) for k in columns]
        parts.sort(key=lambda part: -abs(part.value))
        blocks.append((part_of(attribution, group, columns), parts))
    alone = [name for name in attribution.names if name not in named]
    blocks += [(part_of(attribution, name, [place[name]]), []) for name in alone]
    return blocks
