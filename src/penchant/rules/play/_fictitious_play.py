"""Fictitious play, as in Algorithm 1 of Polato and Aiolli (PRL-1)."""

from typing import Any, TypeAlias

import numpy as np
from numba import njit
from scipy import sparse

from penchant.rules.play._game_solution import GameSolution, check_game, check_generator
from penchant.typing import FloatArray, IntArray, RandomState

_Parts: TypeAlias = tuple[FloatArray, IntArray, IntArray]

_CHUNK = 1_000
"""Iterations between two looks at the gap."""


def fictitious_play(
    M: Any,
    *,
    tol: float | None = None,
    max_iter: int = 1_000_000,
    random_state: RandomState = None,
) -> GameSolution:
    """Let two players answer each other's past; return how often they chose what.

    Algorithm 1 of the paper, with line 6 corrected: the row player answers by the row
    with the *smallest* sum (PRL-1). The first of equal answers is taken. The averages
    approach a saddle point slowly: a good start, no polish.

    Parameters
    ----------
    M : array-like or sparse matrix of shape (n_rows, n_columns)
        What the row player pays to the column player.
    tol : float or None, default=None
        Stop when the saddle gap is at most this; looked at every 1000 iterations.
        None: do all iterations, as the paper does.
    max_iter : int, default=1_000_000
        Iterations; each costs one row and one column of M.
    random_state : int, RandomState, Generator or None, default=None
        Chooses the first row.

    Returns
    -------
    GameSolution
        With status "iteration_limit" if `tol` is None and the gap is positive.

    References
    ----------
    Polato and Aiolli, "Interpretable preference learning: a game theoretic
    framework for large margin on-line feature and rule learning", AAAI 2019.

    Examples
    --------
    >>> from penchant.solvers import fictitious_play
    >>> matching_pennies = [[1.0, -1.0], [-1.0, 1.0]]
    >>> fictitious_play(matching_pennies, max_iter=100_000, random_state=0).p.round(2)
    array([0.5, 0.5])
    """
    game = check_game(M)
    first = int(check_generator(random_state).integers(game.shape[0]))
    play = _SparsePlay(game, first) if sparse.issparse(game) else _Play(game, first)
    n_iter = 0
    while n_iter < max_iter and not (tol is not None and n_iter and play.gap <= tol):
        n_more = min(_CHUNK, max_iter - n_iter)
        play.go_on(n_more)
        n_iter += n_more
    p = play.row_counts / play.row_counts.sum()
    q = play.column_counts / play.column_counts.sum()
    return GameSolution.of(game, p, q, tol=tol or 0.0, n_iter=n_iter)


class _Play:
    """The state of a play: sums of payoffs, and counts of choices."""

    def __init__(self, game: Any, first_row: int) -> None:
        n_rows, n_columns = game.shape
        self._game = game
        self.row_sums, self.column_sums = np.zeros(n_rows), self._row(first_row)
        self.row_counts = np.zeros(n_rows, dtype=np.int64)
        self.column_counts = np.zeros(n_columns, dtype=np.int64)
        self.row_counts[first_row] = 1
        self._prepare()

    def _row(self, row: int) -> FloatArray:
        line: FloatArray = self._game[row].copy()
        return line

    def _prepare(self) -> None:
        self._lines = np.ascontiguousarray(self._game)
        self._columns = np.ascontiguousarray(self._game.T)

    def go_on(self, n_iter: int) -> None:
        """Play some iterations."""
        _play(
            self._lines,
            self._columns,
            self.row_sums,
            self.column_sums,
            self.row_counts,
            self.column_counts,
            n_iter,
        )

    @property
    def gap(self) -> float:
        """Saddle gap of the averages, from the sums."""
        upper = self.column_sums.max() / self.row_counts.sum()
        return float(upper - self.row_sums.min() / self.column_counts.sum())


class _SparsePlay(_Play):
    """The same for a sparse game."""

    def _row(self, row: int) -> FloatArray:
        line: FloatArray = self._game[[row]].toarray()[0]
        return line

    def _prepare(self) -> None:
        lines, columns = self._game.tocsr(), self._game.tocsc()
        self._by_line, self._by_column = _parts(lines), _parts(columns)

    def go_on(self, n_iter: int) -> None:
        """Play some iterations."""
        _play_sparse(
            self._by_line,
            self._by_column,
            self.row_sums,
            self.column_sums,
            self.row_counts,
            self.column_counts,
            n_iter,
        )


def _parts(matrix: Any) -> _Parts:
    """Return values, places and starts of a sparse matrix, always of one type."""
    places, starts = (part.astype(np.int64) for part in (matrix.indices, matrix.indptr))
    return matrix.data, places, starts


@njit(cache=True)
def _play(
    lines: FloatArray,
    columns: FloatArray,
    row_sums: FloatArray,
    column_sums: FloatArray,
    row_counts: IntArray,
    column_counts: IntArray,
    n_iter: int,
) -> None:
    for _ in range(n_iter):
        column = np.argmax(column_sums)
        row_sums += columns[column]
        row = np.argmin(row_sums)
        column_sums += lines[row]
        column_counts[column] += 1
        row_counts[row] += 1


@njit(cache=True)
def _play_sparse(
    by_line: _Parts,
    by_column: _Parts,
    row_sums: FloatArray,
    column_sums: FloatArray,
    row_counts: IntArray,
    column_counts: IntArray,
    n_iter: int,
) -> None:
    line_values, line_places, line_starts = by_line
    column_values, column_places, column_starts = by_column
    for _ in range(n_iter):
        column = np.argmax(column_sums)
        for k in range(column_starts[column], column_starts[column + 1]):
            row_sums[column_places[k]] += column_values[k]
        row = np.argmin(row_sums)
        for k in range(line_starts[row], line_starts[row + 1]):
            column_sums[line_places[k]] += line_values[k]
        column_counts[column] += 1
        row_counts[row] += 1
