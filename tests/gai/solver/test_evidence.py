import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.exceptions import DataError
from penchant.solvers import Evidence


def mixed_evidence(seed, n_items=6):
    rng = np.random.default_rng(seed)
    left = rng.integers(0, n_items, 9)
    right = (left + rng.integers(1, n_items, 9)) % n_items
    return (
        Evidence.from_ratings(rng.normal(size=n_items), weights=rng.random(n_items))
        + Evidence.from_comparisons(left[:6], right[:6], weights=rng.random(6))
        + Evidence.from_ties(left[6:], right[6:], epsilon=0.1)
    )


def test_ratings_cost_their_distance_beyond_epsilon():
    evidence = Evidence.from_ratings([1.0, 2.0], epsilon=0.1, weights=[1.0, 3.0])
    loss = evidence.loss(np.array([0.5, 2.05]), intercept=1.0)
    assert loss == pytest.approx(0.4 + 3 * 0.95)


def test_comparisons_and_ties_ignore_the_intercept():
    evidence = Evidence.from_comparisons([0], [1]) + Evidence.from_ties(
        [1], [2], epsilon=0.25
    )
    utilities = np.array([0.5, 0.0, 1.0])
    assert evidence.loss(utilities, 0.0) == pytest.approx(0.5 + 0.75)
    assert evidence.loss(utilities, 9.0) == pytest.approx(0.5 + 0.75)
    assert evidence.best_intercept(utilities) == 0.0


@given(seed=st.integers(0, 10_000))
def test_best_intercept_beats_every_kink(seed):
    evidence = mixed_evidence(seed)
    utilities = np.random.default_rng(seed + 1).normal(size=6)
    best = evidence.loss(utilities, evidence.best_intercept(utilities))
    kinks = (evidence.targets - evidence.differences(utilities)) * evidence.levels
    others = [evidence.loss(utilities, kink) for kink in kinks]
    assert best <= min(others) + 1e-12


@given(seed=st.integers(0, 10_000))
def test_pull_is_the_adjoint_of_differences(seed):
    evidence = mixed_evidence(seed)
    rng = np.random.default_rng(seed)
    utilities, rows = rng.normal(size=6), rng.normal(size=len(evidence))
    assert rows @ evidence.differences(utilities) == pytest.approx(
        evidence.pull(rows, 6) @ utilities
    )


@given(seed=st.integers(0, 10_000))
def test_merging_equal_items_changes_no_loss(seed):
    evidence = mixed_evidence(seed)
    item_of = np.array([0, 1, 2, 0, 1, 2])
    utilities = np.random.default_rng(seed).normal(size=3)
    merged = evidence.merged(item_of)
    same = item_of[evidence.raised] == item_of[evidence.lowered]
    same &= (evidence.raised >= 0) & (evidence.lowered >= 0)
    constant = evidence.costs[same] @ np.maximum(evidence.targets[same], 0.0)
    assert merged.loss(utilities, 0.3) + constant == pytest.approx(
        evidence.loss(utilities[item_of], 0.3)
    )


def test_equal_rows_are_merged_into_one():
    twice = Evidence.from_comparisons([0, 0, 1], [1, 1, 0])
    merged = twice.merged(np.array([0, 1]))
    assert sorted(merged.costs) == [1.0, 2.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Evidence.from_ratings([1.0], weights=[-1.0]), "non-negative"),
        (lambda: Evidence.from_ratings([1.0], weights=[1.0, 2.0]), "1 non-negative"),
        (lambda: Evidence.from_comparisons([0, 1], [1]), "equally long"),
        (lambda: Evidence.from_ties([-1], [1]), "0 or more"),
    ],
)
def test_wrong_evidence_is_refused(make, message):
    with pytest.raises(DataError, match=message):
        make()
