import time

import pytest

from penchant._progress import Deadline, Progress
from penchant.exceptions import ConvergenceWarning


def test_without_a_limit_time_is_never_over():
    assert not Deadline().is_over
    assert Deadline().left == float("inf")


def test_a_limit_that_has_passed_is_over():
    deadline = Deadline(1e-9)
    time.sleep(0.001)

    assert deadline.is_over
    assert deadline.left == 0.0


def test_each_step_is_told_to_the_callback_and_on_standard_error(capsys):
    told = []
    progress = Progress("Fit", verbose=1, callback=told.append)

    assert progress.step(gap=0.5)
    assert progress.step(gap=0.25)

    assert [step["gap"] for step in told] == [0.5, 0.25]
    assert [step["step"] for step in told] == [1, 2]
    assert told[0]["seconds"] >= 0
    assert "Fit: step 2" in capsys.readouterr().err


def test_a_step_after_the_limit_says_to_stop():
    progress = Progress("Fit", max_time=1e-9)
    time.sleep(0.001)

    assert not progress.step(gap=1.0)
    with pytest.warns(ConvergenceWarning, match=r"max_time = 1e-09 s .* gap of 1"):
        progress.warn("a gap of 1")
