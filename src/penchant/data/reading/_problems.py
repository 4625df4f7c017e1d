"""Problem: one thing that is wrong or doubtful in a table, and where."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
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
    """

    message: str
    row: int | None = None
    column: str | None = None
    severity: Literal["error", "warning"] = "error"

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
        return asdict(self)


def raise_first(problems: Sequence[Problem]) -> None:
    """Raise the first error, and say how many more there are."""
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        more = f" (and {len(errors) - 1} more problems)" if len(errors) > 1 else ""
        raise DataError(f"{errors[0]}{more}")


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
            problems.append(Problem("the item has no name", int(row)))
        elif name in seen:
            message = f"the name {name!r} stands in row {seen[name]} already"
            problems.append(Problem(message, int(row)))
        seen.setdefault(name, row)
    return problems
