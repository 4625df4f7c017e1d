"""The cone algebra against dense matrices, cone by cone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.solvers._cones import Cones, Scaling

SIZES = [1, 3, 2, 5]
SEEDS = st.integers(0, 10_000)


def interior_point(rng, cones):
    tails = rng.normal(size=sum(SIZES))
    return cones.norms(tails) + rng.uniform(0.01, 2.0, len(cones)), tails


def interior_dual(rng, cones):
    tails = rng.normal(size=sum(SIZES))
    return tails / cones.spread(cones.norms(tails) + rng.uniform(0.01, 2.0, len(cones)))


def vectors(cones, point):
    """Give (t, v) of every cone as one vector each."""
    return [
        np.append(t, v) for t, v in zip(point[0], cones.split(point[1]), strict=True)
    ]


def matrices(scaling):
    """Give W of every cone, from its definition."""
    tails = scaling.cones.split(scaling.tail)
    for eta, head, tail in zip(scaling.eta, scaling.head, tails, strict=True):
        body = np.eye(len(tail)) + np.outer(tail, tail) / (1 + head)
        yield np.sqrt(eta) * np.block(
            [[np.array([[head]]), tail], [tail[:, None], body]]
        )


def jordan(x, y):
    return np.append(x @ y, x[0] * y[1:] + y[0] * x[1:])


def jordan_divide(x, y):
    arrow = x[0] * np.eye(len(x))
    arrow[0], arrow[:, 0] = x, x
    return np.linalg.solve(arrow, y)


@given(seed=SEEDS)
def test_scaling_takes_both_points_to_the_same_place(seed):
    rng = np.random.default_rng(seed)
    cones = Cones(SIZES)
    primal, dual_tails = interior_point(rng, cones), interior_dual(rng, cones)
    scaling = Scaling.between(cones, primal, dual_tails)
    dual = vectors(cones, (np.ones(len(cones)), dual_tails))
    for W, x, s in zip(matrices(scaling), vectors(cones, primal), dual, strict=True):
        np.testing.assert_allclose(W @ (W @ s), x, rtol=1e-8, atol=1e-9)


@given(seed=SEEDS)
def test_square_of_tail_applies_the_scaling_twice(seed):
    rng = np.random.default_rng(seed)
    cones = Cones(SIZES)
    scaling = Scaling.between(
        cones, interior_point(rng, cones), interior_dual(rng, cones)
    )
    tails = rng.normal(size=sum(SIZES))
    given_points = vectors(cones, (np.zeros(len(cones)), tails))
    found = vectors(cones, scaling.square_of_tail(tails))
    for W, x, square in zip(matrices(scaling), given_points, found, strict=True):
        np.testing.assert_allclose(square, W @ W @ x, rtol=1e-8, atol=1e-9)


@given(seed=SEEDS, goal=st.floats(0.0, 10.0))
def test_inverse_product_solves_the_scaled_equation(seed, goal):
    rng = np.random.default_rng(seed)
    cones = Cones(SIZES)
    dual_tails = interior_dual(rng, cones)
    scaling = Scaling.between(cones, interior_point(rng, cones), dual_tails)
    move = rng.normal(size=len(cones)), rng.normal(size=sum(SIZES))
    dual_move = rng.normal(size=sum(SIZES))
    found = scaling.inverse_product(dual_tails, goal, move, dual_move)
    parts = zip(
        matrices(scaling),
        vectors(cones, (np.ones(len(cones)), dual_tails)),
        vectors(cones, move),
        vectors(cones, (np.zeros(len(cones)), dual_move)),
        vectors(cones, found),
        strict=True,
    )
    for W, dual, dx, ds, result in parts:
        right = -jordan(np.linalg.solve(W, dx), W @ ds)
        right[0] += goal
        expected = W @ jordan_divide(W @ dual, right)
        scale = abs(expected).max()
        np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-7 * scale)


@given(seed=SEEDS)
def test_longest_step_ends_on_the_boundary(seed):
    rng = np.random.default_rng(seed)
    cones = Cones(SIZES)
    x = interior_point(rng, cones)
    move = rng.normal(size=len(cones)), rng.normal(size=sum(SIZES))
    step = cones.longest_step(x, move)

    def depth(step):
        return cones.depth((x[0] + step * move[0], x[1] + step * move[1]))

    assert depth(step) == pytest.approx(0.0, abs=1e-9 * max(1.0, step))
    assert depth(0.999 * step) > 0


def test_a_direction_inside_the_cones_has_no_longest_step():
    cones = Cones([2])
    x = np.array([1.0]), np.zeros(2)
    assert cones.longest_step(x, (np.array([1.0]), np.zeros(2))) == np.inf


def test_depth_is_the_distance_of_the_worst_cone():
    cones = Cones([2, 1])
    tails = np.array([3.0, 4.0, -1.0])
    assert cones.depth((np.array([7.0, 1.5]), tails)) == pytest.approx(0.5)
    assert cones.depth((np.array([4.0, 1.5]), tails)) == pytest.approx(-1.0)
