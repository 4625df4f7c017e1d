"""Draw the pictures of the course from the sessions of its pages: ``make pictures``.

What a page computes is what its picture shows: the session is run, and its names drawn.
"""

import doctest
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from penchant.data import Comparisons
from penchant.elicitation import simulate
from penchant.explanation import contrast
from penchant.models import RuleRanker
from penchant.plotting import (
    plot_contrast,
    plot_curve,
    plot_interactions,
    plot_simulation,
    plot_surface,
)

HERE = Path(__file__).parent
BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLUE, RED, GREY, PALE = "#2f6fb0", "#b0462f", "#5b6875", "#c9d2da"


def run(page: str) -> dict[str, Any]:
    """Run the session of a page, and give its names."""
    text = next((HERE.parent / "course").glob(f"{page}*.md")).read_text("utf-8")
    names: dict[str, Any] = {"print": lambda *_, **__: None}
    for example in doctest.DocTestParser().get_examples("\n".join(BLOCK.findall(text))):
        exec(compile(example.source, page, "exec"), names)
    return names


def save(figure: Any, name: str) -> None:
    """Keep a picture as SVG; the same data give the same file."""
    figure.savefig(HERE / f"course_{name}.svg", metadata={"Date": None})
    plt.close(figure)


def draw_cuts() -> None:
    """Weightings of two attributes beside the rest, cut by answers; what is left."""
    page = run("01")
    answers, worth, X = page["answers"], page["worth"], page["X"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    weights = np.random.default_rng(1).dirichlet(np.ones(3), 900)
    three = np.zeros((len(weights), X.shape[1]))
    three[:, [0, 2, 1]] = weights  # price, commute, size
    kept, shown = np.zeros(len(weights), int), three @ X.T
    for k in (2, 3, 9):
        agrees = shown[:, answers.winners[k]] > shown[:, answers.losers[k]]
        kept += agrees
    for n, color in enumerate((PALE, "#a9c4de", "#6d9fcb", BLUE)):
        here = kept == n
        text = f"agrees with {n} of 3 answers"
        left.scatter(*weights[here, :2].T, s=9, color=color, label=text)
    left.set(xlabel="weight of rent", ylabel="weight of commute", aspect="equal")
    left.set_title("the rest of the weight is on size; each answer is a cut", size=10)
    left.legend(fontsize=8, markerscale=2)
    agreeing = np.ones(len(worth), bool)
    shares, flats = [1.0], [len(set(worth.argmax(axis=1)))]
    for a, b in zip(answers.winners, answers.losers, strict=True):
        agreeing &= worth[:, a] > worth[:, b]
        shares.append(agreeing.mean())
        flats.append(len(set(worth[agreeing].argmax(axis=1))))
    right.semilogy(shares, color=BLUE)
    right.set(xlabel="answers")
    right.set_ylabel("share of weightings left", color=BLUE)
    other = right.twinx()
    other.plot(flats, color=RED)
    other.set_ylim(0)
    other.set_ylabel("flats that may be the best", color=RED)
    save(figure, "cuts")


def draw_curves_and_certificate() -> None:
    """Show what page 3 learned, and what its gap means."""
    page = run("03")
    model, flats = page["model"], page["flats"]
    figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
    for ax, name in zip(axes.flat, ("price", "size", "commute"), strict=False):
        plot_curve(model, name, X=flats, ax=ax)
    plot_surface(model, ("balcony", "noise"), ax=axes[1, 1])
    save(figure, "curves")

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    t = np.linspace(-1.5, 1.5, 200)
    left.plot(t, 1 + t**2, color=BLUE, lw=2)
    left.plot(t, 1 - 0.8 * t**2, color=RED, lw=2)
    left.plot([0.7], [1.49], "o", color=BLUE)
    left.plot([-0.45], [0.838], "o", color=RED)
    for height, color in ((1.49, BLUE), (0.838, RED)):
        left.axhline(height, color=color, ls=":", lw=1)
    left.axhspan(0.838, 1.49, color=PALE, alpha=0.4, lw=0)
    left.text(-0.62, 1.56, "where the solver stands", color=BLUE, size=9)
    left.text(-1.45, 0.70, "what is proved", color=RED, size=9)
    left.text(0.75, 1.05, "the minimum is\nin this band", color=GREY, size=9)
    left.set(ylim=(-0.8, 3.2), xticks=[], yticks=[], ylabel="height")
    left.set_title("the problem (blue) and its dual (red)", size=10)
    steps, gaps = [], []
    for tol in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8):
        fit = model.__class__(C=1.0, epsilon=0.05, max_order=2, tol=tol)
        fit.fit(flats, page["ratings"])
        steps.append(fit.n_iter_)
        gaps.append(fit.dual_gap_)
    right.semilogy(steps, gaps, "o-", color=BLUE)
    right.set(xlabel="steps of the solver", ylabel="gap, as a share of the objective")
    right.set_title("the fit of this page, stopped at several tolerances", size=10)
    save(figure, "certificate")


