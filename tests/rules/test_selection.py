from dataclasses import replace

import numpy as np
import pytest

from penchant.exceptions import DataError
from penchant.models import (
    AlwaysTrue,
    Conjunctions,
    Monomials,
    RuleClassifier,
    RuleRanker,
    Vocabulary,
)
from penchant.rules import _generators as _rule_generators
from penchant.rules import _selection as _rule_selection
from penchant.rules._data import LabelData
from penchant.rules._selection import (
    PATH,
    RuleCandidate,
    RuleChoice,
    RuleSearch,
    choose_candidate,
)

MARGIN = RuleCandidate("margin", "margin", 0.1, True, 5, n_found=5.0)
GREEDY = RuleCandidate("logistic", "greedy", None, False, 5, n_found=5.0)
SMOOTH = RuleCandidate("logistic", "smooth", None, True, 5, n_found=5.0)


class ToldAccuracies:
    """A search whose candidates have given accuracies in each fold."""

    def __init__(self, accuracies):
        self.accuracies = accuracies

    def compare(self, data, train, test):
        return [
            replace(candidate, accuracy=values[int(test[0])])
            for candidate, values in self.accuracies.items()
            if len(values) > int(test[0])
        ]


def choose(accuracies, n_folds=4):
    folds = [(np.zeros(1), np.array([fold])) for fold in range(n_folds)]
    choice = choose_candidate(ToldAccuracies(accuracies), None, folds, None)
    assert choice.n_folds == n_folds
    return choice


class TestChoice:
    def test_the_best_mean_wins_and_all_are_told(self):
        choice = choose({MARGIN: [0.9, 0.7, 0.8, 0.8], GREEDY: [0.8, 0.9, 0.9, 0.9]})
        assert choice.candidates[0] == replace(GREEDY, accuracy=pytest.approx(0.875))
        assert choice.candidates[1].accuracy == pytest.approx(0.8)

    def test_candidates_that_a_fold_did_not_reach_are_left_out(self):
        choice = choose({MARGIN: [0.7] * 4, GREEDY: [0.9] * 3})
        assert choice.candidates == (replace(MARGIN, accuracy=pytest.approx(0.7)),)

    def test_of_equals_the_margin_program_and_the_smaller_nu(self):
        larger = replace(MARGIN, nu=0.4)
        fewer = replace(GREEDY, n_rules=3)
        choice = choose({c: [0.9] * 4 for c in (GREEDY, fewer, larger, MARGIN)})
        order = [(c.loss, c.nu, c.n_rules) for c in choice.candidates]
        assert order == [
            ("margin", 0.1, 5),
            ("margin", 0.4, 5),
            ("logistic", None, 3),
            ("logistic", None, 5),
        ]

    def test_a_smooth_model_wins_within_one_standard_error(self):
        noisy = [0.8, 0.9, 0.8, 0.9]  # standard error 0.029
        choice = choose({MARGIN: noisy, SMOOTH: [0.83] * 4})
        assert choice.candidates[0].origin == "smooth"
        choice = choose({MARGIN: noisy, SMOOTH: [0.82] * 4})
        assert choice.candidates[0].origin == "margin"

    def test_without_a_limit_the_fewest_rules_within_one_standard_error(self):
        many = replace(MARGIN, n_rules=None, n_found=40.0)
        few = replace(MARGIN, n_rules=None, nu=0.6, n_found=3.0)
        noisy = [0.8, 0.9, 0.8, 0.9]
        for accuracy, best in ((0.83, few), (0.82, many)):
            choice = choose({many: noisy, few: [accuracy] * 4})
            assert choice.candidates[0].n_found == best.n_found
        choice = choose({MARGIN: noisy, replace(few, n_rules=5): [0.83] * 4})
        assert choice.candidates[0].nu == MARGIN.nu  # all have few rules

    @pytest.mark.parametrize(("n_found", "taken"), [(20.0, 20.0), (21.0, 40.0)])
    def test_half_as_many_rules_are_worth_it(self, n_found, taken):
        many = replace(MARGIN, n_rules=None, n_found=40.0)
        fewer = replace(MARGIN, n_rules=None, nu=0.6, n_found=n_found)
        choice = choose({many: [0.8, 0.9, 0.8, 0.9], fewer: [0.84] * 4})
        assert choice.candidates[0].n_found == taken

    def test_no_rules_at_all_only_if_nothing_else_is_as_good(self):
        noisy = [0.8, 0.9, 0.8, 0.9]
        none = replace(MARGIN, n_rules=None, nu=0.8, n_found=0.0)
        some = replace(MARGIN, n_rules=None, n_found=7.0)
        for accuracies in ({none: noisy, some: [0.83] * 4}, {some: noisy, none: noisy}):
            assert choose(accuracies).candidates[0].n_found == 7.0
        choice = choose({none: noisy, some: [0.8] * 4})
        assert choice.candidates[0].n_found == 0.0

    def test_rules_without_fault_win_over_a_smooth_model(self):
        for accuracy in (0.99, 1.0):
            choice = choose({MARGIN: [1.0] * 4, SMOOTH: [accuracy] * 4})
            assert choice.candidates[0].origin == "margin"

    def test_a_single_fold(self):
        choice = choose({SMOOTH: [0.8], GREEDY: [0.9]}, n_folds=1)
        assert choice.candidates[0].origin == "greedy"
        choice = choose({SMOOTH: [0.8], GREEDY: [0.7]}, n_folds=1)
        assert choice.candidates[0].origin == "smooth"


