"""Simulated people."""

import numpy as np
import pytest

from penchant.studies import simulated_answer

UTILITIES = np.array([0.3, 2.0, -1.0, 1.0, 0.0])


def test_honest_people() -> None:
    rng = np.random.default_rng(0)
    assert simulated_answer("pair", (0, 1), UTILITIES, rng) == "right"
    assert simulated_answer("pair", (1, 0), UTILITIES, rng) == "left"
    answer = simulated_answer("best-worst", (0, 1, 2, 3), UTILITIES, rng)
    assert answer == {"best": 1, "worst": 2}
    assert simulated_answer("ranking", (0, 1, 2), UTILITIES, rng) == [1, 0, 2]
    grades = [simulated_answer("rating", (i,), UTILITIES, rng) for i in range(5)]
    assert grades[1] == 5
    assert grades[2] == 1
    assert np.corrcoef(grades, UTILITIES)[0, 1] > 0.9


def test_wrong_answers_have_their_share() -> None:
    rng = np.random.default_rng(0)
    said = [
        simulated_answer("pair", (0, 1), UTILITIES, rng, wrong=0.2) for _ in range(1000)
    ]
    assert said.count("left") / 1000 == pytest.approx(0.2, abs=0.04)
