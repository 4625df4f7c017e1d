"""Support vector machines against libsvm, a quadratic program and their duality gap."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC, SVR

from penchant.exceptions import DataError
from penchant.solvers import SupportVectorProblem


def gaussian(n, seed, *, n_columns=3):
    """A kernel, rounded as libsvm rounds it: otherwise it solves another problem."""
    X = np.random.default_rng(seed).normal(size=(n, n_columns))
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(-1))
    return X, K.astype(np.float32).astype(np.float64)


def values(K, found):
    return K @ found.coefficients + found.intercept


def violation(problem, K, b):
    """By definition: what rising coefficients win, less what falling ones lose."""
    slopes = problem.target - K @ b
    rise = slopes - np.where(b >= 0, problem.epsilon, -problem.epsilon)
    fall = slopes - np.where(b > 0, problem.epsilon, -problem.epsilon)
    asked = rise[b < problem.upper].max()
    return max(asked - fall[b > problem.lower].min(), 0.0)


def dual(problem, K, b):
    return b @ K @ b / 2 - problem.target @ b + problem.epsilon * np.abs(b).sum()


def primal(problem, K, found):
    """Losses and norm; a row pays up to `upper` or `lower` per unit of error."""
    b = found.coefficients
    error = problem.target - values(K, found)
    above = np.maximum(error - problem.epsilon, 0.0)
    below = np.maximum(-error - problem.epsilon, 0.0)
    return b @ K @ b / 2 + problem.upper @ above - problem.lower @ below


def solve_with_cvxpy(problem, K):
    b = cp.Variable(len(K))
    objective = (
        cp.quad_form(b, cp.psd_wrap(K)) / 2
        - problem.target @ b
        + problem.epsilon * cp.norm1(b)
    )
    rules = [cp.sum(b) == 0, b >= problem.lower, b <= problem.upper]
    program = cp.Problem(cp.Minimize(objective), rules)
    program.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10)
    return program.value, b.value


@st.composite
def problems(draw):
    """Problems of all sizes, with kernels of any rank and rows that are the same."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    n = draw(st.integers(2, 12))
    Z = rng.normal(size=(n, draw(st.integers(0, 4)))).round(1)
    Z = Z[rng.integers(0, n, n)] if draw(st.booleans()) else Z
    distances = ((Z[:, None] - Z) ** 2).sum(-1)
    K = np.exp(-distances) if draw(st.booleans()) else Z @ Z.T
    C = 10.0 ** draw(st.integers(-6, 2))
    if draw(st.booleans()):
        y = rng.normal(size=n).round(draw(st.integers(0, 3)))
        epsilon = draw(st.sampled_from([0.0, 0.1, 1.0]))
        return SupportVectorProblem.regression(y, C, epsilon), K
    is_positive = np.arange(n) < draw(st.integers(1, n - 1))
    limits = C * rng.uniform(0.1, 1.0, n)
    return SupportVectorProblem.classification(is_positive, limits), K


@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_regression_is_that_of_libsvm(C, epsilon):
    X, K = gaussian(60, 0)
    y = np.sin(X[:, 0]) + X[:, 1]
    found = SupportVectorProblem.regression(y, C, epsilon).solve(K, tol=1e-10)
    theirs = SVR(kernel="precomputed", C=C, epsilon=epsilon, tol=1e-10).fit(K, y)
    assert found.status == "optimal"
    np.testing.assert_allclose(values(K, found), theirs.predict(K), atol=1e-7)
    assert found.intercept == pytest.approx(theirs.intercept_[0], abs=1e-7)
    np.testing.assert_array_equal(np.flatnonzero(found.coefficients), theirs.support_)


@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
def test_two_classes_are_those_of_libsvm(C):
    X, K = gaussian(60, 1)
    is_positive = X[:, 0] + 0.5 * X[:, 1] ** 2 > 0.4
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 60)
    problem = SupportVectorProblem.classification(is_positive, C * weights)
    found = problem.solve(K, tol=1e-10)
    theirs = SVC(kernel="precomputed", C=C, tol=1e-10)
    theirs.fit(K, is_positive, sample_weight=weights)
    np.testing.assert_allclose(values(K, found), theirs.decision_function(K), atol=1e-7)


