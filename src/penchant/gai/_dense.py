"""Dense GAI models: ordinary support vector machines on one kernel (GAI-9)."""

from dataclasses import dataclass, replace

import numpy as np

from penchant._compiled import compiled
from penchant.gai.solver._evidence import Evidence
from penchant.typing import FloatArray, IntArray

_SWEEPS_PER_CHECK = 20
_MAX_SWEEPS = 20_000
_POLISHING_STEPS = 20


@dataclass(frozen=True, eq=False)
class DenseResult:
    """A kernel machine and the proof of its quality.

    Parameters
    ----------
    status : {"optimal", "stalled"}
        Whether the gap is at most the tolerance.
    gap : float
        (primal - dual) / primal of min |f|^2 / 2 + C sum_k loss_k.
    n_iter : int
    coef : ndarray of shape (n_items,)
        Coefficients z of f = K z.
    intercept : float
    """

    status: str
    gap: float
    n_iter: int
    coef: FloatArray
    intercept: float


def fit_ratings(
    K: FloatArray,
    items: IntArray,
    y: FloatArray,
    *,
    C: float,
    epsilon: float,
    weights: FloatArray,
    tol: float,
) -> DenseResult:
    """Fit scikit-learn's SVR, with a tolerance that makes the gap small.

    Parameters
    ----------
    K : ndarray of shape (n_items, n_items)
        Kernel between distinct items.
    items : ndarray of shape (n_ratings,)
        Rated item of each rating.
    y, weights : ndarray of shape (n_ratings,)
    C, epsilon, tol : float
        Cost of a unit of loss, half-width of the tube, relative gap to reach.
    """
    from sklearn.svm import SVR  # late: it takes long to import

    pairs, row_of = np.unique(np.stack([items, y]), axis=1, return_inverse=True)
    rated, values = pairs[0].astype(np.int64), pairs[1]
    costs: FloatArray = np.bincount(row_of.ravel(), weights).astype(np.float64)
    gram = K[np.ix_(rated, rated)]
    rows = Evidence.from_ratings(values, epsilon=epsilon, weights=C * costs)
    evidence = rows.merged(rated)
    n_iter = 0
    best = DenseResult("stalled", np.inf, 0, np.zeros(len(K)), 0.0)
    # libsvm stops by the gradient, not by the gap: be stricter until the gap is small.
    for step in (1e-3, 1e-5, 1e-7):
        machine = SVR(kernel="precomputed", C=C, epsilon=epsilon, tol=step)
        machine.fit(gram, values, sample_weight=costs)
        n_iter += int(machine.n_iter_)
        raw = np.zeros(len(rated))
        raw[machine.support_] = machine.dual_coef_[0]
        # The certificate decides which of the two is kept.
        for duals in (raw, _polish(gram, values, raw, C * costs, epsilon)):
            coef: FloatArray = np.bincount(rated, duals, len(K)).astype(np.float64)
            f = K @ coef
            intercept = evidence.best_intercept(f)
            norm = 0.5 * float(coef @ f)
            primal = norm + evidence.loss(f, intercept)
            dual = float(values @ duals) - epsilon * float(np.abs(duals).sum()) - norm
            gap = _relative(primal, dual, evidence)
            if gap < best.gap:
                best = DenseResult("stalled", gap, n_iter, coef, intercept)
        if best.gap <= tol:
            break
    status = "optimal" if best.gap <= tol else "stalled"
    return replace(best, status=status, n_iter=n_iter)


