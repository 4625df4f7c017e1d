import numpy as np
import pytest

from penchant.models import AlwaysTrue, Conjunctions, Vocabulary
from penchant.models._rule_averaging import (
    average_models,
    balance_labels,
    fit_averaged,
)
from penchant.models._rule_data import LabelData, PairData
from penchant.models._rule_learning import RuleLearner, WeightedRules

WORDS = Vocabulary(("a", "b", "c"))


def make_learner(data, degree=1, *, with_bias=True, known=()):
    generator = Conjunctions(degree)
    if with_bias:
        generator = generator + AlwaysTrue()
    return RuleLearner(
        data, generator, WORDS, with_bias=with_bias, tol="auto", known=known
    )


def follow_average(data, max_rules, degree=1):
    average = average_models(make_learner(data, degree), ridge=1.0)
    learner = make_learner(data, degree, known=average.rules)
    return learner, fit_averaged(learner, average.doubts, max_rules, ridge=1.0)


def make_labels(n_labels=2, n_items=150, n_wrong=0):
    """Labels by a + b, of which some are wrong."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, size=(n_items, 3)).astype(float)
    codes = np.digitize(X[:, 0] + X[:, 1], [5.5, 9.5][: n_labels - 1])
    wrong = np.flatnonzero(np.abs(X[:, 0] + X[:, 1] - 5.5) > 3)[:n_wrong]
    given = codes.copy()
    given[wrong] = (codes[wrong] + 1) % n_labels
    data = LabelData.of_codes(X, np.ones(n_items), given, n_labels)
    return data, codes, wrong


def make_pairs():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 8, size=(60, 3)).astype(float)
    first, second = rng.integers(0, 60, size=(2, 150))
    utility = X[:, 0] + X[:, 1]
    winners = np.where(utility[first] >= utility[second], first, second)
    losers = np.where(utility[first] >= utility[second], second, first)
    ties = utility[first] == utility[second]
    return PairData(X, np.ones(150), winners, losers, ties)


def accuracy(learner, rules, codes):
    scores = learner.votes(rules).scores(learner.data.X)
    return np.mean(scores.argmax(axis=1) == codes)


class TestAverage:
    def test_doubts_the_labels_that_are_wrong(self):
        data, _, wrong = make_labels(n_wrong=8)
        average = average_models(make_learner(data), ridge=1.0)
        assert (average.doubts[wrong] > 0.5).all()
        others = np.delete(average.doubts, wrong)
        assert np.mean(others < 0.5) > 0.9
        assert ((average.doubts > 0) & (average.doubts < 1)).all()

    def test_is_the_same_every_time(self):
        learner = make_learner(make_labels()[0])
        first, second = (average_models(learner, ridge=1.0) for _ in range(2))
        assert first.rules == second.rules
        np.testing.assert_array_equal(first.doubts, second.doubts)

    def test_equal_items_are_like_one_of_their_weight(self):
        data, codes, _ = make_labels(n_items=40)
        twice = LabelData.of_codes(
            np.vstack([data.X, data.X]), np.ones(80), np.tile(codes, 2), 2
        )
        heavy = LabelData.of_codes(data.X, np.full(40, 2.0), codes, 2)
        doubts = average_models(make_learner(heavy), ridge=1.0).doubts
        copies = average_models(make_learner(twice), ridge=1.0).doubts
        # The draws are others, hence not exactly.
        assert np.abs(doubts - copies.reshape(2, 40).mean(axis=0)).mean() < 0.05

    def test_preferences_between_items_with_ties(self):
        data = make_pairs()
        average = average_models(make_learner(data, with_bias=False), ridge=1.0)
        assert average.doubts.size == 150 + data.ties.sum()
        strict = average.doubts[:150][~data.ties]
        assert np.mean(strict < 0.5) > 0.9

    def test_features_that_cannot_be_listed(self):
        data, codes, _ = make_labels(n_items=100)
        learner, rules = follow_average(data, 6, degree=4)
        assert len(rules.keys) == 6
        assert accuracy(learner, rules, codes) > 0.85


class TestFewRules:
    def test_finds_the_rules_that_the_probabilities_come_from(self):
        data = make_labels()[0]
        offered = make_learner(data).known_rules((key, 1, 0) for key in range(12))
        learner = make_learner(data, known=offered)
        table = learner.columns.columns(learner.known_keys)
        wanted = {2: 1.5, 7: -2.0}
        margins = table[:, list(wanted)] @ list(wanted.values())
        rules = fit_averaged(learner, 1 / (1 + np.exp(margins)), 2, ridge=1e-6)
        (second, _, _), (first, _, _) = offered[2], offered[7]
        assert learner.known_rules(rules.keys) == ((first, 0, 1), (second, 1, 0))
        np.testing.assert_allclose(rules.weights, [2.0, 1.5], atol=1e-3)
        np.testing.assert_allclose(rules.bias, 0.0, atol=1e-3)

    @pytest.mark.parametrize("n_labels", [2, 3])
    def test_few_rules_do_what_the_labels_say(self, n_labels):
        data, codes, _ = make_labels(n_labels, n_wrong=5)
        learner, rules = follow_average(data, 6)
        assert len(rules.keys) == len(set(rules.keys)) == 6
        assert (np.diff(rules.weights) <= 0).all()
        assert rules.weights[-1] > 0
        assert accuracy(learner, rules, codes) > 0.8


class TestBalance:
    @pytest.mark.parametrize("balance", [0.0, 0.5, 1.0])
    def test_divides_the_odds_by_the_shares(self, balance):
        X = np.arange(8.0).reshape(-1, 1)
        codes = np.array([0, 0, 0, 0, 0, 0, 1, 1])
        learner = make_learner(LabelData.of_codes(X, np.ones(8), codes, 2))
        rules = WeightedRules((), np.zeros(0), np.array([0.2, -0.2]))
        bias = balance_labels(learner, rules, balance).bias
        assert bias[1] - bias[0] == pytest.approx(-0.4 + balance * np.log(3))
        assert bias.sum() == pytest.approx(0)

    def test_leaves_other_rules_alone(self):
        rules = WeightedRules((), np.zeros(0), np.zeros(2))
        for data in (make_labels()[0], make_pairs()):
            learner = make_learner(data, with_bias=False)
            assert balance_labels(learner, rules, 1.0) is rules
