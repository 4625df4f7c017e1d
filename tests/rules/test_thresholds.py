import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.data import Attribute, Items
from penchant.models import Vocabulary
from penchant.rules._thresholds import list_conditions, round_between

ORDER = st.floats(-1e6, 1e6, allow_subnormal=False)


def conditions_of(values, **options):
    table = np.asarray(values, dtype=float).reshape(len(values), -1)
    words = Vocabulary(tuple(f"x{i}" for i in range(table.shape[1])))
    settings = {"relations": None, "max_thresholds": 20, **options}
    return list_conditions(table, words, **settings)


@given(ORDER, ORDER, st.booleans())
def test_a_round_number_lies_between(a, b, near_low):
    low, high = min(a, b), max(a, b)
    number = round_between(low, high, near_low=near_low)
    assert low <= number <= high


@pytest.mark.parametrize(
    ("low", "high", "near_low", "number"),
    [
        (897.3, 904.6, False, 900.0),
        (3.0, 3.5, False, 3.0),
        (3.5, 4.0, True, 4.0),
        (0.121, 0.139, True, 0.13),
        (-7.2, -6.8, False, -7.0),
        (10.0, 30.0, False, 30.0),
        (2.0, 2.0, True, 2.0),
    ],
)
def test_the_roundest_number_is_taken(low, high, near_low, number):
    assert round_between(low, high, near_low=near_low) == number


@given(st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=2, max_size=12))
def test_thresholds_separate_neighbours(values):
    distinct = np.unique(values)
    X = distinct[:, None]
    covered = {c.holds(X).tobytes() for c in conditions_of(values)}
    wanted = set()
    for g in range(len(distinct) - 1):
        below = distinct <= distinct[g]
        wanted |= {below.tobytes(), (~below).tobytes()}
    assert covered == wanted


def test_whole_numbers_stay_whole():
    found = [(c.relation, c.value) for c in conditions_of([1, 2, 3])]
    assert found == [("<=", 1), ("<=", 2), (">=", 2), (">=", 3)]


def test_two_values_need_equality_only():
    found = [(c.relation, c.value) for c in conditions_of([0, 1, 1])]
    assert found == [("=", 0), ("=", 1)]
    assert conditions_of([2, 2]) == []


def test_many_values_are_cut_at_quantiles():
    rng = np.random.default_rng(0)
    values = rng.exponential(size=1000)
    found = conditions_of(values, max_thresholds=9)
    shares = [np.mean(values <= c.value) for c in found if c.relation == "<="]
    np.testing.assert_allclose(shares, np.arange(1, 10) / 10, atol=2e-3)


def test_equality_takes_the_most_frequent_values():
    values = [1] * 5 + [2] + [3] * 4 + [4] * 2
    found = conditions_of(values, relations=("=",), max_thresholds=2)
    assert [(c.relation, c.value) for c in found] == [("=", 1), ("=", 3)]


def test_kinds_decide_on_relations():
    attributes = (
        Attribute("rent", "numeric", "down", (0, 1000), "EUR"),
        Attribute("energy", "ordinal", "down", ("A", "B", "C")),
        Attribute("view", "categorical", domain=("sea", "wall", "yard")),
    )
    frame = pd.DataFrame(
        {
            "rent": [497.0, 613.0, 905.0],
            "energy": ["A", "B", "C"],
            "view": ["sea", "wall", "yard"],
        }
    )
    items = Items.from_frame(frame, attributes)
    words = Vocabulary(("rent", "energy", "view"), items.attributes)
    found = list_conditions(items.encode(), words, None, 20)
    texts = {condition.text(words) for condition in found}
    assert {t for t in texts if t.startswith("rent")} == {
        "rent <= 500 EUR",
        "rent >= 600 EUR",
        "rent <= 700 EUR",
        "rent >= 800 EUR",
    }
    assert {t for t in texts if t.startswith("energy")} == {
        "energy <= A",
        "energy <= B",
        "energy >= B",
        "energy >= C",
    }
    assert "view = sea" in texts
    assert "view != yard" in texts
    prices = frame["rent"].to_numpy()
    for condition in found:
        text = condition.text(words)
        if text.startswith("rent"):
            _, relation, number, _ = text.split()
            wanted = prices <= float(number)
            wanted = wanted if relation == "<=" else prices >= float(number)
            np.testing.assert_array_equal(condition.holds(items.encode()), wanted)
    equal = list_conditions(items.encode(), words, ("<=",), 20)
    assert {c.relation for c in equal if c.attribute == 2} == {"=", "!="}
