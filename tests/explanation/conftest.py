"""Shapley values by their definition, for the tests of all closed forms."""

from itertools import combinations
from math import factorial
from types import SimpleNamespace

import numpy as np
import pytest


def coalition_weights(d):
    """Give every coalition with, for each player, its weight in the Shapley value."""
    for size in range(d + 1):
        for members in combinations(range(d), size):
            inside = np.zeros(d, dtype=bool)
            inside[list(members)] = True
            weights = np.where(
                inside,
                factorial(max(size - 1, 0)) * factorial(d - size) / factorial(d),
                -factorial(size) * factorial(max(d - size - 1, 0)) / factorial(d),
            )
            yield inside, weights


def shapley(worth, d):
    """Sum the worths of all coalitions with their weights."""
    return sum(weights * worth(inside) for inside, weights in coalition_weights(d))


def contrast_by_definition(function, a, b):
    """Share function(a) - function(b) out by replacing attributes of b."""

    def worth(inside):
        return float(function(np.where(inside, a, b)[None])[0])

    return shapley(worth, len(a))


def means_by_definition(function, a, rows):
    """Share function(a) out; unknown attributes run through all their values.

    Attributes are independent: all combinations of the values of the rows count.
    """
    d = len(a)
    columns = np.stack(np.meshgrid(*rows.T, indexing="ij"), axis=-1).reshape(-1, d)

    def worth(inside):
        return float(function(np.where(inside, a, columns)).mean())

    return shapley(worth, d), worth(np.zeros(d, dtype=bool))


def contrast_covariance(covariance, a, b):
    """Give the covariance of contrasts from the covariance of all mixed items."""
    d = len(a)
    found = list(coalition_weights(d))
    items = np.array([np.where(inside, a, b) for inside, _ in found])
    weights = np.array([w for _, w in found])
    return weights.T @ covariance(items) @ weights


@pytest.fixture(scope="session")
def definition():
    """Definitions of all that closed forms compute."""
    return SimpleNamespace(
        contrast=contrast_by_definition,
        means=means_by_definition,
        covariance=contrast_covariance,
        shapley=shapley,
    )
