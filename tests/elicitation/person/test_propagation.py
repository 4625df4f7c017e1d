import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from penchant.elicitation.person._propagation import Likelihood, Sites, propagate


def rows(lower, upper, noise, lapse):
    return Likelihood(
        *(np.array([part], float) for part in (lower, upper, noise, lapse))
    )


def chance(s, k, told):
    lower, upper, noise, lapse = (part[0, k] for part in told)
    inside = norm.cdf((upper - s) / noise) - norm.cdf((lower - s) / noise)
    return lapse + (1 - 2 * lapse) * inside


def found(mean, gram, told):
    none = np.zeros_like(mean)
    limits = {"max_iter": 100, "tol": 1e-10}
    return propagate(mean, gram, told, Sites(none, none), **limits)


@pytest.mark.parametrize("lapse", [0.002, 0.05])
@pytest.mark.parametrize("ends", [(0.3, np.inf), (-0.2, 0.2)])
def test_one_row_is_exact(lapse, ends):
    told = rows([ends[0]], [ends[1]], [0.2], [lapse])
    mean, gram = np.array([[0.4]]), np.array([[[1.5]]])
    state = found(mean, gram, told)
    prior = norm(0.4, np.sqrt(1.5)).pdf
    total = quad(lambda s: prior(s) * chance(s, 0, told), -8, 8, limit=200)[0]
    middle = quad(lambda s: s * prior(s) * chance(s, 0, told), -8, 8, limit=200)[0]
    assert state.log_evidence[0] == pytest.approx(np.log(total), abs=1e-6)
    posterior = mean + np.einsum("hrs,hs->hr", gram, state.weights)
    assert posterior[0, 0] == pytest.approx(middle / total, abs=1e-6)


def test_two_rows_are_near_quadrature():
    told = rows([0.1, -0.1], [np.inf, 0.1], [0.3, 0.4], [0.01, 0.05])
    mean, gram = np.array([[0.2, -0.5]]), np.array([[[1.0, 0.6], [0.6, 0.8]]])
    state = found(mean, gram, told)
    prior = multivariate_normal(mean[0], gram[0]).pdf
    grid = np.linspace(-6, 6, 601)
    a, b = np.meshgrid(grid, grid, indexing="ij")
    both = prior(np.dstack([a, b])) * chance(a, 0, told) * chance(b, 1, told)
    total = both.sum() * (grid[1] - grid[0]) ** 2
    assert state.log_evidence[0] == pytest.approx(np.log(total), abs=0.01)


def test_models_do_not_touch_each_other():
    rng = np.random.default_rng(0)
    roots = rng.standard_normal((3, 4, 4))
    mean, gram = rng.standard_normal((3, 4)), roots @ roots.transpose(0, 2, 1)
    one = rows(np.zeros(4), np.full(4, np.inf), np.full(4, 0.3), np.full(4, 0.01))
    told = Likelihood(*(np.repeat(part, 3, axis=0) for part in one))
    together = found(mean, gram, told).log_evidence
    alone = [found(mean[[h]], gram[[h]], one).log_evidence[0] for h in range(3)]
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_what_is_known_of_the_first_rows_is_used_and_changes_nothing():
    rng = np.random.default_rng(1)
    roots = rng.standard_normal((3, 6, 8))
    mean, gram = rng.standard_normal((3, 6)), roots @ roots.transpose(0, 2, 1)
    ends = np.zeros((3, 6)), np.full((3, 6), np.inf)
    told = Likelihood(*ends, np.full((3, 6), 0.3), np.full((3, 6), 0.01))
    first = Likelihood(*(part[:, :4] for part in told))
    nothing = Sites(np.zeros((3, 0)), np.zeros((3, 0)))
    before = propagate(mean[:, :4], gram[:, :4, :4], first, nothing)
    fresh = propagate(mean, gram, told, before.sites)
    carried = propagate(mean, gram, told, before.sites, before.inner)
    for a, b in zip(
        (*fresh.sites, *fresh[1:]), (*carried.sites, *carried[1:]), strict=True
    ):
        np.testing.assert_allclose(a, b, atol=1e-10)
    # what each part says of itself
    tau, nu = carried.sites
    inner = np.linalg.inv(gram + np.eye(6) / tau[:, :, None])
    np.testing.assert_allclose(carried.inner, inner, atol=1e-9)
    weights = np.einsum("hrs,hs->hr", inner, nu / tau - mean)
    np.testing.assert_allclose(carried.weights, weights, atol=1e-9)
