import io
import json
import stat
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from penchant.cli import _export


def test_study_goes_out_and_comes_back(asked: Any, run: Any, tmp_path: Path) -> None:
    there, token = asked
    file = tmp_path / "study.json"
    written = there.json("export", "Flats", "-o", file)
    assert (written["format"], written["bytes"]) == ("json", file.stat().st_size)
    assert token not in file.read_text()
    added = run.json("import", file)
    assert added["name"] == "Flats"
    (before,) = there.json("study", "show", "Flats")["participants"]
    (after,) = run.json("study", "show", added["study"])["participants"]
    assert after["n_answers"] == before["n_answers"]
    assert run.json("rank", "Flats")["items"] == there.json("rank", "Flats")["items"]
    assert "Imported 'Flats' as" in run.text("import", file)
    assert run("check").exit_code == 0


def test_answers_as_csv(asked: Any, tmp_path: Path) -> None:
    run, _ = asked
    file = tmp_path / "answers.csv"
    assert "Wrote" in run.text("export", "Flats", "-o", file)  # by its ending
    table = pd.read_csv(file, encoding="utf-8-sig")
    assert table["label"].unique().tolist() == ["Ada"]
    assert table["answer"][0] == "left"


def test_formulas_do_not_run(run: Any, tmp_path: Path) -> None:
    run.new("--max-questions", 6, "--max-regret", 0, table=run.HOSTILE)
    run("ask", "Flats", "--label", "=1+1", typed="1\n" * 6)
    file = tmp_path / "answers.csv"
    run.text("export", "Flats", "--format", "csv", "-o", file)
    table = pd.read_csv(file, encoding="utf-8-sig")
    shown = pd.concat([table["label"], table["item_1"], table["item_2"]])
    assert shown.str.contains("1+1", regex=False).any()
    assert not shown.str.match(r"[=+\-@\t\r]").any()


def test_results_are_a_workbook(asked: Any, tmp_path: Path) -> None:
    run, _ = asked
    file = tmp_path / "flats.xlsx"
    run.text("export", "Flats", "--format", "xlsx", "-o", file)
    ranked = run.json("rank", "Flats")["items"]
    table = pd.read_excel(file, "ranking")
    assert table["alternative"].tolist() == [item["name"] for item in ranked]


@pytest.mark.parametrize("command", [("export", "--format", "html"), ("report",)])
def test_report_is_one_page(
    asked: Any, tmp_path: Path, command: tuple[str, ...]
) -> None:
    run, _ = asked
    file = tmp_path / "report.html"
    run.text(*command, "Flats", "-o", file)
    page = file.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "Mill Lane 3" in page
    assert "<script" not in page
    assert "src=" not in page


def test_report_of_nobody_and_of_hostile_names(run: Any, tmp_path: Path) -> None:
    study = run.new(table=run.HOSTILE, name="<script>alert(1)</script>")
    file = tmp_path / "report.html"
    run.text("report", study, "-o", file)
    assert "<script" not in file.read_text(encoding="utf-8")


def test_standard_output_holds_the_file_and_nothing_else(asked: Any) -> None:
    run, _ = asked
    result = run("export", "Flats", "-o", "-", "--json")
    assert json.loads(result.stdout)["name"] == "Flats"


def test_files_that_are_there_stay(asked: Any, tmp_path: Path) -> None:
    run, _ = asked
    file = tmp_path / "study.json"
    file.write_text("mine")
    assert "exists already" in run.error("export", "Flats", "-o", file)
    assert file.read_text() == "mine"
    run.text("export", "Flats", "-o", file, "--force")
    assert json.loads(file.read_text())["name"] == "Flats"
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_interrupted_writing_leaves_nothing(
    asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, _ = asked

    def interrupt(_handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_export.os, "fsync", interrupt)
    result = run("export", "Flats", "-o", tmp_path / "study.json")
    assert result.exit_code != 0
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_fit(
    asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, _ = asked
    run.error("export", "Flats", "--format", "pdf", "-o", "x", code=2)
    assert "not 'pdf'" in run.error("export", "Flats", "-o", "x.pdf", code=2)
    run.error("export", "Flats", code=2)
    said = run.error("export", "Flats", "-o", tmp_path / "no" / "where.json")
    assert "is not there" in said
    file = tmp_path / "damaged.json"
    for content in ("{", "[]", '{"format": "penchant-study-1"}', "[" * 100_000):
        file.write_text(content)
        run.error("import", file)
    file.write_bytes(b"\xff\xfe\x00")
    assert "is not JSON" in run.error("import", file)
    monkeypatch.setattr(_export, "_MAX_BYTES", 2)
    assert "the most that is read" in run.error("import", file)
    run.error("import", tmp_path / "none.json", code=2)


def test_letters_that_a_terminal_lacks_are_numbers(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from penchant.cli._app import penchant

    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    penchant()
    print("名", file=stream, flush=True)
    assert stream.buffer.getvalue() == b"\\u540d\n"


def test_a_notebook_beside_the_study_loads_it(asked: Any, tmp_path: Path) -> None:
    run, _ = asked
    file = tmp_path / "study.json"
    run.text("export", "Flats", "-o", file, "--notebook")
    notebook = json.loads((tmp_path / "study.ipynb").read_text(encoding="utf-8"))
    code = "".join("".join(cell["source"]) for cell in notebook["cells"])
    assert "FILE = 'study.json'" in code
    assert json.loads(file.read_text(encoding="utf-8"))["name"] == "Flats"
    file.unlink()
    again = run("export", "Flats", "-o", file, "--notebook")
    assert again.exit_code == 1
    assert "exists already" in again.output
    assert not file.exists()
    wrong = run("export", "Flats", "--format", "csv", "-o", file, "--notebook")
    assert wrong.exit_code == 2


def test_report_tells_how_often_answers_were_foretold(run: Any, tmp_path: Path) -> None:
    run.new()
    said = run.text("report", "Flats", "--calibration")
    assert "No answer was predicted yet." in said
    found = run.json("report", "Flats", "--calibration")
    assert (found["n"], found["right"], found["fails"]) == (0, 0, False)
    assert "Name a file" in run.error("report", "Flats", code=2)
    file = tmp_path / "report.html"
    assert "Wrote" in run.text("report", "Flats", "--calibration", "-o", file)
    assert file.exists()
