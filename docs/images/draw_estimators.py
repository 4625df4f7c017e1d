"""Draw `estimators.svg`, the picture of the page "Which estimator?".

Run ``python docs/images/draw_estimators.py`` after a change.
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

INK, SOFT, LINE = "#1f2933", "#5b6875", "#c9d2da"
# What one wants to read off the model: a title, why one would, and a colour.
COLUMNS = (
    ("Curves", "what each attribute\nis worth; start here", "#2f6fb0"),
    ("Monotone", "a better value never\nlowers the result", "#2c8a57"),
    ("Rules", "a few sentences\nthat anyone can check", "#a8650f"),
    ("How sure it is", "a band around\nevery value", "#8a4aa8"),
)
# What people gave, an example, and the estimators in the order of the columns.
ROWS = (
    (
        "A number per item",
        "rating, price, grade average",
        ("GAIRegressor", "ChoquetRegressor", "", "GaussianProcess\nRanker"),
    ),
    (
        "A class per item",
        "yes or no, good / fair / poor",
        ("GAIClassifier", "ChoquetClassifier", "RuleClassifier", ""),
    ),
    (
        "This one rather than that",
        "comparisons, rankings, choices",
        ("GAIRanker", "ChoquetRanker", "RuleRanker", "GaussianProcess\nRanker"),
    ),
    ("Answers of many people", "each said only a little", ("", "", "", "PopulationGP")),
)
LEFT, WIDTH, TOP, HEIGHT, GAP = 3.15, 2.3, 4.35, 0.82, 0.14


def draw() -> mpl.figure.Figure:
    """Draw a table: answers downwards, what to read off the model to the right."""
    figure, axes = plt.subplots(figsize=(12.3, 6.3))
    axes.set(xlim=(0, LEFT + 4 * WIDTH + 0.1), ylim=(0.35, 6.75))
    axes.axis("off")
    axes.text(
        LEFT, 6.5, "What do you want to read off it?", size=13, weight="bold", color=INK
    )
    axes.text(0, TOP + 0.12, "What did people give?", size=13, weight="bold", color=INK)
    for i, (title, why, color) in enumerate(COLUMNS):
        x = LEFT + i * WIDTH
        axes.text(x, 6.08, title, size=12.5, weight="bold", color=color, va="center")
        axes.text(x, 5.66, why, size=9.5, color=SOFT, va="center", linespacing=1.25)
        SKETCHES[i](axes, x, 4.62, color)
    for row, (title, example, names) in enumerate(ROWS):
        y = TOP - (row + 1) * (HEIGHT + GAP)
        axes.plot(
            [0, LEFT + 4 * WIDTH - 0.15], [y + HEIGHT + GAP / 2] * 2, color=LINE, lw=1
        )
        axes.text(0, y + 0.53, title, size=11.5, weight="bold", color=INK, va="center")
        axes.text(0, y + 0.24, example, size=9.5, color=SOFT, va="center")
        for i, name in enumerate(names):
            if name:
                cell(axes, LEFT + i * WIDTH, y, name, COLUMNS[i][2])
    return figure


def cell(axes: Axes, x: float, y: float, name: str, color: str) -> None:
    """Draw a box with the name of an estimator."""
    box = FancyBboxPatch(
        (x, y + 0.12),
        WIDTH - 0.25,
        HEIGHT - 0.24,
        boxstyle="round,pad=0,rounding_size=.08",
        facecolor=color,
        alpha=0.12,
        edgecolor="none",
    )
    axes.add_patch(box)
    style = {"size": 10.5, "family": "monospace", "color": INK, "weight": "bold"}
    middle = x + (WIDTH - 0.25) / 2
    axes.text(middle, y + HEIGHT / 2, name, ha="center", va="center", **style)


def _curves(axes: Axes, x: float, y: float, color: str) -> None:
    t = np.linspace(0, 1, 60)
    axes.plot(x + 0.8 * t, y + 0.62 * np.sin(2.2 * t), color=color, lw=2.4)
    fall = 0.6 * (1 - 1 / (1 + np.exp(-12 * (t - 0.5))))
    axes.plot(x + 1.05 + 0.8 * t, y + fall, color=color, lw=2.4)
    for start in (0, 1.05):
        axes.plot([x + start, x + start + 0.85], [y - 0.05] * 2, color=LINE, lw=1)


def _steps(axes: Axes, x: float, y: float, color: str) -> None:
    levels = np.array([0.14, 0.26, 0.26, 0.44, 0.62])
    for i, level in enumerate(levels):
        axes.bar(
            x + 0.16 + 0.36 * i,
            level,
            0.28,
            y - 0.05,
            color=color,
            alpha=0.35 + 0.13 * i,
        )


def _rules(axes: Axes, x: float, y: float, color: str) -> None:
    style = {"size": 9.3, "color": INK, "va": "center"}
    axes.text(x, y + 0.45, "rent ≤ 900 and balcony", **style)
    axes.text(
        x + 0.1,
        y + 0.17,
        "→ better   +0.67",
        **(style | {"color": color, "weight": "bold"}),
    )


def _band(axes: Axes, x: float, y: float, color: str) -> None:
    t = np.linspace(0, 1, 60)
    mean, width = 0.32 + 0.22 * np.sin(4.5 * t), 0.07 + 0.2 * t**2
    axes.fill_between(
        x + 1.8 * t, y + mean - width, y + mean + width, color=color, alpha=0.22, lw=0
    )
    axes.plot(x + 1.8 * t, y + mean, color=color, lw=2.4)


SKETCHES = (_curves, _steps, _rules, _band)


if __name__ == "__main__":
    mpl.rcParams.update({"svg.hashsalt": "estimators", "font.family": "DejaVu Sans"})
    target = Path(__file__).with_name("estimators.svg")
    draw().savefig(
        target, bbox_inches="tight", pad_inches=0.12, metadata={"Date": None}
    )
