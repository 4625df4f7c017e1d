"""`penchant learn --from-study`: the answers of a study."""

from pathlib import Path
from typing import Any

import pytest

from penchant.io import load
from penchant.learning import _candidates


def test_answers_of_several_people(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_candidates, "_MOST_PROCESSED", 1)  # it would take seconds
    run.new("--max-questions", 5)
    files = [run.folder / "m.penchant", run.folder / "r.html"]
    words = (
        "learn",
        "--from-study",
        "Flats",
        "--model",
        files[0],
        "--report",
        files[1],
    )
    said = run.error(*words)
    assert "nothing to learn from yet" in said
    for label in ("Ada", "Bob", "Cleo"):
        run.json("ask", "Flats", "--label", label, typed="1\n1\n2\n1\n1\n")
    told = run.json(*words)
    assert told["kind"] == "comparisons"
    assert told["rows"] >= 10
    assert hasattr(load(files[0]), "utility")
    assert "the choice in Flats" in Path(files[1]).read_text(encoding="utf-8")
