"""What capacities of every kind share, counted set by set."""

from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from penchant.choquet._set_readings import (
    MobiusField,
    exact_monotonicity,
    position_of,
    sampled_monotonicity,
)
from penchant.exceptions import DataError


@dataclass(frozen=True)
class Holder:
    mobius: dict = MobiusField()  # noqa: RUF009


def rises(values, slack):
    n = int(np.log2(len(values)))
    pairs = [
        (mask, mask | 1 << i)
        for mask in range(2**n)
        for i in range(n)
        if not mask >> i & 1
    ]
    return np.mean([values[more] >= values[less] - slack for less, more in pairs])


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_degree_of_monotonicity_is_the_share_of_pairs_that_rise(n):
    rng = np.random.default_rng(n)
    values = rng.normal(size=2**n)
    values[0] = 0.0
    assert exact_monotonicity(values, 1e-9) == pytest.approx(rises(values, 1e-9))
    assert exact_monotonicity(np.arange(2.0**n), 1e-9) == 1.0
    assert exact_monotonicity(-np.arange(2.0**n), 1e-9) == 0.0
    assert exact_monotonicity(np.zeros(2**n), 1e-9) == 1.0


def test_falls_of_a_share_of_the_largest_value_are_rounding():
    values = np.array([0.0, 4.0, -4.0 * 2**-10, 4.0])
    assert exact_monotonicity(values, 2**-10) == 1.0  # exactly so much
    assert exact_monotonicity(values, 2**-11) == 0.75


def test_random_pairs_tell_the_degree_with_a_standard_error():
    rng = np.random.default_rng(0)
    weights = np.array([1.0, -1.0, 2.0, -0.5])  # two of four players add something

    def integrate(rows):
        assert set(np.unique(rows)) <= {0.0, 1.0}
        return rows @ weights

    share, error = sampled_monotonicity(integrate, 4, 1e-9, 4000, rng)
    assert share == pytest.approx(0.5, abs=0.04)
    centre = (share * 4000 + 2) / 4004
    assert error == pytest.approx(np.sqrt(centre * (1 - centre) / 4004))
    seeds = [sampled_monotonicity(integrate, 4, 1e-9, 50, 3) for _ in range(2)]
    assert seeds[0] == seeds[1]
    certain, error = sampled_monotonicity(lambda rows: rows.sum(axis=1), 4, 0.0, 60, 0)
    assert certain == 1.0
    assert error == pytest.approx(np.sqrt(62 / 64 * 2 / 64 / 64))
    # a fall of a tenth of the largest value, or less, is none
    for tol, expected in ((0.1, 1.0), (0.09, 0.0)):
        found = sampled_monotonicity(
            lambda rows: 10.0 - rows[:, 0], 1, tol, 20, np.random.default_rng(1)
        )
        assert found[0] == expected


def test_attributes_are_named_by_position_or_by_name():
    assert [position_of(k, 3, None) for k in (0, 2)] == [0, 2]
    assert position_of("b", 2, ("a", "b")) == 1
    for k in (-1, 3):
        with pytest.raises(DataError, match=rf"positions 0 to 2\. Got {k}"):
            position_of(k, 3, None)
    with pytest.raises(DataError, match=r"called 'c'\. Known: \('a', 'b'\)"):
        position_of("c", 2, ("a", "b"))
    with pytest.raises(DataError, match=r"called 'c'\. Known: \(\)"):
        position_of("c", 2, None)


def test_coefficients_are_added_up_checked_and_kept():
    made = Holder({(0, 1): 1.0, (1, 0): 0.5, (2,): -1})
    assert made.mobius == {frozenset({0, 1}): 1.5, frozenset({2}): -1.0}
    made.mobius[frozenset({0})] = 9.0  # a copy
    assert len(made.mobius) == 2
    with pytest.raises(FrozenInstanceError):
        made.mobius = {}
    for wrong in ({(): 1.0}, {(0,): np.nan}, {(0,): np.inf}):
        with pytest.raises(DataError, match="finite numbers to non-empty sets"):
            Holder(wrong)
