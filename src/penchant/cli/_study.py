"""`penchant study`: making studies and looking at them."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli._finding import open_store, open_study
from penchant.cli._options import (
    AsJson,
    AtLeast,
    AtMost,
    Data,
    Known,
    OneOf,
    StudyName,
    read_limits,
    say_data,
    say_fits,
)
from penchant.cli._owner import find_owner
from penchant.cli._running import change, share, taking_values, taking_words, weigh
from penchant.cli._screen import Screen, tell, write_json
from penchant.cli._table import table
from penchant.exceptions import DataError

if TYPE_CHECKING:
    from penchant.data import Attribute
    from penchant.studies import (
        Noun,
        Participation,
        PersonQuestion,
        Store,
        Study,
        StudySummary,
    )

study = typer.Typer(no_args_is_help=True, help="Make studies and look at them.")
study.command()(change)
study.command()(share)
study.command()(weigh)

study.add_typer(table, name="table")

_DIRECTIONS = {"up": "more is better", "down": "less is better", "unknown": ""}


@study.command()
def new(
    file: Annotated[
        Path | None,
        typer.Argument(
            exists=True, dir_okay=False, help="The alternatives: a CSV or XLSX file."
        ),
    ] = None,
    *,
    template: Annotated[
        str,
        typer.Option(
            help="Begin with an invented table instead of a file: flats, candidates, "
            "suppliers, holidays or features. Settings are its own."
        ),
    ] = "",
    name: Annotated[
        str, typer.Option(help="As people read it; by default that of the file.")
    ] = "",
    question: Annotated[
        str,
        typer.Option(help="Form of the questions: pair, best-worst, rating, ranking."),
    ] = "pair",
    max_questions: Annotated[
        int, typer.Option(min=1, max=1000, help="Most questions to one participant.")
    ] = 25,
    max_regret: Annotated[
        float,
        typer.Option(
            min=0.0,
            help="Stop asking when this little is expected to be lost, in standard "
            "deviations of utility.",
        ),
    ] = 0.1,
    intro: Annotated[str, typer.Option(help="Text that participants read first.")] = "",
    consent: Annotated[
        str, typer.Option(help="Text that participants must agree to first.")
    ] = "",
    thanks: Annotated[
        str, typer.Option(help="Text that participants read with their result.")
    ] = "",
    about: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Questions about people: a file of `penchant study questions --json`.",
        ),
    ] = None,
    language: Annotated[
        list[str],
        typer.Option(help="Languages to choose from: en, fr, de. Repeat for several."),
    ] = ["en", "fr", "de"],  # noqa: B006 - Typer copies it
    noun: Annotated[
        list[str],
        typer.Option(
            metavar="[LANGUAGE:]ONE/SEVERAL",
            help="What an alternative is called: flat/flats, or "
            "fr:appartement/appartements. Repeat for several languages.",
        ),
    ] = [],  # noqa: B006 - as above
    closes: Annotated[
        str,
        typer.Option(
            help="Nobody new joins from then on: 2026-12-01 or 2026-12-01T18:00, in "
            "UTC unless it names another zone."
        ),
    ] = "",
    quota: Annotated[
        int,
        typer.Option(
            min=0, help="Nobody new joins when so many have finished. 0: no limit."
        ),
    ] = 0,
    help_each_other: Annotated[
        bool,
        typer.Option(
            "--help-each-other/--alone",
            help="Whether earlier answers shape the questions to later participants.",
        ),
    ] = True,
    up: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="More is better here. May be repeated."),
    ] = [],  # noqa: B006 - as above
    down: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="Less is better here. May be repeated."),
    ] = [],  # noqa: B006 - as above
    skip: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="Leave this column out. May be repeated."),
    ] = [],  # noqa: B006 - as above
    read: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN=READING",
            help="How a column is read that can be read in several ways. "
            "May be repeated.",
        ),
    ] = [],  # noqa: B006 - as above
    pictures: Annotated[
        list[Path],
        typer.Option(
            exists=True,
            dir_okay=False,
            help="A picture that the table names, or a ZIP of them. May be repeated.",
        ),
    ] = [],  # noqa: B006 - as above
    at_most: AtMost = [],  # noqa: B006 - as above
    at_least: AtLeast = [],  # noqa: B006 - as above
    one_of: OneOf = [],  # noqa: B006 - as above
    known: Known = [],  # noqa: B006 - as above
    owner: Annotated[
        str, typer.Option(help="Whose it is on a server with logins.")
    ] = "",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Make a study of a table of alternatives, or of a template.

    What the columns mean is guessed, as `penchant items check` shows it.
    Exit code 0: made. 1: the table or a setting does not fit. 2: wrong usage.

    Example: penchant study new flats.csv --name "Our next flat" --noun flat/flats
    """
    if (file is None) == (not template):
        raise typer.BadParameter("Give a file or --template, one of both.")
    if file is None:
        _from_template(template, name, language[0], owner, data, as_json)
        return
    from penchant.cli._table_file import read_study_table
    from penchant.studies import (
        StudySettings,
        check_limits,
        picture_names,
        read_pictures,
    )

    settings = StudySettings(
        question=question,
        max_questions=max_questions,
        max_regret=max_regret,
        consent=consent,
        languages=tuple(language),
        intro=intro,
        thanks=thanks,
        about=() if about is None else _read_about(about),
        nouns=tuple(_noun(words, language[0]) for words in noun),
        help_each_other=help_each_other,
        closes=closes,
        quota=quota,
    )
    readings = dict(entry.rpartition("=")[::2] for entry in read)
    title, items, notes = read_study_table(
        file, name=name, up=up, down=down, skip=skip, readings=readings
    )
    seen = read_pictures((path.name, path.read_bytes()) for path in pictures)
    wanted = read_limits(items, at_most, at_least, one_of, known)
    check_limits(wanted, items)
    with open_store(data) as store:
        study_id = store.create_study(
            title,
            items,
            settings=replace(settings, limits=wanted),
            owner=_owner_id(store, owner),
            pictures=[each for each in seen if each.name in picture_names(items)],
        )
        _show_made(store, study_id, notes, data, as_json)


