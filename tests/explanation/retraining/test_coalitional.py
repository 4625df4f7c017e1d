"""Groups at a threshold, how many models they need, and the threshold for so many."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from penchant.exceptions import DataError
from penchant.explanation._players import Players
from penchant.explanation.retraining._association import associations
from penchant.explanation.retraining._coalitional import (
    choose_alpha,
    count_subsets,
    groups_at,
    thresholds,
)

N = 5
TABLE = np.random.default_rng(0).uniform(-0.1, 1.0, size=(N, N))
np.fill_diagonal(TABLE, -np.inf)


def groups_by_hand(table, alpha):
    sets = [frozenset(np.flatnonzero(row < alpha).tolist()) for row in table]
    kept = {s for s in sets if s and not any(s < other for other in sets)}
    alone = set(range(table.shape[1])) - set().union(*kept)
    return sorted(sum(1 << i for i in s) for s in [*kept, *({i} for i in alone)])


def count_by_hand(groups):
    every = set()
    for group in groups:
        players = [i for i in range(N) if group >> i & 1]
        for size in range(1, len(players) + 1):
            every |= set(combinations(players, size))
    return len(every)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.3, 0.5, 0.9, 2.0])
def test_groups_and_counts_by_hand(alpha):
    groups = groups_at(TABLE, alpha)
    assert groups == groups_by_hand(TABLE, alpha)
    assert count_subsets(groups, 1_000) == count_by_hand(groups)
    assert groups_at(np.full((1, 3), np.inf), alpha) == [1, 2, 4]


def test_counting_ends_above_the_limit():
    assert count_subsets([0b1111], 15) == 15
    assert count_subsets([0b1111], 14) == 15
    assert count_subsets([0b1100, 0b0011], 5) > 5
    assert count_subsets([0b1100, 0b0011], 6) == 6
    assert count_subsets([0b1110, 0b0111], 20) == 11
    assert count_subsets([], 5) == 0


@pytest.mark.parametrize("target", [1, 5, 7, 12, 17, 25, 31])
def test_the_threshold_is_the_best_of_all(target):
    steps = np.unique(TABLE[np.isfinite(TABLE) & (TABLE >= 0)])
    alphas = [0.0, *np.nextafter(steps, np.inf)]
    counts = [count_by_hand(groups_by_hand(TABLE, a)) for a in alphas]
    best = min(counts, key=lambda n: (abs(n - target), n))
    found = choose_alpha(TABLE, target, at_most=False)
    assert count_by_hand(groups_by_hand(TABLE, found)) == best
    assert found in alphas
    fitting = [n for n in counts if n <= target]
    if fitting:
        found = choose_alpha(TABLE, target, at_most=True)
        assert count_by_hand(groups_by_hand(TABLE, found)) == max(fitting)
    else:
        with pytest.raises(DataError, match=f"at least the {min(counts)} models"):
            choose_alpha(TABLE, target, at_most=True)


def table_of_columns():
    rng = np.random.default_rng(0)
    a = rng.normal(size=60)
    columns = [a, a + 0.5 * rng.normal(size=60), rng.normal(size=60), np.ones(60)]
    columns.append(a - columns[2] + 0.3 * rng.normal(size=60))
    frame = pd.DataFrame(np.stack(columns, axis=1), columns=list("abcde"))
    return frame, Players(tuple("abcde"), tuple((k,) for k in range(5)))


def members(strategy, alpha):
    frame, players = table_of_columns()
    return thresholds(strategy, frame, players) < alpha


@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.6, 0.95])
def test_who_goes_with_whom_by_rank_correlation(alpha):
    frame, _ = table_of_columns()
    rho = frame.drop(columns="d").corr("spearman").abs().to_numpy()
    others = np.where(np.eye(4, dtype=bool), np.nan, rho)
    largest, least = np.nanmax(others, axis=1), np.nanmin(others, axis=1)
    active = [0, 1, 2, 4]
    own = np.eye(4, dtype=bool)
    near = own | (rho > (largest * (1 - alpha))[:, None])
    np.testing.assert_array_equal(
        members("spearman", alpha)[:, active], near & (largest > 0.1)[:, None]
    )
    far = own | (rho < (least + alpha * largest)[:, None])
    np.testing.assert_array_equal(
        members("reverse-spearman", alpha)[:, active], far & (least < 0.5)[:, None]
    )
    assert not members("spearman", 9.0)[:, 3].any()  # the constant one


@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.59, 0.8])
def test_who_goes_with_whom_by_inflation(alpha):
    frame, _ = table_of_columns()
    kept = frame.drop(columns="d")

    def inflation(columns):
        return pd.Series(
            np.linalg.inv(kept[columns].corr().to_numpy()).diagonal(), columns
        )

    before, names = inflation(list(kept)), list(kept)
    near, far = np.eye(4, dtype=bool), np.zeros((4, 4), dtype=bool)
    for i, name in enumerate(names):
        after = inflation([other for other in names if other != name])
        for j, other in enumerate(names):
            if i != j:
                ratio = after[other] / before[other]
                near[i, j] = ratio < 0.4 + alpha
                far[i, j] = ratio > 1 - 0.05 * alpha
    np.testing.assert_array_equal(members("vif", alpha)[:, [0, 1, 2, 4]], near)
    np.testing.assert_array_equal(members("reverse-vif", alpha)[:, [0, 1, 2, 4]], far)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 0.6])
def test_who_makes_up_a_component(alpha):
    frame, _ = table_of_columns()
    kept = frame.drop(columns="d").to_numpy()
    _, vectors = np.linalg.eigh(np.cov(kept.T))
    loadings = abs(vectors.T[::-1])
    largest = loadings.max(axis=1, keepdims=True)
    expected = (loadings > largest * (1 - alpha)) | (loadings == largest)
    np.testing.assert_array_equal(members("pca", alpha)[:, [0, 1, 2, 4]], expected)


def test_associations_of_numbers_are_rank_correlations():
    frame, players = table_of_columns()
    active = Players(tuple("abce"), ((0,), (1,), (2,), (4,)))
    rho = frame.drop(columns="d").corr("spearman").abs().to_numpy()
    found = associations(frame, active)
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(found[off], rho[off])
    assert len(players) == 5
