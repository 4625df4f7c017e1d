import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from penchant.exceptions import DataError
from penchant.kernels import (
    RBF,
    BSpline,
    Categorical,
    KernelSum,
    Ordinal,
    Spline,
    zero_mean_rbf,
)

CONTINUOUS = [
    RBF(1.0),
    RBF(0.3),
    RBF(0.08),
    RBF(6.0),
    Spline(),
    BSpline(1),
    BSpline(3),
    BSpline(5),
    RBF(0.5).scaled(2.0),
    KernelSum((RBF(0.2), RBF(1.0).scaled(3.0))),
]
DISCRETE = [
    Ordinal((0.0, 0.2, 0.5, 1.0)),
    Ordinal((0.0, 0.5, 1.0), sigma=0.3, weights=(1.0, 2.0, 1.0)),
    Categorical(4),
    Categorical(3, weights=(1.0, 2.0, 0.0)),
    Categorical(3).scaled(0.5),
    KernelSum((Categorical(3), Categorical(3).scaled(2.0))),
]
unit = st.floats(0.0, 1.0)


@pytest.mark.parametrize("kernel", CONTINUOUS, ids=str)
@pytest.mark.parametrize("x", [0.0, 0.37, 1.0])
def test_continuous_kernels_integrate_to_zero(kernel, x):
    integral, _ = quad(
        lambda s: kernel.k0([x], [s])[0, 0], 0.0, 1.0, points=[x], epsabs=1e-12
    )
    assert integral == pytest.approx(0.0, abs=1e-11)


@pytest.mark.parametrize("kernel", DISCRETE, ids=str)
def test_discrete_kernels_have_zero_weighted_mean(kernel):
    levels, weights = kernel.measure()
    np.testing.assert_allclose(kernel.k0(levels, levels) @ weights, 0.0, atol=1e-15)


@pytest.mark.parametrize("kernel", CONTINUOUS, ids=str)
@given(x=st.lists(unit, min_size=1, max_size=8))
def test_continuous_kernels_are_symmetric_and_positive(kernel, x):
    gram = kernel.k0(x, x)
    np.testing.assert_allclose(gram, gram.T, atol=1e-15)
    assert np.linalg.eigvalsh(gram)[0] >= -1e-13


@pytest.mark.parametrize("kernel", DISCRETE, ids=str)
def test_discrete_kernels_are_symmetric_and_positive(kernel):
    levels, _ = kernel.measure()
    gram = kernel.k0(levels, levels)
    np.testing.assert_allclose(gram, gram.T, atol=1e-15)
    assert np.linalg.eigvalsh(gram)[0] >= -1e-14


@pytest.mark.parametrize(
    ("kernel", "value"),
    [
        (Spline(), lambda x, y: 1 + x * y + abs(x - y) * min(x, y) ** 2 / 2),
        (BSpline(1), lambda x, y: 1 - abs(x - y)),
        (BSpline(3), lambda x, y: 2 / 3 - (x - y) ** 2 + abs(x - y) ** 3 / 2),
        (RBF(0.7), lambda x, y: np.exp(-((x - y) ** 2) / 0.98)),
    ],
    ids=["spline", "bspline1", "bspline3", "rbf"],
)
def test_kernels_before_centring_match_their_formulas(kernel, value):
    x, y = 0.3, 0.8
    expected = value(x, y) + (min(x, y) ** 3 / 3 if kernel == Spline() else 0.0)
    assert kernel.k([x], [y])[0, 0] == pytest.approx(expected, rel=1e-14)


def test_published_kernel_stays_below_a_fifth():
    x = np.linspace(0.0, 1.0, 101)
    largest = zero_mean_rbf(x, x).max()
    assert largest == pytest.approx(0.20796, abs=1e-5)


@given(sigma=st.floats(0.05, 5.0), x=unit, y=unit)
def test_zero_mean_rbf_equals_the_kernel_centred_by_quadrature(sigma, x, y):
    nodes, weights = np.polynomial.legendre.leggauss(200)
    nodes, weights = (nodes + 1) / 2, weights / 2

    def k(a, b):
        return np.exp(-(np.subtract.outer(a, b) ** 2) / (2 * sigma**2))

    total = weights @ k(nodes, nodes) @ weights
    expected = k(x, y) - (k(x, nodes) @ weights) * (k(y, nodes) @ weights) / total
    assert zero_mean_rbf([x], [y], sigma)[0, 0] == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(
    ("kernel", "tolerance"),
    [(RBF(1.0), 1e-12), (RBF(0.08), 1e-10), (BSpline(5), 1e-8), (Spline(), 5e-6)],
    ids=str,
)
def test_features_reproduce_continuous_kernels(kernel, tolerance):
    x = np.linspace(0.0, 1.0, 57)
    features = kernel.feature_map()(x)
    np.testing.assert_allclose(
        features @ features.T, kernel.k0(x, x), atol=tolerance, rtol=0
    )


@pytest.mark.parametrize("kernel", DISCRETE, ids=str)
def test_features_reproduce_discrete_kernels_on_their_levels(kernel):
    levels, _ = kernel.measure()
    features = kernel.feature_map()(levels)
    np.testing.assert_allclose(
        features @ features.T, kernel.k0(levels, levels), atol=1e-14
    )


def test_published_kernel_has_seven_features():
    assert RBF(1.0).feature_map().n_features == 7


@pytest.mark.parametrize("kernel", [*CONTINUOUS, *DISCRETE], ids=str)
def test_a_kernel_over_its_mean_diagonal_has_a_unit_one(kernel):
    unit_kernel = kernel.scaled(1.0 / kernel.mean_diagonal())
    assert unit_kernel.mean_diagonal() == pytest.approx(1.0)


@pytest.mark.parametrize("kernel", [RBF(0.4), Categorical(3, (1.0, 2.0, 3.0))], ids=str)
def test_trace_of_second_moments_is_the_mean_diagonal(kernel):
    moments = kernel.feature_map().second_moments()
    assert np.trace(moments) == pytest.approx(kernel.mean_diagonal())


def test_a_feature_map_is_rebuilt_from_its_fields():
    feature_map = RBF(0.5).feature_map()
    fields = {
        field.name: getattr(feature_map, field.name)
        for field in dataclasses.fields(feature_map)
    }
    rebuilt = type(feature_map)(**fields)
    x = np.array([0.1, 0.9])
    np.testing.assert_array_equal(rebuilt(x), feature_map(x))


def test_an_unknown_category_gets_the_mean_utility():
    assert not Categorical(3).feature_map()([7.0]).any()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RBF(0.0), "sigma must be positive"),
        (lambda: BSpline(2), "order must be odd"),
        (lambda: Ordinal((0.0, 1.0), sigma=-1.0), "sigma must be positive"),
        (lambda: Ordinal((0.5, 0.5)), "distinct"),
        (lambda: Ordinal((0.0, 1.0), weights=(1.0,)), "2 non-negative numbers"),
        (lambda: Categorical(1), "at least 2"),
        (lambda: Categorical(2, weights=(0.0, 0.0)), "positive sum"),
        (lambda: RBF().scaled(0.0), "amplitude must be positive"),
        (lambda: KernelSum(()), "at least one kernel"),
        (lambda: KernelSum((RBF(), Categorical(2))), "share one measure"),
    ],
)
def test_impossible_kernels_are_refused(make, message):
    with pytest.raises(DataError, match=message):
        make()
