"""Ratings (user, item, rating) and rankings, one row per item."""

from typing import Any, Final

import numpy as np
import pandas as pd

from penchant.data._ratings import Rankings, Ratings
from penchant.data.answers._common import (
    AnswerFile,
    NameBook,
    find_column,
    read_rows,
    users_of,
)
from penchant.data.answers._pairs import frame_rows
from penchant.exceptions import DataError

ITEMS: Final = (
    "item",
    "item_id",
    "itemid",
    "movieid",
    "movie",
    "product",
    "product_id",
    "alternative",
    "option",
    "name",
)
RATINGS: Final = ("rating", "value", "score", "stars", "grade")


def read_ratings(frame: pd.DataFrame, book: NameBook) -> AnswerFile:
    """Read who rated which item how; weight may be there."""
    item, rating = (str(find_column(frame, words)) for words in (ITEMS, RATINGS))

    def rate(row: dict[str, Any]) -> tuple[int, float]:
        index = book.index(row[item], item)
        try:
            value = float(row[rating])
        except (TypeError, ValueError):
            value = float("nan")
        if not np.isfinite(value):
            raise DataError(
                f"column {rating!r} says {row[rating]!r}; expected a number, larger is "
                "better"
            )
        return index, value

    rated, values = zip(*read_rows(frame_rows(frame), rate), strict=True)
    weight = find_column(frame, ["weight"])
    weights = None if weight is None else frame[weight].to_numpy(float)
    return book.file("ratings", Ratings(rated, values, users_of(frame), weights))


def read_rankings(frame: pd.DataFrame, book: NameBook) -> AnswerFile:
    """Read columns ranking, place (1 is best) and item; user may be there."""
    columns = [find_column(frame, [word]) for word in ("ranking", "place", "item")]
    ranking, place, item = map(str, columns)
    users = users_of(frame)

    def entry(row: dict[str, Any]) -> tuple[Any, float, int]:
        try:
            order = float(row[place])
        except (TypeError, ValueError):
            order = float("nan")
        if np.isnan(order):
            raise DataError(
                f"column {place!r} says {row[place]!r}; expected a number, 1 is best"
            )
        return row[ranking], order, book.index(row[item], item)

    found = read_rows(frame_rows(frame), entry)
    lists: dict[Any, list[tuple[float, int]]] = {}
    who: dict[Any, Any] = {}
    for row, (key, order, index) in enumerate(found):
        lists.setdefault(key, []).append((order, index))
        who.setdefault(key, None if users is None else users[row])
    for key, entries in lists.items():
        if len({order for order, _ in entries}) < len(entries):
            raise DataError(
                f"Ranking {key!r} has two items in the same place. Rankings have no "
                "ties; ratings do."
            )
    orders = [[index for _, index in sorted(entries)] for entries in lists.values()]
    labels = None if users is None else np.array([who[key] for key in lists])
    return book.file("rankings", Rankings(orders, labels))
