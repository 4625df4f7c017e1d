import runpy
import sys

import pytest
from typer.testing import CliRunner

import penchant
from penchant.cli import main
from penchant.cli._app import app


def test_help_lists_the_commands() -> None:
    result = CliRunner().invoke(app, ["--help"])
    assert result.exit_code == 0
    assert "serve" in result.stdout
    assert "items" in result.stdout


def test_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (
        0,
        f"penchant {penchant.__version__}\n",
    )


def test_unknown_command_has_exit_code_2() -> None:
    assert CliRunner().invoke(app, ["unheard-of"]).exit_code == 2


def test_main_runs_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["penchant", "--version"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 0
    assert penchant.__version__ in capsys.readouterr().out


def test_python_m_runs_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["penchant", "--version"])
    with pytest.raises(SystemExit) as stop:
        runpy.run_module("penchant", run_name="__main__")
    assert stop.value.code == 0
    assert penchant.__version__ in capsys.readouterr().out


def test_missing_typer_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typer", None)
    monkeypatch.delitem(sys.modules, "penchant.cli._app", raising=False)
    with pytest.raises(SystemExit) as stop:
        main()
    # A text as exit status goes to stderr, and the exit code is 1.
    assert isinstance(stop.value.code, str)
    assert "'typer'" in stop.value.code
    assert "pip install 'penchant[app]'" in stop.value.code
