"""How sure to say that one is: what was learned is what is used, and can fail."""

import json

import numpy as np
import pytest
from scipy.special import expit

from experiments.truth import calibration
from penchant.elicitation.person import _utilities

KEYS = [(family, 40, "none", range(1)) for family in ("modest", "noisy")]


def people(n: int, worth: float, seed: int = 0) -> np.ndarray:
    """Give statements; those with a tie should have logits that are larger."""
    rng = np.random.default_rng(seed)
    x, ties = rng.normal(0.0, 1.5, n), np.log(2) * (rng.random(n) < 0.5)
    right = rng.random(n) < expit(x + worth * ties)
    return np.column_stack([x, ties, right])


def test_the_constant_is_the_one_that_was_learned() -> None:
    stored = json.loads(calibration.PATH.read_text("utf-8"))
    assert stored["ties"] == _utilities.TIES


def test_what_ties_are_worth_is_learned() -> None:
    found = calibration.learn(KEYS[:1], [people(20_000, 1.2)])
    assert found == pytest.approx(1.2, abs=0.15)


def test_nobody_pays_for_others_who_are_modest() -> None:
    """Two kinds that nothing tells apart: the second is told little too much."""
    cells = [people(20_000, 3.0), people(20_000, 0.0, seed=1)]
    x, ties, right = cells[1].T
    found = calibration.learn(KEYS, cells)
    assert 0.02 < (expit(x + found * ties) - right).mean() < 0.07


def test_statements_are_kept_as_the_draws_say_them() -> None:
    rows = calibration.record("additive", 40, "truth", range(400, 401))
    assert rows.shape == (6 * 18, 3)
    assert set(rows[:, 2]) <= {0.0, 1.0}
    share = expit(rows[:, 0]) * 768  # of 768 draws: a whole number of them
    assert share == pytest.approx(np.round(share), abs=0.5001)
    inner = np.abs(rows[:, 0]) < 6
    assert share[inner] == pytest.approx(np.round(share[inner]), abs=1e-6)
