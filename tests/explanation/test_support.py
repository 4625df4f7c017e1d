import numpy as np
import pytest

from penchant.elicitation import Elicitor, Question
from penchant.exceptions import DataError
from penchant.explanation import support
from penchant.models import Posterior


@pytest.fixture(scope="module")
def told():
    rng = np.random.default_rng(0)
    factor = rng.standard_normal((25, 6))
    cov = factor @ factor.T / 6 + 0.05 * np.eye(25)
    liking = factor @ rng.standard_normal(6)
    posterior = Posterior(np.zeros(25), cov, noise=0.3)
    for i, j in rng.integers(0, 25, (20, 2)):
        if i != j:
            posterior = posterior.update(*((i, j) if liking[i] > liking[j] else (j, i)))
    return posterior


def lead(mean, item):
    return mean[item] - np.delete(mean, item).max()


def test_each_answer_is_left_out_and_inference_repeated(told):
    best = int(np.argmax(told.mean))
    found = support(told, best)
    assert [entry.effect for entry in found] == sorted(
        (entry.effect for entry in found), reverse=True
    )
    assert sorted(entry.position for entry in found) == list(range(len(told.answers)))
    fresh = Posterior(told.prior_mean, told.prior_cov, noise=told.noise)
    for entry in found:
        others = [a for k, a in enumerate(told.answers) if k != entry.position]
        mean = fresh.with_answers(others).mean
        assert entry.lead == pytest.approx(lead(mean, best), abs=1e-6)
        assert entry.effect == pytest.approx(
            lead(told.mean, best) - lead(mean, best), abs=1e-6
        )
        assert entry.item == np.argmax(mean)
        assert entry.answer == told.answers[entry.position]


def test_a_conversation_names_the_persons_own_answers_only():
    X = np.array([[1.0, 0.0], [0.0, 0.0], [0.5, 2.0], [0.2, 1.0]])
    prior = Posterior(np.array([-1.0, 1.0, 0.0, 0.0]), np.eye(4), noise=0.3)
    elicitor = Elicitor(prior, random_state=0, X=X, directions=["up", "up"])
    known = len(elicitor.posterior.answers)
    assert known > 0  # what follows from the directions
    for left, right, answer in [
        (2, 3, "left"),
        (0, 3, "skip"),
        (1, 3, "neither"),
        (0, 2, "right"),
        (0, 3, "tie"),
    ]:
        elicitor.tell(Question(left, right), answer)
    assert len(elicitor.posterior.answers) == known + 5
    best = elicitor.recommend()[0]
    found = {e.position: e for e in support(elicitor, best)}
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert [found[k].answer for k in range(5)] == list(elicitor.answers)
    assert found[1].effect == pytest.approx(0.0, abs=1e-9)  # skipped
    belief = elicitor.posterior
    without = belief.without(known + 2).without(known + 1)  # both rows of "neither"
    exact = {e.position: e for e in support(elicitor, best.item)}
    assert exact[2].lead == pytest.approx(lead(without.mean, best.item), abs=1e-7)
    assert exact[2].to_dict()["position"] == 2


def test_other_beliefs_work_too():
    class Belief:
        """Counts wins."""

        n_items = 3

        def __init__(self, answers):
            self.answers = tuple(answers)
            self.mean = np.bincount([w for w, _ in answers], minlength=3) * 1.0

        def without(self, k):
            return Belief(self.answers[:k] + self.answers[k + 1 :])

    found = support(Belief([(0, 1), (0, 2), (2, 1)]), 0)
    assert [entry.effect for entry in found] == [1.0, 1.0, -1.0]


def test_what_keeps_no_answers_is_refused(told):
    with pytest.raises(DataError, match="Elicitor"):
        support(object(), 0)
    with pytest.raises(DataError, match="0 to 24"):
        support(told, 25)
    alone = Posterior(np.zeros(1), np.eye(1)).update_below(0)
    assert support(alone, 0)[0].effect == 0.0