def draw_capacity() -> None:
    """Weights of sets that support and replace each other, and all interactions."""
    page = run("04")
    names, capacity = page["names"], page["capacity"]
    figure, axes = plt.subplots(
        1, 3, figsize=(11, 3.6), layout="constrained", width_ratios=(1, 1, 1.5)
    )
    for ax, pair in zip(
        axes, (("energy class", "noise"), ("size", "commute")), strict=False
    ):
        places = [names.index(name) for name in pair]
        sets = ([places[0]], [places[1]], places)
        ax.bar([*pair, "both"], [capacity.value(s) for s in sets], color=BLUE)
        ax.set(ylim=(0, 3.5), ylabel="weight of the set, in points")
    axes[0].set_title("support each other", size=10)
    axes[1].set_title("replace each other", size=10)
    plot_interactions(page["model"], ax=axes[2])
    save(figure, "capacity")


def draw_rules() -> None:
    """Accuracy on answers that were given and on others, against the rules kept."""
    page = run("05")
    flats, answers, points = page["flats"], page["answers"], page["points"]
    one, other = np.random.default_rng(1).integers(0, len(points), (2, 600))
    one, other = (p[points[one] != points[other]] for p in (one, other))
    better = points[one] > points[other]
    new = Comparisons(np.where(better, one, other), np.where(better, other, one))
    counts = (1, 2, 3, 4, 5, 6, 8, 10)
    models = [RuleRanker(max_rules=k).fit(flats, answers) for k in counts]
    figure, ax = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
    for told, color, text in ((answers, BLUE, "given"), (new, RED, "not shown")):
        scores = [model.score(*told.stack(flats)) for model in models]
        ax.plot(counts, scores, "o-", color=color, label=f"answers that were {text}")
    ax.set(xlabel="rules", ylabel="share of answers explained", ylim=(0.7, 1.01))
    ax.legend()
    save(figure, "rules")


def draw_asking() -> None:
    """Loss after each question."""
    page = run("06")
    results = {
        text: simulate(
            page["population"], page["people"], policy, 8, noise=0.05, random_state=0
        )
        for text, policy in (
            ("chosen questions", "eubo-kg"),
            ("knockout", "knockout"),
            ("random pairs", "random-pair"),
        )
    }
    ax = plot_simulation(results)
    save(ax.figure, "asking")


def draw_reasons() -> None:
    """Two contrasts: of a learned model, and by a formula of one's own."""
    page = run("07")
    why = contrast(page["model"], page["first"], page["second"])
    for shown, name in ((why, "contrast"), (run("10")["why"], "own")):
        _, ax = plt.subplots(figsize=(10, 4), layout="constrained")
        save(plot_contrast(shown, ax=ax).figure, name)


def draw_group() -> None:
    """Points of all people for the flats with the best means."""
    page = run("08")
    points, names = page["points"], page["flats"].names
    best = points.mean(axis=0).argsort()[::-1][:12]
    figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
    for place, k in enumerate(best):
        ax.plot(points[:, k], [place] * len(points), "o", color=BLUE, alpha=0.25, mew=0)
        ax.plot(points[:, k].mean(), place, "|", color=RED, ms=14, mew=2.5)
    ax.set_yticks(range(len(best)), [names[k] for k in best])
    ax.set(xlabel="points; a dot is a person, the line their mean", xlim=(0, 102))
    ax.invert_yaxis()
    save(figure, "group")


def draw_blocks() -> None:
    """Sketch how a table in pieces is learned from."""
    figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
    ax.set(xlim=(0, 10), ylim=(0, 4))
    ax.axis("off")
    for k in range(3):
        y = 0.35 + 1.2 * k
        ax.add_patch(plt.Rectangle((0.2, y), 2.6, 0.9, color=BLUE, alpha=0.15))
        ax.text(1.5, y + 0.45, f"block {3 - k} of rows", ha="center", va="center")
        arrow = {"arrowstyle": "<->", "color": GREY}
        ax.annotate("", (6.4, 2.0), (2.9, y + 0.45), arrowprops=arrow)
    ax.text(4.6, 3.35, "sums over its rows", ha="center", color=GREY)
    ax.text(4.6, 0.5, "curves, back again", ha="center", color=GREY)
    ax.add_patch(plt.Rectangle((6.5, 1.3), 3.2, 1.4, color=RED, alpha=0.15))
    ax.text(
        8.1, 2.0, "the process that fits:\ny, weights, curves", ha="center", va="center"
    )
    ax.text(0.2, 3.75, "workers", weight="bold")
    save(figure, "blocks")


if __name__ == "__main__":
    mpl.use("agg")
    mpl.rcParams["svg.hashsalt"] = "course"
    for draw in (
        draw_cuts,
        draw_curves_and_certificate,
        draw_capacity,
        draw_rules,
        draw_asking,
        draw_reasons,
        draw_group,
        draw_blocks,
    ):
        draw()
