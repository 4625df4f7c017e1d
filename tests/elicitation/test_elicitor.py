import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.data import Attribute, Items
from penchant.elicitation import Elicitor, Question, StopRule, policies
from penchant.exceptions import DataError, FormatError, NotAnswerableError
from penchant.models import LowRankCovariance, Posterior

NAMED = [
    "bald",
    "best-and-largest",
    "eubo",
    "eubo-kg",
    "evoi",
    "evoi-refit",
    "knockout",
    "knowledge-gradient",
    "random-pair",
    "restricted-voi",
    "thompson",
]


@pytest.fixture(scope="session")
def make_posterior(make_moments):
    def make(n_items=6, seed=0, **options):
        belief = make_moments(n_items, seed, **options)
        return Posterior(belief.mean, belief.cov, belief.noise)

    return make


def talk(elicitor, utilities, n):
    """Answer n questions exactly; give the questions."""
    asked = []
    for _ in range(n):
        question = elicitor.ask()
        is_left = utilities[question.left] > utilities[question.right]
        elicitor.tell(question, "left" if is_left else "right")
        asked.append(question)
    return asked


@pytest.mark.parametrize("policy", NAMED)
def test_every_policy_finds_the_best_item(make_posterior, policy):
    utilities = np.array([0.3, 2.0, -1.0, 0.5, 1.0])
    elicitor = Elicitor(make_posterior(5, noise=0.1), policy, 0)
    asked = talk(elicitor, utilities, 10)
    assert len({question.pair for question in asked}) == 10, "no pair twice"
    assert elicitor.recommend()[0].item == 1
    with pytest.raises(NotAnswerableError, match="after 10 answers every pair"):
        elicitor.ask()
    assert elicitor.done
    assert "every pair" in elicitor.stop_reason


def test_default_asks_the_pair_of_the_largest_gradient(make_posterior):
    posterior = make_posterior(12, seed=3)
    question = Elicitor(posterior, random_state=0).ask()
    scores = policies.knowledge_gradient(posterior)
    best = np.unravel_index(np.argmax(scores), scores.shape)
    assert question.pair == (min(best), max(best))
    assert question.number == 1
    assert question.reason == ""
    assert Question(**json.loads(json.dumps(question.to_dict()))) == question


@pytest.mark.parametrize("n_items", [120, 200, 400])
def test_shortlists_find_the_pair_of_the_largest_gradient(make_posterior, n_items):
    for seed in range(6):
        options = {"noise": (0.05, 0.3, 1.0)[seed % 3], "rank": (5, 20, None)[seed % 3]}
        posterior = make_posterior(n_items, seed, **options)
        question = Elicitor(posterior, random_state=0).ask()
        scores = policies.knowledge_gradient(posterior)
        assert scores[question.pair] > (1 - 1e-9) * scores.max()


def test_gradient_of_zero_leaves_the_choice_to_eubo():
    # no single answer can overturn the leader
    posterior = Posterior(np.array([50.0, 0.0, 0.5]), np.eye(3), noise=0.5)
    assert policies.knowledge_gradient(posterior).max() < 1e-12
    scores = policies.eubo(posterior)
    pair = Elicitor(posterior, random_state=0).ask().pair
    assert scores[pair] == scores.max()


def test_functions_are_policies_too(make_posterior):
    posterior = make_posterior(7)
    by_name = Elicitor(posterior, "eubo", 0).ask()
    assert Elicitor(posterior, policies.eubo, 0).ask() == by_name
    assert Elicitor(posterior, lambda _, pairs: tuple(pairs[3]), 0).ask().pair == (0, 4)
    gradient = Elicitor(posterior, policies.knowledge_gradient, 0).ask()
    for name in ("knowledge_gradient", "knowledge-gradient"):
        assert Elicitor(posterior, name, 0).ask() == gradient
    with pytest.raises(DataError, match=r"one of bald, .* or a function.*'best'"):
        Elicitor(posterior, "best")


def test_same_answers_same_questions(make_posterior):
    posterior, utilities = make_posterior(8, seed=2), np.arange(8.0)
    for policy in ("eubo-kg", "thompson", "random-pair"):
        first = talk(Elicitor(posterior, policy, 5), utilities, 6)
        second = talk(Elicitor(posterior, policy, 5), utilities, 6)
        assert first == second
    other = talk(Elicitor(posterior, "random-pair", 6), utilities, 6)
    assert other != first


