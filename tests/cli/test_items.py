import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penchant.cli._app import app

GOOD = "name,rent,size\nMill,500,30\nHill,900,80\n"


@pytest.fixture
def run():
    runner = CliRunner()
    return lambda *args: runner.invoke(app, ["items", "check", *map(str, args)])


def write(folder: Path, content: str | bytes, name: str = "flats.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_good_table_is_reported(run, tmp_path: Path) -> None:
    result = run(write(tmp_path, GOOD))
    assert result.exit_code == 0
    assert "2 rows, 3 columns" in result.stdout
    assert "Names: name" in result.stdout
    assert "less is better" in result.stdout
    assert "500 to 900" in result.stdout
    assert "No problems found." in result.stdout


def test_report_as_json(run, tmp_path: Path) -> None:
    result = run(write(tmp_path, GOOD), "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert (report["ok"], report["rows"], report["name_column"]) == (True, 2, "name")
    assert [a["direction"] for a in report["attributes"]] == ["down", "up"]


def test_problems_name_row_and_column_and_set_the_exit_code(
    run, tmp_path: Path
) -> None:
    path = write(tmp_path, "name,rent\na,1\nb,two\nc,3\nd,\n")
    result = run(path)
    assert result.exit_code == 1
    assert "error: Row 3, column 'rent': 'two' is not a number" in result.stdout
    assert "warning: Row 5, column 'rent': 1 of 4 cells is missing" in result.stdout
    report = json.loads(run(path, "--json").stdout)
    assert not report["ok"]
    assert report["problems"][0]["row"] == 3
    assert report["problems"][0]["column"] == "rent"


def test_what_was_left_out_is_told_with_its_row(run, tmp_path: Path) -> None:
    table = "Cars of our own,,\nname,price,age\na,1,2\nb,3,4\nTotal,4,\n"
    said = run(write(tmp_path, table)).stdout
    assert said.startswith("2 rows, 3 columns\n")
    assert "title (row 1): Cars of our own" in said
    assert "total (row 5): Total" in said
    assert run(write(tmp_path, "name\na\nb\n")).stdout.startswith("2 rows, 1 column\n")


def test_warnings_alone_are_fine(run, tmp_path: Path) -> None:
    result = run(write(tmp_path, "name,rent\na,1\nb,\nc,3\n"))
    assert result.exit_code == 0
    assert "warning: Row 3" in result.stdout


def test_unreadable_table_is_one_sentence(run, tmp_path: Path) -> None:
    path = write(tmp_path, "")
    result = run(path)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("penchant: The file is empty.")
    assert "Traceback" not in result.output
    as_json = run(path, "--json")
    assert as_json.exit_code == 1
    assert "empty" in json.loads(as_json.stdout)["problems"][0]["message"]


def test_wrong_usage_has_exit_code_2(run, tmp_path: Path) -> None:
    assert run(tmp_path / "nothing.csv").exit_code == 2
    assert run().exit_code == 2
    assert run("--unheard-of").exit_code == 2


def test_brackets_in_names_are_not_markup(run, tmp_path: Path) -> None:
    result = run(write(tmp_path, "[red]id[/red],[/x]\na,[b]1\nb,[b]2\n"))
    assert result.exit_code == 0
    assert "Names: [red]id[/red]" in result.stdout
    assert "[/x]" in result.stdout
    assert "[b]1, [b]2" in result.stdout


def test_table_without_names_and_with_many_levels(run, tmp_path: Path) -> None:
    rows = "".join(f"{n},l{n % 12}\n" for n in range(40))
    result = run(write(tmp_path, f"rent,level\n{rows}"))
    assert "Names: no column" in result.stdout
    assert "and 4 more" in " ".join(result.stdout.split())


def test_empty_column_is_left_out(run, tmp_path: Path) -> None:
    result = run(write(tmp_path, "rent,blank\n1,\n2,\n"))
    assert result.exit_code == 0
    assert "the column is empty" in result.stdout


def test_ambiguous_column_shows_both_readings(run, tmp_path: Path) -> None:
    result = run(write(tmp_path, "Preise 2024;\nname;preis\na;1.299\nb;2.499\n"))
    words = " ".join(result.stdout.split())
    assert result.exit_code == 1
    assert "decimal point (1.299 → 1.299) or decimal comma (1.299 → 1299)" in words
    assert "title 1: Preise 2024" in words


def test_units_and_roles_are_told(run, tmp_path: Path) -> None:
    text = "name;platz;bild\na;1 TB;a.jpg\nb;64 GB;b.jpg\nc;32 GB;c.jpg\n"
    words = " ".join(run(write(tmp_path, text)).stdout.split())
    assert "platz: 'TB' converted to 'GB'" in words
    assert "bild picture" in words
