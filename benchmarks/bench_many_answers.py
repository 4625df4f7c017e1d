"""GaussianProcessRanker: 10,000 comparisons in 10 CPU s, 100,000 in 40, as if exact.

Every comparison is of two new items with ten attributes: five smooth effects and a
product, noise 1. At 3,000 comparisons the log loss on 2,000 others is at most .003
above that of the exact Laplace posterior with the same hyper-parameters, which works
on the differences that the comparisons are about (GP-4). One thread.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import ndtr
from threadpoolctl import threadpool_limits

from benchmarks._measure import Budget
from penchant.models import GaussianProcessRanker
from penchant.solvers import Sites, laplace

LIMITS = {3_000: 10.0, 10_000: 10.0, 100_000: 40.0}
AS_EXACT = 3_000
WORSE_BY = 0.003
N_OTHERS = 2_000
SEEDS = "the number of answers; of the others 1"


@contextmanager
def cases() -> Iterator[list[Budget]]:
    """Yield fits to more and more comparisons."""
    with threadpool_limits(1):
        yield [_fit(size, seconds) for size, seconds in LIMITS.items()]


def _fit(size: int, seconds: float) -> Budget:
    pairs, labels = draw(size, seed=size)
    others, truth = draw(N_OTHERS, seed=1)
    model = GaussianProcessRanker().fit(pairs, labels)
    loss = log_loss(model.predict_proba(others)[:, 1], truth)
    told, is_close = f"log loss {loss:.4f}", True
    if size == AS_EXACT:
        exact = log_loss(exact_chances(model, pairs, labels, others), truth)
        told, is_close = f"{told}, exact {exact:.4f}", loss <= exact + WORSE_BY
    return Budget(
        name=f"{size} comparisons, {told}",
        ours=lambda: GaussianProcessRanker().fit(pairs, labels),
        seconds=seconds,
        check=lambda found: is_close and found.solver_status_ == "optimal",
    )


def draw(size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Compare pairs of random items under a hidden utility."""
    rng = np.random.default_rng(seed)
    pairs = rng.random((size, 2, 10))
    x = np.moveaxis(pairs, 2, 0)
    utility = np.sin(3 * x[0]) + 4 * (x[1] - 0.5) ** 2 + np.exp(-3 * x[2]) + x[3]
    utility += 0.8 * np.tanh(4 * (x[4] - 0.5)) + 2 * x[5] * x[6]
    chances = ndtr(2 * (utility[:, 0] - utility[:, 1]))
    return pairs, (rng.random(size) < chances).astype(int)


def log_loss(chances: np.ndarray, labels: np.ndarray) -> float:
    """Give the mean log loss of the chances that the first item wins."""
    return float(-np.log(np.where(labels == 1, chances, 1.0 - chances)).mean())


def exact_chances(
    model: Any, pairs: np.ndarray, labels: np.ndarray, others: np.ndarray
) -> np.ndarray:
    """Predict other pairs by exact inference with the kernel of a model."""
    ends = np.where(labels[:, None, None] == 1, pairs, pairs[:, ::-1])
    asked = [model.encoding_.transform(ends[:, side]) for side in (0, 1)]
    wanted = [model.encoding_.transform(others[:, side]) for side in (0, 1)]
    kernel = model.process_.kernel
    G = _between(kernel.gram, asked, asked)
    cross = _between(kernel.gram, wanted, asked)
    size = len(labels)
    found = laplace(np.zeros(size), G, Sites(np.zeros(size), np.full(size, np.inf)))
    scale = np.sqrt(found.precision)
    root = cholesky(np.eye(size) + scale[:, None] * G * scale, lower=True)
    known = solve_triangular(root, (cross * scale).T, lower=True)
    prior = _between(kernel.paired, wanted, wanted)
    spread = np.sqrt(1.0 + prior - np.square(known).sum(axis=0))
    return ndtr(cross @ found.pull / spread)


def _between(gram: Any, first: list[np.ndarray], second: list[np.ndarray]) -> Any:
    """Give covariances of differences from those of items."""
    (a, b), (c, d) = first, second
    return gram(a, c) - gram(a, d) - gram(b, c) + gram(b, d)
