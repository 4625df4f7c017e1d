import numpy as np
import pytest

from penchant.exceptions import DataError, PenchantError
from penchant.rules.play._random_replacement import _Replacement
from penchant.solvers import (
    MarginRound,
    MatrixSource,
    replace_randomly,
    solve_margin,
)


@pytest.fixture
def source():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 60))
    return MatrixSource(X, np.where(X[:, 0] + X[:, 1] > 0.0, 1.0, -1.0))


@pytest.mark.parametrize("nu", [None, 0.3])
def test_exact_games_rise_to_the_optimum(source, nu):
    upper = np.ones(40) if nu is None else np.full(40, 1.0 / (nu * 40))
    rounds: list[MarginRound] = []
    solution = replace_randomly(
        source,
        upper,
        solver="simplex",
        n_columns=60,
        n_epochs=40,
        random_state=0,
        callback=rounds.append,
    )
    best = solve_margin(source, upper, tol=1e-7)
    assert solution.status == "sampled"
    assert solution.history == tuple(rounds)
    lower = [r.lower_bound for r in rounds]
    assert lower == sorted(lower)
    assert lower[0] < best.value - 1e-3
    assert solution.value == pytest.approx(best.value, abs=1e-6)
    assert solution.upper_bound >= best.value - 1e-7
    assert solution.saddle_gap < 1e-3
    assert len(set(solution.keys)) == len(solution.keys)
    assert solution.weights.sum() == pytest.approx(1.0)
    margins = source.columns(solution.keys) @ solution.weights
    if nu is None:
        assert margins.min() == pytest.approx(solution.value)


def test_fictitious_play_as_in_the_paper(source):
    solution = replace_randomly(
        source, np.ones(40), n_columns=50, n_epochs=20, n_plays=20_000, random_state=0
    )
    best = solve_margin(source, np.ones(40), tol=1e-7)
    assert best.value - 0.02 < solution.value <= best.upper_bound
    assert solution.n_iter == 20 * 20_000
    margins = source.columns(solution.keys) @ solution.weights
    assert margins.min() == pytest.approx(solution.value)


class SampleOnly:
    """A source that cannot be priced."""

    def __init__(self, source):
        self.n_rows, self.sample, self.columns = 40, source.sample, source.columns


def test_a_source_that_can_only_be_sampled_has_no_upper_bound(source):
    options = {"solver": "simplex", "n_columns": 30, "n_epochs": 5, "random_state": 1}
    blind = replace_randomly(SampleOnly(source), np.ones(40), **options)
    priced = replace_randomly(source, np.ones(40), **options)
    assert blind.upper_bound == np.inf
    assert blind.saddle_gap == np.inf
    assert blind.value == priced.value < priced.upper_bound < np.inf
    assert blind.keys == priced.keys


def test_a_game_that_takes_too_many_pivots_is_told(source, monkeypatch):
    monkeypatch.setattr("penchant.rules.play._random_replacement._MAX_PIVOTS", 1)
    with pytest.raises(PenchantError, match="use fewer columns"):
        replace_randomly(source, np.ones(40), solver="simplex", n_columns=50)


@pytest.mark.parametrize(
    ("upper", "options", "message"),
    [
        (np.full(40, 0.1), {}, "needs upper = 1 for all rows"),
        (np.ones(40), {"n_columns": 0}, "n_columns must be at least 1"),
        (np.ones(40), {"n_epochs": 0}, "n_epochs must be at least 1"),
        (np.ones(3), {}, "one entry per row"),
    ],
    ids=["soft", "columns", "epochs", "shape"],
)
def test_wrong_input_is_refused(source, upper, options, message):
    with pytest.raises(DataError, match=message):
        replace_randomly(source, upper, **options)


def test_a_single_column_that_is_missing_is_drawn(source):
    game = _Replacement(source, np.ones(40), np.random.default_rng(0))
    game.fill(5)
    game.fill(6)
    assert game._lines.shape == (6, 40)
