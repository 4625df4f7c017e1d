"""A folder of studies, and commands that run in it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from penchant.cli._app import app

FLATS = """name,rent,size,noise,view
Mill Lane 3,500,30,quiet,sea
High Street 1,900,80,busy,yard
Kiln Row 7,700,55,quiet,sea
Dock Road 12,650,60,busy,sea
Hill View 5,1100,95,quiet,yard
"""

HOSTILE = (
    "name,[red]rent[/red],=1+1\n"
    '"\x1b[31mred\x1b[0m",500,3\n'
    "=cmd|' /C calc'!A0,900,8\n"
    "[bold]x[/bold][/y],700,5\n"
    "\u202eevil\u202c,650,4\n"
    f"{'long' * 2500},600,7\n"
)


class Commands:
    """Runs commands in one folder of studies."""

    HOSTILE = HOSTILE

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runner = CliRunner()

    def __call__(self, *args: object, typed: str | None = None) -> Any:
        words = [*map(str, args), "--data", str(self.folder / "studies")]
        return self._runner.invoke(app, words, input=typed)

    def json(self, *args: object, typed: str | None = None) -> Any:
        """Run a command that must succeed, and read its JSON."""
        result = self(*args, "--json", typed=typed)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    def text(self, *args: object, typed: str | None = None) -> str:
        """Run a command that must succeed; give its output without line breaks."""
        result = self(*args, typed=typed)
        assert result.exit_code == 0, result.output
        return " ".join(result.stdout.split())

    def error(self, *args: object, code: int = 1, typed: str | None = None) -> str:
        """Run a command that must fail without a trace; give what it says."""
        result = self(*args, typed=typed)
        assert result.exit_code == code, result.output
        assert isinstance(result.exception, SystemExit)
        said = " ".join(result.stderr.replace("│", " ").split())
        assert "Traceback" not in said
        return said

    def new(self, *args: object, table: str = FLATS, name: str = "Flats") -> str:
        """Make a study and give its id."""
        file = self.folder / "table.csv"
        file.write_text(table, encoding="utf-8")
        made = self.json("study", "new", file, "--name", name, *args)
        study_id: str = made["id"]
        return study_id


@pytest.fixture
def run(tmp_path: Path) -> Commands:
    return Commands(tmp_path)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Commands, str]:
    """Commands on a study "Flats" with one participant, and the participant's token."""
    run = Commands(tmp_path_factory.mktemp("asked"))
    run.new("--max-questions", 4)
    found = run.json("ask", "Flats", "--label", "Ada", typed="1\n2\n1\n1\n")
    assert found["n_answers"] == 4 or found["finished"] == "sure"
    return run, found["participant"]


@pytest.fixture
def is_harmless() -> Callable[[str], bool]:
    """Whether a terminal would show a text and nothing else."""
    forbidden = "\x1b\x9b\u202e\u202c"
    return lambda text: not any(letter in text for letter in forbidden)