def _polish(
    gram: FloatArray,
    y: FloatArray,
    duals: FloatArray,
    costs: FloatArray,
    epsilon: float,
) -> FloatArray:
    """Solve the optimality conditions of the free support vectors in full precision.

    libsvm keeps the kernel in single precision, which alone ends at gaps of 1e-5.
    Where the solution leaves the box, the step ends at the wall, and the support
    vector that met it is free no more: the sum of the duals stays what it must be.
    """
    duals = duals.copy()
    size = np.abs(duals)
    edge = np.sign(duals)
    free = np.flatnonzero((size > 1e-8 * costs) & (size < (1 - 1e-8) * costs))
    for _ in range(_POLISHING_STEPS):
        if not free.size:
            break
        system = np.ones((free.size + 1, free.size + 1))
        system[:-1, :-1] = gram[np.ix_(free, free)]
        system[-1, -1] = 0.0
        missing = y[free] - epsilon * edge[free] - gram[free] @ duals
        right = np.append(missing, -duals.sum())
        change = np.linalg.lstsq(system, right, rcond=1e-13)[0][:-1]
        outward = edge[free] * change
        room = np.where(outward > 0, costs[free] - np.abs(duals[free]), 0.0)
        room = np.where(outward < 0, np.abs(duals[free]), room)
        reach = np.full(free.size, np.inf)
        np.divide(room, np.abs(change), out=reach, where=change != 0)
        step = min(1.0, float(reach.min()))
        duals[free] += step * change
        if step == 1.0:
            break
        free = np.delete(free, int(np.argmin(reach)))
    return duals


def fit_comparisons(
    K: FloatArray, evidence: Evidence, *, C: float, tol: float
) -> DenseResult:
    """Fit a ranking machine to comparisons and ties, without an intercept (GAI-7).

    Dual coordinate ascent: each row of evidence in turn takes its best multiplier
    between 0 and its cost. A sweep costs O(n_rows n_items).

    Parameters
    ----------
    K : ndarray of shape (n_items, n_items)
        Kernel between distinct items.
    evidence : Evidence
        Rows with two items each.
    C, tol : float
        Cost of a unit of loss, relative gap to reach.
    """
    merged = evidence.merged(np.arange(len(K))).scaled(C)
    rows, coef, f = np.zeros(len(merged)), np.zeros(len(K)), np.zeros(len(K))
    gap, sweeps = _relative(merged.loss(f, 0.0), 0.0, merged), 0
    while gap > tol and sweeps < _MAX_SWEEPS:
        _ascend(K, merged.raised, merged.lowered, merged.targets, merged.costs, rows, f)
        sweeps += _SWEEPS_PER_CHECK
        coef = merged.pull(rows, len(K))
        f = K @ coef  # anew, so that no rounding adds up
        norm = 0.5 * float(coef @ f)
        dual = float(merged.targets @ rows) - norm
        gap = _relative(norm + merged.loss(f, 0.0), dual, merged)
    status = "optimal" if gap <= tol else "stalled"
    return DenseResult(status, gap, sweeps, coef, 0.0)


def _relative(primal: float, dual: float, evidence: Evidence) -> float:
    floor = 1e-12 * float(evidence.costs @ np.abs(evidence.targets))
    return (primal - dual) / max(primal, floor, 1e-300)


@compiled(cache=True)
def _ascend(
    K: FloatArray,
    raised: IntArray,
    lowered: IntArray,
    targets: FloatArray,
    costs: FloatArray,
    rows: FloatArray,
    f: FloatArray,
) -> None:
    """Sweep over the rows; `rows` and `f` are changed in place."""
    for _ in range(_SWEEPS_PER_CHECK):
        for k in range(len(rows)):
            i, j = raised[k], lowered[k]
            curvature = K[i, i] - 2.0 * K[i, j] + K[j, j]
            # Along one multiplier the dual is a parabola: its top, cut off at the box.
            if curvature <= 0.0:  # the two items have the same features
                rows[k] = costs[k] if targets[k] > 0.0 else 0.0
                continue
            step = (targets[k] - f[i] + f[j]) / curvature
            moved = min(max(rows[k] + step, 0.0), costs[k])
            change = moved - rows[k]
            if change != 0.0:
                rows[k] = moved
                for m in range(len(f)):
                    f[m] += change * (K[i, m] - K[j, m])
