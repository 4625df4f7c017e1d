import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.views._charts import Axis, Bar, Estimate, curve_shape, waterfall

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


@given(NUMBERS, st.floats(1e-6, 1e6))
def test_ticks_are_few_round_and_on_the_axis(low: float, span: float) -> None:
    axis = Axis(low, low + span)
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 5
    slack = 1e-6 * (abs(low) + span)
    assert all(low - slack <= tick <= low + span + slack for tick in ticks)
    steps = {round(b - a, 12) for a, b in pairwise(ticks)}
    if steps:
        assert max(steps) - min(steps) <= slack


@pytest.mark.parametrize("most", [1, 2, 3])
def test_ticks_can_be_fewer(most: int) -> None:
    assert 1 <= len(Axis(3.0, 97.0).ticks(most)) <= most


def test_axis_of_one_value_has_it_in_the_middle() -> None:
    axis = Axis.around([7.0])
    assert axis.place(7.0) == 50.0
    flat = Axis(7.0, 7.0)
    assert flat.place(7.0) == 50.0
    assert flat.ticks() == [7.0]


@given(st.lists(NUMBERS, min_size=1, max_size=10))
def test_axis_around_values_shows_them_all(values: list[float]) -> None:
    axis = Axis.around(values)
    assert axis.low < min(values)
    assert axis.high > max(values)
    places = [axis.place(value) for value in sorted(values)]
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] <= 100


def test_axis_with_two_sides_has_nothing_in_the_middle() -> None:
    axis = Axis.both_sides([3.0, -12.0])
    assert axis.place(0.0) == 50.0
    assert axis.low < -12.0
    assert axis.high > 12.0
    assert Axis.both_sides([]).place(0.0) == 50.0


def test_what_is_beyond_the_axis_is_at_its_end() -> None:
    mark = Estimate.placed(Axis(0.0, 100.0), 50.0, -20.0, 130.0)
    assert (mark.low, mark.at, mark.high) == (0.0, 50.0, 100.0)


def test_bars_have_a_side() -> None:
    axis = Axis(-100.0, 100.0)
    up, down = (Bar.placed(axis, 0.0, c, 40.0, 70.0) for c in (50.0, -50.0))
    assert (up.side, up.left, up.width, up.begin, up.end) == ("pro", 50, 25, 50, 75)
    assert (down.side, down.left, down.width, down.end) == ("con", 25, 25, 25)
    assert (up.low, up.high) == (70.0, 85.0)


@given(NUMBERS, st.lists(NUMBERS, min_size=1, max_size=8))
def test_steps_of_a_waterfall_join(base: float, changes: list[float]) -> None:
    axis, bars = waterfall(base, [(c, c - 1.0, c + 2.0) for c in changes])
    assert bars[0].begin == axis.place(base)
    for before, after in pairwise(bars):
        assert before.end == after.begin
    assert bars[-1].end == pytest.approx(axis.place(base + sum(changes)), abs=0.02)


def test_a_curve_goes_down_the_page_where_it_rises() -> None:
    shape = curve_shape(
        Axis(0.0, 10.0), Axis(-1.0, 1.0), [0, 5, 10], [-1, 0, 1], [-1, -1, 0], [0, 1, 1]
    )
    assert shape.line == "M0 100L50 50L100 0"
    assert re.findall(r"[ML](\S+)", shape.band) == ["0", "50", "100", "100", "50", "0"]
    assert shape.band.endswith("Z")


@given(st.floats(-1e5, 1e5), st.floats(0.5, 1e5), st.integers(2, 6))
def test_dates_are_few_whole_days_on_the_axis(
    low: float, span: float, most: int
) -> None:
    days = Axis(low, low + span).dates(most)
    assert 1 <= len(days) <= most
    assert days == sorted({round(day) for day in days})
    assert low - 1 <= days[0] <= days[-1] <= low + span + 1


def test_years_are_marked_where_months_would_be_too_many() -> None:
    days = np.array(Axis(0.0, 20_000.0).dates(4)).astype("M8[D]")
    assert days.astype(str).tolist() == ["1970-01-01", "1990-01-01", "2010-01-01"]
