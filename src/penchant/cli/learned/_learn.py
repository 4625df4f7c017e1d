"""`penchant learn`: a table or answers in, a model that people can read out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli._export import check_target, write_file
from penchant.cli._finding import find_study, open_store
from penchant.cli._options import AsJson, Data, Force
from penchant.cli._screen import Screen, write_json
from penchant.exceptions import DataError

if TYPE_CHECKING:
    from penchant.learning import ModelComparison

_KINDS = ("auto", "numbers", "classes", "grades", "comparisons")


def learn(
    table: Annotated[
        Path | None,
        typer.Argument(
            exists=True,
            dir_okay=False,
            show_default=False,
            help="A CSV or XLSX file: one row per case, or the items of the answers.",
        ),
    ] = None,
    *,
    target: Annotated[
        str | None,
        typer.Option(help="The column to predict: numbers, classes or grades."),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Answers instead of a target: pairs, battles, choices, rankings, "
            "PrefLib and others, see the guide.",
        ),
    ] = None,
    from_study: Annotated[
        str | None,
        typer.Option("--from-study", metavar="STUDY", help="The answers of a study."),
    ] = None,
    kind: Annotated[
        str, typer.Option(help=f"What the target is: {', '.join(_KINDS)}.")
    ] = "auto",
    up: Annotated[
        list[str] | None, typer.Option(help="A column of which more is better.")
    ] = None,
    down: Annotated[
        list[str] | None, typer.Option(help="A column of which less is better.")
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option(help="A column to leave out.")
    ] = None,
    model_file: Annotated[
        Path, typer.Option("--model", help="Where to write the model.")
    ] = Path("model.penchant"),
    report_file: Annotated[
        Path, typer.Option("--report", help="Where to write the report.")
    ] = Path("report.html"),
    language: Annotated[str, typer.Option(help="Of the report: en, de or fr.")] = "en",
    max_time: Annotated[
        float | None,
        typer.Option(min=1, help="Seconds after which no further fit begins."),
    ] = None,
    force: Force = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Compare readable models, and write the one that is recommended.

    Linear, curves, curves with pairs, Choquet integrals and rules are fitted
    and judged on rows that they did not see, beside boosted trees that nobody
    can read. Recommended is the one with least to read that is about as good
    as the best readable one: behind by at most a standard error, times the
    share of reading that it saves. The report is one HTML file.

    Exit code 0: written. 1: the file cannot be used. 2: wrong usage.

    Example: penchant learn flats.csv --target rating
    """
    if kind not in _KINDS:
        raise typer.BadParameter(f"--kind must be one of {', '.join(_KINDS)}.")
    given = [each for each in (target, answers, from_study) if each is not None]
    if len(given) > 1:
        raise typer.BadParameter(
            "Say only one of --target, --answers and --from-study: with --answers the "
            "table holds the items that they are about."
        )
    if not given or (table is None and target is not None):
        raise typer.BadParameter(
            "Say what to learn from: a table with --target, --answers, or --from-study."
        )
    for file in (model_file, report_file):
        check_target(file, force=force)
    from penchant.learning import describe, read_learning_files
    from penchant.studies.store import pack_model
    from penchant.texts import load_texts
    from penchant.web.learned import model_report

    texts = load_texts(language)
    if from_study is not None:
        X, y, name = _of_study(from_study, data)
        notes: tuple[str, ...] = ()
    else:
        ways: Any = {"up": up or (), "down": down or (), "skip": skip or ()}
        read = read_learning_files(table, answers, target=target, **ways)
        X, y, name, notes = read.items, read.target, read.name, read.notes
    screen = Screen(err=as_json)
    for note in notes:
        screen.say(note)
    told, model = _compare(X, y, kind, max_time)
    report = describe(model, X, y, told, target=name)
    page = model_report(report, model, X, texts)
    write_file(model_file, pack_model(model))
    write_file(report_file, page)
    if as_json:
        write_json(_values(told, model_file, report_file))
    else:
        _show(told, name, screen)
        screen.say(f"Wrote {model_file} and {report_file}.")


def _of_study(text: str, data: str | None) -> tuple[Any, Any, str]:
    from penchant.data import read_answers
    from penchant.studies import answers_csv

    with open_store(data) as store:
        study = find_study(store, text)
        content = answers_csv(store, study.id).encode()
        items, name = study.items, study.record.name
    try:
        return items, read_answers(content, items).told, f"the choice ({name})"
    except DataError as error:
        raise DataError(
            f"The study has nothing to learn from yet. {error} `penchant ask` asks."
        ) from None


def _compare(
    X: Any, y: Any, kind: str, max_time: float | None
) -> tuple["ModelComparison", Any]:
    """Compare with a bar on standard error, or a line per candidate in a file.

    Beside the comparison it gives the recommended model, fitted to all rows.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    from penchant.learning import compare

    models: dict[str, Any] = {}
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:.0f} %  {task.fields[left]}"),
    )
    is_bar = console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=not is_bar) as bar:
        task = bar.add_task("begin", total=1.0, left="")

        def tell(said: dict[str, Any]) -> None:
            name, left = said["candidate"], _left(said["seconds_left"])
            if not is_bar and name not in models:
                typer.echo(f"{name}: {said['share']:.0%} done. {left}", err=True)
            models[name] = said["model"]
            bar.update(
                task, completed=said["share"], description=_words(said), left=left
            )

        told = compare(X, y, kind=kind, max_time=max_time, callback=tell)
    return told, models[told.recommended.name]


def _words(said: dict[str, Any]) -> str:
    fold = said["fold"]
    part = "all rows" if fold == 0 else f"fold {fold}"
    return f"{said['candidate']}, {part}" if fold is not None else said["candidate"]


def _left(seconds: float | None) -> str:
    return "" if seconds is None else f"About {seconds:.0f} s left."


def _show(told: "ModelComparison", name: str, screen: Screen) -> None:
    from penchant.learning import say_parts

    screen.say(f"{told.n_rows} rows, {told.kind}; {told.n_folds} folds.")
    rows = []
    for each in told.done:
        size = "cannot be read" if each.size is None else say_parts(each.parts or {})
        mark = "*" if each is told.recommended else ""
        rows.append(
            (
                mark,
                each.title,
                f"{each.score:.3f} ± {each.score_error:.3f}",
                str(each.minus(told.best)),
                size,
            )
        )
    screen.table(("", "Model", "Score", "Loss above best", "To read"), rows)
    for each in told.results:
        if each.skipped:
            screen.say(f"Left out: {each.title}: {each.skipped}.")
    screen.say(f"Score: {told.measure}.")
    behind = told.behind_boosting
    beside = "" if behind is None else f" Loss above boosted trees: {behind}."
    screen.say(f"Recommended for {name}: {told.recommended.title}.{beside}")


def _values(told: "ModelComparison", model: Path, report: Path) -> dict[str, Any]:
    behind = told.behind_boosting
    return {
        "kind": told.kind,
        "rows": told.n_rows,
        "recommended": told.recommended.name,
        "candidates": told.rows(),
        "behind_boosting": None if behind is None else behind.mean,
        "model": str(model),
        "report": str(report),
    }
