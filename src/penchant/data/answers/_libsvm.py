"""Ranking files of the libsvm family: ``grade qid:7 1:0.5 3:2 # comment``."""

import re
from typing import Final

import numpy as np
import pandas as pd

from penchant.data._comparisons import Comparisons
from penchant.data._reductions import pairs_of_ratings
from penchant.data.answers._common import AnswerFile, NameBook, make_items, read_rows
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
