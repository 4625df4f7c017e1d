"""Expectation propagation, against exact integrals and Monte Carlo."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from penchant.exceptions import DataError
from penchant.solvers import Rows, Sites, expectation_propagation

INF = np.inf


def grid_posterior(mean, K, sites, rows, n_points=101):
    """Integrate the posterior of two nodes on a grid in whitened coordinates."""
    nodes, weights = np.polynomial.legendre.leggauss(n_points)
    a, b = (g.ravel() for g in np.meshgrid(7 * nodes, 7 * nodes))
    x = np.stack([a, b])
    f = mean[:, None] + np.linalg.cholesky(K) @ x
    s = rows.apply(f)
    log_p = sum(
        w * Sites([lo] * len(row), [up] * len(row), noise).log_likelihood(row)
        for w, lo, up, noise, row in zip(
            sites.weights, sites.lower, sites.upper, sites.noise, s, strict=True
        )
    )
    mass = 49 * np.outer(weights, weights).ravel() * norm.pdf(x).prod(axis=0)
    mass = mass * np.exp(log_p)
    total = mass.sum()
    m = f @ mass / total
    return np.log(total), m, (f - m[:, None]) * mass @ (f - m[:, None]).T / total


def test_one_site_is_exact():
    sites, K = Sites([-0.2], [0.7], 0.4), np.array([[1.0, 0.3], [0.3, 0.8]])
    rows, mean = Rows([0], [1]), np.array([0.5, 0.1])
    result = expectation_propagation(mean, K, sites, rows=rows)
    log_mass, m, cov = grid_posterior(mean, K, sites, rows)
    assert result.status == "optimal"
    assert result.log_evidence == pytest.approx(log_mass, abs=1e-10)
    assert result.mean == pytest.approx(m, abs=1e-10)
    assert result.cov == pytest.approx(cov, abs=1e-10)


ENDS = [(0.0, INF), (-0.4, 0.4), (0.7, 1.1), (-INF, -0.2), (-1.0, 3.0)]


@pytest.mark.parametrize("lapse", [0.0, 0.05, 0.3])
@pytest.mark.parametrize(("lower", "upper"), ENDS)
def test_moments_of_one_site_equal_quadrature(lower, upper, lapse):
    mean, variance, noise = 0.1, 0.6, 0.5

    def density(s, power):
        p = norm.cdf((upper - s) / noise) - norm.cdf((lower - s) / noise)
        likelihood = lapse + (1 - 2 * lapse) * p
        return s**power * likelihood * norm.pdf(s, mean, np.sqrt(variance))

    parts = [quad(density, -7, 7, (p,), epsabs=1e-13, limit=200)[0] for p in range(3)]
    result = expectation_propagation(
        [mean], [[variance]], Sites([lower], [upper], noise), lapse=lapse
    )
    m = parts[1] / parts[0]
    assert result.log_evidence == pytest.approx(np.log(parts[0]), rel=1e-9)
    assert result.mean[0] == pytest.approx(m, abs=1e-9)
    assert result.cov[0, 0] == pytest.approx(parts[2] / parts[0] - m**2, rel=1e-8)


def test_one_answer_is_the_update_of_the_text():
    mu, C, sigma = np.array([0.3, -0.1]), np.array([[1.0, 0.2], [0.2, 0.7]]), 0.5
    c = C[:, 0] - C[:, 1]
    s2 = c[0] - c[1]  # GP-8
    t = np.sqrt(s2 + sigma**2)
    z = (mu[0] - mu[1]) / t
    r = norm.pdf(z) / norm.cdf(z)
    won = expectation_propagation(
        mu, C, Sites([0.0], [INF], sigma), rows=Rows([0], [1])
    )
    assert won.mean == pytest.approx(mu + c * r / t, rel=1e-12)
    assert won.cov == pytest.approx(C - np.outer(c, c) * r * (z + r) / t**2, rel=1e-12)


def test_what_is_certain_stays():
    point, sites = np.array([-0.7, 0.3]), Sites([0.0, -0.4], [INF, 0.4], [1.0, 0.5])
    result = expectation_propagation(point, np.zeros((2, 2)), sites)
    assert result.mean == pytest.approx(point)
    assert not result.cov.any()
    assert result.log_evidence == pytest.approx(sites.log_likelihood(point).sum())


def test_one_slip_is_forgiven():
    """Five clear answers and one against them."""
    ends = ([0.0] * 5 + [-INF], [INF] * 5 + [0.0], 0.1)
    about = Rows([0] * 6, [-1] * 6)
    means = [
        expectation_propagation(
            [0.0], [[4.0]], Sites(*ends), rows=about, lapse=lapse
        ).mean[0]
        for lapse in (0.0, 0.05, 0.2)
    ]
    assert means[0] < 0.2 < 0.7 < means[1] < means[2]


@pytest.mark.parametrize("lapse", [-0.1, 0.5])
def test_a_lapse_is_a_small_probability(lapse):
    with pytest.raises(DataError, match="lapse must be"):
        expectation_propagation([0.0], [[1.0]], Sites([0.0], [INF]), lapse=lapse)


@pytest.mark.parametrize("seed", range(5))
def test_two_nodes_are_near_the_integral(seed, example):
    mean, K, sites, rows = example(2, 4, seed)
    result = expectation_propagation(mean, K, sites, rows=rows)
    log_mass, m, cov = grid_posterior(mean, K, sites, rows)
    # EP is not exact with several sites; its errors are of this size
    assert result.log_evidence == pytest.approx(log_mass, abs=0.02)
    assert result.mean == pytest.approx(m, abs=0.02)
    assert np.diag(result.cov) == pytest.approx(np.diag(cov), rel=0.08)


def test_tilted_moments_agree_at_the_fixed_point(example, take):
    mean, K, sites, rows = example(5, 9, 1)
    result = expectation_propagation(mean, K, sites, rows=rows, tol=1e-10)
    s, v = rows.apply(result.mean), rows.variances(result.cov)
    v_cavity = 1 / (1 / v - result.tau)
    m_cavity = v_cavity * (s / v - result.nu)
    tilted = [
        expectation_propagation([m], [[v]], take(sites, [k]))
        for k, (m, v) in enumerate(zip(m_cavity, v_cavity, strict=True))
    ]
    assert [each.mean[0] for each in tilted] == pytest.approx(s, abs=1e-8)
    assert [each.cov[0, 0] for each in tilted] == pytest.approx(v, rel=1e-8)


def test_evidence_of_many_answers_is_near_long_monte_carlo(example, take):
    _, K, sites, rows = example(6, 8, 3, noise=0.7)
    result = expectation_propagation(np.zeros(6), K, sites, rows=rows)
    f = multivariate_normal(np.zeros(6), K).rvs(100_000, random_state=0).T
    log_p = np.zeros(f.shape[1])
    for k, row in enumerate(rows.apply(f)):
        log_p += take(sites, np.full(len(row), k)).log_likelihood(row)
    weights = np.exp(log_p)
    shares = weights / weights.sum()
    error = 4 * np.sqrt(shares @ shares)  # four standard errors
    assert error < 0.06
    assert abs(result.log_evidence - np.log(weights.mean())) < 0.02 + error
    assert result.mean == pytest.approx(f @ shares, abs=0.02 + error)


def test_row_space_and_node_space_agree(example, matrix):
    mean, K, sites, rows = example(7, 12, 4)
    A = matrix(rows, 7)
    nodes = expectation_propagation(mean, K, sites, rows=rows, tol=1e-10)
    by_row = expectation_propagation(A @ mean, A @ K @ A.T, sites, tol=1e-10)
    assert by_row.log_evidence == pytest.approx(nodes.log_evidence, rel=1e-9)
    assert by_row.mean == pytest.approx(A @ nodes.mean, abs=1e-9)
    assert by_row.cov == pytest.approx(A @ nodes.cov @ A.T, abs=1e-9)
    assert nodes.mean == pytest.approx(mean + K @ A.T @ by_row.pull, abs=1e-8)
    gain = np.diag(nodes.precision) - nodes.precision[:, None] * (
        by_row.cov * nodes.precision
    )
    assert nodes.cov == pytest.approx(K - K @ A.T @ gain @ A @ K, abs=1e-9)


def test_a_weight_is_so_many_copies(example, take):
    mean, K, sites, rows = example(4, 5, 5)
    times = np.array([1, 3, 1, 2, 5])
    weighted = Sites(sites.lower, sites.upper, sites.noise, times)
    every = np.repeat(np.arange(5), times)
    copied = Rows(rows.raised[every], rows.lowered[every])
    one = expectation_propagation(mean, K, weighted, rows=rows, tol=1e-10)
    two = expectation_propagation(mean, K, take(sites, every), rows=copied, tol=1e-10)
    assert one.log_evidence == pytest.approx(two.log_evidence, abs=1e-7)
    assert one.mean == pytest.approx(two.mean, abs=1e-7)
    assert one.cov == pytest.approx(two.cov, abs=1e-7)


def test_a_weight_of_zero_is_no_site(example, take):
    mean, K, sites, rows = example(4, 5, 6)
    weights = np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    with_zero = Sites(sites.lower, sites.upper, sites.noise, weights)
    without = Rows(rows.raised[:4], rows.lowered[:4])
    one = expectation_propagation(mean, K, with_zero, rows=rows)
    two = expectation_propagation(mean, K, take(sites, range(4)), rows=without)
    assert one.log_evidence == pytest.approx(two.log_evidence, abs=1e-9)
    assert one.mean == pytest.approx(two.mean, abs=1e-9)


def test_less_than_a_whole_answer_says_less():
    prior = ([0.0], [[1.0]])
    means = [
        expectation_propagation(*prior, Sites([0.0], [INF], 1.0, [w])).mean[0]
        for w in (0.0, 0.2, 0.6, 1.0, 2.0)
    ]
    assert means[0] == 0.0
    assert (np.diff(means) > 0).all()


def test_a_warm_start_ends_where_a_cold_one_does(example, take):
    mean, K, sites, rows = example(6, 10, 7)
    known = Rows(rows.raised[:9], rows.lowered[:9])
    before = expectation_propagation(mean, K, take(sites, range(9)), rows=known)
    cold = expectation_propagation(mean, K, sites, rows=rows, tol=1e-9)
    warm = expectation_propagation(
        mean, K, sites, rows=rows, tol=1e-9, start=(before.tau, before.nu)
    )
    assert warm.mean == pytest.approx(cold.mean, abs=1e-8)
    assert warm.log_evidence == pytest.approx(cold.log_evidence, abs=1e-8)
    again = expectation_propagation(
        mean, K, sites, rows=rows, start=(cold.tau, cold.nu)
    )
    assert again.n_iter == 1


def test_contradictions_cancel_and_repetitions_add_up():
    K = np.array([[1.0]])
    against = Sites([0.0, -INF], [INF, 0.0], 1e-6)
    result = expectation_propagation([0.7], K, against, rows=Rows([0, 0], [-1, -1]))
    assert abs(result.mean[0]) < 1e-4
    assert result.cov[0, 0] < 1e-9
    many = Sites(np.zeros(30), np.full(30, INF), 0.3)
    result = expectation_propagation([0.0], K, many, rows=Rows([0] * 30, [-1] * 30))
    assert result.status == "optimal"
    assert result.mean[0] > 0.8


def test_nothing_to_learn():
    empty = expectation_propagation(
        [1.0, 2.0], np.eye(2), Sites([], []), rows=Rows([], [])
    )
    assert empty.mean.tolist() == [1.0, 2.0]
    assert (empty.log_evidence, empty.status, empty.n_iter) == (0.0, "optimal", 0)
    equal_items = np.ones((2, 2))
    result = expectation_propagation(
        [0.0, 0.0], equal_items, Sites([0.0], [INF]), rows=Rows([0], [1])
    )
    assert result.log_evidence == pytest.approx(np.log(0.5))
    assert result.cov == pytest.approx(equal_items)


def test_the_limit_of_sweeps_is_reported(example):
    mean, K, sites, rows = example(6, 10, 8)
    result = expectation_propagation(mean, K, sites, rows=rows, max_iter=1)
    assert (result.status, result.n_iter) == ("stalled", 1)
    assert result.gap > 1e-6


@pytest.mark.parametrize(
    ("mean", "cov", "rows", "message"),
    [
        ([0.0], np.eye(2), None, "cov must be square"),
        ([0.0, 0.0], np.eye(2), Rows([0, 1], [1, 0]), "one row per site"),
        ([0.0], np.eye(1), Rows([1], [0]), "about 1 nodes"),
    ],
)
def test_sizes_must_fit(mean, cov, rows, message):
    with pytest.raises(DataError, match=message):
        expectation_propagation(mean, cov, Sites([0.0], [1.0]), rows=rows)


def test_no_fuzzed_problem_fails(fuzzed_problem):
    rng = np.random.default_rng(0)
    stalled = 0
    for _ in range(1000):
        mean, K, sites, rows = fuzzed_problem(rng)
        result = expectation_propagation(mean, K, sites, rows=rows)
        stalled += result.status == "stalled"
        for values in (result.mean, result.cov, result.tau, result.nu, result.gap):
            assert np.isfinite(values).all()
        assert np.isfinite(result.log_evidence)
        assert (result.tau >= 0).all()
        assert np.linalg.eigvalsh(result.cov)[0] >= -1e-9 * K.max()
    assert stalled <= 10
