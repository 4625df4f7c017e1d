"""Slopes, bounds and balances of losses, by finite differences and brute force."""

import numpy as np
import pytest

from penchant.choquet.solver._losses import HingeLoss, LogisticLoss, Loss, SquaredLoss

WEIGHT = np.array([0.5, 2.0, 1.0, 0.25, 1.5])
SIGN = np.array([1.0, -1.0, 1.0, 1.0, -1.0])
OFFSET = np.array([1.0, 0.5, -0.2, 0.0, 1.0])
T = np.array([0.2, 0.7, -1.0, 1.3, 0.1])
LOSSES = {
    "squared": SquaredLoss(OFFSET, WEIGHT),
    "logistic": LogisticLoss(SIGN, WEIGHT),
    "hinge": HingeLoss(SIGN, OFFSET, WEIGHT),
}


def each(loss, t):
    """Give the loss of each row."""
    return [loss.value(np.where(np.arange(5) == k, t, T)) for k in range(5)]


@pytest.mark.parametrize("name", LOSSES)
def test_slopes_are_derivatives_in_every_row(name):
    loss, h = LOSSES[name], 1e-6
    rise = np.subtract(each(loss, T + h), each(loss, T - h))
    np.testing.assert_allclose(loss.subgradient(T), rise / (2 * h), atol=1e-7)


@pytest.mark.parametrize("name", ["squared", "logistic"])
def test_steps_follow_slopes_and_curvatures(name):
    loss, h = LOSSES[name], 1e-5
    g, curvature = loss.linearize(T, np.zeros((2, 0)))
    np.testing.assert_allclose(g, loss.slope(T))
    bends = (loss.slope(T + h) - loss.slope(T - h)) / (2 * h)
    np.testing.assert_allclose(curvature, bends, rtol=1e-5)


@pytest.mark.parametrize("name", LOSSES)
def test_the_dual_value_is_the_least_of_loss_minus_slope(name):
    loss = LOSSES[name]
    u = 0.6 * loss.subgradient(T)
    grid = np.linspace(-20, 20, 40_001)
    least = 0.0
    for k in range(5):
        if name == "squared":
            one = WEIGHT[k] * (grid - OFFSET[k]) ** 2 / 2
        elif name == "logistic":
            one = WEIGHT[k] * np.logaddexp(0.0, -SIGN[k] * grid)
        else:
            one = WEIGHT[k] * np.maximum(0.0, OFFSET[k] - SIGN[k] * grid)
        assert loss.value(T) >= 0
        least += (one - u[k] * grid).min()
    assert loss.dual_value(u) == pytest.approx(least, abs=1e-4)


@pytest.mark.parametrize("name", LOSSES)
def test_balanced_slopes_sum_to_zero_in_each_group_and_stay_in_the_domain(name):
    loss, groups = LOSSES[name], np.array([0, 0, 1, 1, 1])
    u = np.array([-0.3, 0.4, -0.5, -0.1, 0.9])
    balanced = loss.balance(u, groups, 2)
    np.testing.assert_allclose(np.bincount(groups, balanced), 0.0, atol=1e-12)
    if name == "squared":  # the nearest such slopes, in the norm of the loss
        step = (balanced - u) / WEIGHT
        np.testing.assert_allclose(step, np.array([step[0]] * 2 + [step[2]] * 3))
    else:
        expected = [-0.3, 0.3, -0.5, -0.1, 0.6]  # the heavier side shrinks
        np.testing.assert_allclose(balanced, expected)
        np.testing.assert_array_equal(Loss.balance(loss, 0 * u, groups, 2), 0 * u)


def test_a_loss_without_kinks_has_no_slacks():
    loss = LOSSES["squared"]
    assert (loss.n_pairs, loss.complementarity(0.5), loss.max_step()) == (0, 0, np.inf)
    assert loss.correction().shape == (2, 0)


def test_slacks_of_the_hinge_move_as_newton_says():
    loss = HingeLoss(SIGN, OFFSET, WEIGHT)
    loss.start(T)
    # on the central surface: over - under = offset - sign t, v in the middle
    np.testing.assert_allclose(loss.over - loss.under, OFFSET - SIGN * T)
    assert min(loss.over.min(), loss.under.min()) == 1.0
    np.testing.assert_allclose([loss.v, loss.free], [WEIGHT / 2] * 2)
    assert loss.n_pairs == 10
    whole = loss.v @ loss.under + loss.free @ loss.over
    assert loss.complementarity() == pytest.approx(whole)
    tau = np.full((2, 5), 0.05)
    dt = np.array([0.1, -0.2, 0.05, 0.3, -0.1])
    g, curvature = loss.linearize(T, tau)
    loss.aim(dt, tau)
    dv, d_under, d_over = loss._moves
    np.testing.assert_allclose(-SIGN * (loss.v + dv), g + curvature * dt)
    np.testing.assert_allclose(d_over - d_under, -SIGN * dt)
    v, free = loss.v, loss.free
    np.testing.assert_allclose(v * loss.under + dv * loss.under + v * d_under, tau[0])
    np.testing.assert_allclose(
        free * loss.over - dv * loss.over + free * d_over, tau[1]
    )
    np.testing.assert_allclose(loss.correction(), [dv * d_under, -dv * d_over])
    # the largest step ends where the first slack is zero
    step = loss.max_step()
    slacks = np.concatenate([loss.v, loss.free, loss.under, loss.over])
    moves = np.concatenate([dv, -dv, d_under, d_over])
    assert 0 < step < np.inf
    assert (slacks + step * moves).min() == pytest.approx(0.0, abs=1e-12)
    ahead = loss.complementarity(step / 2)
    loss.advance(step / 2)
    assert loss.complementarity() == pytest.approx(ahead)
    np.testing.assert_allclose(loss.v + loss.free, WEIGHT)
    np.testing.assert_allclose(
        loss.over - loss.under, OFFSET - SIGN * (T + step / 2 * dt)
    )
