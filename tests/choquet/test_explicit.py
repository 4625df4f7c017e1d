"""Curves before a Choquet integral: slopes by differences, projections by hand."""

from dataclasses import replace

import numpy as np
import pytest

from penchant.choquet._capacity import Capacity
from penchant.choquet._explicit import (
    _criterion_weights,
    _loss_and_gradient,
    _project_on_simplices,
    apply_marginals,
    fit_with_marginals,
)
from penchant.choquet._fit import ChoquetOptions, ChoquetRows, fit_rows
from penchant.choquet.solver._losses import SquaredLoss
from penchant.kernels import list_subsets


def rows_of(n_items=40, *, pairs=False):
    rng = np.random.default_rng(0)
    items = rng.uniform(size=(n_items, 3))
    truth = np.sqrt(items[:, 0]) + items[:, 1] ** 3 + items.min(axis=1)
    if not pairs:
        loss = SquaredLoss(truth, np.full(n_items, 1 / n_items))
        every = np.arange(n_items)
        return ChoquetRows(items, loss, every, every)
    first, second = np.arange(0, n_items, 2), np.arange(1, n_items, 2)
    loss = SquaredLoss(truth[first] - truth[second], np.ones(len(first)))
    return ChoquetRows(items, loss, first, np.arange(len(first)), second)


OPTIONS = ChoquetOptions(
    k=2, monotone=True, alpha=1e-4, cone="auto", total=None, tol=1e-7, max_iter=100
)


def test_curves_are_straight_between_equal_knots():
    heights = np.array([[0.0, 0.6, 1.0], [0.0, 0.1, 1.0]])
    X = np.array([[0.0, 0.25], [0.5, 0.5], [0.75, 1.0]])
    expected = [[0.0, 0.05], [0.6, 0.1], [0.8, 1.0]]
    np.testing.assert_allclose(apply_marginals(X, heights), expected)


def test_projections_are_the_nearest_points():
    points = np.random.default_rng(0).normal(0, 1.5, size=(60, 4))
    points[0] = [0.1, 0.2, 0.3, 0.4]
    points[1] = [5.0, 0.0, 0.0, 0.0]
    found = _project_on_simplices(points)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (found >= 0).all()
    np.testing.assert_allclose(found[:2], [[0.1, 0.2, 0.3, 0.4], [1, 0, 0, 0]])
    # nearest: no vertex lies in the direction of the point
    away = points - found
    along = (away[:, :, None] * (np.eye(4) - found[:, :, None])).sum(axis=1)
    assert along.max() <= 1e-9


@pytest.mark.parametrize("k", [1, 2, 3])
def test_weights_are_the_derivative_of_the_integral(k):
    rng = np.random.default_rng(0)
    subsets = list_subsets(3, k)
    mobius, items = rng.normal(size=len(subsets)), rng.uniform(size=(10, 3))
    capacity = Capacity(dict(zip(subsets, mobius.tolist(), strict=True)), 3)
    weights = _criterion_weights(items, mobius, k)
    h = 1e-6
    for j in range(3):
        step = h * np.eye(3)[j]
        rise = capacity.choquet(items + step) - capacity.choquet(items - step)
        np.testing.assert_allclose(weights[:, j], rise / (2 * h), atol=1e-6)


@pytest.mark.parametrize("pairs", [False, True])
def test_the_gradient_by_the_rises_is_by_differences(pairs):
    rows, h = rows_of(pairs=pairs), 1e-6
    fit = fit_rows(rows, OPTIONS)
    ramps = np.clip(rows.items[:, :, None] * 4 - np.arange(4), 0, 1)
    rises = np.random.default_rng(1).dirichlet(np.ones(4), size=3)
    value, gradient = _loss_and_gradient(rows, ramps, rises, fit, 2)
    bent = np.einsum("ijl,jl->ij", ramps, rises)
    scores = replace(rows, items=bent).scores(fit, 2)
    assert value == pytest.approx(rows.loss.value(scores))
    for place in np.ndindex(3, 4):
        step = np.zeros((3, 4))
        step[place] = h
        up, down = (
            _loss_and_gradient(rows, ramps, rises + s * step, fit, 2)[0]
            for s in (1, -1)
        )
        assert gradient[place] == pytest.approx((up - down) / (2 * h), abs=1e-5)


def test_curves_rise_from_0_to_1_and_fit_better():
    rows, options = rows_of(), OPTIONS
    straight = fit_rows(rows, options)
    fit, heights = fit_with_marginals(rows, options, 5)
    np.testing.assert_allclose(heights[:, [0, -1]], [[0.0, 1.0]] * 3)
    assert (np.diff(heights, axis=1) >= -1e-12).all()
    assert fit.primal < 0.5 * straight.primal
    bent = replace(rows, items=apply_marginals(rows.items, heights))
    again = fit_rows(bent, options)
    assert again.primal == pytest.approx(fit.primal, rel=1e-4)
    assert heights[0, 1] > 0.25 > heights[1, 1]  # a root and a cube
