"""The cone algebra against dense matrices, cone by cone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.gai.solver._cones import (
    inverse_product,
    longest_cone_step,
    nesterov_todd,
    norms,
    square_of_tail,
)

SIZES = [1, 3, 2, 5]
OFFSETS = np.cumsum([0, *SIZES])
SEEDS = st.integers(0, 10_000)


def interior_point(rng):
    tails = rng.normal(size=sum(SIZES))
    return norms(OFFSETS, tails) + rng.uniform(0.01, 2.0, len(SIZES)), tails


def interior_dual(rng):
    heads, tails = interior_point(rng)
    return tails / np.repeat(heads, SIZES)


def split(tails):
    return np.split(tails, OFFSETS[1:-1])


def vectors(point):
    """Give (t, v) of every cone as one vector each."""
    return [np.append(t, v) for t, v in zip(point[0], split(point[1]), strict=True)]


def matrices(scaling):
    """Give W of every cone, from its definition."""
    tails = split(scaling.tail)
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
    primal, dual_tails = interior_point(rng), interior_dual(rng)
    scaling = nesterov_todd(OFFSETS, *primal, dual_tails)
    dual = vectors((np.ones(len(SIZES)), dual_tails))
    for W, x, s in zip(matrices(scaling), vectors(primal), dual, strict=True):
        np.testing.assert_allclose(W @ (W @ s), x, rtol=1e-8, atol=1e-9)


@given(seed=SEEDS)
def test_square_of_tail_applies_the_scaling_twice(seed):
    rng = np.random.default_rng(seed)
    scaling = nesterov_todd(OFFSETS, *interior_point(rng), interior_dual(rng))
    tails = rng.normal(size=sum(SIZES))
    given_points = vectors((np.zeros(len(SIZES)), tails))
    found = vectors(square_of_tail(OFFSETS, scaling, tails))
    for W, x, square in zip(matrices(scaling), given_points, found, strict=True):
        np.testing.assert_allclose(square, W @ W @ x, rtol=1e-8, atol=1e-9)


@given(seed=SEEDS, goal=st.floats(0.0, 10.0))
def test_inverse_product_solves_the_scaled_equation(seed, goal):
    rng = np.random.default_rng(seed)
    dual_tails = interior_dual(rng)
    scaling = nesterov_todd(OFFSETS, *interior_point(rng), dual_tails)
    move = rng.normal(size=len(SIZES)), rng.normal(size=sum(SIZES))
    dual_move = rng.normal(size=sum(SIZES))
    found = inverse_product(OFFSETS, scaling, dual_tails, goal, move, dual_move)
    parts = zip(
        matrices(scaling),
        vectors((np.ones(len(SIZES)), dual_tails)),
        vectors(move),
        vectors((np.zeros(len(SIZES)), dual_move)),
        vectors(found),
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
    heads, tails = interior_point(rng)
    move = rng.normal(size=len(SIZES)), rng.normal(size=sum(SIZES))
    step = longest_cone_step(OFFSETS, heads, tails, *move)

    def depth(step):
        return (heads + step * move[0] - norms(OFFSETS, tails + step * move[1])).min()

    assert depth(step) == pytest.approx(0.0, abs=1e-9 * max(1.0, step))
    assert depth(0.999 * step) > 0


def test_a_direction_inside_the_cones_has_no_longest_step():
    ahead = np.array([1.0]), np.zeros(2)
    assert longest_cone_step(np.array([0, 2]), *ahead, *ahead) == np.inf
