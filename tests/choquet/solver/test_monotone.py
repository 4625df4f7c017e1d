from itertools import chain, combinations

import numpy as np
import pytest
from scipy.special import expit

from penchant.choquet.solver._interior_point import ConeModel, minimize_over_cone
from penchant.choquet.solver._losses import HingeLoss, LogisticLoss, SquaredLoss
from penchant.choquet.solver._monotone import nonnegative_spread
from penchant.exceptions import DataError
from penchant.kernels._choquet import list_subsets, subset_minima
from penchant.solvers import (
    MobiusProblem,
    choose_cone,
    fit_mobius,
    project_monotone,
)

LOSSES = ["squared", "logistic", "hinge", "epsilon"]
TIGHT = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-10)


def make_data(n=4, n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n))
    y = X[:, 0] - 0.5 * X[:, 1] + X.min(axis=1) + 0.3 * rng.normal(size=n_rows)
    weights = rng.random(n_rows) + 0.1
    return X, y, weights / weights.sum()


def make_problem(name, *, n=4, k=2, alpha=1e-2, total=None, intercept=True, seed=0):
    X, y, weights = make_data(n, seed=seed)
    minima = subset_minima(X, k)
    sign = np.where(y > np.median(y), 1.0, -1.0)
    if name == "squared":
        loss = SquaredLoss(y, weights)
    elif name == "logistic":
        loss = LogisticLoss(sign, weights)
    elif name == "hinge":
        loss = HingeLoss(sign, np.ones(y.size), weights)
    else:
        ones = np.ones(y.size)
        loss = HingeLoss(
            np.r_[ones, -ones], np.r_[y - 0.05, -y - 0.05], np.r_[weights, weights]
        )
        minima = np.vstack([minima, minima])
    groups = np.zeros(minima.shape[0], dtype=int) if intercept else None
    return MobiusProblem(minima, n, k, alpha, groups, total), loss


def gain_rows(n, k):
    subsets = list_subsets(n, k)
    rests = chain.from_iterable(combinations(range(n), s) for s in range(n))
    return np.array(
        [
            [float(i in t and t <= {*rest, i}) for t in subsets]
            for rest in rests
            for i in range(n)
            if i not in rest
        ]
    )


def reference(cvxpy, problem, loss, cone):
    """Solve the same problem with all constraints written out."""
    n_subsets = problem.minima.shape[1]
    b = cvxpy.Variable() if problem.groups is not None else 0.0
    if cone == "inner":
        spread = nonnegative_spread(problem.n, problem.k)
        z = cvxpy.Variable(spread.shape[1], nonneg=True)
        m, penalty, constraints = spread @ z, cvxpy.sum_squares(z), []
    else:
        m = cvxpy.Variable(n_subsets)
        penalty = cvxpy.sum_squares(m)
        rows = gain_rows(problem.n, problem.k)
        constraints = [rows @ m >= 0] if cone == "exact" else []
    if problem.total is not None:
        constraints = [*constraints, cvxpy.sum(m) == problem.total]
    t = problem.minima @ m + b
    if isinstance(loss, SquaredLoss):
        each = cvxpy.square(t - loss.target) / 2
    elif isinstance(loss, LogisticLoss):
        each = cvxpy.logistic(-cvxpy.multiply(loss.sign, t))
    else:
        each = cvxpy.pos(loss.offset - cvxpy.multiply(loss.sign, t))
    objective = loss.weight @ each + problem.alpha / 2 * penalty
    program = cvxpy.Problem(cvxpy.Minimize(objective), constraints)
    program.solve(solver="CLARABEL", **TIGHT)
    return program.value, np.asarray(m.value)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(
    ("cone", "k"),
    [("free", 2), ("exact", 1), ("exact", 2), ("exact", 3), ("exact", 4), ("inner", 3)],
)
def test_reaches_the_optimum_of_an_independent_solver(name, cone, k):
    cvxpy = pytest.importorskip("cvxpy")
    problem, loss = make_problem(name, k=k)
    value, mobius = reference(cvxpy, problem, loss, cone)
    fit = fit_mobius(problem, loss, cone, tol=1e-8)
    assert fit.status == "optimal"
    assert fit.cone == cone
    assert fit.primal == pytest.approx(value, rel=1e-7)
    # the certificate brackets the optimum
    assert fit.dual <= value + 1e-9
    assert fit.primal >= value - 1e-9
    assert 0 <= fit.gap <= 1e-8 * fit.primal + 1e-15
    # strong convexity: |m - m*|^2 <= 2 gap / alpha, and the reference's own error
    np.testing.assert_allclose(fit.mobius, mobius, atol=3e-3)


