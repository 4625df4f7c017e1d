"""Beliefs to ask from: a stand-in by GP-8 alone, and the real posterior."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import norm


@dataclass(frozen=True, eq=False)
class Moments:
    """A belief written out, with one-answer updates; shares no code with the library.

    Scalar formulas of METHODS GP-8, so that scores can be checked one by one.
    """

    mean: np.ndarray
    cov: np.ndarray
    noise: float
    answers: tuple = ()

    @property
    def n_items(self):
        return self.mean.size

    @property
    def variance(self):
        return np.diag(self.cov).copy()

    def block(self, items):
        return self.cov[np.ix_(items, items)]

    def cross(self, items):
        return self.cov[:, items]

    def probability(self, i, j):
        spread = self.cov[i, i] + self.cov[j, j] - 2 * self.cov[i, j]
        return norm.cdf((self.mean[i] - self.mean[j]) / np.sqrt(spread + self.noise**2))

    def update(self, winner, loser):
        c = self.cov[:, winner] - self.cov[:, loser]
        t = np.sqrt(c[winner] - c[loser] + self.noise**2)
        z = (self.mean[winner] - self.mean[loser]) / t
        r = norm.pdf(z) / norm.cdf(z)
        return replace(
            self,
            mean=self.mean + c * r / t,
            cov=self.cov - np.outer(c, c) * r * (z + r) / t**2,
        )


def draw_moments(n_items, seed, *, noise=0.3, scale=1.0, rank=None):
    """Draw a belief with correlated items."""
    rng = np.random.default_rng(seed)
    factor = rng.standard_normal((n_items, rank or n_items))
    cov = factor @ factor.T / factor.shape[1] + 0.05 * np.eye(n_items)
    return Moments(scale * rng.standard_normal(n_items), cov, noise)


@pytest.fixture(scope="session")
def make_moments():
    return draw_moments