def test_as_many_steps_as_libsvm():
    X, K = gaussian(80, 2)
    found = SupportVectorProblem.regression(X[:, 0], 1.0, 0.1).solve(K)
    theirs = SVR(kernel="precomputed", shrinking=False).fit(K, X[:, 0])
    assert 0.8 * theirs.n_iter_ <= found.n_iter <= 1.2 * theirs.n_iter_


@pytest.mark.parametrize("seed", range(6))
def test_same_optimum_as_a_quadratic_program(seed):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(20, 2))[rng.integers(0, 20, 20)]
    K = Z @ Z.T if seed % 2 else np.exp(-((Z[:, None] - Z) ** 2).sum(-1))
    problem = SupportVectorProblem(
        rng.normal(size=20), -rng.uniform(0, 2, 20), rng.uniform(0, 2, 20), epsilon=0.2
    )
    found = problem.solve(K, tol=1e-9)
    best, b = solve_with_cvxpy(problem, K)
    assert dual(problem, K, found.coefficients) == pytest.approx(best, abs=1e-7)
    np.testing.assert_allclose(K @ found.coefficients, K @ b, atol=1e-4)


@given(problems())
def test_the_duality_gap_is_within_the_violation(example):
    problem, K = example
    found = problem.solve(K, tol=1e-6)
    b = found.coefficients
    assert found.status == "optimal"
    assert found.violation <= 1e-6
    assert found.violation == pytest.approx(violation(problem, K, b), abs=1e-9)
    assert ((problem.lower <= b) & (b <= problem.upper)).all()
    size = problem.upper.max() - problem.lower.min()
    assert abs(b.sum()) <= 1e-12 * size
    gap = primal(problem, K, found) + dual(problem, K, b)
    slack = found.violation * (problem.upper - problem.lower).sum()
    assert -1e-9 * size <= gap <= slack + 1e-9 * size


@given(problems(), st.integers(0, 2**31))
def test_the_order_of_rows_does_not_matter(example, seed):
    problem, K = example
    order = np.random.default_rng(seed).permutation(len(K))
    other = SupportVectorProblem(
        problem.target[order],
        problem.lower[order],
        problem.upper[order],
        epsilon=problem.epsilon,
    )
    L = K[order][:, order]
    found, shuffled = problem.solve(K, tol=1e-8), other.solve(L, tol=1e-8)
    # Strong convexity: the squared norm of the difference is at most twice the gaps.
    gap = 1e-8 * (problem.upper - problem.lower).sum()
    near = 1e-9 + 2 * np.sqrt(gap * max(K.max(), 0.0))
    first, second = K @ found.coefficients, L @ shuffled.coefficients
    np.testing.assert_allclose(second, first[order], atol=near)


def test_equal_targets_need_no_kernel():
    _, K = gaussian(9, 3)
    found = SupportVectorProblem.regression(np.full(9, 2.5), 1.0, 0.1).solve(K)
    assert (found.coefficients == 0).all()
    assert found.intercept == pytest.approx(2.5)
    assert (found.n_iter, found.violation, found.status) == (0, 0.0, "optimal")


def test_rows_that_cannot_be_told_apart_leave_the_majority():
    K = np.ones((5, 5))
    found = SupportVectorProblem.classification([1, 1, 1, 0, 0], 1.0).solve(K)
    np.testing.assert_allclose(values(K, found), 1.0)


def test_a_tiny_cost_leaves_all_coefficients_of_the_smaller_class_at_the_limit():
    X, K = gaussian(30, 4)
    is_positive = X[:, 0] > 0.5
    found = SupportVectorProblem.classification(is_positive, 1e-9).solve(K, tol=1e-12)
    assert (found.coefficients[is_positive] == 1e-9).all()
    assert found.coefficients.sum() == pytest.approx(0.0, abs=1e-20)


