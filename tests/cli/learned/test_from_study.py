"""`penchant learn --from-study`: the answers of a study."""

from pathlib import Path
from typing import Any

from penchant.io import load


def test_answers_of_several_people(run: Any, compare_only: Any) -> None:
    compare_only("choquet")
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
    assert "the choice (Flats)" in Path(files[1]).read_text(encoding="utf-8")
