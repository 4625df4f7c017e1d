import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.models import FeatureList
from penchant.rules._data import LabelData, PairData
from penchant.rules._preferences import RuleColumns
from penchant.solvers import ColumnSource, SampledSource


class Random:
    """A feature with given values."""

    def __init__(self, values):
        self.values = values

    def evaluate(self, X):
        return self.values

    def text(self, vocabulary):
        return "random"


def make_features(n_items, seed, signed):
    rng = np.random.default_rng(seed)
    table = rng.uniform(-1.0 if signed else 0.0, 1.0, size=(4, n_items))
    return FeatureList([Random(v) for v in table], np.zeros((n_items, 1)))


def make_data(kind, seed):
    rng = np.random.default_rng(seed)
    n_items = 9
    X = np.zeros((n_items, 1))
    if kind == "pairs":
        winners = rng.integers(0, n_items, 12)
        losers = (winners + rng.integers(1, n_items, 12)) % n_items
        return PairData(X, rng.random(12) + 0.1, winners, losers, rng.random(12) < 0.3)
    codes = rng.integers(0, kind, n_items)
    return LabelData.of_codes(X, rng.random(n_items) + 0.1, codes, kind)


def expand(preferences, kind, features):
    """Columns of the game by definition: z[f] of each preference against e_a - e_b."""
    table = features.values(range(features.n_features))
    columns, keys = [], []
    for f in range(features.n_features):
        for a in range(preferences.n_labels):
            for b in range(preferences.n_labels):
                if a == b:
                    continue
                if kind == "pairs":
                    gap = table[preferences.winners, f] - table[preferences.losers, f]
                    column = preferences.scale * gap * (1 if a == 1 else -1)
                else:
                    eye = np.eye(preferences.n_labels)
                    d = eye[preferences.preferred] - eye[preferences.others]
                    column = table[preferences.items, f] * (d @ (eye[a] - eye[b])) / 2
                columns.append(column)
                keys.append((f, a, b))
    return np.array(columns).T, keys


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("kind", [2, 3, "pairs"])
@given(seed=st.integers(0, 10**6))
def test_columns_and_prices_are_those_of_the_game(kind, signed, seed):
    data = make_data(kind, seed)
    features = make_features(9, seed, signed)
    preferences = data.preferences(is_signed=features.is_signed)
    source = RuleColumns(features, preferences)
    table, keys = expand(preferences, kind, features)
    np.testing.assert_allclose(source.columns(keys), table, atol=1e-12)
    assert np.abs(table).max() <= 1
    weights = np.random.default_rng(seed).normal(size=source.n_rows)
    priced = source.price(weights, 3)
    payoffs = weights @ table
    assert priced.bound == pytest.approx(payoffs.max())
    for key, payoff in zip(priced.keys, priced.payoffs, strict=True):
        assert payoffs[keys.index(key)] == pytest.approx(payoff)


@pytest.mark.parametrize("kind", [2, 3, "pairs"])
def test_curvatures_bound_the_squared_margins(kind):
    data = make_data(kind, 1)
    features = make_features(9, 1, signed=False)
    preferences = data.preferences(is_signed=False)
    weights = np.random.default_rng(2).random(preferences.n_rows)
    column = RuleColumns(features, preferences).columns([(0, 1, 0)])[:, 0]
    item_weights = preferences.curvatures(weights, 1, 0)
    bound = item_weights @ features.values([0])[:, 0] ** 2
    exact = weights @ column**2
    assert bound >= exact - 1e-12
    if kind != "pairs":
        assert bound == pytest.approx(exact)


@pytest.mark.parametrize("kind", [2, 3, "pairs"])
def test_samples_are_columns_of_the_source(kind):
    data = make_data(kind, 3)
    features = make_features(9, 3, signed=False)
    source = RuleColumns(features, data.preferences(is_signed=False))
    assert isinstance(source, ColumnSource)
    assert isinstance(source, SampledSource)
    keys = source.sample(50, np.random.default_rng(0))
    assert source.columns(keys).shape == (source.n_rows, 50)
    assert all(better != worse for _, better, worse in keys)
    assert len(set(keys)) > 4
