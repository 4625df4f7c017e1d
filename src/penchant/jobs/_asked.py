"""What a job is asked to learn, and how its files are read."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Self

import pandas as pd

from penchant.data import inspect_table, read_answers, read_table
from penchant.exceptions import DataError, FormatError
from penchant.learning import (
    CANDIDATES,
    LearningTable,
    find_target,
    read_learning_files,
)
from penchant.studies import Store

KINDS: Final = ("auto", "numbers", "classes", "grades", "comparisons")

_TARGETS: Final = (
    "target",
    "label",
    "class",
    "rating",
    "score",
    "grade",
    "y",
    "note",
    "klasse",
    "bewertung",
    "classe",
)
"""Headers of columns that people want to have predicted, in three languages."""


@dataclass(frozen=True)
class JobSettings:
    """What a job is asked to learn.

    Parameters
    ----------
    target : str
        The column that is predicted; empty: answers tell what is better.
    kind : str
        What it holds; "auto": found out.
    up, down, skip : tuple of str
        Columns of which more is better, or less, or that are left out.
    candidates : tuple of str
        Names of models to compare; empty: all.
    n_folds : int
    chosen : str
        The model that is shown first and downloaded; empty: the recommended one.
    table, answers : str
        Names of the files; empty: there is none.
    """

    target: str = ""
    kind: str = "auto"
    up: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    n_folds: int = 5
    chosen: str = ""
    table: str = ""
    answers: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise DataError(f"kind must be one of {', '.join(KINDS)}. Got {self.kind}.")
        for name in (*self.candidates, *filter(None, [self.chosen])):
            if name not in CANDIDATES:
                known = ", ".join(CANDIDATES)
                raise DataError(f"There is no candidate {name!r}. There are: {known}.")
        if not 2 <= self.n_folds <= 10:
            raise DataError(f"n_folds must be 2 to 10. Got {self.n_folds}.")

    def to_dict(self) -> dict[str, Any]:
        """Give the settings as plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make settings of what `to_dict` gave; what is unknown is left out."""
        known: dict[str, Any] = {}
        for each in fields(cls):
            if each.name in values:
                value = values[each.name]
                known[each.name] = tuple(value) if isinstance(value, list) else value
        try:
            return cls(**known)
        except TypeError as error:
            raise FormatError(f"The settings cannot be read: {error}.") from None


@dataclass(frozen=True)
class TargetGuess:
    """What could be learned from uploaded files.

    Parameters
    ----------
    columns : tuple of (str, str)
        Columns of the table that could be predicted or learned from, with a few of
        their values.
    target : str
        The one that is probably meant; empty: there are answers, or no column does.
    kind : str
        What it holds.
    n_rows : int
        Rows of the table.
    n_answers : int
        Answers in their file.
    format : str
        What kind of answers they are; empty: there are none.
    """

    columns: tuple[tuple[str, str], ...]
    target: str
    kind: str
    n_rows: int
    n_answers: int
    format: str


def guess_target(
    table: bytes | None,
    answers: bytes | None,
    filename: str = "",
    *,
    target: str = "",
    **limits: Any,
) -> TargetGuess:
    """Look at files, and guess what is to be learned from them.

    Parameters
    ----------
    table, answers : bytes or None
        At least one of them.
    filename : str
        Of the table.
    target : str
        What somebody chose already; empty: guess.
    **limits : int
        ``max_rows``, ``max_columns`` and ``max_bytes`` of the table.

    Raises
    ------
    DataError
        A file cannot be read; rows are named.
    """
    if table is None and answers is None:
        raise DataError("Choose a file: a table with a target, or answers.")
    columns: list[tuple[str, str]] = []
    n_rows, kind = 0, ""
    n_answers, form = 0, ""
    items = None
    if table is not None:
        read = read_table(table, filename or None, **limits)
        guess = inspect_table(read)
        n_rows = len(read.cells)
        columns = [
            (str(column), _sample(read.cells[column]))
            for column in read.cells.columns
            if column != guess.name_column
        ]
        if answers is None:
            if len(columns) < 2:
                raise DataError(
                    "The table needs a column to predict and at least one to learn "
                    f"from, beside names. It has {len(columns)}."
                )
            target = target or _likely([name for name, _ in columns])
            kind = kind_of(table, target, filename, **limits) if target else ""
        else:
            items = read_learning_files(
                table, answers, filename=filename or None, **limits
            ).items
    if answers is not None:
        target = ""
        found = read_answers(answers, items)
        n_answers, form = len(found), found.format
        check_size(found.items if items is None else items, n_answers, limits)
    return TargetGuess(tuple(columns), target, kind, n_rows, n_answers, form)


def check_size(items: Any, n_answers: int, limits: Mapping[str, int]) -> None:
    """Refuse more answers, or more items in their file, than a table may have rows."""
    most = limits.get("max_rows")
    n_items = 0 if items is None else len(items)
    if most is not None and max(n_items, n_answers // 10) > most:
        raise DataError(
            f"There are {n_answers:,} answers about {n_items:,} items; {10 * most:,} "
            f"answers about {most:,} items are taken. Keep those that matter."
        )


def kind_of(
    table: bytes,
    target: str,
    filename: str = "",
    *,
    strict: bool = False,
    **limits: Any,
) -> str:
    """Find out what a column holds; empty, or an error: nothing to predict."""
    try:
        read = read_learning_files(
            table, None, target=target, filename=filename or None, **limits
        )
        return find_target(read.items, read.target).kind
    except DataError:
        if strict:
            raise
        return ""


def _sample(column: pd.Series) -> str:
    """Give the first few different values of a column."""
    texts = dict.fromkeys(str(value)[:20] for value in column.dropna().head(50))
    return ", ".join(list(texts)[:3])


def _likely(names: list[str]) -> str:
    """Give the column with a telling header, else the last."""
    words = {name.strip().lower(): name for name in names}
    for word in _TARGETS:
        if word in words:
            return words[word]
    for word in _TARGETS:
        for plain, name in words.items():
            if len(word) > 1 and plain.endswith(word):
                return name
    return names[-1] if names else ""


def read_job(
    store: Store, job_id: str, settings: JobSettings, **limits: Any
) -> LearningTable:
    """Read what a job learns from."""
    return read_learning_files(
        store.job_part(job_id, "table"),
        store.job_part(job_id, "answers"),
        target=settings.target or None,
        up=settings.up,
        down=settings.down,
        skip=settings.skip,
        filename=settings.table or None,
        **limits,
    )
