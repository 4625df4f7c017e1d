from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from penchant.data import Attribute, Items
from penchant.exceptions import DataError
from penchant.models import (
    AlwaysTrue,
    Conjunctions,
    FeatureList,
    GeneratorSum,
    Monomials,
    Ramps,
    RuleClassifier,
    Vocabulary,
)
from penchant.rules._conjunction_search import SearchedFeatures


def words(n_features):
    return Vocabulary(tuple(f"x{i}" for i in range(n_features)))


def random_table(n_items=60, n_features=4, seed=0):
    return np.random.default_rng(seed).normal(2.0, 3.0, size=(n_items, n_features))


def monomials_by_hand(X, degree, homogeneous):
    """All products up to a degree, scaled to a largest size of 1."""
    degrees = range(degree if homogeneous else 1, degree + 1)
    products = [
        X[:, list(chosen)].prod(axis=1)
        for size in degrees
        for chosen in combinations_with_replacement(range(X.shape[1]), size)
    ]
    table = np.array(products)
    return table / np.abs(table).max(axis=1, keepdims=True)


@pytest.mark.parametrize("homogeneous", [True, False])
@pytest.mark.parametrize("standardize", [True, False, "auto"])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_monomials_are_priced_like_all_products(degree, standardize, homogeneous):
    X = random_table()
    generator = Monomials(degree, standardize=standardize, homogeneous=homogeneous)
    features = generator.bind(X, words(4))
    centered = X - X.mean(axis=0) if standardize else X
    table = monomials_by_hand(centered, degree, homogeneous)
    assert features.n_features == len(table)
    weights = np.random.default_rng(1).normal(size=(60, 1))
    totals = np.sort(np.abs(table @ weights)[:, 0])[::-1]
    priced = features.price(weights, 6)
    np.testing.assert_allclose(priced.payoffs, totals[:6])
    values = features.values(priced.keys)
    assert np.abs(values).max() <= 1 + 1e-12
    for key, column in zip(priced.keys, values.T, strict=True):
        np.testing.assert_allclose(features.feature(key).evaluate(X), column)
    assert features.is_signed


def test_monomials_of_binary_attributes_are_conjunctions():
    X = (np.random.default_rng(0).random((50, 5)) < 0.6).astype(float)
    features = Monomials(3).bind(X, words(5))
    assert isinstance(features, SearchedFeatures)
    weights = np.random.default_rng(1).normal(size=(50, 1))
    table = monomials_by_hand(X, 3, False)
    best = features.price(weights, 1)
    assert best.bound == pytest.approx(np.abs(table @ weights).max())
    made = features.feature(best.keys[0])
    np.testing.assert_allclose(abs(made.evaluate(X) @ weights[:, 0]), best.payoffs[0])
    assert " and " in features.feature((1, 3)).text(words(5))


def test_attributes_of_a_sparse_table_are_priced_sparse():
    rng = np.random.default_rng(0)
    table = sparse.csr_array(rng.random((40, 300)) * (rng.random((40, 300)) < 0.05))
    features = Monomials(1).bind(table, words(300))
    dense = table.toarray()
    scaled = dense / np.maximum(dense.max(axis=0), 1e-300)
    weights = np.random.default_rng(1).normal(size=(40, 2))
    np.testing.assert_allclose(features.sums(weights), scaled.T @ weights)
    np.testing.assert_allclose(features.values([3, 7]), scaled[:, [3, 7]])
    np.testing.assert_allclose(features.feature(7).evaluate(table), scaled[:, 7])
    assert not features.is_signed


@pytest.mark.parametrize(
    ("generator", "texts"),
    [
        (Monomials(1, standardize=False), {"x0", "x1"}),
        (Monomials(2, standardize=False), {"x0", "x1", "x0²", "x1²", "x0 · x1"}),
        (Monomials(1), {"(x0 \N{MINUS SIGN} 3)", "(x1 + 3)"}),
    ],
)
def test_words_of_monomials(generator, texts):
    X = np.array([[2.0, -5.0], [4.0, -1.0]])
    features = generator.bind(X, words(2))
    made = {features.feature(k).text(words(2)) for k in range(features.n_features)}
    assert made == texts


def test_high_degrees_are_searched():
    X = np.round(random_table(80, 3), 1)
    weights = np.random.default_rng(2).normal(size=(80, 1))
    bounds = []
    for degree in (1, 2, 3, 4):
        features = Conjunctions(degree, max_thresholds=4).bind(X, words(3))
        assert isinstance(features, SearchedFeatures) == (degree > 2)
        best = features.price(weights, 1)
        made = features.feature(best.keys[0])
        assert abs(made.evaluate(X) @ weights[:, 0]) == pytest.approx(best.bound)
        bounds.append(best.bound)
    assert bounds == sorted(bounds)


