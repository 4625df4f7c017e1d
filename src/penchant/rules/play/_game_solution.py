"""Matrix games: what a solver returns, and checks that all solvers share."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from penchant.exceptions import DataError
from penchant.typing import FloatArray, RandomState


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
