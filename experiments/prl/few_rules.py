"""Accuracy against the number of rules: ours and peers on the same folds.

Not in the paper. Three medical data sets, 10 folds repeated 5 times (ours with other
numbers of rules than 5 and 10: once).
Everything is chosen inside the training rows: by `RuleClassifier` itself, of which only
the number of rules is set, or by 3 folds among a peer's settings. See README.md for
these and for what counts as a rule. A full run draws ``results/few_rules.png``.

Scores are kept in ``results/cache`` until the code of the method changes.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from experiments._outcome import Measurement, Outcome
from experiments._paired import corrected_t_test
from experiments.prl._peers import MAIN_CAPS, PEERS
from experiments.prl._scores import (
    N_FOLDS,
    OURS,
    SEED,
    Score,
    outer_folds,
    score_folds,
)
from experiments.prl._tasks import Task, few_rules_tasks
from penchant._parallel import track

PACKAGES = tuple(sorted({peer.package for peer in PEERS.values()} - {"scikit-learn"}))
QUICK_TASK = "mammographic"
QUICK_METHODS = (OURS, "BOOMER", "tree")
PICTURE = Path(__file__).parent / "results" / "few_rules.png"
STYLES = {
    OURS: ("#c1272d", "o"),
    "BOOMER": ("#0071bc", "s"),
    "BooleanRuleCG": ("#009245", "^"),
    "RuleFit": ("#93278f", "D"),
    "RIPPER": ("#f7931e", "v"),
    "tree": ("0.45", "P"),
}

Scores = dict[str, dict[int | None, list[Score]]]


def run(*, quick: bool) -> Outcome:
    """Score all methods (if quick, three of them on one fold of one data set)."""
    tasks = [task for task in few_rules_tasks() if not quick or task.name == QUICK_TASK]
    results = [(task, measure(task, quick=quick)) for task in track(tasks, "few rules")]
    if not quick and all(scores for _, scores in results):
        draw({task.name: scores for task, scores in results})
    cells = [cell for task, scores in results for cell in cells_of(task, scores)]
    return Outcome("few_rules", tuple(cells), (SEED,))


def measure(task: Task, *, quick: bool) -> Scores:
    """Score the methods that are here, by method and largest number of rules."""
    if task.X is None or task.y is None:
        return {}
    X, y = task.X.to_numpy(), task.y
    folds = list(outer_folds(X, y))[: 1 if quick else None]
    methods = (OURS, *(name for name, peer in PEERS.items() if peer.is_here))
    scores: Scores = {}
    for name in methods:
        if quick and name not in QUICK_METHODS:
            continue
        scores[name] = score_folds(name, X, y, folds, cached=not quick)
    return scores


def cells_of(task: Task, scores: Scores) -> Iterator[Measurement]:
    """Yield a cell per method and number of rules, then how ours compares."""
    if not scores:
        yield Measurement(task.name, OURS, note="data not here", in_paper=False)
        return
    for name, by_cap in scores.items():
        for cap, each in by_cap.items():
            yield _cell(task, name, cap, each, scores[OURS].get(cap, []))
    for name, peer in PEERS.items():
        if not peer.is_here:
            note = f"needs {peer.package}"
            yield Measurement(task.name, name, note=note, in_paper=False)
    yield from (_verdict(task, scores, cap) for cap in MAIN_CAPS)


def _cell(
    task: Task, name: str, cap: int | None, theirs: list[Score], ours: list[Score]
) -> Measurement:
    """Summarise a method, with the paired comparison of ours with it."""
    accuracies, counts, seconds = (
        [getattr(score, field) for score in theirs]
        for field in ("accuracy", "n_rules", "seconds")
    )
    notes = [f"{np.mean(counts):.1f} rules", f"{np.mean(seconds):.2g} CPU s"]
    if name != OURS and ours:
        notes.append(compare(ours, theirs))
    limit = "no limit" if cap is None else f"at most {cap}"
    return Measurement.from_scores(
        task.name, f"{name}, {limit}", accuracies, note="; ".join(notes), in_paper=False
    )


def compare(ours: list[Score], theirs: list[Score]) -> str:
    """Tell how ours compares on the folds that both were measured on."""
    gaps = differences(ours, theirs)
    p = corrected_t_test(gaps, 1 / (N_FOLDS - 1))
    wins, losses = int((gaps > 0).sum()), int((gaps < 0).sum())
    return f"ours {gaps.mean():+.2f}, wins {wins}, loses {losses}, p {p:.2g}"


def differences(ours: list[Score], theirs: list[Score]) -> np.ndarray:
    """Give our accuracy minus theirs, on the folds that both were measured on."""
    pairs = zip(ours, theirs, strict=False)
    return np.array([mine.accuracy - other.accuracy for mine, other in pairs])


def _verdict(task: Task, scores: Scores, cap: int) -> Measurement:
    """Give our accuracy minus that of the peer that comes closest to it."""
    mine = scores[OURS][cap]
    rivals = {
        name: differences(mine, by_cap[cap])
        for name, by_cap in scores.items()
        if name != OURS and cap in by_cap
    }
    best = min(rivals, key=lambda name: rivals[name].mean())
    gaps = rivals[best]
    p = corrected_t_test(gaps, 1 / (N_FOLDS - 1))
    note = f"best peer {best}; p {p:.2g}, one comparison at a time"
    return Measurement(
        task.name,
        f"ours - best peer, at most {cap}",
        float(gaps.mean()),
        None,
        len(gaps),
        note,
        False,
    )


def draw(results: dict[str, Scores]) -> None:
    """Draw one panel per data set: mean accuracy against mean number of rules."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.5, 4.0), layout="constrained")
    panels = figure.subplots(1, len(results))
    for panel, (title, scores) in zip(panels, results.items(), strict=True):
        for name, (colour, marker) in STYLES.items():
            if name in scores:
                _draw_curve(panel, scores[name], name, colour, marker)
        linear = scores.get("logistic regression", {}).get(None, [])
        if linear:
            mean = np.mean([score.accuracy for score in linear])
            panel.axhline(mean, color="black", linestyle=":", label="logistic regr.")
        panel.set_title(title)
        panel.set_xlabel("mean number of rules")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("accuracy (%)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=7, frameon=False)
    figure.savefig(PICTURE, dpi=120)


def _draw_curve(
    panel, by_cap: dict[int | None, list[Score]], name: str, colour: str, marker: str
) -> None:
    limited = [each for cap, each in by_cap.items() if cap is not None]
    counts = [np.mean([score.n_rules for score in each]) for each in limited]
    means = [np.mean([score.accuracy for score in each]) for each in limited]
    panel.plot(counts, means, color=colour, marker=marker, markersize=4, label=name)
