from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from penchant.rules.margin import _ties
from penchant.rules.margin._master import soft_margin
from penchant.rules.margin._program import prune
from penchant.rules.margin._ties import least_costly


def best_weights(C, costs=None):
    """The largest margin, and weights of it that cost most, if costs are given."""
    n, k = C.shape
    total = np.append(np.ones(k), 0.0)[None]
    bounds = [(0, None)] * k + [(None, None)]
    rows = np.hstack([-C, np.ones((n, 1))])
    found = linprog(-np.eye(k + 1)[k], rows, np.zeros(n), total, [1.0], bounds)
    value = -found.fun
    if costs is None:
        return value, found.x[:k]
    bounds[k] = (value - 1e-10, None)
    dear = linprog(-np.append(costs, 0.0), rows, np.zeros(n), total, [1.0], bounds)
    weights = np.where(dear.x[:k] > 1e-8, dear.x[:k], 0.0)
    return value, weights / weights.sum()


def all_vertices(C, value):
    """Weights of the margin with as many tight rows as they have columns, but one."""
    n, k = C.shape
    for size in range(1, min(k, n + 1) + 1):
        for columns in map(list, combinations(range(k), size)):
            for rows in map(list, combinations(range(n), size - 1)):
                system = np.vstack([C[np.ix_(rows, columns)], np.ones(size)])
                if abs(np.linalg.det(system)) < 1e-9:
                    continue
                q = np.zeros(k)
                right = np.append(np.full(size - 1, value), 1.0)
                q[columns] = np.linalg.solve(system, right)
                if q.min() >= -1e-9 and (C @ q).min() >= value - 1e-9:
                    yield np.maximum(q, 0.0)


def complexity(costs, weights):
    return np.count_nonzero(costs[weights > 1e-7]), costs @ weights


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 6), k=st.integers(2, 6))
def test_the_cheapest_of_all_solutions_is_found(seed, n, k):
    rng = np.random.default_rng(seed)
    C = rng.integers(-1, 2, (n, k)).astype(float)
    costs = rng.choice([0.0, 1.0, 1.001], k)
    value, dear = best_weights(C, costs)
    weights = least_costly(C.T, costs, dear)
    assert weights.min() >= 0.0
    assert weights.sum() == pytest.approx(1.0)
    assert (C @ weights).min() == pytest.approx(value, abs=1e-8)
    solutions = [complexity(costs, q) for q in all_vertices(C, value)]
    least = min(cost for _, cost in solutions)
    n_before = complexity(costs, dear)[0]
    n_after, cost = complexity(costs, weights)
    assert n_after <= n_before
    if all(n <= n_before for n, each in solutions if each <= least + 1e-7):
        assert cost == pytest.approx(least, abs=2e-6)


def test_rules_without_cost_take_over():
    # Columns: always, a, b, and "a or b"; rows: a, b, both, neither (turned round).
    C = np.array([[-1, 1, 0, 1], [-1, 0, 1, 1], [-1, 1, 1, 1], [1, 0, 0, 0]]) * 1.0
    two = np.array([0.2, 0.4, 0.4, 0.0])
    one = np.array([1.0, 0.0, 0.0, 2.0]) / 3.0
    assert (C @ one).min() == pytest.approx(1 / 3)
    weights = least_costly(C.T, np.array([0.0, 1.0, 1.0, 1.0]), two)
    np.testing.assert_allclose(weights, one, atol=1e-9)


def test_of_equal_columns_the_short_one_is_taken():
    C = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    long = np.array([0.0, 0.5, 0.5])
    weights = least_costly(C.T, np.array([1.0, 1.001, 1.0]), long)
    np.testing.assert_allclose(weights, [0.5, 0.0, 0.5], atol=1e-9)


@given(seed=st.integers(0, 10_000))
def test_a_single_solution_is_left_alone(seed):
    rng = np.random.default_rng(seed)
    C = rng.standard_normal((30, 12))
    _, only = best_weights(C)
    assert least_costly(C.T, rng.random(12), only) is only


