"""`penchant export`, `report` and `import`: studies as files, complete or not there."""

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penchant.cli._finding import open_store, open_study
from penchant.cli._options import AsJson, Data, Force, Output, StudyName
from penchant.cli._running import find_person
from penchant.cli._screen import tell
from penchant.exceptions import FormatError, NotAnswerableError, StoreError

if TYPE_CHECKING:
    from penchant.studies import Study
    from penchant.texts import Texts

_FORMATS = ("json", "csv", "people", "xlsx", "html")

_MAX_BYTES = 100_000_000
"""Largest file that is imported, as for tables."""


def export(
    study_name: StudyName,
    output: Output,
    kind: Annotated[
        str,
        typer.Option(
            "--format",
            help="json: the whole study, for `penchant import`. csv: the answers. "
            "people: the participants and what they say of themselves, as CSV. "
            "xlsx: all results as a workbook. html: the report. By default what the "
            "name of the file ends in, or json.",
        ),
    ] = "",
    participant: Annotated[
        str,
        typer.Option(
            metavar="PERSON",
            help="Only what is kept about one participant: a name, or the start of an "
            "id. As json or csv.",
        ),
    ] = "",
    notebook: Annotated[
        bool,
        typer.Option(
            "--notebook",
            help="Also write a notebook beside it, which loads it: with the same "
            "name, ending in .ipynb.",
        ),
    ] = False,
    force: Force = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Write a study to a file.

    In CSV and XLSX no text can run as a formula in a spreadsheet. No format
    holds anything that opens the link of a participant.

    Exit code 0: written. 1: no such study, or the file cannot be written.
    2: wrong usage.

    Example: penchant export "Our next flat" -o results.xlsx
    """
    kind = kind or output.suffix[1:].lower() or "json"
    if kind not in _FORMATS:
        raise typer.BadParameter(
            f"--format must be json, csv, people, xlsx or html, not {kind!r}."
        )
    if participant and (kind not in ("json", "csv") or notebook):
        raise typer.BadParameter("--participant goes with json and csv alone.")
    if notebook and (kind != "json" or is_stdout(output)):
        raise typer.BadParameter("--notebook loads a study from a JSON file.")
    beside = output.with_suffix(".ipynb")
    if notebook:
        check_target(beside, force=force)
    target = (study_name, output, kind, participant)
    _write(*target, force=force, data=data, as_json=as_json)
    if notebook:
        from penchant.studies import study_notebook

        content = json.dumps(study_notebook(output.name), indent=1)
        write_file(beside, content.encode())


def report(
    study_name: StudyName,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write; - is standard output.",
        ),
    ] = None,
    calibration: Annotated[
        bool,
        typer.Option(
            "--calibration",
            help="Print how often answers were predicted correctly, and how often we "
            "had said so. -o may be left out.",
        ),
    ] = False,
    force: Force = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Write the results of all participants as one HTML page.

    It needs nothing else. The rules and curves of the group are in it where
    there are enough answers; fitting them takes some seconds.

    Exit code 0: written. 1: no such study, or the file cannot be written.
    2: wrong usage.

    Example: penchant report "Our next flat" -o report.html
    """
    if calibration:
        _say_calibration(study_name, data=data, as_json=as_json)
    elif output is None:
        raise typer.BadParameter(
            "Name a file, or - for standard output.", param_hint="-o"
        )
    if output is not None:
        _write(study_name, output, "html", force=force, data=data, as_json=as_json)


def _say_calibration(study_name: str, *, data: str | None, as_json: bool) -> None:
    from penchant.views import checks_view

    with open_study(data, study_name) as study:
        found = study.calibration()
        view = checks_view(found, _texts(study))
    words = f"{view.warning} {view.words or 'No answer was predicted yet.'}".strip()
    tell({"study": study.id, **found.to_dict()}, words, as_json=as_json)


def _write(
    study_name: str,
    output: Path,
    kind: str,
    person: str = "",
    *,
    force: bool,
    data: str | None,
    as_json: bool,
) -> None:
    check_target(output, force=force)
    with open_study(data, study_name) as study:
        content = _of_person(study, person, kind) if person else _content(study, kind)
    write_file(output, content)
    if is_stdout(output):
        return
    values = {"study": study.id, "file": str(output), "format": kind}
    words = f"Wrote {output} ({len(content):,} bytes)."
    tell(values | {"bytes": len(content)}, words, as_json=as_json)


def _content(study: "Study", kind: str) -> bytes:
    from penchant.studies import answers_csv, export_study, people_csv, study_workbook

    if kind == "json":
        values = export_study(study.store, study.id)
        return json.dumps(values, ensure_ascii=False, allow_nan=False).encode()
    if kind == "csv":
        # The mark in front tells spreadsheets that it is UTF-8.
        return f"\ufeff{answers_csv(study.store, study.id)}".encode()
    if kind == "people":
        return f"\ufeff{people_csv(study.store, study.id)}".encode()
    return study_workbook(study) if kind == "xlsx" else _report(study)


def _of_person(study: "Study", words: str, kind: str) -> bytes:
    from penchant.studies import export_person, person_answers_csv

    who = find_person(study, words)
    if kind == "csv":
        return f"\ufeff{person_answers_csv(study.store, who.id)}".encode()
    values = export_person(study.store, who.id)
    return json.dumps(values, ensure_ascii=False, allow_nan=False).encode()


def _report(study: "Study") -> bytes:
    from penchant.web.pages import make_report

    try:
        models = study.group_models()
    except NotAnswerableError:
        models = None
    return make_report(study, models, _texts(study))


def _texts(study: "Study") -> "Texts":
    from penchant.texts import load_texts

    texts = load_texts("en")
    noun = study.settings.noun("en")
    return texts.about(noun.singular, noun.plural)


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            exists=True, dir_okay=False, help="What `penchant export` wrote as JSON."
        ),
    ],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Add a study that was exported, as a new one with all its answers.

    Participants get new links; nothing is kept of a damaged file.

    Exit code 0: added. 1: the file is damaged. 2: wrong usage.

    Example: penchant import study.json
    """
    from penchant.studies import import_study

    if file.stat().st_size > _MAX_BYTES:
        raise FormatError(
            f"{str(file)!r} has more than {_MAX_BYTES / 1e6:g} MB, the most that is "
            "read. Give a file that `penchant export` wrote."
        )
    try:
        values = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        raise FormatError(
            f"{str(file)!r} is not JSON. Give a file that `penchant export` wrote."
        ) from None
    with open_store(data) as store:
        study_id = import_study(store, values)
        name = store.get_study(study_id).name
    words = f"Imported {name!r} as {study_id[:8]}."
    tell({"study": study_id, "name": name}, words, as_json=as_json)


def is_stdout(path: Path) -> bool:
    """Tell whether a path means standard output."""
    return str(path) == "-"


def check_target(path: Path, *, force: bool) -> None:
    """Refuse a file that is there already or has no folder, before any work is done."""
    if is_stdout(path):
        return
    if not path.parent.is_dir():
        raise StoreError(
            f"The folder {str(path.parent)!r} is not there. Make it first, or name "
            "another file."
        )
    if path.exists() and not force:
        raise StoreError(
            f"{str(path)!r} exists already. Name another file, or say --force to "
            "overwrite it."
        )


def write_file(path: Path, content: bytes) -> None:
    """Write a file that takes its place when it is complete.

    Only its owner may read it: it may hold personal data.
    """
    if is_stdout(path):
        typer.echo(content, nl=False)
        return
    try:
        _replace(path, content)
    except OSError as error:
        raise StoreError(
            f"{str(path)!r} cannot be written: {error.strerror or error}."
        ) from None


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=".penchant-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
