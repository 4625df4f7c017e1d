"""Ratings (user, item, rating) and rankings, one row per item."""

import re
from typing import Any, Final

import numpy as np
import pandas as pd

from penchant.data._comparisons import Comparisons
from penchant.data._ratings import Rankings, Ratings
from penchant.data._reductions import pairs_of_ratings
from penchant.data.answers._common import (
    AnswerFile,
    NameBook,
    find_column,
    make_items,
    read_rows,
    users_of,
)
from penchant.data.answers._pairs import frame_rows
from penchant.exceptions import DataError

_LINE: Final = re.compile(r"^[-+.\deE]+\s+qid:\S+(\s+\d+:[-+.\deE]+)*\s*$")

Row = tuple[float, str, dict[int, float]]


def is_libsvm(text: str) -> bool:
    """Tell whether the first line that says something has a grade and a query."""
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    first = next((line for line in lines if line), "")
    return " qid:" in f" {first}" and not first.startswith("{")


def read_libsvm(text: str, book: NameBook) -> AnswerFile:
    """Read items with features and grades; those of one query are compared."""
    lines = [
        (k, line.split("#")[0].strip()) for k, line in enumerate(text.splitlines(), 1)
    ]
    rows = read_rows([(k, line) for k, line in lines if line], _row)
    columns = sorted({number for _, _, cells in rows for number in cells})
    if not columns:
        raise DataError(
            "No row has a feature; expected '1:0.5' and so on after the qid."
        )
    table = pd.DataFrame(
        {
            f"feature {number}": [cells.get(number, 0.0) for _, _, cells in rows]
            for number in columns
        }
    )
    groups: dict[str, list[int]] = {}
    for place, (_, query, _) in enumerate(rows):
        groups.setdefault(query, []).append(place)
    names = [""] * len(rows)
    parts, users = [], []
    for query, places in groups.items():
        for number, place in enumerate(places, 1):
            names[place] = f"query {query}, item {number}"
        grades = np.array([rows[place][0] for place in places])
        part = pairs_of_ratings(grades, np.array(places))
        parts.append(part)
        users += [query] * len(part[0])
    winners, losers, ties = (np.concatenate(part) for part in zip(*parts, strict=True))
    answers = Comparisons(winners, losers, ties=ties, users=np.array(users, dtype=str))
    items = make_items(table, names)
    return AnswerFile("libsvm with queries", answers, items.names, items)


def _row(line: str) -> Row:
    if not _LINE.match(line):
        raise DataError(
            f"{line[:40]!r} is not 'grade qid:number feature:value ...'; features are "
            "numbered and the qid comes second"
        )
    grade, query, *cells = line.split()
    pairs = [cell.split(":") for cell in cells]
    try:
        return float(grade), query[4:], {int(k): float(v) for k, v in pairs}
    except ValueError:
        raise DataError(f"{line[:40]!r} holds something that is not a number") from None


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