def test_features_of_the_list_are_what_their_words_say():
    X = np.round(random_table(30, 2), 1)
    features = Conjunctions(2).bind(X, words(2))
    keys = list(range(0, features.n_features, 17))
    values = features.values(keys)
    for key, column in zip(keys, values.T, strict=True):
        feature = features.feature(key)
        np.testing.assert_array_equal(feature.evaluate(X), column)
        names = {"x0": X[:, 0], "x1": X[:, 1], "np": np}
        text = feature.text(words(2)).replace(" and ", ") & (").replace(" = ", " == ")
        np.testing.assert_array_equal(eval(f"({text})", names), column == 1)


def test_generators_add_up():
    total = Conjunctions(1) + AlwaysTrue() + Monomials(1)
    assert total == GeneratorSum((Conjunctions(1), AlwaysTrue(), Monomials(1)))
    X = random_table(20, 2)
    features = total.bind(X, words(2))
    weights = np.random.default_rng(0).normal(size=(20, 1))
    apart = [part.bind(X, words(2)).price(weights, 1) for part in total.parts]
    assert features.price(weights, 1).bound == max(each.bound for each in apart)
    keys = features.sample(60, np.random.default_rng(0))
    assert "always" in {features.feature(key).text(words(2)) for key in keys}


@dataclass(frozen=True)
class Larger:
    """A feature of the user: one attribute is larger than another."""

    first: int
    second: int

    def evaluate(self, X):
        return (X[:, self.first] > X[:, self.second]).astype(float)

    def text(self, vocabulary):
        return f"{vocabulary.names[self.first]} > {vocabulary.names[self.second]}"


class Comparing:
    """A generator of the user, as the documentation describes."""

    def bind(self, X, vocabulary):
        d = X.shape[1]
        pairs = [(i, j) for i in range(d) for j in range(d) if i != j]
        return FeatureList([Larger(i, j) for i, j in pairs], X)


def test_a_generator_of_the_user():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((100, 3)), columns=["own", "other", "noise"])
    y = np.where(X["own"] > X["other"], "win", "loss")
    model = RuleClassifier(generator=Comparing(), nu=0.1).fit(X, y)
    assert {rule.text for rule in model.rules_} <= {"own > other", "other > own"}
    assert model.score(X, y) == 1.0
    joined = RuleClassifier(generator=Conjunctions(1) + Comparing(), nu=0.1)
    assert joined.fit(X, y).rules_[0].text in ("own > other", "other > own")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Conjunctions(0), "degree must be at least 1"),
        (lambda: Monomials(0), "degree must be at least 1"),
        (lambda: Conjunctions(relations=("<",)), "relations must be some of"),
        (lambda: Conjunctions(relations=()), "relations must be some of"),
        (lambda: Conjunctions(max_thresholds=0), "max_thresholds must be at least 1"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(DataError, match=message):
        make()


def test_tables_that_a_generator_cannot_take():
    table = sparse.csr_array(np.eye(3))
    with pytest.raises(DataError, match="Rules need a dense table"):
        Conjunctions(1).bind(table, words(3))
    with pytest.raises(DataError, match="degree 2 or more need a dense table"):
        Monomials(2).bind(table, words(3))
    with pytest.raises(DataError, match="too many to be listed"):
        Monomials(4).bind(random_table(100, 60), words(60))
    view = Attribute("view", "categorical", domain=("sea", "wall", "yard"))
    items = Items.from_frame(pd.DataFrame({"view": ["sea", "yard"]}), [view])
    with pytest.raises(DataError, match="'view' is categorical with 3 levels"):
        Monomials(1).bind(items.encode(), Vocabulary(("view",), items.attributes))


class TestRamps:
    def test_graded_rules_of_a_classifier(self):
        rng = np.random.default_rng(0)
        X = rng.uniform(20, 120, size=(200, 2))
        y = X[:, 0] + X[:, 1] + rng.normal(0, 10, 200) > 140
        model = RuleClassifier(generator=Ramps() + AlwaysTrue(), nu=0.3).fit(X, y)
        assert model.score(X, y) > 0.9
        assert all(" from " in rule.text for rule in model.rules_)

    @pytest.mark.parametrize("n_knots", [1, 0])
    def test_too_few_knots(self, n_knots):
        with pytest.raises(DataError, match="n_knots must be at least 2"):
            Ramps(n_knots)

    def test_sparse_tables(self):
        with pytest.raises(DataError, match="Ramps need a dense table"):
            Ramps().bind(sparse.csr_array(np.eye(3)), words(3))
