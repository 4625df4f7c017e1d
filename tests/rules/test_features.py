from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.models import Condition, Conjunction, FeatureList, Vocabulary
from penchant.rules import HistogramFeatures, list_conditions
from penchant.rules._conjunction_search import SearchedFeatures
from penchant.rules._features import JoinedFeatures

X = np.arange(12.0).reshape(-1, 1)


def at_most(value):
    return Conjunction((Condition(0, "<=", float(value)),))


def searched(n_conditions=6, degree=3, seed=0, n_items=20):
    covers = np.random.default_rng(seed).random((n_conditions, n_items)) < 0.6
    return SearchedFeatures(covers, degree, lambda numbers: numbers)


def listed(n_conditions=6, degree=3, seed=0, n_items=20):
    covers = np.random.default_rng(seed).random((n_conditions, n_items)) < 0.6
    sizes = range(1, degree + 1)
    chosen = [c for k in sizes for c in combinations(range(n_conditions), k)]
    return FeatureList([All(covers, numbers) for numbers in chosen], covers.T)


@dataclass(frozen=True, eq=False)
class All:
    """A conjunction of given conditions."""

    covers: np.ndarray
    numbers: tuple

    def evaluate(self, X):
        return self.covers[list(self.numbers)].all(axis=0).astype(float)

    def text(self, vocabulary):
        return str(self.numbers)


def payoffs_of_all(features, channels):
    """Best payoff of every listed feature, by its values."""
    totals = features.values(range(features.n_features)).T @ channels
    if channels.shape[1] == 1:
        return np.abs(totals[:, 0])
    return totals.max(axis=1) - totals.min(axis=1)


@pytest.mark.parametrize("n_channels", [1, 3])
@given(st.integers(0, 10**6))
def test_pricing_finds_the_best_payoffs(n_channels, seed):
    features = listed(seed=seed)
    channels = np.random.default_rng(seed).normal(size=(20, n_channels))
    priced = features.price(channels, 5)
    wanted = np.sort(payoffs_of_all(features, channels))[::-1][:5]
    assert priced.bound == pytest.approx(wanted[0])
    np.testing.assert_allclose(priced.payoffs, wanted, atol=1e-9)
    totals = features.values(priced.keys).T @ channels
    for j, (better, worse) in enumerate(zip(priced.better, priced.worse, strict=True)):
        sign = 1 if better == 1 else -1
        payoff = sign * totals[j, 0]
        if n_channels > 1:
            payoff = totals[j, better] - totals[j, worse]
        assert payoff == pytest.approx(priced.payoffs[j], abs=1e-9)


@pytest.mark.parametrize("n_channels", [1, 3])
@given(st.integers(0, 10**6))
def test_search_agrees_with_the_list(n_channels, seed):
    channels = np.random.default_rng(seed).normal(size=(20, n_channels))
    found = searched(seed=seed).price(channels, 1)
    wanted = listed(seed=seed).price(channels, 1)
    assert found.bound == pytest.approx(wanted.bound)
    assert found.payoffs[0] == pytest.approx(wanted.payoffs[0])
    values = searched(seed=seed).values(found.keys)[:, 0]
    totals = values @ channels
    spread = abs(totals[0]) if n_channels == 1 else np.ptp(totals)
    assert spread == pytest.approx(found.bound)


def test_of_equal_payoffs_the_first_features_come_first():
    features = FeatureList([at_most(v) for v in (3, 5, 7, 9)], X)
    weights = np.zeros((12, 1))
    weights[[0, 11], 0] = 1.0, -1.0  # all four cover item 0 and not item 11
    assert features.price(weights, 2).keys == [0, 1]
    assert features.price(weights, 9).keys == [0, 1, 2, 3]


def make_parts(kind):
    if kind == "lists":
        return [listed(seed=1), listed(seed=2, n_conditions=4)]
    return [listed(seed=1), searched(seed=2, n_conditions=4)]


@pytest.mark.parametrize("kind", ["lists", "mixed"])
def test_a_join_has_the_features_of_all_parts(kind):
    parts = make_parts(kind)
    joined = JoinedFeatures(parts)
    channels = np.random.default_rng(0).normal(size=(20, 1))
    best = [part.price(channels, 8) for part in parts]
    priced = joined.price(channels, 8)
    everything = np.concatenate([each.payoffs for each in best])
    np.testing.assert_allclose(priced.payoffs, np.sort(everything)[::-1][:8])
    assert priced.bound == pytest.approx(max(each.bound for each in best))
    values = joined.values(priced.keys)
    np.testing.assert_allclose(np.abs(values.T @ channels)[:, 0], priced.payoffs)
    first = best[0].keys[0]
    made = {joined.feature(key) for key in priced.keys}
    assert parts[0].feature(first) in made


