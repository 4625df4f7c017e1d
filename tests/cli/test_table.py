"""`penchant study table` and `penchant study copy`."""

from pathlib import Path
from typing import Any


def test_a_table_is_changed_step_by_step(run: Any, tmp_path: Path) -> None:
    study = run.new()
    correct = ("study", "table", "correct", study, "Mill")
    said = run.text(*correct, "--set", "rent=520", "--note", "typing error")
    assert "value: rent of Mill Lane 3: 500 → 520" in said
    assert "This is version 2 of the table." in said
    run.text(*correct, "--name", "Mill Lane 4")
    run.text("study", "table", "withdraw", study, "Dock", "Hill")
    run.text("study", "table", "restore", study, "Hill View 5")
    run.text("study", "table", "add", study, "New Row", "--set", "rent=700")
    found = run.json("study", "table", "column", study, "rent", "--direction", "up")
    assert [each["kind"] for each in found["changes"]] == ["direction"]
    assert found["withdrawn"] == ["Dock Road 12"]
    file = tmp_path / "new.csv"
    file.write_text("name,rent\nNew Row,705\nKiln Row 7,700\n")
    replace = ("study", "table", "replace", study, file)
    assert "would be" in run.text(*replace, "--missing", "keep", "--look")
    run.text(*replace, "--missing", "keep")
    said = run.text("study", "table", "show", study)
    assert "Version 8" in said
    assert "typing error" in said
    assert len(run.json("study", "table", "show", study)) == 8
    shown = run.json("study", "show", study)
    assert (shown["version"], shown["withdrawn"]) == (8, ["Dock Road 12"])
    assert "Dock Road" not in run.text("study", "show", study)


def test_what_does_not_fit_is_refused(run: Any, tmp_path: Path) -> None:
    study = run.new()
    table = ("study", "table")
    assert run(*table, "withdraw", study, "Nowhere").exit_code == 1
    assert run(*table, "correct", study, "Mill", "--set", "rent").exit_code == 2
    assert run(*table, "correct", study, "Mill", "--set", "rent=500").exit_code == 1
    file = tmp_path / "new.csv"
    file.write_text("name,rent\nMill Lane 3,705\n")
    assert run(*table, "replace", study, file).exit_code == 1
    odd = run(*table, "replace", study, file, "--missing", "forget")
    assert odd.exit_code == 2


def test_a_study_is_copied(run: Any) -> None:
    study = run.new()
    said = run.text("study", "copy", study, "--name", "Second")
    assert "Made 'Second'" in said
    made = run.json("study", "copy", "Second", "--participants")
    assert made["name"] == "Second"
