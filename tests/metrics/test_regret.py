"""Loss of a recommendation."""

import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.metrics import regret


def test_regret_is_the_best_minus_the_recommended() -> None:
    assert regret([1.0, 5.0, 3.0], 2) == 2.0
    assert regret([1.0, 5.0, 3.0], 1) == 0.0


def test_regret_of_several_people_is_a_vector() -> None:
    utilities = [[1.0, 5.0, 3.0], [2.0, 0.0, 1.0]]
    np.testing.assert_array_equal(regret(utilities, [0, 2]), [4.0, 1.0])


def test_regret_in_shares_of_the_range_is_rank_over_nine_for_ranks() -> None:
    ranks = np.random.default_rng(0).permuted(np.tile(np.arange(10), (20, 1)), axis=1)
    shown = np.arange(20) % 10
    losses = regret(9 - ranks, shown, normalize="range")
    np.testing.assert_allclose(losses, ranks[np.arange(20), shown] / 9)


def test_regret_in_standard_deviations_ignores_the_scale() -> None:
    utility = np.array([0.0, 1.0, 4.0, 2.0])
    expected = 2.0 / utility.std()
    assert regret(utility, 3, normalize="std") == pytest.approx(expected)
    assert regret(7 * utility - 3, 3, normalize="std") == pytest.approx(expected)


@pytest.mark.parametrize("normalize", ["range", "std"])
def test_indifference_costs_nothing(normalize: str) -> None:
    assert regret([2.0, 2.0], 1, normalize=normalize) == 0.0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("utility", "recommended", "normalize", "message"),
    [
        ([1.0, 2.0], 2, None, "must lie in 0 to 1"),
        ([1.0, 2.0], -1, None, "must lie in 0 to 1"),
        ([1.0, 2.0], [0, 1], None, "one item index per person"),
        ([[1.0, 2.0]], [0.0], None, "one item index per person"),
        ([1.0, np.inf], 0, None, "must be finite"),
        ([], 0, None, "not be empty"),
        ([1.0, 2.0], 0, "best", "'range', 'std' or None"),
    ],
)
def test_regret_refuses(
    utility: object, recommended: object, normalize: object, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        regret(utility, recommended, normalize=normalize)  # type: ignore[arg-type]
