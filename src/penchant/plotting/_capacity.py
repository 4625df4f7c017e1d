"""Pictures of capacities: importances, interactions, and the lattice of all sets."""

from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator

from penchant.choquet import Capacity, KernelCapacity
from penchant.exceptions import DataError
from penchant.plotting._marks import Bar, HeatScale, draw_bars, write
from penchant.plotting._numbers import format_numbers
from penchant.plotting._style import (
    SMALL,
    Theme,
    ThemeName,
    drawing,
    quiet,
    write_title,
)

Set = tuple[int, ...]

_MAX_LATTICE = 5


def plot_capacity_importances(
    capacity: Any, *, ax: Axes | None = None, theme: ThemeName = "light"
) -> Axes:
    """Draw the Shapley value of each criterion, the largest on top.

    Parameters
    ----------
    capacity : Capacity, or a fitted estimator that has one
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.models import Capacity
    >>> from penchant.plotting import plot_capacity_importances
    >>> capacity = Capacity({(0,): 0.2, (1,): 0.5, (0, 1): 0.3}, 2, ["rent", "size"])
    >>> ax = plot_capacity_importances(capacity)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['size', 'rent']
    """
    found = _capacity_of(capacity)
    values, names = found.shapley(), _names_of(found)
    order = np.argsort(-values, kind="stable")
    texts = format_numbers(values[order])
    bars = [
        Bar(names[i], float(values[i]), text)
        for i, text in zip(order, texts, strict=True)
    ]
    with drawing(ax, theme, (5.0, 0.9 + 0.3 * len(bars))) as (axes, colours):
        draw_bars(axes, bars, colours)
        (total,) = format_numbers([found.total])
        write_title(axes, f"Shapley value; together they make {total}")
    return axes


def plot_interactions(
    capacity: Any, *, ax: Axes | None = None, theme: ThemeName = "light"
) -> Axes:
    """Draw how much each pair of criteria is worth together beyond its members.

    Plus: the two complete each other, both should be good. Minus: one can replace
    the other.

    Parameters
    ----------
    capacity : Capacity, or a fitted estimator that has one
        On two criteria or more.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.models import Capacity
    >>> from penchant.plotting import plot_interactions
    >>> capacity = Capacity({(0,): 0.6, (1,): 0.7, (0, 1): -0.3}, 2, ["rent", "size"])
    >>> ax = plot_interactions(capacity)
    >>> [text.get_text() for text in ax.texts]
    ['−0.300']
    """
    found = _capacity_of(capacity)
    if found.n < 2:
        raise DataError(f"Interactions need 2 criteria or more. Got {found.n}.")
    names, table = _names_of(found), found.interaction()
    # The lower half, without the diagonal: rows 1 to n - 1, columns 0 to n - 2.
    cells = [(row, column) for row in range(1, found.n) for column in range(row)]
    values = np.array([table[cell] for cell in cells])
    texts = format_numbers(values, signed=True)
    size = (1.9 + 0.85 * (found.n - 1), 1.2 + 0.5 * (found.n - 1))
    with drawing(ax, theme, size) as (axes, colours):
        heat = HeatScale(values, colours)
        for (row, column), value, text in zip(cells, values, texts, strict=True):
            _draw_cell(axes, row - 1, column, value, text, heat)
        _label_half(axes, names)
        write_title(axes, "+ complete each other\n\N{MINUS SIGN} replace each other")
    return axes


def _draw_cell(
    ax: Axes, row: int, column: int, value: float, text: str, heat: HeatScale
) -> None:
    gap = 0.02
    ax.add_patch(
        Rectangle(
            (column - 0.5 + gap, row - 0.5 + gap),
            1 - 2 * gap,
            1 - 2 * gap,
            facecolor=heat.colour(value),
        )
    )
    write(ax, (column, row), text, heat.text_colour(value))


def _label_half(ax: Axes, names: list[str]) -> None:
    last = len(names) - 1
    ax.set(xlim=(-0.5, last - 0.5), ylim=(last - 0.5, -0.5))
    for axis, labels in ((ax.xaxis, names[:-1]), (ax.yaxis, names[1:])):
        axis.set_major_locator(FixedLocator(range(last)))
        axis.set_ticklabels(labels)
    is_long = sum(map(len, names[:-1])) > 11 * last
    if is_long:
        ax.tick_params(axis="x", labelrotation=30)
        for label in ax.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
    quiet(ax, "left", "bottom")


