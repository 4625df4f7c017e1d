"""A path of penalties, chosen by rows that were held out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penchant._progress import Progress
from penchant.gai.binned import _blocks as on
from penchant.gai.binned._blocks import Here, Place
from penchant.gai.binned._groups import Group, Joined
from penchant.gai.binned._losses import Loss
from penchant.gai.binned._solver import MAX_COLUMNS, BinnedProblem, Point
from penchant.typing import FloatArray

FOLD_ROWS = 5_000
"""Up to so many rows, folds are held out in turn; above, one part once."""
_N_FOLDS = 5
_MAX_JUDGES = 50_000
KEEP_ROWS = 20_000
"""Above so many rows, the fit without the held-out part is kept."""
_STEP = 1e-4 ** (1 / 20)
_MAX_STEPS = 40
_PATH_TOL = 1e-2
_GAIN = 0.002
_RISE = 1.02
_SLACK = 0.005


@dataclass(frozen=True, eq=False)
class Table:
    """Blocks of rows, candidate groups and a loss: what a path is fitted to.

    Parameters
    ----------
    blocks, groups, loss, place
        As in BinnedProblem.
    progress : Progress
        Tells when time is up, and others how far the fit is.
    sizes : sequence of int
        Number of rows of each block.
    """

    blocks: list[Any]
    groups: Sequence[Group | Joined]
    loss: Loss
    sizes: Sequence[int]
    place: Place = field(default_factory=Here)
    progress: Progress = field(default_factory=lambda: Progress("path"))

    def problem(self, kept: FloatArray | None = None) -> BinnedProblem:
        """State the problem for some of the rows."""
        blocks = self.blocks
        if kept is not None:
            shares = np.split(kept, np.cumsum(self.sizes)[:-1])
            blocks = self.place.keep(on.reweighted, blocks, shares)
        return BinnedProblem(
            blocks, self.groups, self.loss, place=self.place, deadline=self.progress
        )

    @property
    def prices(self) -> FloatArray:
        """The price of each group."""
        return np.array([group.price for group in self.groups])


@dataclass(frozen=True, eq=False)
class Chosen:
    """A fit, and how it was chosen.

    Parameters
    ----------
    point : Point
    lam : float
    error : float
        Mean loss of held-out rows at the chosen penalty.
    least : float
        The same at the best penalty, by which paths are compared.
    problem : BinnedProblem
        Which the point solves.
    scores : ndarray of shape (n_rows,) or None
        Scores of rows while they were held out; NaN of rows that never were.
    """

    point: Point
    lam: float
    error: float
    least: float
    problem: BinnedProblem
    scores: FloatArray | None = None


class _Fold:
    """A part of the rows: the path goes on, and the others judge it."""

    def __init__(self, table: Table, held_out: FloatArray) -> None:
        self.problem = table.problem(1.0 - held_out)
        self.judges = table.problem(held_out)
        self.prices = table.prices
        self.top = self.problem.largest_lam(self.prices)
        self.point = self.problem.start()

    def advance(self, step: int, tol: float) -> float:
        """Take the next step of the path and give the loss of the held-out rows."""
        lam = max(self.top * _STEP**step, 1e-12)
        self.point = self.problem.solve(lam, self.prices, self.point, tol)
        return self.judge()

    def judge(self) -> float:
        """Give the loss of the held-out rows."""
        return self.judges.price(self.point, []).loss * self.judges.total

    def scores(self, coefs: dict[int, FloatArray]) -> FloatArray:
        """Give the scores of all rows, offset included."""
        point = self.problem.point(coefs)
        parts = self.problem.place.fetch(np.asarray, point.scores)
        return np.concatenate(parts) + point.offsets[:1].sum()

    @property
    def is_large(self) -> bool:
        """Whether the model has as many columns as it may have."""
        return self.problem.model.size > MAX_COLUMNS


def choose(
    table: Table,
    held_out: Sequence[FloatArray],
    tol: float,
    *,
    keep_scores: bool = False,
) -> Chosen:
    """Follow the path until held-out rows gain no more, and fit where that is enough.

    Each fold's penalties are relative to the largest that matters in that fold. Of all
    penalties that do about as well as the best one, the largest is taken: it has the
    fewest factors. A single group has none to lose, and the best penalty is taken.

    Parameters
    ----------
    table : Table
    held_out : sequence of ndarray of shape (n_rows,)
        For each fold 1 for the rows that judge it, 0 for those that it is fitted to.
    tol : float
        Relative gap of the fit.
    keep_scores : bool
        Whether to tell the scores of held-out rows.
    """
    folds = [_Fold(table, share) for share in held_out]
    total = sum(fold.judges.total for fold in folds)
    errors = [sum(fold.judge() for fold in folds) / total]
    coefs = [[fold.point.coefs for fold in folds]]
    for step in range(1, _MAX_STEPS + 1):
        errors.append(sum(fold.advance(step, _PATH_TOL) for fold in folds) / total)
        coefs.append([fold.point.coefs for fold in folds])
        gap = max(fold.point.gap for fold in folds)
        in_time = table.progress.step(error=errors[-1], gap=gap)
        if _is_over(errors) or any(fold.is_large for fold in folds) or not in_time:
            break
    slack = _SLACK * _scale(errors) if len(table.groups) > 1 else 0.0
    best = int(np.argmax(np.array(errors) <= min(errors) + slack))
    # Relative to the largest penalty that matters on these rows, as in each fold.
    problem = folds[0].problem if sum(table.sizes) > KEEP_ROWS else table.problem()
    lam = max(problem.largest_lam(table.prices) * _STEP**best, 1e-12)
    start = problem.point(_mean_coefs(coefs[best]))
    point = problem.solve(lam, table.prices, start, tol)
    if not table.progress.step(error=errors[best], gap=point.gap):
        point.status = "time_limit"  # also where the path was cut: there may be better
    scores = None
    if keep_scores:
        scores = np.full(sum(table.sizes), np.nan)
        for fold, share, own in zip(folds, held_out, coefs[best], strict=True):
            scores[share > 0] = fold.scores(own)[share > 0]
    return Chosen(point, lam, errors[best], min(errors), problem, scores)


def fit_at(table: Table, lam: float, tol: float) -> Chosen:
    """Fit at one penalty, coming from larger ones."""
    problem, prices = table.problem(), table.prices
    point, current = problem.start(), problem.largest_lam(prices)
    while current > lam:  # each step starts near its minimum, with few groups
        current = max(lam, current * _STEP**2)
        goal = tol if current == lam else _PATH_TOL
        point = problem.solve(current, prices, point, goal)
        table.progress.step(gap=point.gap)
    if not point.n_iter:
        point = problem.solve(lam, prices, point, tol)
    return Chosen(point, lam, np.nan, np.nan, problem)


def _is_over(errors: Sequence[float]) -> bool:
    """Tell whether two steps brought no gain, or the last one a clear loss."""
    if errors[-1] > _RISE * min(errors):
        return True
    gain = min(errors[:-2], default=np.inf) - min(errors[-2:])
    return len(errors) > 3 and gain < _GAIN * _scale(errors)


def _scale(errors: Sequence[float]) -> float:
    """Give what shares are of: the least error, or what it gains over a constant.

    Where noise dominates, half a percent of the error is a large part of all that can
    be learned.
    """
    return min(min(errors), errors[0] - min(errors))


def hold_out(y: FloatArray, random_state: np.random.RandomState) -> list[FloatArray]:
    """Choose the rows that judge: every fold in turn, or one part of many rows."""
    n_rows = len(y)
    n_folds = min(_N_FOLDS, n_rows)
    if n_rows > FOLD_ROWS:
        share = np.zeros(n_rows)
        size = int(np.clip(n_rows // 10, 1_000, _MAX_JUDGES))
        share[random_state.permutation(n_rows)[:size]] = 1.0
        return [share]
    # neighbours in y go to different folds, so that every fold has all grades of y
    order = np.lexsort((random_state.uniform(size=n_rows), y))
    turns = random_state.uniform(size=(-(-n_rows // n_folds), n_folds)).argsort(axis=1)
    fold = np.empty(n_rows, dtype=int)
    fold[order] = turns.ravel()[:n_rows]
    return [(fold == k).astype(np.float64) for k in range(n_folds)]


def _mean_coefs(folds: Sequence[dict[int, FloatArray]]) -> dict[int, FloatArray]:
    """Average the coefficients of the folds: near those of all rows."""
    total: dict[int, FloatArray] = {}
    for coefs in folds:
        for k, coef in coefs.items():
            total[k] = total.get(k, 0.0) + coef / len(folds)
    return {k: coef for k, coef in total.items() if coef.any()}
