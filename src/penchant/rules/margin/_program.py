"""Margin programs over huge sets of columns, with a certificate over all of them."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from penchant.exceptions import DataError
from penchant.rules.margin._column_source import ColumnSource, Priced
from penchant.rules.margin._master import MarginMaster, simplex, soft_margin
from penchant.rules.margin._ties import least_costly
from penchant.typing import ArrayLike, BoolArray, FloatArray, IntArray

_EARLY_STOP = 0.2
"""The master is solved to this share of the gap that is left over all columns."""

_AIM, _LEAST = 0.75, 0.3
"""Shares of the tolerance: aimed at over all columns, since pruning may use the rest,
and the least that the master is solved to."""

_LEAST_NEW, _MOST_NEW, _GROWTH = 50, 400, 0.5
_CANDIDATES_PER_NEW = 4
"""New columns: half as many as there are, not too alike, the best of some more."""

_IDLE_SHARE, _IDLE_ROUNDS, _WORTH_PURGING = 1e-3, 3, 0.1
"""Columns of small weight for some rounds go when they are a tenth of all."""

_TIED_COLUMNS, _TIED_SHARE = 300, 0.01
"""The simplest solution is sought among this many columns, those that pay most against
p, and only where the gap lets them have this share of a solution."""

_MAX_CORRELATION = 0.98
"""Columns that are more alike than this add little to each other."""

_MOST_COLUMNS, _MOST_ENTRIES, _MOST_PIVOTS = 600, 500_000, 5_000
"""Up to this size the last step is the simplex method."""

_FORCED = 1e-9
"""Bounds whose sum is this close to 1 leave nature no choice."""


class MarginRound(NamedTuple):
    """What was known after one round of a margin program."""

    n_columns: int
    lower_bound: float
    upper_bound: float


@dataclass(frozen=True, eq=False)
class MarginSolution:
    """Weights of few columns, and the proof of their quality (PRL-3).

    Parameters
    ----------
    status : str
        "optimal" if the saddle gap is at most the tolerance; otherwise "stalled"
        (rounding, or a source whose bound is not tight), "column_limit",
        "round_limit", or, for random replacement, "sampled": the rounds were done, and
        nothing was promised.
    keys : tuple of hashable
        Columns with positive weight, by falling weight.
    weights : ndarray of shape (n_keys,)
        Their weights q, of sum 1.
    p : ndarray of shape (n_rows,)
        Nature's weights of the rows: 0 <= p <= upper, sum 1.
    lower_bound : float
        The soft margin that exactly these weights reach.
    upper_bound : float
        The most that any column of the source pays against p: no weights over the
        source's columns reach more. Infinite where the source cannot be priced.
    n_columns : int
        Columns in the last working set.
    n_iter : int
        Iterations of the interior-point method, or of fictitious play.
    history : tuple of MarginRound
        The bounds after every round.
    """

    status: str
    keys: tuple[Hashable, ...]
    weights: FloatArray
    p: FloatArray
    lower_bound: float
    upper_bound: float
    n_columns: int
    n_iter: int
    history: tuple[MarginRound, ...]

    @property
    def value(self) -> float:
        """The soft margin of the weights: `lower_bound`."""
        return self.lower_bound

    @property
    def saddle_gap(self) -> float:
        """Distance of the bounds: how much better any weights could be."""
        return self.upper_bound - self.lower_bound


def solve_margin(
    source: ColumnSource,
    upper: ArrayLike,
    *,
    tol: float | Literal["auto"] = "auto",
    start: Sequence[Hashable] = (),
    cost: Callable[[Any], float] | None = None,
    max_columns: int | None = None,
    max_rounds: int = 300,
    callback: Callable[[MarginRound], None] | None = None,
) -> MarginSolution:
    """Find the largest soft margin over all columns of a source (PRL-3, PRL-4).

    The program is ``max rho - sum(upper * xi)`` subject to ``Cq + xi >= rho``,
    ``sum(q) = 1`` and q, xi >= 0, for all columns C of the source; its dual is nature's
    choice of weights p of the rows between 0 and `upper`. Columns are generated as they
    are needed; pricing proves when no other can help. Small weights are pruned as far
    as the tolerance allows, and a small rest is moved to a vertex.

    Parameters
    ----------
    source : ColumnSource
    upper : array-like of shape (n_rows,)
        Most weight that nature may give to each row: all ones for the hard margin,
        1 / (nu n_rows) for a soft one. Not negative, of sum at least 1.
    tol : float or "auto", default="auto"
        Saddle gap to reach. "auto": a fiftieth of the value's upper bound, at least
        1e-6 and at most 1e-3.
    start : sequence of hashable, default=()
        Keys to begin with, such as those of a nearby solution.
    cost : callable or None, default=None
        Gives the cost of a column by its key, at least 0; for the hard margin only. If
        several solutions are found, the cheapest is taken (the sum of weights times
        costs), unless more columns of positive cost are in it. It is sought among the
        300 columns that pay most against p; larger solutions stay as they are. None:
        any solution.
    max_columns : int or None, default=None
        The working set to give up at, if the gap is not reached with it. One round
        costs about ``n_rows * n_columns**2``. None: no limit.
    max_rounds : int, default=300
        Largest number of times that columns are added.
    callback : callable or None, default=None
        Called with a `MarginRound` after every round.

    Returns
    -------
    MarginSolution

    Examples
    --------
    Two features; the better answer mixes them.

    >>> import numpy as np
    >>> from penchant.solvers import MatrixSource, solve_margin
    >>> source = MatrixSource([[1.0, 0.2], [0.2, 1.0], [1.0, 1.0]], np.ones(3))
    >>> solution = solve_margin(source, np.ones(3))
    >>> solution.status, round(solution.value, 4), solution.weights.round(2)
    ('optimal', 0.6, array([0.5, 0.5]))
    """
    bounds = check_upper(upper, source.n_rows)
    if tol != "auto" and not tol > 0:
        raise DataError(f'tol must be positive, or "auto". Got {tol!r}.')
    if cost is not None and not np.isin(bounds, (0.0, 1.0)).all():
        raise DataError(
            "cost chooses among hard margins: upper must be 0 or 1 in all rows. Got "
            "other values; leave cost out for soft margins."
        )
    if bounds.sum() <= 1.0 + _FORCED:
        return _forced(source, bounds)
    rows = np.flatnonzero(bounds > 0.0)
    some = None if len(rows) == len(bounds) else _SomeRows(source, rows)
    generation = _Generation(some or source, bounds[rows], tol, start)
    status = generation.run(max_columns, max_rounds, callback)
    found = generation.finish(status, cost)
    return found if some is None else replace(found, p=some.spread(found.p))


def check_upper(upper: ArrayLike, n_rows: int) -> FloatArray:
    """Return the bounds of the rows as an array, none above 1."""
    bounds = np.asarray(upper, dtype=np.float64)
    if bounds.shape != (n_rows,):
        raise DataError(
            f"upper must have one entry per row ({n_rows}). Got shape {bounds.shape}."
        )
    if not (np.isfinite(bounds).all() and (bounds >= 0.0).all()):
        raise DataError(
            "upper must be finite and >= 0. "
            f"Got values from {bounds.min()} to {bounds.max()}."
        )
    if bounds.sum() < 1.0 - _FORCED:
        raise DataError(
            "upper must sum to at least 1, since nature's weights sum to 1. "
            f"Got {bounds.sum():.6g}; give nu a value of at most 1."
        )
    return np.minimum(bounds, 1.0)


def _forced(source: ColumnSource, upper: FloatArray) -> MarginSolution:
    """Answer bounds that leave nature no choice by the best column."""
    p = upper / upper.sum()
    priced = source.price(p, 1)
    keys = tuple(_found(priced)[:1])
    lower, _ = soft_margin(source.columns(keys)[:, 0], p)
    history = (MarginRound(1, lower, priced.bound),)
    status = "optimal" if priced.bound - lower <= _FORCED else "stalled"
    return MarginSolution(
        status, keys, np.ones(1), p, lower, priced.bound, 1, 0, history
    )


def _found(priced: Priced) -> Sequence[Hashable]:
    if not len(priced.keys):
        raise DataError(
            "source must give at least one column. Got none; check the generator."
        )
    return priced.keys


@dataclass(frozen=True, eq=False)
class _SomeRows:
    """A source without the rows that nature may give no weight."""

    source: ColumnSource
    rows: IntArray

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    def spread(self, weights: FloatArray) -> FloatArray:
        """Give the other rows no weight."""
        spread = np.zeros(self.source.n_rows)
        spread[self.rows] = weights
        return spread

    def price(self, weights: FloatArray, n_best: int) -> Priced:
        return self.source.price(self.spread(weights), n_best)

    def columns(self, keys: Sequence[Hashable]) -> FloatArray:
        return self.source.columns(keys)[self.rows]


class _Generation:
    """Column generation: bounds on both sides, and the working set."""

    def __init__(
        self,
        source: ColumnSource,
        upper: FloatArray,
        tol: float | Literal["auto"],
        start: Sequence[Hashable],
    ) -> None:
        """Begin with the given columns and with the best against nature's centre."""
        self._source, self._tol, self._upper = source, tol, upper
        self._upper_bound, self._lower_bound = np.inf, -np.inf
        self._history: list[MarginRound] = []
        self._n_iter = 0
        priced = self._price(upper / upper.sum(), _CANDIDATES_PER_NEW * _LEAST_NEW)
        best, given = _found(priced), list(dict.fromkeys(start))
        columns, known = source.columns(best), set(given)
        added = [i for i in _diverse(columns, _LEAST_NEW) if best[i] not in known]
        self._keys = given + [best[i] for i in added]
        self._idle = np.zeros(len(self._keys), dtype=np.int64)
        columns = columns[:, added]
        if given:
            columns = np.hstack([source.columns(given), columns])
        self._master = MarginMaster(columns, upper)

    def run(
        self,
        max_columns: int | None,
        max_rounds: int,
        callback: Callable[[MarginRound], None] | None,
    ) -> str:
        """Add columns until the bounds meet, and tell how it ended."""
        for _ in range(max_rounds):
            # Stop early: a central p prices better and takes new columns more easily.
            least, master = _LEAST * self._goal, self._master
            left = min(self._upper_bound - self._lower_bound, master.gap)
            done, converged = master.solve(max(least, _EARLY_STOP * left))
            self._n_iter += done
            n_new = int(np.clip(_GROWTH * len(self._keys), _LEAST_NEW, _MOST_NEW))
            priced = self._price(master.p, _CANDIDATES_PER_NEW * n_new)
            lower, _ = soft_margin(master.q @ master.columns, self._upper)
            if lower > self._lower_bound:
                self._lower_bound, self._q = lower, master.q.copy()
                self._best_keys = list(self._keys)
            here = MarginRound(len(self._keys), self._lower_bound, self._upper_bound)
            self._history.append(here)
            if callback is not None:
                callback(here)
            if here.upper_bound - here.lower_bound <= _AIM * self._goal:
                return "optimal"
            if max_columns is not None and here.n_columns >= max_columns:
                return "column_limit"
            if not self._extend(priced, n_new) and (
                not converged or master.gap <= 1.01 * _LEAST * self._goal
            ):
                return "stalled"
        return "round_limit"

    def _price(self, p: FloatArray, n_best: int) -> Priced:
        """Find columns against p; the best bound so far is kept with its p."""
        # Weak duality: whatever p is, no weights of any columns exceed the best reply
        # to it, so that every pricing certifies an upper bound.
        priced = self._source.price(p, n_best)
        if priced.bound < self._upper_bound:
            self._upper_bound, self._p, self._priced = priced.bound, p.copy(), priced
            self._goal = (
                max(1e-6, min(1e-3, 0.02 * priced.bound))
                if self._tol == "auto"
                else self._tol
            )
        return priced

    def _extend(self, priced: Priced, n_new: int) -> bool:
        """Add the columns that pay more than the master's; False if there are none."""
        known = set(self._keys)
        better = [
            key
            for key, pay in zip(priced.keys, priced.payoffs, strict=True)
            if pay > self._master.ceiling and key not in known
        ]
        if not better:
            return False
        columns = self._source.columns(better)
        # Near copies of one column add next to nothing, and cost as much as others.
        chosen = _diverse(columns, n_new)
        k = len(self._keys)
        self._idle = np.where(self._master.q < _IDLE_SHARE / k, self._idle + 1, 0)
        # Columns without weight cost as much as others; few are not worth a new start.
        kept = self._idle < _IDLE_ROUNDS
        if np.count_nonzero(kept) < (1.0 - _WORTH_PURGING) * k:
            self._master.keep(kept)
            self._idle = self._idle[kept]
            self._keys = [self._keys[i] for i in np.flatnonzero(kept)]
        self._keys += [better[i] for i in chosen]
        self._idle = np.append(self._idle, np.zeros(len(chosen), dtype=np.int64))
        self._master.add(columns[:, chosen], priced.bound)
        return True

    def finish(
        self, status: str, cost: Callable[[Any], float] | None
    ) -> MarginSolution:
        """Prune, move a small rest to a vertex, and measure what came out."""
        lines = np.ascontiguousarray(self._source.columns(self._best_keys).T)
        floor = min(self._lower_bound, self._upper_bound - self._goal)
        kept = prune(lines, self._q, self._upper, floor)
        lines, keys = lines[kept], [self._best_keys[i] for i in np.flatnonzero(kept)]
        weights = self._q[kept] / self._q[kept].sum()
        if len(lines) <= _MOST_COLUMNS and lines.size <= _MOST_ENTRIES:
            vertex = simplex(lines, self._upper, _MOST_PIVOTS)
            if vertex is not None:
                reached, _ = soft_margin(vertex.weights @ lines, self._upper)
                before, _ = soft_margin(weights @ lines, self._upper)
                weights = vertex.weights if reached >= before else weights
        if cost is not None:
            keys, lines, weights = self._simplify(cost, keys, lines, weights)
        order = np.argsort(-weights, kind="stable")
        order = order[weights[order] > 0.0]
        weights, lines = weights[order], lines[order]
        lower, _ = soft_margin(weights @ lines, self._upper)
        is_optimal = self._upper_bound - lower <= self._goal
        return MarginSolution(
            status="optimal" if is_optimal else status,
            keys=tuple(keys[i] for i in order),
            weights=weights,
            p=self._p,
            lower_bound=lower,
            upper_bound=self._upper_bound,
            n_columns=len(self._keys),
            n_iter=self._n_iter,
            history=tuple(self._history),
        )

    def _simplify(
        self,
        cost: Callable[[Any], float],
        keys: list[Hashable],
        lines: FloatArray,
        weights: FloatArray,
    ) -> tuple[list[Hashable], FloatArray, FloatArray]:
        """Add columns that other solutions may have, and take the least costly one.

        The columns of a solution pay at least its margin on average, and none pays more
        than the upper bound: one with a share s pays no less than that minus gap / s.
        """
        used = np.flatnonzero(weights)
        if len(used) > _TIED_COLUMNS:
            return keys, lines, weights
        keys, lines, weights = [keys[i] for i in used], lines[used], weights[used]
        gap = self._upper_bound - float((weights @ lines).min())
        least = self._upper_bound - gap / _TIED_SHARE
        known = set(keys)
        priced = zip(self._priced.keys, self._priced.payoffs, strict=True)
        others = [key for key, pay in priced if pay >= least and key not in known]
        others = others[: _TIED_COLUMNS - len(keys)]
        if others:
            lines = np.vstack([lines, self._source.columns(others).T])
            weights = np.append(weights, np.zeros(len(others)))
        costs = np.array([cost(key) for key in keys + others])
        return keys + others, lines, least_costly(lines, costs, weights)


