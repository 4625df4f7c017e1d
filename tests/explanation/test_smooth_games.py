"""Interpolated games, against the Gaussian process over all sets written out."""

from itertools import permutations

import numpy as np
import pytest
from scipy.special import softmax

from penchant.explanation._smooth_games import smooth_influences

RATIOS = (0.05, 0.1, 0.2, 0.4, 0.7, 0.95)
TRENDS = 10.0 ** np.arange(-2, 7)


def shapley_rows(n):
    """Give the influences as weighted sums of the worths of all sets, by orders."""
    rows = np.zeros((n, 2**n))
    orders = list(permutations(range(n)))
    for order in orders:
        known = 0
        for player in order:
            rows[player, known | 1 << player] += 1 / len(orders)
            rows[player, known] -= 1 / len(orders)
            known |= 1 << player
    return rows


def by_hand(masks, n, worths):
    """Average the posteriors of all ratios and trends, for each row of worths."""
    shapley = shapley_rows(n)
    sets = np.arange(2**n)
    is_in = (sets[:, None] >> np.arange(n) & 1).astype(float)
    differ = (is_in[:, None] != is_in).sum(axis=-1)
    known = np.vstack([worths.T, np.zeros(len(worths))])  # the empty set: nothing
    pairs = [*masks, 0]
    n_pairs = len(pairs) // 2
    half = np.zeros((n_pairs, 2**n))
    for k in range(n_pairs):
        half[k, pairs[2 * k]] += 0.5
        half[k, pairs[2 * k + 1]] -= 0.5
    seen = (known[::2] - known[1::2]) / 2
    means, variances, logs = [], [], []
    for ratio in RATIOS:
        rough = ((1 - ratio) / (1 + ratio)) ** differ
        noise = 1e-10 * np.eye(n_pairs)
        plain = half @ rough @ half.T + noise
        signs = 2 * half @ is_in
        information = np.linalg.eigvalsh(signs.T @ np.linalg.solve(plain, signs))
        for trend in TRENDS:
            cov = rough + 4 * trend * is_in @ is_in.T
            gram = half @ cov @ half.T + noise
            cross = shapley @ cov @ half.T
            squares = (seen * np.linalg.solve(gram, seen)).sum(axis=0)
            used = (information / (1 / trend + information)).sum()
            left = shapley @ cov @ shapley.T - cross @ np.linalg.solve(gram, cross.T)
            means.append(cross @ np.linalg.solve(gram, seen))
            variances.append(np.outer(np.diag(left), squares / (n_pairs - used)))
            logs.append(-0.5 * (n_pairs * np.log(squares) + np.linalg.slogdet(gram)[1]))
    chances = softmax(logs, axis=0)[:, None]
    mean = (chances * means).sum(axis=0)
    square = (chances * (np.array(variances) + np.array(means) ** 2)).sum(axis=0)
    return mean.T, np.sqrt(np.maximum(square - mean**2, 0.0)).T


SETS = {
    3: [1, 6, 2, 5, 4, 3, 7],  # all there are
    4: [1, 14, 6, 9, 2, 13, 4, 11, 3, 12, 15],
    5: [1, 30, 3, 28, 4, 27, 9, 22, 16, 15, 21, 10, 8, 23, 31],
}


@pytest.mark.parametrize(("n", "masks"), SETS.items())
def test_influences_and_errors_are_those_of_the_process_written_out(n, masks):
    rng = np.random.default_rng(n)
    sizes = np.array([bin(mask).count("1") for mask in masks])
    worths = np.stack([sizes + 0.3 * rng.normal(size=len(masks)), sizes**2 / n])
    worths = np.vstack([worths, 100 * rng.normal(size=len(masks))])
    values, errors = smooth_influences(masks, n, worths)
    means, expected = by_hand(masks, n, worths)
    for row, (mean, error) in enumerate(zip(means, expected, strict=True)):
        missing = worths[row, -1] - mean.sum()  # of the noise of the worths
        size = np.abs(worths[row]).max()
        np.testing.assert_allclose(values[row], mean + missing / n, atol=1e-6 * size)
        np.testing.assert_allclose(errors[row], error, atol=1e-4 * size)
        alone = smooth_influences(masks, n, worths[row : row + 1])
        np.testing.assert_allclose(alone[0][0], values[row], atol=1e-12 * size)
    np.testing.assert_allclose(values.sum(axis=1), worths[:, -1])


def test_additive_games_are_told_nearly_exactly():
    masks = [0b001, 0b110, 0b010, 0b101, 0b111]
    weights = np.array([2.0, -1.0, 0.5])
    worths = [sum(weights[i] for i in range(3) if mask >> i & 1) for mask in masks]
    values, _ = smooth_influences(masks, 3, np.array([worths]))
    np.testing.assert_allclose(values[0], weights, atol=0.02)
