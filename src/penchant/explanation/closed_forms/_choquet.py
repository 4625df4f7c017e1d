"""Choquet integrals: contrasts level by level (EX-10), also of kernel machines."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from scipy.special import comb

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

_MAX_ENTRIES = 2**22
"""Numbers in a table of sets, levels and rows: 32 MB."""


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
        return _share_machine(capacity, X, Y)
    sizes = [len(t) for t in capacity.mobius]
    holds = np.zeros((len(sizes), X.shape[1]))
    members = [i for t in capacity.mobius for i in t]
    holds[np.repeat(np.arange(len(sizes)), sizes), members] = 1.0
    weights = np.array(list(capacity.mobius.values()))
    chances = _chances_by_size(max(sizes, default=0))
    n_rows = max(1, _MAX_ENTRIES // max(1, 2 * holds.size))
    parts = [
        _share_minima(holds, weights, chances, X[k : k + n_rows], Y[k : k + n_rows])
        for k in range(0, len(X), n_rows)
    ]
    return np.concatenate([np.zeros((0, X.shape[1])), *parts])


def _share_minima(
    holds: FloatArray,
    weights: FloatArray,
    chances: FloatArray,
    X: FloatArray,
    Y: FloatArray,
) -> FloatArray:
    """Share every min_T out, level by level (EX-10).

    Above a level, members of T that only x reaches must be there and those that only
    y reaches must not: a unanimity game of the two kinds.
    """
    levels, steps = _levels(X, Y)
    x, y = X[:, None] >= levels[..., None], Y[:, None] >= levels[..., None]
    coming, going = x & ~y, y & ~x
    p, q, out = (
        (is_so.astype(np.float64) @ holds.T).astype(np.int64)
        for is_so in (coming, going, ~(x | y))
    )
    sizes = np.where(out == 0, steps[..., None] * weights, 0.0)
    # Who comes decides if the p - 1 companions came before and none of the q went; who
    # goes decides if all p came and no other one went. Without others, no one decides.
    others = np.maximum(p + q - 1, 0)
    gains = (sizes * chances[np.maximum(p - 1, 0), others]) @ holds
    losses = (sizes * chances[p, others]) @ holds
    return (coming * gains - going * losses).sum(axis=1)


def _levels(X: FloatArray, Y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the sorted values of both rows and their distances from those below."""
    levels = np.sort(np.concatenate([X, Y], axis=1), axis=1)
    return levels, np.diff(levels, axis=1, prepend=0.0)


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
    chances = _chances_by_size(n)
    coming, going = np.zeros((2, n + 1, n + 1, n + 1))
    for p in range(n + 1):
        for q in range(n + 1 - p):
            # a of those that come and b of those that go have moved before; c + m
            # others are there then, which many pairs (a, b) share.
            if p:
                ways = _ways(p - 1, q, chances)
                coming[: n + 1 - p - q, p, q] = np.correlate(steps, ways)
            if q:
                ways = _ways(p, q - 1, chances)
                going[: n + 1 - p - q, p, q] = -np.correlate(steps, ways)
    return coming, going


def _ways(p: int, q: int, chances: FloatArray) -> FloatArray:
    """Give the chance that m of p who come and q who go are there, m = 0 ... p + q."""
    a, b = np.arange(p + 1)[:, None], np.arange(q + 1)
    ways = comb(p, a) * comb(q, b) * chances[a + b, p + q]
    return np.bincount((a + q - b).ravel(), ways.ravel()).astype(np.float64)


def _chances_by_size(n: int) -> FloatArray:
    """Give the chance of s out of m others in entry (s, m), see `order_chances`."""
    chances = np.zeros((n + 1, n + 1))
    for m in range(n + 1):
        chances[: m + 1, m] = order_chances(m)
    return chances


def _share_machine(
    capacity: KernelCapacity, X: FloatArray, Y: FloatArray
) -> FloatArray:
    """Share f = sum_s a_s K(x_s, .) out: levels of the item times levels of x_s.

    Between two levels the kernel counts the attributes above both (CH-1).
    """
    tables = _count_tables(subset_gains(capacity.n, capacity.k, capacity.damping))
    order = np.argsort(capacity.support, axis=1)
    ordered = np.take_along_axis(capacity.support, order, axis=1)
    widths = np.diff(ordered, axis=1, prepend=0.0) * capacity.coefficients[:, None]
    values = np.zeros(X.shape)
    for row, x, y, levels, steps in zip(values, X, Y, *_levels(X, Y), strict=True):
        # 0: in both, 1: comes with the item, 2: goes, 3: in none
        kinds = 3 - 2 * (x >= levels[:, None]) - (y >= levels[:, None])
        matters = (steps > 0.0) & ((kinds == 1) | (kinds == 2)).any(axis=1)
        gains = np.empty((2, len(x)))
        _add_shares(order, widths, kinds[matters], steps[matters], *tables, gains, row)
    return values


@njit(cache=True)
def _add_shares(
    order: IntArray,
    widths: FloatArray,
    kinds: IntArray,
    steps: FloatArray,
    coming: FloatArray,
    going: FloatArray,
    gains: FloatArray,
    row: FloatArray,
) -> None:
    """Add up over levels of the item and support vectors; `gains` is for numbers."""
    for r in range(len(steps)):
        for s in range(len(order)):
            # From the largest value of x_s down, its upper sets grow. A member gains
            # at all levels of x_s below its own.
            c = p = q = 0
            for t in range(order.shape[1] - 1, -1, -1):
                kind = kinds[r, order[s, t]]
                c += kind == 0
                p += kind == 1
                q += kind == 2
                gains[0, t] = widths[s, t] * coming[c, p, q]
                gains[1, t] = widths[s, t] * going[c, p, q]
            gain = loss = 0.0
            for t in range(order.shape[1]):
                k = order[s, t]
                gain += gains[0, t]
                loss += gains[1, t]
                if kinds[r, k] == 1:
                    row[k] += steps[r] * gain
                elif kinds[r, k] == 2:
                    row[k] += steps[r] * loss
