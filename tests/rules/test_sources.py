import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.models import Condition, Conjunction, FeatureList
from penchant.rules._coverages import distinct_conjunctions
from penchant.rules._joins import join_features
from penchant.rules._monomials import PairedFeatures
from penchant.rules._sources import CoverageFeatures, SearchedFeatures

X = np.arange(12.0).reshape(-1, 1)


def at_most(value):
    return Conjunction((Condition(0, "<=", float(value)),))


def searched(n_conditions=6, degree=3, seed=0, n_items=20):
    covers = np.random.default_rng(seed).random((n_conditions, n_items)) < 0.6
    return SearchedFeatures(covers, degree, lambda numbers: numbers)


def listed(n_conditions=6, degree=3, seed=0, n_items=20):
    covers = np.random.default_rng(seed).random((n_conditions, n_items)) < 0.6
    coverages = distinct_conjunctions(covers, degree, max_sets=10**4)
    return CoverageFeatures(coverages, lambda numbers: numbers)


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


def test_squares_are_summed_on_demand():
    class Height:
        def evaluate(self, items):
            return items[:, 0] / 11 - 0.5

        def text(self, vocabulary):
            return "height"

    features = FeatureList([Height(), at_most(4)], X)
    assert features.is_signed
    weights = np.random.default_rng(0).random((12, 2))
    squares = features.values([0, 1]) ** 2
    np.testing.assert_allclose(
        features.sums(weights, squared=True), squares.T @ weights
    )


def make_parts(kind):
    if kind == "lists":
        return [listed(seed=1), listed(seed=2, n_conditions=4)]
    return [listed(seed=1), searched(seed=2, n_conditions=4)]


@pytest.mark.parametrize("kind", ["lists", "mixed"])
def test_a_join_has_the_features_of_all_parts(kind):
    parts = make_parts(kind)
    joined = join_features(parts)
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
    joined = join_features(make_parts(kind))
    rng = np.random.default_rng(0)
    keys = joined.sample(200, rng)
    assert joined.values(keys).shape == (20, 200)
    assert len({joined.feature(key) for key in keys}) > 15
    assert joined.sample(5, np.random.default_rng(7)) == joined.sample(
        5, np.random.default_rng(7)
    )


@given(st.integers(0, 10**6))
def test_pairs_as_products_agree_with_the_list(seed):
    rng = np.random.default_rng(seed)
    covers = rng.random((5, 20)) < 0.6
    coverages = distinct_conjunctions(covers, 2, max_sets=100)
    paired = PairedFeatures(covers, lambda numbers: numbers)
    weights = rng.normal(size=(20, 2))
    bound = CoverageFeatures(coverages, tuple).price(weights, 1).bound
    full = np.ptp(weights.sum(axis=0)) if covers.all(axis=1).any() else 0.0
    assert paired.price(weights, 1).bound == pytest.approx(max(bound, full))
    for k in range(paired.n_features):
        held = covers[list(paired.feature(k))].all(axis=0)
        np.testing.assert_array_equal(paired.values([k])[:, 0], held)