def plot_lattice(
    capacity: Any, *, ax: Axes | None = None, theme: ThemeName = "light"
) -> Axes:
    """Draw the capacity of every set of criteria, from none to all.

    Each disc is a set, as large as its value mu, which stands in it; the numbers
    below it are its members. Lines lead to the sets with one criterion more; a
    dashed line is a step where mu falls, so that the capacity is not monotone.

    Parameters
    ----------
    capacity : Capacity, or a fitted estimator that has one
        On at most 5 criteria.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.models import Capacity
    >>> from penchant.plotting import plot_lattice
    >>> capacity = Capacity({(0,): 0.2, (1,): 0.5, (0, 1): 0.3}, 2, ["rent", "size"])
    >>> ax = plot_lattice(capacity)
    >>> [text.get_text() for text in ax.texts[:2]]
    ['0.00', '∅']
    """
    found = _capacity_of(capacity)
    if found.n > _MAX_LATTICE:
        raise DataError(
            f"plot_lattice draws all sets of at most {_MAX_LATTICE} criteria. Got "
            f"{found.n}; use plot_capacity_importances and plot_interactions."
        )
    sets = [
        s for size in range(found.n + 1) for s in combinations(range(found.n), size)
    ]
    values = {members: found.value(members) for members in sets}
    places = _lattice_places(found.n)
    width = max(len([s for s in sets if len(s) == size]) for size in range(found.n + 1))
    with drawing(ax, theme, (0.9 + 0.82 * width, 0.9 + 1.05 * found.n)) as (
        axes,
        colours,
    ):
        axes.set_axis_off()
        _draw_steps(axes, places, values, colours)
        _draw_sets(axes, places, values, _names_of(found), colours)
        axes.set(xlim=(-width / 2, width / 2), ylim=(-0.55, found.n + 0.35))
        write_title(axes, "value of each set of criteria")
    return axes


def _lattice_places(n: int) -> dict[Set, tuple[float, float]]:
    """Place the sets of each size in a row, smaller sets below."""
    places = {}
    for size in range(n + 1):
        row = list(combinations(range(n), size))
        for k, members in enumerate(row):
            places[members] = (k - (len(row) - 1) / 2, float(size))
    return places


def _draw_steps(
    ax: Axes,
    places: dict[Set, tuple[float, float]],
    values: dict[Set, float],
    theme: Theme,
) -> None:
    tolerance = 1e-9 * max(map(abs, values.values()))
    for members, value in values.items():
        for i in members:
            part = tuple(j for j in members if j != i)
            falls = value < values[part] - tolerance
            ax.plot(
                *zip(places[part], places[members], strict=True),
                color=theme.con if falls else theme.line,
                linewidth=1.6 if falls else 0.9,
                linestyle="--" if falls else "-",
                zorder=2 if falls else 1,
            )


def _draw_sets(
    ax: Axes,
    places: dict[Set, tuple[float, float]],
    values: dict[Set, float],
    names: list[str],
    theme: Theme,
) -> None:
    heat = HeatScale(list(values.values()), theme)
    top = max(map(abs, values.values())) or 1.0
    texts = format_numbers(list(values.values()))
    for (members, value), text in zip(values.items(), texts, strict=True):
        x, y = places[members]
        area = 420 + 700 * abs(value) / top
        ax.scatter(
            x,
            y,
            s=area,
            facecolor=heat.colour(value),
            edgecolor=theme.surface,
            linewidths=2,
            zorder=3,
        )
        style = {"fontsize": SMALL, "zorder": 4}
        write(ax, (x, y), text, heat.text_colour(value), **style)
        below = {"shift": (0, -3 - (area / np.pi) ** 0.5), "va": "top"}
        box = {"facecolor": theme.surface, "edgecolor": "none", "pad": 0.8}
        label = _set_label(members, names)
        write(ax, (x, y), label, theme.ink_2, bbox=box, **below, **style)


def _set_label(members: Set, names: list[str]) -> str:
    """Write a set as the numbers of its criteria; a single one tells its name."""
    if not members:
        return "∅"
    if len(members) == 1:
        return f"{members[0] + 1} {names[members[0]]}"
    return " ".join(str(i + 1) for i in members)


def _capacity_of(source: Any) -> Capacity | KernelCapacity:
    found = getattr(source, "capacity_", source)
    if isinstance(found, list):
        raise DataError(
            f"The model has {len(found)} capacities, one per class. Give one of them: "
            "model.capacity_[0]."
        )
    if not isinstance(found, Capacity | KernelCapacity):
        raise DataError(
            "capacity must be a Capacity or a fitted estimator with capacity_. "
            f"Got {type(source).__name__}."
        )
    return found


def _names_of(capacity: Capacity | KernelCapacity) -> list[str]:
    return list(capacity.names or (f"x{i}" for i in range(capacity.n)))
