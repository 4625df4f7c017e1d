"""Predictive regret matching plus: a first-order method for matrix games (PRL-5)."""

from typing import Any

import numpy as np

from penchant.rules.play._game_solution import GameSolution, check_game
from penchant.typing import FloatArray


def regret_matching(
    M: Any, *, tol: float = 1e-4, max_iter: int = 100_000
) -> GameSolution:
    """Solve a matrix game by predictive regret matching plus.

    Needs nothing but products with M and its transpose, so it suits sparse games that
    are too large to factorise anything. The players take turns; the strategies are
    averaged with quadratic weights.

    Parameters
    ----------
    M : array-like or sparse matrix of shape (n_rows, n_columns)
        What the row player pays to the column player.
    tol : float, default=1e-4
        Saddle gap to reach.
    max_iter : int, default=100_000
        Largest number of iterations; each costs two products with M.

    Returns
    -------
    GameSolution

    References
    ----------
    Farina, Kroer and Sandholm, "Faster game solving via predictive Blackwell
    approachability: connecting regret matching and mirror descent", AAAI 2021.

    Examples
    --------
    >>> from penchant.solvers import regret_matching
    >>> rock_paper_scissors = [[0.0, -1.0, 2.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]
    >>> solution = regret_matching(rock_paper_scissors, tol=1e-5)
    >>> solution.status, round(solution.value, 3)
    ('optimal', 0.083)
    """
    game = check_game(M)
    rows, columns = _Player(game.shape[0]), _Player(game.shape[1])
    gets = rows.strategy @ game
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        weight = float(n_iter * n_iter)
        columns.learn(gets, weight)
        pays = game @ columns.strategy
        rows.learn(-pays, weight)
        gets = rows.strategy @ game
        rows.credit(pays, weight)
        columns.credit(gets, weight)
        if (columns.credits.max() - rows.credits.min()) / columns.total <= tol:
            break
    return GameSolution.of(
        game, rows.average(), columns.average(), tol=tol, n_iter=n_iter
    )


class _Player:
    """One player: regrets, the strategy that they call for, and its average.

    Parameters
    ----------
    n_choices : int
    """

    def __init__(self, n_choices: int) -> None:
        self.strategy = np.full(n_choices, 1.0 / n_choices)
        self.credits = np.zeros(n_choices)
        self.total = 0.0
        self._regrets = np.zeros(n_choices)
        self._sum = np.zeros(n_choices)

    def learn(self, payoffs: FloatArray, weight: float) -> None:
        """Take payoffs of all choices; expect the same again; change the strategy."""
        regret = payoffs - payoffs @ self.strategy
        self._regrets = np.maximum(self._regrets + regret, 0.0)
        wish = np.maximum(self._regrets + regret, 0.0)
        total = wish.sum()
        if total > 0.0:
            self.strategy = wish / total
        self._sum += weight * self.strategy
        self.total += weight

    def credit(self, payoffs: FloatArray, weight: float) -> None:
        """Add up what the other player's average means for each choice."""
        self.credits += weight * payoffs

    def average(self) -> FloatArray:
        """Return the weighted average of the strategies."""
        mean: FloatArray = self._sum / self._sum.sum()
        return mean
