import numpy as np
import pandas as pd
import pytest

from penchant.data import Attribute, Items
from penchant.elicitation import Elicitor, batch, policies
from penchant.exceptions import DataError, NotAnswerableError
from penchant.models import LowRankCovariance, Posterior


@pytest.fixture
def posterior(make_moments):
    belief = make_moments(8, 2)
    return Posterior(belief.mean, belief.cov, belief.noise)


def test_first_question_is_the_best_one(posterior):
    (question,) = batch(posterior, 1, random_state=0)
    scores = policies.knowledge_gradient(posterior)
    assert scores[question.pair] == scores.max()
    assert question.number is None


def test_second_question_knows_what_the_first_will_tell(posterior):
    """It is the best one for the covariance that the first leaves on average."""
    first, second = batch(posterior, 2, policy="eubo", random_state=0)
    i, j = first.pair
    p = posterior.probability(i, j)
    # one answer to a belief without answers: EP is exact, so GP-8 it is
    cov = p * posterior.update(i, j).cov + (1 - p) * posterior.update(j, i).cov
    scores = policies.eubo(Posterior(posterior.mean, cov, posterior.noise))
    scores[i, j] = scores[j, i] = -np.inf
    assert scores[second.pair] == pytest.approx(scores.max(), abs=1e-9)


@pytest.mark.parametrize("policy", ["eubo-kg", "evoi-refit", "thompson", "knockout"])
def test_pairs_differ_and_depend_on_the_seed_alone(posterior, policy):
    told = posterior.update(0, 1)
    questions = batch(told, 12, policy=policy, random_state=4)
    pairs = {question.pair for question in questions}
    assert len(pairs) == 12
    assert (0, 1) not in pairs, "it was answered"
    assert questions == batch(told, 12, policy=policy, random_state=4)


def test_questions_spread_over_the_items():
    posterior = Posterior(np.zeros(8), np.eye(8), noise=0.5)
    questions = batch(posterior, 4, random_state=0)
    assert len({item for question in questions for item in question.pair}) == 8


def test_more_than_there_are_is_refused(posterior):
    assert len(batch(posterior, 28, random_state=0)) == 28
    with pytest.raises(NotAnswerableError, match=r"Only 28 pairs.*n=29"):
        batch(posterior, 29, random_state=0)
    with pytest.raises(DataError, match="n must be a whole number >= 1"):
        batch(posterior, 0)


def test_known_pairs_are_left_out():
    items = Items.from_frame(
        pd.DataFrame({"rent": [3.0, 2.0, 1.0], "size": [3.0, 2.0, 2.0]}),
        [Attribute("rent", direction="down"), Attribute("size", direction="up")],
    )
    posterior = Posterior(np.zeros(3), np.eye(3), noise=0.5)
    pairs = {q.pair for q in batch(posterior, 2, items=items, random_state=0)}
    assert pairs == {(0, 1), (0, 2)}


def test_many_items():
    rng = np.random.default_rng(0)
    cov = LowRankCovariance(rng.standard_normal((4000, 3)), np.full(4000, 0.1))
    posterior = Posterior(rng.standard_normal(4000), cov, noise=0.5)
    questions = batch(posterior.update(7, 8), 5, random_state=0)
    assert len({question.pair for question in questions}) == 5


def test_answers_are_told_in_any_order(posterior):
    elicitor = Elicitor(posterior, random_state=0)
    for question in reversed(batch(posterior, 3, random_state=0)):
        elicitor.tell(question, "left")
    assert len(elicitor.posterior.answers) == 3


def test_a_knockout_begins_with_the_favourites(posterior):
    (question,) = batch(posterior, 1, policy="knockout", random_state=0)
    favourites = np.argsort(-posterior.mean)[:2]
    assert sorted(question.pair) == sorted(favourites.tolist())