def test_asking_twice_changes_nothing(make_posterior):
    elicitor = Elicitor(make_posterior(), "random-pair", 0)
    assert elicitor.ask() == elicitor.ask()


def test_sides_are_drawn():
    posterior = Posterior(np.array([0.0, 0.0, -9.0]), np.eye(3), noise=0.5)
    lefts = {Elicitor(posterior, random_state=seed).ask().left for seed in range(20)}
    assert lefts == {0, 1}


def test_equal_pairs_are_drawn_from():
    posterior = Posterior(np.zeros(5), np.eye(5), noise=0.5)
    asked = {Elicitor(posterior, random_state=seed).ask().pair for seed in range(60)}
    assert len(asked) > 6


def test_undo_takes_back_any_number(make_posterior):
    elicitor = Elicitor(make_posterior(), "thompson", 1)
    start = elicitor.posterior
    asked = talk(elicitor, np.arange(6.0), 5)
    elicitor.undo(3)
    assert [told.pair for told in elicitor.answers] == [q.pair for q in asked[:2]]
    assert elicitor.ask() == asked[2]
    assert talk(elicitor, np.arange(6.0), 3) == asked[2:]
    elicitor.undo(5)
    assert elicitor.posterior is start
    with pytest.raises(NotAnswerableError, match=r"up to 0 answers. Got 1"):
        elicitor.undo()


def test_undone_answers_leave_no_trace(make_posterior):
    elicitor = Elicitor(make_posterior(), random_state=1)
    question = elicitor.ask()
    elicitor.tell(question, "left")
    elicitor.undo()
    elicitor.tell(question, "right")
    expected = make_posterior().update(question.right, question.left)
    np.testing.assert_array_equal(elicitor.posterior.mean, expected.mean)


def test_answers_of_all_kinds_reach_the_posterior(make_posterior):
    posterior = make_posterior()
    question = Question(2, 4)
    expected = {
        "left": posterior.update(2, 4),
        "right": posterior.update(4, 2),
        "tie": posterior.update_tie(2, 4),
        "skip": posterior,
        "neither": posterior.update_below(2).update_below(4),
    }
    for answer, learned in expected.items():
        elicitor = Elicitor(posterior, random_state=0)
        elicitor.tell(question, answer)
        np.testing.assert_array_equal(elicitor.posterior.mean, learned.mean)
        np.testing.assert_array_equal(elicitor.posterior.variance, learned.variance)


def test_wrong_answers_and_questions_are_refused(make_posterior):
    elicitor = Elicitor(make_posterior(), random_state=0)
    question = elicitor.ask()
    with pytest.raises(DataError, match=r"left, right, tie, skip, neither. Got 'both'"):
        elicitor.tell(question, "both")
    with pytest.raises(DataError, match=r"needs a Question"):
        elicitor.tell((0, 1), "left")
    with pytest.raises(DataError, match=r"from 0 to 5\. Got 0 and 6"):
        elicitor.tell(Question(0, 6), "left")
    with pytest.raises(DataError, match="two different items"):
        elicitor.tell(Question(1, 1), "left")
    elicitor.tell(question, "left")
    with pytest.raises(NotAnswerableError, match=r"Question 2 is the next.*question 1"):
        elicitor.tell(question, "left")
    with pytest.raises(DataError, match="between 1 and 6"):
        elicitor.recommend(7)
    with pytest.raises(DataError, match="random_state must be >= 0"):
        Elicitor(make_posterior(), random_state=-1)


def test_skipped_pairs_rest_and_come_back_once(make_posterior):
    # three of the pairs between six items stay unanswered for a while
    elicitor = Elicitor(make_posterior(), "eubo", 0)
    skipped = elicitor.ask().pair
    elicitor.tell(elicitor.ask(), "skip")
    asked = talk(elicitor, np.arange(6.0), 10)
    assert skipped not in {question.pair for question in asked}
    later = talk(elicitor, np.arange(6.0), 5)
    (again,) = [question for question in later if question.pair == skipped]
    assert again.reason == "asked again because you skipped it before"


def test_skipping_everything_ends(make_posterior):
    elicitor = Elicitor(make_posterior(3), random_state=0)
    for _ in range(3):
        elicitor.tell(elicitor.ask(), "skip")
    with pytest.raises(NotAnswerableError, match="no question left but the skipped"):
        elicitor.ask()
    elicitor.undo()
    assert elicitor.ask().number == 3


