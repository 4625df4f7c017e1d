"""The form that says what is to be learned from files, and how far that is."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from types import SimpleNamespace as View
from typing import Any, Final

from penchant.exceptions import DataError
from penchant.jobs import JobSettings, TargetGuess
from penchant.learning import CANDIDATES
from penchant.studies import JobRecord, Store
from penchant.texts import Texts
from penchant.views._display import show_name
from penchant.views.forms import LONGEST_NAME
from penchant.views.learned._words import name_of


def progress_view(store: Store, job: JobRecord, texts: Texts) -> View:
    """Show how far a job is that is not done."""
    told = job.progress
    active = job.state in ("waiting", "running")
    share = float(told.get("share") or 0.0)
    parts = store.job_parts(job.id)
    done = [each for each in CANDIDATES if f"result {each}" in parts]
    return View(
        title=texts(f"models.progress.{job.state}"),
        step=_step(store, job, texts) if active else "",
        left=_left(told.get("seconds_left"), texts) if job.state == "running" else "",
        error=_error(told, texts) if job.state == "failed" else "",
        share=texts(
            "models.progress.share",
            share=texts("numbers.share", share=int(share * 100)),
        ),
        width=round(100 * share, 1),
        active=active,
        done=tuple(name_of(each, texts) for each in done),
    )


def _step(store: Store, job: JobRecord, texts: Texts) -> str:
    told = job.progress
    if job.state == "waiting":
        before = store.jobs_before(job)
        return texts.count("models.progress.before", before) if before else ""
    name = told.get("candidate")
    key = f"models.step.{told.get('step', 'reading')}"
    if key == "models.step.comparing" and not told.get("fold"):
        key = "models.step.comparing_all"
    folds = JobSettings.from_dict(job.settings).n_folds
    values = {"fold": told.get("fold"), "folds": folds}
    return texts(key, name=name_of(name, texts) if name else "", **values)


def _left(seconds: Any, texts: Texts) -> str:
    if seconds is None:
        return ""
    if seconds < 90:
        return texts.count("models.progress.seconds", max(round(seconds), 1))
    return texts.count("models.progress.minutes", round(seconds / 60))


def _error(told: dict[str, Any], texts: Texts) -> str:
    if problem := told.get("problem"):
        return texts(f"models.problem.{problem}", **told.get("values", {}))
    return str(told.get("error", ""))


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
    columns: tuple[View, ...]
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
        View(
            at=k,
            name=name,
            shown=show_name(name, 40),
            sample=show_name(sample, 60),
            use=uses.get(name, "learn"),
            is_target=name == target,
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
