"""GAIRanker: 2,000 comparisons, certified, in 5 CPU s, as accurate as a rank-SVM.

Answers are about 200 items with 8 attributes and a hidden sparse utility, smooth or
wavy; each side of a comparison is perceived with noise. Both methods choose cost and
length scale among nine settings by 400 held-out answers. Accuracy is that on the true
order of pairs of 400 other items.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from benchmarks._measure import Budget
from benchmarks.peers import rank_svm
from penchant.data import Comparisons
from penchant.datasets import RatedSample, make_gai
from penchant.models import GAIRanker

N_COMPARISONS, N_ITEMS, N_FEATURES, N_OTHERS = 2000, 200, 8, 400
NOISE = 0.05
SECONDS = 5.0
SETTINGS = tuple(product((0.1, 1.0, 10.0), (0.3, 0.6, 1.0)))
SVM_SETTINGS = tuple(product((1.0, 10.0, 100.0), (0.5, 1.0, 2.0)))
SEEDS = range(4)


class Answers(NamedTuple):
    """Which item of a pair is preferred, as indices of rows."""

    winners: np.ndarray
    losers: np.ndarray

    def accuracy(self, utility: np.ndarray) -> float:
        """Give the share of answers that a utility of the items reproduces."""
        return float(np.mean(utility[self.winners] > utility[self.losers]))


@contextmanager
def cases() -> Iterator[list[Budget]]:
    """Yield the fits with the chosen settings; accuracies are in their names."""
    yield [_budget("smooth", 3), _budget("wavy", 6)]


def _budget(name: str, n_basis: int) -> Budget:
    sample = make_gai(
        N_ITEMS + N_OTHERS, N_FEATURES, n_factors=8, n_basis=n_basis, random_state=0
    )
    X, others = sample.X[:N_ITEMS], sample.X[N_ITEMS:]
    answers = ask(sample, X, N_COMPARISONS, seed=1, noise=NOISE)
    held_out = ask(sample, X, 400, seed=2, noise=NOISE)
    truth = ask(sample, others, 4000, seed=3, noise=0.0)
    C, scale = choose(gai, SETTINGS, X, answers, held_out)
    ours = truth.accuracy(gai(X, answers, C, scale).utility(others))
    peer = svm(X, answers, *choose(svm, SVM_SETTINGS, X, answers, held_out))
    theirs = truth.accuracy(peer.utility(others))
    return Budget(
        name=f"{name}, C={C:g}: accuracy {ours:.3f}, {rank_svm.NAME} {theirs:.3f}",
        ours=lambda: gai(X, answers, C, scale),
        seconds=SECONDS,
        check=lambda model: model.dual_gap_ <= model.tol and ours >= theirs,
    )


def choose(
    fit: Callable[..., Any],
    settings: tuple[tuple[float, float], ...],
    X: np.ndarray,
    answers: Answers,
    held_out: Answers,
) -> tuple[float, float]:
    """Give the cost and the scale that reproduce most of the held-out answers."""
    scores = [held_out.accuracy(fit(X, answers, *each).utility(X)) for each in settings]
    return settings[int(np.argmax(scores))]


def ask(
    sample: RatedSample, X: np.ndarray, n_answers: int, *, seed: int, noise: float
) -> Answers:
    """Compare random pairs of different items."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, len(X), n_answers)
    right = (left + rng.integers(1, len(X), n_answers)) % len(X)
    utility = sample.utility(X)
    margin = utility[left] - utility[right]
    margin += noise * np.sqrt(2.0) * rng.standard_normal(n_answers)
    return Answers(np.where(margin > 0, left, right), np.where(margin > 0, right, left))


def gai(X: np.ndarray, answers: Answers, C: float, scale: float) -> Any:
    """Fit our ranker."""
    return GAIRanker(C=C, sigma=scale, domain=(0, 1)).fit(X, Comparisons(*answers))


def svm(X: np.ndarray, answers: Answers, C: float, scale: float) -> Any:
    """Fit the peer, with the same length scale of the kernel."""
    machine = rank_svm.RankSVM(C=C, gamma=0.5 / scale**2)
    return machine.fit(X, answers.winners, answers.losers)
