"""The next question: 1 / 3 / 60 CPU ms among 10 / 100 / 1000 items, 20 answers in.

One thread, whatever the number of people that the prior was learned from: only the
items and the answers of this person enter. Each case asks ten times and starts anew
each time, so that nothing is remembered; the limits in the table are ten times those
of one question. The last cases compare the default with policies that do not think.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from benchmarks._measure import Budget, Case
from penchant.elicitation import Elicitor, Question
from penchant.models import LowRankCovariance, Posterior

N_ASKED, N_ANSWERS, RANK = 10, 20, 30
LIMITS = {10: 0.001, 100: 0.003, 1000: 0.06, 100_000: 1.0}
PACKAGES = ("numpy", "scipy")
SEEDS = "0; of the questions 0, 1, ..."


@contextmanager
def cases() -> Iterator[list[Case | Budget]]:
    """Yield the limits, then the comparisons with policies that do not think."""
    yield [
        *(_limit(n_items, seconds) for n_items, seconds in LIMITS.items()),
        *(_baseline(policy) for policy in ("knockout", "random-pair")),
    ]


def _limit(n_items: int, seconds: float) -> Budget:
    return Budget(
        name=f"{N_ASKED} questions, {n_items:,} items, {N_ANSWERS} answers",
        ours=_asking(n_items, "eubo-kg"),
        seconds=N_ASKED * seconds,
        check=lambda question: question.left != question.right,
    )


def _baseline(policy: str) -> Case:
    return Case(
        name=f"{N_ASKED} questions, 100 items, {N_ANSWERS} answers",
        ours=_asking(100, "eubo-kg"),
        theirs=_asking(100, policy),
        peer=policy,
        at_most=20.0,
    )


def _asking(n_items: int, policy: str) -> Callable[[], Question]:
    """Give a function that asks after answers of a person drawn from the prior."""
    rng = np.random.default_rng(0)
    factor = rng.standard_normal((n_items, RANK)) / np.sqrt(RANK)
    own = np.full(n_items, 0.05)
    mean = rng.standard_normal(n_items)
    utilities = mean + factor @ rng.standard_normal(RANK)
    cov = LowRankCovariance(factor, own) if n_items > 1000 else _dense(factor, own)
    elicitor = Elicitor(Posterior(mean, cov, noise=0.3), policy, 0)
    for _ in range(min(N_ANSWERS, n_items * (n_items - 1) // 4)):
        question = elicitor.ask()
        is_left = utilities[question.left] > utilities[question.right]
        elicitor.tell(question, "left" if is_left else "right")
    posterior = elicitor.posterior

    def ask() -> Question:
        for seed in range(N_ASKED):
            question = Elicitor(posterior, policy, seed).ask()
        return question

    return ask


def _dense(factor: np.ndarray, own: np.ndarray) -> np.ndarray:
    return factor @ factor.T + np.diag(own)