def prune(
    columns: FloatArray, weights: FloatArray, upper: FloatArray, floor: float
) -> BoolArray:
    """Find the columns that can go while the soft margin stays at least floor.

    Drops the longest run of smallest weights, found by bisection; the other weights
    are to be divided by their sum.

    Parameters
    ----------
    columns : ndarray of shape (n_columns, n_rows)
    weights : ndarray of shape (n_columns,)
        Not negative, of sum 1, with a soft margin of at least floor.
    upper : ndarray of shape (n_rows,)
    floor : float

    Returns
    -------
    ndarray of bool of shape (n_columns,)
        Which columns stay.
    """
    order = np.argsort(weights)
    safe, unsafe = 0, len(order)
    while unsafe - safe > 1:
        middle = (safe + unsafe) // 2
        kept = order[middle:]
        shares = weights[kept] / weights[kept].sum()
        enough = soft_margin(shares @ columns[kept], upper)[0] >= floor
        safe, unsafe = (middle, unsafe) if enough else (safe, middle)
    stays = np.ones(len(order), dtype=np.bool_)
    stays[order[:safe]] = False
    return stays


def _diverse(columns: FloatArray, n_wanted: int) -> list[int]:
    """Choose columns from the first on, none nearly parallel to one chosen before.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_columns)
    n_wanted : int
        Most columns that are chosen.

    Returns
    -------
    list of int
        Their numbers.
    """
    length = np.linalg.norm(columns, axis=0)
    unit = columns / np.where(length > 0.0, length, 1.0)
    alike = np.abs(unit.T @ unit) > _MAX_CORRELATION
    chosen: list[int] = []
    blocked = np.zeros(len(length), dtype=np.bool_)
    for column in range(len(length)):
        if len(chosen) == n_wanted:
            break
        if not blocked[column]:
            chosen.append(column)
            blocked |= alike[column]
    return chosen
