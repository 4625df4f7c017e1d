"""The commands that `penchant` has, and how their errors are shown."""

import io
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from penchant import __version__
from penchant.cli._ask import ask
from penchant.cli._export import export, import_, report
from penchant.cli._items import items
from penchant.cli._maintenance import backup, check, migrate, restore, tidy, warm_up
from penchant.cli._owner import owner
from penchant.cli._rank import explain, rank
from penchant.cli._screen import plain
from penchant.cli._serve import serve
from penchant.cli._simulate import simulate
from penchant.cli._study import study
from penchant.cli.learned import learn, plot, predict, why
from penchant.exceptions import MissingExtraError, PenchantError


def main() -> None:
    """Run the `penchant` command."""
    try:
        import typer  # noqa: F401 - only whether it is there
    except ImportError:
        sys.exit(str(MissingExtraError("typer", "app")))
    from penchant.cli._app import app

    app()


class _Commands(TyperGroup):
    """Shows errors of penchant as one sentence and exits with code 1."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except PenchantError as error:
            # Line by line: a name in the message must not steer the terminal.
            lines = map(plain, f"penchant: {error}".split("\n"))
            typer.echo("\n".join(lines), err=True)
            raise typer.Exit(1) from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"penchant {__version__}")
        raise typer.Exit


@app.callback()
def penchant(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    """Learn what people value, ask little, recommend, and say why."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a letter of a name shows its number.
            stream.reconfigure(errors="backslashreplace")


app.add_typer(items, name="items")
app.add_typer(study, name="study")
app.command()(ask)
app.command()(rank)
app.command()(explain)
app.command()(simulate)
app.command()(learn)
app.command()(predict)
app.command()(why)
app.command()(plot)
app.command()(serve)
app.add_typer(owner, name="owner")
app.command()(export)
app.command(name="import")(import_)
app.command()(report)
app.command()(backup)
app.command()(restore)
app.command()(check)
app.command()(migrate)
app.command()(tidy)
app.command()(warm_up)
