"""The form that says what is to be learned from uploaded files."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Final

from penchant.exceptions import DataError
from penchant.jobs import JobSettings, TargetGuess
from penchant.studies import JobRecord
from penchant.texts import Texts
from penchant.views._display import show_name
from penchant.views.forms import LONGEST_NAME

_USES: Final = ("learn", "up", "down", "skip")
_KINDS: Final = ("auto", "numbers", "classes", "grades")
_FORMATS: Final = {
    "pairs": "pairs",
    "battles": "battles",
    "ratings": "ratings",
    "rankings": "rankings",
    "choices": "choices",
    "best": "best_worst",
}


@dataclass(frozen=True)
class ColumnUse:
    """A column of the table, and what is done with it."""

    at: int
    name: str
    shown: str
    sample: str
    use: str
    is_target: bool


@dataclass(frozen=True)
class StartForm:
    """What is to be learned, as far as it is clear.

    Parameters
    ----------
    name : str
        Of the model.
    columns : tuple of ColumnUse
        Of the table; empty: there are answers alone.
    kinds, uses : tuple of (str, str)
        What can be chosen, and its words.
    kind : str
        Which kind is chosen, and
    found : str
        in words which one was found; empty: none fits.
    facts : tuple of str
        What was read.
    has_answers : bool
        Whether answers are what is learned.
    """

    name: str
    columns: tuple[ColumnUse, ...]
    kinds: tuple[tuple[str, str], ...]
    uses: tuple[tuple[str, str], ...]
    kind: str
    found: str
    facts: tuple[str, ...]
    has_answers: bool


def start_form(
    job: JobRecord, guess: TargetGuess, settings: JobSettings, texts: Texts
) -> StartForm:
    """Show what was guessed, or what somebody said instead."""
    has_answers = bool(guess.format)
    target = "" if has_answers else settings.target or guess.target
    uses = dict.fromkeys(settings.up, "up") | dict.fromkeys(settings.down, "down")
    uses |= dict.fromkeys(settings.skip, "skip")
    facts = []
    if guess.n_rows:
        facts.append(texts.count("models.start.rows", guess.n_rows))
    if has_answers:
        form = format_words(guess.format, texts)
        said = texts.count("models.start.answers", guess.n_answers, format=form)
        facts.append(said)
    columns = tuple(
        ColumnUse(
            k,
            name,
            show_name(name, 40),
            show_name(sample, 60),
            uses.get(name, "learn"),
            name == target,
        )
        for k, (name, sample) in enumerate(guess.columns)
    )
    found = texts(f"models.kind.{guess.kind}") if guess.kind else ""
    return StartForm(
        job.name,
        columns,
        tuple((kind, texts(f"models.kind.{kind}")) for kind in _KINDS),
        tuple((use, texts(f"models.use.{use}")) for use in _USES),
        settings.kind,
        found,
        tuple(facts),
        has_answers,
    )


def format_words(form: str, texts: Texts) -> str:
    """Name what kind of answers a file has."""
    for begin, key in _FORMATS.items():
        if form.startswith(begin):
            return texts(f"models.format.{key}")
    return form


def read_start(
    fields: Mapping[str, Any], guess: TargetGuess, settings: JobSettings
) -> tuple[str, JobSettings]:
    """Read the form: the name, and what is to be learned.

    Raises
    ------
    DataError
        There is no such column, or no name.
    """
    names = [name for name, _ in guess.columns]
    target = ""
    if not guess.format:
        target = names[_place(fields.get("target", ""), len(names))]
    uses = {
        name: str(fields.get(f"use-{k}", "learn"))
        for k, name in enumerate(names)
        if name != target
    }
    chosen: dict[str, Any] = {
        use: tuple(name for name, said in uses.items() if said == use)
        for use in ("up", "down", "skip")
    }
    kind = "auto" if guess.format else str(fields.get("kind", "auto"))
    told = replace(settings, target=target, kind=kind, chosen="", **chosen)
    return _name(fields), told


def _name(fields: Mapping[str, Any]) -> str:
    name = str(fields.get("name", "")).strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise DataError(
            f"A model needs a name of at most {LONGEST_NAME} letters. Got {len(name)}."
        )
    return name


def _place(text: Any, n: int) -> int:
    if not (str(text).isascii() and str(text).isdecimal() and int(text) < n):
        raise DataError(f"target must be the number of a column below {n}. Got {text}.")
    return int(text)


def name_from(filename: str) -> str:
    """Make a name of the name of a file."""
    stem = PurePath(filename).stem.replace("_", " ").strip()
    return stem[:LONGEST_NAME] or "Model"
