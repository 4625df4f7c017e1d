"""What readers of answers share: the result, names, and rows that are wrong."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from penchant.data._by_name import NameFinder
from penchant.data._comparisons import Comparisons
from penchant.data._items import Items
from penchant.data._ratings import BestWorst, Choices, Rankings, Ratings
from penchant.exceptions import DataError

Answers: TypeAlias = Comparisons | Ratings | Rankings | Choices | BestWorst
Made = TypeVar("Made")

USERS = (
    "user",
    "user_id",
    "userid",
    "participant",
    "respondent",
    "respondent_id",
    "person",
    "id",
    "judge",
    "rater",
    "voter",
)
"""Headers of the column that says who answered."""


@dataclass(frozen=True, eq=False)
class AnswerFile:
    """What a file of answers held.

    Parameters
    ----------
    format : str
        Its format, in words.
    answers : Comparisons, Ratings, Rankings, Choices or BestWorst
        By index of the items.
    names : tuple of str
        Names of the items.
    items : Items or None
        The items: those given, or those whose attributes the file holds.
    on_scale : bool
        Whether ratings are values on one scale for all people; otherwise they order
        the items of each person alone.
    """

    format: str
    answers: Answers
    names: tuple[str, ...]
    items: Items | None = None
    on_scale: bool = True

    def __len__(self) -> int:
        return len(self.answers)

    def to_comparisons(self) -> Comparisons:
        """Give the answers as comparisons of pairs."""
        is_pairs = isinstance(self.answers, Comparisons)
        return self.answers if is_pairs else self.answers.to_comparisons()  # type: ignore[union-attr,return-value]

    @property
    def told(self) -> Answers:
        """What models learn from: comparisons, where ratings have no common scale."""
        no_scale = isinstance(self.answers, Ratings) and not self.on_scale
        return self.to_comparisons() if no_scale else self.answers


class NameBook:
    """The items that answers name: given ones, or those that occur.

    Parameters
    ----------
    items : Items, sequence of str or None
        None: whatever occurs, in the order of appearance.
    """

    def __init__(self, items: Any) -> None:
        self.items = items if isinstance(items, Items) else None
        self._finder = None if items is None else NameFinder(items)
        self._seen: dict[str, int] = {}

    def index(self, value: Any, column: str) -> int:
        """Give the index of an item; the column is for the error."""
        name = text_of(value)
        if not name:
            raise DataError(
                f"column {column!r} is empty; the name of an item belongs here"
            )
        if self._finder is not None:
            return self._finder.find(name, f"column {column!r}")
        return self._seen.setdefault(name, len(self._seen))

    @property
    def names(self) -> tuple[str, ...]:
        """All names, by index."""
        return tuple(self._seen) if self._finder is None else self._finder.names

    def file(
        self, format: str, answers: Answers, *, on_scale: bool = True
    ) -> AnswerFile:
        """Give the result of reading."""
        return AnswerFile(format, answers, self.names, self.items, on_scale)


def text_of(value: Any) -> str:
    """Give a cell as text; whole numbers without a point, nothing for a gap."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def read_rows(
    rows: Iterable[tuple[Any, Any]], make: Callable[[Any], Made]
) -> list[Made]:
    """Make something of each numbered row, or say which rows are wrong and how many.

    Parameters
    ----------
    rows : iterable of (row number, row)
    make : callable
        Raises DataError for a row that is wrong.
    """
    made: list[Made] = []
    problems: list[str] = []
    for number, row in rows:
        try:
            made.append(make(row))
        except DataError as error:
            problems.append(f"Row {number}: {error}")
    if problems:
        more = f" {len(problems) - 1} more rows are wrong, too." if problems[1:] else ""
        raise DataError(f"{problems[0].rstrip('.')}.{more}")
    if not made:
        raise DataError("The file has no answers: there are no rows below the header.")
    return made


def find_column(frame: pd.DataFrame, names: Sequence[str]) -> str | None:
    """Find the column with one of these headers, in any case."""
    headers = {str(column).strip().lower(): str(column) for column in frame.columns}
    return next((headers[name] for name in names if name in headers), None)


def users_of(frame: pd.DataFrame) -> Any:
    """Give who answered each row; None if no column says so."""
    column = find_column(frame, USERS)
    if column is None:
        return None
    gaps = frame.index[frame[column].isna()]
    if len(gaps):
        raise DataError(
            f"Row {gaps[0]}: column {column!r} is empty; it says who answered. Fill "
            "it, or leave the column out."
        )
    return np.array([text_of(value) for value in frame[column]])


def make_items(frame: pd.DataFrame, names: Sequence[str]) -> Items:
    """Make items of attributes that a file holds; nobody said what is better."""
    items = Items.from_frame(frame.reset_index(drop=True), names=list(names))
    attributes = tuple(replace(each, direction="unknown") for each in items.attributes)
    return Items(items.frame, attributes, items.names)
