"""Tic-tac-toe, whose boards can be labelled by its rules."""

from itertools import product

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from penchant.typing import BoolArray, IntArray

_SQUARES = tuple(
    f"{row}_{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
_MARKS = ("b", "o", "x")  # blank, nought, cross
_GRID = np.arange(9).reshape(3, 3)
_LINES = np.vstack([_GRID, _GRID.T, _GRID.diagonal(), _GRID[:, ::-1].diagonal()])


def make_tic_tac_toe() -> Bunch:
    """Enumerate the final boards of tic-tac-toe and say whether x won.

    A cross moves first. A board is final when one player has three in a row or
    all squares are taken. Whether x won is one rule: the "or" of eight "ands" of
    three squares.

    Returns
    -------
    Bunch
        ``data``, DataFrame of shape (958, 27): one 0/1 column per square and mark,
        such as ``top_left=x``, in the order blank, o, x within a square;
        ``target``, Series of shape (958,): 1 where x won (626 boards) else 0;
        ``feature_names``; ``frame``, DataFrame of shape (958, 10): the nine squares
        with b, o or x, and ``x_wins``.

    Examples
    --------
    >>> from penchant.datasets import make_tic_tac_toe
    >>> boards = make_tic_tac_toe()
    >>> boards.data.shape, int(boards.target.sum())
    ((958, 27), 626)
    """
    boards = np.array(list(product(range(3), repeat=9)))
    noughts, crosses = (boards == 1).sum(axis=1), (boards == 2).sum(axis=1)
    o_wins, x_wins = _has_line(boards, 1), _has_line(boards, 2)
    final = np.select(
        [x_wins, o_wins],
        [~o_wins & (crosses == noughts + 1), crosses == noughts],
        (crosses == 5) & (noughts == 4),
    )
    boards, x_wins = boards[final], x_wins[final]
    names = [f"{square}={mark}" for square in _SQUARES for mark in _MARKS]
    one_hot = np.eye(3)[boards].reshape(len(boards), -1)
    frame = pd.DataFrame(np.array(_MARKS)[boards], columns=list(_SQUARES))
    target = pd.Series(x_wins.astype(np.int64), name="x_wins")
    return Bunch(
        data=pd.DataFrame(one_hot, columns=names),
        target=target,
        feature_names=names,
        frame=frame.assign(x_wins=target),
    )


def _has_line(boards: IntArray, mark: int) -> BoolArray:
    return (boards[:, _LINES] == mark).all(axis=2).any(axis=1)
