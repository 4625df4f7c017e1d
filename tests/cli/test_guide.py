"""The sessions of the guide to the command line, as a reader would type them."""

import base64
import random
import re
import secrets
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penchant.cli._app import app

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "command-line.md"
TABLE = re.compile(r"^:caption: flats.csv\n\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SESSION = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^ {4}#  \w.*$", re.MULTILINE)
NUMBER = re.compile(r"\b[0-9a-f]{8,}\b|[+\u2212]?\d[\d,.]*(?=[^\d,.]|$)")


def sessions() -> list[tuple[str, str, str]]:
    """Give each command of the page, what is typed into it, and what it says."""
    found = []
    for session in SESSION.findall(PAGE.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            typed = "".join(f"{key}\n" for key in re.findall(r"^> (\S+)", output, re.M))
            found.append((command, typed, re.sub(r"^> \S+", "> ", output, flags=re.M)))
    return found


def token(secret: bytes) -> str:
    return base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


def words(text: str) -> list[str]:
    # The numbers are those of one machine, and so is the order of alternatives that are
    # about as good; what they are about is compared.
    said = NUMBER.sub("#", text)
    rows = iter(sorted(ROW.findall(said), key=str.split))
    return ROW.sub(lambda _: next(rows), said).split()


def test_sessions_of_the_guide_are_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The same identifiers every time, and with them the same questions.
    rng = random.Random(1)
    monkeypatch.setattr(secrets, "token_hex", lambda n: rng.randbytes(n).hex())
    monkeypatch.setattr(secrets, "token_urlsafe", lambda n: token(rng.randbytes(n)))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    table = TABLE.search(PAGE.read_text(encoding="utf-8"))
    assert table is not None
    (tmp_path / "flats.csv").write_text(table[1])
    said = []
    for command, typed, expected in sessions():
        program, *args = shlex.split(command)
        assert program == "penchant"
        result = CliRunner().invoke(app, args, input=typed)
        assert result.exit_code == 0, result.output
        said.append((command, expected, result.stdout))
    assert len(said) > 8
    for command, expected, output in said:
        assert words(output) == words(expected), f"{command}\n{output}"
