from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

from penchant.gai.binned._blocks import make_blocks
from penchant.gai.binned._groups import make_groups
from penchant.gai.binned._losses import (
    Grades,
    Hinge,
    Logistic,
    Preference,
    Squared,
    Tube,
)
from penchant.gai.binned._solver import BinnedProblem

LOSSES = {
    "squared": Squared(),
    "tube": Tube(0.1, 0.3),
    "logistic": Logistic(),
    "grades": Grades(4),
    "preference": Preference(),
    "hinge": Hinge(0.1, 0.3),  # where y is 0: a tie
}


def sample(n_rows, n_attributes=3):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_rows, n_attributes))
    X[rng.uniform(size=X.shape) < 0.05] = np.nan
    known = np.nan_to_num(X, nan=0.5)
    u = np.sin(4 * known[:, 0]) + 2 * known[:, 0] * known[:, 1] + known[:, 2]
    return X, (u - u.mean()) / u.std() + 0.3 * rng.normal(size=n_rows)


def targets(name, u):
    if name in ("logistic", "preference"):
        return (u > 0).astype(float)
    return np.digitize(u, [-0.8, 0.0, 0.8]).astype(float) if name == "grades" else u


def problem(name, n_rows=150, max_order=2, n_blocks=1, directions=None, **options):
    X, u = sample(n_rows)
    y, sides = targets(name, u), [X]
    if name in ("preference", "hinge"):
        sides, y = [X, X[::-1]], (u > u[::-1]).astype(float)
    axes, groups = make_groups(X, [False] * X.shape[1], max_order, directions)
    size = -(-n_rows // n_blocks)
    blocks = make_blocks(axes, sides, y, np.ones(n_rows), size)
    return BinnedProblem(blocks, groups, LOSSES[name], **options)


def prices_of(problem):
    return np.array([group.price for group in problem.groups])


def solved(problem, share, tol=1e-9):
    prices = prices_of(problem)
    lam = share * problem.largest_lam(prices)
    return lam, problem.solve(lam, prices, problem.start(), tol)


def objective(problem, point, lam):
    loss = problem.price(point, []).loss
    prices = prices_of(problem)
    norms = (prices[k] * np.linalg.norm(v) for k, v in point.coefs.items())
    return loss + lam * sum(norms)


def certified(problem, point, lam):
    """Compute the gap over all candidates from the coefficients alone."""
    fresh = problem.point(point.coefs)
    pricing = problem.price(fresh, range(len(problem.groups)))
    return problem.gap(fresh, pricing, lam, prices_of(problem))


def reference(problem, lam):
    """Give the minimum by an interior-point solver on dense features."""
    (block,) = problem.blocks
    coefs = [cp.Variable(g.size, nonneg=g.is_cone) for g in problem.groups]
    f = sum(
        group.columns(block).astype(float) @ v
        for group, v in zip(problem.groups, coefs, strict=True)
    )
    b = cp.Variable(problem.loss.n_offsets)
    y, loss = block.y, problem.loss
    if isinstance(loss, Squared):
        losses = cp.square(y - f - b) / 2
    elif isinstance(loss, Hinge):
        ties = cp.multiply(1 - y, cp.pos(cp.abs(f) - loss.epsilon))
        beyond = cp.multiply(y, cp.pos(1 - f)) + ties
        losses = cp.huber(beyond, loss.mu) / (2 * loss.mu)
    elif isinstance(loss, Tube):
        beyond = cp.pos(cp.abs(y - f - b) - loss.epsilon)
        losses = cp.huber(beyond, loss.mu) / (2 * loss.mu)
    elif isinstance(loss, Preference):
        losses = cp.logistic(f) - cp.multiply(y, f)
    else:
        cuts = range(loss.n_offsets)
        above = [y > t if isinstance(loss, Grades) else y for t in cuts]
        losses = sum(
            cp.logistic(f + b[t]) - cp.multiply(above[t].astype(float), f + b[t])
            for t in cuts
        )
    norms = zip(problem.groups, coefs, strict=True)
    penalty = lam * sum(group.price * cp.norm(v) for group, v in norms)
    program = cp.Problem(cp.Minimize(cp.sum(losses) / len(y) + penalty))
    enough = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-7)
    return program.solve(solver=cp.CLARABEL, **enough)


@pytest.mark.parametrize("name", LOSSES)
def test_minimum_is_that_of_an_interior_point_solver(name):
    small = problem(name, 80)
    lam, point = solved(small, 0.1, 1e-8)
    assert point.status == "optimal"
    assert objective(small, point, lam) == pytest.approx(
        reference(small, lam), rel=1e-6
    )


@pytest.mark.parametrize("directions", [None, {0: 1, 1: 1, 2: -1}])
@pytest.mark.parametrize(
    ("name", "most"), [("squared", 3), ("logistic", 27), ("preference", 22)]
)
def test_few_steps_are_enough(name, directions, most):
    # of a model of curvature: a wrong one would arrive, too, but late
    _, point = solved(problem(name, 80, directions=directions), 0.1, 1e-7)
    assert point.status == "optimal"
    assert point.n_iter <= most


def test_triples_reach_the_minimum():
    small = problem("squared", 80, max_order=3)
    lam, point = solved(small, 0.05)
    assert objective(small, point, lam) == pytest.approx(
        reference(small, lam), rel=1e-6
    )


