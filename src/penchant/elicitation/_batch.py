"""Questions to be answered all at once, such as on paper."""

from dataclasses import dataclass, replace
from typing import Self, cast

import numpy as np
from scipy.special import log_ndtr, ndtr

from penchant.data import Items
from penchant.elicitation._belief import Moments, Pair
from penchant.elicitation._choice import (
    Policy,
    Situation,
    check_policy,
    choose_pair,
    leading_items,
)
from penchant.elicitation._dominance import LARGE, Dominance
from penchant.elicitation._history import History, Question
from penchant.elicitation.policies._duels import check_generator
from penchant.exceptions import DataError, NotAnswerableError
from penchant.gp import Answer
from penchant.typing import FloatArray, IntArray, RandomState

_N_LEADING = 512
"""Items that are looked at out of a large table."""


def batch(
    posterior: Moments,
    n: int,
    *,
    policy: Policy = "eubo-kg",
    items: Items | None = None,
    random_state: RandomState = None,
) -> list[Question]:
    """Choose questions that are good together, before any of them is answered.

    One after the other: each question is the best one by the policy, given that the
    earlier ones will have been answered. An unknown answer leaves the means where
    they are and shrinks the covariance by what it does on average over both answers
    (GP-8), so the questions do not all ask for the same thing.

    Parameters
    ----------
    posterior : Posterior
        What is known of the person, or of people in general.
    n : int
        How many questions; no pair twice, nor one that was answered before.
    policy : str or callable, default="eubo-kg"
        As for `Elicitor`.
    items : Items, optional
        Pairs that the directions of the attributes decide are left out.
    random_state : int, RandomState, Generator or None, default=None
        Decides which item stands on the left, and between equal pairs.

    Returns
    -------
    list of Question
        `Elicitor.tell` takes the answers in any order.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation import batch
    >>> from penchant.models import Posterior
    >>> posterior = Posterior(np.zeros(4), np.eye(4), noise=0.1)
    >>> questions = batch(posterior, 2, random_state=0)
    >>> len({item for question in questions for item in question.pair})
    4
    """
    if not isinstance(n, int | np.integer) or n < 1:
        raise DataError(f"n must be a whole number >= 1. Got {n!r}.")
    policy = check_policy(policy)
    rng = check_generator(random_state)
    kept, situation = _start(posterior, items, rng)
    questions: list[Question] = []
    while len(questions) < n:
        pair = choose_pair(policy, situation)
        if pair is None:
            raise NotAnswerableError(
                f"Only {len(questions)} pairs are left to ask. Got n={n}; ask for "
                "fewer."
            )
        situation = _after(situation, pair)
        left, right = kept[list(pair if rng.random() < 0.5 else pair[::-1])]
        questions.append(Question(int(left), int(right)))
    return questions


@dataclass(frozen=True, eq=False)
class _Expected:
    """A belief after questions whose answers nobody knows yet."""

    mean: FloatArray
    cov: FloatArray
    noise: float
    answers: tuple[Answer, ...] = ()

    @property
    def n_items(self) -> int:
        return self.mean.size

    @property
    def variance(self) -> FloatArray:
        variance: FloatArray = np.maximum(np.diagonal(self.cov), 0.0)
        return variance

    def block(self, items: IntArray) -> FloatArray:
        return self.cov[np.ix_(items, items)]

    def cross(self, items: IntArray) -> FloatArray:
        return self.cov[:, items]

    def update(self, winner: int, loser: int) -> Self:
        """Learn one answer by its exact moments (GP-8)."""
        c, z, t = self._direction(winner, loser)
        r = _hazard(z)
        cov = self.cov - np.outer(c, c) * (r * (z + r) / t**2)
        return replace(self, mean=self.mean + c * (r / t), cov=cov)

    def expected(self, i: int, j: int) -> Self:
        """Shrink the covariance by what the answer does to it on average."""
        c, z, t = self._direction(i, j)
        # p r(z) (z + r(z)) + (1 - p) r(-z) (r(-z) - z): the terms in z cancel
        shrink = ndtr(z) * _hazard(z) ** 2 + ndtr(-z) * _hazard(-z) ** 2
        return replace(self, cov=self.cov - np.outer(c, c) * (shrink / t**2))

    def _direction(self, i: int, j: int) -> tuple[FloatArray, float, float]:
        c = self.cov[:, i] - self.cov[:, j]
        t = float(np.sqrt(max(c[i] - c[j], 0.0) + self.noise**2))
        return c, float((self.mean[i] - self.mean[j]) / t), t


def _hazard(z: float) -> float:
    """Give phi(z) / Phi(z)."""
    return float(np.exp(-0.5 * z * z - log_ndtr(z)) / np.sqrt(2.0 * np.pi))


def _start(
    posterior: Moments, items: Items | None, rng: np.random.Generator
) -> tuple[IntArray, Situation]:
    """Give the items that are looked at, and the situation, numbered by them."""
    kept = np.arange(posterior.n_items)
    if posterior.n_items > LARGE:
        kept = leading_items(posterior, kept, _N_LEADING)
    known = Dominance.from_table(posterior.n_items, items, None, None)
    contenders = np.arange(kept.size)
    if known is not None:
        contenders = contenders[~known.is_dominated(kept)]
        known = Dominance(known.X[kept], known.directions)
    place = np.full(posterior.n_items, -1)
    place[kept] = np.arange(kept.size)
    blocked = place[History.read(posterior).blocked()]
    mean = posterior.mean[kept]
    situation = Situation(
        posterior=_Expected(mean, posterior.block(kept), float(posterior.noise)),
        contenders=contenders,
        blocked=blocked[(blocked >= 0).all(axis=1)],
        order=np.argsort(-mean, kind="stable"),
        rng=rng,
        known=known,
    )
    return kept, situation


def _after(situation: Situation, pair: Pair) -> Situation:
    """Give the situation when a question has been put but not answered."""
    belief = cast(_Expected, situation.posterior)
    return replace(
        situation,
        posterior=belief.expected(*pair),
        blocked=np.vstack([situation.blocked, [sorted(pair)]]),
    )
