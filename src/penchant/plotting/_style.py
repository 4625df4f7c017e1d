"""Colours, type and axes of all pictures: the tokens of the web app, in matplotlib."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import matplotlib as mpl
import matplotlib.pyplot as plt
from cycler import cycler
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from penchant.exceptions import DataError
from penchant.plotting._numbers import NumberFormatter, NumberLocator

ThemeName = Literal["light", "dark"]

SMALL, TEXT, HEADING, TITLE = 8.75, 9.5, 10.5, 13.0
"""Sizes of type in points: axes, body, section of a page, title of a page."""

# All of these have digits of equal width. The last one comes with matplotlib and
# has every sign we use; matplotlib looks there for what the first one lacks.
_FONTS = ("Segoe UI", "Roboto", "Helvetica Neue", "Arial", "Liberation Sans")
_LAST_FONT = "DejaVu Sans"


@dataclass(frozen=True)
class Theme:
    """The colour tokens, light or dark.

    Parameters
    ----------
    surface : str
        Behind everything.
    sunk : str
        Tracks of bars and empty cells.
    line, line_strong : str
        Hairlines; zero lines and outlines.
    ink, ink_2 : str
        Text; axes and captions.
    accent : str
        Curves and estimates.
    pro, con : str
        Fills for and against.
    plus, minus : tuple of str
        Four heat steps each, from weak to strong.
    """

    surface: str
    sunk: str
    line: str
    line_strong: str
    ink: str
    ink_2: str
    accent: str
    pro: str
    con: str
    plus: tuple[str, str, str, str]
    minus: tuple[str, str, str, str]


LIGHT = Theme(
    surface="#ffffff",
    sunk="#f0f1ee",
    line="#dfe1dc",
    line_strong="#8a9089",
    ink="#1d2321",
    ink_2="#545c58",
    accent="#0f5c63",
    pro="#2f8790",
    con="#c4602e",
    plus=("#dcebeb", "#b3d5d6", "#78b2b6", "#2a7c85"),
    minus=("#f8e6dc", "#efc5ae", "#dd9672", "#b4521f"),
)

DARK = Theme(
    surface="#1c2224",
    sunk="#252c2e",
    line="#343c3e",
    line_strong="#7b8684",
    ink="#e8ecea",
    ink_2="#a9b3b0",
    accent="#7cc7cc",
    pro="#3d878e",
    con="#b8643c",
    plus=("#213c3f", "#295a5f", "#2f6d73", "#7cc7cc"),
    minus=("#3d2a22", "#653c29", "#8a4c2e", "#ee9c72"),
)

_THEMES = {"light": LIGHT, "dark": DARK}


def find_theme(name: str) -> Theme:
    """Give the theme of a name."""
    if name not in _THEMES:
        raise DataError(f"theme must be 'light' or 'dark'. Got {name!r}.")
    return _THEMES[name]


@contextmanager
def styled(theme: Theme) -> Iterator[None]:
    """Draw in the style of the library; the user's rcParams come back afterwards."""
    settings: dict[Any, Any] = {
        "figure.facecolor": theme.surface,
        "savefig.facecolor": "auto",
        "font.family": list(_families()),
        "font.size": TEXT,
        "text.color": theme.ink,
        "axes.facecolor": theme.surface,
        "axes.labelcolor": theme.ink_2,
        "axes.labelsize": SMALL,
        "axes.titlecolor": theme.ink_2,
        "axes.titlesize": SMALL,
        "axes.titleweight": "normal",
        "axes.titlelocation": "left",
        "axes.edgecolor": theme.line_strong,
        "axes.linewidth": 0.8,
        "axes.axisbelow": True,
        "axes.grid": False,
        "axes.prop_cycle": cycler(color=[theme.accent]),
        "legend.frameon": False,
        "legend.fontsize": SMALL,
        "legend.labelcolor": theme.ink,
    }
    with mpl.rc_context(settings):
        yield


@contextmanager
def drawing(
    ax: Axes | None, theme: str, size: tuple[float, float] = (5.0, 3.2)
) -> Iterator[tuple[Axes, Theme]]:
    """Give axes to draw on, in the style of the library.

    Parameters
    ----------
    ax : Axes or None
        Axes of the user, or None for a new figure.
    theme : {"light", "dark"}
        Colours.
    size : (float, float)
        Inches of a new figure.

    Yields
    ------
    (Axes, Theme)
    """
    colours = find_theme(theme)
    with styled(colours):
        if ax is None:
            figure = plt.figure(figsize=size, layout="constrained")
            set_margins(figure)
            ax = figure.add_subplot()
        _dress(ax, colours)
        yield ax, colours


def set_margins(figure: Figure) -> None:
    """Keep text off the edges of a figure and of its rows."""
    engine = figure.get_layout_engine()
    engine.set(w_pad=0.1, h_pad=0.09)  # type: ignore[union-attr, call-arg]


def _dress(ax: Axes, theme: Theme) -> None:
    """Give axes the style. Ticks are made late, so they are told their style here."""
    ax.set_facecolor(theme.surface)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(theme.line_strong)
    ax.tick_params(
        which="major",
        color=theme.line_strong,
        labelcolor=theme.ink_2,
        labelsize=SMALL,
        labelfontfamily=list(_families()),
        length=3,
        width=0.8,
    )
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set(color=theme.ink_2, fontsize=SMALL, fontfamily=list(_families()))


def write_title(ax: Axes, text: str, colour: str | None = None) -> None:
    """Write above the axes, on the left; axes of the user may have another font."""
    title = ax.set_title(text, loc="left", fontfamily=list(_families()))
    if colour is not None:
        title.set_color(colour)


def quiet(ax: Axes, *sides: str) -> None:
    """Take the line and the tick marks off some sides of the axes."""
    for side in sides:
        ax.spines[side].set_visible(False)
        ax.tick_params(axis="x" if side in ("top", "bottom") else "y", length=0)


def hide_numbers(ax: Axes) -> None:
    """Take the x axis away: numbers stand beside the marks."""
    ax.xaxis.set_major_locator(NullLocator())
    quiet(ax, "bottom")


def number_axis(axis: Axis) -> None:
    """Put at most five numbers on an axis."""
    axis.set_major_locator(NumberLocator())
    axis.set_major_formatter(NumberFormatter())


def date_axis(axis: Axis) -> None:
    """Put a few dates on an axis of days since 1970."""
    locator = AutoDateLocator(minticks=2, maxticks=5)  # type: ignore[no-untyped-call]
    axis.set_major_locator(locator)
    axis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]


@cache
def _families() -> tuple[str, ...]:
    """Give the fonts to use: the first of the stack that is here, then the last."""
    here = set(font_manager.get_font_names())
    found = [name for name in _FONTS if name in here]
    return (*found[:1], _LAST_FONT)
