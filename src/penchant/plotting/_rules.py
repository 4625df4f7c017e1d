"""Pictures of rules: their weights, and how many are needed."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from penchant.exceptions import ConvergenceWarning
from penchant.plotting._marks import Bar, draw_bars, write
from penchant.plotting._numbers import format_numbers
from penchant.plotting._style import SMALL, ThemeName, drawing, number_axis, write_title
from penchant.rules import Rule

_BAR_HEIGHT, _TEXT_WIDTH = 0.3, 0.068
"""Inches of a line of text, and of a character."""


def plot_rules(
    model: Any, *, n_rules: int = 15, ax: Axes | None = None, theme: ThemeName = "light"
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
            place = sizes[-1], 100 * accuracies[-1]
            style = {"ha": "left", "va": "center", "fontsize": SMALL}
            style |= {"annotation_clip": False, "shift": (6, 0)}
            write(axes, place, label, line.get_color(), **style)
        axes.set_xlabel("number of rules")
        axes.set_ylabel("accuracy, %")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        number_axis(axes.yaxis)
    return axes
