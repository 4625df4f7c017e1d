"""The Choquet kernel as defined: a sum over subsets of attributes, in NumPy."""

from collections.abc import Iterable

import numpy as np

LOOP = "NumPy, one subset at a time"
PRODUCT = "NumPy, all subsets as features"


def gram(X: np.ndarray, subsets: Iterable[int]) -> np.ndarray:
    """Add up the products of minima, one subset (as a bit mask) after the other."""
    total = np.zeros((len(X), len(X)))
    positions = np.arange(X.shape[1])
    for mask in subsets:
        minima = X[:, (mask >> positions) & 1 == 1].min(axis=1)
        total += np.outer(minima, minima)
    return total


def gram_by_product(X: np.ndarray) -> np.ndarray:
    """Make the minima of all subsets by doubling, then one matrix product.

    It needs memory for 2^n features of each row.
    """
    minima = np.full((1, len(X)), np.inf)
    for column in X.T:
        minima = np.concatenate([minima, np.minimum(minima, column)])
    return minima[1:].T @ minima[1:]
