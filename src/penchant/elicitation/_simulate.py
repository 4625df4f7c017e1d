"""Conversations with people whose likes are known, to see how good questions are."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from joblib import Parallel, delayed

from penchant._parallel import parallel, track
from penchant.elicitation._choice import Policy, check_policy
from penchant.elicitation._elicitor import Elicitor
from penchant.elicitation._simulation import Simulation
from penchant.elicitation.policies._duels import check_generator
from penchant.exceptions import DataError, NotAnswerableError
from penchant.metrics import regret
from penchant.typing import ArrayLike, FloatArray, RandomState

_CHUNK = 20
"""People per task: enough to outweigh sending the task, few enough for a bar."""


class AnswerNoise(Protocol):
    """How a person comes to prefer the worse item."""

    def prefers(self, difference: float, rng: np.random.Generator) -> bool:
        """Tell whether the item that is better by `difference` is preferred."""
        ...


@dataclass(frozen=True)
class FlippedAnswers:
    """Answers that are wrong with a fixed probability.

    Parameters
    ----------
    probability : float
        Between 0 and 1.
    """

    probability: float

    def __post_init__(self) -> None:
        if not 0 <= self.probability <= 1:
            raise DataError(
                f"The probability of a wrong answer must lie between 0 and 1. "
                f"Got {self.probability!r}."
            )

    def prefers(self, difference: float, rng: np.random.Generator) -> bool:
        """Tell whether the item that is better by `difference` is preferred."""
        return bool((difference > 0) != (rng.random() < self.probability))


@dataclass(frozen=True)
class ProbitAnswers:
    """Answers that are less certain the closer the two utilities are (GP-1).

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise that is added to a difference of utilities.
    """

    sigma: float

    def __post_init__(self) -> None:
        if not 0 <= self.sigma < np.inf:
            raise DataError(f"sigma must be >= 0. Got {self.sigma!r}.")

    def prefers(self, difference: float, rng: np.random.Generator) -> bool:
        """Tell whether the item that is better by `difference` is preferred."""
        return bool(difference + self.sigma * rng.standard_normal() > 0)


def simulate(
    population: Any,
    rankings: ArrayLike,
    policy: Policy = "eubo-kg",
    n_questions: int = 10,
    noise: float | AnswerNoise = 0.0,
    *,
    X_users: ArrayLike | None = None,
    decisive: bool = False,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    cluster: str | None = None,
    verbose: bool = False,
) -> Simulation:
    """Ask people whose likes are known, and see what would be recommended.

    Parameters
    ----------
    population : PopulationGP, Posterior or callable
        What is believed of a person before the first question: ``for_user(x)`` of
        a fitted model, one posterior for everybody, or a function of the person's
        row that returns a posterior.
    rankings : array-like of shape (n_people, n_items)
        Whole numbers: the items of each person, best first. Other numbers: what
        each item is worth to each person.
    policy : str or callable, default="eubo-kg"
        As for `Elicitor`.
    n_questions : int, default=10
        How many questions everybody is asked, fewer where none are left.
    noise : float, FlippedAnswers or ProbitAnswers, default=0.0
        The probability of a wrong answer, or how answers go wrong. A ranking counts
        as the utilities n_items - 1, ..., 0.
    X_users : array-like of shape (n_people, n_features), optional
        Features of the people, for a population that uses them.
    decisive : bool, default=False
        As for `Elicitor`.
    random_state : int, RandomState, Generator or None, default=None
        Each person gets a seed of their own, so the result does not depend on
        `n_jobs`.
    n_jobs : int or None, default=None
        Processes on this machine, -1 for one per core.
    cluster : str or None, default=None
        Address of a Dask scheduler, instead of `n_jobs`.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    Simulation
        Loss of the recommendation after every question, whether it is the best
        item, and the probability that was stated for it.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.elicitation import simulate
    >>> from penchant.models import Posterior
    >>> rng = np.random.default_rng(0)
    >>> likes = rng.standard_normal((8, 5))
    >>> posterior = Posterior(np.zeros(5), np.eye(5), noise=0.1)
    >>> result = simulate(posterior, likes, n_questions=4, random_state=0)
    >>> result.loss.shape, float(result.loss[:, -1].mean())
    ((8, 5), 0.0)
    """
    utilities = _utilities_of(rankings)
    policy = check_policy(policy)
    if not isinstance(n_questions, int | np.integer) or n_questions < 0:
        raise DataError(f"n_questions must be a whole number >= 0. Got {n_questions}.")
    start = _beliefs(population, X_users, len(utilities))
    answers = FlippedAnswers(float(noise)) if isinstance(noise, int | float) else noise
    seeds = check_generator(random_state).integers(2**31, size=len(utilities))
    people = [_Person(row, utilities[row], int(seed)) for row, seed in enumerate(seeds)]
    tasks = (
        delayed(_talk_to_all)(
            people[k : k + _CHUNK], start, policy, int(n_questions), answers, decisive
        )
        for k in range(0, len(people), _CHUNK)
    )
    with parallel(n_jobs, cluster):
        done = Parallel(return_as="generator")(tasks)
        n_tasks = -(-len(people) // _CHUNK)
        bar = track(done, "Asking", total=n_tasks, enabled=verbose)
        talks = [talk for chunk in bar for talk in chunk]
    name = policy if isinstance(policy, str) else policy.__name__
    return Simulation(name, *(np.array(column) for column in zip(*talks, strict=True)))


class _Person(NamedTuple):
    """A simulated person."""

    row: int
    utilities: FloatArray
    seed: int


_Talk = tuple[Any, Any, Any, Any, Any, Any]


def _talk_to_all(
    people: list[_Person],
    start: Callable[[int], Any],
    policy: Policy,
    n_questions: int,
    noise: AnswerNoise,
    decisive: bool,
) -> list[_Talk]:
    """Talk to some people one after the other; runs in a worker."""
    talks = []
    for person in people:
        posterior = start(person.row)
        if posterior.n_items != person.utilities.size:
            raise DataError(
                f"rankings must have one column per item ({posterior.n_items}). "
                f"Got {person.utilities.size}."
            )
        elicitor = Elicitor(posterior, policy, person.seed, decisive=decisive)
        talks.append(_talk(elicitor, person, n_questions, noise))
    return talks


def _talk(
    elicitor: Elicitor, person: _Person, n_questions: int, noise: AnswerNoise
) -> _Talk:
    """Ask one person; give losses, hits, stated values, pairs, answers and times."""
    rng = np.random.default_rng([person.seed, 1])
    asked = np.full((n_questions, 2), -1)
    seconds = np.zeros(n_questions)
    states = [_state(elicitor, person)]
    for k in range(n_questions):
        started = time.process_time()
        try:
            question = elicitor.ask()
        except NotAnswerableError:
            states += states[-1:] * (n_questions - k)
            break
        seconds[k] = time.process_time() - started
        difference = person.utilities[question.left] - person.utilities[question.right]
        is_left = noise.prefers(float(difference), rng)
        elicitor.tell(question, "left" if is_left else "right")
        asked[k] = question.left, question.right
        states.append(_state(elicitor, person))
    loss, found, probability, expected = zip(*states, strict=True)
    return loss, found, probability, expected, asked, seconds


def _state(elicitor: Elicitor, person: _Person) -> tuple[float, bool, float, float]:
    """Give the loss of the recommendation, and what is stated about it."""
    (top,) = elicitor.recommend()
    loss = float(regret(person.utilities, top.item, normalize="range"))
    return loss, loss == 0.0, top.probability_best, top.expected_regret


def _utilities_of(rankings: ArrayLike) -> FloatArray:
    """Give utilities; an order becomes n_items - 1, ..., 0."""
    table = np.asarray(rankings)
    if table.ndim != 2 or not table.size:
        raise DataError(
            f"rankings must have shape (n_people, n_items). Got shape {table.shape}."
        )
    if table.dtype.kind not in "iu":
        utilities = table.astype(np.float64)
        if not np.isfinite(utilities).all():
            raise DataError("rankings must be finite. Got nan or infinity.")
        return utilities
    n_items = table.shape[1]
    wrong = (np.sort(table, axis=1) != np.arange(n_items)).any(axis=1)
    if wrong.any():
        raise DataError(
            f"Whole numbers in rankings are orders: every row must list the items 0 to "
            f"{n_items - 1} once, best first. Row {np.argmax(wrong)} does not; give "
            "utilities as floats."
        )
    worth = np.empty(table.shape)
    np.put_along_axis(worth, table, np.arange(n_items - 1, -1, -1.0)[None, :], axis=1)
    return worth


def _beliefs(
    population: Any, X_users: ArrayLike | None, n_people: int
) -> Callable[[int], Any]:
    """Give a function from the row of a person to what is believed at the start."""
    features = None if X_users is None else np.asarray(X_users)
    if features is not None and len(features) != n_people:
        raise DataError(
            f"X_users must have one row per person ({n_people}). Got {len(features)}."
        )
    if features is not None and not hasattr(population, "for_user"):
        raise DataError(
            "X_users needs a population with for_user(), such as PopulationGP."
        )
    return partial(_belief, population, features)


def _belief(population: Any, features: Any, row: int) -> Any:
    """Say what is believed of one person; runs in a worker."""
    if not hasattr(population, "for_user"):
        return population(row) if callable(population) else population
    known = () if features is None else (features[row],)
    return population.for_user(*known)
