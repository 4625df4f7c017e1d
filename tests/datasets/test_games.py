"""Boards and hands, against the rules of the games."""

from pathlib import Path

import numpy as np
import pandas as pd

from penchant.datasets import make_tic_tac_toe

ROWS = ("012", "345", "678", "036", "147", "258", "048", "246")


def _winner(board: str) -> str | None:
    for line in ROWS:
        marks = {board[int(square)] for square in line}
        if len(marks) == 1 and marks != {"b"}:
            return marks.pop()
    return None


def _play(board: str, player: str, final: dict[str, bool]) -> None:
    """Follow every legal game to its end."""
    if _winner(board) or "b" not in board:
        final[board] = _winner(board) == "x"
        return
    for square in range(9):
        if board[square] == "b":
            after = board[:square] + player + board[square + 1 :]
            if after not in final:
                _play(after, "o" if player == "x" else "x", final)


def test_tic_tac_toe_has_the_boards_that_playing_reaches() -> None:
    played: dict[str, bool] = {}
    _play("b" * 9, "x", played)
    table = make_tic_tac_toe().frame
    made = {"".join(row[:9]): bool(row[9]) for row in table.to_numpy()}
    assert made == played
    assert (len(made), sum(made.values())) == (958, 626)


def test_tic_tac_toe_features_spell_the_board() -> None:
    boards = make_tic_tac_toe()
    assert boards.feature_names[:3] == ["top_left=b", "top_left=o", "top_left=x"]
    for name in boards.feature_names:
        square, mark = name.split("=")
        expected = (boards.frame[square] == mark).astype(float)
        np.testing.assert_array_equal(boards.data[name], expected)


def test_tic_tac_toe_equals_the_shared_file(shared_data: Path) -> None:
    stored = pd.read_csv(shared_data / "rules" / "tic_tac_toe.csv")
    assert stored.to_numpy().tolist() == make_tic_tac_toe().frame.to_numpy().tolist()
