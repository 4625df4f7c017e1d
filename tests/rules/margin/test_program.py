from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from experiments.prl._hands import make_poker
from penchant.datasets import make_tic_tac_toe
from penchant.exceptions import DataError
from penchant.solvers import MarginRound, MatrixSource, Priced, solve_margin

KINDS = ["normal", "rules", "whole", "equal rows", "equal columns", "zero columns"]


def draw_features(kind, n_rows, n_features, rng):
    X = rng.standard_normal((n_rows, n_features))
    if kind == "rules":
        X = (X > 0.5).astype(float)
    elif kind == "whole":
        X = np.round(X)
    elif kind == "equal rows":
        X[:] = X[0]
    elif kind == "equal columns":
        X[:] = X[:, :1]
    elif kind == "zero columns":
        X[:, ::2] = 0.0
    return X


def draw_upper(kind, n_rows, rng):
    if kind == "hard":
        return np.ones(n_rows)
    weights = np.ones(n_rows)
    if kind in ("weights", "no weight"):
        weights = 10.0 ** rng.uniform(-3.0, 0.0, n_rows)
    if kind == "no weight":
        weights[1:][rng.random(n_rows - 1) < 0.4] = 0.0
    nu = rng.choice([0.02, 0.2, 0.5, 0.9, 1.0])
    return weights / (nu * weights.sum())


def game_matrix(X, signs):
    sizes = np.abs(X).max(axis=0)
    scaled = signs[:, None] * X / np.where(sizes > 0.0, sizes, 1.0)
    return np.hstack([scaled, -scaled])


