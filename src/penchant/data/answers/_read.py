"""read_answers: answers from files of the field, recognised by what is in them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pandas as pd

from penchant.data.answers._choices import (
    CHOSEN,
    TASKS,
    read_best_worst,
    read_long,
    read_sets,
    read_wide,
    slots_of,
    wide_columns,
)
from penchant.data.answers._common import AnswerFile, NameBook, find_column
from penchant.data.answers._libsvm import is_libsvm, read_libsvm
from penchant.data.answers._pairs import (
    read_battles,
    read_pairs,
    read_records,
    sides_of,
)
from penchant.data.answers._preflib import read_preflib
from penchant.data.answers._ratings import ITEMS, RATINGS, read_rankings, read_ratings
from penchant.data.answers._study import read_study
from penchant.data.reading._marks import MISSING_MARKS
from penchant.data.reading._table import read_table
from penchant.exceptions import DataError

_MOST_ROWS, _MOST_COLUMNS = 10_000_000, 10_000

Test = Callable[[pd.DataFrame], Any]
Reader = Callable[[pd.DataFrame, NameBook], AnswerFile]


def _has(*words: str) -> Test:
    """Test for columns with all these headers."""
    return lambda frame: all(find_column(frame, [word]) for word in words)


def _one_of(*groups: tuple[str, ...]) -> Test:
    """Test for a column with one header of each group."""
    return lambda frame: all(find_column(frame, group) for group in groups)


def _is_long(frame: pd.DataFrame) -> bool:
    marked = find_column(frame, CHOSEN) or _has("best", "worst")(frame)
    return bool(find_column(frame, TASKS) and marked) and not slots_of(frame)


_TEXTS: Final[dict[str, tuple[Callable[[str], Any], Any]]] = {
    "PrefLib": (lambda text: text.startswith("# "), read_preflib),
    "chosen and rejected records": (lambda text: text.startswith("{"), read_records),
    "libsvm with queries": (is_libsvm, read_libsvm),
}
"""Formats that are no tables: how to recognise them, and their readers."""

_TABLES: Final[dict[str, tuple[Test, Reader]]] = {
    "answers of a study: participant, form, item_1, ..., answer": (
        _has("participant", "form", "item_1", "answer"),
        read_study,
    ),
    "battles: model_a, model_b, winner": (sides_of, read_battles),
    "pairs: winner, loser": (_has("winner", "loser"), read_pairs),
    "best and worst: item_1, item_2, ..., best, worst": (
        lambda frame: _has("best", "worst")(frame) and slots_of(frame),
        read_best_worst,
    ),
    "choices: item_1, item_2, ..., chosen": (
        lambda frame: find_column(frame, CHOSEN) and slots_of(frame),
        read_sets,
    ),
    "rankings: ranking, place, item": (_has("ranking", "place", "item"), read_rankings),
    "choices with attributes, a row per alternative: task, alternative, choice": (
        _is_long,
        read_long,
    ),
    "choices with attributes, a row per task: price_a, price_b, choice": (
        lambda frame: wide_columns(frame) is not None,
        read_wide,
    ),
    "ratings: user, item, rating": (_one_of(ITEMS, RATINGS), read_ratings),
}
"""Tables: how their headers are recognised, the surest first, and their readers."""


def read_answers(path: Any, items: Any = None) -> AnswerFile:
    r"""Read answers from a file, whatever common format it has.

    Recognised by content: the answers of a study (``penchant export --format csv``);
    pairs ``winner, loser``; battles ``model_a, model_b, winner`` with ties; ratings
    ``user, item, rating``; rankings ``ranking, place, item``; PrefLib ``.soc``,
    ``.soi``, ``.toc``, ``.toi`` and ``.cat``; choices with the attributes of each task,
    a row per alternative or per task; best and worst of sets (MaxDiff); libsvm ranking
    files with ``qid``; and JSON lines with ``chosen`` and ``rejected``.

    Parameters
    ----------
    path : path or bytes
        The file, or its content.
    items : Items or sequence of str, optional
        The items that are named. None: whatever occurs; attributes that the file holds
        become a table of items.

    Returns
    -------
    AnswerFile
        With `answers`, `names`, `items` and `format`.

    Raises
    ------
    DataError
        The format is not known, or rows are wrong: the first is named with what was
        expected, and how many more there are.

    Examples
    --------
    >>> from penchant.data import read_answers
    >>> found = read_answers(b"winner,loser\nMill,Kiln\nKiln,Barn\n")
    >>> found.format, found.names, found.answers.winners.tolist()
    ('pairs', ('Mill', 'Kiln', 'Barn'), [0, 1])
    """
    book = NameBook(items)
    is_book = isinstance(path, str | Path) and Path(path).suffix.lower() == ".xlsx"
    if not is_book:
        content = _content(path)
        for is_meant, read in _TEXTS.values():
            if is_meant(content.lstrip("\ufeff")):
                return read(content.lstrip("\ufeff"), book)
    source = path if is_book else content.encode()
    # Every row below the header is an answer, whatever it looks like.
    table = read_table(
        source,
        "answers.xlsx" if is_book else "answers.csv",
        header_row=1,
        keep_totals=True,
        keep_hidden=True,
        max_rows=_MOST_ROWS,
        max_columns=_MOST_COLUMNS,
    )
    frame = table.cells.apply(_plain)
    for recognise, reader in _TABLES.values():
        if recognise(frame):
            return reader(frame, book)
    known = "; ".join(_TABLES)
    raise DataError(
        f"No known format has the columns {', '.join(map(str, frame.columns[:12]))}. "
        f"Rename them after one of these: {known}. Not a table: {', '.join(_TEXTS)}."
    )


def _plain(cells: pd.Series) -> pd.Series:
    """Give blank cells as gaps, and a column of numbers as numbers."""
    if pd.api.types.is_numeric_dtype(cells):
        return cells
    texts = cells.astype(object)
    texts = texts.mask(texts.isna() | texts.astype(str).str.strip().isin(MISSING_MARKS))
    numbers = pd.to_numeric(texts, errors="coerce")
    return numbers if numbers.notna().equals(texts.notna()) else texts


def _content(source: Any) -> str:
    if not isinstance(source, bytes):
        path = Path(source)
        if not path.is_file():
            raise DataError(f"There is no file {str(path)!r}.")
        source = path.read_bytes()
    if not source.strip():
        raise DataError("The file is empty. Answers need a header and rows.")
    coding = "utf-16" if source.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return source.decode(coding)
    except UnicodeDecodeError as error:
        row = source[: error.start].count(b"\n") + 1
        raise DataError(
            f"Row {row}: the file is not UTF-8 text. Save it as UTF-8 and try again."
        ) from None
