"""Problem: one thing that is wrong or doubtful in a table, and where."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from penchant.exceptions import DataError
from penchant.typing import IntArray


@dataclass(frozen=True)
class Problem:
    """Something that a person should look at.

    Parameters
    ----------
    message : str
        One sentence: what is there and what was expected.
    row : int, optional
        Row as a spreadsheet counts: the header is row 1. For data that did not
        come from a file, the position from 0.
    column : str, optional
        Column name.
    severity : {"error", "warning"}
        Whether the table cannot be used, or can be but may surprise.
    kind : str
        What sort of problem it is, for those who say it in another language.
    facts : mapping of str to object
        What such a sentence names.
    """

    message: str
    row: int | None = None
    column: str | None = None
    severity: Literal["error", "warning"] = "error"
    kind: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        place = []
        if self.row is not None:
            place.append(f"row {self.row}")
        if self.column is not None:
            place.append(f"column {self.column!r}")
        text = ", ".join(place)
        return f"{text[:1].upper()}{text[1:]}: {self.message}" if text else self.message

    def to_dict(self) -> dict[str, Any]:
        """Give the problem as plain values for JSON."""
        names = ("severity", "row", "column", "message")
        return {name: getattr(self, name) for name in names}


class TableError(DataError):
    """A table cannot be used; says the first problem and how many more there are.

    Parameters
    ----------
    problems : sequence of Problem
        At least one.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        n_more = len(self.problems) - 1
        more = f" (and {n_more} more problems)" if n_more else ""
        super().__init__(f"{self.problems[0]}{more}")


def raise_first(problems: Sequence[Problem]) -> None:
    """Raise the first error, if there are any."""
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise TableError(errors)


def row_numbers(index: pd.Index) -> IntArray:
    """Give the row numbers to name in problems: the index if whole, else positions."""
    if pd.api.types.is_integer_dtype(index):
        return index.to_numpy(np.int64)
    return np.arange(len(index))


def name_problems(names: tuple[str, ...], rows: pd.Index) -> list[Problem]:
    """Find names that are empty or stand twice."""
    if len(set(names)) == len(names) and all(map(str.strip, names)):
        return []
    problems = []
    seen: dict[str, Any] = {}
    for row, name in zip(row_numbers(rows), names, strict=True):
        if not name.strip():
            problems.append(Problem("the item has no name", int(row), kind="no_name"))
        elif name in seen:
            message = f"the name {name!r} stands in row {seen[name]} already"
            facts = {"name": name, "first": int(seen[name])}
            problems.append(Problem(message, int(row), kind="same_name", facts=facts))
        seen.setdefault(name, row)
    return problems
