"""Sites: likelihood and derivatives, against closed forms and differences."""

import numpy as np
import pytest
from scipy.stats import norm

from penchant.exceptions import DataError
from penchant.solvers import Rows, Sites

INF = np.inf
LOWER = np.array([0.0, -0.4, 0.7, -INF, -1.0])
UPPER = np.array([INF, 0.4, 1.1, -0.2, 3.0])
NOISE = np.array([1.0, 0.5, 0.3, 2.0, 0.8])
SITES = Sites(LOWER, UPPER, NOISE)
POINT = np.array([-0.7, 0.3, 1.6, 0.9, -2.0])


def test_the_likelihood_is_that_of_the_interval():
    mass = norm.cdf((UPPER - POINT) / NOISE) - norm.cdf((LOWER - POINT) / NOISE)
    assert SITES.log_likelihood(POINT) == pytest.approx(np.log(mass), rel=1e-12)


def test_derivatives_equal_finite_differences():
    at = SITES.derivatives(POINT)
    h = 1e-5
    up, down = SITES.derivatives(POINT + h), SITES.derivatives(POINT - h)
    for k in range(3):
        slope = (up[k] - down[k]) / (2 * h)
        assert at[k + 1] == pytest.approx(slope, rel=1e-7, abs=1e-9)


def test_derivatives_of_a_comparison_are_those_of_the_text():
    z = np.array([-40.0, -3.0, 0.0, 2.0, 6.0])  # GP-3
    at = Sites(np.zeros(5), np.full(5, INF)).derivatives(z)
    r = np.exp(norm.logpdf(z) - norm.logcdf(z))
    assert at.first == pytest.approx(r, rel=1e-12)
    assert at.second == pytest.approx(-r * (z + r), rel=1e-9)
    third = -r * (1 - (z + r) * (z + 2 * r))
    assert at.third[1:] == pytest.approx(third[1:], rel=1e-9)


def test_derivatives_by_the_ends_equal_finite_differences():
    h = 1e-5
    by_lower, by_upper = SITES.end_derivatives(POINT)
    for by, direction in ((by_lower, (1, 0)), (by_upper, (0, 1))):
        moved = [
            Sites(
                LOWER + sign * h * direction[0], UPPER + sign * h * direction[1], NOISE
            ).derivatives(POINT)
            for sign in (1, -1)
        ]
        for k in range(3):
            slope = (moved[0][k] - moved[1][k]) / (2 * h)
            assert by[k] == pytest.approx(slope, rel=1e-6, abs=1e-9)


def test_far_tails_and_tiny_noise_stay_finite():
    sites = Sites([0.0, -1e-9], [INF, 1e-9], 1e-6)
    for s in (-1e6, -40.0, 40.0, 1e6):
        assert np.isfinite(np.stack(sites.derivatives([s, s]))).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], [0.0]), "lower < upper"),
        (([1.0, 0.0], [2.0, -1.0]), "position 1"),
        (([0.0], [1.0, 2.0]), "equally long"),
        (([0.0], [1.0], 0.0), "noise must be positive"),
        (([0.0], [1.0], np.inf), "noise must be positive"),
        (([0.0], [1.0], 1.0, [-1.0]), "weights"),
    ],
)
def test_bad_sites_are_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        Sites(*arguments)


def test_rows_are_their_matrix():
    rows = Rows([0, 2, -1, 1], [1, -1, 3, 0])
    rng = np.random.default_rng(0)
    A = np.zeros((4, 5))
    A[[0, 1, 3], [0, 2, 1]] = 1.0
    A[[0, 2, 3], [1, 3, 0]] = -1.0
    f, values, root = rng.normal(size=5), rng.normal(size=4), rng.normal(size=(5, 5))
    C = root @ root.T
    assert rows.n_nodes == 4
    assert rows.apply(f) == pytest.approx(A @ f)
    assert rows.apply(C) == pytest.approx(A @ C)
    assert rows.pull(values, 5) == pytest.approx(A.T @ values)
    assert rows.gram(values, 5) == pytest.approx(A.T @ np.diag(values) @ A)
    assert rows.variances(C) == pytest.approx(np.diag(A @ C @ A.T))
    assert np.array_equal(Rows.identity(3).apply(np.eye(3)), np.eye(3))


@pytest.mark.parametrize(
    ("raised", "lowered", "message"),
    [([0, 1], [1], "equally long"), ([0], [-2], "-1 or more")],
)
def test_bad_rows_are_refused(raised, lowered, message):
    with pytest.raises(DataError, match=message):
        Rows(raised, lowered)
