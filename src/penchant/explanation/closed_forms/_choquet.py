"""Choquet integrals: contrasts level by level (EX-10), also of kernel machines."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from penchant.choquet import (
    Capacity,
    ChoquetClassifier,
    ChoquetRanker,
    ChoquetRegressor,
    ChoquetSVC,
    ChoquetSVR,
    KernelCapacity,
    apply_marginals,
)
from penchant.encoding import check_items
from penchant.explanation._shapley import order_chances
from penchant.explanation.closed_forms._closed_form import (
    ClosedForm,
    Shares,
    closed_form,
)
from penchant.kernels import subset_gains
from penchant.typing import FloatArray, IntArray

__all__ = ["ChoquetForm", "capacity_shares"]


@dataclass(frozen=True, eq=False)
class ChoquetForm(ClosedForm):
    """A Choquet integral plus a constant.

    Parameters
    ----------
    model : fitted estimator
        With `domain_` and `is_down_`.
    capacity : Capacity or KernelCapacity
    intercept : float
    marginals : ndarray of shape (d, n_knots) or None
        Curves that bend the criteria before they are aggregated.
    output : callable
        The model's own predictions.
    """

    model: Any
    capacity: Capacity | KernelCapacity
    intercept: float
    marginals: FloatArray | None
    output: Callable[[Any], FloatArray]
    game = "attributes that are not known have their worst value"

    def encode(self, rows: Any) -> FloatArray:
        unit = self.model.domain_.transform(check_items(self.model, rows, reset=False))
        unit = np.where(self.model.is_down_, 1.0 - unit, unit)
        return unit if self.marginals is None else apply_marginals(unit, self.marginals)

    def predict(self, rows: Any) -> FloatArray:
        return self.output(rows)

    def contrast(self, item: FloatArray, rival: FloatArray) -> Shares:
        return Shares(capacity_shares(self.capacity, item[None], rival[None]))

    def explain(self, items: FloatArray, reference: FloatArray | None) -> Shares:
        # Curves begin at 0, so that the worst item is 0 with and without them.
        values = capacity_shares(self.capacity, items, np.zeros(items.shape))
        return Shares(values, np.full(len(items), self.intercept))


@closed_form.register(ChoquetRegressor)
@closed_form.register(ChoquetRanker)
def _of_estimator(model: Any) -> ClosedForm:
    constant = float(getattr(model, "intercept_", 0.0))
    return ChoquetForm(
        model, model.capacity_, constant, model.marginals_, model.utility
    )


@closed_form.register(ChoquetClassifier)
def _of_classifier(model: ChoquetClassifier) -> ClosedForm | None:
    if not isinstance(model.capacity_, Capacity):  # one per class: no common utility
        return None
    return ChoquetForm(model, model.capacity_, 0.0, model.marginals_, model.utility)


@closed_form.register(ChoquetSVR)
@closed_form.register(ChoquetSVC)
def _of_machine(model: Any) -> ClosedForm | None:
    if isinstance(model.capacity_, list):  # one per class: no common utility
        return None
    output = model.utility if isinstance(model, ChoquetSVC) else model.predict
    constant = float(np.ravel(model.intercept_)[0])
    return ChoquetForm(model, model.capacity_, constant, None, output)


def capacity_shares(
    capacity: Capacity | KernelCapacity, X: FloatArray, Y: FloatArray
) -> FloatArray:
    """Give the Shapley values of the contrasts of the rows of X with those of Y.

    Parameters
    ----------
    capacity : Capacity or KernelCapacity
    X, Y : ndarray of shape (n, d)

    Returns
    -------
    ndarray of shape (n, d)
        Rows add up to C(x) - C(y). O(n_sets size^2) per row for a `Capacity`,
        O(n_support d^3) for a `KernelCapacity`.
    """
    if isinstance(capacity, KernelCapacity):
        tables = _count_tables(subset_gains(capacity.n, capacity.k, capacity.damping))
        return _share_machine(capacity.support, capacity.coefficients, X, Y, *tables)
    sets = [sorted(t) for t in capacity.mobius]
    ends = np.cumsum([0, *map(len, sets)])
    members = np.array([i for t in sets for i in t], dtype=np.int64)
    weights = np.array(list(capacity.mobius.values()))
    chances = _chances_by_size(max(map(len, sets), default=0))
    return _share_minima(members, ends, weights, chances, X, Y)


@njit(cache=True)
def _share_minima(
    members: IntArray,
    ends: IntArray,
    weights: FloatArray,
    chances: FloatArray,
    X: FloatArray,
    Y: FloatArray,
) -> FloatArray:
    """Share every min_T out, level by level (EX-10).

    Above a level, members of T that only x reaches must be there and those that only
    y reaches must not: a unanimity game of the two kinds.
    """
    values = np.zeros(X.shape)
    for row in range(len(X)):
        for j in range(len(weights)):
            T = members[ends[j] : ends[j + 1]]
            x, y = X[row][T], Y[row][T]
            levels = np.sort(np.concatenate((x, y)))
            top = np.maximum(x, y).min()
            for r in range(1, len(levels)):
                level, step = levels[r], levels[r] - levels[r - 1]
                if level > top:
                    break
                if step == 0.0:
                    continue
                p = q = 0
                for k in range(len(T)):
                    p += x[k] >= level > y[k]
                    q += y[k] >= level > x[k]
                # Who comes decides if the p - 1 companions came before and none of
                # the q went; who goes decides if all p came and no other one went.
                size, others = weights[j] * step, p + q - 1
                for k in range(len(T)):
                    if x[k] >= level > y[k]:
                        values[row, T[k]] += size * chances[p - 1, others]
                    elif y[k] >= level > x[k]:
                        values[row, T[k]] -= size * chances[p, others]
    return values


def _count_tables(steps: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give what a member gains in a game that only counts its members.

    Parameters
    ----------
    steps : ndarray of shape (n,)
        F(c + 1) - F(c) of CH-1: what a member adds to c others.

    Returns
    -------
    coming, going : ndarray of shape (n + 1, n + 1, n + 1)
        Entry (c, p, q): c members are always there, p come with the item and q go.
        What one of those that come gains, and one of those that go.
    """
    n = len(steps)
    coming = np.zeros((n + 1, n + 1, n + 1))
    going = np.zeros((n + 1, n + 1, n + 1))
    _fill_tables(steps, _chances_by_size(n), coming, going)
    return coming, going


