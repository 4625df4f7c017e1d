"""Laplace's approximation, against independent optimisation and differences."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from penchant.solvers import Rows, Sites, laplace

INF = np.inf


def test_the_mode_is_that_of_an_independent_refit():
    rng = np.random.default_rng(0)
    n, q, sigma = 6, 25, 0.1
    X = rng.normal(size=(n, 2))
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1))
    i = rng.integers(0, n, q)
    j = (i + rng.integers(1, n, q)) % n
    result = laplace(
        np.zeros(n), K, Sites(np.zeros(q), np.full(q, INF), sigma), rows=Rows(i, j)
    )
    inverse = np.linalg.inv(K)  # K is well conditioned here

    def minus_psi(f):
        z = (f[i] - f[j]) / sigma
        ratio = np.exp(norm.logpdf(z) - norm.logcdf(z)) / sigma
        slope = np.bincount(i, ratio, n) - np.bincount(j, ratio, n)
        value = norm.logcdf(z).sum() - 0.5 * f @ inverse @ f
        return -value, inverse @ f - slope

    refit = minimize(minus_psi, np.zeros(n), jac=True, options={"gtol": 1e-10})
    assert result.status == "optimal"
    assert result.mean == pytest.approx(refit.x, abs=1e-6)


def test_covariance_and_evidence_are_those_of_the_text(example, matrix):
    mean, K, sites, rows = example(5, 9, 2)
    result = laplace(mean, K, sites, rows=rows)
    A = matrix(rows, 5)
    at = sites.derivatives(A @ result.mean)
    W = A.T @ np.diag(-at.second) @ A
    step = result.mean - mean
    penalty = 0.5 * step @ np.linalg.solve(K, step)
    log_det = np.linalg.slogdet(np.eye(5) + K @ W)[1]
    assert result.log_evidence == pytest.approx(
        at.value.sum() - penalty - 0.5 * log_det, abs=1e-9
    )
    assert result.cov == pytest.approx(np.linalg.inv(np.linalg.inv(K) + W), abs=1e-9)
    assert result.mean == pytest.approx(mean + K @ A.T @ result.pull, abs=1e-7)
    assert result.precision == pytest.approx(-at.second)


def test_the_gap_is_zero_at_the_mode_only(example):
    mean, K, sites, rows = example(5, 9, 2)
    assert laplace(mean, K, sites, rows=rows).gap < 1e-8
    short = laplace(mean, K, sites, rows=rows, max_iter=1)
    assert (short.status, short.n_iter) == ("stalled", 1)
    assert short.gap > 1e-8


def test_row_space_and_node_space_agree(example, matrix):
    mean, K, sites, rows = example(7, 12, 4)
    A = matrix(rows, 7)
    nodes = laplace(mean, K, sites, rows=rows)
    by_row = laplace(A @ mean, A @ K @ A.T, sites)  # singular: 12 rows of rank 7
    assert by_row.log_evidence == pytest.approx(nodes.log_evidence, rel=1e-9)
    assert by_row.mean == pytest.approx(A @ nodes.mean, abs=1e-7)
    assert by_row.cov == pytest.approx(A @ nodes.cov @ A.T, abs=1e-7)


def test_a_weight_is_so_many_copies(example, take):
    mean, K, sites, rows = example(4, 5, 5)
    times = np.array([1, 3, 1, 2, 5])
    every = np.repeat(np.arange(5), times)
    weighted = Sites(sites.lower, sites.upper, sites.noise, times)
    copied = Rows(rows.raised[every], rows.lowered[every])
    one = laplace(mean, K, weighted, rows=rows)
    two = laplace(mean, K, take(sites, every), rows=copied)
    assert one.log_evidence == pytest.approx(two.log_evidence, abs=1e-9)
    assert one.mean == pytest.approx(two.mean, abs=1e-8)


def test_a_warm_start_ends_where_a_cold_one_does(example, take):
    mean, K, sites, rows = example(6, 10, 7)
    known = Rows(rows.raised[:9], rows.lowered[:9])
    before = laplace(mean, 1.3 * K, take(sites, range(9)), rows=known)
    cold = laplace(mean, K, sites, rows=rows)
    warm = laplace(mean, K, sites, rows=rows, start=(before.tau, before.nu))
    assert warm.mean == pytest.approx(cold.mean, abs=1e-7)
    again = laplace(mean, K, sites, rows=rows, start=(cold.tau, cold.nu))
    assert again.n_iter == 0


def test_a_bad_start_is_not_used(example):
    mean, K, sites, rows = example(6, 10, 7)
    wild = (np.zeros(10), np.full(10, 1e9))
    result = laplace(mean, K, sites, rows=rows, start=wild)
    assert result.status == "optimal"
    assert result.mean == pytest.approx(laplace(mean, K, sites, rows=rows).mean)


def test_nothing_to_learn():
    empty = laplace([1.0, 2.0], np.eye(2), Sites([], []), rows=Rows([], []))
    assert empty.mean.tolist() == [1.0, 2.0]
    assert empty.cov == pytest.approx(np.eye(2))
    assert empty.log_evidence == 0.0
    certain = laplace(
        [0.0, 1.0], np.zeros((2, 2)), Sites([0.0], [INF]), rows=Rows([0], [1])
    )
    assert certain.mean.tolist() == [0.0, 1.0]
    assert not certain.cov.any()
    assert certain.log_evidence == pytest.approx(norm.logcdf(-1.0))


def test_no_fuzzed_problem_fails(fuzzed_problem):
    rng = np.random.default_rng(1)
    for _ in range(1000):
        mean, K, sites, rows = fuzzed_problem(rng)
        result = laplace(mean, K, sites, rows=rows)
        for values in (result.mean, result.cov, result.pull, result.precision):
            assert np.isfinite(values).all()
        assert np.isfinite([result.log_evidence, result.gap]).all()