@pytest.mark.parametrize("directions", [{0: -1}, {0: 1, 1: 1, 2: -1}])
@pytest.mark.parametrize("name", ["squared", "logistic", "preference"])
def test_directions_give_the_minimum_over_the_cone(name, directions):
    small = problem(name, 80, directions=directions)
    lam, point = solved(small, 0.1, 1e-7)
    assert point.status == "optimal"
    assert objective(small, point, lam) == pytest.approx(
        reference(small, lam), rel=1e-6
    )
    cones = [v for k, v in point.coefs.items() if small.groups[k].is_cone]
    assert min(v.min() for v in cones) >= 0.0


@pytest.mark.parametrize("name", LOSSES)
def test_gap_follows_from_the_coefficients_alone(name):
    some = problem(name, n_blocks=2)
    lam, point = solved(some, 0.05, 1e-4)
    prices, total = prices_of(some), some.total
    (f, y), ratios = brute_scores(some, point), []
    pulls = some.loss.pulls(y, f, point.offsets)
    for group, price in zip(some.groups, prices, strict=True):
        columns = [group.columns(block) for block in some.blocks]
        c = np.concatenate(columns).astype(float).T @ pulls.sum(axis=0) / total
        ratios.append(np.linalg.norm(c) / (lam * price))
    scale = 1 / max(ratios)
    if name == "squared":
        scale = min(scale, pulls[0] @ y / (pulls[0] @ pulls[0]))
    elif scale > 1:
        scale = 1.0
    primal = objective(some, point, lam)
    gap = 1 - some.loss.dual(y, pulls, scale).mean() / primal
    assert gap == pytest.approx(point.gap, abs=1e-6)  # features in single precision
    assert certified(some, point, lam) == pytest.approx(point.gap, abs=1e-9)


def brute_scores(some, point):
    f = [np.zeros(len(block.y)) for block in some.blocks]
    for block, values in zip(some.blocks, f, strict=True):
        for k, coef in point.coefs.items():
            values += some.groups[k].columns(block).astype(float) @ coef
    return np.concatenate(f), np.concatenate([block.y for block in some.blocks])


@pytest.mark.parametrize("n_blocks", [2, 7])
def test_sums_over_blocks_are_sums_over_all_rows(n_blocks):
    whole, parts = problem("squared"), problem("squared", n_blocks=n_blocks)
    _, point = solved(whole, 0.05)
    _, again = solved(parts, 0.05)
    for k, coef in point.coefs.items():
        np.testing.assert_allclose(again.coefs[k], coef, atol=1e-9)
    every = range(len(whole.groups))
    one, other = whole.price(point, every), parts.price(again, every)
    for k in every:
        np.testing.assert_allclose(
            one.correlations[k], other.correlations[k], atol=1e-9
        )


@pytest.mark.parametrize("name", ["squared", "logistic"])
@pytest.mark.parametrize("n_rows", [75, 40])
def test_curvature_of_some_of_the_rows_gives_the_same_minimum(name, n_rows):
    lam, point = solved(problem(name), 0.1)
    some = problem(name, sample_rows=n_rows)
    _, other = solved(some, 0.1)
    assert other.status == "optimal"
    assert objective(some, other, lam) == pytest.approx(
        objective(some, point, lam), rel=1e-7
    )


@pytest.mark.parametrize("name", LOSSES)
def test_a_tiny_sample_costs_steps_and_nothing_else(name):
    lam, point = solved(problem(name), 0.1, 1e-4)
    some = problem(name, sample_rows=15)
    _, other = solved(some, 0.1, 1e-2)
    assert other.status == "optimal"
    assert objective(some, other, lam) <= 1.01 * objective(some, point, lam)


def test_a_fit_that_stalls_states_the_gap_where_it_ends():
    some = problem("squared", sample_rows=15)
    prices = prices_of(some)
    lam = 0.1 * some.largest_lam(prices)
    point = some.solve(lam, prices, some.start(), 1e-9, max_iter=20)
    assert point.status == "stalled"
    assert point.gap < 0.1
    assert certified(some, point, lam) == pytest.approx(point.gap, abs=1e-9)


def test_weights_count_rows():
    some = problem("squared")
    (block,) = some.blocks
    counts = np.random.default_rng(1).integers(0, 3, len(block.y))
    weighted = BinnedProblem(
        [replace(block, weights=1.0 * counts)], some.groups, Squared()
    )
    rows = np.repeat(np.arange(len(counts)), counts)
    repeated = block.rows(rows)
    lam, point = solved(weighted, 0.1)
    copies = BinnedProblem(
        [replace(repeated, weights=np.ones(len(rows)))], some.groups, Squared()
    )
    _, other = solved(copies, 0.1)
    assert objective(weighted, point, lam) == pytest.approx(
        objective(copies, other, lam), rel=1e-8
    )


def test_collinear_attributes_do_not_stop_the_solver():
    rng = np.random.default_rng(0)
    size = rng.gamma(2.0, size=400)
    X = np.stack([size * (1 + 1e-3 * rng.normal(size=400)) for _ in range(4)], axis=1)
    y = np.log(size) + 0.05 * rng.normal(size=400)
    axes, groups = make_groups(X, [False] * 4, 2)
    blocks = make_blocks(axes, [X], y, np.ones(400))
    _, point = solved(BinnedProblem(blocks, groups, Squared()), 1e-3, 1e-4)
    assert point.status == "optimal"
    assert point.n_iter < 20
