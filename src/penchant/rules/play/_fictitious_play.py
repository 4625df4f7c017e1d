"""Matrix games: solutions, and fictitious play as in Algorithm 1 (PRL-1)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from scipy import sparse

from penchant.exceptions import DataError
from penchant.typing import FloatArray, IntArray, RandomState


@dataclass(frozen=True, eq=False)
class GameSolution:
    """Strategies of both players of a matrix game, and how good they are.

    Parameters
    ----------
    p : ndarray of shape (n_rows,)
        Strategy of the row player, who pays; not negative, of sum 1.
    q : ndarray of shape (n_columns,)
        Strategy of the column player, who receives.
    value : float
        ``p @ M @ q``; the value of the game lies within `saddle_gap` of it.
    saddle_gap : float
        ``max(p @ M) - min(M @ q)``, from exactly these strategies.
    n_iter : int
        Iterations; what one is depends on the method.
    status : str
        "optimal" if the saddle gap is at most the tolerance, "iteration_limit" if
        the iterations did not suffice, "stalled" if rounding ended progress.
    """

    p: FloatArray
    q: FloatArray
    value: float
    saddle_gap: float
    n_iter: int
    status: str

    @classmethod
    def measure(
        cls,
        M: Any,
        p: FloatArray,
        q: FloatArray,
        *,
        tol: float,
        n_iter: int,
        failure: str = "iteration_limit",
    ) -> "GameSolution":
        """Measure two strategies; `failure` is the status if the gap is too large."""
        pays, gets = M @ q, p @ M
        gap = max(float(gets.max() - pays.min()), 0.0)
        status = "optimal" if gap <= tol else failure
        return cls(p, q, float(p @ pays), gap, n_iter, status)


def check_game(M: Any) -> Any:
    """Return the matrix of a game: float64, dense or sparse by rows (CSR)."""
    game = M if sparse.issparse(M) else np.asarray(M)
    if game.ndim != 2 or 0 in game.shape:
        raise DataError(
            "M must be a matrix with at least one row and one column. "
            f"Got shape {game.shape}."
        )
    game = game.astype(np.float64, copy=False)
    if sparse.issparse(game):
        game = sparse.csr_array(game)
    if not np.isfinite(size_of(game)):
        raise DataError("M must be finite. Got NaN or infinity.")
    return game


def size_of(game: Any) -> float:
    """Return the largest absolute entry; NaN if there is one."""
    # Without the copy that abs would make, which costs more than looking twice.
    return float(np.maximum(game.max(), -game.min()))


def check_generator(random_state: RandomState) -> np.random.Generator:
    """Return a generator for a seed, a generator or a RandomState."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


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
