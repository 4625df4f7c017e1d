"""Sets of items in one row: what was chosen of them, or best and worst (MaxDiff)."""

import re
from typing import Any, Final

import pandas as pd

from penchant.data._best_worst import BestWorst
from penchant.data._ratings import Choices
from penchant.data.answers._common import (
    AnswerFile,
    NameBook,
    find_column,
    read_rows,
    text_of,
    users_of,
)
from penchant.data.answers._pairs import frame_rows
from penchant.exceptions import DataError

CHOSEN: Final = ("chosen", "choice", "selected", "pick")
_SLOT: Final = re.compile(r"^(item|option|alt|alternative)[ _.]?\d+$", re.IGNORECASE)


def slots_of(frame: pd.DataFrame) -> list[str]:
    """Find the columns item_1, item_2 and so on."""
    return [str(name) for name in frame.columns if _SLOT.match(str(name))]


def read_sets(frame: pd.DataFrame, book: NameBook) -> AnswerFile:
    """Read item_1, item_2, ... and which of them was chosen: its name or place."""
    chosen = str(find_column(frame, CHOSEN))
    slots = slots_of(frame)

    def choice(row: dict[str, Any]) -> tuple[list[int], int]:
        offered = _offered(row, slots, book)
        return offered, _picked(row, chosen, slots, offered, book)

    sets, picks = zip(*read_rows(frame_rows(frame), choice), strict=True)
    return book.file("choices", Choices(sets, picks, users_of(frame)))


def read_best_worst(frame: pd.DataFrame, book: NameBook) -> AnswerFile:
    """Read item_1, item_2, ... and which of them was best, and which worst."""
    best, worst = (str(find_column(frame, [word])) for word in ("best", "worst"))
    slots = slots_of(frame)

    def answer(row: dict[str, Any]) -> tuple[list[int], int, int]:
        shown = _offered(row, slots, book)
        ends = [_picked(row, column, slots, shown, book) for column in (best, worst)]
        if ends[0] == ends[1]:
            raise DataError(f"the same item is called {best!r} and {worst!r}")
        return shown, ends[0], ends[1]

    sets, tops, bottoms = zip(*read_rows(frame_rows(frame), answer), strict=True)
    return book.file("best and worst", BestWorst(sets, tops, bottoms, users_of(frame)))


def _offered(row: dict[str, Any], slots: list[str], book: NameBook) -> list[int]:
    found = [book.index(row[slot], slot) for slot in slots if text_of(row[slot])]
    if len(found) < 2:
        raise DataError(f"expected two items or more in columns {slots[0]!r} and so on")
    if len(set(found)) < len(found):
        raise DataError("an item is shown twice")
    return found


def _picked(
    row: dict[str, Any],
    column: str,
    slots: list[str],
    shown: list[int],
    book: NameBook,
) -> int:
    """Find the item that a cell names, by name or by the place where it stood."""
    said = text_of(row[column])
    filled = [slot for slot in slots if text_of(row[slot])]
    for slot, index in zip(filled, shown, strict=True):
        if said == text_of(row[slot]):
            return index
    for slot, index in zip(filled, shown, strict=True):
        if said.lower() == slot.lower() or said == re.sub(r"\D", "", slot):
            return index
    raise DataError(
        f"column {column!r} says {said!r}, which is not among the items shown; "
        "expected the name of one of them, or its place"
    )
