import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from penchant.models import (
    Condition,
    Conjunction,
    Monomial,
    Monomials,
    RuleRanker,
    Vocabulary,
)
from penchant.rules._monomials import ProductFeatures, rescaled

WORDS = Vocabulary(("a", "b", "c"))


def test_a_product_of_shifted_attributes():
    X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    product = Monomial((0, 2, 2), (1.0, 0.0, 0.0), factor=0.1)
    np.testing.assert_allclose(product.evaluate(X), 0.1 * (X[:, 0] - 1) * X[:, 2] ** 2)
    table = sparse.csr_array(X)
    np.testing.assert_allclose(product.evaluate(table), product.evaluate(X))
    assert product.text(WORDS) == "(a \N{MINUS SIGN} 1) · c²"


def test_words_of_high_powers_and_of_conjunctions():
    assert Monomial((1,) * 12, (0.0,) * 12).text(WORDS) == "b¹²"
    assert Monomial((0, 1), (0.0, 0.0), is_binary=True).text(WORDS) == "a and b"


@given(st.integers(0, 10**6))
def test_rescaling_keeps_the_sign_and_the_range(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(0, 3, size=(20, 2))
    before = Monomial((0, 1), (0.5, 0.0), factor=float(rng.exponential()))
    after = rescaled(before, X)
    values = after.evaluate(X)
    assert np.abs(values).max() <= 1 + 1e-12
    np.testing.assert_array_equal(np.sign(values), np.sign(before.evaluate(X)))
    assert rescaled(after, X).factor == pytest.approx(after.factor)
    inside = Monomial((0, 1), (0.0, 0.0), factor=1e-4)
    assert rescaled(inside, X) is inside


def test_other_features_are_not_rescaled():
    rule = Conjunction((Condition(0, "<=", 1.0),))
    assert rescaled(rule, np.zeros((3, 1))) is rule


def test_products_are_never_materialised():
    X = np.random.default_rng(0).normal(size=(500, 300))
    table_size = 500 * (300 * 303 // 2) * 8  # bytes, if it were
    features = Monomials(2).bind(X, Vocabulary(tuple(map(str, range(300)))))
    assert isinstance(features, ProductFeatures)
    assert features.n_features == 300 * 303 // 2
    tracemalloc.start()
    features.price(np.random.default_rng(1).normal(size=(500, 1)), 50)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < table_size / 20


def test_attributes_that_are_zero_have_no_payoff():
    X = np.array([[0.0, 1.0], [0.0, -0.5]])
    for degree in (1, 2):
        features = Monomials(degree).bind(X, Vocabulary(("zero", "b")))
        totals = features.sums(np.array([[1.0], [2.0]]))
        told = [features.feature(k).text(WORDS) for k in range(features.n_features)]
        flat = [total for total, text in zip(totals, told, strict=True) if "a" in text]
        np.testing.assert_array_equal(flat, 0.0)
        assert np.isfinite(features.values(range(features.n_features))).all()


def test_what_is_never_negative_speaks_with_its_whole_difference():
    pairs = np.array([[[1.0], [0.0]], [[0.5], [0.0]]])
    ranker = RuleRanker(nu=0.1, generator=Monomials(2)).fit(pairs, [1, 1])
    assert ranker.value_ == pytest.approx(0.5)
