import numpy as np
import pytest

from penchant.data import Comparisons
from penchant.explanation import closed_form, contrast, explain
from penchant.models import Conjunction, Monomials, RuleClassifier, RuleRanker


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.random((60, 4)).round(2)
    return X, (X[:, 0] > 0.5) * 1.0 + (X[:, 1] < 0.3) * (X[:, 2] > 0.4)


MODELS = {
    "rules": RuleRanker(nu=0.6, degree=2),
    "monomials": RuleRanker(generator="monomials", nu=0.6, degree=2),
    "shifted": RuleRanker(generator=Monomials(2, standardize=True), nu=0.6),
}


@pytest.fixture(scope="module", params=MODELS)
def ranker(request, data):
    X, y = data
    return MODELS[request.param].fit(X, Comparisons.from_ratings(y[:25]))


def test_contrast_is_the_shapley_value_of_its_game(ranker, data, definition):
    X, _ = data
    found = contrast(ranker, X[0], X[1])
    expected = definition.contrast(ranker.utility, X[0], X[1])
    np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-10)


def test_explain_shares_a_rule_out_among_its_attributes(ranker, data):
    X, _ = data
    found = explain(ranker, X[:4])
    assert np.abs(found.gap).max() < 1e-10
    expected = np.zeros(4)
    told = ranker.explain(X[:1])
    for rule, votes in zip(told.rules, told.votes, strict=True):
        feature = rule.feature
        if isinstance(feature, Conjunction):
            members = sorted({c.attribute for c in feature.conditions})
        else:
            members = sorted(set(feature.attributes))
        expected[members] += (votes[1] - votes[0]) / len(members)
    np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-10)


def test_explain_against_a_background(ranker, data, definition):
    X, _ = data
    found = explain(ranker, X[:1], background=X[3:6])
    assert "background" in found.game
    values, base = definition.means(ranker.utility, X[0], X[3:6])
    np.testing.assert_allclose(found.values[0], values, rtol=0, atol=1e-10)
    assert found.base[0] == pytest.approx(base, abs=1e-10)


def test_classifiers(data, definition):
    X, y = data
    model = RuleClassifier(nu=0.3).fit(X, np.where(y > 0.5, "yes", "no"))
    found = contrast(model, X[0], X[1])
    expected = definition.contrast(model.decision_function, X[0], X[1])
    np.testing.assert_allclose(found.values[0], expected, rtol=0, atol=1e-10)
    assert np.abs(explain(model, X[:5]).gap).max() < 1e-10
    three = RuleClassifier(nu=0.3).fit(X, np.digitize(y, [0.5, 1.5]))
    assert closed_form(three) is None
