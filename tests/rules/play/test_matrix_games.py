import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from penchant.exceptions import DataError
from penchant.solvers import solve_matrix_game

KINDS = ["normal", "signs", "rare", "rank one", "constant", "tiny", "huge"]


def make_game(kind: str, n_rows: int, n_columns: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shape = (n_rows, n_columns)
    made = {
        "normal": lambda: rng.standard_normal(shape),
        "signs": lambda: rng.integers(-1, 2, shape).astype(float),
        "rare": lambda: (rng.random(shape) < 0.15).astype(float),
        "rank one": lambda: np.outer(
            rng.normal(size=n_rows), rng.normal(size=n_columns)
        ),
        "constant": lambda: np.full(shape, 0.3),
        "tiny": lambda: 1e-5 * rng.random(shape),
        "huge": lambda: 1e5 * rng.standard_normal(shape),
    }
    return made[kind]()


def value_by_linprog(M: np.ndarray) -> float:
    """The column player's program, written out: max v with M q >= v."""
    n_rows, n_columns = M.shape
    scale = max(np.abs(M).max(), 1e-300)
    result = linprog(
        np.append(np.zeros(n_columns), -1.0),
        A_ub=np.hstack([-M / scale, np.ones((n_rows, 1))]),
        b_ub=np.zeros(n_rows),
        A_eq=np.append(np.ones(n_columns), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n_columns + [(None, None)],
    )
    return -result.fun * scale


@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    n_rows=st.integers(1, 25),
    n_columns=st.integers(1, 25),
    seed=st.integers(0, 10_000),
    is_sparse=st.booleans(),
)
def test_it_agrees_with_linprog_and_tells_its_gap(
    kind, n_rows, n_columns, seed, is_sparse
):
    M = make_game(kind, n_rows, n_columns, seed)
    scale = np.abs(M).max() or 1.0
    value = value_by_linprog(M)
    tol = 1e-8 * scale
    solution = solve_matrix_game(sparse.csr_array(M) if is_sparse else M, tol=tol)
    assert solution.status == "optimal"
    for strategy in (solution.p, solution.q):
        assert (strategy >= 0.0).all()
        assert strategy.sum() == pytest.approx(1.0, abs=1e-9)
    gap = (solution.p @ M).max() - (M @ solution.q).min()
    assert solution.saddle_gap == pytest.approx(gap, abs=1e-12 * scale)
    assert gap <= tol
    assert solution.value == pytest.approx(solution.p @ M @ solution.q)
    assert abs(solution.value - value) <= tol + 1e-7 * scale


def test_a_saddle_point_in_pure_strategies_is_found():
    M = np.array([[4.0, 2.0, 3.0], [1.0, 0.0, -1.0], [5.0, 3.0, 9.0]])
    solution = solve_matrix_game(M, tol=1e-3)
    assert solution.value == pytest.approx(1.0, abs=1e-2)
    assert solution.p.argmax() == 1
    assert solution.q.argmax() == 0


def test_the_players_of_a_symmetric_game_play_alike():
    half = np.random.default_rng(0).standard_normal((30, 30))
    solution = solve_matrix_game(half - half.T, tol=1e-9)
    assert solution.value == pytest.approx(0.0, abs=1e-9)
    assert solution.p == pytest.approx(solution.q, abs=1e-4)


@pytest.mark.parametrize("shape", [(700, 450), (450, 700)], ids=["tall", "wide"])
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
def test_large_games_start_in_single_precision_and_still_reach_the_gap(shape, tol):
    M = np.random.default_rng(1).uniform(-1.0, 1.0, shape)
    solution = solve_matrix_game(M, tol=tol)
    assert solution.status == "optimal"
    assert (solution.p @ M).max() - (M @ solution.q).min() <= tol


@pytest.mark.parametrize("shape", [(60, 400), (400, 60)], ids=["wide", "tall"])
@pytest.mark.parametrize(
    "form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"]
)
def test_games_too_large_to_hold_are_solved_column_by_column(shape, form, monkeypatch):
    monkeypatch.setattr("penchant.rules.play._matrix_games._SMALL", 500)
    monkeypatch.setattr("penchant.rules.play._matrix_games._DENSE", 1_000)
    rng = np.random.default_rng(2)
    M = rng.standard_normal(shape) * (rng.random(shape) < 0.5)
    solution = solve_matrix_game(form(M), tol=1e-6)
    assert solution.status == "optimal"
    assert (solution.p @ M).max() - (M @ solution.q).min() <= 1e-6
    assert solution.value == pytest.approx(value_by_linprog(M), abs=2e-6)


def test_a_large_game_of_few_choices_is_solved_column_by_column(monkeypatch):
    monkeypatch.setattr("penchant.rules.play._matrix_games._SMALL", 1_000)
    rng = np.random.default_rng(5)
    M = (rng.random((80, 50)) < 0.2) * rng.choice([-1.0, 1.0], 50)
    for game in (M, sparse.csr_array(M)):
        solution = solve_matrix_game(game, tol=1e-7)
        assert solution.status == "optimal"
        assert solution.value == pytest.approx(value_by_linprog(M), abs=2e-7)


@pytest.mark.parametrize("largest", [1_000_000, 1_000], ids=["whole", "by columns"])
def test_too_few_iterations_are_told(largest, monkeypatch):
    monkeypatch.setattr("penchant.rules.play._matrix_games._SMALL", largest)
    monkeypatch.setattr("penchant.rules.play._matrix_games._DENSE", largest)
    M = np.random.default_rng(3).standard_normal((40, 30))
    solution = solve_matrix_game(M, tol=1e-9, max_iter=3)
    assert solution.status == "iteration_limit"
    assert solution.saddle_gap > 1e-9
    assert solution.saddle_gap == pytest.approx(
        (solution.p @ M).max() - (M @ solution.q).min()
    )


def test_a_gap_below_rounding_is_told():
    M = np.random.default_rng(3).standard_normal((40, 30))
    solution = solve_matrix_game(M, tol=1e-300)
    assert solution.status in ("stalled", "iteration_limit")
    assert 0.0 <= solution.saddle_gap < 1e-9


def test_the_matrix_is_left_as_it_was():
    M = np.asfortranarray(np.random.default_rng(4).standard_normal((30, 20)))
    before = M.copy()
    solve_matrix_game(M)
    assert np.array_equal(M, before)


@pytest.mark.parametrize(
    ("M", "options", "message"),
    [
        ([1.0, 2.0], {}, "must be a matrix"),
        (np.empty((0, 3)), {}, "must be a matrix"),
        ([[1.0, np.nan]], {}, "must be finite"),
        ([[1.0]], {"tol": 0.0}, "tol must be positive"),
    ],
    ids=["vector", "empty", "nan", "tol"],
)
def test_wrong_input_is_refused(M, options, message):
    with pytest.raises(DataError, match=message):
        solve_matrix_game(M, **options)


def test_a_game_with_two_columns_is_mixed():
    # The lower envelope of three lines has its peak where the first two cross.
    solution = solve_matrix_game([[3.0, -1.0], [-2.0, 1.0], [4.0, 2.0]])
    np.testing.assert_allclose(solution.q, [2 / 7, 5 / 7], atol=1e-6)
    assert solution.value == pytest.approx(1 / 7, abs=1e-5)