def test_pairs_on_a_circle_are_asked_again_and_it_is_said():
    posterior = Posterior(np.zeros(3), np.eye(3), noise=0.5)
    elicitor = Elicitor(posterior, random_state=0)
    for winner, loser in [(0, 1), (1, 2), (2, 0)]:
        elicitor.tell(Question(winner, loser), "left")
    question = elicitor.ask()
    assert question.reason == "asked again because your answers disagree"
    consistent = Elicitor(posterior, random_state=0)
    for winner, loser in [(0, 1), (1, 2), (0, 2)]:
        consistent.tell(Question(winner, loser), "left")
    with pytest.raises(NotAnswerableError):
        consistent.ask()


def test_no_pair_is_asked_more_than_three_times():
    posterior = Posterior(np.zeros(2), np.eye(2), noise=0.5)
    elicitor = Elicitor(posterior, random_state=0)
    elicitor.tell(elicitor.ask(), "left")
    with pytest.raises(NotAnswerableError, match="after 1 answers every pair"):
        elicitor.ask()
    told = elicitor.answers[0]
    elicitor.tell(Question(told.right, told.left), "left")
    question = elicitor.ask()
    assert question.reason == "asked again because your answers disagree"
    elicitor.tell(question, "left")
    with pytest.raises(NotAnswerableError):
        elicitor.ask()


def test_an_unexpected_answer_is_checked():
    posterior = Posterior(np.array([4.0, 0.0]), 0.5 * np.eye(2), noise=1.0)
    elicitor = Elicitor(posterior, random_state=0)
    elicitor.tell(Question(1, 0), "left")
    question = elicitor.ask()
    assert question.pair == (0, 1)
    assert question.reason == "asked again because your answer was unexpected"


def test_answers_that_the_posterior_brings_are_not_asked(make_posterior):
    posterior = make_posterior(3, noise=0.1).update(0, 1).update_tie(1, 2)
    elicitor = Elicitor(posterior, random_state=0)
    question = elicitor.ask()
    assert question.pair == (0, 2)
    assert question.number == 1
    assert elicitor.answers == ()
    with pytest.raises(NotAnswerableError):
        elicitor.undo()


def test_recommendations_are_ordered_and_described(make_posterior):
    elicitor = Elicitor(make_posterior(), random_state=0)
    ranked = elicitor.recommend(6)
    posterior = elicitor.posterior
    assert [r.item for r in ranked] == np.argsort(-posterior.mean).tolist()
    assert [r.mean for r in ranked] == sorted(posterior.mean, reverse=True)
    for r in ranked:
        assert r.std == pytest.approx(np.sqrt(posterior.variance[r.item]))
        assert r.probability_best == elicitor.probability_best()[r.item]
    assert elicitor.probability_best().sum() == pytest.approx(1)
    assert elicitor.expected_regret() == ranked[0].expected_regret
    gaps = np.diff([r.expected_regret for r in ranked])
    np.testing.assert_allclose(gaps, -np.diff([r.mean for r in ranked]))
    assert json.loads(json.dumps(ranked[0].to_dict()))["item"] == ranked[0].item


class TestStopping:
    def test_nothing_is_done_without_a_rule(self, make_posterior):
        elicitor = Elicitor(make_posterior(), random_state=0)
        assert not elicitor.done
        assert elicitor.stop_reason == ""

    def test_budget(self, make_posterior):
        rule = StopRule(max_questions=2)
        elicitor = Elicitor(make_posterior(), random_state=0, stop=rule)
        talk(elicitor, np.arange(6.0), 1)
        assert not elicitor.done
        elicitor.tell(elicitor.ask(), "skip")
        assert elicitor.done
        assert elicitor.stop_reason == "2 questions were asked, as many as were planned"

    @pytest.mark.parametrize(
        ("rule", "words"),
        [
            (StopRule(min_probability=0.9), "best item with probability 0.9"),
            (StopRule(max_regret=0.02), "expected regret is 0.0"),
        ],
        ids=["probability", "regret"],
    )
    def test_belief(self, make_posterior, rule, words):
        elicitor = Elicitor(make_posterior(noise=0.05), random_state=0, stop=rule)
        n_questions = 0
        while not elicitor.done:
            talk(elicitor, np.arange(6.0), 1)
            n_questions += 1
        assert 1 < n_questions < 12
        assert words in elicitor.stop_reason
        top = elicitor.recommend()[0]
        assert top.probability_best >= 0.9 or top.expected_regret <= 0.02

    def test_rules_are_checked(self):
        with pytest.raises(DataError, match="max_regret must be >= 0"):
            StopRule(max_regret=-1.0)
        with pytest.raises(DataError, match="min_probability"):
            StopRule(min_probability=1.5)
        with pytest.raises(DataError, match="max_questions"):
            StopRule(max_questions=1.5)