def test_a_huge_cost_separates_what_can_be_separated():
    X, K = gaussian(30, 5)
    is_positive = X[:, 0] > 0
    found = SupportVectorProblem.classification(is_positive, 1e9).solve(K, tol=1e-9)
    margins = np.where(is_positive, 1.0, -1.0) * values(K, found)
    assert margins.min() == pytest.approx(1.0, abs=1e-8)


def test_steps_can_be_limited():
    X, K = gaussian(40, 6)
    problem = SupportVectorProblem.regression(X[:, 0], 10.0, 0.01)
    none, few = problem.solve(K, max_iter=0), problem.solve(K, max_iter=7)
    assert (none.n_iter, few.n_iter) == (0, 7)
    assert none.status == few.status == "iteration_limit"
    assert few.violation == pytest.approx(violation(problem, K, few.coefficients))
    assert dual(problem, K, few.coefficients) < 0 == dual(problem, K, none.coefficients)


def test_a_start_saves_steps():
    X, K = gaussian(40, 9)
    problem = SupportVectorProblem.regression(X[:, 0], 10.0, 0.01)
    rough = problem.solve(K, tol=1e-2)
    start = rough.coefficients.copy()
    rest = problem.solve(K, tol=1e-8, start=start)
    whole = problem.solve(K, tol=1e-8)
    assert 0 < rest.n_iter < whole.n_iter
    np.testing.assert_allclose(values(K, rest), values(K, whole), atol=1e-7)
    np.testing.assert_array_equal(start, rough.coefficients)
    assert problem.solve(K, tol=1e-2, start=start).n_iter == 0


def test_rounding_ends_the_search_when_the_tolerance_does_not():
    X, K = gaussian(40, 7)
    found = SupportVectorProblem.regression(X[:, 0], 10.0, 0.01).solve(K, tol=1e-300)
    assert found.status == "stalled"
    assert 0 < found.violation < 1e-11


def test_many_rounds_find_the_same_as_one(monkeypatch):
    X, K = gaussian(40, 8)
    problem = SupportVectorProblem.regression(X[:, 0], 10.0, 0.01)
    whole = problem.solve(K, tol=1e-9)
    monkeypatch.setattr("penchant.explanation.retraining._support_vectors._ROUND", 50)
    parts = problem.solve(K, tol=1e-9)
    assert parts.n_iter > 50
    assert parts.status == "optimal"
    np.testing.assert_allclose(values(K, parts), values(K, whole), atol=1e-8)


@pytest.mark.parametrize("hole", [np.nan, np.inf])
def test_kernels_must_be_finite(hole):
    K = np.eye(4)
    K[1, 2] = K[2, 1] = hole
    with pytest.raises(DataError, match="must be finite"):
        SupportVectorProblem.regression([1.0, 2.0, 3.0, 4.0], 1.0, 0.1).solve(K)


def test_problems_that_make_no_sense_say_what_must_hold():
    with pytest.raises(DataError, match="rows of two classes"):
        SupportVectorProblem.classification([True, True], 1.0)
    with pytest.raises(DataError, match=r"Got shapes \(2,\), \(3,\), \(2,\)"):
        SupportVectorProblem([1.0, 2.0], [0.0] * 3, [1.0] * 2)
    with pytest.raises(DataError, match="one entry for each row"):
        SupportVectorProblem.regression([], 1.0, 0.1)
    with pytest.raises(DataError, match="C must not be negative"):
        SupportVectorProblem.regression([1.0, 2.0], -1.0, 0.1)
    with pytest.raises(DataError, match="raise C"):
        SupportVectorProblem.regression([1.0, 2.0], 0.0, 0.1)
    with pytest.raises(DataError, match=r"each of 2 rows. Got shape \(3, 3\)"):
        SupportVectorProblem.regression([1.0, 2.0], 1.0, 0.1).solve(np.eye(3))
    problem = SupportVectorProblem.regression([1.0, 2.0], 1.0, 0.1)
    with pytest.raises(DataError, match="Take those that solve gave"):
        problem.solve(np.eye(2), start=np.array([2.0, -2.0]))
    with pytest.raises(DataError, match="must have the sum 0"):
        problem.solve(np.eye(2), start=np.array([1.0, 0.0]))
