"""Conversations with a belief about attributes, through `Elicitor`."""

import json

import numpy as np
import pandas as pd
import pytest

from penchant.data import Items
from penchant.elicitation import (
    Elicitor,
    PersonBelief,
    PersonSpace,
    Question,
    StopRule,
)
from penchant.exceptions import DataError, NotAnswerableError
from penchant.gp import Posterior
from penchant.studies import SqlStore, Study, store_url


def talk(elicitor, utility, n):
    """Answer n questions truly; give the pairs."""
    pairs = []
    for _ in range(n):
        question = elicitor.ask()
        better = utility[question.left] > utility[question.right]
        elicitor.tell(question, "left" if better else "right")
        pairs.append(question.pair)
    return pairs


@pytest.fixture
def items(table):
    return table(25)


@pytest.fixture
def utility(items):
    X = items.encode()
    return 2 * X[:, 0] + X[:, 2]


def test_the_best_is_found(items, utility):
    elicitor = Elicitor(items=items, random_state=0)
    talk(elicitor, utility, 12)
    best = elicitor.recommend()[0]
    assert utility[best.item] > np.sort(utility)[-4]
    assert best.probability_best == elicitor.certainty()
    assert best.expected_regret == elicitor.expected_regret()


def test_a_pair_comes_again_only_if_its_answer_is_contradicted(items, utility):
    elicitor = Elicitor(items=items, random_state=0)
    talk(elicitor, utility, 12)
    told = [answer.pair for answer in elicitor.answers]
    again = [pair for pair in told if told.count(pair) > 1]
    assert not again
    worst, best = np.argsort(utility)[[0, -1]].tolist()
    for _ in range(2):  # a slip, and again
        elicitor.tell(Question(worst, best), "left")
    asked = []
    for _ in range(8):
        question = elicitor.ask()
        asked.append((question.pair, question.reason))
        likes = utility[question.left] > utility[question.right]
        elicitor.tell(question, "left" if likes else "right")
    slip = min(worst, best), max(worst, best)
    assert all(bool(reason) == (pair == slip) for pair, reason in asked)
    assert [pair for pair, _ in asked].count(slip) <= 1


def test_what_is_known_by_direction_is_not_asked(items, utility):
    elicitor = Elicitor(items=items, random_state=0)
    X = items.encode()
    for i, j in talk(elicitor, utility, 10):
        gain = (X[i] - X[j])[:2]
        same = (X[i] == X[j])[2:].all()
        assert not same or gain.min() < 0 < gain.max()


def test_many_items_are_asked_about(table):
    elicitor = Elicitor(items=table(2500), random_state=0)
    talk(elicitor, elicitor.posterior.space.encoded[:, 1], 2)
    assert elicitor.recommend(3)[0].item == elicitor.recommend()[0].item


def test_undo_and_a_saved_conversation(items, utility):
    rng = np.random.default_rng(0)
    earlier = Posterior(rng.standard_normal(25), np.eye(25), noise=0.5)
    elicitor = Elicitor(earlier, items=items, random_state=3)
    talk(elicitor, utility, 3)
    before = elicitor.ask()
    talk(elicitor, utility, 2)
    elicitor.because(elicitor.posterior.space.names[0])
    elicitor.undo(2)
    assert elicitor.ask() == before
    elicitor.tell(before, "left", because="rent")
    elicitor.tell(elicitor.ask(), "neither")
    values = json.loads(json.dumps(elicitor.to_dict(), allow_nan=False))
    restored = Elicitor.from_dict(values)
    assert restored.answers == elicitor.answers
    assert restored.answers[3].because == "rent"
    assert restored.ask() == elicitor.ask()
    assert restored.certainty() == pytest.approx(elicitor.certainty())


def test_a_reason_amends_the_last_answer(items, utility):
    one, two = (Elicitor(items=items, random_state=1) for _ in range(2))
    talk(one, utility, 2)
    question = one.ask()
    talk(two, utility, 2)
    one.tell(question, "left", because="rent")
    two.tell(question, "left")
    plain = two.posterior.mean
    two.because("rent")
    np.testing.assert_array_equal(one.posterior.mean, two.posterior.mean)
    assert one.ask() == two.ask()
    two.because("size")
    assert two.answers[-1].because == "size", "the last word counts"
    two.because(None)
    np.testing.assert_array_equal(two.posterior.mean, plain)


def test_only_a_preference_has_a_reason(items):
    elicitor = Elicitor(items=items, random_state=1)
    with pytest.raises(NotAnswerableError, match="call tell"):
        elicitor.because("rent")
    with pytest.raises(DataError, match="left or right"):
        elicitor.tell(elicitor.ask(), "tie", because="rent")
    gaussian = Elicitor(Posterior(np.zeros(3), np.eye(3)), random_state=0)
    with pytest.raises(NotAnswerableError, match="Give them"):
        gaussian.tell(gaussian.ask(), "left", because="rent")
    with pytest.raises(NotAnswerableError, match="Give them"):
        gaussian.main_reason()


