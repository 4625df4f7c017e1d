"""Blends, slack and verdicts of the choice by folds."""

from dataclasses import replace

import numpy as np
import pytest

from penchant.encoding import make_encoding
from penchant.gai import _selection
from penchant.gai._candidates import skewness_rates
from penchant.gai._choice import GAICandidate, GAIChoice
from penchant.gai._fit import RatedItems
from penchant.gai._selection import Referee, snap


def judged(n=40, grades=None):
    rng = np.random.default_rng(0)
    U = rng.uniform(size=(n, 2))
    y = np.round(4 * U[:, 0])
    weights = rng.uniform(0.5, 2.0, n)
    encoding = make_encoding(U, U, [(0, 1), (0, 1)], None, None)
    return RatedItems(
        U=U, weights=weights, encoding=encoding, max_order=2, grades=grades, y=y
    )


def test_errors_are_weighted_means_of_what_is_missed():
    items = judged()
    rows = np.array([3, 1, 7])
    off = np.array([0.5, -1.0, 2.0])
    referee = Referee(items, rows, None)
    w = items.weights[rows]
    expected = (w * abs(off)).sum() / w.sum()
    assert referee.errors(items.y[rows] + off) == pytest.approx(expected)
    both = referee.errors(np.stack([items.y[rows], items.y[rows] + off]))
    np.testing.assert_allclose(both, [0.0, expected])


def test_predictions_are_rounded_only_where_that_is_better():
    items, rows = judged(), np.arange(40)
    grades = (0.0, 1.0, 2.0, 3.0, 4.0)
    referee = Referee(items, rows, grades)
    near = items.y + 0.2
    assert referee.errors(near) == 0.0
    assert referee.plain.errors(near) == pytest.approx(0.2)
    assert referee.if_better(near).grades == grades
    assert referee.if_better(items.y + 0.6).grades is None
    assert referee.if_better(items.y).grades is None  # no better: as it is


def test_values_snap_to_the_nearest_grade():
    asked = np.array([-5.0, 0.49, 0.51, 1.9, 2.1, 9.0])
    np.testing.assert_array_equal(snap(asked, (0.0, 1.0, 3.0)), [0, 0, 1, 1, 3, 3])


def test_a_blend_is_the_best_of_greedy_means():
    items, rows = judged(), np.arange(40)
    rng = np.random.default_rng(1)
    table = items.y + rng.normal(0, [[1.0], [0.8], [1.2], [3.0]], size=(4, 40))
    referee = Referee(items, rows, None)
    # by hand: add the candidate after which the mean is best, keep the best step
    chosen, best, shares = [], np.inf, None
    for _ in range(6):
        errors = [referee.errors(table[[*chosen, k]].mean(axis=0)) for k in range(4)]
        chosen.append(int(np.argmin(errors)))
        if min(errors) < best:
            best = min(errors)
            shares = np.bincount(chosen, minlength=4) / len(chosen)
    found = _selection._blend(table, referee, 6)
    np.testing.assert_allclose(found, shares)
    assert found.sum() == pytest.approx(1.0)
    single = _selection._blend(table, referee, 1)
    errors = referee.errors(table)
    np.testing.assert_array_equal(single, np.arange(4) == errors.argmin())


def test_the_sparsest_within_a_share_of_the_least_error():
    errors = np.array([2.0, 1.011, 1.009, 1.0, 1.5])
    assert _selection._sparsest_within(errors, 0.01) == 2
    assert _selection._sparsest_within(errors, 0.02) == 1
    assert _selection._sparsest_within(errors, 0.0) == 3
    assert _selection._sparsest_within(np.array([1.25, 1.0]), 0.25) == 0


def choice_of(error):
    candidate = GAICandidate("product", "tube", False, 0.2, 0.1, 1.0, 0.01)
    return GAIChoice(
        preset="fast",
        candidates=(replace(candidate, cv_error=error),),
        sparse=False,
        cv_error=error,
        dense_error=error,
        sparse_error=None,
        grades=(0.0, 1.0),
        n_folds=5,
        reason="",
    )


@pytest.mark.parametrize(
    ("dense", "sparse", "wanted", "kept", "words"),
    [
        (1.0, 1.05, "auto", True, "by +5.0% (+5% is accepted): the sparse"),
        (1.0, 1.0501, "auto", False, "the dense model was kept"),
        (1.0, 0.9, "auto", True, "by -10.0%"),
        (1.0, 2.0, True, True, "by +100.0%: the sparse model was asked for"),
        (0.0, 0.0, "auto", True, "from 0"),
        (0.0, 0.1, "auto", False, "from 0"),
    ],
)
def test_few_factors_may_cost_five_percent(dense, sparse, wanted, kept, words):
    found, reason = _selection._sparsity_verdict(choice_of(dense), sparse, wanted)
    assert found == kept
    assert words in reason


def test_errors_and_grades_are_told_in_the_users_units():
    items = replace(judged(), offset=10.0, unit=2.0)
    told = _selection._in_units(choice_of(0.5), items)
    assert (told.cv_error, told.dense_error, told.sparse_error) == (1.0, 1.0, None)
    assert told.candidates[0].cv_error == 1.0
    assert told.grades == (10.0, 12.0)


def test_skewed_attributes_are_warped_until_they_are_not():
    rng = np.random.default_rng(0)
    U = np.column_stack([rng.uniform(size=400), rng.uniform(size=400) ** 6])
    encoding = make_encoding(U, U, [(0, 1), (0, 1)], None, None)
    weights = rng.uniform(0.5, 2.0, 400)
    even, rate = skewness_rates(encoding, U, weights)
    assert even == 0.0

    def skewness(x):
        x = x - np.average(x, weights=weights)
        spread = np.average(x**2, weights=weights)
        return np.average(x**3, weights=weights) / spread**1.5

    assert skewness(U[:, 1]) > 0.5
    rates = [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0]
    left = [abs(skewness(np.log1p(r * U[:, 1]))) for r in rates]
    assert rate == rates[int(np.argmin(left))]
    assert not skewness_rates(encoding, 1.0 - U, weights).any()  # to the left
    assert not skewness_rates(encoding, np.ones((400, 2)), weights).any()
