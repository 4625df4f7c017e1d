"""The commands that `penchant` has, and how their errors are shown."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from penchant import __version__
from penchant.cli._items import items
from penchant.cli._serve import serve
from penchant.exceptions import PenchantError

__all__ = ["app"]


class _Commands(TyperGroup):
    """Shows errors of penchant as one sentence and exits with code 1."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except PenchantError as error:
            typer.echo(f"penchant: {error}", err=True)
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


app.add_typer(items, name="items")
app.command()(serve)
