"""How sure to say that one is: what was learned is what is used, and can fail."""

import json

import numpy as np
import pytest
from scipy.special import expit

from experiments.truth import calibration
from penchant.elicitation.person import _calibration

KEYS = [(family, 40, "none", range(1)) for family in ("modest", "noisy")]


def people(n: int, over: float, seed: int = 0) -> np.ndarray:
    """Give statements whose logits are too large by `over`, without ties."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0.0, 1.5, n)
    right = rng.random(n) < expit(x - over)
    return np.column_stack([x, np.zeros(n), right])


def test_the_constants_are_those_that_were_learned() -> None:
    stored = json.loads(calibration.PATH.read_text("utf-8"))
    used = [_calibration.INTERCEPT, _calibration.SLOPE, _calibration.TIES]
    assert used == stored["constants"]


def test_what_is_too_modest_is_put_right() -> None:
    beta = calibration.learn(KEYS[:1], [people(20_000, -1.0)])
    assert beta[:2] == pytest.approx([1.0, 1.0], abs=0.1)


def test_nobody_pays_for_others_who_are_modest() -> None:
    """Two kinds that nothing tells apart: the second is told little too much."""
    cells = [people(20_000, -2.0), people(20_000, 0.0, seed=1)]
    beta = calibration.learn(KEYS, cells)
    said = expit(cells[1][:, :2] @ beta[1:] + beta[0])
    assert 0.02 < said.mean() - cells[1][:, 2].mean() < 0.08  # .19 without a penalty


def test_statements_are_kept_as_the_draws_say_them() -> None:
    rows = calibration.record("additive", 40, "truth", range(400, 401))
    assert rows.shape == (6 * 18, 3)
    assert set(rows[:, 2]) <= {0.0, 1.0}
    share = expit(rows[:, 0]) * 768  # of 768 draws: a whole number of them
    assert share == pytest.approx(np.round(share), abs=0.5001)
    inner = np.abs(rows[:, 0]) < 6
    assert share[inner] == pytest.approx(np.round(share[inner]), abs=1e-6)
