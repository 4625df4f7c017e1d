"""Pulls are slopes, curvatures are bends, and duals are the least of loss and pull."""

import numpy as np
import pytest

from penchant.gai.binned._losses import (
    Grades,
    Hinge,
    Logistic,
    Preference,
    Squared,
    Tube,
)

N = 40
LOSSES = {
    "squared": (Squared(), 1),
    "tube": (Tube(0.1, 0.3), 1),
    "logistic": (Logistic(), 1),
    "preference": (Preference(), 0),
    "hinge": (Hinge(0.1, 0.3), 0),
    "grades": (Grades(4), 3),
}
SMOOTH = ["squared", "logistic", "preference", "grades"]


def rows(name):
    rng = np.random.default_rng(0)
    f = rng.normal(0, 1.5, N)
    y = {
        "squared": rng.normal(size=N),
        "tube": rng.normal(size=N),
        "grades": rng.integers(0, 4, N).astype(float),
    }.get(name, (rng.uniform(size=N) < 0.5).astype(float))
    loss, n_offsets = LOSSES[name]
    assert loss.n_offsets == n_offsets
    return loss, y, f, np.array([0.7, 0.1, -0.9])[:n_offsets]


@pytest.mark.parametrize("name", LOSSES)
def test_pulls_are_minus_the_slopes(name):
    loss, y, f, offsets = rows(name)
    h = 1e-6
    slopes = loss.value(y, f + h, offsets) - loss.value(y, f - h, offsets)
    pulls = loss.pulls(y, f, offsets)
    np.testing.assert_allclose(pulls.sum(axis=0), -slopes / (2 * h), atol=1e-7)
    for k in range(len(offsets)):
        up, down = offsets.copy(), offsets.copy()
        up[k], down[k] = offsets[k] + h, offsets[k] - h
        slopes = loss.value(y, f, up) - loss.value(y, f, down)
        np.testing.assert_allclose(pulls[k], -slopes / (2 * h), atol=1e-7)


@pytest.mark.parametrize("name", SMOOTH)
def test_curvatures_are_slopes_of_pulls(name):
    loss, y, f, offsets = rows(name)
    h = 1e-5
    bends = loss.pulls(y, f - h, offsets) - loss.pulls(y, f + h, offsets)
    np.testing.assert_allclose(
        loss.curvatures(y, f, offsets), bends / (2 * h), atol=1e-8
    )


@pytest.mark.parametrize("name", ["tube", "hinge"])
def test_bends_have_their_curvature_and_straight_pieces_little(name):
    loss, y, f, offsets = rows(name)
    bends = loss.pulls(y, f - 1e-6, offsets) - loss.pulls(y, f + 1e-6, offsets)
    bends = (bends / 2e-6)[0]
    curvatures = loss.curvatures(y, f, offsets)[0]
    in_bend = bends > 1.0
    assert 3 < in_bend.sum() < N
    np.testing.assert_allclose(curvatures[in_bend], 1 / 0.3, rtol=1e-6)
    # a parabola that touches the loss has 1 / (mu + distance) at most
    assert (curvatures[~in_bend] > 0).all()
    assert (curvatures[~in_bend] < 0.1 / 0.3).all()


@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize("name", [name for name in LOSSES if name != "grades"])
def test_the_dual_is_the_least_of_loss_and_pull(name, share):
    loss, y, f, offsets = rows(name)
    pulls = loss.pulls(y, f, offsets)
    grid = np.linspace(-12, 12, 24_001)
    nowhere = np.zeros(len(offsets))
    least = [
        (loss.value(np.full(len(grid), own), grid, nowhere) + share * a * grid).min()
        for own, a in zip(y, pulls[0], strict=True)
    ]
    np.testing.assert_allclose(loss.dual(y, pulls, share), least, atol=1e-5)


def test_grades_are_a_question_for_each_threshold():
    loss, y, f, offsets = rows("grades")
    one = Logistic()
    above = [(y > t).astype(float) for t in range(3)]
    pulls = loss.pulls(y, f, offsets)
    value, dual = np.zeros(N), np.zeros(N)
    for t in range(3):
        value += one.value(above[t], f, offsets[t : t + 1])
        own = one.pulls(above[t], f, offsets[t : t + 1])
        dual += one.dual(above[t], own, 0.6)
        np.testing.assert_allclose(pulls[t], own[0])
    np.testing.assert_allclose(loss.value(y, f, offsets), value)
    np.testing.assert_allclose(loss.dual(y, pulls, 0.6), dual)


def test_printed_values():
    tube, none = Tube(0.1, 0.3), np.zeros(1)
    f = np.array([0.05, -0.05, 0.25, -0.25, 1.1, -1.1])
    expected = [0, 0, 0.0375, 0.0375, 0.85, 0.85]  # .15^2 / .6, and .15 + .7
    np.testing.assert_allclose(tube.value(np.zeros(6), f, none), expected)
    hinge = Hinge(0.1, 0.3)
    won = hinge.value(np.ones(3), np.array([1.2, 0.85, 0.0]), np.zeros(0))
    np.testing.assert_allclose(won, [0.0, 0.0375, 0.85])
    tied = hinge.value(np.zeros(6), f, np.zeros(0))
    np.testing.assert_allclose(tied, expected)
    assert Logistic().value(np.ones(1), np.zeros(1), none) == pytest.approx(np.log(2))


def test_a_dual_point_is_as_long_as_it_may_be():
    squared = Squared()
    y, a = np.array([1.0, 2.0, -1.0]), np.array([0.5, 2.0, -2.0])
    best = squared.scale(9.0, a @ y, a @ a)
    duals = [
        squared.dual(y, a[None], s).sum() for s in (best - 0.01, best, best + 0.01)
    ]
    assert duals[1] == max(duals)
    assert squared.scale(0.3, a @ y, a @ a) == 0.3
    assert squared.scale(9.0, 0.0, 0.0) == 1.0
    assert (Tube(0.1, 0.3).scale(9.0, 1.0, 1.0), Logistic().scale(0.3, 1.0, 1.0)) == (
        1,
        0.3,
    )


def test_who_is_a_likelihood():
    assert [loss.is_likelihood for loss, _ in LOSSES.values()] == [
        *(True, False, True, True, False, True)
    ]
    assert [loss.is_quadratic for loss, _ in LOSSES.values()] == [True, *[False] * 5]
