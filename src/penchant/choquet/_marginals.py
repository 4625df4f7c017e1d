"""Marginal utilities: monotone curves that make criteria commensurate.

Each criterion has a rising piecewise linear curve from (0, 0) to (1, 1). Curves and
capacity together are not a convex problem. They are fitted in turns: the capacity for
given curves to optimality, the curves for a given capacity by projected gradient
steps, each of which lowers the objective. So the result is a local optimum, and the
certificate holds for the capacity given the curves.
"""

from dataclasses import replace

import numpy as np

from penchant.choquet._fit import ChoquetOptions, ChoquetRows, fit_rows
from penchant.choquet.solver._monotone import MobiusFit
from penchant.kernels import subset_minima
from penchant.typing import FloatArray

_TURNS = 20
_STEPS_PER_TURN = 10
_MIN_GAIN = 1e-4  # relative fall of the objective that is worth another turn


def apply_marginals(X: FloatArray, heights: FloatArray) -> FloatArray:
    """Bend each column of X by its curve.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
        Values in [0, 1].
    heights : ndarray of shape (n_features, n_knots)
        Heights of the curves at equally spaced knots from 0 to 1.

    Returns
    -------
    ndarray of shape (n_items, n_features)
    """
    knots = np.linspace(0, 1, heights.shape[1])
    return np.column_stack(
        [np.interp(x, knots, curve) for x, curve in zip(X.T, heights, strict=True)]
    )


def fit_with_marginals(
    rows: ChoquetRows, options: ChoquetOptions, n_knots: int
) -> tuple[MobiusFit, FloatArray]:
    """Fit curves and capacity in turns.

    Parameters
    ----------
    rows : ChoquetRows
        Items in [0, 1], not bent.
    options : ChoquetOptions
        How to fit the capacity.
    n_knots : int
        Knots per curve, both ends included.

    Returns
    -------
    fit : MobiusFit
        The capacity for the last curves.
    heights : ndarray of shape (n_features, n_knots)
        The curves.
    """
    n = rows.items.shape[1]
    # A curve is a sum of ramps between knots with weights on a simplex: rising, from 0
    # to 1, and scores are linear in the weights where the order of criteria is fixed.
    rises = np.full((n, n_knots - 1), 1 / (n_knots - 1))
    ramps = np.clip(
        rows.items[:, :, np.newaxis] * (n_knots - 1) - np.arange(n_knots - 1), 0, 1
    )
    fit = fit_rows(rows, options)
    for _ in range(_TURNS):
        bent = _improve_curves(rows, ramps, rises, fit, min(options.k, n))
        items = np.einsum("ijl,jl->ij", ramps, bent)
        refit = fit_rows(replace(rows, items=items), options)
        gain = fit.primal - refit.primal
        if gain <= 0:
            break
        fit, rises = refit, bent
        if gain <= _MIN_GAIN * abs(fit.primal):
            break
        if options.progress is not None and options.progress.is_over:
            break
    heights = np.concatenate([np.zeros((n, 1)), np.cumsum(rises, axis=1)], axis=1)
    return fit, heights / heights[:, -1:]


def _improve_curves(
    rows: ChoquetRows, ramps: FloatArray, rises: FloatArray, fit: MobiusFit, k: int
) -> FloatArray:
    """Take projected gradient steps on the rises of the curves."""
    step = 1.0
    value, gradient = _loss_and_gradient(rows, ramps, rises, fit, k)
    for _ in range(_STEPS_PER_TURN):
        while step > 1e-8:
            trial = _project_on_simplices(rises - step * gradient)
            trial_value, trial_gradient = _loss_and_gradient(rows, ramps, trial, fit, k)
            if trial_value < value - 1e-4 / step * float(np.sum((trial - rises) ** 2)):
                break
            step /= 2
        else:
            break
        rises, value, gradient = trial, trial_value, trial_gradient
        step *= 4
    return rises


def _loss_and_gradient(
    rows: ChoquetRows, ramps: FloatArray, rises: FloatArray, fit: MobiusFit, k: int
) -> tuple[float, FloatArray]:
    """Differentiate the loss; at ties of criteria this is one of the subgradients."""
    items = np.einsum("ijl,jl->ij", ramps, rises)
    scores = replace(rows, items=items).scores(fit, k)
    value = float(rows.loss.value(scores))
    slope = rows.loss.subgradient(scores)
    n_items = items.shape[0]
    pull = np.bincount(rows.first, slope, n_items)
    if rows.second is not None:
        pull = pull - np.bincount(rows.second, slope, n_items)
    weights = _criterion_weights(items, fit.mobius, k)
    return value, np.einsum("i,ij,ijl->jl", pull, weights, ramps)


def _criterion_weights(items: FloatArray, mobius: FloatArray, k: int) -> FloatArray:
    """Give the derivative of the Choquet integral by each criterion.

    Each set gives its coefficient to its smallest member.
    """
    n = items.shape[1]
    order = np.argsort(items, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(n)[np.newaxis], axis=1)
    smallest = subset_minima(ranks.astype(np.float64), k).astype(np.int64)
    member = np.take_along_axis(order, smallest, axis=1)
    cells = member + n * np.arange(member.shape[0])[:, np.newaxis]
    weights = np.broadcast_to(mobius, member.shape)
    size = member.shape[0] * n
    sums = np.bincount(cells.ravel(), weights.ravel(), size)
    return np.asarray(sums, dtype=np.float64).reshape(-1, n)


def _project_on_simplices(points: FloatArray) -> FloatArray:
    """Project each row on the rows that are >= 0 and add up to 1."""
    ordered = -np.sort(-points, axis=1)
    excess = np.cumsum(ordered, axis=1) - 1
    count = np.arange(1, points.shape[1] + 1)
    last = np.count_nonzero(ordered - excess / count > 0, axis=1) - 1
    level = excess[np.arange(points.shape[0]), last] / (last + 1)
    return np.maximum(points - level[:, np.newaxis], 0)
