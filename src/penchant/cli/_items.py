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
    from penchant.data import Attribute, ColumnReading, FileReading, ReadingReport

items = typer.Typer(no_args_is_help=True, help="Look at a table of alternatives.")

_DIRECTIONS = {"up": "more is better", "down": "less is better", "unknown": ""}


@items.callback()
def _items() -> None:
    """Look at a table of alternatives."""


@items.command()
def check(
    file: Annotated[
        Path,
        typer.Argument(
            exists=True, dir_okay=False, help="CSV, TSV, XLSX, ODS, JSON, ..."
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the report as JSON.")
    ] = False,
) -> None:
    """Report how a table is understood: its file, its columns, and every problem.

    Exit code 0: the table can be used. 1: it has errors, or a column can be read in
    two ways. 2: wrong usage.

    Example: penchant items check flats.csv
    """
    from penchant.data import Problem, ReadingReport, inspect_table, read_table

    try:
        report = inspect_table(read_table(file))
    except DataError as error:
        if not as_json:
            raise
        report = ReadingReport(0, (), (Problem(str(error)),))
    if as_json:
        typer.echo(json.dumps(report.to_dict(), ensure_ascii=False, indent=2))
    else:
        _show(report, Console())
    if not report.ok:
        raise typer.Exit(1)


def _show(report: "ReadingReport", console: Console) -> None:
    # Text objects, not strings: Rich would read brackets in a name as markup.
    n_rows, n_columns = report.n_rows, len(report.columns)
    columns = f"{n_columns} column{'s' * (n_columns != 1)}"
    console.print(f"{n_rows} row{'s' * (n_rows != 1)}, {columns}")
    for line in _about_file(report.file):
        console.print(Text(plain(line)))
    named = "no column; they are called item 1, item 2 and so on"
    console.print(Text(plain(f"Names: {report.name_column or named}")))
    heads = ("Column", "Kind", "Direction", "Domain", "Read as")
    table = Table(*heads, box=None, pad_edge=False)
    for column in report.columns:
        if column.role != "name":
            table.add_row(*(Text(plain(cell)) for cell in _cells(column)))
    console.print(table)
    for column in report.columns:
        for told in column.converted:
            console.print(Text(plain(f"{column.name}: {told}")))
    for column in report.ambiguous:
        console.print(Text("choose: ", style="bold red") + Text(plain(_ways(column))))
    for problem in report.problems:
        style = "bold red" if problem.severity == "error" else "yellow"
        label = Text(f"{problem.severity}: ", style=style)
        console.print(label + Text(plain(str(problem))))
    if not report.problems and not report.ambiguous:
        console.print("No problems found.")


def _about_file(file: "FileReading") -> list[str]:
    """Say how the file was taken apart."""
    parts = [file.format.upper(), file.encoding, file.sheet and f"sheet {file.sheet}"]
    lines = [f"File: {', '.join(part for part in parts if part)}"]
    others = [sheet for sheet in file.sheets if sheet != file.sheet]
    if others:
        lines.append(f"Other sheets: {', '.join(others)}")
    for each in file.left_out:
        places = ", ".join(map(str, each.places[:5]))
        more = " and more" if len(each.places) > 5 else ""
        text = f": {each.text}" if each.text else ""
        counted = "column" if each.what in ("empty column", "same header") else "row"
        where = f"{counted} {places}{more}"
        lines.append(f"Not taken as it stands: {each.what} ({where}){text}")
    return lines


def _cells(column: "ColumnReading") -> tuple[str, ...]:
    before, after = column.examples[0] if column.examples else ("", "")
    shown = f" ({before} → {after})" if before != after else ""
    attribute = column.attribute
    if attribute is None:
        return column.name, column.role, "", "", column.reading
    direction = _DIRECTIONS[attribute.direction]
    read = f"{column.reading}{shown}"
    return column.name, attribute.kind, direction, _domain(attribute), read


def _ways(column: "ColumnReading") -> str:
    ways = " or ".join(f"{c.label} ({c.example})" for c in column.choices)
    return f"Column {column.name!r} can be read as {ways}"


def _domain(attribute: "Attribute") -> str:
    if attribute.domain is None:
        return ""
    if attribute.kind == "numeric":
        return " to ".join(attribute.format(end) for end in attribute.domain)
    shown = ", ".join(attribute.levels[:8])
    hidden = len(attribute.levels) - 8
    return f"{shown} and {hidden} more" if hidden > 0 else shown