def _chances_by_size(n: int) -> FloatArray:
    """Give the chance of s out of m others in entry (s, m), see `order_chances`."""
    chances = np.zeros((n + 1, n + 1))
    for m in range(n + 1):
        chances[: m + 1, m] = order_chances(m)
    return chances


@njit(cache=True)
def _fill_tables(
    steps: FloatArray, chances: FloatArray, coming: FloatArray, going: FloatArray
) -> None:
    """Sum over how many of those that come and go have moved before."""
    n = len(steps)
    choose = np.zeros((n + 1, n + 1))
    for m in range(n + 1):
        choose[m, 0] = 1.0
        for s in range(1, m + 1):
            choose[m, s] = choose[m - 1, s - 1] + choose[m - 1, s]
    for c in range(n + 1):
        for p in range(n + 1 - c):
            for q in range(n + 1 - c - p):
                for a in range(p + 1):
                    for b in range(q + 1):
                        there = c + a + q - b
                        if a < p:
                            ways = choose[p - 1, a] * choose[q, b]
                            chance = ways * chances[a + b, p + q - 1]
                            coming[c, p, q] += chance * steps[there]
                        if b < q:
                            ways = choose[p, a] * choose[q - 1, b]
                            chance = ways * chances[a + b, p + q - 1]
                            going[c, p, q] -= chance * steps[there - 1]


@njit(cache=True)
def _share_machine(
    support: FloatArray,
    coefficients: FloatArray,
    X: FloatArray,
    Y: FloatArray,
    coming: FloatArray,
    going: FloatArray,
) -> FloatArray:
    """Share f = sum_s a_s K(x_s, .) out: levels of the item times levels of x_s.

    Between two levels the kernel counts the attributes above both (CH-1).
    """
    n_support, d = support.shape
    values = np.zeros(X.shape)
    for row in range(len(X)):
        x, y = X[row], Y[row]
        levels = np.sort(np.concatenate((np.zeros(1), x, y)))
        for r in range(1, len(levels)):
            step = levels[r] - levels[r - 1]
            if step == 0.0:
                continue
            up, down = x >= levels[r], y >= levels[r]
            for s in range(n_support):
                order = np.argsort(support[s])
                c = p = q = 0
                gain = loss = 0.0
                # From the largest value of x_s down, its upper sets grow. A member
                # gains at all levels of x_s below its own.
                gains, losses = np.zeros(d), np.zeros(d)
                for t in range(d - 1, -1, -1):
                    k = order[t]
                    c += up[k] and down[k]
                    p += up[k] and not down[k]
                    q += down[k] and not up[k]
                    below = support[s, order[t - 1]] if t > 0 else 0.0
                    width = step * (support[s, k] - below)
                    gains[t], losses[t] = (
                        width * coming[c, p, q],
                        width * going[c, p, q],
                    )
                for t in range(d):
                    k = order[t]
                    gain += gains[t]
                    loss += losses[t]
                    if up[k] and not down[k]:
                        values[row, k] += coefficients[s] * gain
                    elif down[k] and not up[k]:
                        values[row, k] += coefficients[s] * loss
    return values