class TestWords:
    def test_candidates(self):
        assert str(MARGIN) == (
            "weights by the margin program, nu = 0.1, labels balanced, at most 5 rules"
        )
        assert str(GREEDY) == (
            "weights by the logistic loss, rules chosen one by one, at most 5 rules"
        )
        assert str(replace(SMOOTH, n_rules=None)) == (
            "weights by the logistic loss, rules that follow a smooth model, labels "
            "balanced"
        )

    def test_choice(self):
        choice = RuleChoice((replace(GREEDY, accuracy=0.875), MARGIN), 4)
        assert str(choice).endswith("accuracy 0.875 in 4 folds, chosen among 2")


def make_search(**changes):
    search = RuleSearch(
        Conjunctions(1) + AlwaysTrue(),
        Vocabulary(("a", "b")),
        True,
        "auto",
        losses=("margin", "logistic"),
        nus=PATH,
        balances=(True, False),
        max_rules=3,
        ridge=1.0,
    )
    return replace(search, **changes)


def make_data(noise=0.0, n_items=120):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, size=(n_items, 2)).astype(float)
    y = (X[:, 0] + X[:, 1] + noise * rng.normal(size=n_items) > 6.5).astype(int)
    return LabelData.of_codes(X, np.ones(n_items), y, 2), X, y


def halves():
    train = (np.arange(120) % 2).astype(float)
    return train, 1 - train


