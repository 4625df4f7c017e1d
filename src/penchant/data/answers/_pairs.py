"""Pairs: winner and loser, battles with ties, and chosen/rejected records."""

import json
from typing import Any, Final

import pandas as pd

from penchant.data._comparisons import Comparisons
from penchant.data.answers._common import (
    AnswerFile,
    NameBook,
    find_column,
    read_rows,
    users_of,
)
from penchant.exceptions import DataError

_SIDES: Final = (
    ("model_a", "model_b"),
    ("item_a", "item_b"),
    ("option_a", "option_b"),
    ("a", "b"),
    ("left", "right"),
)
_RESULTS: Final = ("winner", "result", "answer", "choice", "preferred")
_TIES: Final = {"tie", "draw", "equal", "both", "tie (bothbad)", "bothbad", "both bad"}


def read_pairs(frame: pd.DataFrame, book: NameBook) -> AnswerFile:
    """Read columns winner and loser; tie and weight may be there."""
    columns = [find_column(frame, [word]) or word for word in ("winner", "loser")]
    tie = find_column(frame, ["tie"])

    def pair(row: dict[str, Any]) -> tuple[int, int, bool]:
        winner, loser = (book.index(row[column], column) for column in columns)
        if winner == loser:
            raise DataError(f"{row[columns[0]]!r} is compared with itself")
        return winner, loser, _is_true(row[tie]) if tie else False

    found = read_rows(frame_rows(frame), pair)
    return book.file("pairs", _comparisons(found, frame))


def sides_of(frame: pd.DataFrame) -> tuple[str, str, str] | None:
    """Find the columns of the two sides of a battle and of its result."""
    for names in _SIDES:
        first, second = (find_column(frame, [name]) for name in names)
        result = find_column(frame, _RESULTS)
        if first and second and result:
            return first, second, result
    return None


def read_battles(frame: pd.DataFrame, book: NameBook) -> AnswerFile:
    """Read two sides and which of them won: by side or by name; ties, both bad."""
    columns = sides_of(frame)
    assert columns is not None  # that is how the format was recognised
    first, second, result = columns

    def battle(row: dict[str, Any]) -> tuple[int, int, bool]:
        sides = book.index(row[first], first), book.index(row[second], second)
        if sides[0] == sides[1]:
            raise DataError(f"{row[first]!r} is compared with itself")
        said = str(row[result]).strip()
        if said.lower() in _TIES:
            return (*sides, True)
        winners = ({first.lower(), str(row[first])}, {second.lower(), str(row[second])})
        for place, words in enumerate(winners):
            if said in words or said.lower() in words:
                return sides[place], sides[1 - place], False
        raise DataError(
            f"column {result!r} says {said!r}; expected {first!r}, {second!r}, the "
            "name of one of the two, 'tie' or 'tie (bothbad)'"
        )

    found = read_rows(frame_rows(frame), battle)
    return book.file("battles", _comparisons(found, frame))


def read_records(text: str, book: NameBook) -> AnswerFile:
    """Read JSON lines with chosen and rejected."""

    def record(line: str) -> tuple[int, int, bool]:
        try:
            values = json.loads(line)
        except ValueError:
            raise DataError(
                "this is not JSON; every line is an object with 'chosen' and 'rejected'"
            ) from None
        if not isinstance(values, dict) or not {"chosen", "rejected"} <= set(values):
            raise DataError("expected an object with 'chosen' and 'rejected'")
        both = [
            book.index(_last(values[word]), word) for word in ("chosen", "rejected")
        ]
        if both[0] == both[1]:
            raise DataError("chosen and rejected are the same")
        return both[0], both[1], False

    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip()]
    found = read_rows(lines, record)
    return book.file("chosen and rejected records", _comparisons(found, None))


def frame_rows(frame: pd.DataFrame) -> Any:
    """Give row numbers and rows as dictionaries."""
    columns = {name: frame[name].tolist() for name in frame.columns}
    rows = zip(*columns.values(), strict=True)
    names = list(columns)
    return [
        (number, dict(zip(names, row, strict=True)))
        for number, row in zip(frame.index, rows, strict=True)
    ]


def _last(value: Any) -> Any:
    """Give the text of a message, or of the last message of a conversation."""
    if isinstance(value, list) and value and isinstance(value[-1], dict):
        return value[-1].get("content", "")
    return value


def _is_true(value: Any) -> bool:
    return str(value).strip().lower() in ("true", "1", "1.0", "yes")


def _comparisons(found: list[tuple[int, int, bool]], frame: Any) -> Comparisons:
    winners, losers, ties = zip(*found, strict=True)
    weight = None if frame is None else find_column(frame, ["weight"])
    return Comparisons(
        winners,
        losers,
        ties=list(ties),
        users=None if frame is None else users_of(frame),
        weights=None if weight is None else frame[weight].to_numpy(float),
    )
