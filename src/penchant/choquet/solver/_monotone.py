"""Fits of Möbius coefficients over the cone of monotone capacities (CH-6)."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from penchant._progress import Progress
from penchant.choquet.solver._interior_point import (
    ConeFit,
    ConeModel,
    is_within,
    minimize_over_cone,
)
from penchant.choquet.solver._losses import Loss, SquaredLoss
from penchant.choquet.solver._set_functions import marginal_gains, zeta_transform
from penchant.exceptions import DataError
from penchant.typing import FloatArray, IntArray

Cone = Literal["exact", "inner", "free"]

# With more than pairs, "exact" takes a zeta transform of 2^n values per round and a
# factorisation in the number of coefficients per step: 7 s for 16 attributes, k = 3 and
# 500 rows. 800 coefficients are 16 attributes with k = 3, 11 with k = 4, 9 with all.
_AUTO_ATTRIBUTES, _AUTO_COEFFICIENTS = 16, 800
_MAX_ATTRIBUTES, _MAX_COEFFICIENTS = 20, 2000
_MAX_ROUNDS = 200
# Early rounds lack constraints anyway; each adds the worst few of each attribute.
_FIRST_ACCURACY = 1e-3
_NEW_PER_ATTRIBUTE = 24


@dataclass(frozen=True)
class MobiusProblem:
    """Rows that are linear in Möbius coefficients, and a penalty on these.

    Attributes
    ----------
    minima : ndarray of shape (n_rows, n_subsets)
        One column per non-empty subset of at most k attributes, in binary order.
    n, k : int
        Number of attributes, and the largest size of a subset.
    alpha : float
        Strength of alpha / 2 ||m||^2.
    groups : ndarray of shape (n_rows,) or None
        Which intercept each row has; None: none.
    total : float or None
        What mu(N), the sum of all coefficients, must be; None: anything.
    """

    minima: FloatArray
    n: int
    k: int
    alpha: float
    groups: IntArray | None = None
    total: float | None = None


@dataclass(frozen=True)
class MobiusFit:
    """Result of `fit_mobius`.

    Attributes
    ----------
    mobius : ndarray of shape (n_subsets,)
        Coefficients in binary order.
    intercepts : ndarray of shape (n_groups,)
        Intercepts of the groups of rows.
    cone : {"exact", "inner", "free"}
        All monotone capacities, those with non-negative weights on minima and
        maxima, or all set functions.
    status : str
        "optimal" when the gap is within the tolerance, else "stopped".
    n_iter : int
        Interior-point steps in all.
    n_constraints : int
        Constraints of monotonicity that were generated; 0 where none was needed.
    primal, dual : float
        Objective at the coefficients, and a lower bound of the optimum over the
        cone.
    """

    mobius: FloatArray
    intercepts: FloatArray
    cone: Cone
    status: str
    n_iter: int
    n_constraints: int
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """Give primal - dual, how far from the optimum this can be."""
        return self.primal - self.dual


def choose_cone(n: int, k: int, n_subsets: int) -> Cone:
    """Choose "exact" where that is feasible, else "inner"."""
    small = n <= _AUTO_ATTRIBUTES and n_subsets <= _AUTO_COEFFICIENTS
    return "exact" if k <= 2 or small else "inner"


def fit_mobius(
    problem: MobiusProblem,
    loss: Loss,
    cone: Cone = "exact",
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    progress: Progress | None = None,
) -> MobiusFit:
    """Minimise loss(minima m + intercepts) + alpha / 2 ||m||^2 over a cone.

    Parameters
    ----------
    problem : MobiusProblem
        Rows and penalty.
    loss : Loss
        Loss of the scores of the rows.
    cone : {"exact", "inner", "free"}, default="exact"
        With "exact" and k <= 2 the weights of minima and maxima are non-negative,
        which is every monotone capacity; with k >= 3 constraints are generated. With
        "inner" and k >= 3 the penalty is on the non-negative weights instead of m.
    tol : float, default=1e-8
        Largest gap, relative to the objective.
    max_iter : int, default=100
        Largest number of steps of one interior-point run.
    progress : Progress or None, default=None
        Told of each step; when its time is over, the best so far is given.

    Returns
    -------
    MobiusFit
        Coefficients that lie in the cone, and a certificate.
    """
    if cone == "exact" and problem.k >= 3:
        return _generate_constraints(problem, loss, tol, max_iter, progress)
    n_subsets = problem.minima.shape[1]
    if cone == "free":
        spread, rows = None, np.empty((0, n_subsets))
        design = problem.minima
    else:
        spread, rows = nonnegative_spread(problem.n, problem.k), None
        design = problem.minima @ spread
    penalized = spread if cone == "exact" and problem.k == 2 else None
    model = _cone_model(problem, design, rows, penalized)
    fit = minimize_over_cone(loss, model, tol=tol, max_iter=max_iter, progress=progress)
    mobius = fit.weights if spread is None else spread @ fit.weights
    return _result(mobius, fit, cone, 0, tol)


def project_monotone(
    mobius: FloatArray, n: int, k: int, *, tol: float = 1e-12
) -> FloatArray:
    """Give the monotone coefficients nearest to the given ones, in Euclidean norm.

    Parameters
    ----------
    mobius : ndarray of shape (n_subsets,)
        Coefficients of the subsets of at most k attributes in binary order.
    n, k : int
        Number of attributes, and the largest size of a subset.
    tol : float, default=1e-12
        Tolerance of the solver.

    Returns
    -------
    ndarray of shape (n_subsets,)
    """
    scale = float(np.abs(mobius).max(initial=0.0))
    if scale == 0:
        return mobius.copy()
    # (|m - 2 a|^2 + |m|^2) / 4 is |m - a|^2 / 2 plus a constant.
    loss = SquaredLoss(2 * mobius / scale, np.full(mobius.size, 0.5))
    problem = MobiusProblem(np.eye(mobius.size), n, k, alpha=0.5)
    return scale * fit_mobius(problem, loss, tol=tol).mobius


def nonnegative_spread(n: int, k: int) -> FloatArray:
    """Map non-negative weights of minima and maxima to Möbius coefficients.

    Returns
    -------
    ndarray of shape (n_subsets, n_weights)
        For each subset T of at most k attributes a column for min_T and, if T has
        more than one member, one for max_T; each column sums to 1.
    """
    subsets = _subset_masks(n, k)
    row_of = {int(mask): row for row, mask in enumerate(subsets)}
    columns = []
    for mask in subsets.tolist():
        members = [i for i in range(n) if mask >> i & 1]
        columns.append({mask: 1.0})
        if len(members) > 1:
            # max_T is the alternating sum of the minima over the subsets of T
            columns.append(
                {
                    sum(1 << i for i in part): (-1.0) ** (size + 1)
                    for size in range(1, len(members) + 1)
                    for part in combinations(members, size)
                }
            )
    spread = np.zeros((subsets.size, len(columns)))
    for column, entries in enumerate(columns):
        for mask, entry in entries.items():
            spread[row_of[mask], column] = entry
    return spread


def _generate_constraints(
    problem: MobiusProblem,
    loss: Loss,
    tol: float,
    max_iter: int,
    progress: Progress | None,
) -> MobiusFit:
    """Solve over a growing set of constraints mu(A + i) >= mu(A).

    Every round gives a lower bound (fewer constraints) and, by raising single
    attributes until all gains are >= 0, a monotone point with its upper bound.
    """
    _check_feasible(problem)
    masks = _subset_masks(problem.n, problem.k)
    full = (1 << problem.n) - 1
    # What each attribute adds to nothing, and to all others; the rest as it is
    # violated.
    found = [(i, full & ~(1 << i)) for i in range(problem.n)]
    found += [(i, 0) for i in range(problem.n)]
    rows = _constraint_rows(found, masks)
    best = ConeFit(np.zeros(masks.size), np.zeros(0), np.inf, -np.inf)
    accuracy = max(tol, _FIRST_ACCURACY)
    for _ in range(_MAX_ROUNDS):
        model = _cone_model(problem, problem.minima, rows, None)
        fit = minimize_over_cone(
            loss, model, tol=accuracy / 2, max_iter=max_iter, progress=progress
        )
        repaired, new = _repair(problem, fit.weights, masks)
        value = _objective(problem, loss, repaired, fit.intercepts)
        point = replace(fit, weights=repaired, primal=value)
        # Fewer constraints can only lower the optimum: the bound holds for all of them.
        best = replace(
            point if value < best.primal else best,
            dual=max(best.dual, fit.dual),
            n_iter=best.n_iter + fit.n_iter,
        )
        if is_within(best, tol) or (not new and accuracy == tol):
            break
        if progress is not None and progress.is_over:
            break
        # Until no constraint is missing, ten times better than what is missing is
        # good enough.
        missing = (value - fit.dual) / abs(value)
        accuracy = max(tol, min(accuracy, 0.1 * missing)) if new else tol
        rows = np.vstack([rows, _constraint_rows(new, masks)])
    return _result(best.weights, best, "exact", rows.shape[0], tol)


def _check_feasible(problem: MobiusProblem) -> None:
    n, n_subsets = problem.n, problem.minima.shape[1]
    if n > _MAX_ATTRIBUTES or n_subsets > _MAX_COEFFICIENTS:
        raise DataError(
            "All monotone capacities with interactions of three or more can be "
            f"searched for at most {_MAX_ATTRIBUTES} attributes and "
            f"{_MAX_COEFFICIENTS} coefficients. Got {n} and {n_subsets}; use k <= 2, "
            "or the inner approximation."
        )


def _repair(
    problem: MobiusProblem, mobius: FloatArray, masks: IntArray
) -> tuple[FloatArray, list[tuple[int, int]]]:
    """Make coefficients monotone; list the sets where they were not most clearly."""
    table = np.zeros(1 << problem.n)
    table[masks] = mobius
    values = zeta_transform(table)
    repaired = mobius.copy()
    found: list[tuple[int, int]] = []
    # Below this a negative gain is rounding of the zeta transform.
    noise = 1e-13 * np.abs(values).max()
    for i in range(problem.n):
        gains = marginal_gains(values, i)
        worst = float(gains.min())
        if worst >= -noise:
            continue
        # A larger m({i}) raises every gain of i by the same: none is negative then.
        repaired[masks == 1 << i] -= worst
        flat = gains.ravel()
        count = min(_NEW_PER_ATTRIBUTE, flat.size)
        for index in np.argpartition(flat, count - 1)[:count]:
            if flat[index] < min(-noise, 0.01 * worst):
                above, below = divmod(int(index), 1 << i)
                found.append((i, above << (i + 1) | below))
    if problem.total is not None:
        repaired *= problem.total / repaired.sum()
    return repaired, found


def _constraint_rows(found: list[tuple[int, int]], masks: IntArray) -> FloatArray:
    """Give the row of mu(A + i) - mu(A) for each (i, A): sets that hold i, within."""
    if not found:
        return np.empty((0, masks.size))
    attribute = np.array([1 << i for i, _ in found])[:, np.newaxis]
    allowed = np.array([rest for _, rest in found])[:, np.newaxis] | attribute
    held = (masks & attribute != 0) & (masks & ~allowed == 0)
    return held.astype(np.float64)


def _cone_model(
    problem: MobiusProblem,
    design: FloatArray,
    rows: FloatArray | None,
    spread: FloatArray | None,
) -> ConeModel:
    """Start with equal weights of all non-negative columns, or of single attributes."""
    n_weights = design.shape[1]
    if rows is None:
        start = np.ones(n_weights)
    else:
        masks = _subset_masks(problem.n, problem.k)
        start = (masks & (masks - 1) == 0).astype(np.float64)
    total = 1.0 if problem.total is None else problem.total
    start *= total / start.sum()
    return ConeModel(
        design, problem.alpha, start, rows, spread, problem.groups, problem.total
    )


def _objective(
    problem: MobiusProblem, loss: Loss, mobius: FloatArray, intercepts: FloatArray
) -> float:
    scores = problem.minima @ mobius
    if problem.groups is not None:
        scores = scores + intercepts[problem.groups]
    return loss.value(scores) + problem.alpha / 2 * float(mobius @ mobius)


def _result(
    mobius: FloatArray, fit: ConeFit, cone: Cone, n_constraints: int, tol: float
) -> MobiusFit:
    return MobiusFit(
        mobius,
        fit.intercepts,
        cone,
        "optimal" if is_within(fit, tol) else "stopped",
        fit.n_iter,
        n_constraints,
        fit.primal,
        fit.dual,
    )


def _subset_masks(n: int, k: int) -> IntArray:
    """Give the non-empty subsets of at most k attributes as bit masks, in order."""
    if n > 62:
        raise DataError(
            f"Monotone capacities need at most 62 attributes here. Got {n}."
        )
    masks = [
        sum(1 << i for i in members)
        for size in range(1, min(k, n) + 1)
        for members in combinations(range(n), size)
    ]
    return np.sort(np.array(masks, dtype=np.int64))