def _from_template(
    template: str, name: str, language: str, owner: str, data: Any, as_json: bool
) -> None:
    """Make a study of a table that is shipped."""
    from penchant.studies import study_template

    chosen = study_template(template)
    with open_store(data) as store:
        owner_id = _owner_id(store, owner)
        made = chosen.create(store, title=name, language=language, owner=owner_id)
        _show_made(store, made, (), data, as_json)


def _show_made(
    store: "Store", study_id: str, notes: Sequence[Any], data: Any, as_json: bool
) -> None:
    from penchant.studies import Study

    made = Study(store, study_id)
    if as_json:
        write_json(_details(made))
        return
    screen = Screen()
    for note in notes:
        screen.say(f"warning: {note}", style="yellow")
    _show_attributes(made.items.attributes, screen)
    n_items = len(made.items)
    screen.say(f"Made {made.record.name!r} of {n_items} alternatives. Ask with")
    screen.command(f"penchant ask {made.id[:8]}{say_data(data)}")


def _noun(words: str, first_language: str) -> "Noun":
    """Read what an alternative is called."""
    from penchant.studies import Noun

    language, colon, both = words.rpartition(":")
    one, slash, several = both.partition("/")
    if not slash or (colon and not language):
        raise typer.BadParameter(
            "It must name one and several alternatives, as flat/flats or "
            f"fr:appartement/appartements. Got {words!r}.",
            param_hint="--noun",
        )
    return Noun(language or first_language, one.strip(), several.strip())


