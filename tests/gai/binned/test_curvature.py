"""What moves coefficients ends where the conditions of a minimum hold."""

import numpy as np
import pytest

from penchant.gai.binned._blocks import make_blocks
from penchant.gai.binned._curvature import (
    Curvature,
    _block_minimum,
    _cone_minimum,
)
from penchant.gai.binned._groups import make_groups


@pytest.mark.parametrize("cost", [0.01, 1.0, 10.0])
def test_a_group_ends_where_the_slope_is_what_its_norm_costs(cost):
    rng = np.random.default_rng(0)
    values, linear = np.array([1e-3, 0.5, 2.0, 3.0]), 3.0 * rng.standard_normal(4)
    v = _block_minimum(values, linear, cost)
    if np.linalg.norm(linear) <= cost:
        assert not v.any()
    else:
        along = cost * v / np.linalg.norm(v)
        np.testing.assert_allclose(values * v + linear + along, 0.0, atol=1e-9)


def test_a_single_coefficient_moves_as_far_as_its_cost_allows():
    for linear in (-3.0, -1.0, 3.0):
        expected = -np.sign(linear) * max(abs(linear) - 1.0, 0.0) / 2.0
        found = _block_minimum(np.array([2.0]), np.array([linear]), 1.0)
        np.testing.assert_allclose(found, [expected])
        for bounded in (False, True):
            block = np.array([[2.0]]), np.array([linear]), 1.0, np.array([bounded])
            found = _cone_minimum(np.array([0.3]), block, 2.0)
            np.testing.assert_allclose(
                found, [max(expected, 0.0) if bounded else expected], atol=1e-12
            )


@pytest.mark.parametrize("directions", [None, {0: 1, 1: -1}])
@pytest.mark.parametrize("share", [0.3, 0.05])
def test_a_model_of_curvature_is_minimised(directions, share):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(120, 3))
    X[:, 2] = 0.95 * X[:, 0] + 0.05 * X[:, 2]  # nearly collinear
    y = np.sin(4 * X[:, 0]) + 2 * X[:, 0] * X[:, 1]
    axes, groups = make_groups(X, [False] * 3, 2, directions)
    (rows,) = make_blocks(axes, [X], y, np.ones(120), 120)
    model = Curvature(rows, groups)
    model.reweigh(np.ones((1, 120)), 0.0)
    model.grow(range(len(groups)))
    H = model.part(model.members)
    columns = np.concatenate([g.columns(rows).astype(float) for g in groups], axis=1)
    gradient = -(columns - columns.mean(axis=0)).T @ y / 120
    np.testing.assert_allclose(H, np.cov(columns.T, bias=True), atol=1e-6)
    costs = np.array([group.price for group in groups])
    costs *= share * np.linalg.norm(gradient)
    v = model.minimise(np.zeros(len(H)), gradient, costs, 1e-6)
    slope, bounded = model.split(gradient + H @ v), model.split(1.0 * model._bounded)
    on = 0
    for k, own in model.split(v).items():
        norm = np.linalg.norm(own)
        on += norm > 0
        left = slope[k] + costs[k] * own / max(norm, 1e-300)
        free = (bounded[k] == 0) | (own > 0)
        assert (own[bounded[k] > 0] >= 0).all()
        left[~free] = np.minimum(left[~free], 0.0)  # up is dear, down not allowed
        assert np.linalg.norm(left) <= costs[k] * (2e-6 if norm else 1 + 2e-6)
    assert 0 < on < len(groups)
