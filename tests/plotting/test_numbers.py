import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.plotting._numbers import (
    NumberFormatter,
    NumberLocator,
    format_numbers,
    format_power,
    format_round,
    format_share,
)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.967, -0.5], ["1.97", "\N{MINUS SIGN}0.50"]),
        ([12.0, 3.0], ["12.0", "3.0"]),
        ([12345.6], ["12,346"]),
        ([1234.5], ["1234"]),
        ([0.0], ["0.00"]),
        ([-0.0001, 5.0], ["0.00", "5.00"]),
        ([3e9], ["3.00e+09"]),
        ([], []),
    ],
)
def test_numbers_have_equal_decimals(values, expected):
    assert format_numbers(values) == expected


def test_signs_are_shown_on_request():
    assert format_numbers([0.5, -0.5, 0.0], digits=2, signed=True) == [
        "+0.50",
        "\N{MINUS SIGN}0.50",
        "0.00",
    ]
    assert format_round([-0.2, 0.0, 0.2], signed=True) == [
        "\N{MINUS SIGN}0.2",
        "0",
        "+0.2",
    ]


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.0, "<1"), (0.004, "<1"), (0.126, "13"), (0.996, ">99"), (1.0, ">99")],
)
def test_shares_never_claim_none_or_all(share, expected):
    assert format_share(share) == f"{expected}\u202f%"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(4.04e-6, "5·10⁻⁶"), (9.5e-7, "1·10⁻⁶"), (2e-5, "2·10⁻⁵"), (0.0, "0")],
)
def test_small_numbers_are_rounded_up(value, expected):
    assert format_power(value) == expected


def test_ticks_of_very_large_numbers_have_powers():
    assert NumberFormatter().format_ticks([0, 2e9]) == ["0", "2.00e+09"]
    assert NumberFormatter()(-2.5) == "\N{MINUS SIGN}2.5"


def test_ticks_prefer_whole_numbers():
    locator = NumberLocator()
    assert locator.tick_values(0, 9) == [0, 2, 4, 6, 8]
    assert locator.tick_values(0, 1) == [0, 0.25, 0.5, 0.75, 1]
    assert locator.tick_values(3, 3) == [3]


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e6),
)
def test_there_are_two_to_five_ticks_inside(low, width):
    ticks = NumberLocator().tick_values(low, low + width)
    assert 2 <= len(ticks) <= 5
    slack = 1e-6 * width + 1e-9 * abs(low)
    assert low - slack <= ticks[0]
    assert ticks[-1] <= low + width + slack


def test_locator_follows_the_view():
    figure, ax = plt.subplots()
    ax.xaxis.set_major_locator(NumberLocator())
    ax.set_xlim(5, -5)
    np.testing.assert_allclose(ax.get_xticks(), [-4, -2, 0, 2, 4])
    plt.close(figure)
