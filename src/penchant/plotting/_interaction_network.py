"""The network of attributes that complete or replace each other."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from penchant.exceptions import DataError
from penchant.plotting._marks import circle, draw_discs, write_on_line
from penchant.plotting._numbers import format_numbers
from penchant.plotting._style import Theme, ThemeName, drawing, write_title
from penchant.typing import ArrayLike, FloatArray


def plot_interaction_network(
    interaction: Any,
    names: Sequence[str] | None = None,
    *,
    importances: ArrayLike | None = None,
    min_share: float = 0.05,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw which attributes complete each other and which can replace each other.

    Attributes are discs on a circle, as large as they are important. A full line joins
    two that are worth more together, a dashed one two that are worth less; the number
    says how much, the width too.

    Parameters
    ----------
    interaction : array-like of shape (d, d), or Capacity
        Symmetric; or what has `interaction()`, `shapley()` and `names`.
    names : sequence of str, optional
        Names of the attributes.
    importances : array-like of shape (d,), optional
        Sizes of the discs.
    min_share : float, default=0.05
        Pairs below this share of the strongest are not drawn.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.models import Capacity
    >>> from penchant.plotting import plot_interaction_network
    >>> capacity = Capacity({(0,): 0.5, (1,): 0.2, (0, 1): 0.3}, 2, ["rent", "size"])
    >>> ax = plot_interaction_network(capacity)
    >>> sorted(text.get_text() for text in ax.texts)
    ['+0.30', 'rent', 'size']
    """
    table, named, weights = _read_interaction(interaction, names, importances)
    d = len(named)
    places = circle(range(d))
    pairs = [(i, j) for i in range(d) for j in range(i) if table[i, j] != 0]
    largest = max((abs(table[pair]) for pair in pairs), default=1.0)
    shown = [pair for pair in pairs if abs(table[pair]) >= min_share * largest]
    with drawing(ax, theme, (5.2, 4.4)) as (axes, colours):
        axes.set_axis_off()
        for i, j in shown:
            _draw_pair(axes, places[[i, j]], float(table[i, j]), largest, colours)
        draw_discs(axes, places, named, 60 + 420 * weights, colours)
        axes.set(xlim=(-1.75, 1.75), ylim=(-1.45, 1.45), aspect="equal")
        hidden = len(pairs) - len(shown)
        note = f"; {hidden} weak pair{'s' * (hidden > 1)} not shown" if hidden else ""
        write_title(axes, f"full: better together, dashed: worse together{note}")
    return axes


def _read_interaction(
    interaction: Any, names: Sequence[str] | None, importances: ArrayLike | None
) -> tuple[FloatArray, list[str], FloatArray]:
    if hasattr(interaction, "interaction"):
        names = interaction.names if names is None else names
        importances = interaction.shapley() if importances is None else importances
        interaction = interaction.interaction()
    table = np.asarray(interaction, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise DataError(
            "interaction must be a square table of 2 attributes or more. "
            f"Got shape {table.shape}."
        )
    d = len(table)
    named = [f"x{k}" for k in range(d)] if names is None else [str(n) for n in names]
    given = np.ones(d) if importances is None else np.abs(np.asarray(importances))
    if len(named) != d or given.shape != (d,):
        raise DataError(
            f"names and importances must have one entry per attribute ({d})."
        )
    return table, named, given / (given.max(initial=0.0) or 1.0)


def _draw_pair(
    ax: Axes, ends: FloatArray, value: float, largest: float, theme: Theme
) -> None:
    colour, dash = (theme.pro, "-") if value > 0 else (theme.con, (0, (2.5, 1.5)))
    width = max(1.0, 7.0 * abs(value) / largest)
    ax.plot(*ends.T, color=colour, linestyle=dash, linewidth=width, zorder=2)
    middle = 0.55 * ends[0] + 0.45 * ends[1]  # lines through the centre do not meet
    (text,) = format_numbers([value], digits=2, signed=True)
    write_on_line(ax, middle, text, theme)