def _read_about(file: Path) -> "tuple[PersonQuestion, ...]":
    """Read questions about people from a file."""
    from penchant.studies import StudySettings

    try:
        values = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        raise DataError(
            f"{str(file)!r} is not JSON. It must be a list of questions such as "
            '[{"name": "age", "kind": "number"}].'
        ) from None
    return StudySettings.from_dict({"about": values}).about


@study.command()
def questions(
    study_name: StudyName,
    file: Annotated[
        Path | None,
        typer.Option(
            "--from",
            exists=True,
            dir_okay=False,
            help="Ask these instead: a JSON file with a list of questions.",
        ),
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Show the questions about people, or ask others.

    A question has a name, a kind (text, number, choice, choices) and may have
    when (before, after), required, options, and wording and option_words by
    language. Numbers and choices asked before the choices help to ask less.

    Exit code 0: shown or changed. 1: no such study, or a question does not fit.
    2: wrong usage.

    Example: penchant study questions "Our next flat" --from questions.json
    """
    with open_study(data, study_name) as found:
        settings = found.settings
        if file is not None:
            settings = replace(settings, about=_read_about(file))
            found.store.update_study(found.id, settings=settings)
    if as_json:
        write_json(settings.to_dict()["about"])
        return
    screen = Screen()
    if not settings.about:
        screen.say("People are asked nothing about themselves.")
        return
    rows = [
        (each.name, each.kind, each.when, "yes" if each.required else "", each.ask(""))
        for each in settings.about
    ]
    screen.table(("Name", "Kind", "When", "Needed", "Question"), rows)


def _owner_id(store: "Store", name: str) -> str | None:
    return find_owner(store, name).id if name else None


@study.command()
def limits(
    study_name: StudyName,
    at_most: AtMost = [],  # noqa: B006 - Typer copies it
    at_least: AtLeast = [],  # noqa: B006 - as above
    one_of: OneOf = [],  # noqa: B006 - as above
    known: Known = [],  # noqa: B006 - as above
    none: Annotated[
        bool, typer.Option("--none", help="No must-haves any more.")
    ] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Show the must-haves of a study, or set new ones for everybody.

    What fails one of them is neither asked about nor recommended. Options
    replace those before; without any the study stays as it is.

    Exit code 0: shown or set. 1: no such study, or nothing fits. 2: wrong usage.

    Example: penchant study limits "Our next flat" --at-most price=900
    """
    from penchant.studies import WhatFits, check_limits

    with open_study(data, study_name) as found:
        wanted = read_limits(found.items, at_most, at_least, one_of, known)
        if wanted and none:
            raise typer.BadParameter("Give must-haves or --none, not both.")
        if wanted or none:
            check_limits(wanted, found.items)
            settings = replace(found.settings, limits=wanted)
            found.store.update_study(found.id, settings=settings)
        else:
            wanted = found.settings.limits
        fits = WhatFits.among(found.items, type(wanted)(), wanted)
        if as_json:
            counts = {"n_fit": fits.n_fit, "n_items": fits.n_items}
            write_json({"limits": wanted.to_dict(), **counts})
        else:
            say_fits(found.items, fits, Screen())


@study.command(name="list")
def list_studies(data: Data = None, as_json: AsJson = False) -> None:
    """List the studies, the newest first.

    Example: penchant study list
    """
    with open_store(data) as store:
        found = store.list_studies()
    if as_json:
        write_json([_summary(one) for one in found])
        return
    screen = Screen()
    if not found:
        screen.say("There are no studies yet. Make one: penchant study new FILE")
        return
    heads = ("Id", "Name", "Alternatives", "Participants", "Made")
    rows = [
        (
            one.id[:8],
            one.name,
            f"{one.n_items}",
            _people(one.n_participants, one.n_simulated),
            f"{one.created:%Y-%m-%d}",
        )
        for one in found
    ]
    screen.table(heads, rows, numbers=(2,))


def _people(n_real: int, n_simulated: int) -> str:
    return f"{n_real} + {n_simulated} simulated" if n_simulated else f"{n_real}"


def _summary(one: "StudySummary") -> dict[str, Any]:
    values = asdict(one)
    return values | {
        "created": one.created.isoformat(),
        "settings": one.settings.to_dict(),
    }


@study.command()
def show(study_name: StudyName, data: Data = None, as_json: AsJson = False) -> None:
    """Show the settings, the alternatives and the participants of a study.

    Example: penchant study show "Our next flat"
    """
    with open_study(data, study_name) as found:
        if as_json:
            write_json(_details(found))
        else:
            _show(found, Screen())


@study.command(name="copy")
def copy(
    study_name: StudyName,
    *,
    name: Annotated[str, typer.Option(help="Of the copy; by default the same.")] = "",
    participants: Annotated[
        bool,
        typer.Option(
            "--participants/--no-participants",
            help="Whether people and their answers come along.",
        ),
    ] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Make a copy of a study, with or without its participants.

    Example: penchant study copy "Our next flat" --name "Our second flat"
    """
    from penchant.studies import Study, duplicate_study

    with open_study(data, study_name) as found:
        made = duplicate_study(
            found.store, found.id, name=name or None, participants=participants
        )
        copied = Study(found.store, made)
        words = f"Made {copied.record.name!r}: {made}"
        tell(_details(copied), words, as_json=as_json)


def _details(found: "Study") -> dict[str, Any]:
    record = found.record
    return {
        "id": record.id,
        "name": record.name,
        "demo": record.demo,
        "created": record.created.isoformat(),
        "owner": record.owner,
        "settings": record.settings.to_dict(),
        "version": record.version,
        "taking": taking_values(found),
        "items": list(record.items.names),
        "withdrawn": [record.items.names[place] for place in record.withdrawn],
        "attributes": [each.to_dict() for each in record.items.attributes],
        "participants": [
            {
                "id": person.id,
                "label": person.label,
                "simulated": person.simulated,
                "state": now.state,
                "n_answers": len(now.answered),
                "weight": now.weight,
                "about": dict(now.about),
            }
            for person, now in _standing(found)
        ],
    }


def _standing(found: "Study") -> list[tuple[Any, "Participation"]]:
    """Give where everybody stands: how far, never what they chose."""
    people = found.store.list_participants(found.id)
    return [(person, found.participation(person.id)) for person in people]


def _show(found: "Study", screen: Screen) -> None:
    record, settings = found.record, found.settings
    screen.say(record.name, style="bold")
    screen.say(f"{record.id}, made on {record.created:%Y-%m-%d}")
    screen.say(
        f"{taking_words(found)} It asks at most {settings.max_questions} questions of "
        f"the form {settings.question!r}, in {', '.join(settings.languages)}."
    )
    screen.say()
    _show_attributes(record.items.attributes, screen)
    screen.say()
    heads = ["Alternative", *(each.name for each in record.items.attributes)]
    rows = [
        (name, *record.items.describe(row).values())
        for row, name in enumerate(record.items.names)
        if row not in record.withdrawn
    ]
    screen.table(heads, rows)
    screen.say()
    _show_people(found, screen)


def _show_attributes(attributes: "tuple[Attribute, ...]", screen: Screen) -> None:
    rows = [
        (each.name, each.kind, _DIRECTIONS[each.direction], each.unit)
        for each in attributes
    ]
    screen.table(("Column", "Kind", "Direction", "Unit"), rows)


def _show_people(found: "Study", screen: Screen) -> None:
    standing = _standing(found)
    real = [(who, now) for who, now in standing if not who.simulated]
    n_simulated = len(standing) - len(real)
    screen.say(f"Participants: {_people(len(real), n_simulated)}")
    rows = [
        (
            person.label or person.id[:8],
            now.state,
            f"{len(now.answered)}",
            f"{now.weight:g}",
        )
        for person, now in real
    ]
    if rows:
        heads = ("Participant", "State", "Answers", "Weight")
        screen.table(heads, rows, numbers=(2, 3))
