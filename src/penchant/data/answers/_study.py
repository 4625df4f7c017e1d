"""The answers of a study, as `penchant export --format csv` writes them."""

import re
from typing import Any, Final

import numpy as np
import pandas as pd

from penchant.data._comparisons import Comparisons
from penchant.data._ratings import BestWorst, Rankings, Ratings
from penchant.data.answers._choices import slots_of
from penchant.data.answers._common import AnswerFile, NameBook, read_rows, text_of
from penchant.data.answers._pairs import frame_rows
from penchant.exceptions import DataError

_BEST_WORST: Final = re.compile(r"^(item_\d+) best, (item_\d+) worst$")
_PAIRS: Final = {"left": (0, 1, False), "right": (1, 0, False), "tie": (0, 1, True)}

Told = tuple[str, list[int], Any]
"""The kind of an answer, the items shown, and what was said of them."""


def read_study(frame: pd.DataFrame, book: NameBook) -> AnswerFile:
    """Read pairs, ratings, rankings, best and worst; skipped questions say nothing.

    Ratings alone stay ratings; everything else becomes comparisons.
    """
    slots = slots_of(frame)

    def answer(row: dict[str, Any]) -> Told:
        filled = [slot for slot in slots if text_of(row[slot])]
        shown = {slot: book.index(row[slot], slot) for slot in filled}
        return _told(text_of(row["answer"]), shown)

    told = read_rows(frame_rows(frame), answer)
    people = [text_of(value) for value in frame["participant"]]
    kept = [(who, each) for who, each in zip(people, told, strict=True) if each[0]]
    if not kept:
        raise DataError("The file has no answers: all questions were skipped.")
    if all(each[0] == "rating" for _, each in kept):
        return book.file("answers of a study", _rated(kept))
    return book.file("answers of a study", _compared(kept))


def _told(said: str, shown: dict[str, int]) -> Told:
    items = list(shown.values())
    if said in ("skip", "neither", ""):  # nothing about their order
        return "", items, None
    if said in _PAIRS and len(items) == 2:
        return "pair", items, _PAIRS[said]
    ends = _BEST_WORST.match(said)
    if ends and {ends[1], ends[2]} <= set(shown):
        return "best-worst", items, (shown[ends[1]], shown[ends[2]])
    places = said.split(" > ")
    if len(places) > 1 and set(places) <= set(shown):
        return "ranking", items, [shown[place] for place in places]
    try:
        return "rating", items[:1], float(said)
    except ValueError:
        raise DataError(
            f"column 'answer' says {said!r}; expected left, right, tie, skip, a "
            "number, 'item_2 > item_1' or 'item_1 best, item_2 worst'"
        ) from None


def _rated(kept: list[tuple[str, Told]]) -> Ratings:
    return Ratings(
        [items[0] for _, (_, items, _) in kept],
        [value for _, (_, _, value) in kept],
        np.array([who for who, _ in kept]),
    )


def _compared(kept: list[tuple[str, Told]]) -> Comparisons:
    parts = []
    rated = [each for each in kept if each[1][0] == "rating"]
    if rated:
        parts.append(_rated(rated).to_comparisons())
    for who, (kind, items, said) in kept:
        user = np.array([who])
        if kind == "pair":
            first, second, tie = said
            parts.append(Comparisons([items[first]], [items[second]], [tie], user))
        elif kind == "best-worst":
            answer = BestWorst([items], [said[0]], [said[1]], user)
            parts.append(answer.to_comparisons())
        elif kind == "ranking":
            parts.append(Rankings([said], user).to_comparisons())
    return Comparisons(
        np.concatenate([part.winners for part in parts]),
        np.concatenate([part.losers for part in parts]),
        ties=np.concatenate([part.ties for part in parts]),
        users=np.concatenate([part.users for part in parts]),
    )
