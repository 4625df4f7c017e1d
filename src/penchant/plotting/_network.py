"""Attributes on a circle: factors of a GAI network, or interactions, between them."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from penchant.exceptions import DataError
from penchant.plotting._gai import shares_of
from penchant.plotting._marks import circle, draw_discs, write_on_line
from penchant.plotting._numbers import format_numbers, format_share
from penchant.plotting._style import Theme, ThemeName, drawing, write_title
from penchant.typing import ArrayLike, FloatArray
from penchant.utility import GAIModel


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


Shares = dict[tuple[int, ...], float]

_FULL_WIDTH = 14.0
"""Width in points of the line of a factor with all of the variance."""


def plot_network(
    model: GAIModel,
    *,
    min_share: float = 0.01,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw which attributes act together.

    Each attribute is a disc, as large as the variance of its curve. A line joins
    two that form a factor, a shaded area three or more; both carry their share of
    the variance, and lines are as wide as their share. Attributes without a factor
    are rings.

    Parameters
    ----------
    model : GAIRegressor, GAIRanker or another fitted GAI model
    min_share : float, default=0.01
        Factors of less variance are counted in the caption and not drawn.
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
    >>> from penchant.plotting import plot_network
    >>> sample = make_gai(150, 4, n_factors=3, noise=0.01, random_state=0)
    >>> model = GAIRegressor(C=10.0, domain=(0, 1)).fit(sample.X, sample.y)
    >>> ax = plot_network(model.select(min_share=0.02))
    >>> ax.get_title(loc="left")
    'network, with shares of the variance'
    """
    if not 0 <= min_share <= 1:
        raise DataError(f"min_share must be between 0 and 1. Got {min_share!r}.")
    every = shares_of(model)
    shown = {factor: share for factor, share in every.items() if share >= min_share}
    names = model.encoding_.names
    places = circle(_arrange(len(names), shown))
    with drawing(ax, theme, (5.0, 4.2)) as (axes, colours):
        axes.set_axis_off()
        _draw_groups(axes, places, shown, colours)
        _draw_pairs(axes, places, shown, colours)
        _draw_attributes(axes, places, names, shown, colours)
        axes.set(xlim=(-1.75, 1.75), ylim=(-1.5, 1.5), aspect="equal")
        write_title(axes, _caption(min_share, len(every) - len(shown)))
    return axes


def _caption(min_share: float, n_hidden: int) -> str:
    if not n_hidden:
        return "network, with shares of the variance"
    noun = "factor" if n_hidden == 1 else "factors"
    limit = f"{100 * min_share:g}\N{NARROW NO-BREAK SPACE}%"
    return f"network, without {n_hidden} {noun} of less than {limit}"


def _arrange(n: int, shares: Shares) -> list[int]:
    """Order the attributes on the circle so that strong factors are short.

    Swaps of two places, the best first, until none helps: the same every time.
    """
    pull = np.zeros((n, n))
    for factor, share in shares.items():
        for i, j in combinations(factor, 2):
            pull[i, j] += round(share, 6)
            pull[j, i] += round(share, 6)
    gaps = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    distance = np.minimum(gaps, n - gaps)
    order = list(range(n))
    while True:
        now = _length(order, pull, distance)
        trials = [_swapped(order, i, j) for i, j in combinations(range(n), 2)]
        lengths = [_length(trial, pull, distance) for trial in trials]
        if not trials or min(lengths) >= now:
            return order
        order = trials[int(np.argmin(lengths))]


def _length(order: Sequence[int], pull: FloatArray, distance: FloatArray) -> float:
    # Rounded, so that equal lengths tie on every machine.
    return round(float((pull[np.ix_(order, order)] * distance).sum()), 6)


def _swapped(order: list[int], i: int, j: int) -> list[int]:
    swapped = list(order)
    swapped[i], swapped[j] = swapped[j], swapped[i]
    return swapped


def _draw_groups(ax: Axes, places: FloatArray, shares: Shares, theme: Theme) -> None:
    """Draw factors of three and more as areas with a square in the middle."""
    for factor, share in shares.items():
        if len(factor) < 3:
            continue
        corners = places[list(factor)]
        middle = corners.mean(axis=0)
        turn = np.argsort(np.arctan2(*(corners - middle).T))
        ax.fill(
            *corners[turn].T,
            facecolor=theme.plus[0],
            edgecolor=theme.plus[0],
            linewidth=18,
            joinstyle="round",
            zorder=1,
        )
        for corner in corners:
            ax.plot(*zip(middle, corner, strict=True), ":", color=theme.accent, lw=1.2)
        ax.plot(*middle, "s", color=theme.accent, markersize=6, zorder=3)
        _write_share(ax, middle - (0, 0.16), share, theme)


def _draw_pairs(ax: Axes, places: FloatArray, shares: Shares, theme: Theme) -> None:
    for factor, share in shares.items():
        if len(factor) != 2:
            continue
        ends = places[list(factor)]
        width = max(1.2, _FULL_WIDTH * np.sqrt(share))
        ax.plot(*ends.T, color=theme.pro, linewidth=width, zorder=2)
        _write_share(ax, ends.mean(axis=0), share, theme)


def _write_share(ax: Axes, place: FloatArray, share: float, theme: Theme) -> None:
    write_on_line(ax, place, format_share(share), theme)


def _draw_attributes(
    ax: Axes, places: FloatArray, names: Sequence[str], shares: Shares, theme: Theme
) -> None:
    used = set().union(*shares) if shares else set()
    own = [shares.get((i,), 0.0) for i in range(len(names))]
    labels = [
        f"{n}\n{format_share(s)}" if s else n for n, s in zip(names, own, strict=True)
    ]
    is_used = [i in used for i in range(len(names))]
    draw_discs(ax, places, labels, 45 + 900 * np.array(own), theme, is_used)
