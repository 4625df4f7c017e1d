"""Forecasts from conversations held in advance."""

import numpy as np
import pandas as pd

from penchant.data import Items
from penchant.datasets import load_flats
from penchant.studies import StudySettings
from penchant.studies._forecasts import ForecastTable, find_table
from penchant.studies._start import Start


def test_forecast_gets_smaller_with_the_regret_and_keeps_to_the_budget() -> None:
    start = Start.from_items(load_flats().take(range(12)))
    table = ForecastTable.simulate(start, "pair", 0.1, 15)
    again = ForecastTable.simulate(start, "pair", 0.1, 15)
    assert np.array_equal(table.left, again.left)
    far, near = table.forecast(1.0, 99), table.forecast(0.12, 99)
    assert far.questions > near.questions
    assert table.forecast(0.05, 99).low == 0
    assert table.forecast(1.0, 2).high == 2
    assert far.low <= far.questions <= far.high


def test_equal_beliefs_share_a_table() -> None:
    flats = load_flats().take(range(6))
    settings = StudySettings(max_questions=4)
    table = find_table(Start.from_items(flats), settings, wait=True)
    assert table is not None
    assert find_table(Start.from_items(flats), settings) is table
    others = find_table(Start.from_items(flats.take(range(5))), settings, wait=True)
    assert others is not table
    assert find_table(
        Start.from_items(flats), StudySettings(max_questions=3), wait=True
    )


def test_where_nothing_can_be_asked_nothing_is_left() -> None:
    only = Items.from_frame(pd.DataFrame({"a": [1.0]}, index=["only"]))
    table = ForecastTable.simulate(Start.from_items(only), "pair", 0.0, 9)
    assert table.forecast(0.0, 9).high == 0


def test_many_items_are_forecast_from_few_people() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).random((600, 2)), columns=["a", "b"])
    table = ForecastTable.simulate(
        Start.from_items(Items.from_frame(frame)), "pair", 0.5, 2
    )
    assert np.sum(table.left == 0) == 13
