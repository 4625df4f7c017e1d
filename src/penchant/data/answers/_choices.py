"""Choice data with attributes of each task, long and wide; MaxDiff in rows."""

import re
from typing import Any, Final

import pandas as pd

from penchant.data._ratings import BestWorst, Choices
from penchant.data.answers._common import (
    USERS,
    AnswerFile,
    NameBook,
    find_column,
    make_items,
    read_rows,
    text_of,
    users_of,
)
from penchant.data.answers._pairs import frame_rows
from penchant.exceptions import DataError

CHOSEN: Final = ("chosen", "choice", "selected", "pick")
_SLOT: Final = re.compile(r"^(item|option|alt|alternative)[ _.]?\d+$", re.IGNORECASE)


def slots_of(frame: pd.DataFrame) -> list[str]:
    """Find the columns item_1, item_2 and so on."""
    return [str(name) for name in frame.columns if _SLOT.match(str(name))]


def read_sets(frame: pd.DataFrame, book: NameBook) -> AnswerFile:
    """Read item_1, item_2, ... and which of them was chosen: its name or place."""
    chosen = str(find_column(frame, CHOSEN))
    slots = slots_of(frame)

    def choice(row: dict[str, Any]) -> tuple[list[int], int]:
        offered = _offered(row, slots, book)
        return offered, _picked(row, chosen, slots, offered, book)

    sets, picks = zip(*read_rows(frame_rows(frame), choice), strict=True)
    return book.file("choices", Choices(sets, picks, users_of(frame)))


def read_best_worst(frame: pd.DataFrame, book: NameBook) -> AnswerFile:
    """Read item_1, item_2, ... and which of them was best, and which worst."""
    best, worst = (str(find_column(frame, [word])) for word in ("best", "worst"))
    slots = slots_of(frame)

    def answer(row: dict[str, Any]) -> tuple[list[int], int, int]:
        shown = _offered(row, slots, book)
        ends = [_picked(row, column, slots, shown, book) for column in (best, worst)]
        if ends[0] == ends[1]:
            raise DataError(f"the same item is called {best!r} and {worst!r}")
        return shown, ends[0], ends[1]

    sets, tops, bottoms = zip(*read_rows(frame_rows(frame), answer), strict=True)
    return book.file("best and worst", BestWorst(sets, tops, bottoms, users_of(frame)))


def _offered(row: dict[str, Any], slots: list[str], book: NameBook) -> list[int]:
    found = [book.index(row[slot], slot) for slot in slots if text_of(row[slot])]
    if len(found) < 2:
        raise DataError(f"expected two items or more in columns {slots[0]!r} and so on")
    if len(set(found)) < len(found):
        raise DataError("an item is shown twice")
    return found


def _picked(
    row: dict[str, Any],
    column: str,
    slots: list[str],
    shown: list[int],
    book: NameBook,
) -> int:
    """Find the item that a cell names, by name or by the place where it stood."""
    said = text_of(row[column])
    filled = [slot for slot in slots if text_of(row[slot])]
    for slot, index in zip(filled, shown, strict=True):
        if said == text_of(row[slot]):
            return index
    for slot, index in zip(filled, shown, strict=True):
        if said.lower() == slot.lower() or said == re.sub(r"\D", "", slot):
            return index
    raise DataError(
        f"column {column!r} says {said!r}, which is not among the items shown; "
        "expected the name of one of them, or its place"
    )


TASKS: Final = (
    "task",
    "task_id",
    "chid",
    "obs_id",
    "observation",
    "choice_set",
    "choice_id",
    "question",
    "set",
    "situation",
    "case",
)
ALTERNATIVES: Final = ("alt", "alternative", "alternatives", "alt_id", "option", "item")
_YES: Final = ("1", "true", "yes", "y")
_NO: Final = ("0", "false", "no", "n", "")


def read_long(frame: pd.DataFrame, book: NameBook) -> AnswerFile:
    """Read one row per alternative of a task, with marks on what was chosen.

    With columns best and worst it is MaxDiff. Other columns are attributes; without
    any, and where the items are given, the alternatives are these items.
    """
    task, alternative = (
        str(find_column(frame, TASKS)),
        find_column(frame, ALTERNATIVES),
    )
    marks = [find_column(frame, [word]) for word in ("best", "worst")]
    if None in marks:
        marks = [find_column(frame, CHOSEN)]
    user = find_column(frame, USERS)
    special = {task, alternative, user, *marks}
    attributes = [str(name) for name in frame.columns if str(name) not in special]
    keys = [text_of(value) for value in frame[task]]
    if user is not None:  # tasks of different people may have the same number
        who = [text_of(value) for value in frame[user]]
        keys = [f"{person} {key}" for person, key in zip(who, keys, strict=True)]
    by_name = alternative is not None and (book.items is not None or not attributes)
    if by_name:
        indices = [book.index(value, str(alternative)) for value in frame[alternative]]
    else:
        indices = list(range(len(frame)))
    groups: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        groups.setdefault(key, []).append(row)
    flags = [_flags(frame, str(mark)) for mark in marks]
    picks = [
        [_marked(frame, groups[key], flag, (key, str(mark))) for key in groups]
        for flag, mark in zip(flags, marks, strict=True)
    ]
    sets = [[indices[row] for row in rows] for rows in groups.values()]
    chosen = [[indices[row] for row in column] for column in picks]
    people = users_of(frame)
    users = None if people is None else people[[rows[0] for rows in groups.values()]]
    answers: Any = (
        Choices(sets, chosen[0], users)
        if len(marks) == 1
        else BestWorst(sets, chosen[0], chosen[1], users)
    )
    words = "choices, long" if len(marks) == 1 else "best and worst, long"
    if by_name:
        return book.file(words, answers)
    table, names = _described(frame, attributes, alternative, keys)
    items = make_items(table, names)
    return AnswerFile(words, answers, items.names, items)


