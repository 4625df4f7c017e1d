"""Options that several commands share."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

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
Force = Annotated[
    bool, typer.Option("--force", help="Overwrite a file that is there already.")
]


def say_data(data: str | None) -> str:
    """Repeat `--data` in a command that is shown; an address may hold a password."""
    if data is None:
        return ""
    return f" --data {'ADDRESS' if '://' in data else shlex.quote(data)}"