class TestDecisive:
    @given(seed=st.integers(0, 5000), n_items=st.integers(2, 9))
    def test_the_best_is_certain_after_one_question_less_than_items(
        self, make_posterior, seed, n_items
    ):
        posterior = make_posterior(n_items, seed, noise=1.0, scale=3.0)
        utilities = np.random.default_rng(seed + 1).permutation(n_items)
        elicitor = Elicitor(posterior, random_state=seed, decisive=True)
        lost = set()
        for _ in range(n_items - 1):
            (question,) = talk(elicitor, utilities, 1)
            lost.add(min(question.pair, key=lambda item: utilities[item]))
            assert elicitor.recommend()[0].item not in lost
        assert utilities[elicitor.recommend()[0].item] == n_items - 1
        assert elicitor.recommend()[0].probability_best == 1.0
        assert elicitor.stop_reason == "only one item can still be the best"
        with pytest.raises(NotAnswerableError, match="every other item lost a duel"):
            elicitor.ask()

    def test_equal_items_settle_one(self):
        posterior = Posterior(np.zeros(3), np.eye(3), noise=0.5)
        elicitor = Elicitor(posterior, random_state=0, decisive=True)
        first = elicitor.ask()
        elicitor.tell(first, "tie")
        elicitor.tell(elicitor.ask(), "left")
        assert elicitor.done

    def test_when_all_lost_all_are_recommendable(self):
        posterior = Posterior(np.zeros(3), np.eye(3), noise=0.5)
        elicitor = Elicitor(posterior, random_state=0, decisive=True)
        for winner, loser in [(0, 1), (1, 2), (2, 0)]:
            elicitor.tell(Question(winner, loser), "left")
        assert len(elicitor.recommend(3)) == 3
        assert elicitor.probability_best().sum() == pytest.approx(1)


def test_a_knockout_recommends_its_champion():
    posterior = Posterior(np.array([3.0, 2.0, 1.0]), 0.01 * np.eye(3), noise=1.0)
    elicitor = Elicitor(posterior, "knockout", 0)
    assert elicitor.recommend()[0].item == 0
    talk(elicitor, np.array([0.0, 1.0, 2.0]), 2)
    assert elicitor.recommend()[0].item == 2, "whatever the posterior thinks"
    assert elicitor.expected_regret() > 1.0


