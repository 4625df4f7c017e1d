"""The table of a new study, with the guesses about its columns corrected."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from penchant.data import Items, Problem, read_table
from penchant.exceptions import DataError
from penchant.views.forms import Column, check_form, guess_form


def read_study_table(
    file: Path,
    *,
    name: str,
    up: Sequence[str],
    down: Sequence[str],
    skip: Sequence[str],
    readings: Mapping[str, str] | None = None,
) -> tuple[str, Items, tuple[Problem, ...]]:
    """Read a table as the upload in the browser does, where all guesses are kept.

    Gives the name of the study, its alternatives, and what may be wrong with them.

    Parameters
    ----------
    file : Path
        In any format that `penchant.data.read_table` takes.
    name : str
        Of the study; empty: that of the file.
    up, down, skip : sequence of str
        Columns of which more is better, or less, or that are left out.
    readings : mapping of str to str, optional
        How columns are read that can be read in several ways.
    """
    table = read_table(file)
    guess = guess_form(file.name, table, readings=readings)
    columns = {column.header: column for column in guess.columns}
    for header in up:
        columns[header] = _directed(_find(columns, header), "up")
    for header in down:
        columns[header] = _directed(_find(columns, header), "down")
    for header in skip:
        columns[header] = replace(_find(columns, header), role="skip")
    named = replace(guess, name=name.strip() or guess.name)
    items, form = check_form(table, replace(named, columns=tuple(columns.values())))
    if items is None:
        wrong = [form.name_error, form.error, *(c.error for c in form.columns)]
        wrong += [_ways(column) for column in form.questions]
        raise DataError(" ".join(filter(None, wrong)))
    used = [column for column in form.columns if column.role == "attribute"]
    notes = tuple(note for column in used for note in column.notes)
    return form.name, items, notes


def _ways(column: Column) -> str:
    ways = [f"{each.label} ({each.example})" for each in column.found.choices]
    return (
        f"Column {column.header!r} can be read in {len(ways)} ways: {'; '.join(ways)}. "
        f"Say which, as in --read {column.header!r}={column.found.choices[0].label!r}."
    )


def _find(columns: dict[str, Column], header: str) -> Column:
    if header not in columns:
        raise DataError(
            f"There is no column {header!r}. The columns are: "
            f"{', '.join(map(repr, columns))}."
        )
    return columns[header]


def _directed(column: Column, direction: str) -> Column:
    if column.kind == "categorical":
        raise DataError(
            f"The levels of column {column.header!r} have no order, so that more or "
            "less of it means nothing."
        )
    return replace(column, direction=direction)
