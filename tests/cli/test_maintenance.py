import sqlite3
from pathlib import Path
from typing import Any

import pytest


def test_backup_and_restore(asked: Any, run: Any, tmp_path: Path) -> None:
    there, token = asked
    file = tmp_path / "all.backup"
    assert there.json("backup", file)["studies"] == 1
    assert "exists already" in there.error("backup", file)
    assert "Restored 1 study" in run.text("restore", file)
    who = ("rank", "Flats", "--participant", token)
    assert run.json(*who) == there.json(*who)
    assert "empty store" in run.error("restore", file)
    again = tmp_path / "again.backup"
    assert "Saved 1 study" in run.text("backup", again)


def test_damaged_backup_leaves_the_store_empty(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "all.backup"
    file.write_text("nothing")
    assert "is not a backup" in run.error("restore", file)
    assert run.json("study", "list") == []
    run.error("restore", tmp_path / "none", code=2)


def test_restore_as_json(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "all.backup"
    run.text("backup", file)
    assert run.json("restore", file) == {"file": str(file), "studies": 0}


def test_check_finds_what_is_wrong(run: Any) -> None:
    run.new("--max-questions", 2, "--max-regret", 0)
    run("ask", "Flats", typed="1\n1\n")
    report = run.json("check")
    assert (report["ok"], report["n_studies"], report["n_answers"]) == (True, 1, 2)
    assert "No problems found." in run.text("check")
    database = sqlite3.connect(run.folder / "studies" / "penchant.sqlite")
    with database:
        database.execute("UPDATE events SET kind = '\x1b[31mx' WHERE kind='answered'")
    database.close()
    result = run("check")
    assert result.exit_code == 1
    assert "problem: study" in result.stdout
    assert "\x1b" not in result.stdout
    assert run("check", "--json").exit_code == 1


def test_many_problems_are_cut(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from penchant.studies import StoreProblem, StoreReport

    problems = (StoreProblem("s", None, None, "x"),) * 60
    report = StoreReport(1, 1, 1, 1, problems)
    monkeypatch.setattr("penchant.studies.check_store", lambda _store: report)
    result = run("check")
    assert result.exit_code == 1
    assert "and 10 more problems" in result.stdout


def test_migrate_says_what_it_did(run: Any) -> None:
    first = run.json("migrate")
    assert first["before"] is None
    again = run.json("migrate")
    assert again["before"] == again["after"] == first["after"]
    assert f"has the form {first['after']} already" in run.text("migrate")


def test_migrate_of_nothing_and_of_something_else(run: Any) -> None:
    assert "was brought from nothing to" in run.text("migrate")
    (run.folder / "studies" / "penchant.sqlite").write_bytes(b"no database" * 100)
    assert "is not a database" in run.error("migrate")


def test_passwords_in_addresses_are_not_shown(tmp_path: Path) -> None:
    from penchant.cli._options import say_data

    assert say_data(None) == ""
    assert say_data("/my studies") == " --data '/my studies'"
    assert say_data("postgresql://me:secret@host/db") == " --data ADDRESS"


def test_a_backup_is_checked_without_being_touched(asked: Any, tmp_path: Path) -> None:
    there, _ = asked
    file = tmp_path / "all.backup"
    there.text("backup", file)
    before = file.read_bytes()
    report = there.json("check", "--backup", file)
    assert (report["ok"], report["n_studies"]) == (True, 1)
    database = sqlite3.connect(file)
    with database:
        database.execute("UPDATE events SET at = '2026-01-01 00:00:00.000000'")
    database.close()
    assert there("check", "--backup", file).exit_code == 1
    file.write_bytes(before)
    assert there("check", "--backup", file).exit_code == 0
    assert file.read_bytes() == before


def test_migrate_goes_back_for_an_older_version(asked: Any) -> None:
    there, token = asked
    newest = there.json("migrate")["after"]
    assert there.json("migrate", "--to", "0003")["after"] == "0003"
    database = sqlite3.connect(there.folder / "studies" / "penchant.sqlite")
    columns = [row[1] for row in database.execute("PRAGMA table_info(events)")]
    database.close()
    assert "digest" not in columns
    assert there.json("migrate") == {"before": "0003", "after": newest}
    assert there.json("check")["ok"]
    assert there.json("rank", "Flats", "--participant", token)
    assert "Upgrade penchant" in there.error("migrate", "--to", "0099")


def test_tidy_says_what_it_forgot(asked: Any) -> None:
    there, _ = asked
    words = there.text("tidy", "--days", "30")
    assert "Forgotten: 0 uploads, 0 logins, 0 participants." in words
    gone = there.json("tidy", "--days", "1e-9")
    assert gone["participants"] == 1
    assert "more than 0 days" in there.error("tidy", "--days", "0")
