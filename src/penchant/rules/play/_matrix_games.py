"""Matrix games by interior points, whole or column by column (PRL-5)."""

from typing import Any

import numpy as np
from scipy import sparse

from penchant.exceptions import DataError
from penchant.rules.margin._column_source import TableColumns
from penchant.rules.margin._master import MarginMaster
from penchant.rules.margin._program import solve_margin
from penchant.rules.play._game_solution import GameSolution, check_game, size_of
from penchant.typing import FloatArray

_SMALL, _DENSE = 1_000_000, 20_000_000
"""Games with fewer entries are always solved whole, with more column by column."""

_EVEN = 0.15
"""Gap of even strategies, in units of M, below which most choices get weight."""


def solve_matrix_game(
    M: Any, *, tol: float = 1e-6, max_iter: int = 200
) -> GameSolution:
    """Solve a two-person zero-sum game: min over p of max over q of ``p @ M @ q``.

    Parameters
    ----------
    M : array-like or sparse matrix of shape (n_rows, n_columns)
        What the row player pays to the column player.
    tol : float, default=1e-6
        Saddle gap to reach, in units of M; any down to rounding.
    max_iter : int, default=200
        Largest number of iterations.

    Returns
    -------
    GameSolution
        Its status tells whether the gap was reached.

    Examples
    --------
    >>> from penchant.solvers import solve_matrix_game
    >>> solution = solve_matrix_game([[3.0, -1.0], [-2.0, 1.0]])
    >>> solution.p.round(4), solution.q.round(4), round(solution.value, 4)
    (array([0.4286, 0.5714]), array([0.2857, 0.7143]), 0.1429)
    """
    game = check_game(M)
    if not tol > 0:
        raise DataError(f"tol must be positive. Got {tol!r}.")
    if game.shape[0] == 1 or game.shape[1] == 1:
        return _one_sided(game, tol)
    scale = _unit_of(game)
    units = game if scale == 1.0 else game / scale
    if _has_few_choices(units):
        p, q, n_iter, failure = _by_columns(units, tol / scale, max_iter)
    else:
        whole = units.toarray() if sparse.issparse(units) else units
        p, q, n_iter, failure = _whole(whole, tol / scale, max_iter)
    return GameSolution.measure(game, p, q, tol=tol, n_iter=n_iter, failure=failure)


def _unit_of(game: Any) -> float:
    """Return the size of the largest entry, or 1 if it is about 1 anyway."""
    largest = size_of(game)
    return 1.0 if largest == 0.0 or 0.1 <= largest <= 10.0 else largest


def _has_few_choices(game: Any) -> bool:
    """Guess whether few choices of a large game get weight.

    Where playing evenly is nearly optimal (noise), most do, and generating them one by
    one would only cost time.
    """
    n_entries = int(np.prod(game.shape))
    if n_entries <= _SMALL or n_entries > _DENSE:
        return n_entries > _DENSE
    gap = game.mean(axis=0).max() - game.mean(axis=1).min()
    return bool(gap > _EVEN * size_of(game))


def _one_sided(game: Any, tol: float) -> GameSolution:
    """Solve a game in which one player has no choice."""
    p, q = np.zeros(game.shape[0]), np.zeros(game.shape[1])
    whole = game.toarray() if sparse.issparse(game) else game
    row, column = np.unravel_index(
        whole.argmax() if len(p) == 1 else whole.argmin(), whole.shape
    )
    p[row] = q[column] = 1.0
    return GameSolution.measure(game, p, q, tol=tol, n_iter=0)


def _whole(
    game: FloatArray, tol: float, max_iter: int
) -> tuple[FloatArray, FloatArray, int, str]:
    """Solve a dense game at once."""
    master = MarginMaster(game, np.ones(len(game)))
    goal, n_iter, converged = 1.6 * tol, 0, True
    while converged and n_iter < max_iter:
        done, converged = master.solve(goal, max_iter - n_iter)
        n_iter += done
        if (master.columns @ master.p).max() - (master.q @ master.columns).min() <= tol:
            break
        goal = 0.5 * master.gap
    p, q = master.p / master.p.sum(), master.q / master.q.sum()
    return p, q, n_iter, "iteration_limit" if n_iter >= max_iter else "stalled"


def _by_columns(
    game: Any, tol: float, max_iter: int
) -> tuple[FloatArray, FloatArray, int, str]:
    """Solve a large game by generating the choices of the player who has more."""
    turned = game.shape[0] > game.shape[1]
    source = TableColumns(-game.T if turned else game)
    found = solve_margin(source, np.ones(source.n_rows), tol=tol, max_rounds=max_iter)
    weights = np.zeros(max(game.shape))
    weights[np.array(found.keys, dtype=np.int64)] = found.weights
    p, q = (weights, found.p) if turned else (found.p, weights)
    failure = "iteration_limit" if found.status == "round_limit" else "stalled"
    return p, q, found.n_iter, failure
