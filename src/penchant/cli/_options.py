"""Options that several commands share."""

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from penchant.cli._screen import Screen
    from penchant.data import Items, Limits
    from penchant.studies import WhatFits

Data = Annotated[
    str | None,
    typer.Option(
        "--data",
        envvar="PENCHANT_DATABASE",
        metavar="PATH",
        help="Where studies are kept: a folder, a .sqlite file or a database "
        "address. By default a folder of yours.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON, for programs.")]
StudyName = Annotated[
    str,
    typer.Argument(
        metavar="STUDY",
        show_default=False,
        help="The study: its id, the beginning of its id, or its name.",
    ),
]
Participant = Annotated[
    str | None,
    typer.Option(
        "--participant",
        metavar="TOKEN",
        help="Who: the secret part of a participant's link, or the whole link.",
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        show_default=False,
        help="Where to write; - is standard output.",
    ),
]
Address = Annotated[
    str,
    typer.Option(
        "--public-url",
        envvar="PENCHANT_PUBLIC_URL",
        metavar="ADDRESS",
        help="What stands before the link, such as https://example.org.",
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="Overwrite a file that is there already.")
]
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


def say_data(data: str | None) -> str:
    """Repeat `--data` in a command that is shown; an address may hold a password."""
    if data is None:
        return ""
    return f" --data {'ADDRESS' if '://' in data else shlex.quote(data)}"


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


def say_fits(items: "Items", found: "WhatFits", screen: "Screen") -> None:
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