@pytest.mark.parametrize("kind", ["lists", "mixed"])
def test_samples_come_from_all_parts(kind):
    joined = JoinedFeatures(make_parts(kind))
    rng = np.random.default_rng(0)
    keys = joined.sample(200, rng)
    assert joined.values(keys).shape == (20, 200)
    assert len({joined.feature(key) for key in keys}) > 15
    assert joined.sample(5, np.random.default_rng(7)) == joined.sample(
        5, np.random.default_rng(7)
    )


# Histograms


def mixed_table(rng, n_items=25):
    """Numbers with and without gaps, few values, and unknown ones."""
    table = np.column_stack(
        [
            rng.normal(size=n_items),
            rng.integers(0, 3, n_items),
            rng.integers(0, 2, n_items),
            rng.normal(size=n_items).round(1),
        ]
    )
    table[rng.random(n_items) < 0.2, 3] = np.nan
    return table


@pytest.mark.parametrize("relations", [None, ("<=", ">=", "=", "!=")])
@pytest.mark.parametrize("n_channels", [1, 3])
@given(st.integers(0, 10**6))
def test_histograms_price_every_conjunction(n_channels, relations, seed):
    """Against a list of all conjunctions of two conditions, made one by one."""
    rng = np.random.default_rng(seed)
    items = mixed_table(rng)
    words = Vocabulary(("a", "b", "c", "d"))
    conditions = list_conditions(items, words, relations, 4)
    features = HistogramFeatures(items, conditions)
    covers = np.array([condition.holds(items) for condition in conditions])
    pairs = [(i, j) for i in range(len(covers)) for j in range(i, len(covers))]
    channels = rng.normal(size=(len(items), n_channels))
    totals = np.array([covers[i] & covers[j] for i, j in pairs]) @ channels
    wanted = np.abs(totals[:, 0]) if n_channels == 1 else np.ptp(totals, axis=1)
    priced = features.price(channels, 20)
    assert priced.bound == pytest.approx(wanted.max())
    # Conjunctions that say no more than a condition alone are left out.
    assert set(np.round(priced.payoffs, 9)) <= set(np.round(wanted, 9))
    values = features.values(priced.keys)
    for key, column in zip(priced.keys, values.T, strict=True):
        np.testing.assert_array_equal(features.feature(key).evaluate(items), column)
    np.testing.assert_allclose(
        features.sums(channels)[priced.keys], values.T @ channels, atol=1e-12
    )


def test_single_conditions_come_first_and_alone_if_wanted():
    items = mixed_table(np.random.default_rng(0))
    words = Vocabulary(("a", "b", "c", "d"))
    conditions = list_conditions(items, words, None, 4)
    pairs = HistogramFeatures(items, conditions)
    alone = HistogramFeatures(items, conditions, with_pairs=False)
    assert alone.n_features == len(conditions) < pairs.n_features
    for k, condition in enumerate(conditions):
        assert pairs.feature(k) == alone.feature(k) == Conjunction((condition,))
    weights = np.random.default_rng(1).normal(size=(len(items), 1))
    np.testing.assert_allclose(
        alone.sums(weights), pairs.sums(weights)[: alone.n_features]
    )
    told = {feature.text(words) for feature in pairs.basis()}
    assert "d unknown" in told
    assert not any(">=" in text for text in told)


def test_forbidden_conjunctions_are_never_found():
    items = mixed_table(np.random.default_rng(2))
    conditions = list_conditions(items, Vocabulary(("a", "b", "c", "d")), None, 4)
    allowed = np.random.default_rng(3).random((len(conditions),) * 2) < 0.3
    features = HistogramFeatures(items, conditions, allowed=allowed | allowed.T)
    numbers = {condition: j for j, condition in enumerate(conditions)}
    for key in range(features.n_features):
        ends = [numbers[each] for each in features.feature(key).conditions]
        assert (allowed | allowed.T)[ends[0], ends[-1]]
