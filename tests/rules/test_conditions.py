import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.data import Attribute, Items
from penchant.exceptions import DataError
from penchant.models import Condition, Conjunction, Vocabulary

PLAIN = Vocabulary(("a", "b"))
RELATIONS = ("<=", ">=", "=", "!=")


@pytest.fixture
def flats():
    attributes = (
        Attribute("price", "numeric", "down", (400, 1500), "EUR"),
        Attribute("energy", "ordinal", "down", ("A", "B", "C")),
        Attribute("balcony", "categorical", domain=("no", "yes", "roof")),
        Attribute("size", "numeric", "up", (20, 120), "m²"),
    )
    columns = {
        "price": [450.0, 900.0, 1310.5],
        "energy": ["A", "B", "C"],
        "balcony": ["no", "roof", "yes"],
        "size": [25.0, 60.0, 47.5],
    }
    return Items.from_frame(pd.DataFrame(columns), attributes)


@given(st.integers(0, 10**6))
def test_merging_changes_no_value(seed):
    rng = np.random.default_rng(seed)
    conditions = [
        Condition(int(rng.integers(2)), RELATIONS[rng.integers(4)], float(v))
        for v in rng.integers(0, 4, rng.integers(0, 6))
    ]
    X = np.array([[a, b] for a in range(-1, 5) for b in range(-1, 5)], dtype=float)
    merged = Conjunction.of(conditions)
    held = np.ones(len(X), dtype=bool)
    for condition in conditions:
        held &= condition.holds(X)
    np.testing.assert_array_equal(merged.evaluate(X), held)
    assert len(merged.conditions) <= len(conditions)
    assert Conjunction.of(reversed(conditions)) == merged
    assert Conjunction.of(merged.conditions) == merged


@given(st.integers(0, 10**6))
def test_merged_conditions_are_all_needed(seed):
    rng = np.random.default_rng(seed)
    merged = Conjunction.of(
        Condition(0, RELATIONS[rng.integers(4)], float(v))
        for v in rng.integers(0, 4, rng.integers(1, 6))
    )
    X = np.arange(-1, 5, 0.5)[:, None]
    held = merged.evaluate(X)
    if not held.any():
        return  # contradictions are kept as they are
    for condition in merged.conditions:
        others = tuple(c for c in merged.conditions if c != condition)
        assert (Conjunction(others).evaluate(X) > held).any()


@pytest.mark.parametrize(
    ("conditions", "text"),
    [
        ([("<=", 5), ("<=", 10)], "a <= 5"),
        ([(">=", 2), (">=", 1), ("<=", 7)], "a >= 2 and a <= 7"),
        ([(">=", 3), ("<=", 3)], "a = 3"),
        ([("=", 3), ("<=", 5)], "a = 3"),
        ([("!=", 9), ("<=", 5)], "a <= 5"),
        ([("!=", 4), ("<=", 5)], "a <= 5 and a != 4"),
        ([], "always"),
    ],
)
def test_redundant_conditions_are_not_told(conditions, text):
    made = Conjunction.of(Condition(0, relation, v) for relation, v in conditions)
    assert made.text(PLAIN) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(900.0, "900"), (0.1, "0.1"), (2.5e-7, "2.5e-07"), (1 / 3, repr(1 / 3))],
)
def test_plain_values_can_be_read_back(value, text):
    assert Condition(1, ">=", value).text(PLAIN) == f"b >= {text}"
    assert float(text) == value


def test_encoded_values_are_told_in_the_units_of_the_table(flats):
    words = Vocabulary(tuple(a.name for a in flats.attributes), flats.attributes)
    X = flats.encode()
    texts = {
        (i, row): Condition(i, "=", X[row, i]).text(words)
        for i in range(4)
        for row in range(3)
    }
    assert texts[0, 1] == "price = 900 EUR"
    assert texts[0, 2] == "price = 1,310.5 EUR"
    assert [texts[1, row] for row in range(3)] == [
        "energy = A",
        "energy = B",
        "energy = C",
    ]
    assert texts[2, 1] == "balcony = roof"
    assert texts[3, 2] == "size = 47.5 m²"


def test_a_flipped_attribute_turns_the_relation_round(flats):
    words = Vocabulary(tuple(a.name for a in flats.attributes), flats.attributes)
    X = flats.encode()
    cheap = Condition(0, ">=", X[1, 0])  # encoded: more is better, hence cheaper
    assert cheap.text(words) == "price <= 900 EUR"
    prices = flats.frame["price"].to_numpy()
    np.testing.assert_array_equal(cheap.holds(X), prices <= 900)
    frugal = Condition(1, ">=", X[1, 1])
    assert frugal.text(words) == "energy <= B"
    assert Condition(3, ">=", X[1, 3]).text(words) == "size >= 60 m²"


@given(st.floats(-50, 50), st.sampled_from(["up", "down"]))
def test_units_and_back(value, direction):
    attribute = Attribute("x", "numeric", direction, (-50, 50))
    words = Vocabulary(("x",), (attribute,))
    assert words.to_units(0, words.from_units(0, value)) == pytest.approx(value)


def test_an_unknown_relation_is_refused():
    with pytest.raises(DataError, match="must be one of <=, >=, =, !="):
        Condition(0, "<", 1.0)
