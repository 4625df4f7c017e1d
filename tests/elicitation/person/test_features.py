import numpy as np
import pytest

from penchant.data import Attribute
from penchant.elicitation.person._features import (
    AttributeFeatures,
    PairFeatures,
    learn_attributes,
    learn_pairs,
)

NUMBER = Attribute("size", "numeric", "up")
LEVELS = Attribute("heat", "categorical", "unknown", ("a", "b", "c"))


def size_of(features):
    return (features**2).sum(axis=1).mean()


def test_lines_and_curves_are_centred_apart_and_of_size_one():
    x = np.random.default_rng(0).gamma(2.0, size=200)
    learned = AttributeFeatures.learn(3, NUMBER, x)
    line, curves = learned.lines(x), learned.curves(x)
    assert (learned.attribute, learned.directed) == (3, True)
    np.testing.assert_allclose(line[:, 0], (x - x.mean()) / x.std())
    assert curves.shape == (200, 4)
    assert size_of(curves) == pytest.approx(1.0)
    assert len(learned.knots) == 64
    assert (learned.knots[0], learned.knots[-1]) == (x.min(), x.max())
    asked = np.array([np.nan, x.max() + 5.0])
    np.testing.assert_allclose(learned.lines(asked)[0], 0.0)
    np.testing.assert_allclose(learned.curves(asked)[0], 0.0)
    np.testing.assert_allclose(learned.curves(asked)[1], curves[x.argmax()])


def test_curves_of_few_values_are_those_of_a_random_walk_beside_the_line():
    values = np.array([0.0, 1.0, 3.0, 4.0])
    x = np.repeat(values, [2, 1, 3, 4])
    learned = AttributeFeatures.learn(0, NUMBER, x)
    shares = np.array([0.2, 0.1, 0.3, 0.4])
    moments = np.stack([shares, shares * values])
    walk = np.minimum.outer(values, values)
    # what a walk leaves when its weighted projections on 1 and x are taken away
    basis = np.stack([np.ones(4), values], axis=1)
    fit = basis @ np.linalg.solve(moments @ basis, moments)
    left = (np.eye(4) - fit) @ walk @ (np.eye(4) - fit).T
    left /= shares @ left.diagonal()
    curves = learned.curves(values)
    np.testing.assert_allclose(curves @ curves.T, left, atol=1e-8)
    assert curves.shape[1] == 2
    assert (curves[abs(curves).argmax(axis=0), range(2)] > 0).all()
    variances = shares @ curves**2
    assert variances[0] >= variances[1]


def test_levels_have_indicators_the_frequent_ones_first():
    x = np.array([0.0, 0.0, 1.0, 2.0, np.nan])
    learned = AttributeFeatures.learn(0, LEVELS, x)
    assert not learned.directed
    known = learned.lines(x[:4])
    np.testing.assert_allclose(known.mean(axis=0), 0.0, atol=1e-12)
    assert size_of(known) == pytest.approx(1.0)
    np.testing.assert_allclose(
        known[0] - known[2], np.array([1, -1, 0]) / learned.scale
    )
    np.testing.assert_allclose(learned.lines(x)[4], 0.0)
    assert learned.curves(x).shape == (5, 0)
    many = np.append(np.arange(60.0), np.arange(10.0, 60.0))
    learned = AttributeFeatures.learn(0, LEVELS, many)
    np.testing.assert_array_equal(learned.levels, np.arange(10.0, 60.0))


def test_what_does_not_vary_has_no_features_and_two_values_no_curve():
    assert AttributeFeatures.learn(0, NUMBER, np.array([2.0, 2.0, np.nan])) is None
    two = AttributeFeatures.learn(0, NUMBER, np.array([2.0, 5.0, 5.0]))
    assert two.curves(np.array([2.0])).shape == (1, 0)
    X = np.array([[1.0, 2.0, 0.0], [1.0, 3.0, 1.0]])
    assert [f.attribute for f in learn_attributes(X, [NUMBER] * 3)] == [1, 2]


def test_pairs_are_products_beside_what_each_says_alone():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(size=80), rng.integers(0, 3, 80)])
    X[0, 0] = X[1, 1] = np.nan
    first, second = learn_attributes(X, [NUMBER, LEVELS])
    pair = PairFeatures.learn(first, second, X)
    together, known = pair.together(X), ~np.isnan(X).any(axis=1)
    np.testing.assert_allclose(together[~known], 0.0)
    assert size_of(together[known]) == pytest.approx(1.0)
    alone = np.hstack([f.lines(X[:, k]) for k, f in enumerate((first, second))])
    alone = np.column_stack([np.ones(80), alone, first.curves(X[:, 0])])
    np.testing.assert_allclose(together[known].T @ alone[known], 0.0, atol=1e-8)
    assert together.shape[1] == 2  # three lines of size, which add up to a known one
    # what is left of size * level is told by the pair and the parts, exactly
    product = X[known, 0] * (X[known, 1] == 1)
    basis = np.hstack([together[known], alone[known]])
    assert np.linalg.matrix_rank(np.column_stack([basis, product])) == (
        np.linalg.matrix_rank(basis)
    )


def test_two_numbers_have_one_direction_and_many_attributes_no_pairs():
    X = np.random.default_rng(0).uniform(size=(50, 13))
    singles = learn_attributes(X, [NUMBER] * 13)
    assert learn_pairs(X, singles) == []
    some = learn_pairs(X, singles[:12])
    assert len(some) == 66
    assert {pair.together(X).shape[1] for pair in some} == {1}
    levels = np.stack([np.arange(60) % 11, np.arange(60) // 2 % 10], axis=1) * 1.0
    wide = learn_attributes(levels, [LEVELS] * 2)
    assert learn_pairs(levels, wide) == []  # 110 products
    small = learn_attributes(np.minimum(levels, 9.0), [LEVELS] * 2)
    (pair,) = learn_pairs(np.minimum(levels, 9.0), small)
    assert pair.together(np.minimum(levels, 9.0)).shape[1] == 3
