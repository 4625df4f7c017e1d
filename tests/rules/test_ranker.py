import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.data import Attribute, Comparisons, Items
from penchant.exceptions import DataError
from penchant.io import load, save
from penchant.models import Conjunctions, RuleRanker, rules_table
from penchant.testing import parametrize_with_ranker_checks


@parametrize_with_ranker_checks(
    [
        RuleRanker(degree=1, cv=2),
        RuleRanker(nu=0.6, tol=1e-9, generator="monomials"),
        RuleRanker(loss="logistic", max_rules=3, degree=1),
    ]
)
def test_keeps_the_contract_of_rankers(ranker, check):
    check(ranker)


@pytest.fixture(scope="module")
def flats():
    rng = np.random.default_rng(0)
    n = 80
    frame = pd.DataFrame(
        {
            "price": rng.integers(4, 15, n) * 100.0,
            "noise": rng.choice(["quiet", "busy"], n),
            "view": rng.choice(["sea", "yard", "wall"], n),
        }
    )
    attributes = [
        Attribute("price", "numeric", "down", (400, 1500), "EUR"),
        Attribute("noise", "ordinal", "down", ("quiet", "busy")),
        Attribute("view", "categorical", domain=("sea", "yard", "wall")),
    ]
    return Items.from_frame(frame, attributes)


def true_utility(items):
    frame = items.frame
    cheap, sea = frame["price"] <= 900, frame["view"] == "sea"
    return 2.0 * cheap.to_numpy() + 1.5 * sea.to_numpy()


def compare(utility, n_pairs, seed=0, flipped=0.0):
    rng = np.random.default_rng(seed)
    left, right = rng.integers(len(utility), size=(2, 3 * n_pairs))
    strict = np.flatnonzero(utility[left] != utility[right])[:n_pairs]
    left, right = left[strict], right[strict]
    wins = (utility[left] > utility[right]) ^ (rng.random(left.size) < flipped)
    return Comparisons(np.where(wins, left, right), np.where(wins, right, left))


def test_the_rules_of_a_person_are_found(flats):
    utility = true_utility(flats)
    model = RuleRanker(degree=1, nu=None, tol=1e-6).fit(flats, compare(utility, 300))
    told = {(rule.text, rule.target) for rule in model.rules_}
    assert told <= {
        ("price <= 900 EUR", "better"),
        ("price >= 1,000 EUR", "worse"),
        ("view = sea", "better"),
        ("view != sea", "worse"),
    }
    assert model.score(flats, compare(utility, 500, seed=1)) == 1.0
    assert model.value_ > 0
    # Weights add up to 1: two steps of 2 and 1.5, and every pair is a margin away.
    assert sum(rule.weight for rule in model.rules_) == pytest.approx(1)


def test_noise_is_survived_with_nu_by_cross_validation(flats):
    utility = true_utility(flats)
    answers = compare(utility, 200, flipped=0.1)
    model = RuleRanker(degree=1, cv=3).fit(flats, answers)
    assert model.score(flats, compare(utility, 500, seed=1)) > 0.95
    assert model.choice_.n_folds == 3
    assert model.nu_ is not None
    assert model.value_ > 0


def test_utility_adds_up_the_rules_that_hold(flats):
    model = RuleRanker(degree=2, nu=0.1).fit(flats, compare(true_utility(flats), 150))
    X = flats.encode()
    signs = [1 if rule.target == "better" else -1 for rule in model.rules_]
    wanted = sum(
        sign * rule.weight * rule.feature.evaluate(X)
        for sign, rule in zip(signs, model.rules_, strict=True)
    )
    np.testing.assert_allclose(model.utility(flats), wanted, atol=1e-12)


def test_explanation_of_an_item(flats):
    model = RuleRanker(degree=1, nu=0.1).fit(flats, compare(true_utility(flats), 150))
    told = model.explain(flats.take([3]))
    assert told.prediction == pytest.approx(model.utility(flats)[3])
    assert told.labels == ("worse", "better")
    texts = [text for text, _, _ in told.spoken()]
    held = [
        rule.text
        for rule in model.rules_
        if rule.feature.evaluate(flats.encode()[[3]])[0]
    ]
    assert sorted(texts) == sorted(held)
    with pytest.raises(DataError, match=r"one item\. Got 2"):
        model.explain(flats.take([1, 2]))


def test_table_has_directions(flats):
    model = RuleRanker(degree=1, nu=0.1).fit(flats, compare(true_utility(flats), 150))
    frame = rules_table(model, "frame")
    assert set(frame["speaks for"]) <= {"better", "worse"}
    assert len(frame) == len(model.rules_)


@given(st.integers(0, 10**6))
@settings(max_examples=10)
def test_turning_all_answers_round_turns_the_utility_round(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(15, 2)).astype(float)
    left = rng.integers(15, size=20)
    right = (left + rng.integers(1, 15, size=20)) % 15
    wins = X[left, 0] + 2 * (X[left, 1] > 1) >= X[right, 0] + 2 * (X[right, 1] > 1)
    winners, losers = np.where(wins, left, right), np.where(wins, right, left)
    model = RuleRanker(degree=1, nu=0.8, tol=1e-9)
    if (X[winners] == X[losers]).all():
        return
    one = model.fit(X, Comparisons(winners, losers))
    value, utility = one.value_, one.utility(X)
    two = model.fit(X, Comparisons(losers, winners))
    assert two.value_ == pytest.approx(value, abs=1e-8)
    ranked = utility[winners] - utility[losers]
    turned = two.utility(X)[losers] - two.utility(X)[winners]
    assert ranked.mean() * turned.mean() >= -1e-9


def test_one_answer_is_enough():
    model = RuleRanker().fit([[0.2, 0.3], [0.4, 0.1]], Comparisons([0], [1]))
    assert model.utility([[0.2, 0.3], [0.4, 0.1]])[0] > 0
    assert model.choice_ is None
    assert model.nu_ == 0.1


def test_a_frame_with_text_is_taken(flats):
    answers = compare(true_utility(flats), 150)
    model = RuleRanker(degree=1, nu=0.2).fit(flats.frame, answers)
    assert "view = sea" in {rule.text for rule in model.rules_}
    assert model.utility(flats.frame).shape == (80,)
    assert model.score(flats.frame, answers) > 0.9


def test_a_generator_without_lists_and_saving(tmp_path, flats):
    answers = compare(true_utility(flats), 100)
    model = RuleRanker(generator=Conjunctions(4, max_thresholds=4), nu=0.2)
    model.fit(flats, answers)
    listed = RuleRanker(generator=Conjunctions(3, max_thresholds=4), nu=0.2)
    assert model.value_ >= listed.fit(flats, answers).value_ - 1e-3
    save(model, tmp_path / "ranker.penchant")
    again = load(tmp_path / "ranker.penchant")
    np.testing.assert_array_equal(again.utility(flats), model.utility(flats))


def test_fictitious_play_ranks_too(flats):
    answers = compare(true_utility(flats), 100)
    model = RuleRanker(
        degree=1, solver="fictitious-play", n_epochs=20, n_plays=3000, random_state=1
    ).fit(flats, answers)
    exact = RuleRanker(degree=1, nu=None, tol=1e-6).fit(flats, answers)
    assert 0 < model.value_ <= exact.value_ + 1e-6
    assert model.score(flats, answers) == 1.0
