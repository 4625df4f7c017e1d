"""`penchant simulate`: how many questions a study will take, before anybody answers."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli._export import check_target, write_file
from penchant.cli._finding import find_study, open_store
from penchant.cli._options import AsJson, Data, Force, StudyName
from penchant.cli._screen import Screen, write_json
from penchant.exceptions import DataError

if TYPE_CHECKING:
    from penchant.elicitation import Simulation

_KINDS = ("svg", "png", "pdf")


def simulate(
    study_name: StudyName,
    *,
    policy: Annotated[
        list[str],
        typer.Option(
            help="How to choose questions, such as eubo-kg, thompson, knockout, "
            "random-pair. Repeat to compare."
        ),
    ] = ["eubo-kg"],  # noqa: B006 - Typer copies it
    people: Annotated[
        int, typer.Option(min=1, max=100_000, help="How many simulated people.")
    ] = 100,
    wrong: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of wrong answers.")
    ] = 0.05,
    questions: Annotated[
        int, typer.Option(min=0, max=1000, help="How many questions to each.")
    ] = 10,
    seed: Annotated[int, typer.Option(min=0, help="The same gives the same.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(help="Processes at a time; -1: one per core.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw loss against questions: .svg, .png or .pdf."
        ),
    ] = None,
    force: Force = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Ask simulated people and tell how good the recommendation is by then.

    The people are drawn from what is believed of a new participant: from
    the earlier answers of the study, if there are enough, else from the
    table alone. Loss is what the recommended alternative is worth less than
    the best one, as a share of the way from the worst to the best.

    Exit code 0: done. 1: no such study or policy. 2: wrong usage.

    Example: penchant simulate Flats --people 50 --picture loss.svg
    """
    import numpy as np

    from penchant.elicitation import simulate as simulate_people

    kind = None if picture is None else _check_picture(picture, force)
    with open_store(data) as store:
        start = find_study(store, study_name).newcomer()
    likes = np.stack(list(start.posterior.sample(people, np.random.default_rng(seed))))
    results = {
        name: simulate_people(
            start.posterior,
            likes,
            name,
            questions,
            wrong,
            random_state=seed,
            n_jobs=jobs,
            verbose=sys.stderr.isatty(),
        )
        for name in dict.fromkeys(policy)
    }
    if picture is not None:
        _draw(results, picture, str(kind))
    if as_json:
        write_json(_values(results, people, wrong))
    else:
        _show(results, people, wrong, Screen())


def _check_picture(path: Path, force: bool) -> str:
    kind = path.suffix.lower().removeprefix(".")
    if kind not in _KINDS:
        raise DataError(f"A picture must end in .svg, .png or .pdf. Got {str(path)!r}.")
    check_target(path, force=force)
    return kind


def _draw(results: "dict[str, Simulation]", path: Path, kind: str) -> None:
    from penchant import plotting

    content = plotting.picture(
        lambda: plotting.plot_simulation(results),
        kind,  # type: ignore[arg-type]  # checked before
    )
    write_file(path, content)


def _values(
    results: "dict[str, Simulation]", people: int, wrong: float
) -> dict[str, Any]:
    columns = ["loss", "loss_error", "top_found", "top_found_error", "probability"]
    return {
        "people": people,
        "wrong": wrong,
        "policies": {
            name: result.summary()[columns].reset_index().to_dict("records")
            for name, result in results.items()
        },
    }


def _show(
    results: "dict[str, Simulation]", people: int, wrong: float, screen: Screen
) -> None:
    screen.say(f"{people} simulated people, {100 * wrong:g} % wrong answers")
    summaries = [result.summary() for result in results.values()]
    heads = ["Questions"]
    for name in results:
        heads += [f"{name}: loss", "best found"]
    rows = [
        [
            f"{asked}",
            *(
                text
                for each in summaries
                for text in (
                    f"{each['loss'][asked]:.3f}",
                    f"{100 * each['top_found'][asked]:.0f} %",
                )
            ),
        ]
        for asked in summaries[0].index
    ]
    screen.table(heads, rows, numbers=range(len(heads)))
