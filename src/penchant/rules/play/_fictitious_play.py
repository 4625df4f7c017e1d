"""Fictitious play, as in Algorithm 1 of Polato and Aiolli (PRL-1)."""

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse

from penchant.rules.play._game_solution import GameSolution, check_game, check_generator
from penchant.typing import FloatArray, IntArray, RandomState


def fictitious_play(
    M: Any, *, max_iter: int = 1_000_000, random_state: RandomState = None
) -> GameSolution:
    """Let two players answer each other's past; return how often they chose what.

    Algorithm 1 of the paper, with line 6 corrected: the row player answers by the row
    with the *smallest* sum (PRL-1). The first of equal answers is taken. The averages
    approach a saddle point slowly: a good start, no polish.

    Parameters
    ----------
    M : array-like or sparse matrix of shape (n_rows, n_columns)
        What the row player pays to the column player.
    max_iter : int, default=1_000_000
        Iterations, all of which are done; each costs one row and one column of M.
    random_state : int, RandomState, Generator or None, default=None
        Chooses the first row.

    Returns
    -------
    GameSolution
        With status "iteration_limit" unless the gap is 0.

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
    lines = np.ascontiguousarray(game.toarray() if sparse.issparse(game) else game)
    first = int(check_generator(random_state).integers(len(lines)))
    rows, columns = _play(lines, np.ascontiguousarray(lines.T), first, max_iter)
    p, q = rows / rows.sum(), columns / columns.sum()
    return GameSolution.measure(game, p, q, tol=0.0, n_iter=max_iter)


@njit(cache=True)
def _play(
    lines: FloatArray, columns: FloatArray, first_row: int, n_iter: int
) -> tuple[IntArray, IntArray]:
    """Count how often each row and each column is chosen."""
    row_sums, column_sums = np.zeros(len(lines)), lines[first_row].copy()
    row_counts = np.zeros(len(lines), dtype=np.int64)
    column_counts = np.zeros(len(columns), dtype=np.int64)
    row_counts[first_row] = 1
    for _ in range(n_iter):
        column = np.argmax(column_sums)
        row_sums += columns[column]
        row = np.argmin(row_sums)
        column_sums += lines[row]
        column_counts[column] += 1
        row_counts[row] += 1
    return row_counts, column_counts
