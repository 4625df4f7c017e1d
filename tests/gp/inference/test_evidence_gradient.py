"""Gradients of the evidence, against finite differences."""

import numpy as np
import pytest

from penchant.solvers import Sites, evidence_gradient, expectation_propagation, laplace

INFERENCES = {
    "laplace": laplace,
    "ep": lambda *args, **kw: expectation_propagation(*args, **kw, tol=1e-12),
}
WEIGHTS = np.array([1.0, 2.0, 1.0, 1.5, 1.0, 1.0, 4.0, 1.0, 1.0])

INF = np.inf


@pytest.fixture(params=["laplace", "ep"])
def problem(request, example):
    mean, K, sites, rows = example(5, 9, 2)
    sites = Sites(sites.lower, sites.upper, sites.noise, WEIGHTS)
    return INFERENCES[request.param], mean, K, sites, rows


def test_by_the_covariance(problem):
    infer, mean, K, sites, rows = problem
    gradient = evidence_gradient(infer(mean, K, sites, rows=rows), sites, rows).cov
    rng = np.random.default_rng(0)
    for _ in range(5):
        root = rng.normal(size=(5, 5))
        change, h = root @ root.T, 1e-6
        up, down = (
            infer(mean, K + sign * h * change, sites, rows=rows).log_evidence
            for sign in (1, -1)
        )
        slope = (up - down) / (2 * h)
        assert np.sum(gradient * change) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("end", ["lower", "upper"])
def test_by_the_ends(problem, end):
    infer, mean, K, sites, rows = problem
    gradient = evidence_gradient(infer(mean, K, sites, rows=rows), sites, rows)
    ends, h = {"lower": sites.lower, "upper": sites.upper}, 1e-5
    for k in range(len(sites)):
        step = np.where(np.arange(len(sites)) == k, h, 0.0)
        up, down = (
            infer(
                mean,
                K,
                Sites(
                    **{**ends, end: ends[end] + sign * step},
                    noise=sites.noise,
                    weights=sites.weights,
                ),
                rows=rows,
            ).log_evidence
            for sign in (1, -1)
        )
        slope = (up - down) / (2 * h)
        assert getattr(gradient, end)[k] == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_infinite_ends_have_no_slope(problem):
    infer, mean, K, sites, rows = problem
    gradient = evidence_gradient(infer(mean, K, sites, rows=rows), sites, rows)
    assert not gradient.upper[np.isinf(sites.upper)].any()
    assert gradient.upper[np.isfinite(sites.upper)].all()


@pytest.mark.parametrize("infer", [laplace, expectation_propagation])
def test_no_fuzzed_gradient_fails(infer, fuzzed_problem):
    rng = np.random.default_rng(2)
    for _ in range(300):
        mean, K, sites, rows = fuzzed_problem(rng)
        gradient = evidence_gradient(infer(mean, K, sites, rows=rows), sites, rows)
        for part in gradient:
            assert np.isfinite(part).all()
