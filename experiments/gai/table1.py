"""Table 1: a utility with an interaction of all six attributes.

Rated are 70 random items with ``u(x) = sum_i x_i + 1000 prod_i x_i``; errors are those
on 150 others, against the utility without noise. Utilities are scaled to [0, 1] over
all 220 items. The paper speaks of noisy ratings and does not say on which scale; an
error of 0.0065 is within reach only if its 0.05 is in units of u, which runs to 1006.
We repeat that under the paper's row names, and report noise of 0.05 of the range of u
in rows of its own. Times are CPU seconds of a fit with its cross-validation.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import mean_absolute_error

from experiments._outcome import Measurement, Outcome
from experiments.gai._methods import additive, ours, smkgai
from penchant._parallel import track
from penchant.datasets import make_product_utility

SEEDS = tuple(range(1000, 1020))
N_TRAIN, N_TEST, N_FEATURES = 70, 150, 6
NOISE = 0.05
METHODS: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "SMKGAI": smkgai,
    **{
        f"{order}-GAI": lambda X, y, order=order: additive(order, X, y)
        for order in (1, 2, 3, 4)
    },
    "GAIRegressorCV": ours,
}
OWN = ("GAIRegressorCV",)


class Sample(NamedTuple):
    """Training items with noisy ratings, and test items with their true utility."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    u_test: np.ndarray


def run(*, quick: bool) -> Outcome:
    """Measure errors and times over 20 simulations (1 if quick)."""
    seeds = SEEDS[:1] if quick else SEEDS
    cells = [
        cell
        for name in track(list(METHODS), "Table 1")
        for of_range in (False, True)
        for cell in _cells(name, seeds, of_range=of_range)
    ]
    order = ["MAE", "Training time (sec.)", "MAE, noise of the range"]
    return Outcome(
        "table1", tuple(sorted(cells, key=lambda c: order.index(c.row))), seeds
    )


def _cells(
    name: str, seeds: tuple[int, ...], *, of_range: bool
) -> Iterator[Measurement]:
    scores = Parallel()(delayed(simulate)(name, seed, of_range) for seed in seeds)
    errors, seconds = zip(*scores, strict=True)
    own = name in OWN
    if of_range:
        note = "noise 0.05 of the range"
        yield Measurement.from_scores(
            "MAE, noise of the range", name, errors, note=note, in_paper=False
        )
        return
    note = "noise 0.05 in units of u"
    yield Measurement.from_scores("MAE", name, errors, note=note, in_paper=not own)
    yield Measurement.from_scores(
        "Training time (sec.)", name, seconds, note="CPU seconds", in_paper=not own
    )


def simulate(name: str, seed: int, of_range: bool) -> tuple[float, float]:
    """Return the error of a method on one sample, and the CPU seconds of its fit."""
    sample = draw(seed, of_range=of_range)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a path may end before the gap is reached
        model = METHODS[name](sample.X, sample.y)
    seconds = time.process_time() - start
    error = mean_absolute_error(sample.u_test, model.predict(sample.X_test))
    return float(error), seconds


def draw(seed: int, *, of_range: bool) -> Sample:
    """Draw items and ratings, scaled so that true utilities run from 0 to 1."""
    exact = make_product_utility(
        N_TRAIN + N_TEST, N_FEATURES, noise=0.0, random_state=seed
    )
    low, width = exact.y.min(), np.ptp(exact.y)
    truth = (exact.y - low) / width
    noise = NOISE if of_range else NOISE / width
    rng = np.random.default_rng(seed)
    y = truth[:N_TRAIN] + noise * rng.standard_normal(N_TRAIN)
    return Sample(exact.X[:N_TRAIN], y, exact.X[N_TRAIN:], truth[N_TRAIN:])