def test_more_columns_are_no_simplification():
    # One column of cost 1 does what two of cost 0.4 do as well.
    C = np.array([[0.5, 1.0, 0.0], [0.5, 0.0, 1.0]])
    one, costs = np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.4, 0.4])
    assert least_costly(C.T, costs, one) is one
    two = np.array([0.0, 0.5, 0.5])
    assert least_costly(C.T, costs, two) is two


def many_rows(n=4000):
    """Columns of "a = 0 and b", whose first half can be said in two ways."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, n), rng.integers(0, 2, (n, 7))
    holds = (a == 0) & (b[:, 0] == 1)
    X = np.column_stack([np.ones(n), a == 0, a == 1, a == 2, b])
    C = X * np.where(holds, 1.0, -1.0)[:, None]
    costs = np.ones(2 * X.shape[1])
    costs[[0, X.shape[1]]] = 0.0
    return np.hstack([C, -C]), costs


def test_rows_are_added_until_all_have_the_margin():
    C, costs = many_rows()
    value, dear = best_weights(C, costs)
    # 2 for a = 0 and for b, 3 for the bias; or 2 against a = 1, 2 against a = 2, 2 for
    # b and 1 for the bias.
    assert value == pytest.approx(1 / 7)
    assert costs @ dear == pytest.approx(6 / 7)
    weights = least_costly(C.T, costs, dear)
    assert (C @ weights).min() == pytest.approx(value, abs=1e-9)
    assert np.sort(weights)[-3:] == pytest.approx([2 / 7, 2 / 7, 3 / 7])


@pytest.mark.parametrize("name", ["_MOST_PIVOTS", "_MOST_ROUNDS"])
def test_what_takes_too_long_is_left_alone(name, monkeypatch):
    C, costs = many_rows()
    _, dear = best_weights(C, costs)
    monkeypatch.setattr(_ties, name, 0)
    assert least_costly(C.T, costs, dear) is dear


def draw(n_rows, seed, nu):
    rng = np.random.default_rng(seed)
    weights = rng.random(n_rows) + 0.01
    return rng.standard_normal(n_rows), weights / (nu * weights.sum())


@given(
    n_rows=st.integers(1, 30),
    seed=st.integers(0, 1000),
    nu=st.sampled_from([0.01, 0.3, 0.8, 1.0]),
)
def test_the_soft_margin_is_natures_best_answer(n_rows, seed, nu):
    margins, upper = draw(n_rows, seed, nu)
    reached, rho = soft_margin(margins, upper)
    answer = linprog(
        margins, A_eq=np.ones((1, n_rows)), b_eq=[1.0], bounds=np.c_[0 * upper, upper]
    )
    assert reached == pytest.approx(answer.fun, abs=1e-9)
    assert reached == pytest.approx(rho - upper @ np.maximum(rho - margins, 0.0))
    nearby = rho + np.linspace(-1.0, 1.0, 41)
    losses = np.maximum(nearby[:, None] - margins, 0.0) @ upper
    assert (nearby - losses <= reached + 1e-12).all()


def test_the_hard_margin_is_the_smallest():
    margins = np.array([0.4, -0.1, 0.9])
    assert soft_margin(margins, np.ones(3)) == (-0.1, -0.1)


@given(
    k=st.integers(1, 20),
    seed=st.integers(0, 1000),
    slack=st.sampled_from([0.0, 0.01, 1]),
)
def test_pruning_keeps_the_floor(k, seed, slack):
    rng = np.random.default_rng(seed)
    columns = rng.uniform(-1.0, 1.0, (k, 12))
    weights = rng.dirichlet(np.full(k, 0.3))
    upper = np.full(12, 0.3)
    floor = soft_margin(weights @ columns, upper)[0] - slack
    kept = prune(columns, weights, upper, floor)
    shares = weights[kept] / weights[kept].sum()
    assert soft_margin(shares @ columns[kept], upper)[0] >= floor - 1e-12
    assert kept.any()
    assert weights[kept].min() >= weights[~kept].max(initial=0.0)


def test_pruning_drops_what_does_not_matter():
    columns = np.array([[0.5, 0.5], [0.5, 0.5], [-1.0, -1.0]])
    weights = np.array([0.9, 0.09, 0.01])
    kept = prune(columns, weights, np.ones(2), floor=0.48)
    assert kept.tolist() == [True, False, False]
