"""The form of an uploaded table: the name of the study and its columns."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import pandas as pd

from penchant.data import Items
from penchant.web._columns import Column, check_columns, guess_columns, read_columns

__all__ = ["TableForm", "check_form", "guess_form", "name_error", "read_form"]

LONGEST_NAME = 120


@dataclass(frozen=True)
class TableForm:
    """What a person says about an uploaded table, as typed.

    Parameters
    ----------
    name : str
        Name of the study.
    columns : tuple of Column
        One per column of the table.
    n_rows : int
        Rows of the table.
    name_error, error : str
        What is wrong with the name, or with the columns taken together.
    """

    name: str
    columns: tuple[Column, ...]
    n_rows: int
    name_error: str = ""
    error: str = ""

    @property
    def n_errors(self) -> int:
        """How many places need a correction."""
        wrong = sum(bool(column.error) for column in self.columns)
        return wrong + bool(self.name_error) + bool(self.error)

    @property
    def named(self) -> bool:
        """Whether a column gives the names of the alternatives."""
        return any(column.role == "name" for column in self.columns)


def guess_form(filename: str, frame: pd.DataFrame) -> TableForm:
    """Fill in the form with what the table looks like."""
    words = PurePath(filename).stem.replace("_", " ").strip()
    name = f"{words[:1].upper()}{words[1:]}"[:LONGEST_NAME]
    return TableForm(name, tuple(guess_columns(frame)), len(frame))


def read_form(guess: TableForm, fields: Mapping[str, Any]) -> TableForm:
    """Put what a person sent in the place of the guesses."""
    name = str(fields.get("study", guess.name)).strip()
    return replace(guess, name=name, columns=read_columns(guess.columns, fields))


def check_form(frame: pd.DataFrame, form: TableForm) -> tuple[Items | None, TableForm]:
    """Make the items, or say in the form why that is not possible."""
    items, columns = check_columns(frame, form.columns)
    used = any(column.role == "attribute" for column in columns)
    checked = replace(
        form,
        columns=columns,
        name_error=name_error(form.name),
        error="" if used else "Use at least one column as an attribute.",
    )
    return (None if checked.n_errors else items), checked


def name_error(name: str) -> str:
    """Say what is wrong with the name of a study; empty: nothing."""
    if not name:
        return "Give the study a name."
    if len(name) > LONGEST_NAME:
        return (
            f"The name may have at most {LONGEST_NAME} characters. It has {len(name)}."
        )
    return ""
