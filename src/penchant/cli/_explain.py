"""`penchant explain`: why a participant likes an alternative, or likes it better."""

from typing import Annotated

import typer

from penchant.cli._finding import (
    find_item,
    find_participant,
    find_study,
    open_store,
)
from penchant.cli._options import AsJson, Data, StudyName
from penchant.cli._screen import Screen, write_json


def explain(
    study_name: StudyName,
    item: Annotated[
        str,
        typer.Argument(
            metavar="A", help="An alternative: its name or the beginning of it."
        ),
    ],
    participant: Annotated[
        str,
        typer.Option(
            "--participant",
            metavar="TOKEN",
            help="Whose points: the secret part of the link, or the whole link.",
        ),
    ],
    rival: Annotated[
        str | None,
        typer.Option("--vs", metavar="B", help="Compare with this alternative."),
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Tell what each attribute adds to an alternative, or why A rather than B.

    In points with 90 % ranges. With --vs also the fewest reasons that are
    enough, and what would change the choice.

    Exit code 0: explained. 1: no such study, participant or alternative.
    2: wrong usage.

    Example: penchant explain Flats Mill --vs Kiln --participant TOKEN
    """
    from penchant.cli._results import (
        comparison_values,
        show_comparison,
        show_why,
        why_values,
    )
    from penchant.texts import choose_language, load_texts
    from penchant.views import compare_items

    with open_store(data) as store:
        study = find_study(store, study_name)
        person = find_participant(study, participant).id
        spoken = study.participation(person).language
        texts = load_texts(choose_language([spoken], study.settings.languages))
        a = find_item(study.items, item)
        b = None if rival is None else find_item(study.items, rival)
        if a == b:
            raise typer.BadParameter("A and B are the same alternative.")
        if as_json and b is None:
            write_json(why_values(study, person, a))
        elif as_json and b is not None:
            write_json(comparison_values(study, person, a, b, texts))
        elif b is None:
            show_why(study, person, a, texts, Screen())
        else:
            view = compare_items(study, person, a, b, texts, changes=True)
            show_comparison(view, texts, Screen())