class TestKnownDirections:
    ITEMS = Items.from_frame(
        pd.DataFrame(
            {
                "rent": [500, 600, 600, 450, 600],
                "size": [40, 40, 35, 30, 40],
                "floor": [1, 1, 1, 2, 2],
            }
        ),
        [
            Attribute("rent", direction="down"),
            Attribute("size", direction="up"),
            Attribute("floor", direction="unknown"),
        ],
        names=list("abcde"),
    )
    # a is cheaper than b and larger than c; d and e are on another floor than all;
    # d is cheaper, e is larger
    DOMINATED = ((0, 1), (0, 2), (1, 2))

    def posterior(self):
        mean = np.array([-0.5, 0.5, 1.0, 0.0, 0.2])
        return Posterior(mean, np.eye(5), noise=0.3)

    @pytest.mark.parametrize("policy", ["eubo-kg", "random-pair", "bald", "knockout"])
    def test_what_is_known_is_not_asked(self, policy):
        elicitor = Elicitor(self.posterior(), policy, 0, items=self.ITEMS)
        asked = talk(elicitor, np.array([3.0, 2.0, 1.0, 5.0, 4.0]), 7)
        pairs = {question.pair for question in asked}
        assert len(pairs) == 7
        assert not pairs & set(self.DOMINATED)
        with pytest.raises(NotAnswerableError, match="was asked or is known"):
            elicitor.ask()

    def test_arrays_and_items_say_the_same(self):
        X = [[500, 40, 1], [600, 40, 1], [600, 35, 1], [450, 30, 2], [600, 40, 2]]
        directions = ["down", "up", "unknown"]
        one = Elicitor(
            self.posterior(), random_state=0, items=self.ITEMS, belief="gaussian"
        )
        two = Elicitor(self.posterior(), random_state=0, X=X, directions=directions)
        assert one.ask() == two.ask()
        assert one.recommend(5) == two.recommend(5)

    def test_what_is_known_counts(self):
        plain = Elicitor(self.posterior(), random_state=0)
        assert plain.recommend()[0].item == 2
        elicitor = Elicitor(self.posterior(), random_state=0, items=self.ITEMS)
        mean = elicitor.posterior.mean
        assert mean[0] > self.posterior().mean[0], "it is better than b and c"
        order = [r.item for r in elicitor.recommend(5)]
        assert order.index(0) < order.index(1) < order.index(2)
        probability = elicitor.probability_best()
        assert probability[1] == probability[2] == 0
        assert probability.sum() == pytest.approx(1)

    @given(seed=st.integers(0, 2000))
    def test_no_item_is_recommended_before_its_dominator(self, make_posterior, seed):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 3, (7, 3)).astype(float)
        directions = rng.choice(["up", "down", "unknown"], 3).tolist()
        posterior = make_posterior(7, seed, scale=2.0)
        elicitor = Elicitor(posterior, "random-pair", seed, X=X, directions=directions)
        order = [r.item for r in elicitor.recommend(7)]
        signs = np.array([{"up": 1, "down": -1}.get(d, 0) for d in directions])
        for i in range(7):
            for j in range(7):
                gain = (X[i] - X[j]) * signs
                equal = (X[i] == X[j])[signs == 0].all()
                if equal and (gain >= 0).all() and (gain > 0).any():
                    assert order.index(i) < order.index(j)

    def test_one_item_above_all(self):
        X = np.arange(3.0)[:, None]
        posterior = Posterior(np.zeros(3), np.eye(3), noise=0.3)
        elicitor = Elicitor(posterior, X=X, directions=["up"])
        assert elicitor.stop_reason == "only one item can still be the best"
        assert elicitor.recommend()[0].item == 2
        with pytest.raises(NotAnswerableError):
            elicitor.ask()

    def test_unknown_values_decide_nothing(self):
        X = [[1.0, np.nan], [0.0, 0.0]]
        posterior = Posterior(np.zeros(2), np.eye(2), noise=0.3)
        elicitor = Elicitor(posterior, X=X, directions=["up", "up"], random_state=0)
        assert elicitor.ask().pair == (0, 1)
        restored = Elicitor.from_dict(json.loads(json.dumps(elicitor.to_dict())))
        assert restored.ask() == elicitor.ask()

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"X": [[1.0]] * 5}, "must be given together"),
            ({"X": [[1.0]] * 4, "directions": ["up"]}, "about 5 items.*about 4"),
            (
                {"X": [[1.0]] * 5, "directions": ["up", "up"]},
                "one column per direction",
            ),
            ({"X": [[1.0]] * 5, "directions": ["more"]}, "Got 'more'"),
            ({"items": ITEMS, "directions": ["up"]}, "either items, or X"),
        ],
        ids=["alone", "length", "columns", "word", "both"],
    )
    def test_wrong_directions_are_refused(self, options, message):
        with pytest.raises(DataError, match=message):
            Elicitor(self.posterior(), **options)


MANY = 3000


@pytest.fixture(scope="module")
def many_items():
    rng = np.random.default_rng(0)
    cov = LowRankCovariance(rng.standard_normal((MANY, 4)) / 2, np.full(MANY, 0.05))
    return Posterior(rng.standard_normal(MANY), cov, noise=0.3)


class TestManyItems:
    """Large tables go through shortlists and never through the full covariance."""

    @pytest.mark.parametrize("policy", NAMED[:5] + NAMED[6:])
    def test_every_policy_asks(self, many_items, policy):
        elicitor = Elicitor(many_items, policy, 0)
        utilities = np.random.default_rng(1).standard_normal(MANY)
        asked = talk(elicitor, utilities, 3)
        assert len({question.pair for question in asked}) == 3
        assert "cov" not in vars(elicitor.posterior), (
            "the covariance is not written out"
        )

    def test_recommendations(self, many_items):
        elicitor = Elicitor(many_items, random_state=0)
        ranked = elicitor.recommend(10)
        best = np.argsort(-many_items.mean)[:10]
        assert [r.item for r in ranked] == best.tolist()
        with pytest.raises(DataError, match=r"at most \d+ can be recommended"):
            elicitor.recommend(MANY)

    def test_known_directions(self, many_items):
        rng = np.random.default_rng(2)
        X = rng.integers(0, 30, (MANY, 2)).astype(float)
        elicitor = Elicitor(many_items, random_state=0, X=X, directions=["up", "up"])
        top = elicitor.recommend()[0].item
        gain = X - X[top]
        assert not ((gain >= 0).all(axis=1) & (gain > 0).any(axis=1)).any()
        question = elicitor.ask()
        gap = X[question.left] - X[question.right]
        assert gap.min() < 0 < gap.max() or not gap.any()