@pytest.mark.parametrize("name", ["squared", "hinge"])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_total_fixes_the_value_of_all_attributes(name, k, intercept):
    cvxpy = pytest.importorskip("cvxpy")
    problem, loss = make_problem(name, k=k, total=0.8, intercept=intercept)
    value, _ = reference(cvxpy, problem, loss, "exact")
    fit = fit_mobius(problem, loss, "exact", tol=1e-8)
    assert fit.mobius.sum() == pytest.approx(0.8, abs=1e-9)
    assert fit.primal == pytest.approx(value, rel=1e-6)
    assert fit.dual <= value + 1e-9


@pytest.mark.parametrize(("k", "n"), [(2, 6), (3, 6), (6, 6), (3, 9)])
def test_exact_fits_are_monotone_in_every_gain(k, n):
    problem, loss = make_problem("squared", k=k, n=n, alpha=1e-4)
    fit = fit_mobius(problem, loss, "exact")
    free = fit_mobius(problem, loss, "free")
    gains = gain_rows(n, k)
    assert (gains @ free.mobius).min() < -1e-3
    assert (gains @ fit.mobius).min() >= -1e-12
    assert fit.primal > free.primal
    assert (fit.n_constraints > 0) == (k >= 3)


def test_the_inner_cone_is_monotone_and_smaller():
    problem, loss = make_problem("squared", k=3, n=5, alpha=1e-8)
    inner = fit_mobius(problem, loss, "inner")
    exact = fit_mobius(problem, loss, "exact")
    assert (gain_rows(5, 3) @ inner.mobius).min() >= -1e-12
    assert inner.primal >= exact.primal - 1e-9


def test_many_weights_and_few_rows_use_the_space_of_rows():
    problem, loss = make_problem("logistic", k=3, n=8)
    assert nonnegative_spread(8, 3).shape[1] > problem.minima.shape[0]
    thin = fit_mobius(problem, loss, "inner")
    repeated = MobiusProblem(
        np.vstack([problem.minima] * 4), 8, 3, problem.alpha, np.tile(problem.groups, 4)
    )
    heavy = LogisticLoss(np.tile(loss.sign, 4), np.tile(loss.weight, 4) / 4)
    thick = fit_mobius(repeated, heavy, "inner")
    np.testing.assert_allclose(thin.mobius, thick.mobius, atol=1e-5)


def test_every_column_of_the_spread_is_a_minimum_or_a_maximum():
    X = np.random.default_rng(0).random((10, 4))
    columns = subset_minima(X, 3) @ nonnegative_spread(4, 3)
    expected = []
    for subset in list_subsets(4, 3):
        expected.append(X[:, sorted(subset)].min(axis=1))
        if len(subset) > 1:
            expected.append(X[:, sorted(subset)].max(axis=1))
    np.testing.assert_allclose(columns, np.array(expected).T, atol=1e-14)


def test_a_solver_that_is_stopped_says_so():
    for k in (2, 3):
        problem, loss = make_problem("hinge", k=k)
        fit = fit_mobius(problem, loss, "exact", max_iter=2)
        full = fit_mobius(problem, loss, "exact")
        assert fit.status == "stopped"
        assert fit.dual <= full.primal <= fit.primal


