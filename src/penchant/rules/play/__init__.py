"""Game play as in the paper: fictitious play, random replacement, matrix games."""

from penchant.rules.play._fictitious_play import fictitious_play
from penchant.rules.play._game_solution import GameSolution
from penchant.rules.play._matrix_games import solve_matrix_game
from penchant.rules.play._matrix_source import MatrixSource
from penchant.rules.play._random_replacement import replace_randomly

__all__ = [
    "GameSolution",
    "MatrixSource",
    "fictitious_play",
    "replace_randomly",
    "solve_matrix_game",
]