class TestState:
    def test_a_saved_conversation_goes_on(self, make_posterior):
        rule = StopRule(max_regret=0.01, max_questions=30)
        items = TestKnownDirections.ITEMS
        elicitor = Elicitor(make_posterior(5), "thompson", 3, items=items, stop=rule)
        talk(elicitor, np.arange(5.0), 1)
        elicitor.tell(elicitor.ask(), "skip")
        values = json.loads(json.dumps(elicitor.to_dict(), allow_nan=False))
        restored = Elicitor.from_dict(values)
        assert restored.ask() == elicitor.ask()
        assert restored.recommend(5) == elicitor.recommend(5)
        assert restored.answers == elicitor.answers
        assert restored.to_dict() == elicitor.to_dict()
        restored.undo(2)
        elicitor.undo(2)
        assert restored.ask() == elicitor.ask()

    def test_the_posterior_may_come_from_elsewhere(self, make_posterior):
        posterior = make_posterior()
        elicitor = Elicitor(posterior, random_state=3)
        talk(elicitor, np.arange(6.0), 3)
        values = elicitor.to_dict()
        del values["posterior"]
        restored = Elicitor.from_dict(values, posterior=posterior)
        np.testing.assert_array_equal(restored.posterior.mean, elicitor.posterior.mean)
        with pytest.raises(FormatError, match=r"damaged or does not fit.*posterior"):
            Elicitor.from_dict(values)
        with pytest.raises(FormatError, match="does not fit"):
            Elicitor.from_dict(values, posterior=make_posterior(3))

    def test_a_function_must_be_given_again(self, make_posterior):
        elicitor = Elicitor(make_posterior(), policies.bald, 0)
        values = elicitor.to_dict()
        with pytest.raises(FormatError, match="policy was a function"):
            Elicitor.from_dict(values)
        restored = Elicitor.from_dict(values, policy=policies.bald)
        assert restored.ask() == elicitor.ask()

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"format": "something"}, "not a saved elicitor"),
            ({"version": 3}, "version of a saved elicitor must be.*Got 3"),
            ({"stop": {"max_hours": 3}}, "stop rule.*damaged"),
            ({"stop": {"max_regret": -3}}, "stop rule.*damaged"),
            ({"known": {"X": "?"}}, "known directions.*damaged"),
            ({"answers": [[0, 9, "left"]]}, "from 0 to 5"),
            ({"answers": 3}, "damaged"),
            ({"policy": "?"}, "policy must be"),
        ],
        ids=["format", "version", "rule", "value", "known", "item", "shape", "policy"],
    )
    def test_what_is_not_a_state_is_refused(self, make_posterior, change, message):
        values = Elicitor(make_posterior(), random_state=0).to_dict() | change
        with pytest.raises(FormatError, match=message):
            Elicitor.from_dict(values)


@given(seed=st.integers(0, 5000))
def test_renaming_items_renames_the_conversation(make_posterior, seed):
    posterior = make_posterior(6, seed)
    names = np.random.default_rng(seed).permutation(6)
    renamed = Posterior(
        posterior.mean[names], posterior.cov[np.ix_(names, names)], posterior.noise
    )
    utilities = np.arange(6.0)
    one, two = Elicitor(posterior, random_state=0), Elicitor(renamed, random_state=0)
    plain = talk(one, utilities, 4)
    back = [
        {int(names[q.left]), int(names[q.right])}
        for q in talk(two, utilities[names], 4)
    ]
    assert back == [{q.left, q.right} for q in plain]


def test_one_item_needs_no_question():
    elicitor = Elicitor(Posterior(np.zeros(1), np.eye(1), noise=0.5))
    assert elicitor.recommend()[0].probability_best == 1.0
    with pytest.raises(NotAnswerableError, match="needs 2 items"):
        elicitor.ask()
