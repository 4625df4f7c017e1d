"""Pictures of asking: what questions bring, what is believed, how far to trust it."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from penchant.elicitation import Recommendation, Simulation
from penchant.exceptions import DataError
from penchant.plotting._marks import label_rows, write, write_on_right
from penchant.plotting._numbers import format_share
from penchant.plotting._style import (
    SMALL,
    Theme,
    ThemeName,
    drawing,
    number_axis,
    write_title,
)
from penchant.typing import ArrayLike, FloatArray, IntArray

_MARKERS = "os^Dv<>"
_DASHES = ("-", "-", "--", "-.", ":", "--", "-.")
_Z = 1.96
"""Half width of a 95 % interval in standard deviations."""

_LABELS = {
    "loss": "loss of the recommendation",
    "top_found": "share of people whose best item was found",
}
_CORNERS: dict[str, Literal["upper right", "lower right"]] = {
    "loss": "upper right",
    "top_found": "lower right",
}


def plot_simulation(
    results: Simulation | Mapping[str, Simulation] | Sequence[Simulation],
    *,
    measure: Literal["loss", "top_found"] = "loss",
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw how good the recommendation is after every question.

    Means over people; the bars are one standard error each way.

    Parameters
    ----------
    results : Simulation, mapping of str to Simulation, or sequence of Simulation
        One line each, at most 7; the keys, or else the policies, name them.
    measure : {"loss", "top_found"}, default="loss"
        The loss as a share of the range, or how often the best item is found.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation import simulate
    >>> from penchant.models import Posterior
    >>> from penchant.plotting import plot_simulation
    >>> likes = np.random.default_rng(0).standard_normal((20, 5))
    >>> posterior = Posterior(np.zeros(5), np.eye(5), noise=0.1)
    >>> result = simulate(posterior, likes, n_questions=4, random_state=0)
    >>> ax = plot_simulation(result)
    >>> ax.get_xlabel(), ax.get_title(loc="left")
    ('questions', '20 people; bars: one standard error')
    """
    if measure not in _LABELS:
        raise DataError(f"measure must be 'loss' or 'top_found'. Got {measure!r}.")
    named = _named(results)
    with drawing(ax, theme, (5.6, 3.6)) as (axes, colours):
        for k, (name, result) in enumerate(named.items()):
            offset = 0.08 * (k - (len(named) - 1) / 2)
            _draw_line(axes, name, result, measure, (k, offset), colours)
        axes.set(xlabel="questions", ylabel=_LABELS[measure])
        axes.set_ylim(bottom=0.0, top=None if measure == "loss" else 1.0)
        axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
        number_axis(axes.yaxis)
        axes.legend(loc=_CORNERS[measure])
        numbers = sorted({result.n_people for result in named.values()})
        people = " or ".join(f"{n:,}" for n in numbers)
        write_title(axes, f"{people} people; bars: one standard error")
    return axes


def _named(
    results: Simulation | Mapping[str, Simulation] | Sequence[Simulation],
) -> dict[str, Simulation]:
    if isinstance(results, Simulation):
        results = [results]
    if not isinstance(results, Mapping):
        listed = list(results)
        results = {result.policy: result for result in listed}
        if len(results) < len(listed):
            raise DataError(
                "Several results have the same policy. Name them: "
                "plot_simulation({'first': ..., 'second': ...})."
            )
    if not 1 <= len(results) <= len(_MARKERS):
        raise DataError(
            f"plot_simulation draws 1 to {len(_MARKERS)} lines. Got {len(results)}."
        )
    return dict(results)


def _draw_line(
    ax: Axes,
    name: str,
    result: Simulation,
    measure: str,
    place: tuple[int, float],
    theme: Theme,
) -> None:
    k, offset = place
    colour = _line_colours(theme)[k]
    summary = result.summary()
    ax.errorbar(
        np.arange(len(summary)) + offset,
        summary[measure],
        yerr=np.nan_to_num(summary[f"{measure}_error"]),
        color=colour,
        marker=_MARKERS[k],
        markersize=4.5,
        linestyle=_DASHES[k],
        linewidth=1.6,
        elinewidth=1.0,
        capsize=2,
        label=name,
        zorder=10 - k,
    )


def _line_colours(theme: Theme) -> tuple[str, ...]:
    """Give colours for lines, the most striking first."""
    return (
        theme.accent,
        theme.con,
        theme.ink_2,
        theme.pro,
        theme.minus[2],
        theme.line_strong,
        theme.plus[2],
    )


