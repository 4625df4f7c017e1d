"""What is to be predicted: numbers, classes, ordered grades or comparisons."""

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from penchant.data import (
    BestWorst,
    Choices,
    Comparisons,
    Items,
    Rankings,
    Ratings,
    check_items_exist,
    inspect_table,
)
from penchant.exceptions import DataError
from penchant.typing import FloatArray, IntArray

Kind: TypeAlias = Literal["numbers", "classes", "grades", "comparisons"]

_MOST_GRADES: Final = 10
_MOST_CLASSES: Final = 50
_LARGEST: Final = 1e100
"""Squares of larger numbers cannot be added up."""
_FEWEST: Final = 10
"""Answers below which nothing can be held out."""


@dataclass(frozen=True, eq=False)
class Target:
    """What was said of items, ready to be cut into folds.

    Parameters
    ----------
    kind : {"numbers", "classes", "grades", "comparisons"}
    items : Items
        The rows; of comparisons, the items that they speak of.
    values : ndarray of shape (n_rows,), or Comparisons
        Numbers; places in `labels`; or the comparisons.
    labels : ndarray
        The classes, or the grades from the lowest to the highest; else empty.
    groups : ndarray of int of shape (n_rows,)
        Rows of the same group are held out together: all that one answer says.
    """

    kind: Kind
    items: Items
    values: Any
    labels: Any
    groups: IntArray

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def order(self) -> FloatArray:
        """A number per row along which folds are made alike."""
        is_pairs = isinstance(self.values, Comparisons)
        return np.zeros(len(self)) if is_pairs else np.asarray(self.values, float)


def find_target(X: Any, y: Any, kind: str = "auto") -> Target:
    """Find out what kind of target it is.

    Text, and two whole numbers, are classes, unless the texts are a familiar scale
    such as low, medium, high: then they are grades, as are 3 to 10 whole numbers. Other
    numbers are numbers. Rankings and choices are comparisons.
    """
    if kind not in ("auto", *get_args(Kind)):
        known = ", ".join(map(repr, get_args(Kind)))
        raise DataError(f"kind must be 'auto' or one of {known}. Got {kind!r}.")
    items = _as_items(X)
    if isinstance(y, Comparisons | Choices | Rankings | BestWorst):
        target = _compared(items, y)
    elif isinstance(y, Ratings):
        check_items_exist(1 + int(y.items.max(initial=-1)), len(items))
        names = tuple(f"rating {row}" for row in range(1, len(y) + 1))
        rated = items.with_rows(items.frame.iloc[y.items], names)
        target = _told(rated, pd.Series(y.values), kind, np.asarray(y.items))
    else:
        target = _told(items, _column(y, len(items)), kind, np.arange(len(items)))
    if kind not in ("auto", target.kind):
        raise DataError(
            f"kind={kind!r} does not fit: the target has {target.kind}. "
            "Leave it out, or give another column."
        )
    return target


def _check_number(groups: IntArray) -> None:
    n_groups = len(np.unique(groups))
    if n_groups < _FEWEST:
        raise DataError(
            f"Comparing models needs at least {_FEWEST} answers or rows, so that some "
            f"can be held out. Got {n_groups}."
        )


def _as_items(X: Any) -> Items:
    if isinstance(X, Items):
        return X
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    if not isinstance(X, pd.DataFrame):
        frame.columns = [f"x{i}" for i in range(frame.shape[1])]
    names = [f"row {row}" for row in range(1, len(frame) + 1)]
    items = Items.from_frame(frame, names=names)
    # Nobody said which way is better: words in headers are no reason to believe it.
    attributes = [replace(each, direction="unknown") for each in items.attributes]
    return Items(items.frame, tuple(attributes), items.names)


def _column(y: Any, n_rows: int) -> pd.Series:
    column = y.reset_index(drop=True) if isinstance(y, pd.Series) else pd.Series(y)
    if len(column) != n_rows:
        raise DataError(
            f"y must have one value per row of X ({n_rows}). Got {len(column)}."
        )
    gaps = np.flatnonzero(column.isna())
    if gaps.size:
        raise DataError(
            f"The target is missing in {gaps.size} rows, first in row {gaps[0] + 1}. "
            "Leave these rows out; `penchant predict` fills them in afterwards."
        )
    return column