class TestSearch:
    def test_few_rules_of_either_loss(self):
        search, (data, _, _) = make_search(), make_data(noise=2.0)
        candidates = search.compare(data, *halves())
        kinds = {(c.loss, c.origin, c.balanced) for c in candidates}
        assert kinds == {
            ("margin", "margin", True),
            ("logistic", "margin", True),
            ("logistic", "smooth", True),
            ("logistic", "smooth", False),
            ("logistic", "greedy", False),
        }
        assert all(c.n_rules == 3 and 0.5 < c.accuracy <= 1 for c in candidates)
        assert all(1 <= c.n_found <= 3 for c in candidates)

    def test_one_loss(self):
        data, _, _ = make_data(noise=2.0)
        greedy = make_search(losses=("logistic",)).compare(data, *halves())
        assert {c.loss for c in greedy} == {"logistic"}
        counts = [c.n_rules for c in greedy if c.origin == "greedy"]
        assert counts == [1, 2, 3]
        margin = make_search(losses=("margin",)).compare(data, *halves())
        assert {c.balanced for c in margin} == {True, False}
        assert margin[0].nu == PATH[0]

    def test_accuracy_is_that_on_the_other_items(self):
        search, (data, X, y) = make_search(), make_data(noise=2.0)
        train, test = halves()
        learner = search.learner(data.take(train))
        candidates = search.compare(data, train, test)
        for candidate in (*candidates[:2], *candidates[-3:]):
            _, rules_of, rules = search.fit(learner, candidate)
            scores = rules_of.votes(rules).scores(X[test > 0])
            assert len(rules.keys) <= 3
            right = np.mean(scores.argmax(axis=1) == y[test > 0])
            assert candidate.accuracy == pytest.approx(right)

    @pytest.mark.parametrize("balance", [True, False])
    def test_a_smooth_model_is_balanced_as_told(self, balance):
        data, _, _ = make_data(noise=2.0)
        candidates = make_search(balances=(balance,)).compare(data, *halves())
        smooth = [c.balanced for c in candidates if c.origin == "smooth"]
        assert smooth == [balance]

    def test_features_that_cannot_be_listed_follow_nothing(self, monkeypatch):
        monkeypatch.setattr(_rule_generators, "_MOST_CELLS", 1)
        data, _, _ = make_data(noise=2.0)
        search = make_search(generator=Conjunctions(3) + AlwaysTrue())
        assert {c.origin for c in search.compare(data, *halves())} == {"margin"}
        with pytest.raises(DataError, match="features of all items are too many"):
            search.fit(search.learner(data), replace(SMOOTH, n_rules=3))

    def test_other_features_follow_all_of_themselves(self):
        data, _, _ = make_data(noise=2.0)
        search = make_search(generator=Monomials(2) + AlwaysTrue())
        candidates = search.compare(data, *halves())
        smooth = [c.accuracy for c in candidates if c.origin == "smooth"]
        assert len(smooth) == 2
        assert min(smooth) > 0.7

    def test_long_rules_are_searched_and_short_ones_follow(self):
        data, _, _ = make_data(noise=2.0)
        search = make_search(generator=Conjunctions(4) + AlwaysTrue())
        candidates = search.compare(data, *halves())
        assert {c.origin for c in candidates} == {"margin", "smooth"}  # none listed

    def test_without_a_limit_no_smooth_model_is_followed(self):
        data, _, _ = make_data(noise=2.0)
        candidates = make_search(max_rules=None).compare(data, *halves())
        assert {c.origin for c in candidates} == {"margin", "greedy"}


