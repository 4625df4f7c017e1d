import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.solvers import nearest_monotone


def project_with_cvxpy(table, weights, signs):
    mass = weights[0][:, None] * weights[1][None, :]
    fitted = cp.Variable(table.shape)
    rules = [
        sign * cp.diff(fitted, axis=axis) >= 0
        for axis, sign in enumerate(signs)
        if sign
    ]
    error = cp.sum(cp.multiply(mass, cp.square(fitted - table)))
    cp.Problem(cp.Minimize(error), rules).solve(solver="CLARABEL")
    return fitted.value


@pytest.mark.parametrize("signs", [(1, 0), (0, -1), (1, 1), (-1, 1), (0, 0)])
def test_projection_equals_a_quadratic_program(signs):
    rng = np.random.default_rng(6)
    table = rng.standard_normal((6, 5))
    weights = [rng.uniform(0.2, 2.0, 6), rng.uniform(0.2, 2.0, 5)]
    np.testing.assert_allclose(
        nearest_monotone(table, weights, signs),
        project_with_cvxpy(table, weights, signs),
        atol=1e-4,
    )


@given(st.integers(0, 2**31), st.tuples(*[st.integers(-1, 1)] * 3))
def test_projections_are_monotone_without_exception(seed, signs):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((4, 3, 5)).round(rng.integers(3))
    weights = [rng.uniform(0.1, 1.0, size) for size in table.shape]
    fitted = nearest_monotone(table, weights, signs)
    for axis, sign in enumerate(signs):
        if sign:
            assert (sign * np.diff(fitted, axis=axis) >= 0).all()
