"""The objective of learning: its gradient, priors, and kernels behind it."""

import numpy as np
import pytest

from penchant._progress import Progress
from penchant.data import Comparisons, Ratings
from penchant.encoding._encoding import make_encoding
from penchant.gp._fit import PosteriorProblem
from penchant.gp._kernels import AnovaFamily, ArdFamily
from penchant.gp._ranker_answers import check_answers
from penchant.models import GaussianProcessRanker


def problem(kernel, inference, max_order=3):
    """Ties, ratings, a category and an ordinal attribute at once."""
    rng = np.random.default_rng(0)
    X = rng.random((9, 4))
    X[:, 1] = rng.integers(0, 3, 9)
    X[:, 2] = rng.integers(0, 3, 9) / 2
    left = rng.integers(0, 9, 14)
    right = (left + rng.integers(1, 9, 14)) % 9
    evidence = [
        Comparisons(left, right, ties=np.arange(14) % 5 == 0),
        Ratings(np.arange(9), [0, 1, 2, 1, 0, 2, 2, 1, 0]),
    ]
    items, answers = check_answers(GaussianProcessRanker(), X, evidence)
    domain = [(0, 1), (0, 2), (0, 0.5, 1), (0, 1)]
    encoding = make_encoding(X, items, domain, [1], None)
    U = encoding.transform(answers.items)
    if kernel == "rbf":
        family = ArdFamily(U, encoding)
    else:
        family = AnovaFamily(U, encoding, max_order)
    model, progress = GaussianProcessRanker(inference=inference), Progress("test")
    return PosteriorProblem(family, answers, model, progress), family, U


@pytest.mark.parametrize("kernel", ["rbf", "anova"])
@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_the_gradient_equals_finite_differences(kernel, inference, monkeypatch):
    monkeypatch.setattr("penchant.gp._fit._ROUGH", 1e-11)
    objective, *_ = problem(kernel, inference)
    rng = np.random.default_rng(1)
    low, high = np.array(objective.bounds).T
    free = high > low
    for _ in range(3):
        at = objective.start + 0.4 * free * rng.standard_normal(len(free))
        value, gradient = objective.objective(at)
        assert np.isfinite(value)
        slopes = np.array(
            [
                approx_slope(lambda t: objective.objective(t)[0], at, k)
                for k in range(len(at))
            ]
        )
        scale = np.abs(slopes[free]).max()
        assert gradient[free] == pytest.approx(slopes[free], rel=1e-6, abs=1e-6 * scale)


def approx_slope(function, at, k, h=1e-4):
    """Differentiate by a central difference of fourth order."""
    step = np.where(np.arange(len(at)) == k, h, 0.0)
    near = function(at + step) - function(at - step)
    far = function(at + 2 * step) - function(at - 2 * step)
    return (8 * near - far) / (12 * h)


@pytest.mark.parametrize("kernel", ["rbf", "anova"])
def test_learning_and_prediction_use_the_same_kernel(kernel):
    _, family, U = problem(kernel, "laplace")
    rng = np.random.default_rng(2)
    low, high = np.array(family.bounds).T
    at = family.prior_mean + 0.3 * (high > low) * rng.standard_normal(len(low))
    K, _ = family.gram(at)
    assert family.kernel(at).gram(U, U) == pytest.approx(K, rel=1e-10, abs=1e-12)
    assert np.linalg.eigvalsh(K)[0] > -1e-12 * np.trace(K)


@pytest.mark.parametrize("scale", [0.004, 0.02, 0.07, 0.3, 3.0])
def test_the_centring_is_exact_for_all_scales(scale):
    X = np.random.default_rng(0).random((12, 2))
    encoding = make_encoding(X, X, (0, 1), None, None)
    family = AnovaFamily(X, encoding, 2, length_scale=scale)
    K, _ = family.gram(family.prior_mean)
    kernel = family.kernel(family.prior_mean)
    assert kernel.gram(X, X) == pytest.approx(K, rel=1e-9, abs=1e-11)


def test_parts_have_the_variance_that_was_asked_for():
    X = np.random.default_rng(0).random((12, 3))
    encoding = make_encoding(X, X, (0, 1), None, None)
    family = AnovaFamily(X, encoding, 1, variance=6.0)
    kernel = family.kernel(family.prior_mean)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    line = np.repeat((0.5 + 0.5 * nodes)[:, None], 3, axis=1)
    for values in kernel.factor_variances(line).values():
        assert 0.5 * weights @ values == pytest.approx(2.0)


def test_the_prior_is_where_the_search_starts():
    objective, family, _ = problem("anova", "laplace")
    assert np.array_equal(objective.start[: objective.n_kernel], family.prior_mean)
    width, thresholds = objective.ends(objective.start)
    assert width == pytest.approx(0.5)
    assert len(thresholds) == 2
    assert thresholds[0] < thresholds[1]
