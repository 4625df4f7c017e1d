"""What each method believes before the first question, and how it asks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.gppe._people import People
from penchant.models import PopulationGP, Posterior

__all__ = ["METHODS", "STARTS", "Method"]

N_PAPER_USERS, N_PAPER_PAIRS = 50, 25
PAPER_NOISE = 0.1

Start = Callable[[People, float, np.random.Generator], Any]


@dataclass(frozen=True)
class Method:
    """One curve.

    Parameters
    ----------
    start : str
        Key of `STARTS`: what is believed before the first question.
    policy : str
        Who chooses the questions.
    decisive : bool, default=False
        Whether answers are taken as exact.
    uses_features : bool, default=False
        Whether the start differs between people by their features.
    """

    start: str
    policy: str
    decisive: bool = False
    uses_features: bool = False


def no_past(past: People, wrong: float, rng: np.random.Generator) -> Posterior:
    """Believe that all items are worth the same, independently of each other."""
    n_items = past.rankings.shape[1]
    return Posterior(np.zeros(n_items), np.eye(n_items), noise=PAPER_NOISE)


def by_mean_rank(past: People, wrong: float, rng: np.random.Generator) -> Posterior:
    """Order the items by how often they were preferred to another one."""
    answers = past.comparisons(rng, wrong=wrong)
    return _popular(np.bincount(answers.winners, minlength=past.rankings.shape[1]))


def by_first_place(past: People, wrong: float, rng: np.random.Generator) -> Posterior:
    """Order the items by the number of people who like them best."""
    return _popular(np.bincount(past.rankings[:, 0], minlength=past.rankings.shape[1]))


def _popular(counts: np.ndarray) -> Posterior:
    return Posterior(counts / counts.sum(), np.eye(counts.size), noise=PAPER_NOISE)


def paper_prior(past: People, wrong: float, rng: np.random.Generator) -> PopulationGP:
    """Learn from fifty people as the paper does, hyper-parameters as they start."""
    return _paper(past, wrong, rng, optimize=False)


def paper_learned(past: People, wrong: float, rng: np.random.Generator) -> PopulationGP:
    """Learn from fifty people as the paper does, hyper-parameters by evidence."""
    return _paper(past, wrong, rng, optimize=True)


def _paper(
    past: People, wrong: float, rng: np.random.Generator, *, optimize: bool
) -> PopulationGP:
    few = past.take(rng.choice(len(past), min(N_PAPER_USERS, len(past)), replace=False))
    answers = few.comparisons(rng, n_pairs=N_PAPER_PAIRS, wrong=wrong)
    model = PopulationGP(prior="kronecker", inference="laplace", optimize=optimize)
    return model.fit(past.X_items, answers, few.X_users)


def few_users(past: People, wrong: float, rng: np.random.Generator) -> PopulationGP:
    """Learn our model from as many people and answers as the paper's."""
    few = past.take(rng.choice(len(past), min(N_PAPER_USERS, len(past)), replace=False))
    answers = few.comparisons(rng, n_pairs=N_PAPER_PAIRS, wrong=wrong)
    return _ours().fit(past.X_items, answers, few.X_users)


def all_users(past: People, wrong: float, rng: np.random.Generator) -> PopulationGP:
    """Learn our model from all past people and all their answers."""
    answers = past.comparisons(rng, wrong=wrong)
    return _ours().fit(past.X_items, answers, past.X_users)


def _ours() -> PopulationGP:
    return PopulationGP(prior="hierarchical", inference="ep")


STARTS: dict[str, Start] = {
    function.__name__: function
    for function in (
        no_past,
        by_mean_rank,
        by_first_place,
        paper_prior,
        paper_learned,
        few_users,
        all_users,
    )
}

METHODS = {
    "RVOI": Method("no_past", "restricted-voi"),
    "B&L": Method("no_past", "best-and-largest"),
    "GPPE": Method("paper_learned", "evoi", uses_features=True),
    "GPPE, refitted": Method("paper_learned", "evoi-refit", uses_features=True),
    "GPPE-PRIOR": Method("paper_prior", "evoi", uses_features=True),
    "GPPE-OPT": Method("paper_learned", "evoi", uses_features=True),
    "penchant, 50 users": Method("few_users", "eubo-kg", uses_features=True),
    "penchant": Method("all_users", "eubo-kg", uses_features=True),
    "penchant, decisive": Method("all_users", "eubo-kg", True, uses_features=True),
    "random": Method("all_users", "random-pair", uses_features=True),
    "knockout": Method("by_mean_rank", "knockout"),
    "knockout, first places": Method("by_first_place", "knockout"),
}
