"""`penchant items`: looking at a table of alternatives."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from penchant.cli._screen import plain
from penchant.exceptions import DataError

if TYPE_CHECKING:
    from penchant.data import Attribute, TableReport

__all__ = ["items"]

items = typer.Typer(no_args_is_help=True, help="Look at a table of alternatives.")

_DIRECTIONS = {"up": "more is better", "down": "less is better", "unknown": ""}


@items.callback()
def _items() -> None:
    """Look at a table of alternatives."""


@items.command()
def check(
    file: Annotated[
        Path,
        typer.Argument(exists=True, dir_okay=False, help="A CSV or XLSX file."),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the report as JSON.")
    ] = False,
) -> None:
    """Report rows, columns, their guessed meaning, and every problem.

    Exit code 0: the table can be used. 1: it has errors. 2: wrong usage.

    Example: penchant items check flats.csv
    """
    from penchant.data import Problem, TableReport, inspect_table, read_table

    try:
        report = inspect_table(read_table(file))
    except DataError as error:
        if not as_json:
            raise
        report = TableReport(0, (), (Problem(str(error)),))
    if as_json:
        typer.echo(json.dumps(report.to_dict(), ensure_ascii=False, indent=2))
    else:
        _show(report, Console())
    if not report.ok:
        raise typer.Exit(1)


def _show(report: "TableReport", console: Console) -> None:
    # Text objects, not strings: Rich would read brackets in a name as markup.
    n_columns = len(report.attributes) + (report.name_column is not None)
    console.print(f"{report.n_rows} rows, {n_columns} columns")
    named = "no column; they are called item 1, item 2 and so on"
    console.print(Text(plain(f"Names: {report.name_column or named}")))
    table = Table("Column", "Kind", "Direction", "Domain", box=None, pad_edge=False)
    for attribute in report.attributes:
        table.add_row(
            Text(plain(attribute.name)),
            attribute.kind,
            _DIRECTIONS[attribute.direction],
            Text(plain(_domain(attribute))),
        )
    console.print(table)
    for problem in report.problems:
        style = "bold red" if problem.severity == "error" else "yellow"
        label = Text(f"{problem.severity}: ", style=style)
        console.print(label + Text(plain(str(problem))))
    if not report.problems:
        console.print("No problems found.")


def _domain(attribute: "Attribute") -> str:
    if attribute.domain is None:
        return ""
    if attribute.kind == "numeric":
        return " to ".join(attribute.format(end) for end in attribute.domain)
    shown = ", ".join(attribute.levels[:8])
    hidden = len(attribute.levels) - 8
    return f"{shown} and {hidden} more" if hidden > 0 else shown
