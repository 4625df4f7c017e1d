"""The paper's random replacement of columns, for sources that can only be sampled."""

from collections.abc import Callable, Hashable
from typing import Literal

import numpy as np

from penchant.exceptions import DataError, PenchantError
from penchant.rules.margin._column_source import ColumnSource, SampledSource
from penchant.rules.margin._master import simplex, soft_margin
from penchant.rules.margin._program import MarginRound, MarginSolution, check_upper
from penchant.rules.play._fictitious_play import fictitious_play
from penchant.rules.play._game_solution import check_generator
from penchant.typing import ArrayLike, FloatArray, RandomState

_MAX_PIVOTS = 1_000_000


def replace_randomly(
    source: SampledSource,
    upper: ArrayLike,
    *,
    solver: Literal["fictitious-play", "simplex"] = "fictitious-play",
    n_columns: int = 1_000,
    n_epochs: int = 1_000,
    n_plays: int = 1_000_000,
    random_state: RandomState = None,
    callback: Callable[[MarginRound], None] | None = None,
) -> MarginSolution:
    """Solve small games and redraw the columns that got no weight (PRL-4).

    Algorithm 2 of the paper, with line 11 corrected (PRL-1). It promises no gap; where
    the source can be priced, the solution carries one nevertheless. `solve_margin` is
    the better choice for such sources.

    Parameters
    ----------
    source : SampledSource
    upper : array-like of shape (n_rows,)
        As in `solve_margin`; fictitious play knows the hard margin (ones) only.
    solver : {"fictitious-play", "simplex"}, default="fictitious-play"
        How each game is solved: as in the paper, or exactly.
    n_columns : int, default=1_000
        Size B of the working set.
    n_epochs : int, default=1_000
        Number T of games.
    n_plays : int, default=1_000_000
        Iterations of fictitious play in each game.
    random_state : int, RandomState, Generator or None, default=None
        Draws the columns and the first rows.
    callback : callable or None, default=None
        Called with a `MarginRound` after every epoch.

    Returns
    -------
    MarginSolution
        The best weights of all epochs, with status "sampled".

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.solvers import MatrixSource, replace_randomly
    >>> source = MatrixSource([[1.0, 0.2], [0.2, 1.0], [1.0, 1.0]], np.ones(3))
    >>> solution = replace_randomly(
    ...     source, np.ones(3), solver="simplex", n_columns=4, n_epochs=9,
    ...     random_state=0,
    ... )
    >>> solution.status, round(solution.value, 4)
    ('sampled', 0.6)
    """
    bounds = check_upper(upper, source.n_rows)
    _check_counts(n_columns=n_columns, n_epochs=n_epochs, n_plays=n_plays)
    if solver == "fictitious-play" and (bounds < 1.0).any():
        raise DataError(
            "fictitious-play needs upper = 1 for all rows (the hard margin). "
            f'Got values down to {bounds.min():.3g}; use solver="simplex".'
        )
    state = _Replacement(source, bounds, check_generator(random_state))
    for epoch in range(n_epochs):
        state.fill(n_columns)
        if solver == "simplex":
            state.solve_exactly()
        else:
            state.play(n_plays)
        state.record(callback)
        if epoch + 1 < n_epochs:
            state.drop_unused()
    return state.solution()


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        if count < 1:
            raise DataError(f"{name} must be at least 1. Got {count}.")


class _Replacement:
    """The working set, and the best weights so far."""

    def __init__(
        self, source: SampledSource, upper: FloatArray, rng: np.random.Generator
    ) -> None:
        self._source, self._upper, self._rng = source, upper, rng
        self._keys: list[Hashable] = []
        self._lines = np.empty((0, source.n_rows))
        self._p, self._q = upper / upper.sum(), np.empty(0)
        self._best: dict[Hashable, float] = {}
        self._best_p, self._lower, self._bound = self._p, -np.inf, np.inf
        self._history: list[MarginRound] = []
        self._n_iter = 0

    def fill(self, n_columns: int) -> None:
        """Draw columns until the working set is full."""
        n_new = n_columns - len(self._keys)
        if n_new > 0:
            new = list(self._source.sample(n_new, self._rng))
            self._keys += new
            self._lines = np.vstack([self._lines, self._source.columns(new).T])

    def play(self, n_plays: int) -> None:
        """Solve the game of the working set by fictitious play."""
        found = fictitious_play(self._lines.T, max_iter=n_plays, random_state=self._rng)
        self._p, self._q = found.p, found.q
        self._n_iter += found.n_iter

    def solve_exactly(self) -> None:
        """Solve the game of the working set by the simplex method."""
        vertex = simplex(self._lines, self._upper, _MAX_PIVOTS)
        if vertex is None:
            raise PenchantError(
                f"The game of {len(self._keys)} columns must be solvable in "
                f"{_MAX_PIVOTS} pivots. It was not; use fewer columns, or solve_margin."
            )
        self._q, self._p, n_iter = vertex
        self._n_iter += n_iter

    def record(self, callback: Callable[[MarginRound], None] | None) -> None:
        """Measure the weights, and keep them if they are the best."""
        lower, _ = soft_margin(self._q @ self._lines, self._upper)
        if lower > self._lower:
            self._lower = lower
            self._best = {}
            for i in np.flatnonzero(self._q):  # a key may stand here twice
                key, weight = self._keys[i], float(self._q[i])
                self._best[key] = self._best.get(key, 0.0) + weight
        if isinstance(self._source, ColumnSource):
            bound = self._source.price(self._p, 1).bound
            if bound < self._bound:
                self._bound, self._best_p = bound, self._p
        here = MarginRound(len(self._keys), self._lower, self._bound)
        self._history.append(here)
        if callback is not None:
            callback(here)

    def drop_unused(self) -> None:
        """Keep the columns with weight."""
        used = np.flatnonzero(self._q)
        self._keys = [self._keys[i] for i in used]
        self._lines = self._lines[used]

    def solution(self) -> MarginSolution:
        """Give the best weights of all epochs, with their bounds."""
        keys = sorted(self._best, key=self._best.__getitem__, reverse=True)
        return MarginSolution(
            status="sampled",
            keys=tuple(keys),
            weights=np.array([self._best[key] for key in keys]),
            p=self._best_p,
            lower_bound=self._lower,
            upper_bound=self._bound,
            n_columns=len(self._keys),
            n_iter=self._n_iter,
            history=tuple(self._history),
        )
