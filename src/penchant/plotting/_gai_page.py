"""One page about a GAI model."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, isnan, nan
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from penchant.data import DATE
from penchant.plotting._gai import (
    factor_label,
    plot_curve,
    plot_importances,
    plot_surface,
    shares_of,
)
from penchant.plotting._network import plot_network
from penchant.plotting._numbers import format_numbers, format_power, format_share
from penchant.plotting._style import (
    HEADING,
    TEXT,
    TITLE,
    Theme,
    ThemeName,
    find_theme,
    set_margins,
    styled,
    write_title,
)
from penchant.utility import Factor, GAIModel

_WIDTH = 9.0
_PER_ROW = 3
_HEAD, _OVERVIEW, _CURVES, _SURFACES = 0.62, 3.3, 1.95, 2.4
_CAPTION = 0.3
"""Heights of the rows in inches, and what the caption of a section adds."""


def plot_gai(
    model: GAIModel,
    *,
    X: Any = None,
    min_share: float = 0.01,
    max_curves: int = 6,
    max_surfaces: int = 3,
    theme: ThemeName = "light",
) -> Figure:
    """Draw a GAI model on one page.

    It shows the share of each factor in the variance of the utility, the network
    of the attributes, the curves of the most important attributes on one common
    scale, and the surfaces of the most important pairs.

    Parameters
    ----------
    model : GAIRegressor, GAIRanker or another fitted GAI model
    X : Items or array-like of shape (n_items, n_features), optional
        Items to show where the data are.
    min_share : float, default=0.01
        Factors of less variance get no picture of their own.
    max_curves, max_surfaces : int, default=6 and 3
        How many curves and surfaces.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Figure

    Examples
    --------
    >>> from penchant.datasets import make_gai
    >>> from penchant.models import GAIRegressor
    >>> from penchant.plotting import plot_gai
    >>> sample = make_gai(150, 4, n_factors=3, noise=0.01, random_state=0)
    >>> model = GAIRegressor(C=10.0, domain=(0, 1)).fit(sample.X, sample.y)
    >>> figure = plot_gai(model, X=sample.X, min_share=0.02)
    >>> [ax.get_title(loc="left").split()[0] for ax in figure.axes[3:]]
    ['x0', 'x1', 'x2']
    """
    shares = {f: s for f, s in shares_of(model).items() if s >= min_share}
    curves = _of_size(1, shares)[:max_curves]
    pairs = _of_size(2, shares)[:max_surfaces]
    colours = find_theme(theme)
    with styled(colours):
        page = _Page.with_rows(len(curves), len(pairs))
        _write_head(page.rows[0].add_subplot(), model, colours)
        left, right = page.rows[1].subplots(1, 2)
        plot_importances(model, ax=left, theme=theme).set_title("", loc="left")
        plot_network(model, min_share=min_share, ax=right, theme=theme)
        axes = [
            plot_curve(model, i, X=X, ax=ax, theme=theme)
            for (i,), ax in zip(curves, page.cells(2, len(curves)), strict=True)
        ]
        _tidy_curves(axes, [_unit(model, i) for (i,) in curves])
        start = 2 + _rows(len(curves))
        for pair, ax in zip(pairs, page.cells(start, len(pairs)), strict=True):
            plot_surface(model, pair, X=X, ax=ax, theme=theme)
            axes.append(ax)
        for factor, ax in zip(curves + pairs, axes, strict=True):
            name = factor_label(factor, model.encoding_.names)
            write_title(ax, f"{name}  {format_share(shares[factor])}", colours.ink)
        page.caption(1, "Factors: their share of the variance of the utility")
        if curves:
            page.caption(2, "Curves: what each value adds to the mean utility")
        if pairs:
            page.caption(start, "Pairs: what two values add beyond their curves")
    return page.figure


def _of_size(size: int, factors: Iterable[Factor]) -> list[Factor]:
    return [factor for factor in factors if len(factor) == size]


@dataclass(frozen=True)
class _Page:
    """A figure with rows; each is laid out alone, so that labels take no room below."""

    figure: Figure
    rows: list[SubFigure]

    @classmethod
    def with_rows(cls, n_curves: int, n_surfaces: int) -> "_Page":
        heights = [_HEAD, _OVERVIEW]
        for height, n in ((_CURVES, n_curves), (_SURFACES, n_surfaces)):
            section = [height] * _rows(n)
            section[:1] = [height + _CAPTION] * bool(n)
            heights += section
        figure = plt.figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
        set_margins(figure)
        rows = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)
        return cls(figure, rows[:, 0].tolist())

    def caption(self, row: int, text: str) -> None:
        """Write above a row what its pictures show."""
        heading = {"fontsize": HEADING, "fontweight": "bold"}
        self.rows[row].suptitle(text, x=0.011, ha="left", **heading)

    def cells(self, row: int, n: int) -> list[Axes]:
        """Give axes for n pictures, evenly over as few rows as they need."""
        per_row = max(2, ceil(n / _rows(n))) if n else 1
        axes: list[Axes] = []
        for start in range(0, n, per_row):
            band = self.rows[row + start // per_row]
            places = band.add_gridspec(1, per_row)
            filled = range(min(per_row, n - start))
            axes += [band.add_subplot(places[0, k]) for k in filled]
        return axes


def _rows(n: int) -> int:
    return ceil(n / _PER_ROW)


def _write_head(ax: Axes, model: GAIModel, theme: Theme) -> None:
    ax.set_axis_off()
    title = f"What counts, and how: {type(model).__name__}"
    place: dict[str, Any] = {"transform": ax.transAxes, "va": "top"}
    ax.text(0, 1, title, fontsize=TITLE, fontweight="bold", color=theme.ink, **place)
    ax.text(0, 0.38, _facts(model), fontsize=TEXT, color=theme.ink_2, **place)


def _facts(model: GAIModel) -> str:
    """Say in one line what was learned and how sure it is to be the optimum."""
    sizes = Counter(min(len(factor), 3) for factor in model.factors_)
    kinds = [_count(sizes[1], "curve"), _count(sizes[2], "pair")]
    kinds += [f"{sizes[3]} larger"] if sizes[3] else []
    used = set().union(*model.factors_) if model.factors_ else set()
    facts = [
        f"{len(used)} of {_count(len(model.encoding_.names), 'attribute')}",
        f"{_count(len(model.factors_), 'factor')} ({', '.join(kinds)})",
        f"mean utility {format_numbers([model.intercept_])[0]}",
    ]
    gap = getattr(model, "dual_gap_", nan)
    if not isnan(gap):
        facts.append(f"certified gap {format_power(gap)}")
    return "  ·  ".join(facts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _unit(model: GAIModel, i: int) -> str:
    attributes = model.encoding_.attributes
    unit = "" if attributes is None else attributes[i].unit
    return "" if unit == DATE else unit


def _tidy_curves(axes: list[Axes], units: list[str]) -> None:
    """Give all curves the same scale, so that their heights can be compared.

    Titles name the attributes, so that the axes tell the units only.
    """
    for ax, unit in zip(axes, units, strict=True):
        ax.set_xlabel(unit)
        if not ax.get_subplotspec().is_first_col():  # type: ignore[union-attr]
            ax.set_ylabel("")
    limits = [ax.get_ylim() for ax in axes]
    for ax in axes:
        ax.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
