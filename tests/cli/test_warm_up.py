"""What first uses compile, and the command that does it before somebody waits."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penchant.cli import _maintenance
from penchant.cli._app import app

MOST_COMPILED = {
    "GAI models": 20,
    "Choquet models": 6,
    "Rules": 0,
    "Gaussian processes": 30,
    "Explanations": 2,
    "Studies": 45,
}
"""Versions of compiled functions that each first use may add to those before it."""

COUNT = """
import json, sys
from numba.core import event
from penchant.cli._maintenance import FIRST_USES

compiled = event.RecordingListener()
event.register("numba:compile", compiled)
counts = {}
for name, use in FIRST_USES.items():
    compiled.buffer.clear()
    use()
    counts[name] = sum(e.is_start for _, e in compiled.buffer)
print(json.dumps(counts))
"""


def test_first_uses_compile_little(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", COUNT], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts.keys() == MOST_COMPILED.keys()
    above = {name: n for name, n in counts.items() if n > MOST_COMPILED[name]}
    assert not above


def test_each_case_is_used_and_has_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used: list[str] = []
    uses = {name: lambda name=name: used.append(name) for name in ("One", "Two")}
    monkeypatch.setattr(_maintenance, "FIRST_USES", uses)
    result = CliRunner().invoke(app, ["warm-up"])
    assert result.exit_code == 0
    assert used == ["One", "Two"]
    lines = result.stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == used
    assert all(line.endswith(" s") for line in lines)
