"""Must-haves on the command line: options, how they are read, what is said of them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from penchant.cli._finding import find_study, open_store
from penchant.cli._options import AsJson, Data, StudyName
from penchant.cli._screen import Screen, write_json

if TYPE_CHECKING:
    from penchant.data import Items, Limits
    from penchant.studies import WhatFits

AtMost = Annotated[
    list[str],
    typer.Option(
        "--at-most",
        metavar="COLUMN=VALUE",
        help="What has more fails: price=900. May be repeated.",
    ),
]
AtLeast = Annotated[
    list[str],
    typer.Option(
        "--at-least",
        metavar="COLUMN=VALUE",
        help="What has less fails: rooms=2. May be repeated.",
    ),
]
OneOf = Annotated[
    list[str],
    typer.Option(
        "--one-of",
        metavar="COLUMN=LEVEL,LEVEL",
        help="What has another level fails: balcony=balcony,garden. May be repeated.",
    ),
]
Known = Annotated[
    list[str],
    typer.Option(
        "--known",
        metavar="COLUMN",
        help="What has no value here fails. May be repeated.",
    ),
]


def read_limits(
    items: "Items",
    at_most: Iterable[str],
    at_least: Iterable[str],
    one_of: Iterable[str],
    known: Iterable[str],
) -> "Limits":
    """Make limits of options, or say which cannot be read."""
    from penchant.data import Limits

    levels = _pairs("--one-of", one_of)
    return Limits.from_words(
        items,
        at_most=_pairs("--at-most", at_most),
        at_least=_pairs("--at-least", at_least),
        one_of={name: text.split(",") for name, text in levels.items()},
        known=known,
    )


def _pairs(option: str, entries: Iterable[str]) -> dict[str, str]:
    pairs = {}
    for entry in entries:
        name, equals, value = entry.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise typer.BadParameter(
                f"It must name a column and a value, as price=900. Got {entry!r}.",
                param_hint=option,
            )
        pairs[name] = value
    return pairs


def say_fits(items: "Items", found: "WhatFits", screen: Screen) -> None:
    """Write how many alternatives fit, and what would let more in."""
    screen.say(f"{found.n_fit} of {found.n_items} alternatives fit.")
    attributes = {each.name: each for each in items.attributes}
    for each in found.relaxations:
        if isinstance(each.value, float):
            value = attributes[each.attribute].format(each.value)
        else:
            value = each.value or "unknown"
        sign = {"at_most": "up to", "at_least": "from"}.get(each.bound, "may be")
        screen.say(f"{each.n_more} more if {each.attribute} {sign} {value}.")


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
    from dataclasses import replace

    from penchant.studies import WhatFits, check_limits

    with open_store(data) as store:
        study = find_study(store, study_name)
        wanted = read_limits(study.items, at_most, at_least, one_of, known)
        if wanted and none:
            raise typer.BadParameter("Give must-haves or --none, not both.")
        if wanted or none:
            check_limits(wanted, study.items)
            settings = replace(study.settings, limits=wanted)
            store.update_study(study.id, settings=settings)
        else:
            wanted = study.settings.limits
        found = WhatFits.among(study.items, type(wanted)(), wanted)
        if as_json:
            fits = {"n_fit": found.n_fit, "n_items": found.n_items}
            write_json({"limits": wanted.to_dict(), **fits})
        else:
            say_fits(study.items, found, Screen())
