"""`penchant study change, share, weigh`: what an owner does with a running study."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli._finding import open_study
from penchant.cli._options import Address, AsJson, Data, StudyName
from penchant.cli._screen import tell, write_json
from penchant.exceptions import ParticipantNotFoundError

if TYPE_CHECKING:
    from penchant.studies import ParticipantRecord, Study

Person = Annotated[
    str,
    typer.Argument(
        metavar="PERSON",
        help="A name as in `penchant study show`, or the start of an id.",
    ),
]


def change(
    study_name: StudyName,
    *,
    closes: Annotated[
        str | None,
        typer.Option(
            help="Nobody new joins from then on: 2026-12-01 or 2026-12-01T18:00, in "
            "UTC unless it names another zone. Empty: no date."
        ),
    ] = None,
    quota: Annotated[
        int | None,
        typer.Option(
            min=0, help="Nobody new joins when so many have finished. 0: no limit."
        ),
    ] = None,
    is_open: Annotated[
        bool | None, typer.Option("--open/--closed", help="Whether people may join.")
    ] = None,
    owner_sees: Annotated[
        bool | None,
        typer.Option(
            "--owner-sees/--owner-sees-not",
            help="Whether the owner may see results of people who agree to that.",
        ),
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Change until when and from whom a study takes answers.

    Exit code 0: changed. 1: no such study, or a value does not fit.

    Example: penchant study change "Our next flat" --closes 2026-12-01 --quota 30
    """
    from penchant.studies import StudySettings

    asked = {"closes": closes, "quota": quota}
    asked |= {"open": is_open, "owner_sees": owner_sees}
    with open_study(data, study_name) as found:
        said = {key: value for key, value in asked.items() if value is not None}
        settings = StudySettings.from_dict(found.settings.to_dict() | said)
        found.store.update_study(found.id, settings=settings)
        found.reload()
        values = {"study": found.id, **taking_values(found)}
        tell(values, taking_words(found), as_json=as_json)


def taking_values(study: "Study") -> dict[str, Any]:
    """Say as plain values whether a study takes new people."""
    taking = study.taking()
    return {
        "state": taking.state,
        "closes": study.settings.closes,
        "quota": taking.quota,
        "n_finished": taking.n_finished,
    }


def taking_words(study: "Study") -> str:
    """Say whether a study takes new people, until when, and how many."""
    taking = study.taking()
    words = taking.reason or "The study takes new participants."
    if taking.open and taking.closes:
        until = f"{taking.closes:%Y-%m-%d %H:%M} UTC"
        words = f"The study takes new participants until {until}."
    if taking.quota:
        words += f" {taking.n_finished} of {taking.quota} have finished."
    return words


def share(
    study_name: StudyName,
    *,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="End the link instead of making one.")
    ] = False,
    address: Address = "",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Print a link to the result of the group, without names and to read only.

    The link before stops working. It is shown once and kept only as a hash.

    Example: penchant study share "Our next flat"
    """
    with open_study(data, study_name) as found:
        if withdraw:
            found.store.unshare_study(found.id)
            link = None
        else:
            link = f"{address.rstrip('/')}/g/{found.store.share_study(found.id)}"
    if as_json:
        write_json({"study": found.id, "link": link})
    else:
        typer.echo(link or "The link is withdrawn.")


def weigh(
    study_name: StudyName,
    person: Person,
    weight: Annotated[
        float, typer.Argument(help="1 counts once, 2 twice, 0 not at all.")
    ],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Say how often a participant counts in the results of the group.

    Exit code 0: kept. 1: no such study or person, or the weight does not fit.

    Example: penchant study weigh "Our next flat" Ada 2
    """
    with open_study(data, study_name) as found:
        who = find_person(found, person)
        found.weigh(who.id, weight)
    values = {"study": found.id, "participant": who.id, "weight": weight}
    words = f"{who.label or who.id[:8]} counts {weight:g} times."
    tell(values, words, as_json=as_json)


def find_person(study: "Study", words: str) -> "ParticipantRecord":
    """Find a participant by name or by the start of the identifier."""
    people = study.store.list_participants(study.id)
    named = [who for who in people if who.label == words]
    begun = [who for who in people if len(words) >= 4 and who.id.startswith(words)]
    if len(found := named or begun) == 1:
        return found[0]
    if found:
        ids = ", ".join(who.id[:8] for who in found)
        raise ParticipantNotFoundError(
            f"{len(found)} participants are meant by {words!r}: {ids}. Name an id."
        )
    raise ParticipantNotFoundError(
        f"No participant is called {words!r}. `penchant study show` lists them."
    )
