"""The threshold that needs a wanted number of models, against enumeration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.exceptions import DataError
from penchant.explanation._shapley import submasks
from penchant.explanation.retraining._coalitional import (
    choose_alpha,
    count_subsets,
    groups_at,
)


def enumerated(groups: list[int]) -> int:
    return len({part for group in groups for part in submasks(group)})


@given(st.lists(st.integers(1, 2**7 - 1), min_size=1, max_size=6), st.integers(1, 150))
def test_count_stops_above_the_limit(groups: list[int], limit: int) -> None:
    count = count_subsets(groups, limit)
    exact = enumerated(groups)
    assert count == exact if exact <= limit else count > limit


def test_fifty_attributes_are_not_enumerated() -> None:
    assert count_subsets([(1 << 50) - 1], 1000) > 1000


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    d = draw(st.integers(2, 6))
    table = np.round(rng.uniform(-0.3, 1.2, (d, d)), 1)  # ties
    np.fill_diagonal(table, -np.inf)
    table[rng.random((d, d)) < 0.1] = np.inf
    return table


@given(tables(), st.integers(1, 70), st.booleans())
def test_the_best_of_all_thresholds_is_found(
    table: np.ndarray, target: int, at_most: bool
) -> None:
    alphas = np.append(np.linspace(0.0, 1.5, 1501), 2.0)
    counts = np.array([enumerated(groups_at(table, alpha)) for alpha in alphas])
    if at_most and counts.min() > target:
        with pytest.raises(DataError, match="budget must allow"):
            choose_alpha(table, target, at_most=True)
        return
    found = enumerated(groups_at(table, choose_alpha(table, target, at_most=at_most)))
    allowed = counts[counts <= target] if at_most else counts
    best = allowed[np.abs(allowed - target).argmin()]
    assert abs(found - target) == abs(best - target)
    assert not at_most or found <= target


def test_nearest_may_be_above_the_target() -> None:
    # Alone: 3 sets. From .5 on all of them: 7 sets.
    table = np.full((1, 3), 0.5)
    assert choose_alpha(table, 6, at_most=False) > 0.5
    assert choose_alpha(table, 6, at_most=True) == 0.0
    assert choose_alpha(table, 5, at_most=False) == 0.0  # equally near: fewer
