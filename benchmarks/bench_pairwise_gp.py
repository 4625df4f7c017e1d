"""GaussianProcessRanker: 1,000 comparisons, kernel learned, in 100 ms; 4 times BoTorch.

Answers are about 100 items with 15 attributes and a hidden utility, with noise. Both
sides learn a length scale per attribute by the evidence of Laplace's approximation, on
one thread. The order of 600 items, of which 500 were never compared, must be found no
worse than by the peer, up to two standard errors of the mean difference over ten
tasks. Without BoTorch only our own times are measured.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import spearmanr

from benchmarks._measure import Budget, Case, Missing
from benchmarks.peers import botorch_pairwise, is_here
from penchant.data import Comparisons
from penchant.datasets import make_gai
from penchant.models import GaussianProcessRanker

PEERS = ("botorch",)
PACKAGES = ("botorch", "torch")
N_ITEMS, N_OTHERS, N_FEATURES = 100, 500, 15
NOISE = 0.3
SECONDS = 0.1
SEEDS = range(10)
"""Rank correlations are means over these tasks; times are those of the first."""


class Task(NamedTuple):
    """Items, of which the first are compared, their true utility, and the answers."""

    X: np.ndarray
    utility: np.ndarray
    winners: np.ndarray
    losers: np.ndarray

    def correlation(self, model: Any) -> float:
        """Give the rank correlation of a model's utility with the true one."""
        return float(spearmanr(model.utility(self.X), self.utility)[0])


@contextmanager
def cases() -> Iterator[list[Budget | Case | Missing]]:
    """Yield the times of both kernels, and the races against the peer."""
    found: list[Budget | Case | Missing] = []
    for kernel in ("rbf", "anova"):
        task = make_task("interactions", 1000)
        rho = task.correlation(ours(task, kernel))
        found.append(
            Budget(
                name=f"{kernel}, 1000 comparisons, rank correlation {rho:.3f}",
                ours=lambda task=task, kernel=kernel: ours(task, kernel),
                seconds=SECONDS,
                check=lambda model: model.solver_status_ == "optimal",
            )
        )
    for truth in ("linear", "interactions"):
        found += [_race(truth, size, "rbf") for size in (100, 300, 1000)]
        found.append(_race(truth, 1000, "anova"))
    yield found


def _race(truth: str, n_answers: int, kernel: str) -> Case | Missing:
    what = f"{kernel}, {truth}, {n_answers} comparisons"
    if not is_here("botorch"):
        return Missing(what, botorch_pairwise.NAME, "botorch")
    tasks = [make_task(truth, n_answers, seed) for seed in SEEDS]
    mine = np.array([task.correlation(ours(task, kernel)) for task in tasks])
    other = np.array([task.correlation(theirs(task)) for task in tasks])
    return Case(
        name=f"{what}, rank correlations {mine.mean():.3f} and {other.mean():.3f}",
        ours=lambda: ours(tasks[0], kernel),
        theirs=lambda: theirs(tasks[0]),
        peer=botorch_pairwise.NAME,
        at_most=0.25,
        agree=lambda *_: no_worse(mine, other),
    )


def no_worse(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Tell whether the mean is at least the peer's, up to two standard errors."""
    gain = ours - theirs
    return bool(gain.mean() >= -2.0 * gain.std(ddof=1) / np.sqrt(len(gain)))


def make_task(truth: str, n_answers: int, seed: int = 0) -> Task:
    """Compare random pairs of different items under a linear or a GAI utility."""
    rng = np.random.default_rng(seed)
    sample = make_gai(
        N_ITEMS + N_OTHERS, N_FEATURES, n_factors=8, n_basis=3, random_state=seed
    )
    if truth == "linear":
        utility = sample.X @ rng.standard_normal(N_FEATURES)
    else:
        utility = sample.utility(sample.X)
    left = rng.integers(0, N_ITEMS, n_answers)
    right = (left + rng.integers(1, N_ITEMS, n_answers)) % N_ITEMS
    spread = NOISE * utility[:N_ITEMS].std()
    margin = utility[left] - utility[right] + spread * rng.standard_normal(n_answers)
    wins = margin > 0
    return Task(
        sample.X, utility, np.where(wins, left, right), np.where(wins, right, left)
    )


def ours(task: Task, kernel: str = "rbf") -> GaussianProcessRanker:
    """Fit our ranker, hyper-parameters included."""
    ranker = GaussianProcessRanker(kernel=kernel, domain=(0, 1))
    return ranker.fit(task.X[:N_ITEMS], Comparisons(task.winners, task.losers))


def theirs(task: Task) -> botorch_pairwise.PairwiseRanker:
    """Fit the peer, hyper-parameters included."""
    ranker = botorch_pairwise.PairwiseRanker()
    return ranker.fit(task.X[:N_ITEMS], task.winners, task.losers)
