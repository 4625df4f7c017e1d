"""What is said of certainty, beside what the draws say."""

import numpy as np
import pytest

from penchant.elicitation.person._calibration import calibrated, ties_at_the_top
from penchant.gp import Answer

MEAN = -np.arange(40.0)  # the first eight are the best fifth


def test_ties_among_the_best_are_counted_four_at_most():
    best = [Answer("tie", (0, k)) for k in range(1, 8)]
    other = [Answer("tie", (0, 9)), Answer("comparison", (0, 1))]
    assert ties_at_the_top(other, MEAN) == 0.0
    assert ties_at_the_top(best[:1] + other, MEAN) == pytest.approx(np.log(2))
    assert ties_at_the_top(best, MEAN) == pytest.approx(np.log(5))


def test_of_few_items_two_are_the_best():
    tie = [Answer("tie", (0, 2))]
    assert ties_at_the_top(tie, -np.arange(5.0)) == 0.0
    assert ties_at_the_top(tie, -np.arange(15.0)) > 0.0


@pytest.mark.parametrize("ties", [0.0, np.log(5)])
def test_it_grows_with_the_share_of_the_draws_from_0_to_1(ties):
    told = calibrated(np.linspace(0.0, 1.0, 101), ties)
    assert (np.diff(told) > 0).all()
    assert (told[0], told[-1]) == (0.0, 1.0)
    assert calibrated(1.0 + 1e-15, ties) == 1.0  # weights that sum to above 1


def test_ties_make_it_surer():
    plain = calibrated(0.6, 0.0)
    assert abs(plain - 0.6) < 0.05
    assert calibrated(0.6, np.log(2)) > plain + 0.05
