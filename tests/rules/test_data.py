import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from penchant.models import FeatureList, Vocabulary
from penchant.rules._data import LabelData
from penchant.rules._pairs import PairData
from penchant.rules._program import RuleProgram
from penchant.solvers import ColumnSource, SampledSource


@pytest.fixture
def labels():
    rng = np.random.default_rng(0)
    codes = np.array([0, 0, 0, 0, 1, 1, 2, 0])
    return LabelData.of_codes(rng.random((8, 2)), np.arange(1.0, 9.0), codes, 3)


@pytest.fixture
def pairs():
    X = np.arange(10.0).reshape(5, 2)
    ties = np.array([False, True, False])
    return PairData(
        X, np.array([1.0, 2.0, 1.0]), np.array([0, 1, 4]), np.array([1, 2, 0]), ties
    )


def test_each_label_is_preferred_to_all_others(labels):
    assert labels.items.size == 8 * 2
    np.testing.assert_array_equal(labels.preferred, labels.codes[labels.items])
    for item in range(8):
        others = set(labels.others[labels.items == item])
        assert others == {0, 1, 2} - {labels.codes[item]}


def test_weights_of_rows_add_up_to_one(labels, pairs):
    plain = labels.row_weights(balanced=False)
    np.testing.assert_allclose(
        np.bincount(labels.items, plain), labels.weights / labels.weights.sum()
    )
    balanced = labels.row_weights(balanced=True)
    np.testing.assert_allclose(np.bincount(labels.preferred, balanced), 1 / 3)
    assert balanced.sum() == pytest.approx(1)
    np.testing.assert_allclose(
        pairs.row_weights(balanced=False), [0.25, 0.25, 0.25, 0.25]
    )


def test_ties_have_no_weight_in_the_margin(labels, pairs):
    np.testing.assert_allclose(pairs.row_weights(strict=True), [0.5, 0, 0.5, 0])
    for balanced in (True, False):
        np.testing.assert_array_equal(
            labels.row_weights(balanced=balanced, strict=True),
            labels.row_weights(balanced=balanced),
        )


def test_a_tie_is_two_opposite_rows(pairs):
    utility = np.array([0.0, -1.0, 2.0, 5.0, 0.5])
    gaps = pairs.gaps(np.column_stack([-utility / 2, utility / 2]))
    np.testing.assert_allclose(gaps, [1.0, -3.0, 0.5, 3.0])
    assert pairs.n_rows == 4


def test_taking_units_keeps_what_belongs_to_them(labels, pairs):
    kept = np.array([0, 1, 0, 0, 3, 0, 1, 0.0])
    part = labels.take(kept)
    assert part.codes.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(part.X, labels.X[[1, 4, 6]])
    assert part.weights.tolist() == [1, 3, 1]
    np.testing.assert_array_equal(part.preferred, part.codes[part.items])
    some = pairs.take(np.array([0.0, 1.0, 2.0]))
    np.testing.assert_array_equal(some.X[some.winners], pairs.X[[1, 4]])
    np.testing.assert_array_equal(some.X[some.losers], pairs.X[[2, 0]])
    assert len(some.X) == 4


def test_joining_undoes_taking(labels, pairs):
    first = labels.take(np.where(np.arange(8) < 3, labels.weights, 0.0))
    rest = labels.take(np.where(np.arange(8) < 3, 0.0, labels.weights))
    both = first.join(rest)
    np.testing.assert_array_equal(both.X, labels.X)
    np.testing.assert_array_equal(both.items, labels.items)
    np.testing.assert_array_equal(both.codes, labels.codes)
    joined = pairs.join(pairs)
    np.testing.assert_array_equal(
        joined.X[joined.winners], np.vstack([pairs.X[pairs.winners]] * 2)
    )
    thin = LabelData.of_codes(sparse.csr_array(np.eye(3)), np.ones(3), np.arange(3), 3)
    assert thin.join(thin).X.shape == (6, 3)


def test_gaps_are_differences_of_scores(labels):
    scores = np.random.default_rng(1).normal(size=(8, 3))
    wanted = [
        scores[i, a] - scores[i, b]
        for i, a, b in zip(labels.items, labels.preferred, labels.others, strict=True)
    ]
    np.testing.assert_allclose(labels.gaps(scores), wanted)


def test_a_thinner_sample_has_the_same_shares():
    codes = np.repeat([0, 1, 2], [600, 300, 100])
    X = np.arange(1000.0).reshape(-1, 1)
    data = LabelData.of_codes(X, np.ones(1000), codes, 3)
    few = data.thin(100)
    np.testing.assert_allclose(np.bincount(few.codes), [60, 30, 10], atol=1)
    assert np.unique(few.X).size == few.weights.size
    assert data.thin(1000) is data


# Rows of the game


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


def make_program(kind, seed, signed):
    features = make_features(9, seed, signed)

    class Given:
        def bind(self, X, vocabulary):
            return features

    return RuleProgram(make_data(kind, seed), Given(), Vocabulary(("a",)))


def expand(data, kind, features):
    """Columns of the game by definition: z[f] of each preference against e_a - e_b."""
    table = features.values(range(features.n_features))
    columns, keys = [], []
    for f in range(features.n_features):
        for a in range(data.n_labels):
            for b in range(data.n_labels):
                if a == b:
                    continue
                if kind == "pairs":
                    gap = table[data.winners, f] - table[data.losers, f]
                    gap = np.append(gap, -gap[data.ties])
                    column = data.scale * gap * (1 if a == 1 else -1)
                else:
                    eye = np.eye(data.n_labels)
                    d = eye[data.preferred] - eye[data.others]
                    column = table[data.items, f] * (d @ (eye[a] - eye[b])) / 2
                columns.append(column)
                keys.append((f, a, b))
    return np.array(columns).T, keys


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("kind", [2, 3, "pairs"])
@given(seed=st.integers(0, 10**6))
def test_columns_and_prices_are_those_of_the_game(kind, signed, seed):
    source = make_program(kind, seed, signed)
    table, keys = expand(source.data, kind, source.features)
    np.testing.assert_allclose(source.columns(keys), table, atol=1e-12)
    assert np.abs(table).max() <= 1
    weights = np.random.default_rng(seed).normal(size=source.n_rows)
    priced = source.price(weights, 3)
    payoffs = weights @ table
    assert priced.bound == pytest.approx(payoffs.max())
    for key, payoff in zip(priced.keys, priced.payoffs, strict=True):
        assert payoffs[keys.index(key)] == pytest.approx(payoff)


@pytest.mark.parametrize("kind", [2, 3, "pairs"])
def test_samples_are_columns_of_the_source(kind):
    source = make_program(kind, 3, signed=False)
    assert isinstance(source, ColumnSource)
    assert isinstance(source, SampledSource)
    keys = source.sample(50, np.random.default_rng(0))
    assert source.columns(keys).shape == (source.n_rows, 50)
    assert all(better != worse for _, better, worse in keys)
    assert len(set(keys)) > 4