def value_by_linprog(C, upper):
    """PRL-3 as it stands, with the slack of every row."""
    n, k = C.shape
    result = linprog(
        np.concatenate([np.zeros(k), upper, [-1.0]]),
        A_ub=np.hstack([-C, -np.eye(n), np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=np.concatenate([np.ones(k), np.zeros(n + 1)])[None],
        b_eq=[1.0],
        bounds=[(0, None)] * (k + n) + [(None, None)],
    )
    return -result.fun


def check_solution(solution, source, C, upper, tol):
    """Recompute both bounds from what was returned."""
    capped = np.minimum(upper, 1.0)
    assert solution.status == "optimal"
    assert solution.saddle_gap <= tol
    assert (solution.p >= 0.0).all()
    assert (solution.p <= capped + 1e-12).all()
    assert solution.p.sum() == pytest.approx(1.0, abs=1e-9)
    assert (C.T @ solution.p).max() == pytest.approx(solution.upper_bound, abs=1e-9)
    assert (solution.weights > 0.0).all()
    assert solution.weights.sum() == pytest.approx(1.0, abs=1e-9)
    assert (np.diff(solution.weights) <= 0.0).all()
    margins = source.columns(solution.keys) @ solution.weights
    answer = linprog(
        margins,
        A_eq=np.ones((1, len(margins))),
        b_eq=[1.0],
        bounds=np.c_[0 * upper, capped],
    )
    assert solution.value == solution.lower_bound
    assert solution.lower_bound == pytest.approx(answer.fun, abs=1e-8)


@settings(max_examples=80)
@given(
    kind=st.sampled_from(KINDS),
    bounds=st.sampled_from(["hard", "soft", "weights", "no weight"]),
    n_rows=st.integers(1, 40),
    n_features=st.integers(1, 30),
    seed=st.integers(0, 10_000),
    tol=st.sampled_from([1e-3, 1e-6, 1e-8]),
    is_sparse=st.booleans(),
)
def test_the_value_is_that_of_the_linear_program(
    kind, bounds, n_rows, n_features, seed, tol, is_sparse
):
    rng = np.random.default_rng(seed)
    X = draw_features(kind, n_rows, n_features, rng)
    signs = rng.choice([-1.0, 1.0], n_rows)
    upper = draw_upper(bounds, n_rows, rng)
    source = MatrixSource(sparse.csr_array(X) if is_sparse else X, signs)
    solution = solve_margin(source, upper, tol=tol)
    C = game_matrix(X, signs)
    check_solution(solution, source, C, upper, tol)
    value = value_by_linprog(C, upper)
    assert solution.lower_bound - 1e-8 <= value <= solution.upper_bound + 1e-8
    assert solution.upper_bound >= 0.0  # V >= 0: both signs are columns


def test_soft_margins_lie_above_the_hard_one():
    rng = np.random.default_rng(0)
    X, signs = rng.standard_normal((40, 6)), rng.choice([-1.0, 1.0], 40)
    source = MatrixSource(X, signs)
    values = [
        solve_margin(source, np.full(40, bound), tol=1e-7).value
        for bound in (1.0, 1.0 / (0.3 * 40), 1.0 / (0.7 * 40))
    ]
    assert values == sorted(values)


def tic_tac_toe():
    boards = make_tic_tac_toe()
    X = boards.data.to_numpy()
    signs = np.where(boards.target == 1, 1.0, -1.0)
    products = [
        X[:, squares].prod(axis=1)
        for degree in (1, 2, 3)
        for squares in combinations(range(27), degree)
    ]
    return np.array([np.ones(len(X)), *(v for v in products if v.any())]).T, signs


def test_the_lines_of_tic_tac_toe_and_nothing_else():
    table, signs = tic_tac_toe()
    source = MatrixSource(table, signs)
    solution = solve_margin(source, np.ones(len(signs)))
    assert solution.status == "optimal"
    assert solution.saddle_gap <= 1e-6
    # V = 1/17: eight lines and the always-true column (RULES_SOLVER, section 2).
    assert solution.value == pytest.approx(1.0 / 17.0, abs=1e-7)
    assert len(solution.keys) == 9
    covered = table[:, [key[0] for key in solution.keys]].sum(axis=0)
    assert covered.max() == len(signs)
    wins = [key for key in solution.keys if key[1] == 1]
    assert len(wins) == 8
    assert (signs[table[:, [key[0] for key in wins]].any(axis=1)] == 1.0).all()


def said_in_two_ways(n_rows=600):
    """Features of "a = 0 and b": "a = 0", or neither "a = 1" nor "a = 2"."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, n_rows), rng.integers(0, 2, (n_rows, 4))
    table = np.column_stack([np.ones(n_rows), a == 0, a == 1, a == 2, b])
    return table, np.where((a == 0) & (b[:, 0] == 1), 1.0, -1.0)


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-8])
def test_of_several_solutions_the_cheapest_is_taken(tol):
    table, signs = said_in_two_ways()
    source, upper = MatrixSource(table, signs), np.ones(len(signs))
    dear = solve_margin(source, upper, tol=tol, cost=lambda key: float(key[0] == 1))
    cheap = solve_margin(source, upper, tol=tol, cost=lambda key: float(key[0] > 0))
    assert {key[0] for key in dear.keys} == {0, 2, 3, 4}
    assert {key[0] for key in cheap.keys} == {0, 1, 4}
    np.testing.assert_allclose(cheap.weights, [3 / 7, 2 / 7, 2 / 7], atol=1e-9)
    for solution in (dear, cheap):
        assert solution.value == pytest.approx(1 / 7, abs=1e-9)
        check_solution(solution, source, game_matrix(table, signs), upper, tol)


@settings(max_examples=40)
@given(
    kind=st.sampled_from(KINDS),
    n_rows=st.integers(2, 40),
    n_features=st.integers(1, 30),
    seed=st.integers(0, 10_000),
    tol=st.sampled_from([1e-3, 1e-6, 1e-8]),
)
def test_costs_leave_the_certificate_as_it_is(kind, n_rows, n_features, seed, tol):
    rng = np.random.default_rng(seed)
    X = draw_features(kind, n_rows, n_features, rng)
    source = MatrixSource(X, rng.choice([-1.0, 1.0], n_rows))
    costs = rng.choice([0.0, 1.0, 1.001], n_features)
    upper = np.ones(n_rows)
    upper[2:] = rng.random(n_rows - 2) < 0.8
    plain = solve_margin(source, upper, tol=tol)
    simple = solve_margin(source, upper, tol=tol, cost=lambda key: costs[key[0]])
    assert simple.status == "optimal"
    assert simple.saddle_gap <= tol
    assert simple.upper_bound == plain.upper_bound
    np.testing.assert_array_equal(simple.p, plain.p)
    assert simple.value >= plain.value - 1e-9
    margins = source.columns(simple.keys) @ simple.weights
    assert margins[upper > 0].min() == pytest.approx(simple.value, abs=1e-12)
    n_plain, n_simple = (
        sum(costs[key[0]] > 0 for key in solution.keys) for solution in (plain, simple)
    )
    assert n_simple <= n_plain


def test_costs_change_nothing_where_there_is_one_solution():
    rng = np.random.default_rng(10)
    source = MatrixSource(rng.standard_normal((50, 40)), rng.choice([-1.0, 1.0], 50))
    costs = rng.random(40)
    plain, simple = (
        solve_margin(source, np.ones(50), tol=1e-6, cost=cost)
        for cost in (None, lambda key: costs[key[0]])
    )
    assert simple.keys == plain.keys
    np.testing.assert_array_equal(simple.weights, plain.weights)


def test_large_solutions_are_not_simplified(monkeypatch):
    table, signs = said_in_two_ways()
    source, upper = MatrixSource(table, signs), np.ones(len(signs))
    monkeypatch.setattr("penchant.rules.margin._program._TIED_COLUMNS", 2)
    plain, same = (
        solve_margin(source, upper, cost=cost) for cost in (None, lambda key: 1.0)
    )
    assert same.keys == plain.keys
    np.testing.assert_array_equal(same.weights, plain.weights)


def test_large_sets_go_through_many_rounds_and_purges():
    rng = np.random.default_rng(1)
    X = (rng.random((300, 3000)) < 0.3).astype(float)
    signs = np.where(
        X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(size=300) > 0.3, 1.0, -1.0
    )
    source = MatrixSource(X, signs)
    upper = np.full(300, 1.0 / (0.02 * 300))
    rounds: list[MarginRound] = []
    solution = solve_margin(source, upper, tol=1e-6, callback=rounds.append)
    check_solution(solution, source, game_matrix(X, signs), upper, 1e-6)
    assert tuple(rounds) == solution.history
    lower, over = np.array([(r.lower_bound, r.upper_bound) for r in rounds]).T
    assert (np.diff(lower) >= 0.0).all()
    assert (np.diff(over) <= 0.0).all()
    assert len(rounds) > 3
    assert solution.n_columns < 6000


def test_columns_without_weight_leave_the_working_set():
    hands = make_poker(4000, level=3, random_state=0)
    conditions = [np.ones(4000)]
    for values in hands.data.to_numpy().T:
        for level in np.unique(values):
            conditions += [values == level, values >= level]
    table = np.array(conditions, dtype=float).T
    is_trips = (hands.target == 3).to_numpy()
    sizes = np.where(is_trips, is_trips.sum(), (~is_trips).sum())
    upper = 1.0 / (2 * 0.02 * sizes)
    source = MatrixSource(table, np.where(is_trips, 1.0, -1.0))
    solution = solve_margin(source, upper, tol=1e-6)
    sizes = [r.n_columns for r in solution.history]
    assert min(np.diff(sizes)) < 0
    C = game_matrix(table, np.where(is_trips, 1.0, -1.0))
    assert solution.status == "optimal"
    assert (C.T @ solution.p).max() - solution.lower_bound <= 1e-6


@pytest.mark.parametrize("limit", ["_MOST_COLUMNS", "_MOST_PIVOTS"])
def test_without_a_vertex_the_pruned_weights_stay(limit, monkeypatch):
    rng = np.random.default_rng(9)
    X, signs = rng.standard_normal((60, 80)), rng.choice([-1.0, 1.0], 60)
    source, upper = MatrixSource(X, signs), np.full(60, 0.05)
    monkeypatch.setattr(f"penchant.rules.margin._program.{limit}", 1)
    solution = solve_margin(source, upper, tol=1e-5)
    check_solution(solution, source, game_matrix(X, signs), upper, 1e-5)


def test_more_columns_than_rows_and_single_precision():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((450, 4000))
    signs = rng.choice([-1.0, 1.0], 450)
    source = MatrixSource(X, signs)
    upper = np.full(450, 1.0 / (0.1 * 450))
    solution = solve_margin(source, upper, tol=1e-5)
    assert solution.n_columns > 450
    check_solution(solution, source, game_matrix(X, signs), upper, 1e-5)


def test_a_start_saves_rounds_and_keeps_the_answer():
    rng = np.random.default_rng(3)
    X, signs = rng.standard_normal((80, 500)), rng.choice([-1.0, 1.0], 80)
    source = MatrixSource(X, signs)
    upper = np.full(80, 1.0 / (0.3 * 80))
    cold = solve_margin(source, upper, tol=1e-6)
    warm = solve_margin(source, upper, tol=1e-6, start=[*cold.keys, cold.keys[0]])
    assert len(warm.history) < len(cold.history)
    assert warm.value == pytest.approx(cold.value, abs=2e-6)


def test_auto_tolerance_follows_the_value():
    rng = np.random.default_rng(4)
    X, signs = rng.standard_normal((60, 40)), rng.choice([-1.0, 1.0], 60)
    source = MatrixSource(X, signs)
    solution = solve_margin(source, np.full(60, 1.0 / 30.0))
    goal = max(1e-6, min(1e-3, 0.02 * solution.upper_bound))
    assert goal < 1e-3
    assert solution.saddle_gap <= goal


def test_pruning_uses_no_more_than_the_tolerance():
    rng = np.random.default_rng(5)
    X, signs = rng.standard_normal((100, 200)), rng.choice([-1.0, 1.0], 100)
    source, upper = MatrixSource(X, signs), np.full(100, 1.0 / 40.0)
    loose = solve_margin(source, upper, tol=1e-2)
    tight = solve_margin(source, upper, tol=1e-7)
    assert len(loose.keys) < len(tight.keys)
    assert tight.value - 1e-2 <= loose.value <= tight.upper_bound


def test_nothing_separable_gives_a_value_of_zero():
    X = np.array([[1.0, 2.0], [1.0, 2.0]])
    solution = solve_margin(MatrixSource(X, [1.0, -1.0]), np.ones(2))
    assert solution.status == "optimal"
    assert solution.value == pytest.approx(0.0, abs=1e-6)
    assert solution.upper_bound == pytest.approx(0.0, abs=1e-6)


def test_bounds_that_leave_no_choice():
    X = np.array([[1.0, 0.1], [-1.0, 0.3], [1.0, 1.0]])
    solution = solve_margin(MatrixSource(X, np.ones(3)), np.full(3, 1.0 / 3.0))
    assert solution.status == "optimal"
    assert solution.keys == ((1, 1),)
    assert solution.value == pytest.approx(1.4 / 3.0)
    assert solution.p == pytest.approx(np.full(3, 1.0 / 3.0))


def test_the_round_limit_is_told():
    rng = np.random.default_rng(6)
    X, signs = rng.standard_normal((100, 2000)), rng.choice([-1.0, 1.0], 100)
    source, upper = MatrixSource(X, signs), np.full(100, 1.0 / 40.0)
    solution = solve_margin(source, upper, tol=1e-7, max_rounds=2)
    assert solution.status == "round_limit"
    assert len(solution.history) == 2
    assert solution.saddle_gap > 1e-7
    best = game_matrix(X, signs)
    assert (best.T @ solution.p).max() == pytest.approx(solution.upper_bound)


def test_the_column_limit_is_told():
    rng = np.random.default_rng(6)
    X, signs = rng.standard_normal((100, 2000)), rng.choice([-1.0, 1.0], 100)
    source, upper = MatrixSource(X, signs), np.full(100, 1.0 / 40.0)
    whole = solve_margin(source, upper, tol=1e-7)
    solution = solve_margin(source, upper, tol=1e-7, max_columns=80)
    assert solution.status == "column_limit"
    assert [here.n_columns for here in solution.history] == [50, 100]
    assert solution.lower_bound <= whole.value <= solution.upper_bound
    enough = solve_margin(source, upper, tol=1e-7, max_columns=whole.n_columns + 1)
    assert enough.status == "optimal"


class LooseSource(MatrixSource):
    """Its bound holds, but is never tight."""

    def price(self, weights, n_best):
        priced = super().price(weights, n_best)
        return Priced(priced.bound + 0.01, priced.keys, priced.payoffs)


def test_a_bound_that_is_not_tight_is_told():
    rng = np.random.default_rng(7)
    source = LooseSource(rng.standard_normal((30, 20)), rng.choice([-1.0, 1.0], 30))
    solution = solve_margin(source, np.full(30, 0.1), tol=1e-4)
    assert solution.status == "stalled"
    assert solution.saddle_gap == pytest.approx(0.01, abs=1e-3)
    assert solve_margin(source, np.full(30, 1.0 / 30.0)).status == "stalled"


class EmptySource:
    n_rows = 3

    def price(self, weights, n_best):
        return Priced(0.0, [], np.empty(0))

    def columns(self, keys):
        return np.empty((3, 0))


def test_a_source_without_columns_is_refused():
    with pytest.raises(DataError, match="at least one column"):
        solve_margin(EmptySource(), np.ones(3))


def test_an_interrupt_leaves_the_source_usable():
    rng = np.random.default_rng(8)
    source = MatrixSource(rng.standard_normal((50, 300)), rng.choice([-1.0, 1.0], 50))

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_margin(source, np.full(50, 0.1), callback=interrupt)
    assert solve_margin(source, np.full(50, 0.1)).status == "optimal"


@pytest.mark.parametrize(
    ("upper", "options", "message"),
    [
        ([0.2, 0.3], {}, "sum to at least 1"),
        ([1.0, -0.1], {}, "finite and >= 0"),
        ([1.0, np.nan], {}, "finite and >= 0"),
        ([1.0], {}, "one entry per row"),
        ([1.0, 1.0], {"tol": -1.0}, "tol must be positive"),
        ([0.6, 0.6], {"cost": hash}, "cost chooses among hard margins"),
    ],
    ids=["sum", "negative", "nan", "shape", "tol", "cost"],
)
def test_wrong_input_is_refused(upper, options, message):
    with pytest.raises(DataError, match=message):
        solve_margin(MatrixSource(np.eye(2), [1.0, -1.0]), upper, **options)
