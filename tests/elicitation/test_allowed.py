"""Items that may not be chosen: never asked, never recommended, still taught by."""

import numpy as np
import pandas as pd
import pytest

from penchant.data import Items
from penchant.datasets import load_flats
from penchant.elicitation import Dominance, Elicitor, Question, StopRule
from penchant.elicitation._choice import POLICIES
from penchant.exceptions import DataError, NotAnswerableError
from penchant.explanation import support
from penchant.models import Posterior

SOME = np.array([1, 2, 5, 6, 9])


def gaussian(n_items=11, seed=3):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n_items, n_items))
    cov = root @ root.T / n_items + 0.3 * np.eye(n_items)
    return rng.normal(size=n_items), cov


def answer_by(liking, question):
    return "left" if liking[question.left] > liking[question.right] else "right"


@pytest.mark.parametrize("decisive", [False, True])
@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_only_allowed_items_are_asked_and_recommended(policy, decisive):
    mean, cov = gaussian()
    X = np.random.default_rng(4).integers(0, 3, size=(mean.size, 2)).astype(float)
    elicitor = Elicitor(
        Posterior(mean, cov, noise=0.2),
        policy,
        0,
        X=X,
        directions=["up", "unknown"],
        decisive=decisive,
        allowed=SOME[::-1],
    )
    liking = np.random.default_rng(5).normal(size=mean.size)
    while not elicitor.done and len(elicitor.answers) < 8:
        question = elicitor.ask()
        assert {question.left, question.right} <= set(SOME.tolist())
        elicitor.tell(question, answer_by(liking, question))
    assert elicitor.answers
    assert sorted(each.item for each in elicitor.recommend(5)) == SOME.tolist()
    assert set(np.flatnonzero(elicitor.probability_best())) <= set(SOME.tolist())
    with pytest.raises(DataError, match="between 1 and 5"):
        elicitor.recommend(6)


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_the_same_questions_and_results_as_on_the_table_of_the_allowed(policy):
    mean, cov = gaussian()
    whole = Elicitor(Posterior(mean, cov, noise=0.2), policy, 0, allowed=SOME)
    alone = Elicitor(
        Posterior(mean[SOME], cov[np.ix_(SOME, SOME)], noise=0.2), policy, 0
    )
    liking = np.random.default_rng(5).normal(size=mean.size)
    for _ in range(5):
        question, other = whole.ask(), alone.ask()
        assert (question.left, question.right) == tuple(SOME[[other.left, other.right]])
        word = answer_by(liking, question)
        whole.tell(question, word)
        alone.tell(other, word)
    for mine, theirs in zip(whole.recommend(5), alone.recommend(5), strict=True):
        assert mine.item == SOME[theirs.item]
        assert mine.mean == pytest.approx(theirs.mean, abs=1e-8)
        assert mine.probability_best == pytest.approx(theirs.probability_best, abs=1e-6)
        assert mine.expected_regret == pytest.approx(theirs.expected_regret, abs=1e-6)
    mine, theirs = (support(each, each.recommend()[0]) for each in (whole, alone))
    for a, b in zip(mine, theirs, strict=True):
        assert a.position == b.position
        assert a.item == SOME[b.item]
        assert a.effect == pytest.approx(b.effect, abs=1e-8)


def test_all_items_allowed_is_no_limit():
    posterior = Posterior(*gaussian(), noise=0.2)
    free = Elicitor(posterior, random_state=0)
    all_of_them = Elicitor(posterior, random_state=0, allowed=range(11))
    assert all_of_them.ask() == free.ask()
    assert all_of_them.to_dict() == free.to_dict()


def test_what_only_a_forbidden_item_dominates_is_not_dominated():
    X = np.array([[3.0], [2.0], [1.0]])
    known = Dominance(X, ("up",))
    assert known.undominated.tolist() == [0]
    some = known.among(np.array([1, 2]))
    assert some.undominated.tolist() == [1]
    assert some.is_dominated(np.array([1, 2])).tolist() == [False, True]
    assert some.dominators(1).tolist() == []
    assert some.among(None) is known


@pytest.mark.parametrize("n_items", [60, 2100])
def test_a_limit_in_the_middle_keeps_what_was_learned(n_items):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.random((n_items, 3)), columns=list("abc"))
    table = Items.from_frame(frame)
    elicitor = Elicitor(items=table, random_state=0, stop=StopRule(max_questions=30))
    liking = table.encode() @ np.array([3.0, 1.0, 0.2])
    for _ in range(4):
        question = elicitor.ask()
        elicitor.tell(question, answer_by(liking, question))
    before = elicitor.posterior.mean.copy()
    allowed = np.argsort(liking)[: n_items // 2]
    elicitor.allow(allowed)
    np.testing.assert_array_equal(elicitor.posterior.mean, before)
    for _ in range(6):
        question = elicitor.ask()
        assert {question.left, question.right} <= set(allowed.tolist())
        elicitor.tell(question, answer_by(liking, question))
    found = [each.item for each in elicitor.recommend(5)]
    assert set(found) <= set(allowed.tolist())
    assert liking[found[0]] >= np.quantile(liking[allowed], 0.9)
    elicitor.undo(8)
    assert elicitor.recommend()[0].item in allowed
    again = Elicitor.from_dict(elicitor.to_dict())
    assert again.ask() == elicitor.ask()
    elicitor.allow(None)
    assert elicitor.allowed.size == n_items


def test_a_decisive_loser_comes_back_when_its_winner_is_gone():
    elicitor = Elicitor(
        Posterior(np.zeros(3), np.eye(3), noise=0.1), random_state=0, decisive=True
    )
    elicitor.tell(Question(0, 1), "left")
    elicitor.tell(Question(0, 2), "left")
    assert elicitor.done
    elicitor.allow([1, 2])
    assert elicitor.ask().pair == (1, 2)


def test_the_champion_of_a_knockout_is_one_of_the_allowed():
    elicitor = Elicitor(
        Posterior(np.arange(4.0), np.eye(4), noise=0.1), "knockout", random_state=0
    )
    elicitor.tell(Question(3, 1), "left")
    elicitor.allow([0, 1, 2])
    assert elicitor.recommend()[0].item == 2  # the most popular one
    question = elicitor.ask()
    elicitor.tell(question, "left")
    assert elicitor.recommend()[0].item == question.left


def test_one_allowed_item_is_the_recommendation():
    elicitor = Elicitor(items=load_flats(), random_state=0, allowed=[7])
    assert elicitor.recommend()[0].item == 7
    assert elicitor.stop_reason == "only one item can still be the best"
    with pytest.raises(NotAnswerableError, match="A question needs 2 items"):
        elicitor.ask()


@pytest.mark.parametrize("allowed", [[], [0, 40], [[1, 2]], [-1], [0.5]])
def test_allowed_must_be_items(allowed):
    with pytest.raises(DataError, match="allowed must"):
        Elicitor(items=load_flats(), random_state=0, allowed=allowed)