def _flags(frame: pd.DataFrame, column: str) -> list[bool]:
    flags = []
    for number, value in zip(frame.index, frame[column], strict=True):
        said = text_of(value).lower()
        if said not in (*_YES, *_NO):
            raise DataError(
                f"Row {number}: column {column!r} says {said!r}; expected 1 for what "
                "was chosen and 0 for the others."
            )
        flags.append(said in _YES)
    return flags


def _marked(
    frame: pd.DataFrame, rows: list[int], flags: list[bool], said: tuple[str, str]
) -> int:
    found = [row for row in rows if flags[row]]
    task, mark = said
    where = f"Task {task!r} (from row {frame.index[rows[0]]})"
    if len(found) != 1:
        raise DataError(
            f"{where} has {len(found)} alternatives with 1 in column {mark!r}; "
            "expected exactly one."
        )
    if len(rows) < 2:
        raise DataError(f"{where} has one alternative; a choice needs two or more.")
    return found[0]


def _described(
    frame: pd.DataFrame,
    attributes: list[str],
    alternative: str | None,
    keys: list[str],
) -> tuple[pd.DataFrame, list[str]]:
    """Give the attributes of every alternative of every task, and names for them."""
    table = frame[attributes].copy()
    labels: list[Any] = [None] * len(frame)
    if alternative is not None:
        labels = [text_of(value) for value in frame[alternative]]
        if not all(label.isdigit() for label in labels):
            table[str(alternative)] = labels
    if table.shape[1] == 0:
        raise DataError(
            "The file has no attributes of the alternatives, and no column names them. "
            f"Add a column {ALTERNATIVES[1]!r} with their names, or attributes."
        )
    places: dict[str, int] = {}
    names = []
    for key, label in zip(keys, labels, strict=True):
        places[key] = places.get(key, 0) + 1
        names.append(f"{key}: {label or places[key]}")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"The alternative {twice!r} occurs twice in one task.")
    return table, names


def wide_columns(frame: pd.DataFrame) -> dict[str, dict[str, str]] | None:
    """Find attributes with a column per alternative, such as price_car, price_bus.

    Returns
    -------
    dict from alternative to dict from attribute to column, or None
        The alternatives are those that the column of choices names.
    """
    column = find_column(frame, CHOSEN)
    if column is None:
        return None
    chosen = sorted({text_of(value) for value in frame[column]} - {""})
    names = [str(name) for name in frame.columns if str(name) != column]
    for side in (1, 0):  # price_car, or car_price
        cuts = _cut(names, side)
        stems = {stem for each in chosen for stem in cuts.get(each, ())}
        # alternatives that nobody chose have columns, too
        others = [each for each in cuts if stems and stems <= cuts[each].keys()]
        found = {each: cuts.get(each, {}) for each in (*others, *chosen)}
        whole = [stem for stem in stems if all(stem in part for part in found.values())]
        if whole and len(found) > 1:
            return {
                each: {stem: part[stem] for stem in sorted(whole)}
                for each, part in found.items()
            }
    return None


def _cut(names: list[str], side: int) -> dict[str, dict[str, str]]:
    """Cut names at marks: what stands on one side has attributes on the other."""
    found: dict[str, dict[str, str]] = {}
    for name in names:
        for k, sign in enumerate(name):
            ends = name[:k], name[k + 1 :]
            if sign in "_.:- " and all(ends):
                found.setdefault(ends[side], {})[ends[1 - side]] = name
    return found


def read_wide(frame: pd.DataFrame, book: NameBook) -> AnswerFile:
    """Read one row per task with an attribute's columns for each alternative.

    An alternative all of whose cells are empty was not offered.
    """
    column, found = str(find_column(frame, CHOSEN)), wide_columns(frame)
    assert found is not None  # that is how the format was recognised
    labelled = not all(each.isdigit() for each in found)
    rows: list[dict[str, Any]] = []
    names: list[str] = []
    sets: list[list[int]] = []
    picks: list[int] = []
    for number, (_, task) in zip(frame.index, frame.iterrows(), strict=True):
        offered: dict[str, int] = {}
        for alternative, cells in found.items():
            values = {stem: task[name] for stem, name in cells.items()}
            if pd.isna(pd.Series(list(values.values()), dtype=object)).all():
                continue
            offered[alternative] = len(rows)
            names.append(f"row {number}: {alternative}")
            rows.append(values | ({"alternative": alternative} if labelled else {}))
        said = text_of(task[column])
        if said not in offered:
            raise DataError(
                f"Row {number}: column {column!r} says {said!r}; expected one of those "
                f"on offer: {', '.join(map(repr, offered)) or 'none'}."
            )
        sets.append(list(offered.values()))
        picks.append(offered[said])
    items = make_items(pd.DataFrame(rows).infer_objects(), names)
    answers = Choices(sets, picks, users_of(frame))
    return AnswerFile("choices, wide", answers, items.names, items)
