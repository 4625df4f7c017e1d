import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.solvers._cones import Cones, Scaling

SIZES = [1, 3, 2, 5]


def interior_point(rng, cones):
    tails = rng.normal(size=len(cones.owner))
    return cones.norms(tails) + rng.uniform(0.01, 2.0, len(cones)), tails


@given(seed=st.integers(0, 10_000))
def test_scaling_takes_both_points_to_the_same_place(seed):
    rng = np.random.default_rng(seed)
    cones = Cones(SIZES)
    primal, dual = interior_point(rng, cones), interior_point(rng, cones)
    scaling = Scaling.between(cones, primal, dual)
    for left, right in zip(
        scaling.apply(dual), scaling.apply_inverse(primal), strict=True
    ):
        np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-11)


@given(seed=st.integers(0, 10_000))
def test_square_of_tail_applies_the_scaling_twice(seed):
    rng = np.random.default_rng(seed)
    cones = Cones(SIZES)
    scaling = Scaling.between(
        cones, interior_point(rng, cones), interior_point(rng, cones)
    )
    tails = rng.normal(size=len(cones.owner))
    twice = scaling.apply(scaling.apply((np.zeros(len(cones)), tails)))
    for left, right in zip(scaling.square_of_tail(tails), twice, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-8, atol=1e-10)


@given(seed=st.integers(0, 10_000))
def test_division_undoes_the_product(seed):
    rng = np.random.default_rng(seed)
    cones = Cones(SIZES)
    x, y = interior_point(rng, cones), interior_point(rng, cones)
    for left, right in zip(cones.divide(x, cones.product(x, y)), y, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-8, atol=1e-10)


@given(seed=st.integers(0, 10_000))
def test_longest_step_ends_on_the_boundary(seed):
    rng = np.random.default_rng(seed)
    cones = Cones(SIZES)
    x = interior_point(rng, cones)
    move = rng.normal(size=len(cones)), rng.normal(size=len(cones.owner))
    step = cones.longest_step(x, move)

    def distance(step):
        heads, tails = x[0] + step * move[0], x[1] + step * move[1]
        return (heads - cones.norms(tails)).min()

    assert distance(step) == pytest.approx(0.0, abs=1e-9 * max(1.0, step))
    assert distance(0.999 * step) > 0


def test_a_direction_inside_the_cones_has_no_longest_step():
    cones = Cones([2])
    x = np.array([1.0]), np.zeros(2)
    assert cones.longest_step(x, (np.array([1.0]), np.zeros(2))) == np.inf
