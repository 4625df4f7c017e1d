import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.data import DATE, Attribute, Items
from penchant.exceptions import DataError
from penchant.models import Condition, Conjunction, Vocabulary
from penchant.rules._conjunctions import list_conditions, round_between

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
    merged = Conjunction.merge(conditions)
    held = np.ones(len(X), dtype=bool)
    for condition in conditions:
        held &= condition.holds(X)
    np.testing.assert_array_equal(merged.evaluate(X), held)
    assert len(merged.conditions) <= len(conditions)
    assert Conjunction.merge(reversed(conditions)) == merged
    assert Conjunction.merge(merged.conditions) == merged


@given(st.integers(0, 10**6))
def test_merged_conditions_are_all_needed(seed):
    rng = np.random.default_rng(seed)
    merged = Conjunction.merge(
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
    made = Conjunction.merge(Condition(0, relation, v) for relation, v in conditions)
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


# Unknown values and dates


def test_unknown_values_have_conditions_of_their_own():
    X = np.array([[1.0], [np.nan], [3.0]])
    unknown, small = Condition(0, "=", np.nan), Condition(0, "<=", 2.0)
    assert unknown.holds(X).tolist() == [False, True, False]
    assert small.holds(X).tolist() == [True, False, False]
    assert unknown.text(PLAIN) == "a unknown"
    assert Condition(0, "!=", np.nan).text(PLAIN) == "a known"
    assert unknown == Condition(0, "=", float("nan"))
    assert hash(unknown) == hash(Condition(0, "=", float("nan")))


def test_dates_are_told_as_dates():
    attribute = Attribute("signed", "numeric", "unknown", (0, 20_000), DATE)
    words = Vocabulary(("signed",), (attribute,))
    rule = Condition(0, ">=", 18_262 / 20_000)
    assert rule.text(words) == "signed >= 2020-01-01"


# Which conditions to try


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
        "energy = A",
        "energy <= B",
        "energy >= B",
        "energy = C",
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
