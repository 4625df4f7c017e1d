import numpy as np

from penchant.elicitation import Dominance, tell_known
from penchant.models import Posterior


def test_a_belief_is_told_only_what_it_gets_wrong():
    known = Dominance(np.array([[0.0], [1.0], [2.0]]), ("up",))
    level = Posterior(np.zeros(3), np.eye(3))
    assert tell_known(level, known).answers == ()
    wrong = tell_known(Posterior(np.array([1.0, 0.0, 2.0]), np.eye(3)), known)
    assert {answer.items for answer in wrong.answers} == {(1, 0)}
    assert wrong.mean[1] >= wrong.mean[0]