def test_what_was_rejected_is_not_asked_nor_recommended_again(items, utility):
    elicitor = Elicitor(items=items, random_state=2)
    rejected = set()
    for _ in range(3):
        question = elicitor.ask()
        assert not rejected & set(question.pair)
        elicitor.tell(question, "neither")
        rejected |= set(question.pair)
    for i, j in talk(elicitor, utility, 5):
        assert not rejected & {i, j}
    order = [entry.item for entry in elicitor.recommend(25)]
    accepted = {max(t.items, key=lambda i: utility[i]) for t in elicitor.answers[3:]}
    last_accepted = max(order.index(item) for item in accepted)
    assert last_accepted < min(order.index(item) for item in rejected)


def test_a_rejected_item_that_was_chosen_may_come_back(items):
    elicitor = Elicitor(items=items, random_state=2)
    elicitor.tell(Question(3, 4), "neither")
    assert elicitor.recommend()[0].item not in (3, 4)
    for rival in (5, 6, 7, 8, 9, 10):
        elicitor.tell(Question(3, rival), "left")
    assert elicitor.posterior.contradicts == (3,)
    assert elicitor.probability_best()[3] > 0
    assert elicitor.probability_best()[4] == 0


def test_a_skipped_question_says_nothing(items):
    elicitor = Elicitor(items=items, random_state=2)
    before = elicitor.posterior
    first = elicitor.ask()
    elicitor.tell(first, "skip")
    assert elicitor.posterior is before
    assert elicitor.ask().pair != first.pair


def test_ties_are_no_contradictions(items):
    """Equal, equal and better in a circle: nothing is asked again because of it."""
    elicitor = Elicitor(items=items, random_state=2)
    for left, right, answer in [(0, 1, "tie"), (1, 2, "tie"), (0, 2, "left")]:
        elicitor.tell(Question(left, right), answer)
    assert elicitor.posterior.contradicts == ()
    assert elicitor.ask().reason == ""


def test_nobody_is_sure_before_three_answers(items, utility):
    rule = StopRule(min_probability=0.01)
    elicitor = Elicitor(items=items, random_state=0, stop=rule)
    for _ in range(3):
        assert not elicitor.done
        talk(elicitor, utility, 1)
    assert "probability" in elicitor.stop_reason
    spent = Elicitor(items=items, stop=StopRule(max_questions=0))
    assert spent.done


def test_which_belief(items):
    prior = Posterior(np.zeros(25), np.eye(25))
    assert isinstance(Elicitor(prior, items=items).posterior, PersonBelief)
    assert isinstance(Elicitor(items=items).posterior, PersonBelief)
    gaussian = Elicitor(prior, items=items, belief="gaussian")
    assert isinstance(gaussian.posterior, Posterior)
    own = PersonBelief.begin(PersonSpace.from_items(items), 7)
    assert Elicitor(own, items=items).posterior is own
    with pytest.raises(DataError, match="Got neither"):
        Elicitor()
    with pytest.raises(DataError, match="'auto' or 'gaussian'"):
        Elicitor(prior, belief="other")


def test_other_policies_ask_too(items, utility):
    for policy in ("knowledge-gradient", "bald", "thompson", "random-pair"):
        elicitor = Elicitor(items=items, policy=policy, random_state=0)
        talk(elicitor, utility, 2)
        assert len(elicitor.answers) == 2


def test_a_list_of_names_is_asked_about(tmp_path):
    empty = pd.DataFrame(index=[f"item {k}" for k in range(8)])
    items, utility = Items.from_frame(empty), np.arange(8.0)
    assert items.encode().shape == (8, 0)
    elicitor = Elicitor(items=items, random_state=0)
    talk(elicitor, utility, 12)
    assert elicitor.recommend()[0].item >= 6
    assert 0.3 < elicitor.certainty() < 1.0
    assert elicitor.main_reason().attributes == ()
    saved = json.loads(json.dumps(elicitor.to_dict()))
    assert Elicitor.from_dict(saved).ask() == elicitor.ask()
    with SqlStore(store_url(tmp_path)) as store:
        study = Study(store, store.create_study("Names", items))
        who = study.join()[0].id
        for _ in range(6):
            question = study.ask(who)
            side = "left" if question.items[0] > question.items[1] else "right"
            study.tell(who, question.id, side)
        assert study.recommend(who)[0].item >= 5
        assert 0.0 < study.progress(who).certainty < 1.0
