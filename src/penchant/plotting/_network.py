"""The GAI network as a graph: attributes on a circle, factors between them."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes

from penchant.exceptions import DataError
from penchant.plotting._gai import shares_of
from penchant.plotting._marks import circle, draw_discs, write_on_line
from penchant.plotting._numbers import format_share
from penchant.plotting._style import Theme, ThemeName, drawing, write_title
from penchant.typing import FloatArray
from penchant.utility import GAIModel

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
