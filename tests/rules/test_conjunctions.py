"""Conditions that are tried, and totals of all conjunctions, by going through them."""

from itertools import combinations

import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.rules import Conjunctions, Vocabulary
from penchant.rules._conjunctions import (
    HistogramFeatures,
    list_conditions,
    round_between,
)

WORDS = Vocabulary(("size", "rooms", "floor"))


def table(n=30):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(n, 3)).astype(float)
    X[:, 2] = X[:, 2] > 1
    X[3, 0] = np.nan
    return X


def covers(conditions, X):
    return np.array([condition.holds(X) for condition in conditions])


@pytest.mark.parametrize("with_pairs", [True, False])
def test_totals_are_those_of_every_conjunction(with_pairs):
    X, channels = table(), np.random.default_rng(1).normal(size=(30, 2))
    conditions = list_conditions(X, WORDS, None, 20)
    features = HistogramFeatures(X, conditions, with_pairs=with_pairs)
    held = covers(conditions, X)
    keys = range(features.n_features)
    values = features.values(keys)
    np.testing.assert_allclose(features.sums(channels), values.T @ channels)
    for key in keys:
        made = features.feature(key).evaluate(X)
        np.testing.assert_array_equal(made, values[:, key])
    # single conditions first, then all pairs that say more than either alone
    np.testing.assert_array_equal(values[:, : len(conditions)], held.T)
    expected = set()
    for a, b in combinations(range(len(conditions)), 2):
        both = held[a] & held[b]
        same = conditions[a].attribute == conditions[b].attribute
        if with_pairs and (
            not same
            or (both.any() and (both != held[a]).any() and (both != held[b]).any())
        ):
            expected.add((a, b))
    found = [
        (int(a), int(b))
        for a, b in zip(features._first, features._second, strict=True)
        if a != b
    ]
    assert set(found) == expected
    assert len(found) == len(expected)


def test_only_what_is_allowed_is_joined_or_stands_alone():
    X = table()
    conditions = list_conditions(X, WORDS, None, 20)
    allowed = np.zeros((len(conditions),) * 2, dtype=bool)
    other = next(k for k, c in enumerate(conditions) if c.attribute == 1)
    allowed[1, 1] = allowed[0, other] = True
    features = HistogramFeatures(X, conditions, allowed=allowed)
    pairs = list(zip(features._first, features._second, strict=True))
    assert pairs == [(1, 1), (0, other)]


def test_opposites_are_left_out_of_the_basis():
    X = table()
    conditions = list_conditions(X, WORDS, None, 20)
    features = HistogramFeatures(X, conditions)
    told = [c for f in features.basis() for c in f.conditions]
    assert told == [c for c in conditions if c.relation in ("<=", "=")]


def test_numbers_are_cut_at_round_places_between_them():
    X = np.array([[1.0], [2.0], [4.0], [np.nan]])
    found = list_conditions(X, Vocabulary(("size",)), None, 20)
    assert np.isnan(found[0].value)
    told = [(c.relation, c.value) for c in found[1:]]
    assert [relation for relation, _ in told] == ["<=", "<=", ">=", ">="]
    gaps = [(1, 2), (2, 4)] * 2
    for (relation, value), (low, high) in zip(told, gaps, strict=True):
        assert (low <= value < high) if relation == "<=" else (low < value <= high)
    X = np.random.default_rng(0).uniform(0, 1000, size=(50, 1))
    values = np.unique(X)
    for condition in list_conditions(X, Vocabulary(("rent",)), None, 9):
        below = values[values < condition.value].max()
        above = values[values > condition.value].min()
        middle, width = (below + above) / 2, above - below
        near = (
            middle - condition.value
            if condition.relation == "<="
            else (condition.value - middle)
        )
        assert -1e-9 <= near <= width / 2 + 1e-9  # in the half that it touches


@pytest.mark.parametrize(("n_values", "n_cuts"), [(21, 20), (22, 8), (9, 8), (4, 3)])
def test_auto_takes_8_thresholds_or_all_up_to_20(n_values, n_cuts):
    X = np.repeat(np.arange(float(n_values)), 3)[:, None]
    found = list_conditions(X, Vocabulary(("a",)), None, "auto")
    assert [c.relation for c in found] == ["<="] * n_cuts + [">="] * n_cuts
    few = list_conditions(X, Vocabulary(("a",)), None, 3)
    assert len(few) == 6
    shares = [(X[:, 0] <= c.value).mean() for c in few[:3]]
    np.testing.assert_allclose(shares, [0.25, 0.5, 0.75], atol=1.01 / n_values)


def test_two_values_need_one_relation_and_constants_none():
    X = np.column_stack([np.ones(6), [0, 0, 1, 1, 1, 0], np.arange(6)])
    found = list_conditions(X, WORDS, None, 20)
    assert {c.attribute for c in found} == {1, 2}
    assert [(c.relation, c.value) for c in found[:2]] == [("=", 0.0), ("=", 1.0)]
    equal = list_conditions(X, WORDS, ("=",), 2)
    assert [c.value for c in equal if c.attribute == 2] == [0.0, 1.0]
    often = np.array([[3.0], [1.0], [2.0], [2.0], [1.0]])
    assert [c.value for c in list_conditions(often, WORDS, ("!=",), 2)] == [1.0, 2.0]


@pytest.mark.parametrize(
    ("low", "high", "near_low", "expected"),
    [
        (897.3, 904.6, False, 900.0),
        (0.123, 0.131, True, 0.13),
        (1.0, 29.0, True, 10.0),
        (1.0, 29.0, False, 20.0),
        (5.0, 5.0, True, 5.0),
        (-12.0, -3.0, True, -10.0),
        (12.0, 19.0, True, 12.0),
        (12.0, 19.0, False, 19.0),
    ],
)
def test_the_roundest_number(low, high, near_low, expected):
    assert round_between(low, high, near_low=near_low) == pytest.approx(expected)


@pytest.mark.parametrize(
    "wrong",
    [{"degree": 0}, {"max_thresholds": 0}, {"relations": ()}, {"relations": ("<",)}],
)
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(DataError, match=f"{next(iter(wrong))} must be"):
        Conjunctions(**wrong)
    Conjunctions(degree=1, max_thresholds=1)


def test_the_degree_is_the_largest_number_of_conditions():
    X = table()
    sizes = []
    for degree in (1, 2):
        features = Conjunctions(degree).bind(X, WORDS)
        keys = range(features.n_features)
        sizes.append(max(len(features.feature(key).conditions) for key in keys))
    assert sizes[0] == 1
    assert sizes[1] >= 2
