"""Pictures of rules: their weights, how many are needed, and pairs of pixels."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import MaxNLocator

from penchant.exceptions import ConvergenceWarning, DataError
from penchant.plotting._marks import Bar, draw_bars
from penchant.plotting._numbers import format_numbers
from penchant.plotting._style import (
    SMALL,
    ThemeName,
    drawing,
    number_axis,
    quiet,
    write_title,
)
from penchant.rules import Monomial, Rule

__all__ = ["plot_pixel_rules", "plot_rule_accuracy", "plot_rules"]

_BAR_HEIGHT, _TEXT_WIDTH = 0.3, 0.068
"""Inches of a line of text, and of a character."""


def plot_rules(
    model: Any,
    *,
    n_rules: int = 15,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw the weights of the heaviest rules.

    With two labels, rules for the second (or "better") go to the right, rules for the
    first (or "worse") to the left. With more, all go to the right, and the label is
    part of the text.

    Parameters
    ----------
    model : RuleClassifier or RuleRanker
        Fitted.
    n_rules : int, default=15
        How many are drawn.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.models import RuleClassifier
    >>> from penchant.plotting import plot_rules
    >>> X = np.arange(20.0).reshape(-1, 1)
    >>> model = RuleClassifier(degree=1, nu=0.2).fit(X, X[:, 0] > 11)
    >>> plot_rules(model).get_yticklabels()[0].get_text()
    'x0 <= 11'
    """
    rules = model.rules_[:n_rules]
    names = tuple(getattr(model, "classes_", ("worse", "better")))
    bars = [
        _bar(rule, names, text)
        for rule, text in zip(rules, _weights(rules), strict=True)
    ]
    longest = max((len(bar.label) for bar in bars), default=10)
    size = (3.2 + _TEXT_WIDTH * longest, 0.9 + _BAR_HEIGHT * max(len(bars), 1))
    with drawing(ax, theme, size) as (axes, colours):
        draw_bars(axes, bars, colours)
        title = f"{len(rules)} of {len(model.rules_)} rules, by weight"
        if len(rules) == len(model.rules_):
            title = f"{len(rules)} rules, by weight"
        if len(names) == 2:
            title += f": for {names[1]} (right), for {names[0]} (left)"
        write_title(axes, title)
    return axes


def _bar(rule: Rule, names: Sequence[Any], text: str) -> Bar:
    if len(names) > 2:
        label = f"{rule.text}: {rule.target}, not {rule.against}"
        return Bar(label, rule.weight, text)
    sign = 1 if rule.target == names[1] else -1
    return Bar(rule.text, sign * rule.weight, text)


def _weights(rules: Sequence[Rule]) -> list[str]:
    return format_numbers([rule.weight for rule in rules], digits=2)


def plot_rule_accuracy(
    model: Any,
    X: Any,
    y: Any,
    *,
    max_rules: int = 50,
    label: str | None = None,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw the accuracy of the k heaviest rules, weighed anew, against k.

    Figure 1 of the paper, where the weights were kept. Call it again on the same axes
    to compare other data or another model.

    Parameters
    ----------
    model : RuleClassifier or RuleRanker
        Fitted.
    X, y
        Data as `score` takes them.
    max_rules : int, default=50
        Largest k.
    label : str, optional
        Name of the curve, written at its end.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes
    """
    sizes = np.arange(1, min(max_rules, len(model.rules_)) + 1)
    with warnings.catch_warnings():
        # That few rules need a softer margin is what the picture is about.
        warnings.simplefilter("ignore", ConvergenceWarning)
        accuracies = np.array([model.top(int(k)).score(X, y) for k in sizes])
    with drawing(ax, theme) as (axes, colours):
        known = (colours.accent, colours.con, colours.line_strong)
        (line,) = axes.plot(
            sizes,
            100 * accuracies,
            color=known[min(len(axes.lines), 2)],
            linewidth=1.6,
            marker="o",
            markersize=3,
            clip_on=False,
        )
        if label is not None:
            axes.annotate(
                label,
                (sizes[-1], 100 * accuracies[-1]),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                color=line.get_color(),
                fontsize=SMALL,
                annotation_clip=False,
            )
        axes.set_xlabel("number of rules")
        axes.set_ylabel("accuracy, %")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        number_axis(axes.yaxis)
    return axes


def plot_pixel_rules(
    model: Any,
    target: Any,
    *,
    shape: tuple[int, int],
    X: Any = None,
    n_rules: int = 30,
    ax: Axes | None = None,
    theme: ThemeName = "light",
) -> Axes:
    """Draw monomials of pixels that speak for a label as segments between the pixels.

    Figure 2 of the paper. A square or a single pixel is a dot; heavier rules have
    stronger lines.

    Parameters
    ----------
    model : RuleClassifier
        Fitted with monomials of degree 1 or 2; the attributes are pixels, row by row.
    target : label
        What the rules speak for.
    shape : (int, int)
        Rows and columns of the images.
    X : array-like of shape (n_images, n_pixels), optional
        Images whose mean is drawn behind, such as those of the label.
    n_rules : int, default=30
        How many of the heaviest rules are drawn.
    ax : Axes, optional
        Where to draw; default: a new figure.
    theme : {"light", "dark"}, default="light"

    Returns
    -------
    Axes
    """
    rules = [rule for rule in model.rules_ if rule.target == target][:n_rules]
    _check_pixels(rules, model.n_features_in_, shape)
    places = np.array(
        [[rule.feature.attributes[0], rule.feature.attributes[-1]] for rule in rules]
    ).reshape(-1, 2)
    rows, columns = np.divmod(places, shape[1])
    weights = np.array([rule.weight for rule in rules])
    strength = weights / weights.max(initial=1e-300)
    with drawing(ax, theme, (3.2, 3.4)) as (axes, colours):
        mean = np.zeros(shape) if X is None else np.mean(X, axis=0).reshape(shape)
        paper = LinearSegmentedColormap.from_list(
            "paper", [colours.sunk, colours.line_strong]
        )
        axes.imshow(mean, cmap=paper, interpolation="nearest", zorder=0)
        points = np.stack([columns, rows], axis=-1).astype(np.float64)
        lines = LineCollection(
            list(points),
            colors=colours.accent,
            linewidths=0.8 + 2.0 * strength,
            alpha=0.85,
            capstyle="round",
            zorder=2,
        )
        axes.add_collection(lines)
        axes.scatter(
            points[..., 0],
            points[..., 1],
            s=np.repeat(6 + 14 * strength, 2),
            color=colours.accent,
            linewidths=0,
            zorder=3,
        )
        axes.set_xticks([])
        axes.set_yticks([])
        quiet(axes, "left", "bottom")
        others = {str(rule.against) for rule in rules}
        against = f" rather than {others.pop()}" if len(others) == 1 else ""
        write_title(axes, f"{target}{against}: {len(rules)} rules")
    return axes


def _check_pixels(rules: Sequence[Rule], n_pixels: int, shape: tuple[int, int]) -> None:
    if shape[0] * shape[1] != n_pixels:
        raise DataError(
            f"shape must have as many pixels as there are attributes ({n_pixels}). "
            f"Got {shape}."
        )
    for rule in rules:
        feature = rule.feature
        if not isinstance(feature, Monomial) or len(feature.attributes) > 2:
            raise DataError(
                "plot_pixel_rules draws monomials of one or two pixels. Got the rule "
                f"{rule.text!r}; fit with generator='monomials', degree=2."
            )
