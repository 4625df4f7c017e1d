"""Agreement of utilities with answers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from penchant.data import Comparisons
from penchant.exceptions import DataError
from penchant.metrics import kendall_tau, pairwise_accuracy

whole_utilities = arrays(np.float64, 6, elements=st.integers(-3, 3).map(float))


def test_accuracy_counts_right_answers() -> None:
    answers = Comparisons([0, 1, 2, 3], [1, 2, 3, 0])
    assert pairwise_accuracy([4.0, 3.0, 2.0, 1.0], answers) == 0.75


def test_accuracy_takes_winners_and_losers() -> None:
    assert pairwise_accuracy([2.0, 1.0], ([0, 0, 1], [1, 1, 0])) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("difference", "tie", "score"),
    [
        (1.0, False, 1.0),
        (-1.0, False, 0.0),
        (0.0, False, 0.5),
        (0.0, True, 1.0),
        (1.0, True, 0.5),
        (-1.0, True, 0.5),
    ],
)
def test_accuracy_gives_half_when_one_side_says_equal(
    difference: float, tie: bool, score: float
) -> None:
    answers = Comparisons([0], [1], ties=[tie])
    assert pairwise_accuracy([difference, 0.0], answers) == score


def test_accuracy_weighs_rows() -> None:
    answers = Comparisons([0, 1], [1, 0], weights=[3.0, 1.0])
    assert pairwise_accuracy([1.0, 0.0], answers) == 0.75


def test_accuracy_uses_the_row_of_each_user() -> None:
    answers = Comparisons([0, 0, 1], [1, 1, 0], users=[0, 1, 1])
    utilities = [[1.0, 0.0], [0.0, 1.0]]
    assert pairwise_accuracy(utilities, answers) == pytest.approx(2 / 3)


@given(whole_utilities)
def test_accuracy_of_a_utility_and_its_negative_add_up_to_one(
    utility: np.ndarray,
) -> None:
    rng = np.random.default_rng(0)
    winners = rng.integers(0, 6, 30)
    answers = Comparisons(winners, (winners + rng.integers(1, 6, 30)) % 6)
    both = pairwise_accuracy(utility, answers) + pairwise_accuracy(-utility, answers)
    assert both == pytest.approx(1.0)


@given(whole_utilities)
def test_a_utility_agrees_with_the_comparisons_it_makes(utility: np.ndarray) -> None:
    assert pairwise_accuracy(utility, Comparisons.from_ratings(utility)) == 1.0


@pytest.mark.parametrize(
    ("utility", "answers", "message"),
    [
        ([1.0, 0.0], Comparisons([], []), "at least one comparison"),
        ([1.0, 0.0], Comparisons([0], [1], weights=[0.0]), "total weight 0"),
        ([1.0, 0.0], Comparisons([0], [2]), "item 2 is compared"),
        ([1.0, np.nan], Comparisons([0], [1]), r"Entry \[1\] is not"),
        (np.zeros((1, 1, 2)), Comparisons([0], [1]), r"shape \(1, 1, 2\)"),
        ([[1.0, 0.0]], Comparisons([0], [1]), "row numbers, 0 to 0"),
        ([[1.0, 0.0]], Comparisons([0], [1], users=["a"]), "row numbers"),
        ([[1.0, 0.0]], Comparisons([0], [1], users=[1]), "row numbers"),
    ],
)
def test_accuracy_refuses(utility: object, answers: Comparisons, message: str) -> None:
    with pytest.raises(DataError, match=message):
        pairwise_accuracy(utility, answers)  # type: ignore[arg-type]


@given(whole_utilities, whole_utilities)
def test_tau_is_the_formula_over_all_pairs(
    first: np.ndarray, second: np.ndarray
) -> None:
    left, right = np.triu_indices(6, k=1)
    a, b = np.sign(first[left] - first[right]), np.sign(second[left] - second[right])
    scale = np.sqrt((a != 0).sum() * (b != 0).sum())
    tau = kendall_tau(first, second)
    if scale == 0:
        assert np.isnan(tau)
    else:
        assert tau == pytest.approx((a * b).sum() / scale)


def test_tau_refuses_utilities_of_different_items() -> None:
    with pytest.raises(DataError, match=r"\(3,\) and \(2,\)"):
        kendall_tau([1.0, 2.0, 3.0], [1.0, 2.0])
