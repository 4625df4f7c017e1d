"""Kernel machines against an independent solver of the same programs."""

import cvxpy as cp
import numpy as np
import pytest

from penchant.gai._dense import fit_comparisons, fit_ratings
from penchant.solvers import Evidence

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(14, 2))
K = np.exp(-4.0 * ((X[:, None] - X) ** 2).sum(axis=2))
ROOT = np.linalg.cholesky(K + 1e-10 * np.eye(14))
TIGHT = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-9)


@pytest.mark.parametrize("C", [0.1, 5.0, 500.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_ratings_reach_the_minimum(C, epsilon):
    items = np.append(np.arange(14), [3, 3, 5])  # some are rated again, one alike
    y = np.append(np.sin(6 * X[:, 0]), [0.0, 0.0, 1.0])
    y[15] = y[14]
    weights = RNG.uniform(0.5, 2.0, 17)
    found = fit_ratings(K, items, y, C=C, epsilon=epsilon, weights=weights, tol=1e-6)
    v, b = cp.Variable(14), cp.Variable()
    losses = cp.pos(cp.abs(y - (ROOT @ v)[items] - b) - epsilon)
    goal = cp.sum_squares(v) / 2 + C * (weights @ losses)
    best = cp.Problem(cp.Minimize(goal)).solve(solver=cp.CLARABEL, **TIGHT)
    f = K @ found.coef
    missed = np.maximum(abs(y - f[items] - found.intercept) - epsilon, 0.0)
    primal = found.coef @ f / 2 + C * (weights @ missed)
    assert primal == pytest.approx(best, rel=1e-5)
    assert (found.status, found.gap <= 1e-6) == ("optimal", True)
    # the gap bounds how far the objective is from the best
    assert primal * (1 - found.gap) <= best * (1 + 1e-7)
    assert found.n_iter > 0


@pytest.mark.parametrize("C", [0.2, 20.0])
def test_comparisons_reach_the_minimum(C):
    worth = X[:, 0] + X[:, 1] ** 2
    i = np.arange(13)
    winners, losers = np.where(worth[i] > worth[i + 1], (i, i + 1), (i + 1, i))
    weights = RNG.uniform(0.5, 2.0, 13)
    evidence = Evidence.from_comparisons(
        winners[:10], losers[:10], weights=weights[:10]
    ) + Evidence.from_ties(winners[10:], losers[10:], epsilon=0.1, weights=weights[10:])
    found = fit_comparisons(K, evidence, C=C, tol=1e-7)
    v = cp.Variable(14)
    lead = (ROOT @ v)[winners] - (ROOT @ v)[losers]
    losses = cp.hstack([cp.pos(1 - lead[:10]), cp.pos(cp.abs(lead[10:]) - 0.1)])
    goal = cp.sum_squares(v) / 2 + C * (weights @ losses)
    best = cp.Problem(cp.Minimize(goal)).solve(solver=cp.CLARABEL, **TIGHT)
    f = K @ found.coef
    ahead = f[winners] - f[losers]
    lost = np.append(
        np.maximum(1 - ahead[:10], 0.0), np.maximum(abs(ahead[10:]) - 0.1, 0.0)
    )
    primal = found.coef @ f / 2 + C * (weights @ lost)
    assert primal == pytest.approx(best, rel=1e-6)
    assert (found.status, found.intercept) == ("optimal", 0.0)
    assert found.n_iter % 20 == 0


def test_items_that_are_the_same_cannot_be_told_apart():
    same = np.ones((2, 2))
    evidence = Evidence.from_comparisons(np.array([0]), np.array([1]))
    found = fit_comparisons(same, evidence, C=3.0, tol=1e-6)
    assert found.status == "optimal"
    f = same @ found.coef
    assert f[0] == pytest.approx(f[1])


def test_one_rating_is_met_without_curvature():
    found = fit_ratings(
        np.eye(1),
        np.array([0]),
        np.array([2.5]),
        C=1.0,
        epsilon=0.0,
        weights=np.ones(1),
        tol=1e-5,
    )
    assert found.intercept + found.coef[0] == pytest.approx(2.5)
