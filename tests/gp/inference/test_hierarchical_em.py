"""What people have in common, against other solvers and the truth."""

from dataclasses import replace

import numpy as np
import pytest

from penchant.data import Comparisons
from penchant.gp._item_prior import contrasts
from penchant.gp.inference._grouped_sites import GroupedSites
from penchant.gp.inference._hierarchical_em import HierarchicalEM
from penchant.solvers import Sites, expectation_propagation


def draw(n_users, n_items, n_answers, *, noise=0.3, seed=0, slope=None):
    """Draw people with a known mean and covariance, and their answers."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n_items, 2)) @ np.diag([1.0, 0.5])
    cov = root @ root.T + 0.1 * np.eye(n_items)
    mean = rng.standard_normal(n_items)
    t = rng.standard_normal(n_users)
    t -= t.mean()
    f = mean + rng.multivariate_normal(np.zeros(n_items), cov, n_users)
    if slope is not None:
        f += np.outer(t, slope)
    users = np.repeat(np.arange(n_users), n_answers)
    left = rng.integers(0, n_items, len(users))
    right = (left + rng.integers(1, n_items, len(users))) % n_items
    gaps = f[users, left] - f[users, right] + noise * rng.standard_normal(len(users))
    sites = pack(
        np.where(gaps > 0, left, right), np.where(gaps > 0, right, left), users, n_items
    )
    return sites, np.column_stack([np.ones(n_users), t]), mean, cov


def pack(winners, losers, users, n_items):
    comparisons = Comparisons(winners, losers, users=users)
    people = np.empty((int(users.max()) + 1, 0))
    return GroupedSites.from_comparisons(
        comparisons, people, n_items=n_items, tie_width=0.1
    )


def centred(matrix):
    H = np.eye(len(matrix)) - 1.0 / len(matrix)
    return H @ matrix @ H if matrix.ndim == 2 else H @ matrix


def test_mean_covariance_and_noise_are_found():
    sites, design, mean, cov = draw(1500, 6, 25)
    basis = contrasts(6)
    result = HierarchicalEM(sites, design, basis, np.eye(5), shrinkage=6.0).solve()
    assert result.status == "optimal"
    unit = np.sqrt(np.trace(centred(cov)) / 6)  # the mean item variance is made 1
    learned = basis @ result.cov @ basis.T
    np.testing.assert_allclose(learned, centred(cov) / unit**2, atol=0.15)
    assert np.trace(learned) / 6 == pytest.approx(1.0)
    np.testing.assert_allclose(basis @ result.coef[0], centred(mean) / unit, atol=0.1)
    np.testing.assert_allclose(result.coef[1], 0.0, atol=0.1)
    assert result.noise == pytest.approx(0.3 / unit, rel=0.15)


def test_what_a_feature_of_people_tells_is_found():
    slope = np.array([1.0, -1.0, 0.5, 0.0, -0.5])
    sites, design, _, cov = draw(800, 5, 20, slope=slope)
    basis = contrasts(5)
    result = HierarchicalEM(sites, design, basis, np.eye(4), shrinkage=5.0).solve()
    unit = np.sqrt(np.trace(centred(cov)) / 5)
    np.testing.assert_allclose(basis @ result.coef[1], slope / unit, atol=0.15)


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_evidence_is_the_sum_over_people(weight):
    sites, design, _, _ = draw(7, 5, 6)
    sites = sites._replace(weights=weight * sites.weights)
    basis = contrasts(5)
    em = HierarchicalEM(sites, design, basis, np.eye(4), shrinkage=5.0, noise=0.4)
    result = em.solve(tol=1e-4)
    S, total = basis @ result.cov @ basis.T, 0.0
    for u in range(7):
        items = sites.nodes[sites.node_start[u] : sites.node_start[u + 1]]
        some = slice(sites.site_start[u], sites.site_start[u + 1])
        A = np.eye(5)[items[sites.first[some]]] - np.eye(5)[items[sites.second[some]]]
        mean = A @ basis @ (design[u] @ result.coef)
        own = Sites(
            sites.lower[some], sites.upper[some], 0.4, weights=sites.weights[some]
        )
        total += expectation_propagation(mean, A @ S @ A.T, own, tol=1e-9).log_evidence
    assert result.log_evidence == pytest.approx(total, abs=1e-3)


def test_the_end_is_a_stationary_point_of_the_evidence():
    """Steps are longer than those of EM, but they end where the slope is 0."""
    sites, design, _, _ = draw(300, 4, 12, noise=0.8)
    ones, basis = design[:, :1], contrasts(4)
    em = HierarchicalEM(sites, ones, basis, np.eye(3), shrinkage=1e-6)
    end = em.solve(tol=1e-6, max_iter=500)
    assert end.status == "optimal"

    def evidence(cov):
        start = replace(end, cov=cov)
        other = HierarchicalEM(
            sites, ones, basis, np.eye(3), shrinkage=1.0, noise=end.noise, start=start
        )
        for _ in range(30):
            value, _, _ = other._expect(1)
        return value

    rng = np.random.default_rng(0)
    for _ in range(5):
        push = rng.standard_normal((3, 3))
        step = 1e-2 * (push + push.T)
        values = [evidence(end.cov + size * step) for size in (-1.0, 0.0, 1.0)]
        slope = (values[2] - values[0]) / 2.0
        curvature = values[0] + values[2] - 2.0 * values[1]
        assert curvature < 0
        assert abs(slope / curvature) < 2.0  # the top is within two steps of 0.01


def test_features_with_residuals_are_a_covariance_in_disguise():
    """The thin form and the full form of one prior give the same evidence."""
    sites, design, _, _ = draw(40, 30, 8)
    features = np.random.default_rng(1).standard_normal((30, 3))
    thin = HierarchicalEM(
        sites, design, features, np.eye(3), shrinkage=3.0, residual=0.2, noise=0.4
    )
    full = HierarchicalEM(
        sites, design, features, np.eye(3), shrinkage=3.0, residual=0.2, noise=0.4
    )
    thin._is_dense = False
    assert full._is_dense
    left, right = thin.solve(), full.solve()
    assert left.log_evidence == pytest.approx(right.log_evidence, rel=1e-9)
    np.testing.assert_allclose(left.cov, right.cov, rtol=1e-7)
    np.testing.assert_allclose(left.offsets, right.offsets, atol=1e-8)
    assert left.residual == pytest.approx(right.residual)


def test_a_limit_on_steps_is_said():
    sites, design, _, _ = draw(30, 4, 8)
    em = HierarchicalEM(sites, design, contrasts(4), np.eye(3), shrinkage=4.0)
    result = em.solve(max_iter=1)
    assert (result.status, result.n_iter) == ("iteration_limit", 1)


def test_going_on_from_a_result_changes_little():
    sites, design, _, _ = draw(200, 5, 15)
    basis = contrasts(5)
    first = HierarchicalEM(sites, design, basis, np.eye(4), shrinkage=5.0).solve()
    second = HierarchicalEM(
        sites, design, basis, np.eye(4), shrinkage=5.0, start=first
    ).solve()
    assert second.n_iter < first.n_iter
    np.testing.assert_allclose(second.cov, first.cov, atol=0.05)