class TestPath:
    """How far down the soft margins are compared."""

    def nus(self, data, **changes):
        changes = {"losses": ("margin",), "balances": (True,), **changes}
        search = make_search(**{"max_rules": None, **changes})
        return [c.nu for c in search.compare(data, *halves())]

    def test_to_its_end_while_rules_are_few(self):
        data, _, _ = make_data()
        assert self.nus(data) == list(PATH)

    def test_until_there_are_few_preferences_per_rule(self):
        X, labels = np.random.default_rng(0).normal(size=(120, 2)), np.arange(120) % 3
        data = LabelData.of_codes(X, np.ones(120), (labels > 0).astype(int), 2)
        nus = self.nus(data)
        assert 1 < len(nus) < len(PATH)
        learner = make_search().learner(data.take(halves()[0]))
        n_rules = [len(learner.margin(nu, balanced=True).keys) for nu in nus]
        assert n_rules[-1] > learner.columns.n_rows / 4 >= max(n_rules[:-1])

    def test_until_a_margin_is_missing(self):
        labels = np.arange(120) % 5 > 0  # one of five, among items that are the same
        data = LabelData.of_codes(np.ones((120, 2)), np.ones(120), labels * 1, 2)
        assert self.nus(data, balances=(False,)) == [0.8, 0.6, 0.5, 0.4]
        assert self.nus(data, balances=(True,)) == [0.8]

    def test_until_a_program_is_too_large(self, monkeypatch):
        monkeypatch.setattr(_rule_selection, "_MOST_WORK", 1.0)
        data, _, _ = make_data()
        assert self.nus(data) == [PATH[0]]
        assert self.nus(data, nus=(0.1,)) == [0.1]

    def test_once_if_labels_are_as_frequent(self):
        X = np.column_stack([np.arange(120) // 2 % 8, np.arange(120)]).astype(float)
        for share, n_ways in ((0.5, 1), (0.25, 2)):
            labels = (np.arange(120) // 2 % 20 < 20 * share).astype(int)
            data = LabelData.of_codes(X, np.ones(120), labels, 2)
            nus = self.nus(data, balances=(True, False))
            assert nus.count(PATH[0]) == n_ways


class TestSeparation:
    """One threshold divides 120 items; or some labels are wrong."""

    X = np.column_stack([np.arange(120) % 8, np.linspace(0, 1, 120)])
    y = (X[:, 0] > 3.5).astype(int)

    def separate(self, n_wrong=0, **changes):
        codes = np.where(np.arange(120) < n_wrong, 1 - self.y, self.y)
        search = make_search(**{"max_rules": None, **changes})
        data = LabelData.of_codes(self.X, np.ones(120), codes, 2)
        return search.separate(search.learner(data))

    def test_few_rules_that_satisfy_all(self):
        candidate, learner, rules = self.separate()
        assert (candidate.nu, candidate.loss) == (None, "margin")
        features = [learner.features.feature(key) for key, _, _ in rules.keys]
        texts = {feature.text(Vocabulary(("a", "b"))) for feature in features}
        assert texts <= {"a <= 3", "a >= 4"}
        assert rules.certificate.value == pytest.approx(0.5, abs=1e-3)

    @pytest.mark.parametrize(
        "changes", [{"n_wrong": 1}, {"n_wrong": 30}, {"losses": ("logistic",)}]
    )
    def test_nothing_if_that_cannot_be(self, changes):
        assert self.separate(**changes) is None

    def test_nothing_if_it_takes_long(self, monkeypatch):
        data, _, _ = make_data(n_items=600)
        search = make_search(max_rules=None, generator=Conjunctions(2) + AlwaysTrue())
        assert len(search.separate(search.learner(data)).rules.keys) == 7
        monkeypatch.setattr(_rule_selection, "_MOST_WORK", 1.0)
        assert search.separate(search.learner(data)) is None

    def test_not_by_more_rules_than_allowed(self):
        search = make_search(losses=("margin",), max_rules=1)
        data, _, _ = make_data()  # the line a + b > 6.5 needs several rules
        assert search.separate(search.learner(data)) is None

    def test_an_estimator_needs_no_folds_then(self):
        X = self.X
        model = RuleClassifier(degree=1).fit(X, self.y)
        assert model.choice_ is None
        assert model.nu_ is None
        assert model.score(X, self.y) == 1.0
        wrong = (np.arange(120) % 9 == 0).astype(int)
        noisy = RuleClassifier(degree=1).fit(X, self.y ^ wrong)
        assert noisy.choice_.n_folds == 5


class TestEstimators:
    def test_noisy_labels_make_for_a_smooth_model(self):
        _, X, y = make_data(noise=3.0, n_items=300)
        model = RuleClassifier(degree=1, loss="auto", max_rules=3).fit(X, y)
        assert model.candidate_.origin == "smooth"
        assert (model.loss_, len(model.rules_)) == ("logistic", 3)
        assert model.choice_.candidates[0] == model.candidate_
        assert model.predict_proba(X).shape == (300, 2)

    def test_few_rules_without_fault_are_found(self):
        X = np.array([[a, b] for a in range(6) for b in range(6)], dtype=float)
        y = ((X[:, 0] > 2) | (X[:, 1] > 3)).astype(int)
        model = RuleClassifier(degree=1, loss="auto", max_rules=2).fit(X, y)
        assert model.score(X, y) == 1.0
        assert len(model.rules_) <= 2

    def test_attributes_that_count_only_together(self):
        X = np.random.default_rng(0).integers(0, 4, size=(120, 2)).astype(float)
        y = ((X[:, 0] > 1) == (X[:, 1] > 1)).astype(int)  # two corners
        model = RuleClassifier(loss="auto", max_rules=2).fit(X, y)
        assert model.score(X, y) == 1.0

    def test_comparisons(self):
        _, X, _ = make_data()
        rng = np.random.default_rng(1)
        pairs = X[rng.integers(0, 120, size=(100, 2))]
        totals = pairs.sum(axis=2) + rng.normal(size=(100, 2))
        better = (totals[:, 0] > totals[:, 1]).astype(int)
        model = RuleRanker(degree=1, loss="auto", max_rules=4).fit(pairs, better)
        assert len(model.rules_) <= 4
        assert model.score(pairs, better) > 0.7
