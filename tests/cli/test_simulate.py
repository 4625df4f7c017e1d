from pathlib import Path
from typing import Any

import pytest

from penchant.studies import SqlStore, store_url
from penchant.studies._population import refit


def test_table_and_json_say_the_same(asked: Any) -> None:
    run, _ = asked
    options = ("--people", 6, "--questions", 3, "--wrong", 0, "--policy", "random-pair")
    found = run.json("simulate", "Flats", *options, "--policy", "eubo-kg")
    assert (found["people"], found["wrong"]) == (6, 0)
    assert list(found["policies"]) == ["random-pair", "eubo-kg"]
    rows = found["policies"]["eubo-kg"]
    assert [row["questions"] for row in rows] == [0, 1, 2, 3]
    assert all(0 <= row["loss"] <= 1 for row in rows)
    said = run.text("simulate", "Flats", *options)
    assert "6 simulated people, 0 % wrong answers" in said
    last = found["policies"]["random-pair"][3]
    assert f"3 {last['loss']:.3f} {100 * last['top_found']:.0f} %" in said


def test_one_person_has_no_error_bar(asked: Any) -> None:
    run, _ = asked
    found = run.json("simulate", "Flats", "--people", 1, "--questions", 1)
    assert found["policies"]["eubo-kg"][0]["loss_error"] is None


def test_questions_help(asked: Any) -> None:
    run, _ = asked
    rows = run.json("simulate", "Flats", "--people", 30, "--questions", 4)
    first, *_, last = rows["policies"]["eubo-kg"]
    assert last["loss"] < first["loss"]


def test_earlier_answers_are_the_start(run: Any) -> None:
    study_id = run.new("--max-questions", 3, "--max-regret", 0)
    args = ("simulate", "Flats", "--people", 10, "--questions", 1)
    before = run.json(*args)
    with SqlStore(store_url(run.folder / "studies")) as store:
        events: list[Any] = [("joined", {"language": "en", "model": None})]
        for k, pair in enumerate([(0, 1), (0, 2), (0, 4)]):
            asked = {"question": f"{k:016x}", "form": "pair", "items": list(pair)}
            told = {"question": f"{k:016x}", "answer": "left"}
            events += [("asked", asked), ("answered", told)]
        for _ in range(5):
            store.add_participant(study_id, simulated=True, events=events)
        assert refit(store, study_id) is not None
    after = run.json(*args)
    assert after != before
    assert "5 simulated" in run.text("study", "list")
    assert "5 people answered, 5 of them simulated." in run.text("rank", "Flats")


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_picture(asked: Any, tmp_path: Path, ending: str, start: bytes) -> None:
    run, _ = asked
    file = tmp_path / f"loss.{ending}"
    args = ("simulate", "Flats", "--people", 3, "--questions", 1, "--picture", file)
    run.text(*args)
    assert file.read_bytes().startswith(start)
    assert "exists already" in run.error(*args)
    run.text(*args, "--force")


def test_what_does_not_fit(asked: Any, tmp_path: Path) -> None:
    run, _ = asked
    said = run.error("simulate", "Flats", "--policy", "guess")
    assert "policy must be one of" in said
    said = run.error("simulate", "Flats", "--picture", tmp_path / "loss.txt")
    assert ".svg, .png or .pdf" in said
    run.error("simulate", "Flats", "--wrong", 2, code=2)
    run.error("simulate", "Flats", "--people", 0, code=2)