def plot_reliability(
    stated: ArrayLike,
    happened: ArrayLike,
    *,
    n_bins: int = 10,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw how often what was given a probability came true.

    Forecasts are put in bins of equal width; each dot is a bin, as large as its
    number of forecasts, with a 95 % interval (Wilson). Dots on the diagonal mean
    that the probabilities can be taken at their word. The title tells the Brier
    score, the mean squared error of the probabilities.

    Parameters
    ----------
    stated : array-like
        Probabilities, such as `Simulation.probability`.
    happened : array-like of bool of the same shape
        Whether it came true, such as `Simulation.top_found`.
    n_bins : int, default=10
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> from penchant.plotting import plot_reliability
    >>> ax = plot_reliability([0.1, 0.2, 0.8, 0.9], [False, False, True, True])
    >>> ax.get_title(loc="left")
    'Brier score 0.025 over 4 forecasts'
    """
    p, came = _check_forecasts(stated, happened)
    if n_bins < 1:
        raise DataError(f"n_bins must be at least 1. Got {n_bins}.")
    bins = np.minimum((p * n_bins).astype(np.int64), n_bins - 1)
    _, place, counts = np.unique(bins, return_inverse=True, return_counts=True)
    x = np.bincount(place, p) / counts
    y = np.bincount(place, came) / counts
    low, high = _wilson(y, counts)
    with drawing(ax, theme, (3.9, 3.8)) as (axes, colours):
        axes.plot([0, 1], [0, 1], color=colours.line_strong, linewidth=0.8, zorder=1)
        axes.vlines(x, low, high, color=colours.accent, linewidth=1.2, zorder=2)
        axes.plot(x, y, color=colours.accent, linewidth=1.0, alpha=0.5, zorder=2)
        sizes = 14 + 80 * counts / counts.max(initial=1)
        axes.scatter(x, y, s=sizes, color=colours.accent, zorder=3, clip_on=False)
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        axes.set(xlabel="stated probability", ylabel="share that came true")
        number_axis(axes.xaxis)
        number_axis(axes.yaxis)
        brier = float(np.mean((p - came) ** 2))
        write_title(axes, f"Brier score {brier:.3f} over {p.size:,} forecasts")
    return axes


def _check_forecasts(
    stated: ArrayLike, happened: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    p, came = np.asarray(stated, np.float64), np.asarray(happened, np.float64)
    if p.shape != came.shape or not p.size:
        raise DataError(
            "stated and happened must have the same shape and not be empty. "
            f"Got {p.shape} and {came.shape}."
        )
    if not ((p >= 0) & (p <= 1)).all():
        raise DataError("stated must hold probabilities between 0 and 1.")
    if not np.isin(came, (0.0, 1.0)).all():
        raise DataError("happened must hold true or false.")
    return p.ravel(), came.ravel()


def _wilson(share: FloatArray, n: IntArray) -> tuple[FloatArray, FloatArray]:
    """Give the 95 % interval of a share of n trials by Wilson's formula."""
    total = n + _Z**2
    centre = (n * share + _Z**2 / 2) / total
    half = _Z * np.sqrt(n * share * (1 - share) + _Z**2 / 4) / total
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def plot_ranking(
    recommendations: Sequence[Recommendation],
    *,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw what the best items are believed to be worth, with their intervals.

    A dot is the expected utility, its line the 95 % interval; the number on the
    right is the probability that this item is the best.

    Parameters
    ----------
    recommendations : sequence of Recommendation
        From ``Elicitor.recommend(n)``; drawn from top to bottom.
    names : sequence of str, optional
        Names of all items; default: "item 0", "item 1", ...
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation import Elicitor
    >>> from penchant.models import Posterior
    >>> from penchant.plotting import plot_ranking
    >>> posterior = Posterior(np.array([0.0, 1.0, 3.0]), np.eye(3), noise=0.5)
    >>> best = Elicitor(posterior, random_state=0).recommend(2)
    >>> ax = plot_ranking(best, names=["attic", "loft", "villa"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['villa', 'loft']
    """
    if not recommendations:
        raise DataError("recommendations must hold at least one. Got none.")
    labels = [_label(entry.item, names) for entry in recommendations]
    mean = np.array([entry.mean for entry in recommendations])
    half = _Z * np.array([entry.std for entry in recommendations])
    rows = np.arange(len(labels))
    with drawing(ax, theme, (5.6, 1.1 + 0.3 * len(labels))) as (axes, colours):
        axes.hlines(rows, mean - half, mean + half, color=colours.pro, linewidth=2.2)
        axes.scatter(mean, rows, s=34, color=colours.accent, zorder=3)
        for row, entry in zip(rows, recommendations, strict=True):
            share = format_share(entry.probability_best)
            write_on_right(axes, float(row), share, colours)
        label_rows(axes, labels, colours)
        axes.set_xlabel("expected utility and 95\N{NARROW NO-BREAK SPACE}% interval")
        number_axis(axes.xaxis)
        style = {"ha": "right", "va": "baseline", "fontsize": SMALL}
        frame = {"xycoords": "axes fraction", "shift": (36, 5)}
        what = "probability of being the best"
        write(axes, (1.0, 1.0), what, colours.ink_2, **frame, **style)
    return axes


def _label(item: int, names: Sequence[str] | None) -> str:
    if names is None:
        return f"item {item}"
    if item >= len(names):
        raise DataError(f"names must name every item. There is none for item {item}.")
    return str(names[item])
