"""The form of an uploaded table: the name of the study and its columns."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import pandas as pd

from penchant.data import Items
from penchant.studies import LONGEST_NOUN, Noun, StudySettings
from penchant.texts import Texts, load_texts
from penchant.views.forms._columns import (
    Column,
    check_columns,
    guess_columns,
    read_columns,
)

__all__ = [
    "TableForm",
    "check_form",
    "guess_form",
    "name_error",
    "noun_error",
    "read_form",
]

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
    noun, nouns : str
        What one alternative and several are called; empty: nothing in particular.
    noun_error : str
        What is wrong with that.
    """

    name: str
    columns: tuple[Column, ...]
    n_rows: int
    name_error: str = ""
    error: str = ""
    noun: str = ""
    nouns: str = ""
    noun_error: str = ""

    @property
    def n_errors(self) -> int:
        """How many places need a correction."""
        wrong = sum(bool(column.error) for column in self.columns)
        others = (self.name_error, self.error, self.noun_error)
        return wrong + sum(bool(error) for error in others)

    @property
    def named(self) -> bool:
        """Whether a column gives the names of the alternatives."""
        return any(column.role == "name" for column in self.columns)

    def settings(self, language: str) -> StudySettings:
        """Give the settings of a study that is made of the form."""
        named = Noun(language, self.noun, self.nouns)
        return StudySettings(nouns=(named,) if self.noun else ())


def guess_form(filename: str, frame: pd.DataFrame) -> TableForm:
    """Fill in the form with what the table looks like."""
    words = PurePath(filename).stem.replace("_", " ").strip()
    name = f"{words[:1].upper()}{words[1:]}"[:LONGEST_NAME]
    return TableForm(name, tuple(guess_columns(frame)), len(frame))


def read_form(guess: TableForm, fields: Mapping[str, Any]) -> TableForm:
    """Put what a person sent in the place of the guesses."""
    name = str(fields.get("study", guess.name)).strip()
    noun, nouns = (
        str(fields.get(key, "")).strip()[:LONGEST_NOUN] for key in ("noun", "nouns")
    )
    columns = read_columns(guess.columns, fields)
    return replace(guess, name=name, columns=columns, noun=noun, nouns=nouns)


def check_form(
    frame: pd.DataFrame, form: TableForm, texts: Texts | None = None
) -> tuple[Items | None, TableForm]:
    """Make the items, or say in the form why that is not possible.

    Parameters
    ----------
    frame : DataFrame
        The table.
    form : TableForm
        What was said about it.
    texts : Texts, optional
        Of what to correct; default: English.
    """
    texts = texts or load_texts("en")
    items, columns = check_columns(frame, form.columns)
    used = any(column.role == "attribute" for column in columns)
    checked = replace(
        form,
        columns=columns,
        name_error=name_error(form.name, texts),
        error="" if used else texts("owner.columns.no_attribute"),
        noun_error=noun_error(form.noun, form.nouns, texts),
    )
    return (None if checked.n_errors else items), checked


def name_error(name: str, texts: Texts) -> str:
    """Say what is wrong with the name of a study; empty: nothing."""
    if not name:
        return texts("owner.columns.no_name")
    if len(name) > LONGEST_NAME:
        return texts.count("owner.columns.long_name", len(name), most=LONGEST_NAME)
    return ""


def noun_error(noun: str, nouns: str, texts: Texts) -> str:
    """Say what is wrong with what alternatives are called; empty: nothing."""
    return texts("owner.columns.one_noun") if bool(noun) != bool(nouns) else ""
