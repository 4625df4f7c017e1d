"""Certificates of rules against a linear program over every rule there is."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from experiments.prl._hands import encode_poker
from penchant.data import Comparisons
from penchant.exceptions import ConvergenceWarning, DataError
from penchant.models import (
    AlwaysTrue,
    Condition,
    Conjunction,
    Conjunctions,
    FeatureList,
    Monomial,
    RuleClassifier,
    RuleGame,
    RuleRanker,
    Vocabulary,
)
from penchant.rules._conditions import ALWAYS
from penchant.rules._data import LabelData
from penchant.rules._program import (
    RuleProgram,
    WeightedRules,
    feature_values,
)

TOL = 1e-7


def all_conjunctions(X, degree):
    """Every conjunction of thresholds of X as a 0/1 column, and always-true."""
    single = []
    for column in X.T:
        for value in np.unique(column):
            single += [column <= value, column >= value]
    columns = [np.ones(len(X), dtype=bool)]
    for size in range(1, degree + 1):
        columns += [np.all(c, axis=0) for c in combinations(single, size)]
    return np.unique(np.array(columns), axis=0).T.astype(float)


def all_products(X, degree):
    """Every monomial up to a degree, scaled to a largest size of 1, and 1."""
    columns = [np.ones(len(X)), *X.T]
    if degree == 2:
        d = X.shape[1]
        columns += [X[:, i] * X[:, j] for i in range(d) for j in range(i, d)]
    table = np.array(columns).T
    return table / np.abs(table).max(axis=0)


def largest_margin(columns, upper):
    """The value of PRL-3 over all columns, by HiGHS."""
    n, k = columns.shape
    objective = np.concatenate([[-1.0], np.zeros(k), upper])
    rows = np.hstack([np.ones((n, 1)), -columns, -np.eye(n)])
    total = np.concatenate([[0.0], np.ones(k), np.zeros(n)])[np.newaxis]
    bounds = [(None, None)] + [(0, None)] * (k + n)
    found = linprog(objective, rows, np.zeros(n), total, [1.0], bounds)
    assert found.status == 0
    return -found.fun


def soft_margin(margins, upper):
    """The same of given margins: the best rho is one of them."""
    return max(rho - upper @ np.maximum(rho - margins, 0) for rho in margins)


def label_game(features, codes, n_labels, weights, nu, *, balanced):
    """All columns of label preferences, and the bounds of the rows."""
    rows = [(i, a, b) for i, a in enumerate(codes) for b in range(n_labels) if b != a]
    item, label, other = np.array(rows).T
    unit = np.eye(n_labels)
    columns = [
        0.5 * features[item, j] * ((unit[label] - unit[other]) @ (unit[a] - unit[b]))
        for j in range(features.shape[1])
        for a in range(n_labels)
        for b in range(n_labels)
        if a != b
    ]
    shares = weights[item] / (n_labels - 1)
    if balanced:
        shares = shares / np.bincount(label, shares)[label]
    upper = np.ones(len(rows)) if nu is None else shares / shares.sum() / nu
    return np.array(columns).T, upper, (item, label, other)


def labelled(n_labels, n_items=40, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n_items, 3)).astype(float)
    score = X[:, 0] + (X[:, 1] >= 2) + noise * rng.normal(size=n_items)
    codes = np.digitize(score, np.quantile(score, np.arange(1, n_labels) / n_labels))
    return X, codes


def label_margins(model, X, place):
    item, label, other = place
    scores = model.decision_function(X)
    if scores.ndim == 1:
        scores = np.column_stack([-scores / 2, scores / 2])
    return scores[item, label] - scores[item, other]


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("nu", [0.2, 0.6])
def test_classifier_reaches_the_best_of_all_rules(nu, n_labels, weighted, balanced):
    X, codes = labelled(n_labels)
    rng = np.random.default_rng(1)
    weights = rng.integers(1, 4, codes.size) * 1.0 if weighted else np.ones(codes.size)
    model = RuleClassifier(degree=2, nu=nu, tol=TOL, balance=balanced)
    model.fit(X, codes, sample_weight=weights)
    features = all_conjunctions(X, 2)
    columns, upper, place = label_game(
        features, codes, n_labels, weights, nu, balanced=balanced
    )
    best = largest_margin(columns, upper)
    assert best > 0.01
    assert model.saddle_gap_ <= TOL
    assert model.value_ == pytest.approx(best, abs=2 * TOL)
    # What predictions are made of is what the value belongs to.
    reached = soft_margin(label_margins(model, X, place), upper)
    assert reached == pytest.approx(model.value_, abs=1e-9)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("n_labels", [2, 3])
def test_monomials_reach_the_best_of_all_products(n_labels, degree):
    X, codes = labelled(n_labels)
    X = X + 0.5 * np.random.default_rng(3).normal(size=X.shape)
    model = RuleClassifier(generator="monomials", degree=degree, nu=0.3, tol=TOL)
    model.fit(X, codes)
    features = all_products(X - X.mean(axis=0), degree)
    columns, upper, _ = label_game(
        features, codes, n_labels, np.ones(codes.size), 0.3, balanced=True
    )
    best = largest_margin(columns, upper)
    assert best > 1e-3
    assert model.value_ == pytest.approx(best, abs=2 * TOL)


def test_the_hard_margin_is_the_value_of_the_game():
    X, codes = labelled(3, noise=0.0)
    model = RuleClassifier(degree=2, nu=None, tol=TOL).fit(X, codes)
    features = all_conjunctions(X, 2)
    columns, upper, place = label_game(
        features, codes, 3, np.ones(codes.size), None, balanced=False
    )
    assert model.value_ == pytest.approx(largest_margin(columns, upper), abs=2 * TOL)
    margins = label_margins(model, X, place)
    assert margins.min() == pytest.approx(model.value_, abs=1e-9)


@pytest.mark.parametrize("generator", ["rules", "monomials"])
@pytest.mark.parametrize("weighted", [True, False])
def test_ranker_reaches_the_best_of_all_rules(weighted, generator):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(25, 3)).astype(float)
    utility = X[:, 0] + (X[:, 1] >= 2) + 0.3 * rng.normal(size=25)
    left = rng.integers(25, size=60)
    right = (left + rng.integers(1, 25, size=60)) % 25
    right = np.where((X[left] == X[right]).all(axis=1), (right + 1) % 25, right)
    wins = utility[left] > utility[right]
    winners, losers = np.where(wins, left, right), np.where(wins, right, left)
    weights = rng.integers(1, 4, 60) * 1.0 if weighted else np.ones(60)
    answers = Comparisons(winners, losers, weights=weights)
    model = RuleRanker(generator=generator, degree=2, nu=0.3, tol=TOL).fit(X, answers)
    if generator == "rules":
        features, scale = all_conjunctions(X, 2), 1.0
    else:
        distinct = np.unique(X, axis=0)
        centers = distinct.mean(axis=0)
        features = all_products(np.vstack([X - centers, distinct - centers]), 2)[:25]
        scale = 0.5
    half = scale * (features[winners] - features[losers])
    columns, upper = np.hstack([half, -half]), weights / weights.sum() / 0.3
    best = largest_margin(columns, upper)
    assert best > 0.01
    assert model.saddle_gap_ <= TOL
    assert model.value_ == pytest.approx(best, abs=2 * TOL)
    values = model.utility(X)
    reached = soft_margin(values[winners] - values[losers], upper)
    assert reached == pytest.approx(model.value_, abs=1e-9)


def test_ties_leave_the_margin_as_it_is():
    X = np.arange(6.0).reshape(-1, 1)
    tied = Comparisons([5, 4, 3], [0, 1, 2], ties=[False, False, True])
    strict = Comparisons([5, 4], [0, 1])
    for settings in ({"nu": 0.4}, {"nu": None}, {"solver": "fictitious-play"}):
        one, two = (
            RuleRanker(degree=1, tol=TOL, n_epochs=3, **settings).fit(X, answers)
            for answers in (tied, strict)
        )
        assert one.value_ == pytest.approx(two.value_, abs=2 * TOL)
        assert one.value_ > 0


def test_ties_alone_have_no_margin():
    X = np.arange(4.0).reshape(-1, 1)
    only = Comparisons([0, 1], [2, 3], ties=[True, True])
    with pytest.warns(ConvergenceWarning, match="margin of RuleRanker is 0"):
        RuleRanker(degree=1, nu=0.3).fit(X, only)


@pytest.mark.parametrize("grades", [True, False])
def test_partial_preferences_reach_the_best_of_all_rules(grades):
    X, codes = labelled(4, seed=5)
    rng = np.random.default_rng(6)
    others = (codes + rng.integers(1, 4, codes.size)) % 4  # one known preference each
    if grades:
        y = np.full((codes.size, 4), np.nan)
        y[np.arange(codes.size), codes] = 2.0
        y[np.arange(codes.size), others] = 1.0
    else:
        y = [[pair] for pair in zip(codes.tolist(), others.tolist(), strict=True)]
    model = RuleClassifier(degree=1, nu=0.3, tol=TOL, balance=False).fit(X, y)
    features = all_conjunctions(X, 1)
    columns, upper, (item, _, other) = label_game(
        features, codes, 4, np.ones(codes.size), 0.3, balanced=False
    )
    known = other == others[item]
    best = largest_margin(columns[known], 3 * upper[known])
    assert model.value_ == pytest.approx(best, abs=2 * TOL)
    assert model.classes_.tolist() == [0, 1, 2, 3]


def test_fictitious_play_stays_below_the_value_and_its_bound_above():
    X, codes = labelled(2, noise=0.0)
    model = RuleClassifier(
        degree=1, solver="fictitious-play", n_epochs=30, n_plays=5_000, random_state=0
    ).fit(X, codes)
    columns, upper, _ = label_game(
        all_conjunctions(X, 1), codes, 2, np.ones(codes.size), None, balanced=False
    )
    best = largest_margin(columns, upper)
    assert 0.5 * best < model.value_ <= best + 1e-9
    assert model.value_ + model.saddle_gap_ >= best - 1e-9
    assert model.solver_status_ == "sampled"
    assert model.score(X, codes) == 1.0


def test_few_rules_are_certified_against_all():
    """A bound over all features holds although `max_rules` keeps most of them out."""
    X, codes = labelled(3)
    free = RuleClassifier(nu=0.4, tol=TOL).fit(X, codes)
    few = RuleClassifier(nu=0.4, tol=TOL, max_rules=3).fit(X, codes)
    assert len(few.rules_) <= 3 < len(free.rules_)
    assert few.value_ < free.value_
    bound = few.value_ + few.saddle_gap_
    assert bound == pytest.approx(free.value_ + free.saddle_gap_)


# Several solutions


def deal_hands(n_hands, seed):
    """Hands without aces: any, straights, flushes and straight flushes."""
    rng = np.random.default_rng(seed)
    ranks = rng.integers(2, 14, (n_hands, 5))
    suits = rng.integers(1, 5, (n_hands, 5))
    is_straight, is_flush = rng.integers(0, 2, (2, n_hands, 1)) == 1
    ranks = np.where(is_straight, ranks[:, :1] % 8 + np.arange(2, 7), ranks)
    suits = np.where(is_flush, suits[:, :1], suits)
    cards = np.sort(13 * suits + ranks, axis=1)
    dealt = (np.diff(cards, axis=1) > 0).all(axis=1)
    return np.stack([suits, ranks], axis=2).reshape(n_hands, 10)[dealt]


def learn_straights(seed):
    """Learn from five features of hands, none of them of two ranks."""
    hands = encode_poker(deal_hands(4000, seed), level=3)
    seen = hands.data["number of different ranks"] > 2
    X, y = hands.data.iloc[:, -5:][seen], (hands.target == 4)[seen].astype(int)
    generator = Conjunctions(1, relations=("=",)) + AlwaysTrue()
    return RuleClassifier(generator=generator, nu=None).fit(X, y), X, y


@pytest.mark.parametrize("seed", [0, 5, 6])
def test_the_rules_of_a_straight_come_out(seed):
    model, X, y = learn_straights(seed)
    assert {(rule.text, rule.target) for rule in model.rules_} == {
        ("number of different ranks = 5", 1),
        ("largest difference of ranks = 4", 1),
        ("number of different suits = 1", 0),
    }
    # 2 for each rule and 3 for the bias.
    assert model.value_ == pytest.approx(1 / 9, abs=1e-9)
    assert model.saddle_gap_ <= 1e-3
    assert model.score(X, y) == 1.0
    full_house = encode_poker([[1, 5, 2, 5, 3, 5, 1, 9, 2, 9]], level=3)
    assert model.predict(full_house.data.iloc[:, -5:]).tolist() == [0]
    again = model.top(3)
    assert {rule.text for rule in again.rules_} == {rule.text for rule in model.rules_}
    assert again.value_ == pytest.approx(model.value_, abs=1e-9)


def test_of_equal_margins_the_shorter_rule_is_taken():
    """Only "a and b" and "c" do; they differ where no item is."""
    X = np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    long = Conjunction((Condition(0, "=", 1.0), Condition(1, "=", 1.0)))
    short = Conjunction((Condition(2, "=", 1.0),))
    data = LabelData.of_codes(X, np.ones(4), np.array([1, 0, 0, 0]), 2)
    for offered in ([long, short], [short, long]):

        class Offer:
            def bind(self, X, vocabulary, offered=offered):
                return FeatureList([*offered, ALWAYS], X)

        words = Vocabulary(("a", "b", "c"))
        rules = RuleProgram(data, Offer(), words, tol=TOL).solve(None, balanced=False)
        assert [feature for feature, _, _ in rules.rules] == [short]
        assert rules.certificate.value == pytest.approx(1 / 3)


# The program itself


def make_program(**options):
    X, codes = labelled(2)
    data = LabelData.of_codes(X, np.ones(codes.size), codes, 2)
    words = Vocabulary(("a", "b", "c"))
    return RuleProgram(data, Conjunctions(1) + AlwaysTrue(), words, tol=TOL, **options)


def test_known_rules_are_chosen_among():
    X, codes = labelled(2)
    deep = RuleClassifier(degree=2, nu=0.2, tol=TOL).fit(X, codes)
    known = [(rule.feature, rule.target, rule.against) for rule in deep.rules_]
    plain = make_program().solve(0.2, balanced=True)
    rules = make_program(known=known).solve(0.2, balanced=True)
    assert plain.certificate.value < deep.value_ - 0.01
    assert rules.certificate.value == pytest.approx(deep.value_, abs=2 * TOL)


def test_equal_rules_are_merged_and_opposite_ones_cancel():
    one, two = (Conjunction((Condition(0, ">=", v),)) for v in (1.0, 2.0))
    rules = [(one, 1, 0), (one, 0, 1), (two, 1, 0), (one, 1, 0)]
    weights = np.array([0.5, 0.25, -0.4, 0.05])
    merged = WeightedRules.of_signed(rules, weights, np.zeros(2))
    assert merged.rules == ((two, 0, 1), (one, 1, 0))
    np.testing.assert_allclose(merged.weights, [0.4, 0.3])
    both = WeightedRules.of_signed(rules[:2], np.ones(2), np.zeros(2))
    assert both.rules == ()


def test_the_bias_is_no_rule():
    rules = make_program().solve(0.2, balanced=False)
    assert ALWAYS not in [feature for feature, _, _ in rules.rules]
    assert rules.bias.sum() == pytest.approx(0)
    assert rules.weights.sum() + np.ptp(rules.bias) == pytest.approx(1)


def test_when_time_is_up_the_gap_still_holds():
    late, whole = make_program(deadline=0.0), make_program()
    rules, best = (each.solve(0.2, balanced=True) for each in (late, whole))
    assert rules.rules
    assert rules.certificate.value <= best.certificate.value + TOL
    assert rules.certificate.bound >= best.certificate.value - TOL


@pytest.mark.parametrize("loss", ["margin", "logistic", "auto"])
def test_a_generator_without_features(loss):
    model = RuleClassifier(generator=Conjunctions(1), loss=loss, max_rules=2)
    with pytest.raises(DataError, match="must make at least one feature"):
        model.fit(np.ones((20, 2)), np.arange(20) % 2)


@pytest.mark.parametrize("loss", ["margin", "logistic"])
def test_a_ranker_without_features(loss):
    class Nothing:
        def bind(self, X, vocabulary):
            return FeatureList([], X)

    pairs = np.random.default_rng(0).random((20, 2, 2))
    with pytest.raises(DataError, match="must make at least one feature"):
        RuleRanker(generator=Nothing(), loss=loss).fit(pairs, np.arange(20) % 2)


# Some rules against the preferences


@pytest.fixture
def game():
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], 40)
    columns = rng.random((40, 6)) * signs[:, None]
    columns[:, 0] = (signs > 0) * 1.0
    weights = rng.random(40)
    return RuleGame(
        columns,
        signs[:, None],
        np.array([[-0.5, 0.5]]),
        weights / weights.sum(),
        weights / weights.sum(),
        40.0,
    )


def test_weights_are_those_of_the_margin_program_with_a_bias_of_either_sign(game):
    weights, bias, reached = game.margin_weights(0.3, 1e-9, climb=False)
    table = np.hstack([game.columns, game.bias, -game.bias])
    n, k = table.shape
    found = linprog(
        np.concatenate([[-1.0], np.zeros(k), game.weights / 0.3]),
        np.hstack([np.ones((n, 1)), -table, -np.eye(n)]),
        np.zeros(n),
        np.concatenate([[0.0], np.ones(k), np.zeros(n)])[np.newaxis],
        [1.0],
        [(None, None)] + [(0, None)] * (k + n),
    )
    assert reached.value == pytest.approx(-found.fun, abs=1e-8)
    assert reached.has_margin
    assert weights.sum() + np.ptp(bias) == pytest.approx(1)
    assert bias.sum() == 0


def test_some_rules_reach_no_more_than_all(game):
    _, _, every = game.margin_weights(0.3, 1e-9, climb=False)
    weights, _, few = replace(game, columns=game.columns[:, [0, 3]]).margin_weights(
        0.3, 1e-9, climb=False
    )
    assert weights.shape == (2,)
    assert few.value <= every.value + 1e-9


def test_rules_that_are_not_needed_get_no_weight():
    # "a = 0", or neither "a = 1" nor "a = 2": the bias makes up for the difference.
    signs = np.array([1.0, -1.0, -1.0])
    thirds = np.full(3, 1 / 3)
    votes = np.array([[-0.5, 0.5]])
    game = RuleGame(np.eye(3), signs[:, None], votes, thirds, thirds, 3.0)
    weights, bias, reached = game.margin_weights(None, "auto", climb=False)
    np.testing.assert_allclose(weights, [2 / 3, 0, 0], atol=1e-9)
    np.testing.assert_allclose(bias, [1 / 6, -1 / 6], atol=1e-9)
    assert reached.value == pytest.approx(1 / 3)


@pytest.mark.parametrize("nu", [None, 0.1])
def test_rules_without_a_margin_climb_to_one(nu):
    columns = np.array([[1.0], [1.0], [1.0], [-1.0]])
    none, quarters = np.zeros((4, 0)), np.full(4, 0.25)
    game = RuleGame(columns, none, np.zeros((0, 2)), quarters, quarters, 4.0)
    _, _, stays = game.margin_weights(nu, "auto", climb=False)
    assert not stays.has_margin
    assert stays.nu == nu
    _, _, climbs = game.margin_weights(nu, "auto", climb=True)
    # A quarter says no: the others outweigh it when nature may not take half of it.
    assert climbs.nu == 0.6
    assert climbs.value == pytest.approx(1 - 2 * 0.25 / 0.6)


def test_logistic_weights_may_turn_a_rule_round(game):
    weights, bias = game.logistic_weights(ridge=0.1)
    turned = replace(game, columns=-game.columns)
    against, same = turned.logistic_weights(ridge=0.1)
    np.testing.assert_allclose(against, -weights, atol=1e-6)
    np.testing.assert_allclose(same, bias, atol=1e-6)


def test_scores_add_up_votes_dense_or_sparse():
    X = np.array([[0.0, 2.0], [1.0, 0.0]])
    features = (Conjunction((Condition(0, ">=", 1.0),)), Monomial((1,), (0.0,), 0.5))
    votes = np.array([[-1.0, 1.0], [0.25, -0.25]])
    values = feature_values(features, X)
    np.testing.assert_allclose(values @ votes, [[0.25, -0.25], [-1.0, 1.0]])
    powers = feature_values(features[1:], sparse.csr_array(X))
    np.testing.assert_allclose(powers, values[:, 1:])