@pytest.mark.parametrize("total", [None, 0.8])
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(("cone", "k"), [("exact", 2), ("exact", 3), ("inner", 3)])
def test_every_iterate_brackets_the_optimum_and_few_are_needed(name, cone, k, total):
    def fit(**options):
        problem, loss = make_problem(name, k=k, total=total)
        return fit_mobius(problem, loss, cone, **options)

    full = fit(tol=1e-8)
    assert full.status == "optimal"
    # sets of three bring cuts, each with a start of its own
    assert full.n_iter <= (34 if (cone, k) == ("exact", 3) else 11)
    best, bound = np.inf, -np.inf
    for n in range(1, full.n_iter, 12 if (cone, k) == ("exact", 3) else 1):
        early = fit(max_iter=n)
        assert early.n_iter <= n or (cone, k) == ("exact", 3)
        assert early.dual <= full.primal <= early.primal + 1e-12
        assert (early.primal <= best, early.dual >= bound) == (True, True)
        best, bound = early.primal, early.dual


def test_rounding_ends_an_impossible_tolerance():
    problem, loss = make_problem("hinge")
    fit = fit_mobius(problem, loss, "exact", tol=1e-18)
    assert fit.status == "stopped"
    assert fit.gap < 1e-9


def test_separable_answers_do_not_break_the_logistic_loss():
    X = np.linspace(0, 1, 20)[:, np.newaxis]
    sign = np.where(X[:, 0] > 0.5, 1.0, -1.0)
    loss = LogisticLoss(sign, np.full(20, 0.05))
    groups = np.zeros(20, dtype=int)
    fit = fit_mobius(MobiusProblem(X, 1, 1, 1e-7, groups), loss)
    assert fit.status == "optimal"
    assert np.all(sign * (X[:, 0] * fit.mobius[0] + fit.intercepts[0]) > 0)


@pytest.mark.parametrize(
    "loss",
    [
        SquaredLoss(np.array([0.3, -1.0]), np.array([0.5, 2.0])),
        LogisticLoss(np.array([1.0, -1.0]), np.array([0.5, 2.0])),
        HingeLoss(np.array([1.0, -1.0]), np.array([1.0, 0.5]), np.array([0.5, 2.0])),
    ],
)
def test_slopes_are_derivatives(loss):
    t, h = np.array([0.2, 0.7]), 1e-6
    for row in range(2):
        step = h * np.eye(2)[row]
        numeric = (loss.value(t + step) - loss.value(t - step)) / (2 * h)
        assert loss.subgradient(t)[row] == pytest.approx(numeric, rel=1e-5)


def test_projection_refuses_too_many_attributes():
    with pytest.raises(DataError, match="k <= 2"):
        project_monotone(np.ones(1561), 21, 3)
    with pytest.raises(DataError, match="62"):
        project_monotone(np.ones(63), 63, 1)


def test_the_cone_is_exact_as_far_as_that_is_feasible():
    assert choose_cone(40, 2, 820) == "exact"
    assert choose_cone(16, 3, 696) == "exact"
    assert choose_cone(17, 3, 833) == "inner"
    assert choose_cone(14, 4, 1470) == "inner"  # few criteria, many sets


def test_without_cone_and_intercept_it_is_ridge_regression():
    X, y, weights = make_data()
    model = ConeModel(X, 0.1, np.zeros(4), rows=np.empty((0, 4)))
    fit = minimize_over_cone(SquaredLoss(y, weights), model)
    A = X.T @ (weights[:, np.newaxis] * X) + 0.1 * np.eye(4)
    np.testing.assert_allclose(fit.weights, np.linalg.solve(A, X.T @ (weights * y)))


def test_without_cone_nothing_but_the_gap_ends_the_search():
    # Nearly separable: the logistic loss falls slowly for many steps.
    rng = np.random.default_rng(9)
    X = rng.normal(size=(60, 4)) * 10 ** rng.uniform(-1, 2)
    signs = np.where(X @ [1, 2, 0, -1] + rng.normal(size=60) > 0, 1.0, -1.0)
    model = ConeModel(X, 1e-4, np.zeros(4), rows=np.empty((0, 4)))
    fit = minimize_over_cone(LogisticLoss(signs, np.ones(60)), model)
    assert fit.status == "optimal"
    assert fit.primal == pytest.approx(0.00114364, rel=1e-5)
    slope = 1e-4 * fit.weights - X.T @ (signs * expit(-signs * (X @ fit.weights)))
    np.testing.assert_allclose(slope, 0.0, atol=1e-6)
