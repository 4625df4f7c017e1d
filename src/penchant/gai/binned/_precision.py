"""How sure a fit over bins is: its curvature, and the pull of the penalty."""

from collections.abc import Mapping

import numpy as np

from penchant.gai.binned._fit import BinnedFit
from penchant.gai.binned._groups import Group
from penchant.typing import FloatArray
from penchant.utility import Factor

_RIDGE = 1e-6
"""Share of the mean curvature that is added: along a group's own coefficients the
penalty does not bend, and the data may not either."""


def has_errors(fit: BinnedFit) -> bool:
    """Tell whether the loss is a likelihood and no coefficient is held at a bound."""
    if fit.state is None or fit.solver != "binned":
        return False
    problem, _ = fit.state
    free = all(isinstance(g, Group) and not g.is_cone for g in problem.groups)
    return free and problem.loss.is_likelihood


def factor_errors(
    fit: BinnedFit, places: Mapping[Factor, FloatArray]
) -> dict[Factor, FloatArray]:
    """Give the root mean square error to expect of factors at some places.

    With H the curvature of the loss and Q that of the penalty at the fit,
    (H + Q)^-1 over the number of rows is the covariance of Laplace's approximation,
    and (H + Q)^-1 times the slope of the penalty is how far the penalty pulls the fit
    from the least loss, to first order. Variance and squared pull add up.

    Parameters
    ----------
    fit : BinnedFit
        For which `has_errors`.
    places : mapping of tuple of int to ndarray of shape (n_places, n_attributes)
        Encoded values of the attributes of each factor.
    """
    assert fit.state is not None
    problem, point = fit.state
    problem.update_model(point)
    active = [k for k in problem.model.members if point.coefs[k].any()]
    groups = [problem.groups[k] for k in active]
    coefs = [point.coefs[k] for k in active]
    H = problem.model.part(active)
    bend = np.zeros_like(H)
    ends = np.cumsum([len(coef) for coef in coefs])
    own = [slice(b - len(c), b) for b, c in zip(ends, coefs, strict=True)]
    for group, coef, part in zip(groups, coefs, own, strict=True):
        norm = np.linalg.norm(coef)
        across = np.eye(len(coef)) - np.outer(coef, coef) / norm**2
        bend[part, part] = fit.lam * group.price / norm * across
    bend.flat[:: len(H) + 1] += _RIDGE * np.trace(H) / len(H)
    inverse = np.linalg.inv(H + bend)
    slope = np.concatenate(
        [
            fit.lam * group.price * coef / np.linalg.norm(coef)
            for group, coef in zip(groups, coefs, strict=True)
        ]
    )
    noise = problem.noise(point, float(np.trace(inverse @ H))) / problem.total
    errors = {}
    for factor, values in places.items():
        columns = np.zeros((len(values), len(H)))
        for group, part in zip(groups, own, strict=True):
            if isinstance(group, Group) and group.factor == factor:
                columns[:, part] = group.columns_at(values)
        variance = noise * np.einsum("ij,jk,ik->i", columns, inverse, columns)
        errors[factor] = np.sqrt(variance + (columns @ (inverse @ slope)) ** 2)
    return errors
