"""Learn from 5000 people in 5 CPU s; then an answer takes 1 to 15 ms, one thread.

People compare all pairs of 10 items, or 45 pairs among 100. An answer is the 21st of a
new person, with mean and covariance of all items at hand, 100 times.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks._measure import Budget
from penchant.data import Comparisons
from penchant.models import PopulationGP, Posterior

N_PAIRS, N_TOLD, N_REPEATS = 45, 20, 100
LIMITS = {10: 0.001, 100: 0.002, 1000: 0.015}


@contextmanager
def cases() -> Iterator[list[Budget]]:
    """Yield learning from many people, then answers of a new one."""
    with threadpool_limits(1):
        yield [
            _learn(5000, 10, 5.0, shown=10),
            _learn(4500, 100, 10.0, shown=10),
            _learn(4500, 100, 10.0, shown=None),
            *(_tell(n_items, seconds) for n_items, seconds in LIMITS.items()),
        ]


def answers(n_users: int, n_items: int, shown: int | None) -> Comparisons:
    """Let people compare all pairs of some random items, or random pairs of all."""
    rng = np.random.default_rng(0)
    tastes = rng.standard_normal((n_users, 3)) + 1.0
    features = rng.standard_normal((n_items, 3))
    utilities = tastes @ features.T + 0.5 * rng.standard_normal((n_users, n_items))
    users = np.repeat(np.arange(n_users), N_PAIRS)
    if shown is None:
        left = rng.integers(0, n_items, len(users))
        right = (left + rng.integers(1, n_items, len(users))) % n_items
    else:
        lists = rng.random((n_users, n_items)).argsort(axis=1)[:, :shown]
        left, right = (lists[:, side].ravel() for side in np.triu_indices(shown, k=1))
    better = utilities[users, left] > utilities[users, right]
    return Comparisons(
        np.where(better, left, right), np.where(better, right, left), users=users
    )


def _learn(n_users: int, n_items: int, seconds: float, shown: int | None) -> Budget:
    past = answers(n_users, n_items, shown)
    which = "random pairs" if shown is None else f"all pairs of {shown} items"
    return Budget(
        name=f"learn from {n_users} people, {which}, {n_items} items",
        ours=lambda: PopulationGP().fit(None, past),
        seconds=seconds,
        check=lambda model: model.solver_status_ == "optimal",
    )


def _tell(n_items: int, seconds: float) -> Budget:
    rng = np.random.default_rng(0)
    root = rng.standard_normal((n_items, 5))
    belief = Posterior(
        rng.standard_normal(n_items), root @ root.T + 0.1 * np.eye(n_items), noise=0.2
    )
    utility = rng.standard_normal(n_items)
    for _ in range(N_TOLD):
        i, j = rng.choice(n_items, 2, replace=False)
        belief = belief.update(*((i, j) if utility[i] > utility[j] else (j, i)))

    def tell() -> Posterior:
        for _ in range(N_REPEATS):
            told = belief.update(0, 1)
            _ = told.mean, told.cov
        return told

    return Budget(
        name=f"{N_REPEATS} times the answer {N_TOLD + 1}, {n_items} items",
        ours=tell,
        seconds=N_REPEATS * seconds,
        check=lambda told: len(told.answers) == N_TOLD + 1,
    )
