"""People as models of one person believe in them: fitted anew after every answer."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from penchant.data import Comparisons
from penchant.gp import Answer, Draws
from penchant.models import GaussianProcessRanker, Posterior

__all__ = ["Refitted", "botorch_eubo", "botorch_fit", "penchant_fit"]

Moments = tuple[np.ndarray, np.ndarray]
Fit = Callable[[np.ndarray, list[tuple[int, int]]], tuple[Moments, Any]]


@dataclass(frozen=True)
class Duel:
    """One answer, winner first."""

    items: tuple[int, int]
    kind: str = "comparison"


@dataclass(frozen=True, eq=False)
class Refitted:
    """What a model believes after some answers, as the simulation needs it.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
        Features of the items, in [0, 1].
    fit : callable
        From X and pairs (winner, loser) to mean and covariance of the utilities,
        and the model.
    answers : tuple of Duel
        The answers so far.
    noise : float, default=1.0
        Standard deviation of the noise in an answer, the unit of both models.
    """

    X: np.ndarray
    fit: Fit
    answers: tuple[Duel, ...] = ()
    noise: float = 1.0
    negligible: ClassVar[float] = Posterior.negligible

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.X)

    def update(self, winner: int, loser: int) -> Self:
        """Give the belief after one more answer."""
        return replace(self, answers=(*self.answers, Duel((winner, loser))))

    def with_answers(self, answers: Iterable[Answer]) -> Self:
        """Give the belief after some comparisons."""
        belief = self
        for answer in answers:
            belief = belief.update(*answer.items)
        return belief

    def draw(self, items: np.ndarray) -> Draws:
        """Draw utilities of some items from the Gaussian of the last fit."""
        belief = Posterior(self.mean[items], self.block(items), noise=self.noise)
        return belief.draw(np.arange(items.size))

    @cached_property
    def fitted(self) -> tuple[Moments, Any]:
        """Moments and model; without answers all items are alike."""
        if not self.answers:
            return (np.zeros(self.n_items), np.eye(self.n_items)), None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # few answers leave the evidence flat
            return self.fit(self.X, [duel.items for duel in self.answers])

    @property
    def mean(self) -> np.ndarray:
        """Mean of the utilities."""
        return self.fitted[0][0]

    @property
    def variance(self) -> np.ndarray:
        """Variance of the utilities."""
        return np.maximum(np.diagonal(self.fitted[0][1]), 1e-12)

    def block(self, items: np.ndarray) -> np.ndarray:
        """Give the covariance among some items."""
        return self.fitted[0][1][np.ix_(items, items)]

    def cross(self, items: np.ndarray) -> np.ndarray:
        """Give columns of the covariance."""
        return self.fitted[0][1][:, items]


def penchant_fit(
    X: np.ndarray, duels: list[tuple[int, int]]
) -> tuple[Moments, GaussianProcessRanker]:
    """Fit our model of one person with learned hyper-parameters."""
    model = GaussianProcessRanker(kernel="rbf", domain=(0, 1))
    model.fit(X, Comparisons(*zip(*duels, strict=True)))
    return model.posterior(X), model


def botorch_fit(X: np.ndarray, duels: list[tuple[int, int]]) -> tuple[Moments, Any]:
    """Fit BoTorch's model as its documentation does after every answer."""
    import torch
    from botorch.fit import fit_gpytorch_mll
    from botorch.models.pairwise_gp import (
        PairwiseGP,
        PairwiseLaplaceMarginalLogLikelihood,
    )

    items = torch.tensor(X)
    model = PairwiseGP(items, torch.tensor(duels))
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    with torch.no_grad():
        belief = model.posterior(items)
        return (belief.mean.numpy().ravel(), belief.covariance_matrix.numpy()), model


def botorch_eubo(belief: Refitted, pairs: np.ndarray) -> np.ndarray:
    """Score pairs by BoTorch's own EUBO; without answers all are alike."""
    if not belief.answers:
        return np.zeros(len(pairs))
    import torch
    from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption

    score = AnalyticExpectedUtilityOfBestOption(pref_model=belief.fitted[1])
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores: np.ndarray = score(torch.tensor(belief.X[pairs])).numpy()
    return scores
