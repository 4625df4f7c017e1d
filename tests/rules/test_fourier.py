"""Random Fourier features as rules."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from penchant import io
from penchant.exceptions import DataError
from penchant.models import AlwaysTrue, FourierFeatures, RuleClassifier, Vocabulary


def test_products_average_to_the_gaussian_kernel():
    X = np.random.default_rng(0).random((30, 3))
    X[:2] = [[0.0] * 3, [1.0] * 3]  # the scale of every attribute is [0, 1]
    features = FourierFeatures(20_000, gamma=2.0).bind(X, Vocabulary(tuple("abc")))
    values = features.values(range(features.n_features))
    products = 2.0 * values @ values.T / features.n_features
    np.testing.assert_allclose(products, rbf_kernel(X, gamma=2.0), atol=0.04)


def test_a_model_of_them_is_accurate_saved_and_told(tmp_path):
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.uniform(-1, 1, (300, 2)), columns=["east", "north"])
    ring = (np.hypot(table["east"], table["north"]) - 0.7).abs() < 0.25
    table["colour"] = rng.choice(["red", "blue"], 300)
    generator = FourierFeatures(300, gamma=4.0, random_state=3) + AlwaysTrue()
    model = RuleClassifier(generator=generator, nu=0.05).fit(table[:200], ring[:200])
    assert model.score(table[200:], ring[200:]) > 0.85
    assert str(model.rules_[0]).startswith("cos(")
    assert "colour" not in str(model.rules_[0])
    io.save(model, tmp_path / "waves.penchant")
    again = io.load(tmp_path / "waves.penchant")
    np.testing.assert_array_equal(again.predict(table), model.predict(table))


def test_what_cannot_be_drawn_is_said():
    with pytest.raises(DataError, match="gamma=0"):
        FourierFeatures(gamma=0)
    with pytest.raises(DataError, match="two different numbers"):
        FourierFeatures().bind(np.ones((3, 2)), Vocabulary(("a", "b")))
