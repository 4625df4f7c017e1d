"""Screen: where people read, with every text shown as text and nothing else."""

import json
import math
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any, Final

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

_UNSEEN: Final = frozenset(["Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"])
"""Kinds of characters that steer a terminal, turn the writing round, or hide."""

_JOINERS: Final = "\u200c\u200d"
"""Invisible, but emoji and some scripts are wrong without them."""

_ISOLATES: Final = "\u2066\u2067\u2068\u2069"
"""Marks around names for pages; terminals do not know them."""

_LONGEST_CELL = 60


def plain(text: str, longest: int | None = None) -> str:
    r"""Give a text that a terminal shows and never obeys.

    Parameters
    ----------
    text : str
        From anybody.
    longest : int, optional
        Longer texts are cut.

    Examples
    --------
    >>> plain("\x1b[31mred\x1b[0m")
    '\\x1b[31mred\\x1b[0m'
    """
    if longest is not None and len(text) > longest:
        text = f"{text[: longest - 1]}…"
    return "".join(map(_harmless, text))


def _harmless(letter: str) -> str:
    if letter in _ISOLATES:
        return ""
    if letter in _JOINERS or unicodedata.category(letter) not in _UNSEEN:
        return letter
    return letter.encode("unicode_escape").decode("ascii")


class Screen:
    """A terminal, or a file in its place.

    Parameters
    ----------
    err : bool
        Whether people read on standard error, because standard output is for a
        program.
    """

    def __init__(self, *, err: bool = False) -> None:
        self._err = err
        self._console = Console(
            stderr=err, highlight=False, markup=False, emoji=False, soft_wrap=False
        )

    def say(self, text: str = "", style: str = "") -> None:
        """Write a paragraph; lines of the text stay apart."""
        for line in text.split("\n"):
            self._console.print(Text(plain(line), style=style))

    def command(self, line: str) -> None:
        """Write a line that is there to be copied: it is never broken."""
        typer.echo(f"    {plain(line)}", err=self._err)

    def table(
        self,
        heads: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        numbers: Sequence[int] = (),
        styles: Sequence[str] = (),
    ) -> None:
        """Write a table.

        Parameters
        ----------
        heads : sequence of str
            Over the columns.
        rows : sequence of sequences of str
            The cells; long ones are cut.
        numbers : sequence of int
            Columns that are set to the right.
        styles : sequence of str
            Of the rows, if they differ.
        """
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for k, head in enumerate(heads):
            justify = "right" if k in numbers else "left"
            table.add_column(_cell(head), justify=justify)  # type: ignore[arg-type]
        for k, row in enumerate(rows):
            table.add_row(*map(_cell, row), style=styles[k] if styles else None)
        self._console.print(table)

    def choices(self, entries: Sequence[str]) -> None:
        """Write short texts beside each other; none is broken that fits on a line."""
        line = ""
        for entry in (plain(each, _LONGEST_CELL) for each in entries):
            if line and cell_len(line) + cell_len(entry) + 3 > self._console.width:
                self.say(line)
                line = ""
            line = f"{line}   {entry}" if line else entry
        self.say(line)

    def ask(self) -> str:
        """Read a line; typer.Abort if there is none."""
        typer.echo("> ", nl=False, err=self._err)
        line = sys.stdin.readline()
        if not line:
            raise typer.Abort
        return line.strip()

    def working(self, words: str) -> Any:
        """Show that something takes a while, in a `with`."""
        return self._console.status(Text(plain(words)))


def _cell(text: str) -> Text:
    return Text(plain(text, _LONGEST_CELL))


def tell(values: Any, words: str, *, as_json: bool) -> None:
    """Write what was done: plain values for a program, or a sentence for people."""
    if as_json:
        write_json(values)
    else:
        Screen().say(words)


def write_json(values: Any) -> None:
    """Write plain values to standard output, in ASCII; what is no number is null."""
    typer.echo(json.dumps(_finite(values), indent=2))


def _finite(values: Any) -> Any:
    if isinstance(values, dict):
        return {key: _finite(value) for key, value in values.items()}
    if isinstance(values, list | tuple):
        return [_finite(value) for value in values]
    if isinstance(values, float) and not math.isfinite(values):
        return None
    return values
