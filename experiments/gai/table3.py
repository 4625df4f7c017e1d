"""Table 3: whether the learned factors include only what the hidden utility has.

For each maximal size of the hidden factors, 20 utilities are drawn as sums of 10 tensor
products of zero-mean quadratic splines of 10 attributes (`penchant.datasets.make_gai`)
and learned from 140 ratings with noise 0.05: by the paper's method with its settings,
and by our estimator, which also chooses the scale of the kernel. The error is that on
150 items, against the utility without noise.

The paper does not say how many pieces its splines have. One piece, the default of
`make_gai`, gives errors near the published ones and stands under the paper's row names;
four pieces are a harder task and stand in rows of their own.

By the paper's rule a factor is selected if its weight d_S is above 0.01. The weight is
the norm of the factor over sqrt(2 lambda), and lambda is not identified (GAI-3): with
lambda = 1/2 it is the norm. That rule stands under the paper's names. Ours stands
beside it: a factor counts if it has at least 5 % of the variance of the result;
the 10 hidden factors have a tenth each. Share and pieces were fixed on other seeds (1
and 2). Rates at 1 %, the default of `select`, and the share of hidden factors that are
found (recall, by 5 %) stand in columns of their own, and so does the error of a
constant, the mean of the training ratings.
"""

import warnings
from collections.abc import Iterator
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.metrics import mean_absolute_error

from experiments._outcome import Measurement, Outcome
from penchant._parallel import track
from penchant.datasets import make_gai
from penchant.metrics import false_discovery_rate
from penchant.models import GAIRegressorCV

SEEDS = tuple(range(1000, 1020))
N_TRAIN, N_TEST, N_FEATURES = 140, 150, 10
NOISE = 0.05
WEIGHT = 0.01
SHARES = {"5 %": 0.05, "1 %": 0.01}
SIZES = (1, 2, 3, 4, 5)
PIECES = {"": 1, ", four pieces": 4}
PUBLISHED = ("MAE", "Max size", "FDR")
MODELS = {
    "": GAIRegressorCV(preset="paper", domain=(0, 1)),
    ", ours": GAIRegressorCV(preset="fast", sparse=True, domain=(0, 1)),
}
NOTES = {"": "SMKGAI, paper's settings", ", ours": "GAIRegressorCV fast, sparse"}


def run(*, quick: bool) -> Outcome:
    """Learn 20 utilities of each size (if quick, one of sizes 1 and 3)."""
    seeds = SEEDS[:1] if quick else SEEDS
    sizes = (1, 3) if quick else SIZES
    settings = list(product(PIECES, sizes, MODELS))
    cells = [
        cell
        for pieces, size, model in track(settings, "Table 3")
        for cell in _cells(pieces, size, model, seeds)
    ]
    return Outcome("table3", tuple(cells), seeds)


def _cells(
    pieces: str, size: int, model: str, seeds: tuple[int, ...]
) -> Iterator[Measurement]:
    figures = Parallel()(
        delayed(simulate)(PIECES[pieces], size, model, seed) for seed in seeds
    )
    for column in figures[0]:
        values = [each[column] for each in figures]
        yield Measurement.from_scores(
            f"{size}{pieces}",
            f"{column}{model}",
            values,
            note=NOTES[model],
            in_paper=not pieces and not model and column in PUBLISHED,
        )


def simulate(n_pieces: int, size: int, name: str, seed: int) -> dict[str, float]:
    """Learn one utility and return the figures of the table."""
    sample = make_gai(
        N_TRAIN + N_TEST,
        N_FEATURES,
        max_size=size,
        n_basis=n_pieces + 2,
        noise=NOISE,
        random_state=seed,
    )
    model = clone(MODELS[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a path may end before the gap is reached
        model.fit(sample.X[:N_TRAIN], sample.y[:N_TRAIN])
    X_test = sample.X[N_TRAIN:]
    truth = sample.utility(X_test)
    constant = np.full(N_TEST, sample.y[:N_TRAIN].mean())
    heavy = model.factor_weights_ > WEIGHT
    found = {
        "": [
            factor for factor, is_in in zip(model.factors_, heavy, strict=True) if is_in
        ],
        **{f", {at} of variance": model.select(SHARES[at]).factors_ for at in SHARES},
    }
    figures = {"MAE": float(mean_absolute_error(truth, model.utility(X_test)))}
    for rule, factors in found.items():
        largest = np.max([len(factor) for factor in factors], initial=0)
        figures[f"Max size{rule}"] = float(largest)
        figures[f"FDR{rule}"] = false_discovery_rate(factors, sample.factors)
    kept = found[", 5 % of variance"]
    figures["Recall"] = float(np.mean([factor in kept for factor in sample.factors]))
    if not name:  # one row of it is enough
        figures["MAE of a constant"] = float(mean_absolute_error(truth, constant))
    return figures
