"""`penchant rank` and `explain`: what people like best, and why."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from penchant.cli._finding import (
    find_item,
    find_participant,
    open_study,
)
from penchant.cli._options import (
    AsJson,
    AtLeast,
    AtMost,
    Data,
    Known,
    OneOf,
    Participant,
    StudyName,
    read_limits,
    say_fits,
)
from penchant.cli._screen import Screen, write_json

if TYPE_CHECKING:
    from penchant.data import Limits
    from penchant.studies import Group, Study
    from penchant.texts import Texts

_GROUP_HEADS = ("Place", "Alternative", "Mean", "90 % range", "Borda", "Least liked")


def rank(
    study_name: StudyName,
    *,
    participant: Participant = None,
    top: Annotated[
        int | None, typer.Option(min=1, help="Only so many; by default all.")
    ] = None,
    at_most: AtMost = [],  # noqa: B006 - Typer copies it
    at_least: AtLeast = [],  # noqa: B006 - as above
    one_of: OneOf = [],  # noqa: B006 - as above
    known: Known = [],  # noqa: B006 - as above
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Rank the alternatives for one participant or for all.

    For one: points from 0 to 100 with their 90 % range, and the chance of
    being the best. For all: the mean of these points with its 90 % range,
    Borda, and the points from whoever likes it least. Alternatives that are
    not clearly behind the first of them share a place. With --at-most,
    --at-least, --one-of or --known only what fits these; nothing is kept.

    Exit code 0: ranked. 1: no such study or participant. 2: wrong usage.

    Example: penchant rank "Our next flat" --top 5
    """
    with open_study(data, study_name) as study:
        limits = read_limits(study.items, at_most, at_least, one_of, known)
        if limits:
            found = study.what_fits(limits)
            say_fits(study.items, found, Screen(err=as_json))
        if participant is not None:
            _rank_for_one(study, participant, limits, top, as_json)
        else:
            _rank_for_all(study, _fitting(study, limits), top, as_json)


def _fitting(study: "Study", limits: "Limits") -> "Group":
    """Give the group with the alternatives that fit; their places stay."""
    group, met = study.group(), study.what_fits(limits).met
    return replace(group, items=tuple(each for each in group.items if met[each.item]))


def _rank_for_one(
    study: "Study", token: str, limits: "Limits", top: int | None, as_json: bool
) -> None:
    from penchant.cli._results import ranking_values, show_ranking

    person = find_participant(study, token)
    ranking = study.ranking(person.id, limits or None)[:top]
    if as_json:
        write_json(ranking_values(ranking))
        return
    show_ranking(ranking, _texts_for(study, person.id), Screen())


def _rank_for_all(
    study: "Study", group: "Group", top: int | None, as_json: bool
) -> None:
    if as_json:
        from penchant.web.api import GroupOut

        values = GroupOut.model_validate(group).model_dump()
        write_json(values | {"items": values["items"][:top]})
        return
    screen = Screen()
    if not group.items:
        screen.say("Nobody has answered yet. `penchant ask` asks somebody.")
        return
    simulated = f", {group.n_simulated} of them simulated" if group.n_simulated else ""
    people = "1 person" if group.n_voices == 1 else f"{group.n_voices} people"
    screen.say(f"{people} answered{simulated}.")
    rows = [
        (
            f"{item.place}",
            item.name,
            f"{item.mean:.0f}",
            f"{item.low:.0f} to {item.high:.0f}",
            f"{item.borda:.0f}",
            f"{item.misery:.0f}",
        )
        for item in group.items[:top]
    ]
    screen.table(_GROUP_HEADS, rows, numbers=(0, 2, 4, 5))
    for line in (*_said(group), *_turning(group, study)):
        screen.say(line)


_KINDS = {
    "none": "No clear kinds of people.",
    "lean": "People lean to one of two sides.",
    "two": "There are at least two kinds of people.",
    "three": "There are three kinds of people, perhaps more.",
}


def _said(group: "Group") -> list[str]:
    """Say what may be said beyond the ranking."""
    said = [_KINDS[group.kinds]] if group.n_voices > 1 else []
    if group.differ is not None:
        said.append(f"Opinions differ on {group.differ.name}.")
    n_careless = len(group.careless) - group.n_left_out
    if n_careless:
        said.append(
            f"The answers of {n_careless} look like clicking without reading; the page "
            "of the group says whose."
        )
    if group.n_left_out:
        said.append(f"{group.n_left_out} left out by the owner.")
    return said


def _turning(group: "Group", study: "Study") -> list[str]:
    """Say how much would have to change for another winner."""
    if group.n_voices < 2:
        return []
    from penchant.texts import load_texts
    from penchant.views import group_view

    view = group_view(group, study.items, load_texts("en")).another
    return [] if view is None else [f"{view.lead}.", *view.people]


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
    from penchant.views import compare_items

    with open_study(data, study_name) as study:
        person = find_participant(study, participant).id
        texts = _texts_for(study, person)
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


def _texts_for(study: "Study", person: str) -> "Texts":
    """Give the texts in the language that a participant chose."""
    from penchant.texts import choose_language, load_texts

    spoken = study.participation(person).language
    return load_texts(choose_language([spoken], study.settings.languages))