def _compared(items: Items, y: Any) -> Target:
    """Give the comparisons that answers consist of; one answer is one group."""
    if isinstance(y, Comparisons):
        pairs, groups = y, np.arange(len(y))
    else:
        pairs = y.with_users(np.arange(len(y))).to_comparisons()
        groups = np.asarray(pairs.users)
    check_items_exist(pairs.n_items, len(items))
    clear = np.flatnonzero(~pairs.ties)
    _check_number(groups[clear])
    return Target(
        "comparisons", items, pairs.take(clear).pooled(), np.zeros(0), groups[clear]
    )


def _told(items: Items, column: pd.Series, kind: str, groups: IntArray) -> Target:
    _check_number(groups)
    levels = _levels(column)
    found = _guess(column, levels) if kind == "auto" else kind
    _check_levels(column, levels, found)
    if found == "numbers":
        numbers = column.to_numpy(np.float64)
        return Target("numbers", items, numbers, np.zeros(0), groups)
    codes = pd.Categorical(column.astype(object), levels).codes.astype(np.int64)
    checked: Any = "grades" if found == "grades" else "classes"
    return Target(checked, items, codes, np.asarray(levels), groups)


def _check_levels(column: pd.Series, levels: list[Any], kind: str) -> None:
    """Refuse a target of which nothing can be learned."""
    name = f"The target {column.name!r}" if column.name is not None else "The target"
    if len(levels) < 2:
        raise DataError(
            f"{name} is {levels[0]!s} in all rows, so that there is nothing to learn. "
            "Is it the right column?"
        )
    if kind == "numbers":
        if not is_numeric_dtype(column) or is_bool_dtype(column):
            raise DataError(
                "kind='numbers' needs a column of numbers. Got "
                f"{column.iloc[0]!r} in the first row."
            )
        numbers = column.to_numpy(np.float64)
        wrong = np.flatnonzero(~(np.abs(numbers) < _LARGEST))
        if wrong.size:
            raise DataError(
                f"{name} must have numbers below {_LARGEST:g}. Row {wrong[0] + 1} "
                f"has {numbers[wrong[0]]:g}."
            )
        return
    if len(levels) > _MOST_CLASSES:
        raise DataError(
            f"{name} must have 2 to {_MOST_CLASSES} different classes or grades. It "
            f"has {len(levels)}, such as {levels[0]!s} and {levels[1]!s}. If it names "
            "rows, choose another column."
        )
    counts = column.value_counts()
    if len(column) - counts.iloc[0] < 2:
        raise DataError(
            f"{name} is {counts.index[0]!s} in all rows but one. At least two must "
            "differ, so that one can be held out."
        )


def _levels(column: pd.Series) -> list[Any]:
    """Give the different values in their order: of a scale, else sorted."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        used = set(column)
        return [level for level in column.cat.categories if level in used]
    values = sorted(set(column.tolist()), key=lambda v: (isinstance(v, str), v))
    if any(isinstance(value, str) for value in values):
        return _scale(column) or values
    return values


def _scale(column: pd.Series) -> list[str]:
    """Give the levels of a familiar scale that a column uses; empty: it is none."""
    guessed = inspect_table(pd.DataFrame({"target": column.astype(str)})).attributes
    scale = guessed[0].levels if guessed and guessed[0].kind == "ordinal" else ()
    used = set(column)
    return [level for level in scale if level in used]


def _guess(column: pd.Series, levels: list[Any]) -> str:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return "grades" if column.cat.ordered and len(levels) > 2 else "classes"
    if is_bool_dtype(column) or len(levels) == 2:
        return "classes"
    if is_numeric_dtype(column):
        whole = all(float(value).is_integer() for value in levels)
        is_few = whole and len(levels) <= _MOST_GRADES
        return "grades" if is_few and len(levels) > 2 else "numbers"
    return "grades" if _scale(column) else "classes"
