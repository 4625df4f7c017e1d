"""Cumulants of a normal variable in an interval, against integration and limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr

from penchant.gp.inference._truncated_normal import truncated_normal

INF = np.inf


def integrate(a, width):
    """Integrate over many small panels, with the density scaled to 1 at its top."""
    nodes, weights = np.polynomial.legendre.leggauss(30)
    low, high = (a, a + width) if a > -INF else (-INF, width)
    top = min(max(0.0, low), high)
    # beyond 40 / |top| from the top the density is less than exp(-40)
    reach = min(12.0, 40.0 / max(abs(top), 1e-9))
    low, high = max(low, top - reach), min(high, top + reach)
    edges = np.linspace(low, high, 101)
    half = 0.5 * np.diff(edges)[:, None]
    x = (edges[:-1, None] + half * (1 + nodes)).ravel() - top
    mass = (half * weights).ravel() * np.exp(-top * x - 0.5 * x * x)
    total = mass.sum()
    mean = mass @ x / total
    central = [mass @ (x - mean) ** k / total for k in (2, 3)]
    log_mass = np.log(total) - 0.5 * top**2 - 0.5 * np.log(2 * np.pi)
    return log_mass, mean + top, *central


INTERVALS = [
    (a, width)
    for a in (-30.0, -6.0, -2.5, -0.4, 0.0, 0.9, 1.1, 3.0, 6.0, 25.0)
    for width in (1e-3, 0.3, 1.9, 2.1, 7.0, INF)
] + [(-INF, b) for b in (-25.0, -3.0, 0.0, 2.0, 8.0)]


@pytest.mark.parametrize(("a", "width"), INTERVALS)
def test_cumulants_equal_integrals(a, width):
    log_mass, mean, variance, third, *_ = truncated_normal(a, width)
    expected = integrate(a, width)
    scale = np.sqrt(expected[2])
    assert log_mass == pytest.approx(expected[0], rel=1e-11, abs=1e-13)
    assert abs(mean - expected[1]) <= 1e-11 * max(scale, abs(mean))
    assert variance == pytest.approx(expected[2], rel=1e-9)
    assert abs(third - expected[3]) <= 1e-8 * scale**3


@pytest.mark.parametrize(("a", "width"), INTERVALS)
def test_shrinkage_and_densities_fit_the_rest(a, width):
    log_mass, _, variance, _, shrinkage, low, high = truncated_normal(a, width)
    ends = (a, a + width if a > -INF else width)
    for end, density in zip(ends, (low, high), strict=True):
        exact = np.exp(-0.5 * end**2 - log_mass) / np.sqrt(2 * np.pi)
        assert density == pytest.approx(exact, rel=1e-8, abs=1e-14)
    assert shrinkage == pytest.approx(1 - variance, abs=1e-13)


@pytest.mark.parametrize("z", [40.0, 1e3, 1e6, 1e9])
def test_far_tails_keep_their_leading_terms(z):
    log_mass, mean, variance, third, shrinkage, *_ = truncated_normal(z, INF)
    assert log_mass == pytest.approx(log_ndtr(-z), rel=1e-12)
    # e is z plus nearly an exponential variable of rate z
    assert mean == pytest.approx(z + 1 / z, rel=2 / z**4 + 1e-15)
    assert variance * z**2 == pytest.approx(1.0, rel=7 / z**2 + 1e-14)
    assert third * z**3 == pytest.approx(2.0, rel=20 / z**2 + 1e-14)
    assert shrinkage <= 1.0


def test_the_certain_side_keeps_tiny_numbers():
    log_mass, mean, _, _, shrinkage, *_ = truncated_normal(-30.0, INF)
    density = np.exp(-450.0) / np.sqrt(2 * np.pi)
    assert mean == pytest.approx(density, rel=1e-12)
    assert shrinkage == pytest.approx(30.0 * density, rel=1e-12)
    assert log_mass == pytest.approx(-np.exp(log_ndtr(-30.0)), rel=1e-11)


def test_the_whole_line_says_nothing():
    assert truncated_normal(-INF, INF) == (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("a", [-40.0, 0.0, 3.0, 1e6])
def test_narrow_intervals_are_uniform(a):
    width = 1e-9 / max(abs(a), 1.0)
    log_mass, mean, variance, third, *_ = truncated_normal(a, width)
    assert mean == pytest.approx(a + width / 2, rel=1e-15, abs=1e-24)
    assert variance == pytest.approx(width**2 / 12, rel=1e-6)
    assert abs(third) < 1e-6 * width**3
    expected = np.log(width) - 0.5 * a * a - 0.5 * np.log(2 * np.pi)
    assert log_mass == pytest.approx(expected, rel=1e-8)


@given(
    st.floats(-1e8, 1e8), st.one_of(st.floats(1e-12, 1e8), st.just(INF)), st.booleans()
)
def test_everything_is_finite_and_in_its_range(a, width, open_below):
    if open_below:
        a, width = -INF, a
    log_mass, mean, variance, third, shrinkage, low, high = truncated_normal(a, width)
    assert np.isfinite([log_mass, mean, variance, third, low, high]).all()
    assert log_mass <= 0.0
    assert 0.0 <= variance <= 1.0 + 1e-12
    assert -1e-12 <= shrinkage <= 1.0
    assert min(low, high) >= 0.0


@given(st.floats(-50, 50), st.floats(1e-6, 50))
def test_reflection_flips_odd_cumulants(a, width):
    right = truncated_normal(a, width)
    left = truncated_normal(-(a + width), width)
    scale = np.sqrt(right[2])
    assert left[0] == pytest.approx(right[0], rel=1e-9)
    assert left[1] == pytest.approx(-right[1], abs=1e-6 * scale)
    assert left[2] == pytest.approx(right[2], rel=1e-6)
    assert left[3] == pytest.approx(-right[3], abs=1e-6 * scale**3)
